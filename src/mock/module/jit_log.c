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

/* Appends a message in the form of the driver's compiler, which has no columns. */
static void append(struct cushim__str *text, const struct ptx__message *message)
{
    static const char *const severities[] = {
        [PTX_INFO] = "info    ",
        [PTX_WARNING] = "warning ",
        [PTX_ERROR] = "error   ",
        [PTX_FATAL] = "fatal   ",
    };

    if (message->place.line)
        cushim__str_append(text, "ptxas application ptx input, line %u; ", message->place.line);
    else if (message->severity == PTX_FATAL)
        cushim__str_append(text, "ptxas ");
    cushim__str_append(text, "%s: %s\n", severities[message->severity], message->text);
}

static void write_buffer(const struct mock__jit_buffer *buffer, const struct ptx__log *messages,
                         bool errors)
{
    SCOPED_STR text = {.text = NULL};
    bool aborted = false;

    if (!buffer->text || !buffer->size)
        return;
    for (size_t i = 0; i < messages->n_messages; i++) {
        const struct ptx__message *message = &messages->messages[i];

        if ((message->severity >= PTX_ERROR) != errors)
            continue;
        append(&text, message);
        aborted = aborted || (errors && message->place.line);
    }
    if (aborted)
        cushim__str_append(&text, "ptxas fatal   : Ptx assembly aborted due to errors\n");
    snprintf(buffer->text, buffer->size, "%s", cushim__str_get(&text));
    if (buffer->ret_size)
        *buffer->ret_size = (void *) (uintptr_t) strlen(buffer->text);
}

void mock__jit_log_write(const struct mock__jit_log *log, const struct ptx__log *messages)
{
    if (!log)
        return;
    write_buffer(&log->errors, messages, true);
    write_buffer(&log->infos, messages, false);
}
