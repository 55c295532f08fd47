/* SPDX-License-Identifier: MIT */
/* cuGreenCtx*, without their streams and events; cuCtxFromGreenCtx */
#include "mock/base/green.h"

#include "mock/device/primary.h"
#include "mock/device/resource.h"
#include "mock/queue/schedule.h"
#include "mock/stream/stream.h"

#if CUDA_VERSION >= 12040

/* A green context of all multiprocessors has no description. */
static CUresult share_of(CUdevResourceDesc desc, struct mock__device *device,
                         struct mock__share **ret_share)
{
    MOCK__TRY(desc ? mock__share_find(desc, ret_share) : mock__share_whole(device, ret_share));
    MOCK__REQUIRE((*ret_share)->device == device, CUDA_ERROR_INVALID_DEVICE);
    return CUDA_SUCCESS;
}

/* Its primary context may have ended, or have had a fault. */
static CUresult usable(const struct mock__green *green)
{
    return green->primary ? mock__context_usable(green->primary) : CUDA_SUCCESS;
}

CUresult mock_cuGreenCtxCreate(CUgreenCtx *phCtx, CUdevResourceDesc desc, CUdevice dev,
                               unsigned int flags)
{
    struct mock__share *share = NULL;
    struct mock__device *device;
    struct mock__green *green;

    MOCK__ENTER();
    device = mock__device_find(dev);
    MOCK__REQUIRE(phCtx && flags == CU_GREEN_CTX_DEFAULT_STREAM, CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(device, CUDA_ERROR_INVALID_DEVICE);
    MOCK__TRY(share_of(desc, device, &share));
    MOCK__TRY(device->primary ? mock__context_usable(device->primary) : CUDA_SUCCESS);
    MOCK__TRY(mock__primary_retain(device));
    green = mock__object_new(MOCK__GREEN, sizeof(*green));
    if (!green) {
        mock__primary_release(device);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    mock__made(&green->object.made, "cuGreenCtxCreate");
    green->primary = device->primary;
    green->share = share;
    green->id = mock__context_new_id();
    *phCtx = MOCK__HANDLE(green);
    return CUDA_SUCCESS;
}

/* Its streams stay, until the program destroys the primary context. */
CUresult mock_cuGreenCtxDestroy(CUgreenCtx hCtx)
{
    struct mock__green *green;
    struct mock__device *device;

    MOCK__ENTER();
    MOCK__TRY(mock__green_of(hCtx, &green));
    if (green->primary)
        mock__finish_context(green->primary);
    /* Found anew: waiting gives up the lock, and another thread may have been faster. */
    MOCK__TRY(mock__green_of(hCtx, &green));
    device = green->primary ? green->primary->device : NULL;
    mock__green_events_finish(green);
    mock__object_free(green);
    if (device)
        mock__primary_release(device);
    return CUDA_SUCCESS;
}

CUresult mock_cuCtxFromGreenCtx(CUcontext *pContext, CUgreenCtx hCtx)
{
    struct mock__green *green = NULL;

    MOCK__ENTER();
    MOCK__REQUIRE(pContext, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__green_of(hCtx, &green));
    MOCK__TRY(usable(green));
    *pContext = (CUcontext) hCtx;
    return CUDA_SUCCESS;
}

#if CUDA_VERSION >= 13000
CUresult mock_cuGreenCtxGetId(CUgreenCtx greenCtx, unsigned long long *greenCtxId)
{
    struct mock__green *green;

    MOCK__ENTER();
    MOCK__REQUIRE(greenCtxId, CUDA_ERROR_INVALID_VALUE);
    green = mock__green_current();
    if (greenCtx || !green)
        MOCK__TRY(mock__green_of(greenCtx, &green));
    MOCK__TRY(usable(green));
    *greenCtxId = green->id;
    return CUDA_SUCCESS;
}
#endif

#endif
