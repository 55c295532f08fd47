/* SPDX-License-Identifier: MIT */
/* Textures, surfaces and references of modules, for the engine that samples them. */
#include <string.h>

#include "mock/allocation/array.h"
#include "mock/allocation/memory.h"
#include "mock/base/state.h"
#include "mock/module/module.h"
#include "mock/texture/texture.h"

#define LAYERED  CUDA_ARRAY3D_LAYERED
#define CUBEMAP  CUDA_ARRAY3D_CUBEMAP
#define SEAMLESS 0x40u
#define FACES    6

/* CU_AD_FORMAT_UNORM_INT8X1 and what follows, see allocation/array_shape.c. */
static void set_normalised(struct ptx__image *image, unsigned number)
{
    image->kind = number < 6 ? PTX__TEXEL_UNORM : PTX__TEXEL_SNORM;
    image->bytes = number / 3 % 2 ? 2 : 1;
}

static void set_format(struct ptx__image *image, CUarray_format format, unsigned channels)
{
    static const struct {
        CUarray_format format;
        uint8_t kind, bytes;
    } formats[] = {
        {CU_AD_FORMAT_UNSIGNED_INT8, PTX__TEXEL_UNSIGNED, 1},
        {CU_AD_FORMAT_UNSIGNED_INT16, PTX__TEXEL_UNSIGNED, 2},
        {CU_AD_FORMAT_UNSIGNED_INT32, PTX__TEXEL_UNSIGNED, 4},
        {CU_AD_FORMAT_SIGNED_INT8, PTX__TEXEL_SIGNED, 1},
        {CU_AD_FORMAT_SIGNED_INT16, PTX__TEXEL_SIGNED, 2},
        {CU_AD_FORMAT_SIGNED_INT32, PTX__TEXEL_SIGNED, 4},
        {CU_AD_FORMAT_HALF, PTX__TEXEL_FLOAT, 2},
        {CU_AD_FORMAT_FLOAT, PTX__TEXEL_FLOAT, 4},
    };

    image->element_type = (unsigned) format;
    image->channels = (uint8_t) channels;
    if ((unsigned) format >= 0xc0u)
        set_normalised(image, (unsigned) format - 0xc0u);
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
        if (formats[i].format == format) {
            image->kind = formats[i].kind;
            image->bytes = formats[i].bytes;
        }
}

/* --- the levels and the sampler of an image --- */

static void set_level(struct ptx__image_level *level, const struct mock__texels *texels)
{
    *level = (struct ptx__image_level){.address = texels->address,
                                       .pitch = texels->pitch,
                                       .width = (uint32_t) texels->width,
                                       .height = (uint32_t) texels->rows,
                                       .depth = (uint32_t) texels->slices};
}

static void set_shape(struct ptx__image *image, const CUDA_RESOURCE_DESC *resource,
                      const struct mock__texels *texels)
{
    image->is_buffer = resource->resType == CU_RESOURCE_TYPE_LINEAR;
    image->is_layered = texels->flags & LAYERED;
    image->is_cube = texels->flags & CUBEMAP;
    image->dimensions = texels->rows > 1 || image->is_cube ? 2 : 1;
    if (texels->slices > 1 && !image->is_layered && !image->is_cube)
        image->dimensions = 3;
    if (image->is_layered)
        image->layers = (unsigned) texels->slices / (image->is_cube ? FACES : 1);
}

static void set_resource(struct ptx__image *image, const CUDA_RESOURCE_DESC *resource)
{
    struct mock__texels texels;

    if (mock__texels_of(resource, 0, &texels) != CUDA_SUCCESS) {
        image->problem = "is of an array that was destroyed";
        return;
    }
    if (!texels.element || !texels.width || !texels.rows) {
        image->problem = "has no elements, or a format that no texture has";
        return;
    }
    set_format(image, texels.format, texels.channels);
    set_shape(image, resource, &texels);
    while (image->n_levels < PTX__MOST_LEVELS &&
           mock__texels_of(resource, image->n_levels, &texels) == CUDA_SUCCESS)
        set_level(&image->levels[image->n_levels++], &texels);
}

/* The layers of a view, as far as there are such. */
static void set_layers(struct ptx__image_level *level, unsigned first, unsigned last)
{
    last = last < level->depth ? last : level->depth - 1;
    first = first < last ? first : last;
    level->address += first * level->pitch * level->height;
    level->depth = last - first + 1;
}

