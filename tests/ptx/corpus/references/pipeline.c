/* SPDX-License-Identifier: MIT */
#include "corpus.h"

#include <math.h>

static void product(struct corpus_run *run)
{
    const int n = run->test->values[0];
    const float *a = run->in[0], *b = run->in[1];
    float *c = run->expect[2];

    for (int i = 0; i < n * n; i++)
        for (int k = 0; k < n; k++)
            c[i] = fmaf(a[i / n * n + k], b[k * n + i % n], c[i]);
}

static void copies(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    uint32_t *out = run->expect[1], part[256];

    for (int t = 0; t < 64; t++) {
        part[t] = a[t];
        part[64 + 2 * t] = a[64 + 2 * t];
        part[65 + 2 * t] = t % 3 == 0 ? 0 : a[65 + 2 * t];
        part[192 + t] = a[63 - t];
    }
    for (int i = 0; i < 256; i++)
        out[i] = part[255 - i];
}

static const struct corpus_case cases[] = {
    {.name = "pipeline_product",
     .grid = {4, 4},
     .block = {16, 16},
     .reference = product,
     .values = {64},
     .buffers = {IN_RANGE(F32, 4096, -1, 1), IN_RANGE(F32, 4096, -1, 1), OUT(F32, 4096)}},
    {.name = "pipeline_copies",
     .block = {64},
     .reference = copies,
     .buffers = {IN(U32, 256), OUT(U32, 256)},
     .values = {256}},
};

CORPUS_MODULE(pipeline, cases);
