/* SPDX-License-Identifier: MIT */
/* The instructions of these kernels as the PTX document defines them, bit by bit. */
#include "corpus.h"

#include <stdlib.h>
#include <string.h>

enum { N = 512 };

static uint32_t reversed(uint32_t x)
{
    uint32_t r = 0;

    for (int i = 0; i < 32; i++)
        r |= (x >> i & 1) << (31 - i);
    return r;
}

static int32_t low24(uint32_t x)
{
    return (int32_t) (x << 8) >> 8;
}

static uint32_t byte_of(uint32_t x, uint32_t y, uint32_t selector)
{
    const uint64_t both = (uint64_t) y << 32 | x;
    const uint8_t byte = (uint8_t) (both >> (8 * (selector & 7)));

    return selector & 8 ? (byte & 0x80 ? 0xff : 0) : byte;
}

static uint32_t permuted(uint32_t x, uint32_t y, uint32_t selectors)
{
    uint32_t r = 0;

    for (int i = 0; i < 4; i++)
        r |= byte_of(x, y, selectors >> (4 * i)) << (8 * i);
    return r;
}

static uint32_t nth_set(uint32_t mask, int base, int offset)
{
    int left = abs(offset) - 1;

    if (offset == 0)
        return mask >> base & 1 ? (uint32_t) base : ~0u;
    for (int i = base; i >= 0 && i<32; i += offset> 0 ? 1 : -1)
        if (mask >> i & 1 && left-- == 0)
            return (uint32_t) i;
    return ~0u;
}

static int32_t dot4(uint32_t x, uint32_t y, int32_t sum, bool is_signed)
{
    for (int i = 0; i < 32; i += 8)
        sum += is_signed ? (int8_t) (x >> i) * (int8_t) (y >> i)
                         : (uint8_t) (x >> i) * (uint8_t) (y >> i);
    return sum;
}

static void intrinsics(struct corpus_run *run)
{
    const uint32_t *a = run->in[0], *b = run->in[1], *c = run->in[2];
    uint32_t *out = run->expect[3];

    for (int i = 0; i < N; i++, out += 22) {
        const uint32_t x = a[i], y = b[i], z = c[i], sat = z > 32 ? 32 : z;
        const int64_t sx = (int32_t) x, sy = (int32_t) y;
        const uint64_t yx = (uint64_t) y << 32 | x;
        const uint32_t expected[22] = {
            (uint32_t) __builtin_popcount(x),
            x ? (uint32_t) __builtin_clz(x) : 32,
            (uint32_t) __builtin_ffs((int) x),
            reversed(x),
            permuted(x, y, z & 0x7777),
            (uint32_t) (yx << (z & 31) >> 32),
            (uint32_t) (yx >> (z & 31)),
            sat == 32 ? x : (uint32_t) (yx << sat >> 32),
            (uint32_t) (yx >> sat),
            (uint32_t) llabs(sx - sy) + z,
            (x > y ? x - y : y - x) + z,
            (uint32_t) low24(x) * (uint32_t) low24(y),
            (x & 0xffffff) * (y & 0xffffff),
            (uint32_t) ((sx + sy) >> 1),
            (uint32_t) ((sx + sy + 1) >> 1),
            (uint32_t) (((uint64_t) x + y) >> 1),
            (uint32_t) (((uint64_t) x + y + 1) >> 1),
            nth_set(x, y & 31, (int) (z % 9) - 4),
            (uint32_t) dot4(x, y, (int32_t) z, true),
            (uint32_t) dot4(x, y, (int32_t) z, false),
            (uint32_t) (int16_t) x * (uint32_t) (int8_t) y +
                (uint32_t) (int16_t) (x >> 16) * (uint32_t) (int8_t) (y >> 8) + z,
            (x & 0xffff) * (y >> 16 & 0xff) + (x >> 16) * (y >> 24) + z,
        };

        memcpy(out, expected, sizeof(expected));
    }
}

/* The document says that the low 8 bits count; in 64 bits devices look at all of them. */
static uint64_t field(uint32_t x, unsigned width)
{
    return width == 64 ? x : x & 0xff;
}

static uint64_t extract(uint64_t x, uint32_t from, uint32_t bits, unsigned width, bool sign)
{
    const uint64_t position = field(from, width), length = field(bits, width);
    uint64_t r = 0, fill = 0;

    if (sign && length)
        fill = x >> (position + length < width ? position + length - 1 : width - 1) & 1;
    for (unsigned i = 0; i < width; i++)
        r |= (i < length && position + i < width ? x >> (position + i) & 1 : fill) << i;
    return r;
}

static uint64_t insert(uint64_t x, uint64_t into, uint32_t from, uint32_t bits, unsigned width)
{
    const uint64_t position = field(from, width), length = field(bits, width);

    for (unsigned i = 0; i < length && position + i < width; i++)
        into = (into & ~(1ull << (position + i))) | (x >> i & 1) << (position + i);
    return into;
}

static uint32_t find(uint64_t x, unsigned width, bool sign)
{
    if (sign && x >> (width - 1) & 1)
        x = ~x & (width == 64 ? ~0ull : 0xffffffff);
    return x ? 63 - (uint32_t) __builtin_clzll(x) : ~0u;
}

