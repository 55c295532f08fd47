/* SPDX-License-Identifier: MIT */
/* The result of a compiler: the code, the log, and the lowered names of the name expressions. */
#ifndef CUSHIM_CORE_CODE_IMAGE_H
#define CUSHIM_CORE_CODE_IMAGE_H

#include <cushim/compile.h>

#include "base/arena.h"

struct cushim__lowered {
    const char *expression, *name;
};

struct cushim__image {
    enum cushim_image_kind kind;
    const char *name; /* of the program */
    void *bytes;      /* followed by a NUL */
    size_t n_bytes;   /* without the NUL */
    const char *log;  /* "" if there is none */
    struct cushim__lowered *lowered;
    size_t n_lowered;
    struct cushim__arena arena; /* owns all of the above */
};

struct cushim__image *cushim__image_new(void);
void cushim__image_free(struct cushim__image *image);
void cushim__image_destroy(void *image); /* the same, for handles */

/* Returns the lowered name of an expression, or NULL if the compilation did not ask for it. */
const char *cushim__image_lowered(const struct cushim__image *image, const char *expression);

/*
 * Copies the first error line of a compiler's log, or its first line if there is no error. The text
 * has no line end and is shortened to the size of the buffer. Returns buffer.
 */
const char *cushim__log_first_error(const char *log, char *buffer, size_t size);

#endif
