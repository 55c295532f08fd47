/* SPDX-License-Identifier: MIT */
#include "mock/module/jit_limits.h"

#include "mock/base/state.h"

CUresult mock__jit_limits_find(unsigned n, const CUjit_option *options, void *const *values,
                               struct ptx__limits *ret_limits)
{
    *ret_limits = (struct ptx__limits){.registers = 0};
    for (unsigned i = 0; i < n; i++) {
        const unsigned value = (unsigned) (uintptr_t) values[i];

        MOCK__REQUIRE(options[i] != CU_JIT_MAX_REGISTERS || value, CUDA_ERROR_INVALID_VALUE);
        if (options[i] == CU_JIT_MAX_REGISTERS)
            ret_limits->registers = value;
        if (options[i] == CU_JIT_THREADS_PER_BLOCK)
            ret_limits->threads = value;
    }
    return CUDA_SUCCESS;
}
