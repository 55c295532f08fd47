/* SPDX-License-Identifier: MIT */
/*
 * cuTensorMap*: what is checked was asked of an H100 (tests/ptx/tensors). Where its driver crashes,
 * the mock answers CUDA_ERROR_INVALID_VALUE.
 */
#include "mock/ptx/tensormap/map.h"

#include <string.h>

#include "mock/base/context.h"
#include "mock/base/state.h"

#if CUDA_VERSION >= 12000

#define MOST_ADDRESS   (UINT64_C(1) << 57)
#define MOST_STRIDE    (UINT64_C(1) << 40)
#define MOST_DIMENSION (UINT64_C(1) << 32)

enum { MOST_BOX = 256, MOST_STEP = 8, MOST_PIXELS = 1024, UNIT = 16, PACKED_BOX = 128 };

/* What all kinds of maps have. */
struct shape {
    unsigned type, rank, interleave, swizzle, promotion, fill;
    const void *address;
    const cuuint64_t *dims, *strides;
    const cuuint32_t *steps;
};

static bool is_packed(unsigned type)
{
    return type >= PTX__TMAP_U4_OF_8;
}

/* Memory is taken in units of this many bytes. */
static uint64_t unit_of(const struct shape *shape)
{
    return shape->interleave == PTX__INTERLEAVE_32 || shape->type > PTX__TMAP_U4_OF_8 ? 32 : UNIT;
}

/* Blackwell has more types and swizzles, and another kind of columns. */
static bool is_newer(const struct mock__device *device)
{
    return mock__attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) >= 10;
}

static bool words_fit(const struct shape *shape, const struct mock__device *device)
{
    const bool newer = is_newer(device);

    return shape->type < (newer ? PTX__TMAP_TYPES : PTX__TMAP_U4_OF_8) &&
           shape->interleave <= PTX__INTERLEAVE_32 &&
           shape->swizzle <= (newer ? PTX__TMAP_SWIZZLE_128_ATOM_64 : PTX__TMAP_SWIZZLE_128) &&
           shape->promotion <= 3 && shape->fill <= 1 &&
           (!shape->fill || ptx__tmap_is_float((enum ptx__tmap_type) shape->type));
}

static bool dimensions_fit(const struct shape *shape)
{
    const uint64_t unit = unit_of(shape);

    for (unsigned i = 0; i < shape->rank; i++) {
        if (!shape->dims[i] || shape->dims[i] > MOST_DIMENSION || !shape->steps[i] ||
            shape->steps[i] > MOST_STEP)
            return false;
        if (i && (shape->strides[i - 1] % unit || shape->strides[i - 1] >= MOST_STRIDE))
            return false;
    }
    if (shape->type == PTX__TMAP_U4_OF_8)
        return shape->dims[0] % 2 == 0;
    return !is_packed(shape->type) || shape->dims[0] % PACKED_BOX == 0;
}

/* The bytes of a row of the box, or of the channels of a pixel. */
static bool row_fits(const struct shape *shape, uint64_t elements)
{
    static const uint16_t spans[] = {0, 32, 64, 128, 128, 128, 128};
    const uint64_t bits = elements * ptx__tmap_bits((enum ptx__tmap_type) shape->type);

    if (!elements || elements > MOST_BOX || bits % (8 * UNIT))
        return false;
    if (shape->type > PTX__TMAP_U4_OF_8)
        return elements == PACKED_BOX;
    return shape->interleave || !shape->swizzle || bits / 8 <= spans[shape->swizzle];
}

