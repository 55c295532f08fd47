/* SPDX-License-Identifier: MIT */
/* What NVRTC does that the loader depends on. */
#include <cushim/rows.h>

#include "fake_library.h"

bool fake_behave(unsigned row, void *const *args, int *ret_result)
{
    if (row != CUSHIM_ROW_nvrtcVersion)
        return false;
    **(int **) args[0] = FAKE_VERSION / 1000;
    **(int **) args[1] = FAKE_VERSION % 1000 / 10;
    *ret_result = FAKE_VERSION_RESULT;
    return true;
}
