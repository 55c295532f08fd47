/* SPDX-License-Identifier: MIT */
#include "mock/ptx/syntax/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"

/* The maximum number of messages: a text with many mistakes must not fill the memory. */
#define MOST_MESSAGES 1000

static void add(struct ptx__log *log, const struct ptx__message *message)
{
    struct ptx__message *larger =
        realloc(log->messages, (log->n_messages + 1) * sizeof(*log->messages));

    if (!larger) {
        free(message->text);
        log->failed = true;
        return;
    }
    log->messages = larger;
    larger[log->n_messages++] = *message;
}

void ptx__report(struct ptx__log *log, enum ptx__severity severity, struct ptx__place place,
                 const char *format, ...)
{
    struct ptx__message message = {severity, place, NULL};
    va_list list;
    int length;

    log->n_errors += severity >= PTX_ERROR;
    if (log->n_messages >= MOST_MESSAGES && severity != PTX_FATAL)
        return;
    va_start(list, format);
    length = vasprintf(&message.text, format, list);
    va_end(list);
    if (length >= 0)
        add(log, &message);
    else
        log->failed = true;
}

void ptx__log_finish(struct ptx__log *log)
{
    for (size_t i = 0; i < log->n_messages; i++)
        free(log->messages[i].text);
    free(log->messages);
    *log = (struct ptx__log){.messages = NULL};
}

static void append(struct cushim__str *str, const struct ptx__message *message, const char *input)
{
    static const char *const severities[] = {
        [PTX_INFO] = "info    ",
        [PTX_WARNING] = "warning ",
        [PTX_ERROR] = "error   ",
        [PTX_FATAL] = "fatal   ",
    };

    if (message->place.line)
        cushim__str_append(str, "ptxas %s, line %u; ", input, message->place.line);
    else if (message->severity == PTX_FATAL)
        cushim__str_append(str, "ptxas ");
    cushim__str_append(str, "%s: %s\n", severities[message->severity], message->text);
}

void ptx__log_append(struct cushim__str *str, const struct ptx__log *log, const char *input,
                     bool errors)
{
    bool aborted = false;

    for (size_t i = 0; i < log->n_messages; i++) {
        const struct ptx__message *message = &log->messages[i];

        if ((message->severity >= PTX_ERROR) != errors)
            continue;
        append(str, message, input);
        aborted = aborted || (errors && message->place.line);
    }
    if (aborted)
        cushim__str_append(str, "ptxas fatal   : Ptx assembly aborted due to errors\n");
}
