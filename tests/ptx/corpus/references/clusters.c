/* SPDX-License-Identifier: MIT */
#include "corpus.h"

static void look(struct corpus_run *run, uint32_t size, uint32_t specified)
{
    const uint32_t *a = run->in[0], blocks = run->test->grid[0];
    uint32_t *out = run->expect[1];

    for (uint32_t i = 0; i < 32 * blocks; i++, out += 8) {
        const uint32_t t = i % 32, block = i / 32, rank = block % size, next = (rank + 1) % size;

        out[0] = a[32 * (block - rank + next) + 31 - t];
        out[1] = size | rank << 8 | 32 * size << 16;
        out[2] = (32 * rank + t) | size << 8 | rank << 16;
        out[3] = rank;
        out[4] = next;
        out[5] = specified;
        out[6] = block / size | blocks / size << 8;
        out[7] = 1 | (next == rank) << 1;
    }
}

static void alone(struct corpus_run *run)
{
    look(run, 1, 0);
}

static void of_four(struct corpus_run *run)
{
    look(run, 4, 1);
}

static void of_one(struct corpus_run *run)
{
    look(run, 1, 1);
}

#define CASE(title, function, blocks)                                                              \
    {                                                                                              \
        .name = title, .grid = {blocks}, .block = {32}, .reference = function, .buffers = {        \
            IN(U32, 32 * (blocks)),                                                                \
            OUT(U32, 256 * (blocks))                                                               \
        }                                                                                          \
    }

static const struct corpus_case cases[] = {
    CASE("clusters_alone", alone, 3),
    CASE("clusters_of_four", of_four, 8),
    CASE("clusters_of_one", of_one, 3),
};

CORPUS_MODULE(clusters, cases);
