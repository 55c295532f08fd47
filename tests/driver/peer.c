/* SPDX-License-Identifier: MIT */
/* Two devices: copies between them, access to each other's memory, each other's streams. */
#include "ask.h"

static void ask_self(CUcontext context, CUdeviceptr p)
{
    ASK("peer_copy_self", cuMemcpyPeer, (p, context, p, context, 16));
    ASK("peer_copy_nullctx", cuMemcpyPeer, (p, NULL, p, context, 16));
    ASK("enable_self", cuCtxEnablePeerAccess, (context, 0));
    ASK("enable_null", cuCtxEnablePeerAccess, (NULL, 0));
    ASK("disable_not_enabled", cuCtxDisablePeerAccess, (context));
}

/* Leaves the second device's context current, which it answers. */
static CUcontext ask_second_device(void)
{
    CUcontext second = NULL;
    int access = -1;

    ASK("can01", cuDeviceCanAccessPeer, (&access, 0, 1));
    report("can01_v", access);
    CALL(cuDevicePrimaryCtxRetain, (&second, 1));
    CALL(cuCtxSetCurrent, (second));
    return second;
}

static void ask_copies(CUcontext first, CUdeviceptr p, CUcontext second)
{
    CUdeviceptr q = 0;

    allocate(&q, 64);
    ASK("copy01", cuMemcpyPeer, (q, second, p, first, 16));
    ASK("dtod_uva", cuMemcpyDtoD_v2, (q, p, 16));
}

static void ask_access(CUcontext first, CUdeviceptr p)
{
    ASK("enable", cuCtxEnablePeerAccess, (first, 0));
    ASK("enable_twice", cuCtxEnablePeerAccess, (first, 0));
    ASK("enable_badflags", cuCtxEnablePeerAccess, (first, 1));
    ASK("disable", cuCtxDisablePeerAccess, (first));
    ASK("free_other_dev", cuMemFree_v2, (p));
}

/* Objects of the first device with a stream of the second. */
static void ask_foreign_stream(CUcontext first)
{
    CUstream stream = new_stream();
    CUevent event = NULL;

    CALL(cuCtxSetCurrent, (first));
    CALL(cuEventCreate, (&event, CU_EVENT_DEFAULT));
    ASK("record_other_ctx", cuEventRecord, (event, stream));
    ASK("launch_other_ctx_stream", cuStreamQuery, (stream));
    CALL(cuEventRecord, (event, NULL));
    ASK("wait_cross_ctx", cuStreamWaitEvent, (stream, event, 0));
    report("launch_cross", launch(get_kernel(load_kernels(), "nop"), 1, 1, stream, NULL));
}

void ask_peer(void)
{
    CUcontext first = begin(), second;
    CUdeviceptr p = 0;
    int count = 0;

    CALL(cuDeviceGetCount, (&count));
    allocate(&p, 64);
    ask_self(first, p);
    if (count < 2)
        return;
    second = ask_second_device();
    ask_copies(first, p, second);
    ask_access(first, p);
    ask_foreign_stream(first);
}
