/* SPDX-License-Identifier: MIT */
/* cuTexObject* */
#include "base/util.h"
#include "mock/allocation/array.h"
#include "mock/base/state.h"
#include "mock/stream/capture.h"
#include "mock/texture/texture.h"

#define FLAGS    0x3fu /* bits 2 and 3 are no flags, and refused by no driver */
#define SEAMLESS 0x40u

const struct mock__texture *mock__texture_find(CUtexObject handle)
{
    return mock__object_find(MOCK__TEXTURE, (const void *) (uintptr_t) handle);
}

/* The coordinates that have an address mode. */
static int n_modes(CUresourcetype type, const struct mock__texels *texels)
{
    if (type == CU_RESOURCE_TYPE_LINEAR)
        return 1;
    return texels->slices > 1 ? 3 : 2;
}

static bool is_reserved_zero(const CUDA_TEXTURE_DESC *texture)
{
    int any = 0;

    for (size_t i = 0; i < ARRAY_SIZE(texture->reserved); i++)
        any |= texture->reserved[i];
    return !any;
}

/* Only cubes have seams. */
static bool flags_valid(unsigned flags, const struct mock__texels *texels)
{
    const bool is_cube = texels->flags & CUDA_ARRAY3D_CUBEMAP;

    return !(flags & ~(FLAGS | (is_cube ? SEAMLESS : 0)));
}

