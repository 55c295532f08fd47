/* SPDX-License-Identifier: MIT */
#include "corpus.h"

enum { N = 256 };

static void message(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    uint32_t *data = run->expect[1], *out = run->expect[3];

    for (uint32_t i = 0; i < N; i++) {
        data[i % 64] = a[i % 64] * 7;
        out[i] = data[i % 64] + i / 64;
    }
    *(uint32_t *) run->expect[2] = 1;
}

static void fences(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    uint32_t *out = run->expect[1];

    for (int i = 0; i < N; i++)
        out[i] = ((a[i] + 1) * 3 ^ 5) + 9;
}

static const struct corpus_case cases[] = {
    {.name = "order_message",
     .grid = {4},
     .block = {64},
     .reference = message,
     .buffers = {IN(U32, 64), OUT(U32, 64), OUT(U32, 1), OUT(U32, N)}},
    {.name = "order_fences",
     .grid = {4},
     .block = {64},
     .reference = fences,
     .buffers = {IN(U32, N), OUT(U32, N)}},
};

CORPUS_MODULE(order, cases);
