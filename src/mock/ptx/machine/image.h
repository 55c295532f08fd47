/* SPDX-License-Identifier: MIT */
/*
 * A texture or surface, as the engine sees it. The caller of the engine returns a struct ptx__image
 * for a handle, and the engine samples it. The engine asks for it under grid->lock. An image in the
 * list of a launch does not change.
 */
#ifndef CUSHIM_MOCK_PTX_MACHINE_IMAGE_H
#define CUSHIM_MOCK_PTX_MACHINE_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#define PTX__MOST_LEVELS 32

/* The kind of a channel. 8 and 16 bits of the first four kinds may be read as fractions. */
enum ptx__texel_kind {
    PTX__TEXEL_UNSIGNED,
    PTX__TEXEL_SIGNED,
    PTX__TEXEL_UNORM,
    PTX__TEXEL_SNORM,
    PTX__TEXEL_FLOAT,
};

enum ptx__address_mode { PTX__WRAP, PTX__CLAMP, PTX__MIRROR, PTX__BORDER };

/* How coordinates select elements, and how elements make a result. */
struct ptx__sampler {
    uint8_t modes[3]; /* enum ptx__address_mode */
    bool linear, linear_levels, normalised;
    bool as_integer; /* integers are not converted */
    bool srgb, seamless;
    float bias, min_level, max_level, border[4];
};

/* Element (x, y, z) begins at address + (z * height + y) * pitch + x * bytes of an element. */
struct ptx__image_level {
    uint64_t address, pitch;
    uint32_t width, height, depth; /* depth: also layers and faces */
};

struct ptx__image {
    uint64_t handle;
    struct ptx__image *next;
    const char *problem; /* why it cannot be used, or NULL */
    bool is_surface;
    bool is_sampler; /* only a sampler */
    bool is_buffer;  /* linear memory */
    bool is_layered, is_cube;
    uint8_t kind;  /* enum ptx__texel_kind */
    uint8_t bytes; /* of a channel */
    uint8_t channels;
    uint8_t dimensions;    /* 1 to 3, without layers */
    unsigned n_levels;     /* at least 1, unless there is a problem */
    unsigned layers;       /* 0 if it has none; the faces of a cube are not layers */
    unsigned element_type; /* the program's name for it: a CUarray_format */
    struct ptx__image_level levels[PTX__MOST_LEVELS];
    struct ptx__sampler sampler;
};

#endif
