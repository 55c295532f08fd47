/* SPDX-License-Identifier: MIT */
/* The resources of textures and surfaces. */
#include "mock/allocation/array.h"
#include "mock/base/state.h"
#include "mock/texture/texture.h"

/* The numbers of attributes. */
enum {
    TEXTURE_ALIGNMENT = 14,
    TEXTURE_PITCH_ALIGNMENT = 51,
    LINEAR_1D_WIDTH = 69,
    LINEAR_2D_WIDTH = 70,
    LINEAR_2D_HEIGHT = 71,
    LINEAR_2D_PITCH = 72,
};

static size_t most(const struct mock__context *context, int attribute)
{
    return (size_t) mock__attribute(context->device, (CUdevice_attribute) attribute);
}

/* Whether memory is there is nothing to the driver: a kernel that reads none faults. */
static bool is_placed(const struct mock__context *context, CUdeviceptr address)
{
    return address && address % most(context, TEXTURE_ALIGNMENT) == 0;
}

static CUresult check_linear(const struct mock__context *context,
                             const CUDA_RESOURCE_DESC *resource)
{
    const size_t element =
        mock__array_element(resource->res.linear.format, resource->res.linear.numChannels);

    MOCK__REQUIRE(element && is_placed(context, resource->res.linear.devPtr) &&
                      resource->res.linear.sizeInBytes / element <= most(context, LINEAR_1D_WIDTH),
                  CUDA_ERROR_INVALID_VALUE);
    return CUDA_SUCCESS;
}

static CUresult check_pitched(const struct mock__context *context,
                              const CUDA_RESOURCE_DESC *resource)
{
    const size_t pitch = resource->res.pitch2D.pitchInBytes;

    MOCK__REQUIRE(
        mock__array_element(resource->res.pitch2D.format, resource->res.pitch2D.numChannels) &&
            is_placed(context, resource->res.pitch2D.devPtr) &&
            resource->res.pitch2D.width <= most(context, LINEAR_2D_WIDTH) &&
            resource->res.pitch2D.height <= most(context, LINEAR_2D_HEIGHT) &&
            pitch <= most(context, LINEAR_2D_PITCH) &&
            pitch % most(context, TEXTURE_PITCH_ALIGNMENT) == 0,
        CUDA_ERROR_INVALID_VALUE);
    return CUDA_SUCCESS;
}

const CUDA_ARRAY3D_DESCRIPTOR *mock__resource_descriptor(const CUDA_RESOURCE_DESC *resource)
{
    const struct mock__array *array;
    const struct mock__mipmapped_array *mipmapped;

    if (resource->resType == CU_RESOURCE_TYPE_ARRAY) {
        array = mock__object_find(MOCK__ARRAY, resource->res.array.hArray);
        return array ? &array->descriptor : NULL;
    }
    mipmapped = mock__object_find(MOCK__MIPMAPPED_ARRAY, resource->res.mipmap.hMipmappedArray);
    return mipmapped ? &mipmapped->descriptor : NULL;
}

CUresult mock__resource_belongs(const struct mock__context *context,
                                const CUDA_RESOURCE_DESC *resource)
{
    const struct mock__array *array = NULL;
    const struct mock__mipmapped_array *mipmapped = NULL;

    if (resource->resType == CU_RESOURCE_TYPE_ARRAY)
        array = mock__object_find(MOCK__ARRAY, resource->res.array.hArray);
    else
        mipmapped = mock__object_find(MOCK__MIPMAPPED_ARRAY, resource->res.mipmap.hMipmappedArray);
    MOCK__REQUIRE(array || mipmapped, mock__array_stranger(resource->res.array.hArray));
    MOCK__REQUIRE((array ? array->context : mipmapped->context) == context,
                  CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
    return CUDA_SUCCESS;
}

CUresult mock__resource_check(const struct mock__context *context,
                              const CUDA_RESOURCE_DESC *resource)
{
    MOCK__REQUIRE(!resource->flags, CUDA_ERROR_INVALID_VALUE);
    switch (resource->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        return mock__resource_belongs(context, resource);
    case CU_RESOURCE_TYPE_LINEAR:
        return check_linear(context, resource);
    case CU_RESOURCE_TYPE_PITCH2D:
        return check_pitched(context, resource);
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

static CUresult texels_of_array(const struct mock__array *array, struct mock__texels *ret_texels)
{
    MOCK__REQUIRE(array, CUDA_ERROR_INVALID_HANDLE);
    *ret_texels = (struct mock__texels){
        .address = array->address,
        .width = array->descriptor.Width,
        .rows = array->rows,
        .slices = array->slices,
        .pitch = array->pitch,
        .element = array->element,
        .format = array->descriptor.Format,
        .channels = array->descriptor.NumChannels,
        .flags = array->descriptor.Flags,
    };
    return CUDA_SUCCESS;
}

static CUresult texels_of_level(const struct mock__mipmapped_array *mipmapped, unsigned level,
                                struct mock__texels *ret_texels)
{
    MOCK__REQUIRE(mipmapped, CUDA_ERROR_INVALID_HANDLE);
    MOCK__REQUIRE(level < mipmapped->n_levels, CUDA_ERROR_INVALID_VALUE);
    return texels_of_array(mipmapped->levels[level], ret_texels);
}

static struct mock__texels texels_of_linear(const CUDA_RESOURCE_DESC *resource)
{
    const size_t element =
        mock__array_element(resource->res.linear.format, resource->res.linear.numChannels);

    return (struct mock__texels){.address = resource->res.linear.devPtr,
                                 .width = element ? resource->res.linear.sizeInBytes / element : 0,
                                 .rows = 1,
                                 .slices = 1,
                                 .pitch = resource->res.linear.sizeInBytes,
                                 .element = element,
                                 .format = resource->res.linear.format,
                                 .channels = resource->res.linear.numChannels};
}

static struct mock__texels texels_of_pitched(const CUDA_RESOURCE_DESC *resource)
{
    return (struct mock__texels){.address = resource->res.pitch2D.devPtr,
                                 .width = resource->res.pitch2D.width,
                                 .rows = resource->res.pitch2D.height,
                                 .slices = 1,
                                 .pitch = resource->res.pitch2D.pitchInBytes,
                                 .element = mock__array_element(resource->res.pitch2D.format,
                                                                resource->res.pitch2D.numChannels),
                                 .format = resource->res.pitch2D.format,
                                 .channels = resource->res.pitch2D.numChannels};
}

CUresult mock__texels_of(const CUDA_RESOURCE_DESC *resource, unsigned level,
                         struct mock__texels *ret_texels)
{
    if (resource->resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY)
        return texels_of_level(
            mock__object_find(MOCK__MIPMAPPED_ARRAY, resource->res.mipmap.hMipmappedArray), level,
            ret_texels);
    MOCK__REQUIRE(level == 0, CUDA_ERROR_INVALID_VALUE);
    switch (resource->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        return texels_of_array(mock__object_find(MOCK__ARRAY, resource->res.array.hArray),
                               ret_texels);
    case CU_RESOURCE_TYPE_LINEAR:
        *ret_texels = texels_of_linear(resource);
        return CUDA_SUCCESS;
    case CU_RESOURCE_TYPE_PITCH2D:
        *ret_texels = texels_of_pitched(resource);
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}
