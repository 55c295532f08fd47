/* SPDX-License-Identifier: MIT */
/* Green contexts: making them, the context of each, their streams and events, and their end. */
#include "resources.h"

struct green {
    CUcontext primary;
    CUgreenCtx first, second;
    CUcontext of_first;
    CUstream stream; /* of the first */
};

static int is_active(void)
{
    unsigned flags;
    int active = -1;

    CALL(cuDevicePrimaryCtxGetState, (0, &flags, &active));
    return active;
}

static void ask_create(struct green *g)
{
    CUdevResource rest, part = part_of_device(16, &rest);
    CUdevResourceDesc description = describe(&part);

    ASK("create_flags0", cuGreenCtxCreate, (&g->first, description, 0, 0));
    ASK("create_flags2", cuGreenCtxCreate, (&g->first, description, 0, 2));
    ASK("create_flags3", cuGreenCtxCreate, (&g->first, description, 0, 3));
    ASK("create_null", cuGreenCtxCreate, (NULL, description, 0, 1));
    ASK("create_nothing", cuGreenCtxCreate, (&g->first, NULL, 0, 1));
    ASK("create_baddev", cuGreenCtxCreate, (&g->first, description, 99, 1));
    report("active_before", is_active());
    ASK("create", cuGreenCtxCreate, (&g->first, description, 0, 1));
    report("active", is_active());
    ASK("create_twice", cuGreenCtxCreate, (&g->second, description, 0, 1));
    ASK("destroy_second", cuGreenCtxDestroy, (g->second));
    ASK("create_rest", cuGreenCtxCreate, (&g->second, describe(&rest), 0, 1));
}

static void ask_context_of(struct green *g)
{
    CUcontext second = NULL, again = NULL, current = NULL;

    ASK("from_null", cuCtxFromGreenCtx, (NULL, g->first));
    ASK("from_nothing", cuCtxFromGreenCtx, (&again, NULL));
    ASK("from", cuCtxFromGreenCtx, (&g->of_first, g->first));
    CALL(cuCtxFromGreenCtx, (&again, g->first));
    report("from_again_same", again == g->of_first);
    CALL(cuCtxFromGreenCtx, (&second, g->second));
    report("from_second_same", second == g->of_first);
    CALL(cuDevicePrimaryCtxRetain, (&g->primary, 0));
    report("from_is_primary", g->of_first == g->primary);
    report("from_is_handle", (void *) g->of_first == (void *) g->first);
    ASK("set", cuCtxSetCurrent, (g->of_first));
    CALL(cuCtxGetCurrent, (&current));
    report("set_is", current == g->of_first);
    ASK("push", cuCtxPushCurrent_v2, (g->of_first));
    ASK("pop", cuCtxPopCurrent_v2, (&current));
    report("pop_is", current == g->of_first);
    ASK("destroy_as_context", cuCtxDestroy_v2, (g->of_first));
}

static void ask_ids(const struct green *g)
{
    unsigned long long id = 0, second = 0, context = 0, primary = 0, current = 0;

    ASK("id", cuGreenCtxGetId, (g->first, &id));
    CALL(cuGreenCtxGetId, (g->second, &second));
    report("ids_differ", id != second);
    ASK("id_ctx", cuCtxGetId, (g->of_first, &context));
    CALL(cuCtxGetId, (g->primary, &primary));
    report("id_ctx_is_green", context == id);
    report("id_ctx_is_primary", context == primary);
    report("id_green_is_primary", id == primary);
    ASK("id_null", cuGreenCtxGetId, (g->first, NULL));
    ASK("id_current", cuGreenCtxGetId, (NULL, &current));
    report("id_current_is", current == id);
    CALL(cuCtxSetCurrent, (g->primary));
    ASK("id_current_primary", cuGreenCtxGetId, (NULL, &current));
    CALL(cuCtxSetCurrent, (NULL));
    ASK("id_current_none", cuGreenCtxGetId, (NULL, &current));
    CALL(cuCtxSetCurrent, (g->of_first));
}

