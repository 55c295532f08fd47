/* SPDX-License-Identifier: MIT */
#include "corpus.h"

enum { N = 256 };

static void hints(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    uint32_t *out = run->expect[1];

    for (int i = 0; i < N; i++)
        out[i] = a[i] - a[N - 1 - i] + a[i] * a[N - 1 - i];
}

static const struct corpus_case cases[] = {
    {.name = "hints_caches",
     .grid = {4},
     .block = {64},
     .reference = hints,
     .values = {N},
     .buffers = {IN(U32, N), OUT(U32, N)}},
};

CORPUS_MODULE(hints, cases);
