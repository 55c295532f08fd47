/* SPDX-License-Identifier: MIT */
/* What there is to say about a text, and how reading, linking or lowering it ended. */
#ifndef CUSHIM_MOCK_PTX_SYNTAX_LOG_H
#define CUSHIM_MOCK_PTX_SYNTAX_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "mock/ptx/syntax/ast.h"

/* How it ended. */
enum ptx__status {
    PTX_OK,
    PTX_NO_PTX,        /* no PTX at all */
    PTX_INVALID,       /* wrong: the log says what */
    PTX_NEWER_VERSION, /* of an ISA version that is not known */
    PTX_OTHER_TARGET,  /* a text for devices that this one is none of; the log says which */
    PTX_REFUSED,       /* of lowering: right, and not executed here; the log says what */
    PTX_NO_TARGET,     /* a fat binary without PTX for the device */
    PTX_MACHINE_CODE,  /* an image without any PTX */
    PTX_TOO_LARGE,     /* a text of a fat binary is larger than the caller wants */
    PTX_NO_LIBRARY,    /* what would decompress it is not installed */
    PTX_OUT_OF_MEMORY,
};

enum ptx__severity { PTX_INFO, PTX_WARNING, PTX_ERROR, PTX_FATAL };

struct ptx__message {
    enum ptx__severity severity;
    struct ptx__place place; /* line 0: in none */
    char *text;
};

/* All that is to be said of a text, in the order of finding. */
struct ptx__log {
    struct ptx__message *messages;
    size_t n_messages, n_errors;
    bool failed; /* a message was lost for want of memory */
};

/* A message more. Lowering says here what it does not execute, at the instruction's place. */
__attribute__((format(printf, 4, 5))) void ptx__report(struct ptx__log *log,
                                                       enum ptx__severity severity,
                                                       struct ptx__place place, const char *format,
                                                       ...);

void ptx__log_finish(struct ptx__log *log);

#endif