static CUresult check(const struct shape *shape, const struct mock__context *context,
                      unsigned least_rank)
{
    const uint64_t address = (uintptr_t) shape->address;

    MOCK__REQUIRE(mock__attribute(context->device, CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED),
                  CUDA_ERROR_NOT_SUPPORTED);
    MOCK__REQUIRE(shape->dims && shape->steps && shape->strides, CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(shape->rank >= least_rank && shape->rank <= PTX__TMAP_DIMENSIONS &&
                      (shape->rank >= 3 || !shape->interleave),
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(words_fit(shape, context->device), CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(address % unit_of(shape) == 0 && address < MOST_ADDRESS,
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(dimensions_fit(shape), CUDA_ERROR_INVALID_VALUE);
    return CUDA_SUCCESS;
}

static struct ptx__tmap map_of(const struct shape *shape)
{
    struct ptx__tmap map = {.address = (uintptr_t) shape->address,
                            .rank = (uint8_t) shape->rank,
                            .type = (uint8_t) shape->type,
                            .interleave = (uint8_t) shape->interleave,
                            .swizzle = (uint8_t) shape->swizzle,
                            .promotion = (uint8_t) shape->promotion,
                            .fills_nan = shape->fill};

    for (unsigned i = 0; i < shape->rank; i++) {
        map.dims[i] = shape->dims[i];
        map.steps[i] = (uint8_t) shape->steps[i];
        if (i)
            map.strides[i - 1] = shape->strides[i - 1];
    }
    return map;
}

/* Makes the map, if its box is not larger than shared memory. It may be at any address. */
static CUresult write_map(const struct ptx__tmap *map, const struct mock__context *context,
                          CUtensorMap *to)
{
    const int most =
        mock__attribute(context->device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
    uint32_t words[PTX__TMAP_WORDS];

    MOCK__REQUIRE(ptx__tmap_counted_bytes(map) <= (uint64_t) most, CUDA_ERROR_INVALID_VALUE);
    ptx__tmap_pack(map, words);
    memcpy((void *) to, words, sizeof(words));
    return CUDA_SUCCESS;
}

CUresult mock_cuTensorMapEncodeTiled(CUtensorMap *tensorMap, CUtensorMapDataType tensorDataType,
                                     cuuint32_t tensorRank, void *globalAddress,
                                     const cuuint64_t *globalDim, const cuuint64_t *globalStrides,
                                     const cuuint32_t *boxDim, const cuuint32_t *elementStrides,
                                     CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                     CUtensorMapL2promotion l2Promotion,
                                     CUtensorMapFloatOOBfill oobFill)
{
    const struct shape shape = {(unsigned) tensorDataType,
                                tensorRank,
                                (unsigned) interleave,
                                (unsigned) swizzle,
                                (unsigned) l2Promotion,
                                (unsigned) oobFill,
                                globalAddress,
                                globalDim,
                                globalStrides,
                                elementStrides};
    struct ptx__tmap map;

    MOCK__ENTER_CONTEXT(context);
    MOCK__REQUIRE(tensorMap && boxDim, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(check(&shape, context, 1));
    MOCK__REQUIRE(row_fits(&shape, boxDim[0]), CUDA_ERROR_INVALID_VALUE);
    map = map_of(&shape);
    for (unsigned i = 0; i < tensorRank; i++) {
        MOCK__REQUIRE(boxDim[i] && boxDim[i] <= MOST_BOX, CUDA_ERROR_INVALID_VALUE);
        map.box[i] = (uint16_t) boxDim[i];
    }
    return write_map(&map, context, tensorMap);
}

/* --- columns of pixels --- */

/* Whether the box that a column is in has pixels. A device computes with 32 bits. */
static bool has_pixels(uint64_t dimension, int lower, int upper)
{
    return (int32_t) ((uint32_t) dimension + (uint32_t) upper) > lower;
}

static bool corners_fit(struct ptx__tmap *map, const int *lower, const int *upper)
{
    const int most = (1 << (ptx__tmap_corner_bits(map) - 1)) - 1;
    const unsigned first = map->interleave ? 0 : 1; /* the first dimension of pixels */

    for (unsigned i = 0; i < ptx__tmap_corners(map); i++) {
        if (lower[i] < -most - 1 || lower[i] > most || upper[i] < -most - 1 || upper[i] > most ||
            !has_pixels(map->dims[first + i], lower[i], upper[i]))
            return false;
        map->lower[i] = (int16_t) lower[i];
        map->upper[i] = (int16_t) upper[i];
    }
    return true;
}

static CUresult encode_columns(const struct shape *shape, const struct mock__context *context,
                               cuuint32_t channels, cuuint32_t pixels, struct ptx__tmap *ret_map)
{
    MOCK__TRY(check(shape, context, 3));
    MOCK__REQUIRE(row_fits(shape, channels) && pixels && pixels <= MOST_PIXELS,
                  CUDA_ERROR_INVALID_VALUE);
    *ret_map = map_of(shape);
    ret_map->columns = true;
    ret_map->box[0] = (uint16_t) channels;
    ret_map->pixels = pixels;
    return CUDA_SUCCESS;
}

CUresult mock_cuTensorMapEncodeIm2col(
    CUtensorMap *tensorMap, CUtensorMapDataType tensorDataType, cuuint32_t tensorRank,
    void *globalAddress, const cuuint64_t *globalDim, const cuuint64_t *globalStrides,
    const int *pixelBoxLowerCorner, const int *pixelBoxUpperCorner, cuuint32_t channelsPerPixel,
    cuuint32_t pixelsPerColumn, const cuuint32_t *elementStrides, CUtensorMapInterleave interleave,
    CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2Promotion, CUtensorMapFloatOOBfill oobFill)
{
    const struct shape shape = {(unsigned) tensorDataType,
                                tensorRank,
                                (unsigned) interleave,
                                (unsigned) swizzle,
                                (unsigned) l2Promotion,
                                (unsigned) oobFill,
                                globalAddress,
                                globalDim,
                                globalStrides,
                                elementStrides};
    struct ptx__tmap map;

    MOCK__ENTER_CONTEXT(context);
    MOCK__REQUIRE(tensorMap && pixelBoxLowerCorner && pixelBoxUpperCorner,
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(encode_columns(&shape, context, channelsPerPixel, pixelsPerColumn, &map));
    MOCK__REQUIRE(corners_fit(&map, pixelBoxLowerCorner, pixelBoxUpperCorner),
                  CUDA_ERROR_INVALID_VALUE);
    return write_map(&map, context, tensorMap);
}

#if CUDA_VERSION >= 12080
CUresult mock_cuTensorMapEncodeIm2colWide(
    CUtensorMap *tensorMap, CUtensorMapDataType tensorDataType, cuuint32_t tensorRank,
    void *globalAddress, const cuuint64_t *globalDim, const cuuint64_t *globalStrides,
    int pixelBoxLowerCornerWidth, int pixelBoxUpperCornerWidth, cuuint32_t channelsPerPixel,
    cuuint32_t pixelsPerColumn, const cuuint32_t *elementStrides, CUtensorMapInterleave interleave,
    CUtensorMapIm2ColWideMode mode, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2Promotion,
    CUtensorMapFloatOOBfill oobFill)
{
    const struct shape shape = {(unsigned) tensorDataType,
                                tensorRank,
                                (unsigned) interleave,
                                (unsigned) swizzle,
                                (unsigned) l2Promotion,
                                (unsigned) oobFill,
                                globalAddress,
                                globalDim,
                                globalStrides,
                                elementStrides};
    const int lower[] = {pixelBoxLowerCornerWidth, 0, 0},
              upper[] = {pixelBoxUpperCornerWidth, 0, 0};
    struct ptx__tmap map;

    MOCK__ENTER_CONTEXT(context);
    MOCK__REQUIRE(tensorMap && (unsigned) mode <= CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128,
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(encode_columns(&shape, context, channelsPerPixel, pixelsPerColumn, &map));
    map.wide = is_newer(context->device); /* a device of Hopper makes an ordinary map */
    if (map.wide && mode == CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128)
        map.pixels = 128;
    MOCK__REQUIRE(corners_fit(&map, lower, upper), CUDA_ERROR_INVALID_VALUE);
    return write_map(&map, context, tensorMap);
}
#endif

CUresult mock_cuTensorMapReplaceAddress(CUtensorMap *tensorMap, void *globalAddress)
{
    const uint64_t address = (uintptr_t) globalAddress;
    uint32_t words[PTX__TMAP_WORDS];

    MOCK__ENTER_CONTEXT(context);
    MOCK__REQUIRE(tensorMap && address && address % UNIT == 0 && address < MOST_ADDRESS,
                  CUDA_ERROR_INVALID_VALUE);
    memcpy(words, (const void *) tensorMap, sizeof(words));
    ptx__tmap_set(words, PTX__TMAP_ADDRESS, 0, address);
    memcpy((void *) tensorMap, words, sizeof(words));
    return CUDA_SUCCESS;
}

#endif
