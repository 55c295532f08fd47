/* SPDX-License-Identifier: MIT */
#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct cushim__arena_block {
    struct cushim__arena_block *next;
    _Alignas(max_align_t) char memory[];
};

void *cushim__arena_alloc(struct cushim__arena *arena, size_t size)
{
    struct cushim__arena_block *block = calloc(1, sizeof(*block) + size);

    if (!block) {
        arena->failed = true;
        return NULL;
    }
    block->next = arena->blocks;
    arena->blocks = block;
    return block->memory;
}

const char *cushim__arena_printf(struct cushim__arena *arena, const char *format, ...)
{
    va_list list;
    char *text;
    int length;

    va_start(list, format);
    length = vsnprintf(NULL, 0, format, list);
    va_end(list);
    text = length < 0 ? NULL : cushim__arena_alloc(arena, (size_t) length + 1);
    if (!text)
        return "";
    va_start(list, format);
    vsnprintf(text, (size_t) length + 1, format, list);
    va_end(list);
    return text;
}

void cushim__arena_finish(struct cushim__arena *arena)
{
    while (arena->blocks) {
        struct cushim__arena_block *next = arena->blocks->next;

        free(arena->blocks);
        arena->blocks = next;
    }
}
