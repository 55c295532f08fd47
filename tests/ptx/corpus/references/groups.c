/* SPDX-License-Identifier: MIT */
#include "corpus.h"

static void tiles(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    uint32_t *out = run->expect[1];

    for (uint32_t i = 0; i < 256; i++, out += 8) {
        const uint32_t *four = a + i / 4 * 4, *eight = a + i / 8 * 8, *warp = a + i / 32 * 32;

        out[0] = four[2] + i % 4;
        out[1] = i % 4 == 3 ? a[i] : a[i + 1];
        for (int l = 0; l < 8; l++) {
            out[2] |= eight[l] % 5 == 0;
            out[3] |= (eight[l] & 1) << l;
        }
        out[4] = eight[i % 8 ^ 3];
        for (int l = 0; l < 32; l++)
            out[5] += warp[l];
        for (int l = 0; l < 4; l++)
            out[6] = four[l] > out[6] ? four[l] : out[6];
        out[7] = i % 32 / 8 << 8 | 4;
    }
}

/* How many lanes before `end` have the same number by `divisor` as `lane`. */
static uint32_t like(const uint32_t *warp, uint32_t lane, uint32_t end, uint32_t divisor)
{
    uint32_t n = 0;

    for (uint32_t l = 0; l < end; l++)
        n += warp[l] % divisor == warp[lane] % divisor;
    return n;
}

static void coalesced(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    uint32_t *out = run->expect[1];

    for (uint32_t i = 0; i < 128; i++, out += 5) {
        const uint32_t *warp = a + i / 32 * 32, lane = i % 32;

        if (a[i] % 3 == 0) {
            uint32_t first = 0;

            while (warp[first] % 3)
                first++;
            out[0] = like(warp, lane, 32, 3);
            out[1] = like(warp, lane, lane, 3);
            out[2] = warp[first];
        }
        out[3] = like(warp, lane, 32, 4);
        out[4] = like(warp, lane, lane, 2) + like(warp, lane, 32, 2) * 100;
    }
}

static void scan(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    uint32_t *out = run->expect[1];

    for (int i = 0; i < 64; i++) {
        out[2 * i] = a[i] + (i % 16 ? out[2 * i - 2] : 0);
        out[2 * i + 1] = i % 16 ? out[2 * i - 1] ^ a[i - 1] : 0;
    }
}

static void grid(struct corpus_run *run)
{
    uint32_t *a = run->expect[0], *b = run->expect[1];
    const uint32_t n = 384;

    for (uint32_t round = 0; round < (uint32_t) run->test->values[0]; round++) {
        for (uint32_t i = 0; i < n; i++)
            b[i] = a[(i + 1) % n] * 3 + a[(i + n - 1) % n] + round;
        for (uint32_t i = 0; i < n; i++)
            a[i] = b[(i + n / 2) % n] ^ i;
    }
}

static const struct corpus_case cases[] = {
    {.name = "groups_tiles",
     .grid = {2},
     .block = {128},
     .reference = tiles,
     .buffers = {IN(U32, 256), OUT(U32, 256 * 8)}},
    {.name = "groups_coalesced",
     .grid = {2},
     .block = {64},
     .reference = coalesced,
     .buffers = {IN(U32, 128), OUT(U32, 128 * 5)}},
    {.name = "groups_scan",
     .block = {64},
     .reference = scan,
     .buffers = {IN(U32, 64), OUT(U32, 128)}},
    {.name = "groups_grid",
     .grid = {4},
     .block = {96},
     .reference = grid,
     .cooperative = true,
     .values = {5},
     .buffers = {INOUT(U32, 384), OUT(U32, 384)}},
};

CORPUS_MODULE(groups, cases);
