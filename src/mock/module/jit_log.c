/* SPDX-License-Identifier: MIT */
#include "mock/module/jit_log.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"

static void set_size(struct mock__jit_buffer *buffer, void **value)
{
    buffer->size = (size_t) (uintptr_t) *value;
    buffer->ret_size = value;
}

struct mock__jit_log mock__jit_log_find(unsigned n, const CUjit_option *options, void **values)
{
    struct mock__jit_log log = {.errors = {.text = NULL}};

    for (unsigned i = 0; i < n; i++) {
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
            log.errors.text = values[i];
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
            set_size(&log.errors, &values[i]);
        if (options[i] == CU_JIT_INFO_LOG_BUFFER)
            log.infos.text = values[i];
        if (options[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES)
            set_size(&log.infos, &values[i]);
    }
    return log;
}

static void write_buffer(const struct mock__jit_buffer *buffer, const struct ptx__log *messages,
                         bool errors)
{
    SCOPED_STR text = {.text = NULL};

    if (!buffer->text || !buffer->size)
        return;
    ptx__log_append(&text, messages, "application ptx input", errors);
    snprintf(buffer->text, buffer->size, "%s", cushim__str_get(&text));
    /* Of a text that does not fit, a driver tells the size of the buffer. */
    if (buffer->ret_size)
        *buffer->ret_size = (void *) (uintptr_t) (buffer->size > 1 && text.length >= buffer->size
                                                      ? buffer->size
                                                      : strlen(buffer->text));
}

void mock__jit_log_write(const struct mock__jit_log *log, const struct ptx__log *messages)
{
    if (!log)
        return;
    write_buffer(&log->errors, messages, true);
    write_buffer(&log->infos, messages, false);
}
