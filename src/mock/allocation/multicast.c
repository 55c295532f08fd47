/* SPDX-License-Identifier: MIT */
/*
 * cuMulticast*: memory that a switch writes to several devices. No model of the mock has such a
 * switch, so there are no multicast objects, and no handle is valid. A driver of a single device
 * does not look at handles.
 */
#include "mock/base/newer.h"

#if CUDA_VERSION >= 12010

static CUresult check(const CUmulticastObjectProp *prop)
{
    MOCK__REQUIRE(prop && prop->numDevices && prop->size && !prop->flags, CUDA_ERROR_INVALID_VALUE);
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult mock_cuMulticastCreate(CUmemGenericAllocationHandle *mcHandle,
                                const CUmulticastObjectProp *prop)
{
    MOCK__ENTER();
    MOCK__REQUIRE(mcHandle, CUDA_ERROR_INVALID_VALUE);
    return check(prop);
}

CUresult mock_cuMulticastGetGranularity(size_t *granularity, const CUmulticastObjectProp *prop,
                                        CUmulticastGranularity_flags option)
{
    MOCK__ENTER();
    MOCK__REQUIRE(granularity && (option == CU_MULTICAST_GRANULARITY_MINIMUM ||
                                  option == CU_MULTICAST_GRANULARITY_RECOMMENDED),
                  CUDA_ERROR_INVALID_VALUE);
    return check(prop);
}

static CUresult refuse(void)
{
    return mock__device_count() > 1 ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_NOT_SUPPORTED;
}

static CUresult refuse_device(CUdevice dev)
{
    MOCK__REQUIRE(mock__device_count() == 1 || mock__device_find(dev), CUDA_ERROR_INVALID_DEVICE);
    return refuse();
}

CUresult mock_cuMulticastAddDevice(CUmemGenericAllocationHandle mcHandle, CUdevice dev)
{
    (void) mcHandle;
    MOCK__ENTER();
    return refuse_device(dev);
}

CUresult mock_cuMulticastBindMem(CUmemGenericAllocationHandle mcHandle, size_t mcOffset,
                                 CUmemGenericAllocationHandle memHandle, size_t memOffset,
                                 size_t size, unsigned long long flags)
{
    (void) mcHandle, (void) mcOffset, (void) memHandle, (void) memOffset, (void) size, (void) flags;
    MOCK__ENTER();
    return refuse();
}

CUresult mock_cuMulticastBindAddr(CUmemGenericAllocationHandle mcHandle, size_t mcOffset,
                                  CUdeviceptr memptr, size_t size, unsigned long long flags)
{
    (void) mcHandle, (void) mcOffset, (void) memptr, (void) size, (void) flags;
    MOCK__ENTER();
    return refuse();
}

CUresult mock_cuMulticastBindMem_v2(CUmemGenericAllocationHandle mcHandle, CUdevice dev,
                                    size_t mcOffset, CUmemGenericAllocationHandle memHandle,
                                    size_t memOffset, size_t size, unsigned long long flags)
{
    MOCK__ENTER();
    MOCK__REQUIRE(mock__device_find(dev), CUDA_ERROR_INVALID_DEVICE);
    return mock_cuMulticastBindMem(mcHandle, mcOffset, memHandle, memOffset, size, flags);
}

CUresult mock_cuMulticastBindAddr_v2(CUmemGenericAllocationHandle mcHandle, CUdevice dev,
                                     size_t mcOffset, CUdeviceptr memptr, size_t size,
                                     unsigned long long flags)
{
    MOCK__ENTER();
    MOCK__REQUIRE(mock__device_find(dev), CUDA_ERROR_INVALID_DEVICE);
    return mock_cuMulticastBindAddr(mcHandle, mcOffset, memptr, size, flags);
}

CUresult mock_cuMulticastUnbind(CUmemGenericAllocationHandle mcHandle, CUdevice dev,
                                size_t mcOffset, size_t size)
{
    (void) mcHandle, (void) mcOffset, (void) size;
    MOCK__ENTER();
    return refuse_device(dev);
}

#endif
