/* SPDX-License-Identifier: MIT */
#include "corpus.h"

#include <string.h>

static void atomic(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    uint32_t *out = run->expect[1];
    uint64_t *product = run->expect[2];

    for (uint32_t i = 0; i < 256; i++) {
        out[0] += a[i];
        out[1] = a[i] > out[1] ? a[i] : out[1];
        out[2] ^= a[i];
        *product *= 2 * i + 1;
    }
}

static void barrier(struct corpus_run *run)
{
    uint32_t *out = run->expect[1], part[2][128];

    memcpy(part[0], run->in[0], sizeof(part[0]));
    for (int round = 0; round < 5; round++) {
        const uint32_t *from = part[round & 1];

        for (int t = 0; t < 128; t++) {
            part[1 - (round & 1)][t] = from[(t + 1) % 128] * 3 + from[t];
            out[t] += from[(t + round) % 128];
        }
    }
    for (int t = 0; t < 128; t++)
        out[t] += part[1][t];
}

static void complex(struct corpus_run *run)
{
    static const double factors[] = {0.5, -1, 0.25, 2};
    const double *a = run->in[0];
    double *out = run->expect[1];

    for (int i = 0; i < 64; i++, a += 2, out += 2)
        for (int k = 0; k < 4; k++) {
            const double re = out[0] * a[0] - out[1] * a[1];

            out[1] = out[0] * a[1] + out[1] * a[0];
            out[0] = re + factors[k];
        }
}

static void rows(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    uint32_t *out = run->expect[1];

    for (int i = 0; i < 256; i++) {
        out[i] = a[i] * 7 + a[256 + 255 - i];
        out[256 + i] = a[512 + (i ^ 1)];
    }
}

static void pipeline(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];

    for (int t = 0; t < 64; t++) {
        uint32_t sum = 0;

        for (int tile = 0; tile < 12; tile++)
            sum = sum * 3 + a[tile * 64 + 63 - t];
        ((uint32_t *) run->expect[1])[t] = sum;
    }
}

static const struct corpus_case cases[] = {
    {.name = "libcu_atomic",
     .grid = {4},
     .block = {64},
     .reference = atomic,
     .buffers = {IN(U32, 256), OUT(U32, 3), INOUT_RANGE(U64, 1, 1, 1)}},
    {.name = "libcu_barrier",
     .block = {128},
     .reference = barrier,
     .buffers = {IN(U32, 128), OUT(U32, 128)}},
    {.name = "libcu_complex",
     .block = {64},
     .reference = complex,
     .buffers = {IN_RANGE(F64, 128, -2, 2), OUT(F64, 128)}},
    {.name = "libcu_rows",
     .block = {64},
     .reference = rows,
     .buffers = {IN(U32, 768), OUT(U32, 512)}},
    {.name = "libcu_pipeline",
     .block = {64},
     .reference = pipeline,
     .buffers = {IN(U32, 768), OUT(U32, 64)}},
};

CORPUS_MODULE(libcu, cases);
