/* SPDX-License-Identifier: MIT */
#include "mock/jit_log.h"

#include <stdio.h>
#include <string.h>

struct mock__jit_log mock__jit_log_find(unsigned n, const CUjit_option *options, void **values)
{
    struct mock__jit_log log = {.buffer = NULL};

    for (unsigned i = 0; i < n; i++) {
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
            log.buffer = values[i];
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) {
            log.size = (size_t) (uintptr_t) values[i];
            log.ret_size = &values[i];
        }
    }
    return log;
}

void mock__jit_log_write(const struct mock__jit_log *log, const struct mock__ptx_error *error)
{
    char text[256] = "";

    if (!log || !log->buffer || !log->size)
        return;
    if (error->line)
        snprintf(text, sizeof(text), "ptxas application ptx input, line %d; fatal   : %s\n",
                 error->line, error->text);
    else if (*error->text)
        snprintf(text, sizeof(text), "error   : %s\n", error->text);
    snprintf(log->buffer, log->size, "%s", text);
    if (log->ret_size)
        *log->ret_size = (void *) (uintptr_t) strlen(log->buffer);
}