static void ask_settings(const struct green *g)
{
    CUdevResource resource = {.type = CU_DEV_RESOURCE_TYPE_INVALID};
    CUfunc_cache cache = (CUfunc_cache) 99;
    unsigned flags = 99, version = 0;
    CUdevice device = -1;
    size_t limit = 0;
    int count = 0;

    ASK("flags", cuCtxGetFlags, (&flags));
    report("flags_v", flags);
    ASK("device", cuCtxGetDevice, (&device));
    report("device_v", device);
    ASK("apiver", cuCtxGetApiVersion, (g->of_first, &version));
    report("apiver_v", version);
    CALL(cuDeviceGetAttribute, (&count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
    report("sms", count);
    ASK("resource", cuGreenCtxGetDevResource, (g->first, &resource, CU_DEV_RESOURCE_TYPE_SM));
    report_resource("resource_v", &resource);
    ASK("resource_null", cuGreenCtxGetDevResource, (g->first, NULL, CU_DEV_RESOURCE_TYPE_SM));
    ASK("resource_type", cuGreenCtxGetDevResource, (g->first, &resource, (CUdevResourceType) 9));
    ASK("resource_ctx", cuCtxGetDevResource, (g->of_first, &resource, CU_DEV_RESOURCE_TYPE_SM));
    report_resource("resource_ctx_v", &resource);
    CALL(cuCtxGetDevResource, (NULL, &resource, CU_DEV_RESOURCE_TYPE_SM));
    report_resource("resource_current_v", &resource);
    CALL(cuCtxGetDevResource, (g->primary, &resource, CU_DEV_RESOURCE_TYPE_SM));
    report_resource("resource_primary_v", &resource);
    ASK("setlimit", cuCtxSetLimit, (CU_LIMIT_STACK_SIZE, 4096));
    ASK("setcache", cuCtxSetCacheConfig, (CU_FUNC_CACHE_PREFER_L1));
    CALL(cuCtxSetCurrent, (g->primary));
    CALL(cuCtxGetLimit, (&limit, CU_LIMIT_STACK_SIZE));
    report("limit_of_primary", (long long) limit);
    CALL(cuCtxGetCacheConfig, (&cache));
    report("cache_of_primary", cache);
    CALL(cuCtxSetCurrent, (g->of_first));
}

/* The parts of a part. */
static void ask_divided_again(const struct green *g)
{
    CUdevResource resource = {.type = CU_DEV_RESOURCE_TYPE_INVALID}, part, rest;
    CUgreenCtx inner = NULL;
    unsigned n = 1;

    CALL(cuGreenCtxGetDevResource, (g->first, &resource, CU_DEV_RESOURCE_TYPE_SM));
    ASK("again", cuDevSmResourceSplitByCount, (&part, &n, &resource, &rest, 0, 8));
    report("again_n", n);
    report_resource("again_v", &part);
    report_resource("again_rest", &rest);
    ASK("again_create", cuGreenCtxCreate, (&inner, describe(&part), 0, 1));
    ASK("again_destroy", cuGreenCtxDestroy, (inner));
}

static void ask_streams(struct green *g)
{
    CUstream stream = NULL;
    unsigned flags = 99;
    int priority = 99;

    ASK("stream_flags0", cuGreenCtxStreamCreate, (&stream, g->first, 0, 0));
    ASK("stream_flags2", cuGreenCtxStreamCreate, (&stream, g->first, 2, 0));
    ASK("stream_null", cuGreenCtxStreamCreate, (NULL, g->first, CU_STREAM_NON_BLOCKING, 0));
    ASK("stream_nothing", cuGreenCtxStreamCreate, (&stream, NULL, CU_STREAM_NON_BLOCKING, 0));
    ASK("stream", cuGreenCtxStreamCreate, (&g->stream, g->first, CU_STREAM_NON_BLOCKING, -99));
    ASK("stream_flags", cuStreamGetFlags, (g->stream, &flags));
    report("stream_flags_v", flags);
    ASK("stream_priority", cuStreamGetPriority, (g->stream, &priority));
    report("stream_priority_v", priority);
    ASK("stream_blocking", cuStreamCreate, (&stream, CU_STREAM_DEFAULT));
    CALL(cuStreamDestroy_v2, (stream));
}

static void ask_stream_owner(const struct green *g, const char *key, CUstream stream)
{
    CUgreenCtx green = (CUgreenCtx) 1;
    CUcontext context = NULL;

    report_numbered(CALL(cuStreamGetGreenCtx, (stream, &green)), "%s_green", key);
    report_numbered(green == g->first ? 1 : green ? 2 : 0, "%s_green_v", key);
    report_numbered(CALL(cuStreamGetCtx, (stream, &context)), "%s_ctx", key);
    report_numbered(context == g->of_first ? 1 : context == g->primary ? 2 : 0, "%s_ctx_v", key);
    green = (CUgreenCtx) 1;
    context = NULL;
    report_numbered(CALL(cuStreamGetCtx_v2, (stream, &context, &green)), "%s_ctx2", key);
    report_numbered(green == g->first ? 1 : green ? 2 : 0, "%s_ctx2_green", key);
    report_numbered(context == g->of_first ? 1 : context == g->primary ? 2 : 0, "%s_ctx2_v", key);
}

static void ask_stream_owners(const struct green *g)
{
    CUstream in_green = new_stream(), in_primary;
    CUgreenCtx green;

    ask_stream_owner(g, "owner_made", g->stream);
    ask_stream_owner(g, "owner_current", in_green);
    ask_stream_owner(g, "owner_null", NULL);
    ask_stream_owner(g, "owner_legacy", CU_STREAM_LEGACY);
    ask_stream_owner(g, "owner_thread", CU_STREAM_PER_THREAD);
    CALL(cuCtxSetCurrent, (g->primary));
    in_primary = new_stream();
    ask_stream_owner(g, "owner_primary", in_primary);
    ask_stream_owner(g, "owner_primary_null", NULL);
    ask_stream_owner(g, "owner_elsewhere", g->stream);
    ASK("owner_no_out", cuStreamGetGreenCtx, (g->stream, NULL));
    ASK("owner_no_outs", cuStreamGetCtx_v2, (g->stream, NULL, NULL));
    CALL(cuCtxSetCurrent, (NULL));
    ASK("owner_without", cuStreamGetGreenCtx, (NULL, &green));
    CALL(cuCtxSetCurrent, (g->of_first));
}

static void ask_events(const struct green *g)
{
    CUevent of_green = NULL, of_primary = NULL;
    CUstream in_primary;

    ASK("event", cuEventCreate, (&of_green, CU_EVENT_DEFAULT));
    CALL(cuCtxSetCurrent, (g->primary));
    CALL(cuEventCreate, (&of_primary, CU_EVENT_DEFAULT));
    in_primary = new_stream();
    ASK("record_green_in_green", cuEventRecord, (of_green, g->stream));
    ASK("record_primary_in_green", cuEventRecord, (of_primary, g->stream));
    ASK("record_green_in_primary", cuEventRecord, (of_green, in_primary));
    ASK("wait_in_primary", cuStreamWaitEvent, (in_primary, of_green, 0));
    ASK("greenrecord", cuGreenCtxRecordEvent, (g->first, of_green));
    ASK("greenrecord_primary", cuGreenCtxRecordEvent, (g->first, of_primary));
    ASK("greenrecord_null", cuGreenCtxRecordEvent, (g->first, NULL));
    ASK("greenrecord_nothing", cuGreenCtxRecordEvent, (NULL, of_green));
    ASK("greenwait", cuGreenCtxWaitEvent, (g->first, of_primary));
    ASK("greenwait_null", cuGreenCtxWaitEvent, (g->first, NULL));
    ASK("greenwait_nothing", cuGreenCtxWaitEvent, (NULL, of_green));
    ASK("ctxrecord", cuCtxRecordEvent, (g->of_first, of_green));
    ASK("ctxrecord_primary", cuCtxRecordEvent, (g->primary, of_green));
    ASK("ctxwait", cuCtxWaitEvent, (g->of_first, of_primary));
    ASK("event_sync", cuEventSynchronize, (of_green));
    CALL(cuCtxSetCurrent, (g->of_first));
}

/* Work of a green context with memory and functions of the primary one, and the other way. */
static void ask_work(const struct green *g)
{
    CUcontext context = NULL;
    CUdeviceptr in_primary, in_green = 0;
    CUfunction addk;
    unsigned one = 1, n = 4;
    int values[4] = {0};

    CALL(cuCtxSetCurrent, (g->primary));
    in_primary = new_memory(16);
    addk = get_kernel(load_kernels(), "addk");
    report("launch_of_primary", launch(addk, 1, 32, g->stream, (void *[]){&in_primary, &one, &n}));
    ASK("launch_sync", cuStreamSynchronize, (g->stream));
    CALL(cuCtxSetCurrent, (g->of_first));
    report("launch_null", launch(addk, 1, 32, NULL, (void *[]){&in_primary, &one, &n}));
    ASK("ctx_sync", cuCtxSynchronize, ());
    read_ints(values, in_primary, sizeof(values));
    report("launch_v", values[3]);
    ASK("alloc", cuMemAlloc_v2, (&in_green, 16));
    ASK("alloc_ctx", cuPointerGetAttribute, (&context, CU_POINTER_ATTRIBUTE_CONTEXT, in_green));
    report("alloc_ctx_v", context == g->of_first ? 1 : context == g->primary ? 2 : 0);
    CALL(cuCtxSetCurrent, (g->primary));
    ASK("free_in_primary", cuMemFree_v2, (in_green));
    ASK("alloc_async", cuMemAllocAsync, (&in_green, 16, g->stream));
    ASK("free_async", cuMemFreeAsync, (in_green, g->stream));
    ASK("async_sync", cuStreamSynchronize, (g->stream));
    CALL(cuCtxSetCurrent, (g->of_first));
    addk = get_kernel(load_kernels(), "addk");
    CALL(cuCtxSetCurrent, (g->primary));
    report("launch_in_primary", launch(addk, 1, 32, NULL, (void *[]){&in_primary, &one, &n}));
    ASK("primary_sync", cuCtxSynchronize, ());
    CALL(cuCtxSetCurrent, (g->of_first));
}

static void ask_occupancy(const struct green *g)
{
    CUfunction nop = get_kernel(load_kernels(), "nop");
    int grid = -1, block = -1, blocks = -1;

    ASK("occ", cuOccupancyMaxPotentialBlockSize, (&grid, &block, nop, NULL, 0, 0));
    report("occ_grid", grid);
    ASK("occ_blocks", cuOccupancyMaxActiveBlocksPerMultiprocessor, (&blocks, nop, 1024, 0));
    report("occ_blocks_v", blocks);
    ASK("coop_fits", cuLaunchCooperativeKernel,
        (nop, 32, 1, 1, 1024, 1, 1, 0, g->stream, NULL));
    ASK("coop_large", cuLaunchCooperativeKernel,
        (nop, 33, 1, 1, 1024, 1, 1, 0, g->stream, NULL));
    ASK("coop_null", cuLaunchCooperativeKernel, (nop, 33, 1, 1, 1024, 1, 1, 0, NULL, NULL));
    CALL(cuCtxSetCurrent, (g->primary));
    CALL(cuOccupancyMaxPotentialBlockSize, (&grid, &block, nop, NULL, 0, 0));
    report("occ_grid_primary", grid);
    ASK("coop_elsewhere", cuLaunchCooperativeKernel,
        (nop, 33, 1, 1, 1024, 1, 1, 0, g->stream, NULL));
    ASK("coop_primary", cuLaunchCooperativeKernel, (nop, 33, 1, 1, 1024, 1, 1, 0, NULL, NULL));
    wait_for_all();
    CALL(cuCtxSetCurrent, (g->of_first));
}

static void ask_graph_of(const struct green *g)
{
    CUDA_KERNEL_NODE_PARAMS params = {.func = NULL};
    CUgraph graph = NULL;
    CUgraphExec exec = NULL;
    CUgraphNode node = NULL;
    CUevent event = NULL;
    size_t n = 1;

    CALL(cuEventCreate, (&event, CU_EVENT_DEFAULT));
    ASK("capture", cuStreamBeginCapture_v2, (g->stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    report("capture_launch", launch(get_kernel(load_kernels(), "nop"), 1, 1, g->stream, NULL));
    ASK("capture_end", cuStreamEndCapture, (g->stream, &graph));
    CALL(cuGraphGetNodes, (graph, &node, &n));
    CALL(cuGraphKernelNodeGetParams_v2, (node, &params));
    report("capture_ctx", params.ctx == g->of_first ? 1 : params.ctx == g->primary ? 2 : 0);
    ASK("capture_inst", cuGraphInstantiateWithFlags, (&exec, graph, 0));
    ASK("capture_run", cuGraphLaunch, (exec, g->stream));
    ASK("capture_run_null", cuGraphLaunch, (exec, NULL));
    wait_for_all();
    CALL(cuStreamBeginCapture_v2, (g->stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    ASK("capturing_record", cuGreenCtxRecordEvent, (g->first, event));
    ASK("capturing_end", cuStreamEndCapture, (g->stream, &graph));
    CALL(cuStreamBeginCapture_v2, (g->stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    ASK("capturing_wait", cuGreenCtxWaitEvent, (g->first, event));
    ASK("capturing_wait_end", cuStreamEndCapture, (g->stream, &graph));
}

/* Streams should be destroyed before; one is not. */
static void ask_end(const struct green *g)
{
    CUcontext current = NULL;
    CUdeviceptr p = 0;
    CUstream stream;

    ASK("destroy_null", cuGreenCtxDestroy, (NULL));
    ASK("destroy", cuGreenCtxDestroy, (g->first));
    CALL(cuCtxGetCurrent, (&current));
    report("current_after", current == g->of_first ? 1 : current == g->primary ? 2 : current != NULL);
    ASK("alloc_after", cuMemAlloc_v2, (&p, 16));
    ASK("sync_after", cuCtxSynchronize, ());
    ASK("stream_create_after", cuStreamCreate, (&stream, CU_STREAM_NON_BLOCKING));
    ASK("query_after", cuStreamQuery, (g->stream));
    ASK("stream_destroy_after", cuStreamDestroy_v2, (g->stream));
    report("active_after", is_active());
    ASK("set_primary", cuCtxSetCurrent, (g->primary));
    ASK("alloc_primary", cuMemAlloc_v2, (&p, 16));
    ASK("release", cuDevicePrimaryCtxRelease_v2, (0));
    report("active_released", is_active());
    ASK("destroy_last", cuGreenCtxDestroy, (g->second));
    report("active_end", is_active());
}

void ask_green(void)
{
    struct green g = {.primary = NULL};

    CALL(cuInit, (0));
    ask_create(&g);
    ask_context_of(&g);
    ask_ids(&g);
    ask_settings(&g);
    ask_divided_again(&g);
    ask_streams(&g);
    ask_stream_owners(&g);
    ask_events(&g);
    ask_work(&g);
    ask_occupancy(&g);
    ask_graph_of(&g);
    ask_end(&g);
}
