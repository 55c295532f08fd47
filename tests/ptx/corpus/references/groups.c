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

/* What a tile of this size makes of the numbers from `a` on, for its thread `rank`. */
static void large_tile(const uint32_t *a, uint32_t rank, uint32_t size, uint32_t tile,
                       uint32_t *out)
{
    out[0] = rank | tile << 16 | size << 20;
    out[1] = a[size - 3];
    out[2] = 2;
    out[7] = 256 / size;
    for (uint32_t i = 0; i < size; i++) {
        out[2] |= a[i] % 61 == 0;
        out[2] &= a[i] % 61 == 1 ? 1u : 3u;
        out[3] += a[i];
        out[4] ^= a[i];
        if (i <= rank)
            out[5] += a[i];
        if (i < rank)
            out[6] = a[i] > out[6] ? a[i] : out[6];
    }
}

static void large_tiles(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    uint32_t *out = run->expect[1];

    for (uint32_t i = 0; i < 512; i++)
        for (uint32_t size = 64; size <= 256; size *= 2, out += 8)
            large_tile(a + i / size * size, i % size, size, i % 256 / size, out);
}

/* Of the lanes up to this one, those that are as divisible by 3: their sum, without its own. */
static uint32_t sum_of_alike(const uint32_t *warp, uint32_t lane)
{
    uint32_t sum = 0;

    for (uint32_t l = 0; l < lane; l++)
        sum += !(warp[l] % 3) == !(warp[lane] % 3) ? warp[l] : 0;
    return sum;
}

static void others(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    uint32_t *out = run->expect[1];

    for (uint32_t i = 0; i < 128; i++, out += 8) {
        const uint32_t *warp = a + i / 32 * 32;

        out[0] = a[i / 64 * 64 + 63 - i % 64];
        out[1] = i % 8 | 8 << 8;
        out[2] = 7;
        out[4] = ~0u ^ 1 << 8;
        out[5] = i / 64 | 64 << 8;
        out[6] = warp[0];
        for (uint32_t l = 0; l < 32; l++) {
            out[3] |= (uint32_t) (warp[l] % 5 == a[i] % 5) << l;
            out[6] = warp[l] < out[6] ? warp[l] : out[6];
        }
        out[7] = sum_of_alike(warp, i % 32) + (a[i] % 3 ? a[i] : 0);
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
    {.name = "groups_large_tiles",
     .grid = {2},
     .block = {256},
     .reference = large_tiles,
     .buffers = {IN(U32, 512), OUT(U32, 512 * 24)}},
    {.name = "groups_others",
     .grid = {2},
     .block = {64},
     .reference = others,
     .buffers = {IN(U32, 128), OUT(U32, 128 * 8)}},
    {.name = "groups_grid",
     .grid = {4},
     .block = {96},
     .reference = grid,
     .cooperative = true,
     .values = {5},
     .buffers = {INOUT(U32, 384), OUT(U32, 384)}},
};

CORPUS_MODULE(groups, cases);
