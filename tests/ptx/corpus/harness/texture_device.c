/* SPDX-License-Identifier: MIT */
/* Textures and surfaces on a device. */
#include <stdbool.h>

#include "device.h"

#define TRY(device, call) CORPUS_TRY(device, (device)->cu, call)

#define PASS(call)                                                                                 \
    do {                                                                                           \
        const CUresult pass_result = (call);                                                       \
        if (pass_result != CUDA_SUCCESS)                                                           \
            return pass_result;                                                                    \
    } while (0)

static CUarray_format format_of(const struct corpus_buffer *buffer)
{
    const bool sign = buffer->image->sign;

    switch (buffer->type) {
    case U8:
        return sign ? CU_AD_FORMAT_SIGNED_INT8 : CU_AD_FORMAT_UNSIGNED_INT8;
    case U16:
        return sign ? CU_AD_FORMAT_SIGNED_INT16 : CU_AD_FORMAT_UNSIGNED_INT16;
    case F16:
        return CU_AD_FORMAT_HALF;
    case F32:
        return CU_AD_FORMAT_FLOAT;
    default:
        return sign ? CU_AD_FORMAT_SIGNED_INT32 : CU_AD_FORMAT_UNSIGNED_INT32;
    }
}

static unsigned channels_of(const struct corpus_image *image)
{
    return image->channels ? image->channels : 1;
}

static size_t element_of(const struct corpus_buffer *buffer)
{
    return channels_of(buffer->image) * corpus_size_of(buffer->type);
}

/* Layers and faces are as many on every level. */
static size_t size_of(const struct corpus_image *image, unsigned axis, unsigned level)
{
    const size_t size = image->size[axis];

    if (axis == 2 && image->flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP))
        return size;
    return size && !(size >> level) ? 1 : size >> level;
}

static size_t at_least_one(size_t n)
{
    return n ? n : 1;
}

static CUDA_ARRAY3D_DESCRIPTOR shape_of(const struct corpus_buffer *buffer)
{
    const struct corpus_image *image = buffer->image;

    return (CUDA_ARRAY3D_DESCRIPTOR){
        .Width = image->size[0],
        .Height = image->size[1],
        .Depth = image->size[2],
        .Format = format_of(buffer),
        .NumChannels = channels_of(image),
        .Flags = image->flags | (buffer->role == SURFACE ? CUDA_ARRAY3D_SURFACE_LDST : 0)};
}

/* One level, to it or from it. */
static CUresult copy_level(struct corpus_device *device, const struct corpus_buffer *buffer,
                           CUarray array, unsigned level, void *host, bool to_device)
{
    const struct corpus_image *image = buffer->image;
    CUDA_MEMCPY3D copy = {.WidthInBytes = size_of(image, 0, level) * element_of(buffer),
                          .Height = at_least_one(size_of(image, 1, level)),
                          .Depth = at_least_one(size_of(image, 2, level))};

    copy.srcMemoryType = to_device ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_ARRAY;
    copy.dstMemoryType = to_device ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_HOST;
    copy.srcHost = copy.dstHost = host;
    copy.srcArray = copy.dstArray = array;
    copy.srcPitch = copy.dstPitch = copy.WidthInBytes;
    copy.srcHeight = copy.dstHeight = copy.Height;
    TRY(device, cuMemcpy3D(&copy));
    return CUDA_SUCCESS;
}

static size_t bytes_of_level(const struct corpus_buffer *buffer, unsigned level)
{
    const struct corpus_image *image = buffer->image;

    return element_of(buffer) * size_of(image, 0, level) * at_least_one(size_of(image, 1, level)) *
           at_least_one(size_of(image, 2, level));
}

static CUresult fill_levels(struct corpus_device *device, const struct corpus_buffer *buffer,
                            CUmipmappedArray levels, char *host)
{
    for (unsigned i = 0; i < buffer->image->levels; i++) {
        CUarray array;

        TRY(device, cuMipmappedArrayGetLevel(&array, levels, i));
        PASS(copy_level(device, buffer, array, i, host, true));
        host += bytes_of_level(buffer, i);
    }
    return CUDA_SUCCESS;
}

static CUresult make_memory(struct corpus_device *device, const struct corpus_buffer *buffer,
                            void *host, struct corpus_placed *placed, CUDA_RESOURCE_DESC *resource)
{
    const struct corpus_image *image = buffer->image;

    TRY(device, cuMemAlloc(&placed->memory, corpus_bytes(buffer)));
    TRY(device, cuMemcpyHtoD(placed->memory, host, corpus_bytes(buffer)));
    if (image->home == IN_MEMORY) {
        resource->resType = CU_RESOURCE_TYPE_LINEAR;
        resource->res.linear.devPtr = placed->memory;
        resource->res.linear.format = format_of(buffer);
        resource->res.linear.numChannels = channels_of(image);
        resource->res.linear.sizeInBytes = corpus_bytes(buffer);
        return CUDA_SUCCESS;
    }
    resource->resType = CU_RESOURCE_TYPE_PITCH2D;
    resource->res.pitch2D.devPtr = placed->memory;
    resource->res.pitch2D.format = format_of(buffer);
    resource->res.pitch2D.numChannels = channels_of(image);
    resource->res.pitch2D.width = image->size[0];
    resource->res.pitch2D.height = image->size[1];
    resource->res.pitch2D.pitchInBytes = image->size[0] * element_of(buffer);
    return CUDA_SUCCESS;
}

