/* SPDX-License-Identifier: MIT */
/* cuSurfObject*, cuSurfRef* */
#include "mock/allocation/array.h"
#include "mock/base/state.h"
#include "mock/stream/capture.h"
#include "mock/texture/texture.h"

const struct mock__surface *mock__surface_find(CUsurfObject handle)
{
    return mock__object_find(MOCK__SURFACE, (const void *) (uintptr_t) handle);
}

/* Checks that the resource is an array that was made for surfaces. */
static CUresult check(const struct mock__context *context, const CUDA_RESOURCE_DESC *resource)
{
    struct mock__texels texels;

    MOCK__REQUIRE(resource->resType == CU_RESOURCE_TYPE_ARRAY && !resource->flags,
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__resource_belongs(context, resource));
    MOCK__TRY(mock__texels_of(resource, 0, &texels));
    MOCK__REQUIRE(texels.flags & CUDA_ARRAY3D_SURFACE_LDST, CUDA_ERROR_INVALID_VALUE);
    return CUDA_SUCCESS;
}

CUresult mock_cuSurfObjectCreate(CUsurfObject *pSurfObject, const CUDA_RESOURCE_DESC *pResDesc)
{
    struct mock__surface *surface;

    MOCK__ENTER_CONTEXT(context);
    MOCK__TRY(mock__capture_unsafe());
    MOCK__REQUIRE(pSurfObject && pResDesc, CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(mock__resource_descriptor(pResDesc), CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(check(context, pResDesc));
    surface = mock__object_new(MOCK__SURFACE, sizeof(*surface));
    MOCK__REQUIRE(surface, CUDA_ERROR_OUT_OF_MEMORY);
    mock__made(&surface->object.made, "cuSurfObjectCreate");
    surface->context = context;
    mock__object_own(context, surface);
    surface->resource = *pResDesc;
    *pSurfObject = surface->object.handle;
    return CUDA_SUCCESS;
}

/* What is no object is as good as destroyed. */
CUresult mock_cuSurfObjectDestroy(CUsurfObject surfObject)
{
    struct mock__surface *surface;

    MOCK__ENTER_CONTEXT(context);
    MOCK__TRY(mock__capture_unsafe());
    surface = mock__object_find(MOCK__SURFACE, (const void *) (uintptr_t) surfObject);
    if (surface && surface->context == context)
        mock__object_free(surface);
    return CUDA_SUCCESS;
}

CUresult mock_cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *pResDesc, CUsurfObject surfObject)
{
    const struct mock__surface *surface;

    MOCK__ENTER_CONTEXT(context);
    surface = mock__surface_find(surfObject);
    MOCK__REQUIRE(pResDesc && surface && surface->context == context, CUDA_ERROR_INVALID_VALUE);
    *pResDesc = surface->resource;
    return CUDA_SUCCESS;
}

/* References only exist in modules. */
CUresult mock_cuSurfRefSetArray(CUsurfref hSurfRef, CUarray hArray, unsigned int Flags)
{
    const CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY,
                                         .res.array.hArray = hArray};
    struct mock__surface_reference *reference;

    MOCK__ENTER();
    MOCK__REQUIRE(!Flags, CUDA_ERROR_INVALID_VALUE);
    reference = mock__object_find(MOCK__SURFACE_REFERENCE, hSurfRef);
    MOCK__REQUIRE(reference, CUDA_ERROR_INVALID_HANDLE);
    MOCK__TRY(mock__context_usable(reference->context));
    MOCK__TRY(check(reference->context, &resource));
    reference->resource = resource;
    reference->bound = true;
    return CUDA_SUCCESS;
}

CUresult mock_cuSurfRefGetArray(CUarray *phArray, CUsurfref hSurfRef)
{
    const struct mock__surface_reference *reference;

    MOCK__ENTER();
    MOCK__REQUIRE(phArray, CUDA_ERROR_INVALID_VALUE);
    reference = mock__object_find(MOCK__SURFACE_REFERENCE, hSurfRef);
    /* What is something else counts as a reference that is bound to nothing. */
    MOCK__REQUIRE(reference, mock__object_any((uintptr_t) hSurfRef) ? CUDA_ERROR_INVALID_VALUE
                                                                    : CUDA_ERROR_INVALID_HANDLE);
    MOCK__TRY(mock__context_usable(reference->context));
    MOCK__REQUIRE(reference->bound, CUDA_ERROR_INVALID_VALUE);
    *phArray = reference->resource.res.array.hArray;
    return CUDA_SUCCESS;
}
