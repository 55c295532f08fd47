/* SPDX-License-Identifier: MIT */
#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct cushim__arena_block {
    struct cushim__arena_block *next;
    _Alignas(max_align_t) char memory[];
};

/* Parts as small as this come several at a time, from blocks that grow. */
enum { SMALL = 256, FIRST_BLOCK = 1024, LARGEST_BLOCK = 1 << 16 };

/* A sanitizer sees what is beyond a part only if the part is a block of its own. */
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED true
#elif defined(__has_feature)
#define SANITIZED __has_feature(address_sanitizer)
#else
#define SANITIZED false
#endif

static void *new_block(struct cushim__arena *arena, size_t size)
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

static bool refill(struct cushim__arena *arena)
{
    const size_t size = arena->size ? 2 * arena->size : FIRST_BLOCK;
    char *memory = new_block(arena, size);

    if (!memory)
        return false;
    arena->at = memory;
    arena->left = size;
    arena->size = size < LARGEST_BLOCK ? size : LARGEST_BLOCK / 2;
    return true;
}

void *cushim__arena_alloc(struct cushim__arena *arena, size_t size)
{
    const size_t unit = _Alignof(max_align_t),
                 taken = size ? (size + unit - 1) / unit * unit : unit;
    char *memory;

    if (SANITIZED || size > SMALL)
        return new_block(arena, size);
    if (taken > arena->left && !refill(arena))
        return NULL;
    memory = arena->at;
    arena->at += taken;
    arena->left -= taken;
    return memory;
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
    arena->at = NULL;
    arena->left = arena->size = 0;
}
