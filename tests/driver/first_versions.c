/* SPDX-License-Identifier: MIT */
/*
 * The first versions of functions. Those with addresses and sizes of 32 bits are asked with the
 * low half of real addresses, and with numbers that fit: once in the primary context, and once in
 * a context that is made by cuCtxCreate() of the first version.
 */
#include <string.h>

#include "ask.h"

#include "kernels.ptx.h"

#define LOW(address) ((CUdeviceptr_v1) (address))

/* A number that fits 32 bits: as it is; the largest: -1; any other: whether it is there. */
static void report_low(const char *key, unsigned value)
{
    report(key, value == ~0u ? -1 : value != 0);
}

static void ask_contexts(void)
{
    CUcontext context = NULL, current = NULL;

    ASK("ctx_create", cuCtxCreate, (&context, 0, 0));
    CALL(cuCtxGetCurrent, (&current));
    report("ctx_create_current", current == context && context);
    ASK("ctx_pop", cuCtxPopCurrent, (&current));
    report("ctx_pop_v", current == context && context);
    ASK("ctx_push", cuCtxPushCurrent, (context));
    ASK("ctx_destroy", cuCtxDestroy, (context));
    ASK("ctx_create_null", cuCtxCreate, (NULL, 0, 0));
    ASK("ctx_destroy_null", cuCtxDestroy, (NULL));
    ASK("ctx_push_null", cuCtxPushCurrent, (NULL));
}

static void ask_device_functions(void)
{
    unsigned char uuid[16] = "", same[16] = "";
    unsigned bytes = 0, total = 0;
    size_t whole = 0;

    ASK("total", cuDeviceTotalMem, (&bytes, 0));
    report_low("total_v", bytes);
    CALL(cuDeviceTotalMem_v2, (&whole, 0));
    report("total_is_low", bytes == (unsigned) whole);
    ASK("info", cuMemGetInfo, (&bytes, &total));
    report_low("info_free", bytes);
    report_low("info_total", total);
    report("info_is_low", total == (unsigned) whole);
    ASK("info_null", cuMemGetInfo, (NULL, NULL));
    ASK("uuid", cuDeviceGetUuid, ((CUuuid *) uuid, 0));
    CALL(cuDeviceGetUuid_v2, ((CUuuid *) same, 0));
    report("uuid_same", !memcmp(uuid, same, sizeof(same)));
}

static void ask_memory_of_32(void)
{
    CUdeviceptr_v1 p = 0, base = 0;
    unsigned pitch = 0, bytes = 0;
    void *host = NULL;

    ASK("alloc", cuMemAlloc, (&p, 16));
    report("alloc_v", p != 0);
    ASK("alloc0", cuMemAlloc, (&p, 0));
    ASK("alloc_null", cuMemAlloc, (NULL, 16));
    ASK("pitch", cuMemAllocPitch, (&p, &pitch, 100, 4, 4));
    ASK("pitch_null", cuMemAllocPitch, (&p, NULL, 100, 4, 4));
    ASK("free0", cuMemFree, (0));
    ASK("free_garbage", cuMemFree, (0x1234));
    ASK("range", cuMemGetAddressRange, (&base, &bytes, 0x1234));
    ASK("host", cuMemAllocHost, (&host, 64));
    report("host_v", host != NULL);
    ASK("host_device", cuMemHostGetDevicePointer, (&p, host, 0));
    ASK("host_device_null", cuMemHostGetDevicePointer, (NULL, host, 0));
    CALL(cuMemFreeHost, (host));
    ASK("register", cuMemHostRegister, (host, 4096, 0));
}

