/* SPDX-License-Identifier: MIT */
/*
 * What faults make of every function. A function of a later CUDA whose name looks like one of
 * these is found here, and then gets the flag in its list of functions, or is excepted here.
 */
#include "interpose/fault_rows.h"

#include "base/rows.h"
#include "base/util.h"
#include "support.h"

SUITE(fault_rows);

/* Base names, in the order of the alphabet. */

static const char *const made[] = {
    "cuArrayDestroy",
    "cuCtxDestroy",
    "cuCtxDetach",
    "cuCtxSynchronize",
    "cuCoredumpDeregisterCompleteCallback",
    "cuCoredumpDeregisterStartCallback",
    "cuLogicalEndpointDestroy",
    "cuLogicalEndpointIdRelease",
    "cuLogicalEndpointUnbind",
    "cuDestroyExternalMemory",
    "cuDestroyExternalSemaphore",
    "cuDevicePrimaryCtxRelease",
    "cuDevicePrimaryCtxReset",
    "cuDeviceUnregisterAsyncNotification",
    "cuEGLStreamConsumerDisconnect",
    "cuEGLStreamConsumerReleaseFrame",
    "cuEGLStreamProducerDisconnect",
    "cuEventDestroy",
    "cuEventSynchronize",
    "cuGLUnmapBufferObject",
    "cuGLUnmapBufferObjectAsync",
    "cuGLUnregisterBufferObject",
    "cuGraphDestroy",
    "cuGraphDestroyNode",
    "cuGraphExecDestroy",
    "cuGraphReleaseUserObject",
    "cuGraphicsUnmapResources",
    "cuGraphicsUnregisterResource",
    "cuGreenCtxDestroy",
    "cuIpcCloseMemHandle",
    "cuLibraryUnload",
    "cuLinkDestroy",
    "cuLogsUnregisterCallback",
    "cuMemAddressFree",
    "cuMemFree",
    "cuMemFreeAsync",
    "cuMemFreeHost",
    "cuMemHostUnregister",
    "cuMemPoolDestroy",
    "cuMemRelease",
    "cuMemUnmap",
    "cuMipmappedArrayDestroy",
    "cuModuleUnload",
    "cuMulticastUnbind",
    "cuStreamDestroy",
    "cuStreamSynchronize",
    "cuSurfObjectDestroy",
    "cuTexObjectDestroy",
    "cuTexRefDestroy",
    "cuUserObjectRelease",
    "nvrtcDestroyProgram",
    "nvJitLinkDestroy",
};

static const char *const launches[] = {
    "cuGraphLaunch",
    "cuLaunch",
    "cuLaunchCooperativeKernel",
    "cuLaunchCooperativeKernelMultiDevice",
    "cuLaunchGrid",
    "cuLaunchGridAsync",
    "cuLaunchKernel",
    "cuLaunchKernelEx",
};

static const char *const named[] = {
    "cuDriverGetVersion", "cuGetErrorName",   "cuGetErrorString",
    "cuGetExportTable",   "cuGetProcAddress", "cuInit",
};

/* Some of those that work on a lost device, and some that do not, as hardware was seen to. */
static const char *const kept[] = {
    "cuCtxGetCurrent",         "cuCtxSetCurrent",    "cuDeviceGetCount", "cuDeviceGetAttribute",
    "cuDevicePrimaryCtxReset", "cuDriverGetVersion", "cuGetErrorName",   "cuInit",
};
static const char *const refused[] = {
    "cuCtxCreate",   "cuCtxSynchronize", "cuEventQuery",   "cuEventRecord", "cuLaunchKernel",
    "cuMemAlloc",    "cuMemFree",        "cuMemGetInfo",   "cuMemcpyDtoH",  "cuMemsetD8",
    "cuStreamQuery", "cuStreamCreate",   "cuModuleUnload",
};

static const char *base_of(size_t place)
{
    const size_t linker = CUSHIM_CUDA_ROWS + CUSHIM_NVRTC_ROWS;

    return place < CUSHIM_CUDA_ROWS ? cushim__row_base(&cushim__cuda_rows, place)
           : place < linker ? cushim__row_base(&cushim__nvrtc_rows, place - CUSHIM_CUDA_ROWS)
                            : cushim__row_base(&cushim__nvjitlink_rows, place - linker);
}

static bool is_one_of(const char *name, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(name, list[i]))
            return true;
    return false;
}

/* The functions with the flag are those of the list. */
static void expect_kind(uint8_t flag, const char *const *list, size_t n)
{
    for (size_t place = 0; place < CUSHIM__FAULT_PLACES; place++) {
        const bool has = cushim__fault_kinds()[place] & flag;
        const char *base = base_of(place);

        cr_expect(eq(int, has, is_one_of(base, list, n)), "%s, flag %d", base, flag);
    }
    /* None of the list is misspelt. */
    for (size_t i = 0; i < n; i++) {
        struct cushim__fault_set set;

        cr_expect(cushim__fault_find(list[i], &set), "%s", list[i]);
    }
}

Test(fault_rows, made)
{
    expect_kind(CUSHIM__FAULT_MADE, made, ARRAY_SIZE(made));
}

static bool looks_made(const char *base)
{
    static const char *const parts[] = {
        "Free",       "Destroy",     "Unload",          "Release",    "Unregister",
        "Deregister", "Synchronize", "CloseMem",        "Disconnect", "Unmap",
        "Detach",     "Unbind",      "PrimaryCtxReset",
    };

    for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
        if (strstr(base, parts[i]))
            return true;
    return false;
}

/* Nodes of graphs free when the graph is launched; adding one, or reading it, does not. */
Test(fault_rows, what_looks_made_is_made_but_for_nodes)
{
    for (size_t place = 0; place < CUSHIM__FAULT_PLACES; place++) {
        const bool has = cushim__fault_kinds()[place] & CUSHIM__FAULT_MADE;
        const char *base = base_of(place);
        const bool node =
            !strncmp(base, "cuGraphAdd", 10) || !strncmp(base, "cuGraphMemFreeNode", 18);

        cr_expect(eq(int, has, looks_made(base) && !node), "%s", base);
    }
}

/* Versions and variants of a function are alike. */
Test(fault_rows, one_base_name_has_one_kind)
{
    const uint8_t *kinds = cushim__fault_kinds();

    for (size_t a = 0; a < CUSHIM__FAULT_PLACES; a++)
        for (size_t b = 0; b < a; b++)
            if (!strcmp(base_of(a), base_of(b)))
                cr_expect(eq(int, kinds[a], kinds[b]), "%s", base_of(a));
}

Test(fault_rows, launches)
{
    expect_kind(CUSHIM__FAULT_LAUNCH, launches, ARRAY_SIZE(launches));
}

Test(fault_rows, named)
{
    expect_kind(CUSHIM__FAULT_NAMED, named, ARRAY_SIZE(named));
}

Test(fault_rows, refused_by_a_lost_device)
{
    struct cushim__fault_set lost;

    cr_assert(cushim__fault_find(CUSHIM__DEVICE_LOST, &lost));
    cr_expect(not(lost.compilers));
    for (size_t place = 0; place < CUSHIM__FAULT_PLACES; place++) {
        const char *base = base_of(place);

        if (place >= CUSHIM_CUDA_ROWS || is_one_of(base, kept, ARRAY_SIZE(kept)))
            cr_expect(not(lost.has[place]), "%s is refused", base);
        if (is_one_of(base, refused, ARRAY_SIZE(refused)))
            cr_expect(lost.has[place], "%s is not refused", base);
    }
}
