/* SPDX-License-Identifier: MIT */
#include "mock/module/jit_limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mock/base/state.h"

/* This does not occur in a text that a person or a compiler has written. */
#define MARK "\n//\x01 registers %u threads %u\n"

CUresult mock__jit_limits_find(unsigned n, const CUjit_option *options, void *const *values,
                               struct mock__jit_limits *ret_limits)
{
    *ret_limits = (struct mock__jit_limits){.registers = 0};
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

CUresult mock__jit_limits_write(const struct mock__jit_limits *limits, char **text)
{
    char line[64], *larger;
    const size_t length = strlen(*text);

    if (!limits->registers && !limits->threads)
        return CUDA_SUCCESS;
    snprintf(line, sizeof(line), MARK, limits->registers, limits->threads);
    larger = realloc(*text, length + strlen(line) + 1);
    MOCK__REQUIRE(larger, CUDA_ERROR_OUT_OF_MEMORY);
    memcpy(larger + length, line, strlen(line) + 1);
    *text = larger;
    return CUDA_SUCCESS;
}

struct mock__jit_limits mock__jit_limits_read(const char *text)
{
    struct mock__jit_limits limits = {.registers = 0};

    while ((text = strstr(text, "\n//\x01"))) {
        sscanf(text, MARK, &limits.registers, &limits.threads);
        text++;
    }
    return limits;
}