static void ask_copies(void)
{
    const CUdeviceptr wide = new_memory(64);
    int value = 5;

    ASK("htod", cuMemcpyHtoD, (LOW(wide), &value, 4));
    ASK("dtoh", cuMemcpyDtoH, (&value, LOW(wide), 4));
    ASK("dtod", cuMemcpyDtoD, (LOW(wide), LOW(wide) + 16, 4));
    ASK("htod0", cuMemcpyHtoD, (LOW(wide), &value, 0));
    ASK("htod_async", cuMemcpyHtoDAsync, (LOW(wide), &value, 4, NULL));
    ASK("dtoh_async", cuMemcpyDtoHAsync, (&value, LOW(wide), 4, NULL));
    ASK("dtod_async", cuMemcpyDtoDAsync, (LOW(wide), LOW(wide) + 16, 4, NULL));
    ASK("d8", cuMemsetD8, (LOW(wide), 1, 4));
    ASK("d16", cuMemsetD16, (LOW(wide), 1, 4));
    ASK("d32", cuMemsetD32, (LOW(wide), 1, 4));
    ASK("d8_0", cuMemsetD8, (LOW(wide), 1, 0));
    ASK("d2d8", cuMemsetD2D8, (LOW(wide), 16, 1, 4, 2));
    ASK("d2d32", cuMemsetD2D32, (LOW(wide), 16, 1, 4, 2));
}

static CUarray new_array(void)
{
    CUDA_ARRAY_DESCRIPTOR_v1 shape = {
        .Width = 8, .Height = 4, .Format = CU_AD_FORMAT_UNSIGNED_INT32, .NumChannels = 1};
    CUarray array = NULL;

    ASK("array", cuArrayCreate, (&array, &shape));
    memset(&shape, 0, sizeof(shape));
    ASK("array_get", cuArrayGetDescriptor, (&shape, array));
    report("array_width", shape.Width);
    report("array_height", shape.Height);
    report("array_format", shape.Format);
    ASK("array_null", cuArrayCreate, (&array, NULL));
    ASK("array_get_null", cuArrayGetDescriptor, (NULL, array));
    return array;
}

static void ask_arrays(void)
{
    CUDA_ARRAY3D_DESCRIPTOR_v1 shape = {.Width = 4,
                                        .Height = 4,
                                        .Depth = 2,
                                        .Format = CU_AD_FORMAT_FLOAT,
                                        .NumChannels = 2};
    unsigned values[8] = {1, 2, 3, 4, 5, 6, 7, 8}, back[8] = {0};
    CUarray array = new_array(), other = NULL;

    ASK("array3d", cuArray3DCreate, (&other, &shape));
    memset(&shape, 0, sizeof(shape));
    ASK("array3d_get", cuArray3DGetDescriptor, (&shape, other));
    report("array3d_depth", shape.Depth);
    report("array3d_channels", shape.NumChannels);
    CALL(cuArrayDestroy, (other));
    ASK("htoa", cuMemcpyHtoA, (array, 0, values, sizeof(values)));
    ASK("atoh", cuMemcpyAtoH, (back, array, 0, sizeof(back)));
    report("atoh_v", back[7]);
    ASK("atoa", cuMemcpyAtoA, (array, 0, array, 16, 16));
    ASK("htoa_large", cuMemcpyHtoA, (array, 4096, values, sizeof(values)));
    ASK("dtoa", cuMemcpyDtoA, (array, 0, 0x1234, 4));
    ASK("atod", cuMemcpyAtoD, (0x1234, array, 0, 4));
    ASK("htoa_async", cuMemcpyHtoAAsync, (array, 0, values, 4, NULL));
    ASK("atoh_async", cuMemcpyAtoHAsync, (back, array, 0, 4, NULL));
    wait_for_all();
    CALL(cuArrayDestroy, (array));
}

static void ask_2d(void)
{
    unsigned from[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, to[16] = {0};
    CUDA_MEMCPY2D_v1 copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                             .srcHost = from,
                             .srcPitch = 16,
                             .srcXInBytes = 4,
                             .srcY = 1,
                             .dstMemoryType = CU_MEMORYTYPE_HOST,
                             .dstHost = to,
                             .dstPitch = 16,
                             .WidthInBytes = 8,
                             .Height = 2};

    ASK("copy2d", cuMemcpy2D, (&copy));
    report("copy2d_v", to[0]);
    report("copy2d_v5", to[5]);
    ASK("copy2d_unaligned", cuMemcpy2DUnaligned, (&copy));
    ASK("copy2d_async", cuMemcpy2DAsync, (&copy, NULL));
    ASK("copy2d_null", cuMemcpy2D, (NULL));
    copy.srcPitch = 4;
    ASK("copy2d_pitch", cuMemcpy2D, (&copy));
    copy.srcPitch = 16;
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = 0x1234;
    ASK("copy2d_device", cuMemcpy2D, (&copy));
    wait_for_all();
}

