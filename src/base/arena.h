/* SPDX-License-Identifier: MIT */
/* Memory that is freed all at once: for results made of many small parts. */
#ifndef CUSHIM_BASE_ARENA_H
#define CUSHIM_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#include <cushim/version.h>

struct cushim__arena {
    struct cushim__arena_block *blocks;
    bool failed; /* an allocation did not succeed */
};

/* Zeroed, aligned for anything. NULL, and arena->failed, when out of memory. */
void *cushim__arena_alloc(struct cushim__arena *arena, size_t size);

/* A copy of the text. "" when out of memory, so that it can be printed all the same. */
const char *cushim__arena_printf(struct cushim__arena *arena, const char *format, ...)
    CUSHIM_PRINTF(2, 3);

void cushim__arena_finish(struct cushim__arena *arena);

#endif
