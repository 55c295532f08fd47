/* SPDX-License-Identifier: MIT */
#include "corpus.h"
#include "number.h"

/* 256 threads: sums that are exact on the way, in any order. */
static void atomic(struct corpus_run *run)
{
    uint16_t *half = run->expect[0], *bfloat = run->expect[1], *single = run->expect[2];

    half[0] = half_round(256);
    half[1] = half_round(-256);
    bfloat[0] = bfloat_round(-256);
    bfloat[1] = bfloat_round(64);
    single[0] = half_round(128);
}

static const struct corpus_case cases[] = {
    {.name = "pairs_atomic",
     .grid = {4},
     .block = {64},
     .reference = atomic,
     .buffers = {OUT(F16, 2), OUT(BF16, 2), OUT(F16, 2)}},
};

CORPUS_MODULE(pairs, cases);
