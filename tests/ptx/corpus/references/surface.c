/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "corpus.h"

#include "number.h"

enum { LAYERED = 1 }; /* CUDA_ARRAY3D_LAYERED */

static int clamp(int x, int n)
{
    return x < 0 ? 0 : x < n ? x : n - 1;
}

static void plane(struct corpus_run *run)
{
    const uint32_t *clamped = run->in[0], *zero = run->in[1];
    const int *x = run->in[2], *y = run->in[3];
    uint32_t *out = run->expect[4];

    for (int i = 0; i < 128; i++) {
        const bool inside = x[i] >= 0 && x[i] < 8 && y[i] >= 0 && y[i] < 4;

        out[2 * i] = clamped[clamp(y[i], 4) * 8 + clamp(x[i], 8)];
        out[2 * i + 1] = inside ? zero[y[i] * 8 + x[i]] : 0;
    }
}

static void write_zero(struct corpus_run *run)
{
    uint32_t *a = run->expect[0];

    for (uint32_t y = 0; y < 4; y++)
        for (uint32_t x = 0; x < 8; x++)
            a[y * 8 + x] = 100 * (y + 2) + x + 2;
}

static void write_clamp(struct corpus_run *run)
{
    uint32_t *a = run->expect[0];

    for (uint32_t y = 0; y < 4; y++)
        for (uint32_t x = 0; x < 8; x++)
            a[y * 8 + x] = 100 * y + x;
}

static void wide(struct corpus_run *run)
{
    const uint32_t *line = run->in[0];
    const int *x = run->in[1];
    uint32_t *out = run->expect[2];

    for (int i = 0; i < 32; i++) {
        memcpy(out + 8 * i, line + (size_t) 4 * (size_t) clamp(x[i], 8), 16);
        memset(out + 8 * i + 4, 0, 16);
        if (x[i] >= 0 && x[i] < 8)
            memcpy(out + 8 * i + 4, line + (size_t) 4 * (size_t) x[i], 16);
    }
}

static void sizes(struct corpus_run *run)
{
    static const struct {
        size_t at, bytes;
    } parts[] = {{0, 1},  {2, 2},  {4, 4},   {8, 2},  {12, 4},
                 {16, 8}, {24, 8}, {32, 16}, {48, 8}, {64, 16}};

    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
        memcpy((char *) run->expect[1] + parts[i].at, (char *) run->in[0] + parts[i].at,
               parts[i].bytes);
}

static void volume(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    uint32_t *b = run->expect[0], *lines = run->expect[1], *planes = run->expect[2],
             *out = run->expect[3];

    for (int i = 0; i < 96; i++) {
        out[i] = a[i];
        b[i] = a[i] + 1;
        planes[i] = a[i] + 2;
        if (i / 8 % 4 == 0)
            lines[i / 32 * 8 + i % 8] = a[i] + 3;
    }
}

static uint8_t to_byte(int value)
{
    const uint32_t x = (uint32_t) value;

    return (uint8_t) (x > 255 ? 255 : x);
}

static uint16_t half_toward_zero(double x)
{
    const uint16_t half = half_round(x);

    return fabs(half_value(half)) > fabs(x) ? half - 1 : half;
}

