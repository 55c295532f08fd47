/* SPDX-License-Identifier: MIT */
/*
 * What textures and surfaces say of themselves, as the PTX ISA has it. An H200's driver answers
 * CUDA_ERROR_NOT_SUPPORTED to this module.
 */
#include <string.h>

#include "corpus.h"

enum { WRAP, CLAMP, MIRROR, BORDER };
enum { NORMALISED = 2, LAYERED = 1 };

static void sizes(struct corpus_run *run)
{
    const struct corpus_image *image = run->test->buffers[0].image;
    uint32_t *out = run->expect[1];

    out[0] = image->size[0];
    out[1] = image->size[1];
    out[2] = image->flags & LAYERED ? 0 : image->size[2];
    out[3] = image->flags & LAYERED ? image->size[2] : 0;
}

static void texture(struct corpus_run *run)
{
    const struct corpus_image *image = run->test->buffers[0].image;

    sizes(run);
    ((uint32_t *) run->expect[1])[4] = image->levels ? image->levels : 1;
}

static void texture_kind(struct corpus_run *run)
{
    static const uint32_t answers[] = {1, 4, 1, 1, 0, 1, 4, 1};

    memcpy(run->expect[1], answers, sizeof(answers));
}

static void surface_kind(struct corpus_run *run)
{
    static const uint32_t answers[] = {1, 4, 1};

    memcpy(run->expect[1], answers, sizeof(answers));
}

#define IMAGE(...)                                                                                 \
    &(const struct corpus_image)                                                                   \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define OF(type, count, role, ...)                                                                 \
    {                                                                                              \
        type, count, ZERO, 0, 0, false, role, NULL, IMAGE(__VA_ARGS__)                             \
    }
#define CASES(which, count, ...)                                                                   \
    {.name = "query_texture_" which,                                                               \
     .kernel = "query_texture",                                                                    \
     .reference = texture,                                                                         \
     .buffers = {OF(F32, count, TEXTURE, __VA_ARGS__), OUT(U32, 5)}},                              \
    {                                                                                              \
        .name = "query_surface_" which, .kernel = "query_surface", .reference = sizes,             \
        .buffers = {                                                                               \
            OF(U32, count, SURFACE, __VA_ARGS__),                                                  \
            OUT(U32, 4)                                                                            \
        }                                                                                          \
    }

static const struct corpus_case cases[] = {
    CASES("line", 40, .size = {40}),
    CASES("plane", 32, .size = {8, 4}),
    CASES("volume", 192, .size = {8, 6, 4}),
    CASES("layers", 96, .size = {8, 4, 3}, .flags = LAYERED),
    {.name = "query_texture_levels",
     .kernel = "query_texture",
     .reference = texture,
     .buffers = {OF(F32, 512 + 128 + 32 + 8, TEXTURE, .home = IN_LEVELS, .levels = 4,
                    .size = {32, 16}, .most_level = 3),
                 OUT(U32, 5)}},
    {.name = "query_texture_kind",
     .reference = texture_kind,
     .buffers = {OF(U8, 128, TEXTURE, .channels = 4, .size = {8, 4},
                    .modes = {WRAP, MIRROR, BORDER}, .reading = NORMALISED, .linear = true),
                 OUT(U32, 8)}},
    {.name = "query_surface_kind",
     .reference = surface_kind,
     .buffers = {OF(U8, 128, SURFACE, .size = {8, 4}, .channels = 4), OUT(U32, 3)}},
};

CORPUS_MODULE(query, cases);