static CUresult make_resource(struct corpus_device *device, const struct corpus_buffer *buffer,
                              void *host, struct corpus_placed *placed,
                              CUDA_RESOURCE_DESC *resource)
{
    const CUDA_ARRAY3D_DESCRIPTOR shape = shape_of(buffer);

    if (buffer->image->home == IN_MEMORY || buffer->image->home == IN_ROWS)
        return make_memory(device, buffer, host, placed, resource);
    if (buffer->image->home == IN_LEVELS) {
        TRY(device, cuMipmappedArrayCreate(&placed->levels, &shape, buffer->image->levels));
        resource->resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
        resource->res.mipmap.hMipmappedArray = placed->levels;
        return fill_levels(device, buffer, placed->levels, host);
    }
    TRY(device, cuArray3DCreate(&placed->array, &shape));
    resource->resType = CU_RESOURCE_TYPE_ARRAY;
    resource->res.array.hArray = placed->array;
    return copy_level(device, buffer, placed->array, 0, host, true);
}

static CUDA_TEXTURE_DESC reading_of(const struct corpus_image *image)
{
    CUDA_TEXTURE_DESC how = {
        .filterMode = image->linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT,
        .mipmapFilterMode =
            image->linear_levels ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT,
        .flags = image->reading,
        .mipmapLevelBias = image->bias,
        .minMipmapLevelClamp = image->least_level,
        .maxMipmapLevelClamp = image->most_level,
    };

    for (unsigned i = 0; i < 3; i++)
        how.addressMode[i] = (CUaddress_mode) image->modes[i];
    for (unsigned i = 0; i < 4; i++)
        how.borderColor[i] = image->border[i];
    return how;
}

/* The module's variable is bound to an array, and read as the image says. */
static CUresult bind_texture(struct corpus_device *device, CUmodule module,
                             const struct corpus_buffer *buffer, CUarray array)
{
    const CUDA_TEXTURE_DESC how = reading_of(buffer->image);
    CUtexref reference;

    TRY(device, cuModuleGetTexRef(&reference, module, buffer->symbol));
    for (int i = 0; i < 3; i++)
        TRY(device, cuTexRefSetAddressMode(reference, i, how.addressMode[i]));
    TRY(device, cuTexRefSetFilterMode(reference, how.filterMode));
    TRY(device, cuTexRefSetFlags(reference, how.flags));
    TRY(device, cuTexRefSetArray(reference, array, CU_TRSA_OVERRIDE_FORMAT));
    return CUDA_SUCCESS;
}

CUresult corpus_image_make(struct corpus_device *device, CUmodule module,
                           const struct corpus_buffer *buffer, void *host,
                           struct corpus_placed *ret_placed)
{
    const CUDA_TEXTURE_DESC how = reading_of(buffer->image);
    CUDA_RESOURCE_DESC resource = {.flags = 0};

    PASS(make_resource(device, buffer, host, ret_placed, &resource));
    if (buffer->role == SURFACE && buffer->symbol) {
        CUsurfref reference;

        TRY(device, cuModuleGetSurfRef(&reference, module, buffer->symbol));
        TRY(device, cuSurfRefSetArray(reference, ret_placed->array, 0));
    } else if (buffer->role == SURFACE) {
        TRY(device, cuSurfObjectCreate(&ret_placed->surface, &resource));
    } else if (buffer->symbol) {
        PASS(bind_texture(device, module, buffer, ret_placed->array));
    } else {
        TRY(device, cuTexObjectCreate(&ret_placed->texture, &resource, &how, NULL));
    }
    return CUDA_SUCCESS;
}

CUresult corpus_image_read(struct corpus_device *device, const struct corpus_buffer *buffer,
                           const struct corpus_placed *placed, void *host)
{
    return copy_level(device, buffer, placed->array, 0, host, false);
}

void corpus_image_free(struct corpus_device *device, struct corpus_placed *placed)
{
    const struct cushim_cuda_api *cu = device->cu;

    if (placed->texture)
        cu->cuTexObjectDestroy(placed->texture);
    if (placed->surface)
        cu->cuSurfObjectDestroy(placed->surface);
    if (placed->array)
        cu->cuArrayDestroy(placed->array);
    if (placed->levels)
        cu->cuMipmappedArrayDestroy(placed->levels);
    if (placed->memory)
        cu->cuMemFree(placed->memory);
}
