/* SPDX-License-Identifier: MIT */
/*
 * The compiler's logs that a caller may ask for: one for errors, and one for other messages. They
 * belong to the call, so nothing here is shared between threads.
 */
#ifndef CUSHIM_MOCK_MODULE_JIT_LOG_H
#define CUSHIM_MOCK_MODULE_JIT_LOG_H

#include "mock/functions.h"
#include "mock/ptx/link/read.h"

struct mock__jit_buffer {
    char *text;
    size_t size;
    void **ret_size; /* gets the length that was written */
};

struct mock__jit_log {
    struct mock__jit_buffer errors, infos;
};

/* Finds the logs' buffers in the options. values must be valid as long as the log. */
struct mock__jit_log mock__jit_log_find(unsigned n, const CUjit_option *options, void **values);

/* Writes all messages to the logs, replacing their contents. A NULL log is not written. */
void mock__jit_log_write(const struct mock__jit_log *log, const struct ptx__log *messages);

#endif
