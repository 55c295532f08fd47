/* SPDX-License-Identifier: MIT */
#include "corpus.h"
#include "number.h"

enum { N = 512 };

static int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static int32_t most(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static void u32(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    uint32_t *to = run->expect[1];

    for (int i = 0; i < N; i++) {
        const uint32_t x = a[i];

        to[0] += x;
        to[1] -= x;
        to[2] = to[2] < x ? to[2] : x;
        to[3] = to[3] > x ? to[3] : x;
        to[4] &= x | 0xff;
        to[5] |= x & 0xff00ff;
        to[6] ^= x;
        to[7] = to[7] >= 99 ? 0 : to[7] + 1;
        to[8] = to[8] == 0 || to[8] > 77 ? 77 : to[8] - 1;
        to[9] = (uint32_t) least((int32_t) to[9], (int32_t) x);
        to[10] = (uint32_t) most((int32_t) to[10], (int32_t) x);
        to[11] += (uint32_t) ((int32_t) x >> 3);
    }
}

static void u64(struct corpus_run *run)
{
    const uint64_t *a = run->in[0];
    uint64_t *to = run->expect[1], near = 0;

    for (int i = 0; i < N; i++) {
        const uint64_t x = a[i];

        to[0] += x;
        to[1] = to[1] < x ? to[1] : x;
        to[2] = to[2] > x ? to[2] : x;
        to[3] &= x | 0xffff;
        to[4] |= x & 0xff00ff00ff;
        to[5] ^= x;
        to[6] = (int64_t) to[6] < (int64_t) x ? to[6] : x;
        to[7] = (int64_t) to[7] > (int64_t) x ? to[7] : x;
        to[8] += x;
        near ^= x;
        if (i % 128 == 127) {
            to[9] += near;
            near = 0;
        }
    }
}

static void floats(struct corpus_run *run)
{
    const float *a = run->in[0];
    float *out = run->expect[1];
    double *wide = run->expect[2];

    for (int i = 0; i < N; i++) {
        const float x = truncf(a[i]);

        out[0] += x;
        out[1] += x;
        wide[0] += (double) x * 0.5;
        wide[1] += (double) x * 0.25;
    }
    out[2] = 42;
}

static void cas(struct corpus_run *run)
{
    const float *a = run->in[0];
    uint32_t *out = run->expect[1];
    uint64_t *wide = run->expect[2];
    uint16_t *small = run->expect[3];

    for (unsigned i = 0; i < N; i++) {
        if (a[i] > float_of(out[0]))
            out[0] = bits_of(a[i]);
        out[1] *= 2 * i + 1;
        wide[0] *= 2 * i + 3;
        small[0] += 3;
    }
}

static void ticket(struct corpus_run *run)
{
    uint32_t *counters = run->expect[0], *taken = run->expect[1];

    counters[0] = N;
    counters[1] = 2 * N;
    for (int block = 0; block < 4; block++)
        counters[2 + block] = 3 * 128;
    counters[6] = 5;
    counters[7] = 7 * N;
    counters[8] = 7 * (N - 1);
    for (int i = 0; i < N / 32; i++)
        taken[i] = ~0u;
}

static void lock(struct corpus_run *run)
{
    uint32_t *out = run->expect[1];

    out[0] = 96;
    out[1] = 95 * 96 / 2;
}

#define ZEROED(type, count) OUT(type, count)

static const struct corpus_case cases[] = {
    {.name = "atomics_u32_global",
     .grid = {4},
     .block = {128},
     .reference = u32,
     .buffers = {IN(U32, N), INOUT_RANGE(U32, 12, 0, 60)}},
    {.name = "atomics_u32_shared",
     .grid = {1},
     .block = {128},
     .reference = u32,
     .buffers = {IN(U32, N), INOUT_RANGE(U32, 12, 0, 60)}},
    {.name = "atomics_u64",
     .grid = {4},
     .block = {128},
     .reference = u64,
     .buffers = {IN(U64, N), INOUT_RANGE(U64, 10, 0, 60)}},
    {.name = "atomics_float",
     .grid = {4},
     .block = {128},
     .reference = floats,
     .buffers = {IN_RANGE(F32, N, -999, 999), ZEROED(F32, 3), ZEROED(F64, 2)}},
    {.name = "atomics_cas",
     .grid = {4},
     .block = {128},
     .reference = cas,
     .buffers = {IN_RANGE(F32, N, 0, 999), INOUT_RANGE(U32, 2, 1, 1), INOUT_RANGE(U64, 1, 1, 1),
                 ZEROED(U16, 2)}},
    {.name = "atomics_ticket",
     .grid = {4},
     .block = {128},
     .reference = ticket,
     .buffers = {ZEROED(U32, 9), ZEROED(U32, N / 32)}},
    {.name = "atomics_lock",
     .grid = {1},
     .block = {96},
     .reference = lock,
     .buffers = {ZEROED(U32, 1), ZEROED(U32, 2)}},
};

CORPUS_MODULE(atomics, cases);