static CUresult check_texture(CUresourcetype type, const CUDA_TEXTURE_DESC *texture,
                              const struct mock__texels *texels)
{
    for (int i = 0; i < n_modes(type, texels); i++)
        MOCK__REQUIRE((unsigned) texture->addressMode[i] <= CU_TR_ADDRESS_MODE_BORDER,
                      CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE((unsigned) texture->filterMode <= CU_TR_FILTER_MODE_LINEAR &&
                      (unsigned) texture->mipmapFilterMode <= CU_TR_FILTER_MODE_LINEAR &&
                      flags_valid(texture->flags, texels) && is_reserved_zero(texture),
                  CUDA_ERROR_INVALID_VALUE);
    return CUDA_SUCCESS;
}

/* Bytes of an element of a view; 0 if there is no such view. */
static size_t view_element(CUresourceViewFormat format)
{
    static const size_t channel[] = {1, 1, 2, 2, 4, 4, 2, 4};

    if (format >= CU_RES_VIEW_FORMAT_UNSIGNED_BC1)
        return format == CU_RES_VIEW_FORMAT_UNSIGNED_BC1 ||
                       format == CU_RES_VIEW_FORMAT_UNSIGNED_BC4 ||
                       format == CU_RES_VIEW_FORMAT_SIGNED_BC4
                   ? 8
                   : 16;
    return format == CU_RES_VIEW_FORMAT_NONE ? 0 : channel[(format - 1) / 3] << (format - 1) % 3;
}

/* The width is that of the whole, whichever level is the first. Blocks of compressed elements are
 * four by four. */
static bool has_size_of(const CUDA_RESOURCE_VIEW_DESC *view, const CUDA_ARRAY3D_DESCRIPTOR *array)
{
    const size_t block = view->format >= CU_RES_VIEW_FORMAT_UNSIGNED_BC1 ? 4 : 1;

    return view->width == block * array->Width && view->height == block * array->Height &&
           (uint32_t) view->depth == array->Depth;
}

static bool is_of_array(const CUDA_RESOURCE_DESC *resource)
{
    return resource->resType == CU_RESOURCE_TYPE_ARRAY ||
           resource->resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
}

/*
 * A view looks at all of an array, in elements of the same size. The last level, and the layer
 * behind the last one, are not refused if there are none such.
 */
static CUresult check_view(const CUDA_RESOURCE_DESC *resource, const struct mock__texels *texels,
                           const CUDA_RESOURCE_VIEW_DESC *view)
{
    const bool has_levels = resource->resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    const CUDA_ARRAY3D_DESCRIPTOR *array;

    array = mock__resource_descriptor(resource);
    MOCK__REQUIRE((unsigned) view->format <= CU_RES_VIEW_FORMAT_UNSIGNED_BC7 &&
                      view_element(view->format) == texels->element && has_size_of(view, array) &&
                      view->firstMipmapLevel <= view->lastMipmapLevel &&
                      (has_levels || !view->lastMipmapLevel) &&
                      view->firstLayer <= view->lastLayer && view->lastLayer <= array->Depth,
                  CUDA_ERROR_INVALID_VALUE);
    return CUDA_SUCCESS;
}

static CUresult check(const struct mock__context *context, const CUDA_RESOURCE_DESC *resource,
                      const CUDA_TEXTURE_DESC *texture, const CUDA_RESOURCE_VIEW_DESC *view)
{
    struct mock__texels texels;

    MOCK__REQUIRE(!is_of_array(resource) || mock__resource_descriptor(resource),
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__resource_check(context, resource));
    MOCK__TRY(mock__texels_of(resource, 0, &texels));
    MOCK__TRY(check_texture(resource->resType, texture, &texels));
    /* A view of other memory is not looked at. */
    return view && is_of_array(resource) ? check_view(resource, &texels, view) : CUDA_SUCCESS;
}

CUresult mock_cuTexObjectCreate(CUtexObject *pTexObject, const CUDA_RESOURCE_DESC *pResDesc,
                                const CUDA_TEXTURE_DESC *pTexDesc,
                                const CUDA_RESOURCE_VIEW_DESC *pResViewDesc)
{
    struct mock__texture *texture;

    MOCK__ENTER_CONTEXT(context);
    MOCK__TRY(mock__capture_unsafe());
    MOCK__REQUIRE(pTexObject && pResDesc && pTexDesc, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(check(context, pResDesc, pTexDesc, pResViewDesc));
    texture = mock__object_new(MOCK__TEXTURE, sizeof(*texture));
    MOCK__REQUIRE(texture, CUDA_ERROR_OUT_OF_MEMORY);
    mock__made(&texture->object.made, "cuTexObjectCreate");
    texture->context = context;
    mock__object_own(context, texture);
    texture->resource = *pResDesc;
    texture->texture = *pTexDesc;
    texture->has_view = pResViewDesc && is_of_array(pResDesc);
    if (pResViewDesc)
        texture->view = *pResViewDesc;
    *pTexObject = texture->object.handle;
    return CUDA_SUCCESS;
}

/* The object of a handle, if it is one of the current context. */
static CUresult find(CUtexObject handle, struct mock__texture **ret_texture)
{
    struct mock__context *context = NULL;
    struct mock__texture *texture =
        mock__object_find(MOCK__TEXTURE, (const void *) (uintptr_t) handle);

    MOCK__TRY(mock__context_current(&context));
    MOCK__REQUIRE(texture && texture->context == context, CUDA_ERROR_INVALID_VALUE);
    *ret_texture = texture;
    return CUDA_SUCCESS;
}

/* What is no object is as good as destroyed. */
CUresult mock_cuTexObjectDestroy(CUtexObject texObject)
{
    struct mock__texture *texture = NULL;

    MOCK__ENTER_CONTEXT(context);
    MOCK__TRY(mock__capture_unsafe());
    if (find(texObject, &texture) == CUDA_SUCCESS)
        mock__object_free(texture);
    return CUDA_SUCCESS;
}

CUresult mock_cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *pResDesc, CUtexObject texObject)
{
    struct mock__texture *texture = NULL;

    MOCK__ENTER();
    MOCK__TRY(find(texObject, &texture));
    MOCK__REQUIRE(pResDesc, CUDA_ERROR_INVALID_VALUE);
    *pResDesc = texture->resource;
    return CUDA_SUCCESS;
}

CUresult mock_cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *pTexDesc, CUtexObject texObject)
{
    struct mock__texture *texture = NULL;

    MOCK__ENTER();
    MOCK__TRY(find(texObject, &texture));
    MOCK__REQUIRE(pTexDesc, CUDA_ERROR_INVALID_VALUE);
    *pTexDesc = texture->texture;
    return CUDA_SUCCESS;
}

CUresult mock_cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *pResViewDesc,
                                             CUtexObject texObject)
{
    struct mock__texture *texture = NULL;

    MOCK__ENTER();
    MOCK__TRY(find(texObject, &texture));
    MOCK__REQUIRE(pResViewDesc, CUDA_ERROR_INVALID_VALUE);
    *pResViewDesc = texture->view;
    return CUDA_SUCCESS;
}

void mock__textures_destroy(const struct mock__context *context)
{
    struct mock__texture *texture;
    struct mock__surface *surface;
    struct mock__texture_reference *reference;

    for (size_t cursor = 0; (texture = mock__object_next_of(context, MOCK__TEXTURE, &cursor));)
        mock__object_free(texture);
    for (size_t cursor = 0; (surface = mock__object_next_of(context, MOCK__SURFACE, &cursor));)
        mock__object_free(surface);
    for (size_t cursor = 0;
         (reference = mock__object_next_of(context, MOCK__TEXTURE_REFERENCE, &cursor));)
        mock__texture_reference_free(reference);
}