static void ask_3d(void)
{
    unsigned from[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, to[16] = {0};
    CUDA_MEMCPY3D_v1 copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                             .srcHost = from,
                             .srcPitch = 8,
                             .srcHeight = 2,
                             .srcZ = 1,
                             .dstMemoryType = CU_MEMORYTYPE_HOST,
                             .dstHost = to,
                             .dstPitch = 8,
                             .dstHeight = 2,
                             .WidthInBytes = 8,
                             .Height = 2,
                             .Depth = 2};

    ASK("copy3d", cuMemcpy3D, (&copy));
    report("copy3d_v", to[0]);
    report("copy3d_v7", to[7]);
    ASK("copy3d_async", cuMemcpy3DAsync, (&copy, NULL));
    ASK("copy3d_null", cuMemcpy3D, (NULL));
    wait_for_all();
}

static void ask_objects(void)
{
    CUmodule module = load_kernels();
    CUdeviceptr_v1 p = 0;
    CUstream stream = new_stream();
    CUevent event = NULL, end = NULL;
    CUlinkState link = NULL;
    void *address = NULL;
    unsigned bytes = 0;
    float ms = -1;

    ASK("global", cuModuleGetGlobal, (&p, &bytes, module, "gvar"));
    report("global_bytes", bytes);
    report("global_v", p != 0);
    ASK("global_nulls", cuModuleGetGlobal, (NULL, NULL, module, "gvar"));
    CALL(cuEventCreate, (&event, 0));
    CALL(cuEventCreate, (&end, 0));
    CALL(cuEventRecord, (event, stream));
    CALL(cuEventRecord, (end, stream));
    wait_for(stream);
    ASK("elapsed", cuEventElapsedTime, (&ms, event, end));
    report("elapsed_v", ms >= 0);
    ASK("event_destroy", cuEventDestroy, (event));
    ASK("stream_destroy", cuStreamDestroy, (stream));
    ASK("stream_destroy_null", cuStreamDestroy, (NULL));
    ASK("event_destroy_null", cuEventDestroy, (NULL));
    ASK("link", cuLinkCreate, (0, NULL, NULL, &link));
    ASK("link_add", cuLinkAddData,
        (link, CU_JIT_INPUT_PTX, (void *) (uintptr_t) kernels_ptx, sizeof(kernels_ptx), "x", 0,
         NULL, NULL));
    ASK("link_file", cuLinkAddFile, (link, CU_JIT_INPUT_PTX, "/nowhere", 0, NULL, NULL));
    CALL(cuLinkDestroy, (link));
    ASK("proc", cuGetProcAddress, ("cuInit", &address, 12000, 0));
    report("proc_v", address != NULL);
    address = (void *) 1;
    ASK("proc_missing", cuGetProcAddress, ("cuNothing", &address, 12000, 0));
    report("proc_missing_v", address == NULL);
    ASK("proc_too_new", cuGetProcAddress, ("cuLaunchKernelEx", &address, 11000, 0));
}

