/* SPDX-License-Identifier: MIT */
/* Memory that is freed all at once. It is for results that consist of many small parts. */
#ifndef CUSHIM_BASE_ARENA_H
#define CUSHIM_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#include <cushim/version.h>

struct cushim__arena {
    struct cushim__arena_block *blocks;
    char *at; /* the rest of the block that small parts come from */
    size_t left, size;
    bool failed; /* at least one allocation has failed */
};

/*
 * Allocates zeroed memory with the largest alignment. When out of memory it returns NULL and sets
 * arena->failed.
 */
void *cushim__arena_alloc(struct cushim__arena *arena, size_t size);

/*
 * Copies a formatted text. When out of memory it returns "", so that the caller may print the
 * result without a check.
 */
const char *cushim__arena_printf(struct cushim__arena *arena, const char *format, ...)
    CUSHIM_PRINTF(2, 3);

void cushim__arena_finish(struct cushim__arena *arena);

#endif
