/* SPDX-License-Identifier: MIT */
/*
 * malloc() and free() of kernels: first fit in one range. The list of its parts is outside of the
 * range.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "mock/ptx/machine/heap.h"

enum { ALIGNMENT = 16 };

struct part {
    uint64_t begin, bytes;
};

struct ptx__heap {
    pthread_mutex_t lock;
    uint64_t begin, bytes;
    struct part *parts; /* in use, sorted by address */
    size_t n, capacity;
};

struct ptx__heap *ptx__heap_new(uint64_t address, size_t bytes)
{
    struct ptx__heap *heap = calloc(1, sizeof(*heap));

    if (!heap)
        return NULL;
    pthread_mutex_init(&heap->lock, NULL);
    heap->begin = address;
    heap->bytes = bytes;
    return heap;
}

void ptx__heap_free(struct ptx__heap *heap)
{
    if (!heap)
        return;
    pthread_mutex_destroy(&heap->lock);
    free(heap->parts);
    free(heap);
}

static bool have_place(struct ptx__heap *heap)
{
    const size_t capacity = heap->capacity ? 2 * heap->capacity : 64;
    struct part *larger;

    if (heap->n < heap->capacity)
        return true;
    larger = realloc(heap->parts, capacity * sizeof(*larger));
    if (!larger)
        return false;
    heap->parts = larger;
    heap->capacity = capacity;
    return true;
}

static uint64_t take(struct ptx__heap *heap, uint64_t bytes)
{
    uint64_t begin = heap->begin;
    size_t place = 0;

    while (place < heap->n && heap->parts[place].begin - begin < bytes) {
        begin = heap->parts[place].begin + heap->parts[place].bytes;
        place++;
    }
    if (begin - heap->begin > heap->bytes || heap->bytes - (begin - heap->begin) < bytes)
        return 0;
    memmove(&heap->parts[place + 1], &heap->parts[place], (heap->n - place) * sizeof(*heap->parts));
    heap->parts[place] = (struct part){begin, bytes};
    heap->n++;
    return begin;
}

uint64_t ptx__heap_take(struct ptx__heap *heap, uint64_t bytes)
{
    uint64_t address = 0;

    if (!heap || bytes > heap->bytes)
        return 0;
    bytes = bytes ? (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : ALIGNMENT;
    pthread_mutex_lock(&heap->lock);
    if (have_place(heap))
        address = take(heap, bytes);
    pthread_mutex_unlock(&heap->lock);
    return address;
}

bool ptx__heap_give(struct ptx__heap *heap, uint64_t address)
{
    bool found = false;

    if (!heap)
        return false;
    pthread_mutex_lock(&heap->lock);
    for (size_t i = 0; i < heap->n && !found; i++) {
        if (heap->parts[i].begin == address) {
            found = true;
            heap->n--;
            memmove(&heap->parts[i], &heap->parts[i + 1], (heap->n - i) * sizeof(*heap->parts));
        }
    }
    pthread_mutex_unlock(&heap->lock);
    return found;
}
