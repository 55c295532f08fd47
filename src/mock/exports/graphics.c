/* SPDX-License-Identifier: MIT */
/*
 * cuGraphics*, without the functions that register resources of one graphics interface. There is no
 * such interface beside the mock, so nothing is ever registered, and no handle is that of a
 * resource.
 */
#include "mock/base/state.h"

static CUresult no_resource(void)
{
    MOCK__ENTER();
    return CUDA_ERROR_INVALID_HANDLE;
}

CUresult mock_cuGraphicsUnregisterResource(CUgraphicsResource resource)
{
    (void) resource;
    return no_resource();
}

CUresult mock_cuGraphicsSubResourceGetMappedArray(CUarray *pArray, CUgraphicsResource resource,
                                                  unsigned int arrayIndex, unsigned int mipLevel)
{
    (void) pArray, (void) resource, (void) arrayIndex, (void) mipLevel;
    return no_resource();
}

CUresult mock_cuGraphicsResourceGetMappedMipmappedArray(CUmipmappedArray *pMipmappedArray,
                                                        CUgraphicsResource resource)
{
    (void) pMipmappedArray, (void) resource;
    return no_resource();
}

CUresult mock_cuGraphicsResourceGetMappedPointer_v2(CUdeviceptr *pDevPtr, size_t *pSize,
                                                    CUgraphicsResource resource)
{
    (void) pDevPtr, (void) pSize, (void) resource;
    return no_resource();
}

CUresult mock_cuGraphicsResourceGetMappedPointer(CUdeviceptr_v1 *pDevPtr, unsigned int *pSize,
                                                 CUgraphicsResource resource)
{
    (void) pDevPtr, (void) pSize, (void) resource;
    return no_resource();
}

CUresult mock_cuGraphicsResourceSetMapFlags_v2(CUgraphicsResource resource, unsigned int flags)
{
    (void) resource, (void) flags;
    return no_resource();
}

static CUresult no_resources(unsigned count, const CUgraphicsResource *resources)
{
    MOCK__ENTER();
    MOCK__REQUIRE(count && resources, CUDA_ERROR_INVALID_VALUE);
    return CUDA_ERROR_INVALID_HANDLE;
}

CUresult mock_cuGraphicsMapResources(unsigned int count, CUgraphicsResource *resources,
                                     CUstream hStream)
{
    (void) hStream;
    return no_resources(count, resources);
}

CUresult mock_cuGraphicsUnmapResources(unsigned int count, CUgraphicsResource *resources,
                                       CUstream hStream)
{
    (void) hStream;
    return no_resources(count, resources);
}
