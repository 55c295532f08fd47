/* SPDX-License-Identifier: MIT */
/*
 * Several PTX texts in one, as the image of a linker: a module that is loaded from it links them
 * anew. Nothing here is shared between threads.
 */
#ifndef CUSHIM_MOCK_PTX_CONTAINER_JOINED_H
#define CUSHIM_MOCK_PTX_CONTAINER_JOINED_H

#include <stddef.h>

#include "mock/ptx/syntax/log.h"

/* Joins several texts to one, which the caller frees. NULL when out of memory. */
char *ptx__join(const char *const *texts, size_t n, size_t *ret_length);

/* The texts that were joined. They stay where they are, without NULs behind them. */
struct ptx__parts {
    const char **texts;
    size_t *lengths, n;
};

/*
 * Splits what was joined; any other text is its only part. The caller finishes the parts in any
 * case. PTX_NO_PTX if the text is damaged.
 */
enum ptx__status ptx__split(const char *text, struct ptx__parts *ret_parts);
void ptx__parts_finish(struct ptx__parts *parts);

#endif
