/* SPDX-License-Identifier: MIT */
#include "corpus.h"

enum { N = 128 };

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;

static void put(uint64_t *out, u128 value)
{
    out[0] = (uint64_t) value;
    out[1] = (uint64_t) (value >> 64);
}

static u128 rotated(u128 x, unsigned by)
{
    return x << (by & 127) | x >> (-by & 127);
}

static unsigned relations(u128 x, u128 y, u128 z)
{
    const s128 sx = (s128) x, sz = (s128) z;

    return (x < y) + 2u * (x <= y) + 4u * (x == y) + 8u * (sx < sz) + 16u * (sx >= sz) + 32u * !x;
}

static void divide(uint64_t *out, u128 x, u128 z)
{
    put(out, x / z);
    put(out + 2, x % z);
    put(out + 4, (u128) ((s128) x / (s128) z));
    put(out + 6, (u128) ((s128) x % (s128) z));
}

static void arithmetic(struct corpus_run *run)
{
    const uint64_t *a = run->in[0], *b = run->in[1];
    uint64_t *out = run->expect[2];

    for (int i = 0; i < N; i++, out += 32) {
        const int k = i ^ 1;
        const u128 x = (u128) a[i] << 64 | b[i], y = (u128) b[k] << 64 | a[k], z = y | 1;

        put(out, x * y - z);
        divide(out + 2, x, z);
        put(out + 10, -x);
        put(out + 12, (u128) ((s128) x >> (a[i] & 127)));
        put(out + 14, rotated(x, (unsigned) a[i]));
        put(out + 16, x / 10);
        put(out + 18, x % 1000000007);
        put(out + 20, (u128) ((s128) x / 7));
        put(out + 22, x / (a[k] | 1));
        put(out + 24, (x & ~y) ^ (z | y));
        out[26] = relations(x, y, z);
        out[27] = (uint64_t) ((s128) (int64_t) a[i] * (int64_t) b[i] >> 64);
        put(out + 28, (u128) (s128) (int32_t) a[i] + (u128) (int8_t) b[i]);
        put(out + 30, x > y ? x - y : y - x);
    }
}

static void floats(struct corpus_run *run)
{
    const uint64_t *a = run->in[0], *b = run->in[1];
    double *out = run->expect[2];
    float *narrow = run->expect[3];

    for (int i = 0; i < N; i++) {
        const u128 x = ((u128) a[i] << 64 | b[i]) >> (i * 3 & 127);

        out[2 * i] = (double) x;
        out[2 * i + 1] = (double) (s128) x;
        narrow[2 * i] = (float) x;
        narrow[2 * i + 1] = (float) (s128) x;
    }
}

static void of_floats(struct corpus_run *run)
{
    const double *a = run->in[0];
    uint64_t *out = run->expect[1];

    for (int i = 0; i < N; i++, out += 6) {
        put(out, (u128) a[i]);
        put(out + 2, (u128) (s128) -a[i]);
        put(out + 4, (u128) (float) a[i]);
    }
}

static void digits(struct corpus_run *run)
{
    const uint64_t *a = run->in[0], *b = run->in[1];
    uint64_t *out = run->expect[2];
    uint8_t *text = run->expect[3];

    for (int i = 0; i < N; i++) {
        const uint64_t modulus = b[i] | 3;
        u128 power = a[i] % modulus, result = 1, rest = (u128) a[i] * b[i];

        for (uint64_t bits = a[i] >> 40; bits; bits >>= 1) {
            if (bits & 1)
                result = result * power % modulus;
            power = power * power % modulus;
        }
        out[i] = (uint64_t) result;
        for (int d = 39; d >= 0; d--, rest /= 10)
            text[40 * i + d] = (uint8_t) ('0' + (unsigned) (rest % 10));
    }
}

#define CASE(title, function, ...)                                                                 \
    {                                                                                              \
        .name = title, .grid = {4}, .block = {32}, .reference = function, .buffers = {             \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

static const struct corpus_case cases[] = {
    CASE("int128_arithmetic", arithmetic, IN(U64, N), IN(U64, N), OUT(U64, 32 * N)),
    CASE("int128_floats", floats, IN(U64, N), IN(U64, N), OUT(F64, 2 * N), OUT(F32, 2 * N)),
    CASE("int128_of_floats", of_floats, IN_RANGE(F64, N, 0, 1e38), OUT(U64, 6 * N)),
    CASE("int128_digits", digits, IN(U64, N), IN(U64, N), OUT(U64, N), OUT(U8, 40 * N)),
};

CORPUS_MODULE(int128, cases);
