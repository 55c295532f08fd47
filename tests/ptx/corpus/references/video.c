/* SPDX-License-Identifier: MIT */
#include "corpus.h"

#include <stdlib.h>
#include <string.h>

enum { N = 512 };

enum video { ADD, SUB, ADD_SS, ADD_US, SUB_SS, DIFF, AVG, MAX, MIN, EQ, GT, NEG };

static int32_t saturated(int64_t x)
{
    return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (int32_t) x;
}

static int64_t clamped(int64_t x, int64_t low, int64_t high)
{
    return x < low ? low : x > high ? high : x;
}

static int64_t part_result(enum video op, int64_t x, int64_t y, unsigned width)
{
    const int64_t half = 1ll << (width - 1);

    switch (op) {
    case ADD:
        return x + y;
    case SUB:
        return x - y;
    case ADD_SS:
        return clamped(x + y, -half, half - 1);
    case ADD_US:
        return clamped(x + y, 0, 2 * half - 1);
    case SUB_SS:
        return clamped(x - y, -half, half - 1);
    case DIFF:
        return llabs(x - y);
    case AVG:
        return (x + y + 1) >> 1;
    case MAX:
        return x > y ? x : y;
    case MIN:
        return x < y ? x : y;
    case EQ:
        return x == y ? -1 : 0;
    case GT:
        return x > y ? -1 : 0;
    default:
        return -x;
    }
}

static uint32_t parts(enum video op, uint32_t x, uint32_t y, unsigned width, bool sign)
{
    const uint32_t mask = (1u << width) - 1;
    uint32_t r = 0;

    for (unsigned i = 0; i < 32; i += width) {
        int64_t px = x >> i & mask, py = y >> i & mask;

        if (sign) {
            px = px >> (width - 1) ? px - (1ll << width) : px;
            py = py >> (width - 1) ? py - (1ll << width) : py;
        }
        r |= ((uint32_t) part_result(op, px, py, width) & mask) << i;
    }
    return r;
}

static uint32_t bytes_apart(uint32_t x, uint32_t y)
{
    uint32_t sum = 0;

    for (int i = 0; i < 32; i += 8)
        sum += (uint32_t) abs((int) (x >> i & 0xff) - (int) (y >> i & 0xff));
    return sum;
}

static void video(struct corpus_run *run)
{
    const uint32_t *a = run->in[0], *b = run->in[1], *c = run->in[2];
    uint32_t *out = run->expect[3];

    for (int i = 0; i < N; i++, out += 24) {
        const uint32_t x = a[i], y = b[i], z = c[i];
        const int64_t sx = (int32_t) x, sy = (int32_t) y;
        const int32_t larger = sx > (int8_t) y ? (int32_t) sx : (int8_t) y;
        const uint32_t expected[24] = {
            parts(ADD, x, y, 8, false),
            parts(SUB, x, y, 8, false),
            parts(ADD_SS, x, y, 8, true),
            parts(ADD_US, x, y, 8, false),
            parts(DIFF, x, y, 8, false),
            parts(DIFF, x, y, 8, true),
            parts(AVG, x, y, 8, false),
            parts(MAX, x, y, 8, true),
            parts(MIN, x, y, 8, false),
            parts(EQ, x, y, 8, false),
            parts(GT, x, y, 8, true),
            bytes_apart(x, y),
            parts(ADD, x, y, 16, false),
            parts(SUB_SS, x, y, 16, true),
            parts(MAX, x, y, 16, false),
            parts(NEG, x, y, 8, true),
            (x >> 8 & 0xff) + (y & 0xffff),
            (uint32_t) saturated(sx - sy),
            (uint32_t) abs((int8_t) (x >> 16) - (int8_t) (y >> 24)) + z,
            (uint32_t) (larger < (int32_t) z ? larger : (int32_t) z),
            x << (y & 31),
            (uint32_t) (sx >> (y > 32 ? 32 : y)),
            (uint32_t) ((int16_t) (x >> 16) * (int64_t) (int16_t) y + (int32_t) z),
            (int) (x >> 8 & 0xff) < (int8_t) (y >> 8),
        };

        memcpy(out, expected, sizeof(expected));
    }
}

static const struct corpus_case cases[] = {
    {.name = "video_words",
     .grid = {4},
     .block = {128},
     .reference = video,
     .buffers = {IN(U32, N), IN(U32, N), IN(U32, N), OUT(U32, N * 24)}},
};

CORPUS_MODULE(video, cases);
