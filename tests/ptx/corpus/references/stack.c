/* SPDX-License-Identifier: MIT */
#include "corpus.h"

enum { THREADS = 192 };

static void reverse(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];

    for (int t = 0; t < THREADS; t++) {
        const int n = t % 17 + 1;
        uint32_t mixed = 0;

        for (int i = 0; i < n; i++)
            mixed = mixed * 31 + a[(t + n - 1 - i) % 256];
        ((uint32_t *) run->expect[1])[t] = mixed;
    }
}

static uint32_t deeper(const uint32_t *a, int t, int depth, const uint32_t *above)
{
    const int n = (t + depth) % 5 + 1;
    uint32_t mine[5], sum;

    for (int i = 0; i < n; i++)
        mine[i] = a[(t * 3 + depth + i) % 256] + above[i % 2];
    if (!depth)
        return mine[n - 1];
    sum = deeper(a, t, depth - 1, n > 1 ? mine : above);
    for (int i = 0; i < n; i++)
        sum = sum * 5 + mine[i];
    return sum;
}

static void calls(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];

    for (int t = 0; t < THREADS; t++)
        ((uint32_t *) run->expect[1])[t] = deeper(a, t, t % 4, &a[t]);
}

static void chain(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];

    for (int t = 0; t < THREADS; t++) {
        uint32_t mixed = 1;

        for (int i = t % 7 + 1; i >= 0; i--)
            mixed = mixed * 33 + a[(t + i * i) % 256];
        ((uint32_t *) run->expect[1])[t] = mixed;
    }
}

static const struct corpus_case cases[] = {
    {.name = "stack_reverse",
     .grid = {2},
     .block = {96},
     .reference = reverse,
     .buffers = {IN(U32, 256), OUT(U32, THREADS)}},
    {.name = "stack_calls",
     .grid = {2},
     .block = {96},
     .reference = calls,
     .buffers = {IN(U32, 256), OUT(U32, THREADS)}},
    {.name = "stack_chain",
     .grid = {2},
     .block = {96},
     .reference = chain,
     .buffers = {IN(U32, 256), OUT(U32, THREADS)}},
};

CORPUS_MODULE(stack, cases);
