/* SPDX-License-Identifier: MIT */
/* What is read from textures; texture_model.c knows how. */
#include "texture.h"

#include <math.h>

#include "number.h"

enum { WRAP, CLAMP, MIRROR, BORDER };
enum { AS_INTEGER = 1, NORMALISED = 2, SRGB = 0x10 }; /* CU_TRSF_* */
enum { LAYERED = 1, CUBEMAP = 4, FOR_GATHER = 8 };    /* CUDA_ARRAY3D_* */

static void none(struct corpus_run *run)
{
    memset(run->expect[2], 0, 64 * sizeof(uint32_t));
}

static void memory(struct corpus_run *run)
{
    const struct texture texture = texture_of(run, 0);
    const int *index = run->in[1];

    for (int i = 0; i < 64; i++)
        texture_element(&texture, &index[i], 1, (uint32_t *) run->expect[2] + 4 * i);
}

/* Buffers x and y and so on behind the textures; n of them, and the index of the thread. */
static void place_of(const struct corpus_run *run, unsigned first, unsigned n, unsigned i,
                     double *ret_place)
{
    for (unsigned a = 0; a < n; a++)
        ret_place[a] = (double) ((const float *) run->in[first + a])[i];
}

static uint32_t one(const struct corpus_run *run, unsigned b, const double *at, unsigned n,
                    unsigned slice)
{
    const struct texture texture = texture_of(run, b);
    uint32_t out[4];

    texture_sample(&texture, at, n, slice, 0, out);
    return out[0];
}

static void line_and_plane(struct corpus_run *run)
{
    uint32_t *out = run->expect[4];

    for (unsigned i = 0; i < 256; i++) {
        double at[2];

        place_of(run, 2, 2, i, at);
        out[2 * i] = one(run, 0, at, 1, 0);
        out[2 * i + 1] = one(run, 1, at, 2, 0);
    }
}

static void plane(struct corpus_run *run)
{
    for (unsigned i = 0; i < 256; i++) {
        double at[2];

        place_of(run, 1, 2, i, at);
        ((uint32_t *) run->expect[3])[i] = one(run, 0, at, 2, 0);
    }
}

static void volume(struct corpus_run *run)
{
    for (unsigned i = 0; i < 256; i++) {
        double at[3];

        place_of(run, 1, 3, i, at);
        ((uint32_t *) run->expect[4])[i] = one(run, 0, at, 3, 0);
    }
}

/* Numbers of layers are without a sign, so those below zero are large. */
static unsigned layer_of(const void *layers, unsigned i, unsigned count)
{
    const uint32_t layer = ((const uint32_t *) layers)[i];

    return layer < count ? layer : count - 1;
}

static void layers(struct corpus_run *run)
{
    uint32_t *out = run->expect[5];

    for (unsigned i = 0; i < 128; i++) {
        double at[2];

        place_of(run, 2, 2, i, at);
        out[2 * i] = one(run, 0, at, 1, layer_of(run->in[4], i, 5));
        out[2 * i + 1] = one(run, 1, at, 2, layer_of(run->in[4], i, 3));
    }
}

static void cube(struct corpus_run *run)
{
    uint32_t *out = run->expect[6];

    for (unsigned i = 0; i < 128; i++) {
        float direction[3];
        double at[2];
        unsigned face;

        for (unsigned a = 0; a < 3; a++)
            direction[a] = ((const float *) run->in[2 + a])[i];
        face = texture_face(direction, at);
        out[2 * i] = one(run, 0, at, 2, face);
        out[2 * i + 1] = one(run, 1, at, 2, 6 * layer_of(run->in[5], i, 2) + face);
    }
}

static void level(struct corpus_run *run)
{
    const struct texture texture = texture_of(run, 0);
    const float *wanted = run->in[3];

    for (unsigned i = 0; i < 256; i++) {
        double at[2];
        uint32_t out[4];

        place_of(run, 1, 2, i, at);
        texture_sample_level(&texture, at, 2, 0, wanted[i], out);
        ((uint32_t *) run->expect[4])[i] = out[0];
    }
}