static void formatted(struct corpus_run *run)
{
    const int *values = run->in[3];
    const float *floats = run->in[4];
    uint8_t *bytes = run->expect[0];
    int16_t *words = run->expect[1];
    uint16_t *halves = run->expect[2];

    for (int i = 0; i < 32; i++)
        for (int c = 0; c < 4; c++) {
            const int v = values[4 * i + c];

            bytes[4 * i + c] = to_byte(v);
            if (c < 2)
                words[2 * i + c] = (int16_t) (v < -32768 ? -32768 : v > 32767 ? 32767 : v);
            halves[4 * i + c] = half_toward_zero((double) floats[4 * i + c]);
        }
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t most(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static void update(struct corpus_run *run)
{
    const uint32_t *values = run->in[2];
    uint32_t *line = run->expect[0];
    uint32_t *wide = run->expect[1];
    uint64_t sum = (uint64_t) wide[1] << 32 | wide[0];

    for (unsigned i = 0; i < 64; i++) {
        const uint32_t v = values[i];

        line[0] += v;
        line[1] = least(line[1], v);
        line[2] = most(line[2], v);
        line[3] = (int32_t) v < (int32_t) line[3] ? v : line[3];
        line[4] = (int32_t) v > (int32_t) line[4] ? v : line[4];
        line[5] &= v | UINT32_C(1) << i % 32;
        line[6] |= v & UINT32_C(1) << i % 32;
        if (7 + i < 16)
            line[7 + i] += v;
        line[8 + i % 4] += v;
        sum += (uint64_t) v << 8;
    }
    wide[0] = (uint32_t) sum;
    wide[1] = (uint32_t) (sum >> 32);
}

static void extremes(struct corpus_run *run)
{
    const int *values = run->in[2];
    int32_t *line = run->expect[0];
    int64_t *wide = run->expect[1];
    uint64_t *wide_too = run->expect[1];

    for (unsigned i = 0; i < 64; i++) {
        const int64_t w = (int64_t) values[i] * (1 << 20);

        line[0] = values[i] < line[0] ? values[i] : line[0];
        line[1] = values[i] > line[1] ? values[i] : line[1];
        wide[0] = w < wide[0] ? w : wide[0];
        wide[1] = w > wide[1] ? w : wide[1];
        wide_too[2] = (uint64_t) w < wide_too[2] ? (uint64_t) w : wide_too[2];
        wide_too[3] = (uint64_t) w > wide_too[3] ? (uint64_t) w : wide_too[3];
    }
}

#define IMAGE(...)                                                                                 \
    &(const struct corpus_image)                                                                   \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define SURFACE_OF(type, count, compared, ...)                                                     \
    {                                                                                              \
        type, count, ANY, 0, 0, compared, SURFACE, NULL, IMAGE(__VA_ARGS__)                        \
    }
#define PLANE(compared) SURFACE_OF(U32, 32, compared, .size = {8, 4})
#define TRAP_CASE(which, x, y)                                                                     \
    {                                                                                              \
        .name = "surface_trap_" which, .kernel = "surface_trap", .values = {x, y}, .result = 700,  \
        .buffers = {                                                                               \
            PLANE(false)                                                                           \
        }                                                                                          \
    }
static const struct corpus_case cases[] = {
    {.name = "surface_plane",
     .block = {128},
     .reference = plane,
     .buffers = {PLANE(false), PLANE(false), IN_RANGE(U32, 128, -4, 12), IN_RANGE(U32, 128, -4, 8),
                 OUT(U32, 256)}},
    {.name = "surface_write_zero",
     .block = {12, 8},
     .reference = write_zero,
     .buffers = {PLANE(true)}},
    {.name = "surface_write_clamp",
     .block = {12, 8},
     .reference = write_clamp,
     .buffers = {PLANE(true)}},
    {.name = "surface_wide",
     .block = {32},
     .reference = wide,
     .buffers = {SURFACE_OF(U32, 32, false, .size = {8}, .channels = 4), IN_RANGE(U32, 32, -4, 12),
                 OUT(U32, 256)}},
    {.name = "surface_sizes",
     .block = {10},
     .reference = sizes,
     .buffers = {SURFACE_OF(U32, 20, false, .size = {20}),
                 SURFACE_OF(U32, 20, true, .size = {20})}},
    {.name = "surface_volume",
     .block = {8, 4, 3},
     .reference = volume,
     .buffers = {SURFACE_OF(U32, 96, true, .size = {8, 4, 3}),
                 SURFACE_OF(U32, 24, true, .size = {8, 0, 3}, .flags = LAYERED),
                 SURFACE_OF(U32, 96, true, .size = {8, 4, 3}, .flags = LAYERED), OUT(U32, 96)}},
    TRAP_CASE("right", 8, 0),
    TRAP_CASE("below", 0, -1),
    {.name = "surface_formatted",
     .block = {32},
     .reference = formatted,
     .buffers = {SURFACE_OF(U8, 128, true, .size = {32}, .channels = 4),
                 SURFACE_OF(U16, 64, true, .size = {32}, .channels = 2, .sign = true),
                 SURFACE_OF(F16, 128, true, .size = {32}, .channels = 4),
                 IN_RANGE(U32, 128, -40000, 40000), IN_RANGE(F32, 128, -9, 9)}},
    {.name = "surface_update",
     .block = {64},
     .reference = update,
     .buffers = {SURFACE_OF(U32, 16, true, .size = {16}),
                 SURFACE_OF(U32, 8, true, .size = {4}, .channels = 2), IN(U32, 64)}},
    {.name = "surface_extremes",
     .block = {64},
     .reference = extremes,
     .buffers = {SURFACE_OF(U32, 4, true, .size = {4}, .sign = true),
                 SURFACE_OF(U32, 8, true, .size = {4}, .channels = 2), IN(U32, 64)}},
};

CORPUS_MODULE(surface, cases);