static void ask_graphs(void)
{
    CUDA_KERNEL_NODE_PARAMS_v1 params = {.func = get_kernel(load_kernels(), "nop"),
                                         .gridDimX = 2,
                                         .gridDimY = 1,
                                         .gridDimZ = 1,
                                         .blockDimX = 32,
                                         .blockDimY = 1,
                                         .blockDimZ = 1};
    CUgraphNode first = NULL, second = NULL, from = NULL, to = NULL;
    CUgraph graph = NULL;
    CUgraphExec exec = NULL;
    size_t n = 1;
    char log[64] = "untouched";

    CALL(cuGraphCreate, (&graph, 0));
    ASK("node", cuGraphAddKernelNode, (&first, graph, NULL, 0, &params));
    ASK("node_after", cuGraphAddKernelNode, (&second, graph, &first, 1, &params));
    memset(&params, 0, sizeof(params));
    ASK("node_get", cuGraphKernelNodeGetParams, (first, &params));
    report("node_grid", params.gridDimX);
    params.gridDimX = 3;
    ASK("node_set", cuGraphKernelNodeSetParams, (first, &params));
    ASK("edges", cuGraphGetEdges, (graph, &from, &to, &n));
    report("edges_v", from == first && to == second && n == 1);
    n = 1;
    ASK("before", cuGraphNodeGetDependencies, (second, &from, &n));
    report("before_v", from == first && n == 1);
    n = 1;
    ASK("behind", cuGraphNodeGetDependentNodes, (first, &to, &n));
    report("behind_v", to == second && n == 1);
    ASK("remove", cuGraphRemoveDependencies, (graph, &first, &second, 1));
    ASK("remove_again", cuGraphRemoveDependencies, (graph, &first, &second, 1));
    ASK("add", cuGraphAddDependencies, (graph, &first, &second, 1));
    ASK("inst", cuGraphInstantiate, (&exec, graph, &from, log, sizeof(log)));
    report_text("inst_log", log);
    report("inst_node", from == NULL);
    ASK("exec_set", cuGraphExecKernelNodeSetParams, (exec, first, &params));
    ASK("inst2", cuGraphInstantiate_v2, (&exec, graph, &from, log, sizeof(log)));
    ASK("inst_nulls", cuGraphInstantiate, (&exec, graph, NULL, NULL, 0));
}

static void ask_captures(void)
{
    CUstream stream = new_stream();
    CUstreamCaptureStatus status = (CUstreamCaptureStatus) 9;
    cuuint64_t id = 0;
    CUgraph graph = NULL;

    ASK("capture", cuStreamBeginCapture, (stream));
    ASK("capture_info", cuStreamGetCaptureInfo, (stream, &status, &id));
    report("capture_status", status);
    report("capture_id", id != 0);
    ASK("capture_end", cuStreamEndCapture, (stream, &graph));
    ASK("prefetch", cuMemPrefetchAsync, (0x1234, 16, 0, NULL));
    ASK("advise", cuMemAdvise, (0x1234, 16, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
}

static void ask_primary(void)
{
    unsigned flags = 0;
    int active = -1;

    ASK("prim_flags", cuDevicePrimaryCtxSetFlags, (0, CU_CTX_SCHED_SPIN));
    CALL(cuDevicePrimaryCtxGetState, (0, &flags, &active));
    report("prim_flags_v", flags);
    ASK("prim_release", cuDevicePrimaryCtxRelease, (0));
    ASK("prim_reset", cuDevicePrimaryCtxReset, (0));
    CALL(cuDevicePrimaryCtxGetState, (0, &flags, &active));
    report("prim_active", active);
}

void ask_first_versions(void)
{
    CALL(cuInit, (0));
    ask_contexts();
    begin();
    ask_device_functions();
    ask_memory_of_32();
    ask_copies();
    ask_arrays();
    ask_2d();
    ask_3d();
    ask_objects();
    ask_graphs();
    ask_captures();
    ask_primary();
}

/* What the second versions say of such a context. */
static void ask_mixed(CUcontext context)
{
    CUdeviceptr p = 0;
    unsigned version = 0;
    size_t n, total;

    ASK("apiver", cuCtxGetApiVersion, (context, &version));
    report("apiver_v", version);
    ASK("alloc2", cuMemAlloc_v2, (&p, 16));
    ASK("free2", cuMemFree_v2, (p));
    ASK("memset2", cuMemsetD8_v2, (p, 1, 4));
    ASK("info2", cuMemGetInfo_v2, (&n, &total));
}

void ask_first_context(void)
{
    CUcontext context = NULL;

    CALL(cuInit, (0));
    ASK("create", cuCtxCreate, (&context, 0, 0));
    ask_mixed(context);
    ask_memory_of_32();
    ask_arrays();
    ask_2d();
    ask_3d();
    ask_objects();
    ask_copies();
    ASK("destroy", cuCtxDestroy, (context));
}