/* Steps of one element are level 0, of two elements level 1. */
static void gradient(struct corpus_run *run)
{
    const struct texture texture = texture_of(run, 0);
    const float *dx = run->in[3], *dy = run->in[4];

    for (unsigned i = 0; i < 256; i++) {
        const double x = (double) dx[i] * 32, y = (double) dy[i] * 16;
        double at[2];
        uint32_t out[4];

        place_of(run, 1, 2, i, at);
        texture_sample_level(&texture, at, 2, 0, (float) log2(fmax(fabs(x), fabs(y))), out);
        ((uint32_t *) run->expect[5])[i] = out[0];
    }
}

static void gather(struct corpus_run *run)
{
    const struct texture texture = texture_of(run, 0);

    for (unsigned i = 0; i < 64; i++) {
        double at[2];

        place_of(run, 1, 2, i % 16, at);
        texture_gather(&texture, at, i / 16, (uint32_t *) run->expect[3] + 4 * i);
    }
}

static void channels(struct corpus_run *run)
{
    const struct texture texture = texture_of(run, 0);

    for (unsigned i = 0; i < 64; i++) {
        double at[1];

        place_of(run, 1, 1, i, at);
        texture_sample(&texture, at, 1, 0, 0, (uint32_t *) run->expect[2] + 4 * i);
    }
}

static void halves(struct corpus_run *run)
{
    const struct texture texture = texture_of(run, 0);
    uint16_t *out = run->expect[2];

    for (unsigned i = 0; i < 64; i++) {
        uint32_t sampled[4];
        double at[1];

        place_of(run, 1, 1, i, at);
        texture_sample(&texture, at, 1, 0, 0, sampled);
        for (unsigned c = 0; c < 4; c++)
            out[4 * i + c] = half_round((double) float_of(sampled[c]));
    }
}

static void whole(struct corpus_run *run)
{
    const struct texture plane = texture_of(run, 0), volume = texture_of(run, 1);
    uint32_t *out = run->expect[5];

    for (unsigned i = 0; i < 64; i++) {
        int at[3];
        uint32_t v[4], w[4];

        for (unsigned a = 0; a < 3; a++)
            at[a] = ((const int *) run->in[2 + a])[i];
        texture_element(&plane, at, 2, v);
        texture_element(&volume, at, 3, w);
        out[4 * i] = v[0];
        out[4 * i + 1] = v[3];
        out[4 * i + 2] = w[0];
        out[4 * i + 3] = w[3];
    }
}

/* In elements, so that a place two elements on is the element two elements on. */
static void offset(struct corpus_run *run)
{
    for (unsigned i = 0; i < 256; i++) {
        double at[2];

        place_of(run, 1, 2, i, at);
        at[0] += 2;
        at[1] -= 1;
        ((uint32_t *) run->expect[3])[i] = one(run, 0, at, 2, 0);
    }
}

static void surface(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    uint32_t *plane = run->expect[0], *out = run->expect[2];
    uint8_t *line = run->expect[1];

    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 16; x++) {
            out[y * 16 + x] = a[y * 16 + x];
            plane[(7 - y) * 16 + 15 - x] = a[y * 16 + x] * 2 + (uint32_t) x;
        }
    for (int x = 0; x < 16; x++)
        line[x] = (uint8_t) (x * 3);
}

#define IMAGE(...)                                                                                 \
    &(const struct corpus_image)                                                                   \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define SIZE(...) .size = {__VA_ARGS__}
#define MODES(m)  .modes = {m, m, m}
#define TEXTURE_OF(type, count, fill, low, high, ...)                                              \
    {                                                                                              \
        type, count, fill, low, high, false, TEXTURE, NULL, IMAGE(__VA_ARGS__)                     \
    }
#define FLOATS(count, ...) TEXTURE_OF(F32, count, RANGE, -1, 1, __VA_ARGS__)

/* A plane of 8 by 4, from -2 to 2 times its size. */
#define PLANE_CASE(which, x_size, y_size, ...)                                                     \
    {                                                                                              \
        .name = "texture_" which, .kernel = "texture_plane", .block = {256}, .reference = plane,   \
        .buffers = {                                                                               \
            FLOATS(32, SIZE(8, 4), __VA_ARGS__),                                                   \
            IN_RANGE(F32, 256, -2 * (x_size), 2 * (x_size)),                                       \
            IN_RANGE(F32, 256, -2 * (y_size), 2 * (y_size)),                                       \
            OUT(F32, 256)                                                                          \
        }                                                                                          \
    }
