/* SPDX-License-Identifier: MIT */
#include "corpus.h"

static void inclusive(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    uint32_t *out = run->expect[1];

    for (int i = 0; i < 1024; i++)
        out[i] = a[i] + (i % 256 ? out[i - 1] : 0);
}

static void exclusive(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    uint32_t *out = run->expect[1];

    for (int i = 1; i < 512; i++)
        out[i] = out[i - 1] + a[i - 1];
}

static void minimum(struct corpus_run *run)
{
    const int64_t *a = run->in[0];
    int64_t *out = run->expect[1];

    for (int i = 0; i < 256; i++)
        out[i] = i && out[i - 1] < a[i] ? out[i - 1] : a[i];
}

static void chained(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    uint32_t *out = run->expect[1], *sums = run->expect[3], *ready = run->expect[4];

    for (int i = 0; i < 1024; i++)
        out[i] = a[i] + (i ? out[i - 1] : 0);
    *(uint32_t *) run->expect[2] = 8;
    for (int block = 0; block < 8; block++) {
        sums[block] = out[block * 128 + 127];
        ready[block] = 1;
    }
}

static void compact(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    uint32_t *out = run->expect[1], n = 0;

    for (int i = 0; i < 256; i++)
        if (a[i] % 3 == 0)
            out[n++] = a[i];
    *(uint32_t *) run->expect[2] = n;
}

static const struct corpus_case cases[] = {
    {.name = "scan_inclusive",
     .grid = {4},
     .block = {256},
     .reference = inclusive,
     .buffers = {IN(U32, 1024), OUT(U32, 1024)}},
    {.name = "scan_exclusive",
     .block = {256},
     .reference = exclusive,
     .buffers = {IN(U32, 512), OUT(U32, 512)}},
    {.name = "scan_minimum",
     .block = {256},
     .reference = minimum,
     .buffers = {IN_RANGE(U64, 256, -1e6, 1e6), OUT(U64, 256)}},
    {.name = "scan_chained",
     .grid = {8},
     .block = {128},
     .reference = chained,
     .buffers = {IN(U32, 1024), OUT(U32, 1024), OUT(U32, 1), OUT(U32, 8), OUT(U32, 8)}},
    {.name = "scan_compact",
     .block = {256},
     .reference = compact,
     .buffers = {IN(U32, 256), OUT(U32, 256), OUT(U32, 1)}},
};

CORPUS_MODULE(scan, cases);
