/* SPDX-License-Identifier: MIT */
#include "corpus.h"

static void shared(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    uint32_t *out = run->expect[1];

    for (uint32_t i = 0; i < 512; i++) {
        const uint32_t block = i / 64, next = block / 4 * 4 + (block + 1) % 4;

        out[2 * i] = a[next * 64 + 63 - i % 64] * 3;
        out[2 * i + 1] = a[i] * 3 + 1;
    }
}

static const struct corpus_case cases[] = {
    {.name = "cluster_shared",
     .grid = {8},
     .block = {64},
     .reference = shared,
     .buffers = {IN(U32, 512), OUT(U32, 1024)}},
};

CORPUS_MODULE(cluster, cases);
