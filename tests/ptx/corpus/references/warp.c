/* SPDX-License-Identifier: MIT */
#include "corpus.h"
#include "number.h"

enum { N = 512 };

/* The lane that a shuffle reads, in segments of `width`; its own where the place is outside. */
static int up(int lane, int delta, int width)
{
    return lane % width - delta < 0 ? lane : lane - delta;
}

static int down(int lane, int delta, int width)
{
    return lane % width + delta >= width ? lane : lane + delta;
}

static int across(int lane, int mask, int width)
{
    const int to = lane ^ mask;

    return to / width > lane / width ? lane : to;
}

static void shuffle(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    const float *b = run->in[1];
    const double *c = run->in[2];
    uint32_t *out = run->expect[3];
    double *wide = run->expect[4];

    for (int i = 0; i < N; i++, out += 12, wide += 2) {
        const int lane = i % 32;
        const uint32_t *x = a + (i - lane);

        out[0] = x[5];
        out[1] = x[lane * 7 % 32];
        out[2] = x[lane / 8 * 8 + (lane + 3) % 8];
        out[3] = x[up(lane, 1, 32)];
        out[4] = x[up(lane, 3, 16)];
        out[5] = x[down(lane, 2, 32)];
        out[6] = x[down(lane, 5, 8)];
        out[7] = x[lane ^ 9];
        out[8] = x[across(lane, 17, 16)];
        out[9] = bits_of(b[i ^ 1]);
        out[10] = x[lane < 16 ? 15 - lane : 47 - lane];
        out[11] = lane % 3 ? 0 : x[9];
        wide[0] = c[i - lane + down(lane, 4, 32)];
        wide[1] = (double) ((int64_t) x[up(lane, 7, 32)] << 20);
    }
}

static uint32_t lanes_like(const uint32_t *x, uint32_t mask, uint32_t value)
{
    uint32_t lanes = 0;

    for (int l = 0; l < 32; l++)
        lanes |= (uint32_t) ((x[l] & mask) == value) << l;
    return lanes;
}

static void vote(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    uint32_t *out = run->expect[1];

    for (int i = 0; i < N; i++, out += 12) {
        const int lane = i % 32;
        const uint32_t *x = a + (i - lane), top = lanes_like(x, 1u << 31, 1u << 31);
        uint32_t above = 0, large = 0, some = 0;

        for (int l = 0; l < 32; l++) {
            above += x[l] > 2;
            some |= x[l] > 0xf0000000;
            large += x[l] > 100;
        }
        out[0] = above == 32;
        out[1] = some;
        out[2] = lanes_like(x, 1, 1);
        out[3] = lanes_like(x, 3, x[lane] & 3);
        out[4] = top == 0 || top == ~0u ? ~0u : 0;
        out[5] = top == 0 || top == ~0u;
        out[6] = x[lane] & 1 ? 1 : lane % 2 ? 2 : 0;
        out[7] = lane < 20 ? lanes_like(x, 2, 2) & 0xfffff : 7;
        out[8] = (1u << lane) - 1;
        out[9] = ~out[8];
        out[10] = large == 32 || large == 0;
        out[11] = lanes_like(x, 1, x[lane] & 1);
    }
}

static void fold(const uint32_t *x, int lane, uint32_t *out)
{
    uint32_t odd_sum = 0, even_max = 0;

    for (int l = 0; l < 32; l++) {
        out[0] += x[l];
        out[1] = x[l] < out[1] ? x[l] : out[1];
        out[2] = x[l] > out[2] ? x[l] : out[2];
        out[3] &= x[l] | 0xff;
        out[4] |= x[l] & 0xff00;
        out[5] ^= x[l];
        out[6] = (int32_t) x[l] < (int32_t) out[6] ? x[l] : out[6];
        out[7] = (int32_t) x[l] > (int32_t) out[7] ? x[l] : out[7];
        odd_sum += l & 1 ? x[l] : 0;
        even_max = !(l & 1) && x[l] > even_max ? x[l] : even_max;
    }
    out[8] = lane & 1 ? odd_sum : even_max;
    out[9] = lane < 4 ? 4 : 0;
}

static void reduce(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    uint32_t *out = run->expect[1];

    for (int i = 0; i < N; i++, out += 10) {
        const uint32_t *x = a + i / 32 * 32, none[10] = {0, x[0], x[0], ~0u, 0, 0, x[0], x[0]};

        memcpy(out, none, sizeof(none));
        fold(x, i % 32, out);
    }
}

static void quarters(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    uint32_t *out = run->expect[1];

    for (int i = 0; i < N; i++, out += 7) {
        const int lane = i % 32;
        const uint32_t *x = a + (i - lane), quarter = 0xffu << (lane & 24);

        out[0] = lanes_like(x, 1, 1) & quarter;
        out[2] = 1;
        out[3] = lanes_like(x, 1, x[lane] & 1) & quarter;
        for (int l = lane & 24; l < (lane & 24) + 8; l++) {
            out[1] |= x[l] % 3 == 0;
            out[2] &= x[l] > 1;
            out[4] += x[l];
            out[5] = x[l] > out[5] ? x[l] : out[5];
        }
        out[6] = x[(lane & 24) + 3];
    }
}

static const struct corpus_case cases[] = {
    {.name = "warp_shuffle",
     .grid = {4},
     .block = {128},
     .reference = shuffle,
     .buffers = {IN(U32, N), IN_RANGE(F32, N, -1, 1), IN_RANGE(F64, N, -1, 1), OUT(U32, N * 12),
                 OUT(F64, N * 2)}},
    {.name = "warp_vote",
     .grid = {4},
     .block = {128},
     .reference = vote,
     .buffers = {IN(U32, N), OUT(U32, N * 12)}},
    {.name = "warp_reduce",
     .grid = {4},
     .block = {128},
     .reference = reduce,
     .buffers = {IN(U32, N), OUT(U32, N * 10)}},
    {.name = "warp_quarters",
     .grid = {4},
     .block = {128},
     .reference = quarters,
     .buffers = {IN(U32, N), OUT(U32, N * 7)}},
};

CORPUS_MODULE(warp, cases);
