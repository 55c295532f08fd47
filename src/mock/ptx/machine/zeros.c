/* SPDX-License-Identifier: MIT */
#include "mock/ptx/machine/zeros.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { MANY_BYTES = 1 << 17, MOST_KEPT = 4 };

/* Of what is kept, what was used takes room in memory, and the rest addresses only. */
#define MOST_USED_BYTES ((size_t) 1 << 25)
#define MOST_KEPT_BYTES ((size_t) 1 << 30)

/*
 * What is kept, each with its size in its first word. A place is emptied before what was there is
 * looked at, so that no lock is needed: a child of fork() finds each one whole, or misses it.
 */
static _Atomic(size_t *) kept[MOST_KEPT];
static atomic_uint next_place; /* that is replaced if all are taken */

/* NULL: none of this size is kept. */
static void *take(size_t bytes)
{
    for (unsigned i = 0; i < MOST_KEPT; i++) {
        size_t *zeros = atomic_exchange(&kept[i], NULL), *none = NULL;

        if (zeros && *zeros == bytes) {
            *zeros = 0;
            return zeros;
        }
        if (zeros && !atomic_compare_exchange_strong(&kept[i], &none, zeros))
            munmap(zeros, *zeros);
    }
    return NULL;
}

void *ptx__zeros_new(size_t bytes)
{
    void *zeros;

    if (bytes < MANY_BYTES)
        return calloc(bytes, 1);
    zeros = take(bytes);
    if (zeros)
        return zeros;
    zeros = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return zeros == MAP_FAILED ? NULL : zeros;
}

void ptx__zeros_free(void *zeros, size_t bytes)
{
    if (bytes < MANY_BYTES)
        free(zeros);
    else if (zeros)
        munmap(zeros, bytes);
}

bool ptx__zeros_kept(size_t bytes, size_t used)
{
    return bytes >= MANY_BYTES && bytes <= MOST_KEPT_BYTES && used <= MOST_USED_BYTES;
}

void ptx__zeros_keep(void *zeros, size_t bytes)
{
    size_t *next = zeros;

    *next = bytes;
    for (unsigned i = 0; i < MOST_KEPT; i++) {
        size_t *none = NULL;

        if (atomic_compare_exchange_strong(&kept[i], &none, next))
            return;
    }
    next = atomic_exchange(&kept[atomic_fetch_add(&next_place, 1) % MOST_KEPT], next);
    if (next)
        munmap(next, *next);
}
