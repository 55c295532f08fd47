/* SPDX-License-Identifier: MIT */
/*
 * The compiler's logs, which a caller may want to have: one of errors, and one of the rest.
 * They are the call's own: nothing here is shared between threads.
 */
#ifndef CUSHIM_MOCK_MODULE_JIT_LOG_H
#define CUSHIM_MOCK_MODULE_JIT_LOG_H

#include "mock/functions.h"
#include "mock/ptx/link/read.h"

struct mock__jit_buffer {
    char *text;
    size_t size;
    void **ret_size; /* where the length written goes */
};

struct mock__jit_log {
    struct mock__jit_buffer errors, infos;
};

/* Where the options want the logs to be. values is used as long as the log is. */
struct mock__jit_log mock__jit_log_find(unsigned n, const CUjit_option *options, void **values);

/* Says all messages anew. A log of NULL is not written. */
void mock__jit_log_write(const struct mock__jit_log *log, const struct ptx__log *messages);

#endif
