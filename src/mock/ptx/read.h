/* SPDX-License-Identifier: MIT */
/* From PTX texts to a checked module, linked and laid out. */
#ifndef CUSHIM_MOCK_PTX_READ_H
#define CUSHIM_MOCK_PTX_READ_H

#include <stdbool.h>
#include <stddef.h>

#include "mock/ptx/ast.h"

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
__attribute__((format(printf, 4, 5))) void ptx__say(struct ptx__log *log,
                                                    enum ptx__severity severity,
                                                    struct ptx__place place, const char *format,
                                                    ...);

void ptx__log_finish(struct ptx__log *log);

/*
 * Reads n texts, each of a length, as the units of one module for a device of a capability such
 * as 90. The module is to be finished in any case; it is whole only when the answer is PTX_OK.
 */
enum ptx__status ptx__read(const char *const *texts, const size_t *lengths, size_t n,
                           int capability, struct ptx__module *module, struct ptx__log *log);

/*
 * Reads one text that is to be linked with others: what it declares and does not define is not
 * looked for, and no facts are found.
 */
enum ptx__status ptx__read_part(const char *text, size_t length, int capability,
                                struct ptx__module *module, struct ptx__log *log);

void ptx__finish(struct ptx__module *module);

/* A kernel or a function by its name, or an alias of it; PTX_NONE if there is none. */
uint32_t ptx__function_find(const struct ptx__module *module, const char *name);

#endif
