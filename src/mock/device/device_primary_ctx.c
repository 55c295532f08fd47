/* SPDX-License-Identifier: MIT */
/* cuDevicePrimaryCtx* */
#include "mock/base/state.h"
#include "mock/device/primary.h"
#include "mock/queue/schedule.h"

#define ENTER_DEVICE(device, ordinal)                                                              \
    MOCK__ENTER();                                                                                 \
    struct mock__device *device = mock__device_find(ordinal);                                      \
    MOCK__REQUIRE(device, CUDA_ERROR_INVALID_DEVICE)

CUresult mock__primary_retain(struct mock__device *device)
{
    if (device->primary)
        MOCK__TRY(mock__context_reactivate(device->primary));
    else
        MOCK__TRY(
            mock__context_create(device, device->primary_flags, true, MOCK__API, &device->primary));
    device->primary_count++;
    return CUDA_SUCCESS;
}

void mock__primary_release(struct mock__device *device)
{
    if (device->primary_count == 1)
        mock__finish_context(device->primary);
    /* Asked again: waiting gives up the lock. */
    if (device->primary_count && --device->primary_count == 0)
        mock__context_empty(device->primary);
}

CUresult mock_cuDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev)
{
    ENTER_DEVICE(device, dev);
    MOCK__REQUIRE(pctx, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__primary_retain(device));
    *pctx = MOCK__HANDLE(device->primary);
    return CUDA_SUCCESS;
}

CUresult mock_cuDevicePrimaryCtxRelease_v2(CUdevice dev)
{
    ENTER_DEVICE(device, dev);
    MOCK__REQUIRE(device->primary_count, CUDA_ERROR_INVALID_CONTEXT);
    mock__primary_release(device);
    return CUDA_SUCCESS;
}

static bool is_active(const struct mock__device *device)
{
    return device->primary && device->primary->alive;
}

/* Each has the host's memory mapped, and none is asked to. */
static bool flags_valid(unsigned flags)
{
    return mock__context_flags_valid(flags) && !(flags & CU_CTX_MAP_HOST);
}

CUresult mock_cuDevicePrimaryCtxSetFlags_v2(CUdevice dev, unsigned int flags)
{
    ENTER_DEVICE(device, dev);
    MOCK__REQUIRE(flags_valid(flags), CUDA_ERROR_INVALID_VALUE);
    device->primary_flags = flags;
    if (is_active(device))
        device->primary->flags = flags | CU_CTX_MAP_HOST;
    return CUDA_SUCCESS;
}

/* The first version changed only what a context was made with. */
CUresult mock_cuDevicePrimaryCtxSetFlags(CUdevice dev, unsigned int flags)
{
    ENTER_DEVICE(device, dev);
    MOCK__REQUIRE(flags_valid(flags), CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(!is_active(device), CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE);
    device->primary_flags = flags;
    return CUDA_SUCCESS;
}

CUresult mock_cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int *flags, int *active)
{
    ENTER_DEVICE(device, dev);
    MOCK__REQUIRE(flags && active, CUDA_ERROR_INVALID_VALUE);
    *active = is_active(device);
    *flags = device->primary_flags; /* cuCtxSetFlags() changes those of the context alone */
    return CUDA_SUCCESS;
}

CUresult mock_cuDevicePrimaryCtxReset_v2(CUdevice dev)
{
    ENTER_DEVICE(device, dev);
    if (is_active(device))
        mock__finish_context(device->primary);
    if (is_active(device))
        mock__context_empty(device->primary);
    device->primary_count = 0;
    return CUDA_SUCCESS;
}
