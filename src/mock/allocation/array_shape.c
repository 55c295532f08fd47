/* SPDX-License-Identifier: MIT */
/* Checks which arrays are possible. */
#include "mock/allocation/array.h"
#include "mock/base/state.h"

#define LAYERED CUDA_ARRAY3D_LAYERED
#define CUBEMAP CUDA_ARRAY3D_CUBEMAP
#define GATHER  CUDA_ARRAY3D_TEXTURE_GATHER
#define SURFACE CUDA_ARRAY3D_SURFACE_LDST
/* For encoders and decoders of video, which the mock has not; and a bit that no driver looks at. */
#define UNUSED 0x80000100u
/* Sparse arrays and deferred mapping: cuMemMapArrayAsync() maps their memory later. */
#define LATER    0xc0u
#define ALL      (LAYERED | CUBEMAP | GATHER | SURFACE | UNUSED | LATER)
#define N_SHAPES 7
#define FACES    6

enum shape { D1, D2, D3, D1_LAYERED, D2_LAYERED, CUBE, CUBE_LAYERED };

/*
 * The attributes with the maximum of width, height, and depth or layers, by their numbers; 0 if
 * there is none.
 */
static const struct {
    unsigned texture[3], surface[3];
} limits[N_SHAPES] = {
    [D1] = {{21}, {55}},
    [D2] = {{22, 23}, {56, 57}},
    [D3] = {{24, 25, 26}, {58, 59, 60}},
    [D1_LAYERED] = {{42, 0, 43}, {61, 0, 62}},
    [D2_LAYERED] = {{27, 28, 29}, {63, 64, 65}},
    [CUBE] = {{52, 52, 0}, {66, 66, 0}},
    [CUBE_LAYERED] = {{53, 53, 54}, {67, 67, 68}},
};

/* Alternative limits: a device allows more depth with less width and height. */
static const unsigned deep[3] = {47, 48, 49}, gather[3] = {45, 46}, mipmapped_1d[3] = {77},
                      mipmapped_2d[3] = {73, 74};

/* Returns the bytes of a channel, or 0 if the format includes its channels. */
static size_t channel_bytes(CUarray_format format)
{
    switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8:
        return 1;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF:
        return 2;
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_FLOAT:
        return 4;
    default:
        return 0;
    }
}

/*
 * CU_AD_FORMAT_UNORM_INT8X1 and the eleven formats after it: {unorm, snorm} x {8, 16} bits x {1, 2,
 * 4} channels.
 */
static size_t normalised_element(CUarray_format format, unsigned channels)
{
    static const unsigned counts[] = {1, 2, 4};
    const unsigned number = (unsigned) format - 0xc0u;

    if (number >= 12 || channels != counts[number % 3])
        return 0;
    return channels * (number / 3 % 2 ? 2 : 1);
}

size_t mock__array_element(CUarray_format format, unsigned channels)
{
    const size_t bytes = channel_bytes(format);

    if (bytes)
        return channels == 1 || channels == 2 || channels == 4 ? channels * bytes : 0;
    return normalised_element(format, channels);
}

static bool shape_of(const CUDA_ARRAY3D_DESCRIPTOR *d, enum shape *ret_shape)
{
    const unsigned flags = d->Flags;

    if (!d->Width || (flags & GATHER && (flags & (LAYERED | CUBEMAP) || d->Depth || !d->Height)))
        return false;
    if (flags & CUBEMAP) {
        *ret_shape = flags & LAYERED ? CUBE_LAYERED : CUBE;
        return d->Width == d->Height && d->Depth % FACES == 0 &&
               (flags & LAYERED ? d->Depth > 0 : d->Depth == FACES);
    }
    if (flags & LAYERED)
        *ret_shape = d->Height ? D2_LAYERED : D1_LAYERED;
    else
        *ret_shape = d->Depth ? D3 : d->Height ? D2 : D1;
    return flags & LAYERED ? d->Depth > 0 : !d->Depth || d->Height;
}

static bool fits(const struct mock__device *device, const unsigned attributes[3],
                 const CUDA_ARRAY3D_DESCRIPTOR *d)
{
    const size_t sizes[3] = {d->Width, d->Height, d->Depth};

    for (size_t i = 0; i < 3; i++)
        if (attributes[i] &&
            sizes[i] > (size_t) mock__attribute(device, (CUdevice_attribute) attributes[i]))
            return false;
    return true;
}

static bool fits_shape(const struct mock__device *device, enum shape shape,
                       const CUDA_ARRAY3D_DESCRIPTOR *d, bool mipmapped)
{
    if (d->Flags & SURFACE && !fits(device, limits[shape].surface, d))
        return false;
    if (d->Flags & GATHER)
        return fits(device, gather, d);
    if (mipmapped && shape <= D2)
        return fits(device, shape == D1 ? mipmapped_1d : mipmapped_2d, d);
    return fits(device, limits[shape].texture, d) || (shape == D3 && fits(device, deep, d));
}

CUDA_ARRAY3D_DESCRIPTOR mock__array_read(const CUDA_ARRAY3D_DESCRIPTOR *given)
{
    CUDA_ARRAY3D_DESCRIPTOR result = *given;

    result.Width = (uint32_t) given->Width;
    result.Height = (uint32_t) given->Height;
    result.Depth = (uint32_t) given->Depth;
    return result;
}

CUresult mock__array_check(const struct mock__device *device,
                           const CUDA_ARRAY3D_DESCRIPTOR *descriptor, bool mipmapped)
{
    enum shape shape = D1;

    MOCK__REQUIRE(!(descriptor->Flags & ~ALL) && shape_of(descriptor, &shape) &&
                      fits_shape(device, shape, descriptor, mipmapped),
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(!(descriptor->Flags & LATER), CUDA_ERROR_NOT_SUPPORTED);
    MOCK__REQUIRE(mock__array_element(descriptor->Format, descriptor->NumChannels),
                  CUDA_ERROR_INVALID_VALUE);
    return CUDA_SUCCESS;
}

bool mock__array_bytes(const CUDA_ARRAY3D_DESCRIPTOR *descriptor, size_t *ret_bytes)
{
    size_t bytes = mock__array_element(descriptor->Format, descriptor->NumChannels);

    return !__builtin_mul_overflow(bytes, descriptor->Width, &bytes) &&
           !__builtin_mul_overflow(bytes, descriptor->Height ? descriptor->Height : 1, &bytes) &&
           !__builtin_mul_overflow(bytes, descriptor->Depth ? descriptor->Depth : 1, ret_bytes);
}
