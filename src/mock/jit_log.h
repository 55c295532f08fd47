/* SPDX-License-Identifier: MIT */
/* The compiler's log, of which a caller may want to have the errors. */
#ifndef CUSHIM_MOCK_JIT_LOG_H
#define CUSHIM_MOCK_JIT_LOG_H

#include "mock/functions.h"
#include "mock/ptx_entries.h"

struct mock__jit_log {
    char *buffer;
    size_t size;
    void **ret_size; /* where the length written goes */
};

/* Where the options want the log to be. values is used as long as the log is. */
struct mock__jit_log mock__jit_log_find(unsigned n, const CUjit_option *options, void **values);

/* An error of line 0 is in no line, and without a text it is none. A log of NULL is not written. */
void mock__jit_log_write(const struct mock__jit_log *log, const struct mock__ptx_error *error);

#endif
