/* SPDX-License-Identifier: MIT */
/* What NVRTC and nvJitLink do that the loader depends on. */
#include <cushim/rows.h>

#include "fake_library.h"

/* NVRTC's version is of two numbers of type int, nvJitLink's of two of type unsigned. */

bool fake_behave(unsigned row, void *const *args, int *ret_result)
{
    if (row != FAKE_VERSION_ROW)
        return false;
    **(int **) args[0] = FAKE_VERSION / 1000;
    **(int **) args[1] = FAKE_VERSION % 1000 / 10;
    *ret_result = FAKE_VERSION_RESULT;
    return true;
}
