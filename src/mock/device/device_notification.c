/* SPDX-License-Identifier: MIT */
/* cuDeviceRegisterAsyncNotification, cuDeviceUnregisterAsyncNotification */
#include "mock/base/objects.h"
#include "mock/base/state.h"

#if CUDA_VERSION >= 12040

/*
 * The callback is never called: the only event is that another program needs memory, which never
 * happens here.
 */
struct notification {
    struct mock__object object;
    const struct mock__device *device;
    CUasyncCallback callback;
    void *user;
};

CUresult mock_cuDeviceRegisterAsyncNotification(CUdevice device, CUasyncCallback callbackFunc,
                                                void *userData, CUasyncCallbackHandle *callback)
{
    struct notification *notification;

    MOCK__ENTER_INHERITED();
    MOCK__REQUIRE(mock__device_find(device), CUDA_ERROR_INVALID_DEVICE);
    MOCK__REQUIRE(callbackFunc && callback, CUDA_ERROR_INVALID_VALUE);
    notification = mock__object_new(MOCK__NOTIFICATION, sizeof(*notification));
    MOCK__REQUIRE(notification, CUDA_ERROR_OUT_OF_MEMORY);
    notification->device = mock__device_find(device);
    notification->callback = callbackFunc;
    notification->user = userData;
    *callback = MOCK__HANDLE(notification);
    return CUDA_SUCCESS;
}

CUresult mock_cuDeviceUnregisterAsyncNotification(CUdevice device, CUasyncCallbackHandle callback)
{
    struct notification *notification;

    MOCK__ENTER_INHERITED();
    notification = mock__object_find(MOCK__NOTIFICATION, callback);
    MOCK__REQUIRE(notification && notification->device == mock__device_find(device),
                  CUDA_ERROR_INVALID_VALUE);
    mock__object_free(notification);
    return CUDA_SUCCESS;
}

#endif
