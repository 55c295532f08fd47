/* SPDX-License-Identifier: MIT */
/*
 * What a texture or surface is made of, as the engine sees it: who runs the engine answers for
 * a handle with a struct ptx__image, and the engine samples it. It is asked under grid->lock; an
 * image that is in the list of the launch does not change.
 */
#ifndef CUSHIM_MOCK_PTX_MACHINE_IMAGE_H
#define CUSHIM_MOCK_PTX_MACHINE_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#define PTX__MOST_LEVELS 32

/* One channel of an element. Of the first four, 8 and 16 bits may be read as fractions. */
enum ptx__texel_kind {
    PTX__TEXEL_UNSIGNED,
    PTX__TEXEL_SIGNED,
    PTX__TEXEL_UNORM,
    PTX__TEXEL_SNORM,
    PTX__TEXEL_FLOAT,
};

enum ptx__address_mode { PTX__WRAP, PTX__CLAMP, PTX__MIRROR, PTX__BORDER };

/* How coordinates become elements, and elements a result. */
struct ptx__sampler {
    uint8_t modes[3]; /* enum ptx__address_mode */
    bool linear, linear_levels, normalised;
    bool as_integer; /* integers stay what they are */
    bool srgb, seamless;
    float bias, min_level, max_level, border[4];
};

/* Element (x, y, z) begins at address + (z * height + y) * pitch + x * bytes of an element. */
struct ptx__image_level {
    uint64_t address, pitch;
    uint32_t width, height, depth; /* depth: layers and faces count here */
};

struct ptx__image {
    uint64_t handle;
    struct ptx__image *next;
    const char *problem; /* why it cannot be used; NULL: it can */
    bool is_surface;
    bool is_sampler; /* and nothing besides */
    bool is_buffer;  /* linear memory */
    bool is_layered, is_cube;
    uint8_t kind;  /* enum ptx__texel_kind */
    uint8_t bytes; /* of a channel */
    uint8_t channels;
    uint8_t dimensions;    /* 1 to 3, without layers */
    unsigned n_levels;     /* at least 1, unless there is a problem */
    unsigned layers;       /* 0 if it has none; a cube's faces are no layers */
    unsigned element_type; /* what a program calls it: a CUarray_format */
    struct ptx__image_level levels[PTX__MOST_LEVELS];
    struct ptx__sampler sampler;
};

#endif
