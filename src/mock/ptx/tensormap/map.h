/* SPDX-License-Identifier: MIT */
/*
 * Tensor maps: 128 bytes that describe a tensor in memory, and the box of it that a copy moves.
 * Their layout is that of an H100, as its driver's answers show (tests/ptx/tensors). Whoever calls
 * the engine makes maps with these functions, and copies in kernels read them.
 */
#ifndef CUSHIM_MOCK_PTX_TENSORMAP_MAP_H
#define CUSHIM_MOCK_PTX_TENSORMAP_MAP_H

#include <stdbool.h>
#include <stdint.h>

enum { PTX__TMAP_DIMENSIONS = 5, PTX__TMAP_WORDS = 32, PTX__TMAP_BYTES = 128 };

/* Types of elements, as CUtensorMapDataType numbers them. */
enum ptx__tmap_type {
    PTX__TMAP_U8,
    PTX__TMAP_U16,
    PTX__TMAP_U32,
    PTX__TMAP_S32,
    PTX__TMAP_U64,
    PTX__TMAP_S64,
    PTX__TMAP_F16,
    PTX__TMAP_F32,
    PTX__TMAP_F64,
    PTX__TMAP_BF16,
    PTX__TMAP_F32_FTZ,
    PTX__TMAP_TF32,
    PTX__TMAP_TF32_FTZ,
    PTX__TMAP_U4_OF_8,  /* 16 numbers of 4 bits: 8 bytes */
    PTX__TMAP_U4_OF_16, /* the same, with 8 bytes behind them in shared memory */
    PTX__TMAP_U6_OF_16, /* 16 numbers of 6 bits, with 4 bytes behind them in shared memory */
    PTX__TMAP_TYPES,
};

enum ptx__tmap_interleave { PTX__INTERLEAVE_NONE, PTX__INTERLEAVE_16, PTX__INTERLEAVE_32 };

enum ptx__tmap_swizzle {
    PTX__TMAP_SWIZZLE_NONE,
    PTX__TMAP_SWIZZLE_32,
    PTX__TMAP_SWIZZLE_64,
    PTX__TMAP_SWIZZLE_128,
    PTX__TMAP_SWIZZLE_128_ATOM_32,
    PTX__TMAP_SWIZZLE_128_ATOM_32_FLIP_8,
    PTX__TMAP_SWIZZLE_128_ATOM_64,
};

/* What tensormap.replace changes. */
enum ptx__tmap_field {
    PTX__TMAP_ADDRESS,
    PTX__TMAP_RANK,
    PTX__TMAP_BOX,
    PTX__TMAP_DIM,
    PTX__TMAP_STRIDE,
    PTX__TMAP_STEP,
    PTX__TMAP_TYPE,
    PTX__TMAP_INTERLEAVE,
    PTX__TMAP_SWIZZLE,
    PTX__TMAP_ATOMICITY,
    PTX__TMAP_FILL,
};

/* The innermost dimension comes first. */
struct ptx__tmap {
    uint64_t address;
    uint64_t dims[PTX__TMAP_DIMENSIONS];
    uint64_t strides[PTX__TMAP_DIMENSIONS - 1]; /* in bytes, of all but the innermost */
    uint16_t box[PTX__TMAP_DIMENSIONS];         /* tiled; of a column of pixels only the first */
    uint8_t steps[PTX__TMAP_DIMENSIONS];
    int16_t lower[3], upper[3]; /* of a column of pixels: the corners of the box that it is in */
    uint64_t pixels;
    uint8_t rank, type, interleave, swizzle, promotion;
    bool columns; /* of pixels, not tiled */
    bool wide;    /* and only along the first dimension of pixels */
    bool fills_nan;
};

/* Returns the bits of an element in memory. */
unsigned ptx__tmap_bits(enum ptx__tmap_type type);
bool ptx__tmap_is_float(enum ptx__tmap_type type);

/* Of columns of pixels: how many coordinates a corner has, and the bits of each. */
unsigned ptx__tmap_corners(const struct ptx__tmap *map);
unsigned ptx__tmap_corner_bits(const struct ptx__tmap *map);

/*
 * Returns the bytes of a box as the driver counts them: the steps divide the box, and what is left
 * over is lost.
 */
uint64_t ptx__tmap_counted_bytes(const struct ptx__tmap *map);

void ptx__tmap_pack(const struct ptx__tmap *map, uint32_t *words);

/* Returns NULL, or what is wrong with the map, as the end of a sentence. */
const char *ptx__tmap_unpack(const uint32_t *words, struct ptx__tmap *ret_map);

/* Changes a field, without a check, as a device does. */
void ptx__tmap_set(uint32_t *words, enum ptx__tmap_field field, unsigned dimension, uint64_t value);

#endif
