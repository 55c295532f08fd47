/* SPDX-License-Identifier: MIT */
#include "corpus.h"
#include "integer_ops.h"

/* The least number by -1 overflows, in C; on the device it is itself, and nothing remains. */
#define QUOTIENT(T, a, b)                                                                          \
    ((T) -1 < 1 && (T) (b) == (T) -1 ? (T) (0ull - (uint64_t) (a)) : (T) ((a) / (b)))
#define REMAINDER(T, a, b) ((T) -1 < 1 && (T) (b) == (T) -1 ? (T) 0 : (T) ((a) % (b)))
#define HIGH(T, a, b)      ((T) ((WIDE) (a) * (WIDE) (b) >> (8 * sizeof(T))))

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

enum { N = 512 };

#define REFERENCE(name, T, U, W)                                                                   \
    static void name(struct corpus_run *run)                                                       \
    {                                                                                              \
        const T *a = run->in[0], *b = run->in[1], *c = run->in[2];                                 \
        T *out = run->expect[3];                                                                   \
                                                                                                   \
        for (int i = 0; i < N; i++)                                                                \
            INTEGER_OPS(T, U, W, a[i], b[i], c[i], out + (ptrdiff_t) i * N_INTEGER_OPS);           \
    }

#define WIDE int128
REFERENCE(s8, int8_t, uint8_t, 8)
REFERENCE(s16, int16_t, uint16_t, 16)
REFERENCE(s32, int32_t, uint32_t, 32)
REFERENCE(s64, int64_t, uint64_t, 64)
#undef WIDE
#define WIDE uint128
REFERENCE(u8, uint8_t, uint8_t, 8)
REFERENCE(u16, uint16_t, uint16_t, 16)
REFERENCE(u32, uint32_t, uint32_t, 32)
REFERENCE(u64, uint64_t, uint64_t, 64)

static void widening(struct corpus_run *run)
{
    const uint64_t *a = run->in[0], *b = run->in[1];
    unsigned long long *out = run->expect[2];

    for (int i = 0; i < N; i++)
        WIDENING_OPS(a[i], b[i], out + (ptrdiff_t) i * N_WIDENING_OPS);
}

static void wide(struct corpus_run *run)
{
    const uint64_t *a = run->in[0], *b = run->in[1];
    uint64_t *out = run->expect[2];

    for (int i = 0; i < N; i++) {
        const uint128 x = (uint128) a[i] << 64 | b[i], y = (uint128) b[i] << 64 | a[i];
        const uint128 results[] = {
            x + y, x - y, x * y, x >> (a[i] & 127), x << (b[i] & 127), (uint128) a[i] * b[i]};

        for (int r = 0; r < 6; r++) {
            out[i * 12 + 2 * r] = (uint64_t) results[r];
            out[i * 12 + 2 * r + 1] = (uint64_t) (results[r] >> 64);
        }
    }
}

static void by_zero(struct corpus_run *run)
{
    static const uint64_t all[] = {UINT64_MAX, UINT32_MAX, UINT16_MAX};
    uint64_t *out = run->expect[1];

    for (int i = 0; i < N * 12; i++)
        out[i] = all[i % 12 / 4];
}

#define CASE(title, type, function)                                                                \
    {                                                                                              \
        .name = title, .grid = {4}, .block = {128}, .reference = function, .buffers = {            \
            IN(type, N),                                                                           \
            IN(type, N),                                                                           \
            IN(type, N),                                                                           \
            OUT(type, N * N_INTEGER_OPS)                                                           \
        }                                                                                          \
    }

static const struct corpus_case cases[] = {
    CASE("integer_s8", U8, s8),
    CASE("integer_u8", U8, u8),
    CASE("integer_s16", U16, s16),
    CASE("integer_u16", U16, u16),
    CASE("integer_s32", U32, s32),
    CASE("integer_u32", U32, u32),
    CASE("integer_s64", U64, s64),
    CASE("integer_u64", U64, u64),
    {.name = "integer_widening",
     .grid = {4},
     .block = {128},
     .reference = widening,
     .buffers = {IN(U64, N), IN(U64, N), OUT(U64, N *N_WIDENING_OPS)}},
    {.name = "integer_128",
     .grid = {4},
     .block = {128},
     .reference = wide,
     .buffers = {IN(U64, N), IN(U64, N), OUT(U64, N * 12)}},
    {.name = "integer_by_zero",
     .grid = {4},
     .block = {128},
     .reference = by_zero,
     .buffers = {IN(U64, N), OUT(U64, N * 12)}},
};

CORPUS_MODULE(integer, cases);
