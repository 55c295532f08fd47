/* SPDX-License-Identifier: MIT */
/*
 * Textures and surfaces in kernels.
 *
 * The rules were derived from results of hardware. A coordinate is rounded to 1/256 of an element.
 * Weights are multiples of 1/256, and their sum is 1. When the elements of a plane are added, only
 * the upper bits count, from the highest bit of the largest one on: 28 bits for floats, and 15 for
 * .f16.
 *
 * Several workers call these functions at the same time. Images do not change, and no other data is
 * shared. Images are in image.c, surfaces in surface.c, and the steps of a texture in texture_*.c.
 */
#ifndef CUSHIM_MOCK_PTX_TEXTURE_TEXTURE_H
#define CUSHIM_MOCK_PTX_TEXTURE_TEXTURE_H

#include "mock/ptx/machine/code.h"
#include "mock/ptx/machine/image.h"
#include "mock/ptx/machine/reduction.h"

/* How the level of a mipmapped texture is chosen. */
enum ptx__level_mode { PTX__LEVEL_BASE, PTX__LEVEL_GIVEN, PTX__LEVEL_GRADIENT };

/* A tex or tld4 instruction. Slots that the instruction does not use are ignored. */
struct ptx__tex {
    uint8_t dimensions; /* a cube has 3 coordinates */
    bool layered, cube;
    bool whole;  /* coordinates are integers */
    bool halves; /* the result is four .f16 in two registers */
    bool has_sampler, has_offset;
    uint8_t level_mode;
    int8_t gathered; /* the channel of a tld4; -1: this is a tex */
    uint32_t handle, sampler;
    uint32_t d[4], present; /* present: a predicate */
    uint32_t layer, at[3], level, dx[3], dy[3], offset[3];
};

enum ptx__out_of_range { PTX__OUT_TRAPS, PTX__OUT_CLAMPS, PTX__OUT_IS_ZERO };

/* A suld, sust or sured. */
struct ptx__surface {
    uint8_t dimensions;
    bool layered;
    bool formatted; /* .p: coordinates count elements, values are converted */
    uint8_t out;    /* enum ptx__out_of_range */
    uint8_t bytes;  /* of a value in memory */
    uint8_t n_values;
    bool wide;         /* values are in slots of 64 bits */
    uint8_t reduction; /* enum ptx__reduction */
    bool sign;
    uint32_t handle, layer, at[3], values[4];
};

enum ptx__query {
    PTX__QUERY_WIDTH,
    PTX__QUERY_HEIGHT,
    PTX__QUERY_DEPTH,
    PTX__QUERY_TYPE,
    PTX__QUERY_ORDER,
    PTX__QUERY_NORMALISED,
    PTX__QUERY_LAYERS,
    PTX__QUERY_LEVELS,
    PTX__QUERY_SAMPLES,
    PTX__QUERY_LAYOUT,
    PTX__QUERY_FILTER,
    PTX__QUERY_MODE_0,
    PTX__QUERY_MODE_1,
    PTX__QUERY_MODE_2,
    PTX__QUERY_UNNORMALISED,
};

/* imm: a struct ptx__tex or ptx__surface. */
const struct ptx__op *ptx__do_tex(struct ptx__warp *warp, const struct ptx__op *op);
const struct ptx__op *ptx__do_gather(struct ptx__warp *warp, const struct ptx__op *op);
const struct ptx__op *ptx__do_surface_load(struct ptx__warp *warp, const struct ptx__op *op);
const struct ptx__op *ptx__do_surface_store(struct ptx__warp *warp, const struct ptx__op *op);
const struct ptx__op *ptx__do_surface_reduce(struct ptx__warp *warp, const struct ptx__op *op);

/* imm: enum ptx__query; d: the result; a: the handle; b: the level, if c is not 0. */
const struct ptx__op *ptx__do_image_query(struct ptx__warp *warp, const struct ptx__op *op);

/* The kind of object that an instruction takes a handle for. */
enum ptx__image_use { PTX__USE_ANY, PTX__USE_TEXTURE, PTX__USE_SAMPLER, PTX__USE_SURFACE };

/* imm: enum ptx__image_use. Tests whether a handle can be used in this way. */
const struct ptx__op *ptx__do_image_test(struct ptx__warp *warp, const struct ptx__op *op);

struct ptx__grid;

/* Frees the images whose handles were looked up. */
void ptx__images_free(struct ptx__grid *grid);

/* --- image.c --- */

/*
 * Returns the image of a handle. NULL if the handle cannot be used in this way: a fault, which is
 * reported.
 */
