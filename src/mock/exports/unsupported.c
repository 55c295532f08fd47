/* SPDX-License-Identifier: MIT */
/* What functions answer that no other file defines: src/mock/unsupported.tsv says why. */
#include "mock/base/state.h"
#include "mock/config/symbols.h"

int mock__unsupported(void)
{
    MOCK__ENTER();
    return CUDA_ERROR_NOT_SUPPORTED;
}
