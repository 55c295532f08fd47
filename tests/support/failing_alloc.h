/* SPDX-License-Identifier: MIT */
/*
 * Allocations that fail on demand, and how many were not freed. For programs that are linked with
 * --wrap for each of these functions, so that only the code in the program itself is counted.
 */
#ifndef CUSHIM_TESTS_SUPPORT_FAILING_ALLOC_H
#define CUSHIM_TESTS_SUPPORT_FAILING_ALLOC_H

#include <stdlib.h>
#include <string.h>

enum { NEVER = -1 };

static int countdown = NEVER; /* allocations until one fails */
static long outstanding;      /* allocations that were not freed */

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *pointer, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
char *__real_strdup(const char *text);
void __real_free(void *pointer);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *pointer, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
char *__wrap_strdup(const char *text);
void __wrap_free(void *pointer);

static int fails(void)
{
    return countdown >= 0 && countdown-- == 0;
}

static void *counted(void *pointer)
{
    outstanding += pointer != NULL;
    return pointer;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : counted(__real_calloc(n, size));
}

void *__wrap_realloc(void *pointer, size_t size)
{
    void *moved = fails() ? NULL : __real_realloc(pointer, size);

    outstanding += moved && !pointer;
    return moved;
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : counted(__real_aligned_alloc(alignment, size));
}

char *__wrap_strdup(const char *text)
{
    return fails() ? NULL : counted(__real_strdup(text));
}

void __wrap_free(void *pointer)
{
    outstanding -= pointer != NULL;
    __real_free(pointer);
}

#endif
