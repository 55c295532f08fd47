/* SPDX-License-Identifier: MIT */
/*
 * The first versions of cuMem*, whose addresses and sizes have 32 bits. They call the later
 * versions and narrow the results. Memory never lies at a 32-bit address, so allocating always
 * fails.
 */
#include <limits.h>

#include "mock/allocation/memory.h"
#include "mock/base/state.h"
#include "mock/stream/capture.h"

static unsigned narrowed(size_t bytes)
{
    return bytes < UINT_MAX ? (unsigned) bytes : UINT_MAX;
}

CUresult mock_cuMemGetInfo(unsigned int *free, unsigned int *total)
{
    size_t all_free = 0, all = 0;

    MOCK__TRY(mock_cuMemGetInfo_v2(&all_free, &all));
    if (free)
        *free = narrowed(all_free);
    if (total)
        *total = narrowed(all);
    return CUDA_SUCCESS;
}

/* Takes the memory back if its address is too wide, which it is. */
static CUresult give(CUdeviceptr_v1 *ret_address, CUdeviceptr address)
{
    if (address > UINT_MAX) {
        MOCK__TRY(mock_cuMemFree_v2(address));
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *ret_address = (CUdeviceptr_v1) address;
    return CUDA_SUCCESS;
}

CUresult mock_cuMemAlloc(CUdeviceptr_v1 *dptr, unsigned int bytesize)
{
    CUdeviceptr address = 0;

    MOCK__TRY(mock_cuMemAlloc_v2(dptr ? &address : NULL, bytesize));
    return give(dptr, address);
}

/* It needs no context; but one that is current must be of the first version, and not capture. */
static CUresult refuse_free(void)
{
    MOCK__ENTER();
    if (!mock__current_handle())
        return CUDA_SUCCESS;
    MOCK__TRY(mock__capture_unsafe());
    return mock__context_narrow();
}

CUresult mock_cuMemFree(CUdeviceptr_v1 dptr)
{
    MOCK__TRY(refuse_free());
    return mock_cuMemFree_v2(dptr);
}

CUresult mock_cuMemAllocPitch(CUdeviceptr_v1 *dptr, unsigned int *pPitch, unsigned int WidthInBytes,
                              unsigned int Height, unsigned int ElementSizeBytes)
{
    CUdeviceptr address = 0;
    size_t pitch = 0;

    MOCK__TRY(mock_cuMemAllocPitch_v2(dptr ? &address : NULL, pPitch ? &pitch : NULL, WidthInBytes,
                                      Height, ElementSizeBytes));
    MOCK__TRY(give(dptr, address));
    *pPitch = (unsigned) pitch;
    return CUDA_SUCCESS;
}

CUresult mock_cuMemGetAddressRange(CUdeviceptr_v1 *pbase, unsigned int *psize, CUdeviceptr_v1 dptr)
{
    CUdeviceptr base = 0;
    size_t bytes = 0;

    MOCK__TRY(mock_cuMemGetAddressRange_v2(&base, &bytes, dptr));
    if (pbase)
        *pbase = (CUdeviceptr_v1) base;
    if (psize)
        *psize = narrowed(bytes);
    return CUDA_SUCCESS;
}

CUresult mock_cuMemHostGetDevicePointer(CUdeviceptr_v1 *pdptr, void *p, unsigned int Flags)
{
    CUdeviceptr address = 0;

    MOCK__TRY(mock_cuMemHostGetDevicePointer_v2(pdptr ? &address : NULL, p, Flags));
    MOCK__REQUIRE(address <= UINT_MAX, CUDA_ERROR_INVALID_VALUE);
    *pdptr = (CUdeviceptr_v1) address;
    return CUDA_SUCCESS;
}