#define PLANE_CASES(which, mode)                                                                   \
    PLANE_CASE(which "_point", 1, 1, MODES(mode), .reading = NORMALISED),                          \
        PLANE_CASE(which "_linear", 1, 1, MODES(mode), .reading = NORMALISED, .linear = true)

/* A line of 64 elements; all of what they hold is looked at. */
#define CHANNELS_CASE(which, type, n, fill, low, high, ...)                                        \
    {                                                                                              \
        .name = "texture_" which, .kernel = "texture_channels", .block = {64},                     \
        .reference = channels, .buffers = {                                                        \
            TEXTURE_OF(type, 64 * (n), fill, low, high, .channels = n, SIZE(64), MODES(CLAMP),     \
                       __VA_ARGS__),                                                               \
            IN_RANGE(F32, 64, 0, 64),                                                              \
            OUT(U32, 256)                                                                          \
        }                                                                                          \
    }
#define LEVELS(...)                                                                                \
    FLOATS(32 * 16 + 16 * 8 + 8 * 4 + 4 * 2, .home = IN_LEVELS, .levels = 4, SIZE(32, 16),         \
           .reading = NORMALISED, __VA_ARGS__)
#define LEVEL_CASE(which, ...)                                                                     \
    {                                                                                              \
        .name = "texture_level_" which, .kernel = "texture_level", .block = {256},                 \
        .reference = level, .buffers = {                                                           \
            LEVELS(__VA_ARGS__),                                                                   \
            IN_RANGE(F32, 256, -1, 2),                                                             \
            IN_RANGE(F32, 256, -1, 2),                                                             \
            IN_RANGE(F32, 256, -1, 5),                                                             \
            OUT(F32, 256)                                                                          \
        }                                                                                          \
    }
#define GRADIENT_CASE(which, dx_fill, dy_fill, ...)                                                \
    {                                                                                              \
        .name = "texture_gradient_" which, .kernel = "texture_gradient", .block = {256},           \
        .reference = gradient, .buffers = {                                                        \
            LEVELS(__VA_ARGS__),                                                                   \
            IN_RANGE(F32, 256, -1, 2),                                                             \
            IN_RANGE(F32, 256, -1, 2),                                                             \
            dx_fill,                                                                               \
            dy_fill,                                                                               \
            OUT(F32, 256)                                                                          \
        }                                                                                          \
    }
#define CUBE_CASE(which, ...)                                                                      \
    {                                                                                              \
        .name = "texture_cube_" which, .kernel = "texture_cube", .block = {128},                   \
        .reference = cube, .buffers = {                                                            \
            FLOATS(384, SIZE(8, 8, 6), .flags = CUBEMAP, MODES(CLAMP), .reading = NORMALISED,      \
                   __VA_ARGS__),                                                                   \
            FLOATS(768, SIZE(8, 8, 12), .flags = CUBEMAP | LAYERED, MODES(CLAMP),                  \
                   .reading = NORMALISED, __VA_ARGS__),                                            \
            IN_RANGE(F32, 128, -1, 1),                                                             \
            IN_RANGE(F32, 128, -1, 1),                                                             \
            IN_RANGE(F32, 128, -1, 1),                                                             \
            IN_RANGE(U32, 128, 0, 3),                                                              \
            OUT(F32, 256)                                                                          \
        }                                                                                          \
    }
