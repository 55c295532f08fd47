/* SPDX-License-Identifier: MIT */
#include "mock/module/jit_limits.h"

#include "mock/base/state.h"

/* Names are left out: older headers lack the last ones. */
enum {
    N_OPTIONS = 36,
    MOST_CACHE_MODE = 2,
};

/* The value of an option, in *ret_value; false if it is not among them. */
static bool value_of(CUjit_option option, unsigned n, const CUjit_option *options,
                     void *const *values, void **ret_value)
{
    unsigned i = 0;

    while (i < n && options[i] != option)
        i++;
    if (i < n)
        *ret_value = values[i];
    return i < n;
}

/* A log has a buffer and its size, or neither. */
static bool log_valid(CUjit_option buffer, CUjit_option size, unsigned n,
                      const CUjit_option *options, void *const *values)
{
    void *address = NULL, *bytes = NULL;
    const bool has_buffer = value_of(buffer, n, options, values, &address);

    return has_buffer == value_of(size, n, options, values, &bytes) && (address || !bytes);
}

static bool options_valid(unsigned n, const CUjit_option *options, void *const *values)
{
    for (unsigned i = 0; i < n; i++)
        if ((unsigned) options[i] >= N_OPTIONS ||
            (options[i] == CU_JIT_CACHE_MODE && (uintptr_t) values[i] > MOST_CACHE_MODE))
            return false;
    return log_valid(CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, n, options,
                     values) &&
           log_valid(CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, n, options,
                     values);
}

CUresult mock__jit_limits_find(unsigned n, const CUjit_option *options, void *const *values,
                               struct ptx__limits *ret_limits)
{
    *ret_limits = (struct ptx__limits){.registers = 0};
    MOCK__REQUIRE(options_valid(n, options, values), CUDA_ERROR_INVALID_VALUE);
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
