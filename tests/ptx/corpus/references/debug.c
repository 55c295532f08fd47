/* SPDX-License-Identifier: MIT */
#include "corpus.h"

static void scopes(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    double *out = run->expect[1];

    for (int i = 0; i < 256; i++) {
        out[i / 64 * 2] += __builtin_parity(a[i]);
        out[i / 64 * 2 + 1] += a[i] * 0.5; /* exact, so in any order */
    }
}

static const struct corpus_case cases[] = {
    {.name = "debug_scopes",
     .grid = {4},
     .block = {64},
     .reference = scopes,
     .buffers = {IN(U32, 256), OUT(F64, 8)}},
};

CORPUS_MODULE(debug, cases);
