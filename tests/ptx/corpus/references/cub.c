/* SPDX-License-Identifier: MIT */
#include "corpus.h"

static void warp(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    uint32_t *out = run->expect[1];

    for (uint32_t i = 0; i < 128; i++) {
        out[128 + i] = i % 32 ? out[i - 1] : 0;
        out[i] = out[128 + i] + a[i];
        out[256 + i / 32] = out[i];
    }
}

static void block(struct corpus_run *run)
{
    const int32_t *a = run->in[0];
    int32_t *out = run->expect[1];

    out[512] = a[0];
    for (int i = 0; i < 512; i++) {
        out[i] = i ? out[i - 1] + a[i - 1] : 0;
        out[512] = a[i] > out[512] ? a[i] : out[512];
    }
}

static void sort(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    uint32_t *keys = run->expect[1], *places = run->expect[2];

    for (uint32_t i = 0; i < 512; i++) {
        uint32_t rank = 0;

        for (uint32_t j = 0; j < 512; j++)
            rank += a[j] < a[i] || (a[j] == a[i] && j < i);
        keys[rank] = a[i];
        places[rank] = i;
    }
}

static void histogram(struct corpus_run *run)
{
    for (int i = 0; i < 512; i++)
        ((uint32_t *) run->expect[1])[((uint8_t *) run->in[0])[i]]++;
}

static const struct corpus_case cases[] = {
    {.name = "cub_warp",
     .block = {128},
     .reference = warp,
     .buffers = {IN(U32, 128), OUT(U32, 260)}},
    {.name = "cub_block",
     .block = {128},
     .reference = block,
     .buffers = {IN_RANGE(U32, 512, -9999, 9999), OUT(U32, 513)}},
    {.name = "cub_sort",
     .block = {128},
     .reference = sort,
     .buffers = {IN(U32, 512), OUT(U32, 512), OUT(U32, 512)}},
    {.name = "cub_histogram",
     .block = {128},
     .reference = histogram,
     .buffers = {IN(U8, 512), OUT(U32, 256)}},
};

CORPUS_MODULE(cub, cases);
