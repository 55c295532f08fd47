/* SPDX-License-Identifier: MIT */
/* What a compiler made: bytes, its log, and the names of what was asked for by expression. */
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
    size_t n_bytes;   /* without it */
    const char *log;  /* "" without */
    struct cushim__lowered *lowered;
    size_t n_lowered;
    struct cushim__arena arena; /* all of the above, and this struct's own memory last */
};

struct cushim__image *cushim__image_new(void);
void cushim__image_free(struct cushim__image *image);
void cushim__image_destroy(void *image); /* the same, for handles */

/* The lowered name of an expression, NULL if it was not asked for. */
const char *cushim__image_lowered(const struct cushim__image *image, const char *expression);

/*
 * The first line of a compiler's log that is an error, else its first line; without the line's
 * end, and shortened to what fits. Returns buffer.
 */
const char *cushim__log_first_error(const char *log, char *buffer, size_t size);

#endif
