/* SPDX-License-Identifier: MIT */
#include "corpus.h"

#include <stdlib.h>

static int by_unsigned(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;

    return (x > y) - (x < y);
}

static int by_int(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *) a, y = *(const int32_t *) b;

    return (x > y) - (x < y);
}

static int by_float(const void *a, const void *b)
{
    const float x = *(const float *) a, y = *(const float *) b;

    return (x > y) - (x < y);
}

static void copy(struct corpus_run *run)
{
    const struct corpus_buffer *from = &run->test->buffers[0];

    for (size_t i = 0; i < from->count; i++)
        ((uint32_t *) run->expect[1])[i] = ((uint32_t *) run->in[0])[i];
}

static void bitonic(struct corpus_run *run)
{
    copy(run);
    for (int block = 0; block < 2; block++)
        qsort((uint32_t *) run->expect[1] + (ptrdiff_t) block * 512, 512, 4, by_unsigned);
}

static void odd_even(struct corpus_run *run)
{
    copy(run);
    qsort(run->expect[1], 200, 4, by_float);
}

/* Equal keys stay in their order. */
static void radix(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    uint32_t *keys = run->expect[1];
    uint16_t *places = run->expect[2];

    for (unsigned i = 0; i < 256; i++) {
        unsigned rank = 0;

        for (unsigned j = 0; j < 256; j++)
            rank += a[j] < a[i] || (a[j] == a[i] && j < i);
        keys[rank] = a[i];
        places[rank] = (uint16_t) i;
    }
}

static void quick(struct corpus_run *run)
{
    int *lists = run->expect[0], *sane = run->expect[1];

    for (int i = 0; i < 64; i++) {
        qsort(lists + (ptrdiff_t) i * 60, 60, 4, by_int);
        sane[i] = 1;
    }
}

static void merge(struct corpus_run *run)
{
    uint32_t *out = run->expect[2];

    for (int i = 0; i < 200; i++) {
        out[i] = ((uint32_t *) run->in[0])[i];
        out[200 + i] = ((uint32_t *) run->in[1])[i];
    }
    qsort(out, 400, 4, by_unsigned);
}

static const struct corpus_case cases[] = {
    {.name = "sort_bitonic",
     .grid = {2},
     .block = {512},
     .reference = bitonic,
     .buffers = {IN(U32, 1024), OUT(U32, 1024)}},
    {.name = "sort_odd_even",
     .block = {128},
     .reference = odd_even,
     .buffers = {IN_RANGE(F32, 200, -100, 100), OUT(F32, 200)},
     .values = {200}},
    {.name = "sort_radix",
     .block = {256},
     .reference = radix,
     .buffers = {IN_RANGE(U32, 256, 0, 4000000), OUT(U32, 256), OUT(U16, 256)}},
    {.name = "sort_quick",
     .grid = {2},
     .block = {32},
     .reference = quick,
     .buffers = {INOUT_RANGE(U32, 64 * 60, -500, 500), OUT(U32, 64)},
     .values = {60}},
    {.name = "sort_merge",
     .grid = {4},
     .block = {128},
     .reference = merge,
     .buffers = {IN_STEP(U32, 200, 5, 7), IN_STEP(U32, 200, 3, 11), OUT(U32, 400)},
     .values = {200}},
};

CORPUS_MODULE(sort, cases);
