/* SPDX-License-Identifier: MIT */
/* The messages about a text, and the results of reading, linking and lowering it. */
#ifndef CUSHIM_MOCK_PTX_SYNTAX_LOG_H
#define CUSHIM_MOCK_PTX_SYNTAX_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "mock/ptx/syntax/ast.h"

/* The results. */
enum ptx__status {
    PTX_OK,
    PTX_NO_PTX,        /* it is not PTX */
    PTX_DEFINED_TWICE, /* linking: two texts define one kernel */
    PTX_INVALID,       /* it is wrong; the log has the reason */
    PTX_NEWER_VERSION, /* its ISA version is not known */
    PTX_OTHER_TARGET,  /* a text for other devices; the log has their names */
    PTX_REFUSED,       /* lowering: it is right, but not executed; the log has the reason */
    PTX_NO_TARGET,     /* a fat binary without PTX for the device */
    PTX_MACHINE_CODE,  /* an image without PTX */
    PTX_TOO_LARGE,     /* a text of a fat binary is larger than the caller wants */
    PTX_NO_LIBRARY,    /* the library to decompress it is not installed */
    PTX_OUT_OF_MEMORY,
};

enum ptx__severity { PTX_INFO, PTX_WARNING, PTX_ERROR, PTX_FATAL };

struct ptx__message {
    enum ptx__severity severity;
    struct ptx__place place; /* line 0: no place */
    char *text;
};

/* The messages about a text, in the order in which they were found. */
struct ptx__log {
    struct ptx__message *messages;
    size_t n_messages, n_errors;
    bool failed; /* a message was lost because memory ran out */
};

/* Adds a message. Lowering reports instructions that it does not execute, with their places. */
__attribute__((format(printf, 4, 5))) void ptx__report(struct ptx__log *log,
                                                       enum ptx__severity severity,
                                                       struct ptx__place place, const char *format,
                                                       ...);

void ptx__log_finish(struct ptx__log *log);

struct cushim__str;

/*
 * Appends messages in the form of NVIDIA's compiler, which has no columns: errors, or what is less.
 * input is what it calls the text.
 */
void ptx__log_append(struct cushim__str *str, const struct ptx__log *log, const char *input,
                     bool errors);

#endif