static const struct corpus_case cases[] = {
    {.name = "texture_fetch",
     .block = {64},
     .reference = none,
     .buffers = {TEXTURE_OF(U32, 64, ANY, 0, 0, SIZE(64), MODES(CLAMP), .reading = AS_INTEGER),
                 IN_RANGE(U32, 64, 0, 63), OUT(U32, 64)}},
    {.name = "texture_memory",
     .block = {64},
     .reference = memory,
     .buffers = {TEXTURE_OF(U32, 32, ANY, 0, 0, .home = IN_MEMORY, SIZE(32), .reading = AS_INTEGER),
                 IN_RANGE(U32, 64, -16, 48), OUT(U32, 256)}},
    {.name = "texture_memory_pairs",
     .kernel = "texture_memory",
     .block = {64},
     .reference = memory,
     .buffers = {TEXTURE_OF(U16, 64, ANY, 0, 0, .home = IN_MEMORY, SIZE(32), .channels = 2),
                 IN_RANGE(U32, 64, -16, 48), OUT(U32, 256)}},
    {.name = "texture_point",
     .block = {256},
     .reference = line_and_plane,
     .buffers = {FLOATS(40, SIZE(40), MODES(CLAMP)), FLOATS(200, SIZE(20, 10), MODES(CLAMP)),
                 IN_RANGE(F32, 256, -5, 45), IN_RANGE(F32, 256, -5, 15), OUT(F32, 512)}},
    {.name = "texture_linear",
     .block = {256},
     .reference = line_and_plane,
     .buffers = {FLOATS(40, SIZE(40), .linear = true, .reading = NORMALISED),
                 FLOATS(200, SIZE(20, 10), .linear = true, .reading = NORMALISED),
                 IN_RANGE(F32, 256, -2, 2), IN_RANGE(F32, 256, -2, 2), OUT(F32, 512)}},
    PLANE_CASES("wrap", WRAP),
    PLANE_CASES("clamp", CLAMP),
    PLANE_CASES("mirror", MIRROR),
    PLANE_CASES("border", BORDER),
    PLANE_CASE("border_colour", 8, 4, MODES(BORDER), .linear = true, .border = {0.25f, 2, 3, 4}),
    PLANE_CASE("wrap_elements", 8, 4, MODES(WRAP), .linear = true),
    PLANE_CASE("mirror_elements", 8, 4, MODES(MIRROR)),
    PLANE_CASE("rows", 8, 4, .home = IN_ROWS, MODES(CLAMP), .linear = true),
    /* Halves of the smallest step, and places so near to the next element. */
    {.name = "texture_ties",
     .kernel = "texture_plane",
     .block = {256},
     .reference = plane,
     .buffers = {FLOATS(32, SIZE(8, 4), .linear = true, MODES(CLAMP)),
                 IN_STEP(F32, 256, 3, 0.001953125), IN_STEP(F32, 256, 1.5, 0), OUT(F32, 256)}},
    {.name = "texture_edges",
     .kernel = "texture_plane",
     .block = {256},
     .reference = plane,
     .buffers = {FLOATS(32, SIZE(8, 4), MODES(CLAMP)),
                 IN_STEP(F32, 256, 2.9990234375, 0.00000762939453125),
                 IN_STEP(F32, 256, 0, 0.0078125), OUT(F32, 256)}},
    {.name = "texture_offset",
     .block = {256},
     .reference = offset,
     .buffers = {FLOATS(32, SIZE(8, 4), MODES(BORDER), .linear = true), IN_RANGE(F32, 256, -4, 9),
                 IN_RANGE(F32, 256, -2, 6), OUT(F32, 256)}},
    {.name = "texture_volume",
     .block = {256},
     .reference = volume,
     .buffers = {FLOATS(192, SIZE(8, 6, 4), .linear = true, .reading = NORMALISED),
                 IN_RANGE(F32, 256, -1, 2), IN_RANGE(F32, 256, -1, 2), IN_RANGE(F32, 256, -1, 2),
                 OUT(F32, 256)}},
    {.name = "texture_volume_point",
     .kernel = "texture_volume",
     .block = {256},
     .reference = volume,
     .buffers = {FLOATS(192, SIZE(8, 6, 4), MODES(BORDER)), IN_RANGE(F32, 256, -1, 9),
                 IN_RANGE(F32, 256, -1, 7), IN_RANGE(F32, 256, -1, 5), OUT(F32, 256)}},
    {.name = "texture_layers",
     .block = {128},
     .reference = layers,
     .buffers = {FLOATS(40, SIZE(8, 0, 5), .flags = LAYERED, MODES(CLAMP), .linear = true),
                 FLOATS(96, SIZE(8, 4, 3), .flags = LAYERED, MODES(CLAMP), .linear = true),
                 IN_RANGE(F32, 128, -1, 9), IN_RANGE(F32, 128, -1, 5), IN_RANGE(U32, 128, -1, 6),
                 OUT(F32, 256)}},
    CUBE_CASE("point", .linear = false),
    CUBE_CASE("linear", .linear = true),
    LEVEL_CASE("point", .most_level = 3),
    LEVEL_CASE("linear", .most_level = 3, .linear = true, .linear_levels = true),
    LEVEL_CASE("clamped", .least_level = 0.5f, .most_level = 1.75f, .bias = 0.25f,
               .linear_levels = true),
    GRADIENT_CASE("exact", IN_STEP(F32, 256, 0.0625, 0), IN_STEP(F32, 256, 0.03125, 0),
                  .most_level = 3, .linear_levels = true),
    GRADIENT_CASE("any", IN_RANGE(F32, 256, 0.01, 0.3), IN_RANGE(F32, 256, 0.01, 0.3),
                  .most_level = 3),
    {.name = "texture_gather",
     .grid = {4},
     .block = {16},
     .reference = gather,
     .buffers = {FLOATS(128, SIZE(8, 4), .channels = 4, .flags = FOR_GATHER, MODES(CLAMP)),
                 IN_RANGE(F32, 16, -1, 9), IN_RANGE(F32, 16, -1, 5), OUT(F32, 256)}},
    CHANNELS_CASE("f32", F32, 1, ANY, 0, 0, .linear = false),
    CHANNELS_CASE("f32x2", F32, 2, RANGE, -1, 1, .linear = true),
    CHANNELS_CASE("f16", F16, 4, ANY, 0, 0, .linear = false),
    CHANNELS_CASE("f16_linear", F16, 2, RANGE, -9, 9, .linear = true),
    CHANNELS_CASE("u8", U8, 1, ANY, 0, 0, .reading = AS_INTEGER),
    CHANNELS_CASE("s8", U8, 2, ANY, 0, 0, .sign = true, .reading = AS_INTEGER),
    CHANNELS_CASE("s16", U16, 4, ANY, 0, 0, .sign = true, .reading = AS_INTEGER),
    CHANNELS_CASE("u32", U32, 2, ANY, 0, 0, .reading = 0),
    CHANNELS_CASE("unorm8", U8, 4, STEP, 0, 1, .linear = false),
    CHANNELS_CASE("unorm8_linear", U8, 2, ANY, 0, 0, .linear = true),
    CHANNELS_CASE("snorm8", U8, 4, STEP, 0, 1, .sign = true),
    CHANNELS_CASE("snorm8_linear", U8, 1, ANY, 0, 0, .sign = true, .linear = true),
    CHANNELS_CASE("unorm16", U16, 4, ANY, 0, 0, .linear = false),
    CHANNELS_CASE("unorm16_linear", U16, 2, ANY, 0, 0, .linear = true),
    CHANNELS_CASE("snorm16_linear", U16, 4, ANY, 0, 0, .sign = true, .linear = true),
    CHANNELS_CASE("srgb", U8, 4, STEP, 0, 1, .reading = SRGB),
    CHANNELS_CASE("srgb_linear", U8, 4, ANY, 0, 0, .reading = SRGB, .linear = true),
    {.name = "texture_halves",
     .block = {64},
     .reference = halves,
     .buffers = {TEXTURE_OF(F16, 256, RANGE, -9, 9, .channels = 4, SIZE(64), MODES(CLAMP),
                            .linear = true),
                 IN_RANGE(F32, 64, 0, 64), OUT(U16, 256)}},
    {.name = "texture_whole",
     .block = {64},
     .reference = whole,
     .buffers = {TEXTURE_OF(U32, 32, ANY, 0, 0, SIZE(8, 4), MODES(CLAMP), .reading = AS_INTEGER),
                 TEXTURE_OF(U32, 96, ANY, 0, 0, SIZE(8, 4, 3), MODES(CLAMP), .reading = AS_INTEGER),
                 IN_RANGE(U32, 64, -1, 8), IN_RANGE(U32, 64, -1, 4), IN_RANGE(U32, 64, -1, 3),
                 OUT(U32, 256)}},
    {.name = "texture_surface",
     .block = {16, 8},
     .reference = surface,
     .values = {16, 8},
     .buffers = {{U32, 128, ANY, 0, 0, true, SURFACE, NULL, IMAGE(SIZE(16, 8))},
                 {U8, 16, ANY, 0, 0, true, SURFACE, NULL, IMAGE(SIZE(16))},
                 OUT(U32, 128)}},
};

CORPUS_MODULE(texture, cases);
