/* SPDX-License-Identifier: MIT */
#include <cushim/mock.h>

#include "mock/ptx/jit/tier.h"

const char *cushim_mock_kernels_text(void)
{
    return ptx__jit_text();
}
