/* SPDX-License-Identifier: MIT */
#include "corpus.h"
#include "number.h"

static void bulk_copy(struct corpus_run *run)
{
    for (int i = 0; i < 128; i++)
        ((uint32_t *) run->expect[1])[i] = ((uint32_t *) run->in[0])[127 - i];
}

static void bulk_out(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    uint32_t *sums = run->expect[2], *bits = run->expect[4];
    int32_t *limits = run->expect[3];
    uint16_t *halves = run->expect[5];

    for (int i = 0; i < 128; i++) {
        ((uint32_t *) run->expect[1])[i] = a[i];
        sums[i] += a[i];
        limits[i] = (int32_t) a[i] < limits[i] ? (int32_t) a[i] : limits[i];
        bits[i] ^= i < 64 ? a[32 + i] : 0;
    }
    for (int i = 0; i < 256; i++)
        halves[i] = half_round(half_value(halves[i]) + (i % 2 ? 2 : 1));
}

static void bulk_cluster(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    uint32_t *out = run->expect[1], *few = run->expect[2];

    for (int block = 0; block < 4; block++) {
        const uint32_t other = (uint32_t) (1 - block % 2);
        uint32_t sum = 5;

        for (int t = 0; t < 64; t++) {
            out[block * 64 + t] = a[block / 2 * 64 + t] * 3 + other;
            sum += a[t];
        }
        few[block * 8] = sum;
        few[block * 8 + 1] = other + 70;
        few[block * 8 + 4] = other;
        for (int i = 0; i < 3; i++)
            few[block * 8 + 5 + i] = a[i];
    }
}

static const struct corpus_case cases[] = {
    {.name = "bulk_copy",
     .block = {128},
     .reference = bulk_copy,
     .buffers = {IN(U32, 128), OUT(U32, 128)}},
    {.name = "bulk_out",
     .block = {128},
     .reference = bulk_out,
     .buffers = {IN(U32, 128), OUT(U32, 128), INOUT(U32, 128), INOUT(U32, 128), INOUT(U32, 128),
                 INOUT_RANGE(F16, 256, -100, 100)}},
    {.name = "bulk_cluster",
     .grid = {4},
     .block = {64},
     .reference = bulk_cluster,
     .buffers = {IN(U32, 128), OUT(U32, 256), OUT(U32, 32)}},
};

CORPUS_MODULE(bulk, cases);