static void bits_64(struct corpus_run *run)
{
    const uint64_t *a = run->in[0], *b = run->in[1];
    uint64_t *out = run->expect[2];

    for (int i = 0; i < N; i++, out += 8) {
        const uint64_t x = a[i], y = b[i];

        out[0] = (uint64_t) __builtin_popcountll(x);
        out[1] = x ? (uint64_t) __builtin_clzll(x) : 64;
        out[2] = (uint64_t) __builtin_ffsll((long long) x);
        out[3] = (uint64_t) reversed((uint32_t) x) << 32 | reversed((uint32_t) (x >> 32));
        out[4] = extract(x, (uint32_t) y, (uint32_t) (y >> 8), 64, false);
        out[5] = extract(x, (uint32_t) y, (uint32_t) (y >> 8), 64, true);
        out[6] = insert(x, y, (uint32_t) y, (uint32_t) (x >> 8), 64);
        out[7] = find(x, 64, true);
    }
}

/* A byte chosen by each of the four selectors, for the permutations that have a name. */
static uint32_t named(uint32_t x, uint32_t y, uint32_t z, const uint16_t *selectors)
{
    return permuted(x, y, selectors[z & 3]);
}

static uint32_t mask_of(uint32_t start, uint32_t width, bool clamp)
{
    const uint64_t from = clamp && start > 31 ? 32 : start & 31;
    const uint64_t many = clamp && width > 31 ? 32 : width & 31;

    return (uint32_t) (((1ull << many) - 1) << from);
}

static uint32_t extended(uint32_t x, uint32_t width, bool clamp, bool sign)
{
    if (clamp && width > 31)
        return x;
    width &= 31;
    return (uint32_t) (width ? extract(x, 0, width, 32, sign) : 0);
}

static int32_t saturated(int64_t x)
{
    return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (int32_t) x;
}

static void instructions(struct corpus_run *run)
{
    static const uint16_t f4e[] = {0x3210, 0x4321, 0x5432, 0x6543};
    static const uint16_t b4e[] = {0x5670, 0x6701, 0x7012, 0x0123};
    static const uint16_t rc8[] = {0x0000, 0x1111, 0x2222, 0x3333};
    static const uint16_t ecl[] = {0x3210, 0x3211, 0x3222, 0x3333};
    static const uint16_t ecr[] = {0x0000, 0x1110, 0x2210, 0x3210};
    static const uint16_t rc16[] = {0x1010, 0x3232, 0x1010, 0x3232};
    const uint32_t *a = run->in[0], *b = run->in[1], *c = run->in[2];
    uint32_t *out = run->expect[3];

    for (int i = 0; i < N; i++, out += 24) {
        const uint32_t x = a[i], y = b[i], z = c[i];
        const int64_t sx = (int32_t) x, sy = (int32_t) y;
        const uint32_t expected[24] = {
            (uint32_t) extract(x, y, z, 32, false),
            (uint32_t) extract(x, y, z, 32, true),
            (uint32_t) insert(x, y, z, x >> 16, 32),
            find(x, 32, false),
            find(x, 32, true),
            find(x, 32, false) == ~0u ? ~0u : 31 - find(x, 32, false),
            named(x, y, z, f4e),
            named(x, y, z, b4e),
            named(x, y, z, rc8),
            named(x, y, z, ecl),
            named(x, y, z, ecr),
            named(x, y, z, rc16),
            (x & y) | (~x & z),
            (~x & ~y) | (~x & ~z) | (~y & ~z),
            x == 0,
            mask_of(x, y, true),
            mask_of(x, y, false),
            extended(x, y, true, false),
            extended(x, y, false, true),
            (uint32_t) low24(x) * (uint32_t) low24(y) + z,
            (uint32_t) ((uint64_t) (x & 0xffffff) * (y & 0xffffff) >> 16) + z,
            (uint32_t) saturated(sx + sy),
            (uint32_t) saturated(sx - sy),
            (int32_t) z >= 0 ? x : y,
        };

        memcpy(out, expected, sizeof(expected));
    }
}

__extension__ typedef unsigned __int128 uint128;

static uint128 join(const uint32_t *words)
{
    return (uint128) words[3] << 96 | (uint128) words[2] << 64 | (uint64_t) words[1] << 32 |
           words[0];
}

static void carry(struct corpus_run *run)
{
    const uint32_t *a = run->in[0], *b = run->in[1];
    uint32_t *out = run->expect[2];

    for (int i = 0; i < N / 4; i++, a += 4, b += 4, out += 12) {
        const uint128 results[] = {join(a) + join(b), join(a) - join(b),
                                   (uint128) (uint64_t) join(a) * (uint64_t) join(b)};

        for (int j = 0; j < 12; j++)
            out[j] = (uint32_t) (results[j / 4] >> (32 * (j % 4)));
    }
}

#define THREE(title, function, per)                                                                \
    {                                                                                              \
        .name = title, .grid = {4}, .block = {128}, .reference = function, .buffers = {            \
            IN(U32, N),                                                                            \
            IN(U32, N),                                                                            \
            IN(U32, N),                                                                            \
            OUT(U32, N * (per))                                                                    \
        }                                                                                          \
    }

static const struct corpus_case cases[] = {
    THREE("bits_intrinsics", intrinsics, 22),
    {.name = "bits_64",
     .grid = {4},
     .block = {128},
     .reference = bits_64,
     .buffers = {IN(U64, N), IN(U64, N), OUT(U64, N * 8)}},
    THREE("bits_instructions", instructions, 24),
    {.name = "bits_carry",
     .grid = {1},
     .block = {128},
     .reference = carry,
     .buffers = {IN(U32, N), IN(U32, N), OUT(U32, N * 3)}},
};

CORPUS_MODULE(bits, cases);