const struct ptx__image *ptx__image_of(struct ptx__warp *warp, const struct ptx__op *op,
                                       unsigned lane, uint64_t handle, enum ptx__image_use use);

/* --- texture_texel.c: elements --- */

/* Four channels; 0 for those that the element does not have. */
struct ptx__texel {
    uint32_t channels[4];
};

/* Converts a channel in memory to the 32 bits of a result. */
uint32_t ptx__texel_read(const struct ptx__image *image, const struct ptx__sampler *sampler,
                         const unsigned char *element, unsigned channel);

/* Returns a channel as it is in memory, with its sign. */
uint32_t ptx__texel_integer(const struct ptx__image *image, const unsigned char *element,
                            unsigned channel);

/* Converts the other way, as sust.p does. */
void ptx__texel_write(const struct ptx__image *image, uint32_t value, unsigned char *channel);

/*
 * If the channel is read as a fraction of the largest integer, returns that integer; otherwise 0.
 */
unsigned ptx__texel_fraction(const struct ptx__image *image, const struct ptx__sampler *sampler);

bool ptx__texel_is_signed(const struct ptx__image *image);

/* Tells whether results have floating-point channels. */
bool ptx__texel_is_float(const struct ptx__image *image, const struct ptx__sampler *sampler);

/* How a channel is filtered. With OF_HALF and OF_SRGB the result is rounded to .f16. */
enum ptx__precision { PTX__OF_FLOAT, PTX__OF_HALF, PTX__OF_SRGB, PTX__OF_INTEGERS };

enum ptx__precision ptx__texel_precision(const struct ptx__image *image,
                                         const struct ptx__sampler *sampler, unsigned channel);

uint16_t ptx__texel_half(uint32_t float_bits);

/* Converts the sampler's border colour to an element, which has at most 16 bytes. */
void ptx__texel_border(const struct ptx__image *image, const struct ptx__sampler *sampler,
                       unsigned char *element);

/* --- texture_srgb.c --- */

float ptx__linear_light(uint8_t code);

/* --- texture_place.c: coordinates --- */

/*
 * A position along one axis: one element, or two elements and the distance from the first one in
 * 1/256.
 */
struct ptx__axis {
    int64_t index[2]; /* -1: outside, where the border colour is */
    unsigned part;
};

/* How coordinates along one axis are turned into elements. */
struct ptx__addressing {
    uint32_t size; /* elements along the axis */
    enum ptx__address_mode mode;
    bool normalised; /* a coordinate of 1 is the end; else coordinates count elements */
    bool linear;     /* filtered: two elements are needed */
};

/* offset is that of the instruction, in elements. */
void ptx__texel_position(const struct ptx__addressing *addressing, double coordinate,
                         int32_t offset, struct ptx__axis *ret_axis);

/* Converts a direction to the number of a face. The position on the face is in [0, 1]. */
unsigned ptx__cube_face(const double direction[3], double ret_place[2]);

/* Converts a position on a face to a direction. The position may be slightly beyond the edge. */
void ptx__cube_direction(unsigned face, const double place[2], double ret_direction[3]);

/* --- texture_blend.c: filtering --- */

#define PTX__CORNERS 8

/*
 * Divides a total weight among the corners. Bit a of a corner's number tells on which side it is
 * along axis a.
 */
void ptx__weights(const struct ptx__axis *axes, unsigned n_axes, unsigned total,
                  unsigned ret_weights[PTX__CORNERS]);

/* Returns the weighted sum of floats. n is a multiple of four, because a plane has four corners. */
float ptx__blend(const float *values, const unsigned *weights, unsigned n,
                 enum ptx__precision precision);

/* Returns the weighted sum of integers, as a fraction of the largest one. */
float ptx__blend_fractions(const int64_t *values, const unsigned *weights, unsigned n,
                           unsigned largest);

/* --- texture_sample.c --- */

/* A position to sample, in the coordinates of the instruction. */
struct ptx__sample {
    struct ptx__warp *warp;
    const struct ptx__op *op;
    unsigned lane;
    const struct ptx__image *image;
    const struct ptx__sampler *sampler;
    const struct ptx__tex *tex;
    double at[3];
    int32_t whole[3];
    int32_t offset[3];
    uint32_t layer;
    double dx[3], dy[3];
    double level;
};

/* Return false after a fault, which is reported. */
bool ptx__sample_place(const struct ptx__sample *sample, struct ptx__texel *ret_texel);
bool ptx__sample_whole(const struct ptx__sample *sample, struct ptx__texel *ret_texel);
bool ptx__sample_gather(const struct ptx__sample *sample, struct ptx__texel *ret_texel);

#endif