/* Other levels, layers, and another format of the same size. */
static void set_view(struct ptx__image *image, const CUDA_RESOURCE_VIEW_DESC *view)
{
    static const CUarray_format formats[] = {CU_AD_FORMAT_UNSIGNED_INT8,  CU_AD_FORMAT_SIGNED_INT8,
                                             CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_SIGNED_INT16,
                                             CU_AD_FORMAT_UNSIGNED_INT32, CU_AD_FORMAT_SIGNED_INT32,
                                             CU_AD_FORMAT_HALF,           CU_AD_FORMAT_FLOAT};
    const unsigned last =
        view->lastMipmapLevel < image->n_levels ? view->lastMipmapLevel : image->n_levels - 1;
    const unsigned first = view->firstMipmapLevel < last ? view->firstMipmapLevel : last;

    if (view->format > CU_RES_VIEW_FORMAT_FLOAT_4X32)
        image->problem = "has a view of compressed blocks, which the mock does not read";
    else if (view->format != CU_RES_VIEW_FORMAT_NONE)
        set_format(image, formats[(view->format - 1) / 3], 1u << (view->format - 1) % 3);
    memmove(image->levels, image->levels + first, (last - first + 1) * sizeof(*image->levels));
    image->n_levels = last - first + 1;
    if (!image->is_layered && !image->is_cube)
        return;
    for (unsigned i = 0; i < image->n_levels; i++)
        set_layers(&image->levels[i], view->firstLayer, view->lastLayer);
    if (image->is_layered)
        image->layers = image->levels[0].depth / (image->is_cube ? FACES : 1);
}

/* --- how it is read --- */

static uint8_t mode_of(CUaddress_mode mode)
{
    switch (mode) {
    case CU_TR_ADDRESS_MODE_WRAP:
        return PTX__WRAP;
    case CU_TR_ADDRESS_MODE_MIRROR:
        return PTX__MIRROR;
    case CU_TR_ADDRESS_MODE_BORDER:
        return PTX__BORDER;
    default:
        return PTX__CLAMP;
    }
}

static struct ptx__sampler sampler_of(const CUDA_TEXTURE_DESC *texture)
{
    struct ptx__sampler sampler = {
        .linear = texture->filterMode == CU_TR_FILTER_MODE_LINEAR,
        .linear_levels = texture->mipmapFilterMode == CU_TR_FILTER_MODE_LINEAR,
        .normalised = texture->flags & CU_TRSF_NORMALIZED_COORDINATES,
        .as_integer = texture->flags & CU_TRSF_READ_AS_INTEGER,
        .srgb = texture->flags & CU_TRSF_SRGB,
        .seamless = texture->flags & SEAMLESS,
        .bias = texture->mipmapLevelBias,
        .min_level = texture->minMipmapLevelClamp,
        .max_level = texture->maxMipmapLevelClamp,
    };

    for (unsigned i = 0; i < 3; i++)
        sampler.modes[i] = mode_of(texture->addressMode[i]);
    memcpy(sampler.border, texture->borderColor, sizeof(sampler.border));
    return sampler;
}

/* --- finding an image --- */

static bool find_object(uint64_t handle, struct ptx__image *image)
{
    const struct mock__texture *texture = mock__texture_find(handle);
    const struct mock__surface *surface = mock__surface_find(handle);

    if (texture) {
        set_resource(image, &texture->resource);
        image->sampler = sampler_of(&texture->texture);
        if (texture->has_view && !image->problem)
            set_view(image, &texture->view);
    } else if (surface) {
        image->is_surface = true;
        set_resource(image, &surface->resource);
    }
    return texture || surface;
}

static bool find_bound(uint64_t address, struct ptx__image *image)
{
    const struct mock__texture_reference *reference = mock__texture_reference_at(address);
    const struct mock__surface_reference *surface = mock__surface_reference_at(address);

    if (reference && reference->bound) {
        set_resource(image, &reference->resource);
        image->sampler = sampler_of(&reference->texture);
        return true;
    }
    if (!surface || !surface->bound)
        return false;
    image->is_surface = true;
    set_resource(image, &surface->resource);
    return true;
}

/* Returns the sampler that a module's text declares, as ptx/parse/initial_value.c keeps it. */
static struct ptx__sampler declared(const struct ptx__variable *variable)
{
    static const uint8_t modes[] = {PTX__WRAP, PTX__MIRROR, PTX__CLAMP, PTX__CLAMP, PTX__BORDER};
    struct ptx__sampler sampler = {.normalised = true, .max_level = PTX__MOST_LEVELS};

    for (size_t i = 0; i < 3 && variable->n_values == PTX_OPAQUE_VALUES; i++)
        sampler.modes[i] = modes[variable->values[i]];
    if (variable->n_values == PTX_OPAQUE_VALUES) {
        sampler.linear = variable->values[PTX_OPAQUE_FILTER];
        sampler.normalised = !variable->values[PTX_OPAQUE_UNNORMALISED];
    }
    return sampler;
}

static bool find_variable(uint64_t address, struct ptx__image *image)
{
    const struct mock__memory *memory = mock__memory_at(address);
    const struct ptx__variable *variable = memory ? memory->variable : NULL;

    if (!variable || ptx__type_class((enum ptx__type) variable->type) != PTX_OPAQUE)
        return false;
    if (variable->type == PTX_SAMPLERREF) {
        image->is_sampler = true;
        image->sampler = declared(variable);
    } else {
        image->problem = "is a reference that is bound to nothing";
    }
    return true;
}

bool mock__image_find(void *unused, uint64_t handle, struct ptx__image *ret_image)
{
    (void) unused;
    return handle && (find_object(handle, ret_image) || find_bound(handle, ret_image) ||
                      find_variable(handle, ret_image));
}
