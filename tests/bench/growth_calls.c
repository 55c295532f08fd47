/* SPDX-License-Identifier: MIT */
/*
 * bench_growth_calls LIBRARY CASE N: makes N of something with the mock, uses them and gives them
 * back, in a process of its own, and prints the seconds of the processor that it took and the bytes
 * by which the process's peak grew. growth.py calls it with several N.
 */
#include <cushim/cushim.h>
#include <cushim/mock.h>
#include <cushim/table.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct cushim_cuda_api *cu;
static const char *library_path;
static int n; /* how many */

static void check(CUresult result, const char *what)
{
    if (result == CUDA_SUCCESS)
        return;
    fprintf(stderr, "%s answers %d\n", what, (int) result);
    exit(1);
}

#define TRY(call) check((call), #call)

/* Memory for n of a type, which the process keeps. */
#define MANY(type) ((type *) calloc((size_t) n + 1, sizeof(type)))

/* The i-th of all in an order that is none: n is a power of two. */
static int mixed(int i)
{
    return (int) ((unsigned) i * 2654435761u & (unsigned) (n - 1));
}

static CUdeviceptr some_memory(size_t bytes)
{
    CUdeviceptr memory;

    TRY(cu->cuMemAlloc(&memory, bytes));
    return memory;
}

static CUstream new_stream(void)
{
    CUstream stream;

    TRY(cu->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    return stream;
}

static CUevent new_event(void)
{
    CUevent event;

    TRY(cu->cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    return event;
}

static CUstream *new_streams(void)
{
    CUstream *streams = MANY(CUstream);

    for (int i = 0; i < n; i++)
        streams[i] = new_stream();
    return streams;
}

static void follow(CUstream after, CUstream before, CUevent event)
{
    TRY(cu->cuEventRecord(event, before));
    TRY(cu->cuStreamWaitEvent(after, event, 0));
}

static void set_byte(CUdeviceptr memory, int i, CUstream stream)
{
    TRY(cu->cuMemsetD8Async(memory + (CUdeviceptr) i, 1, 1, stream));
}

/* --- objects --- */

static void streams(void)
{
    CUstream *all = new_streams();

    for (int i = 0; i < n; i++)
        TRY(cu->cuStreamDestroy(all[mixed(i)]));
}

static void events(void)
{
    CUevent *all = MANY(CUevent);

    for (int i = 0; i < n; i++) {
        all[i] = new_event();
        TRY(cu->cuEventRecord(all[i], NULL));
    }
    for (int i = 0; i < n; i++)
        TRY(cu->cuEventDestroy(all[mixed(i)]));
}

/* Contexts are large, so there are few of them; each has something. */
static void contexts(void)
{
    CUcontext *all = MANY(CUcontext);
    CUstream stream;

    for (int i = 0; i < n; i++) {
        TRY(cu->cuCtxCreate_v2(&all[i], 0, 0));
        for (int k = 0; k < 100; k++)
            TRY(cu->cuStreamCreate(&stream, 0));
    }
    for (int i = 0; i < n; i++)
        TRY(cu->cuCtxDestroy(all[i]));
}

static const char tiny[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                           ".global .u32 v = 1;\n.visible .entry k() { ret; }\n";

static void modules(void)
{
    CUmodule *all = MANY(CUmodule);

    for (int i = 0; i < n; i++)
        TRY(cu->cuModuleLoadData(&all[i], tiny));
    for (int i = 0; i < n; i++)
        TRY(cu->cuModuleUnload(all[i]));
}

static void libraries(void)
{
    CUlibrary *all = MANY(CUlibrary);
    CUfunction function;
    CUkernel kernel;

    for (int i = 0; i < n; i++) {
        TRY(cu->cuLibraryLoadData(&all[i], tiny, NULL, NULL, 0, NULL, NULL, 0));
        TRY(cu->cuLibraryGetKernel(&kernel, all[i], "k"));
        TRY(cu->cuKernelGetFunction(&function, kernel));
        TRY(cu->cuKernelGetFunction(&function, kernel));
    }
    for (int i = 0; i < n; i++)
        TRY(cu->cuLibraryUnload(all[i]));
}

static char *text_of_kernels(void)
{
    char *text = calloc((size_t) n + 4, 64), *at = text;

    at += sprintf(at, ".version 7.0\n.target sm_70\n.address_size 64\n");
    for (int i = 0; i < n; i++)
        at += sprintf(at, ".visible .entry k%d() { ret; }\n", i);
    return text;
}

/* A library with many kernels, each of which is set and launched. */
static void kernels(void)
{
    char *text = text_of_kernels(), name[32];
    CUfunction function;
    CUlibrary library;
    CUkernel kernel;

    TRY(cu->cuLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0));
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof(name), "k%d", i);
        TRY(cu->cuLibraryGetKernel(&kernel, library, name));
        TRY(cu->cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024, kernel,
                                     0));
        TRY(cu->cuKernelGetFunction(&function, kernel));
        TRY(cu->cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    }
    TRY(cu->cuCtxSynchronize());
}

static void textures(void)
{
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_LINEAR};
    CUDA_TEXTURE_DESC texture = {.flags = CU_TRSF_READ_AS_INTEGER};
    CUtexObject *all = MANY(CUtexObject);

    resource.res.linear.devPtr = some_memory(4096);
    resource.res.linear.format = CU_AD_FORMAT_UNSIGNED_INT32;
    resource.res.linear.numChannels = 1;
    resource.res.linear.sizeInBytes = 4096;
    for (int i = 0; i < n; i++)
        TRY(cu->cuTexObjectCreate(&all[i], &resource, &texture, NULL));
    for (int i = 0; i < n; i++)
        TRY(cu->cuTexObjectDestroy(all[i]));
}

static void destroy_nothing(void *user)
{
    (void) user;
}

static void user_objects(void)
{
    CUuserObject *all = MANY(CUuserObject);
    CUgraph graph, copy;

    TRY(cu->cuGraphCreate(&graph, 0));
    for (int i = 0; i < n; i++) {
        TRY(cu->cuUserObjectCreate(&all[i], NULL, destroy_nothing, 1,
                                   CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
        TRY(cu->cuGraphRetainUserObject(graph, all[i], 1, 0));
    }
    TRY(cu->cuGraphClone(&copy, graph));
    for (int i = 0; i < n; i++) {
        TRY(cu->cuGraphReleaseUserObject(graph, all[mixed(i)], 1));
        TRY(cu->cuUserObjectRelease(all[mixed(i)], 1));
    }
    TRY(cu->cuGraphDestroy(copy));
}

/* --- memory --- */

static CUdeviceptr *allocate_many(void)
{
    CUdeviceptr *all = MANY(CUdeviceptr);

    for (int i = 0; i < n; i++)
        all[i] = some_memory(512);
    return all;
}

static void allocations(void)
{
    CUdeviceptr *all = allocate_many();

    for (int i = 0; i < n; i++)
        TRY(cu->cuMemFree(all[i]));
}

/* Freed and allocated again in between. */
static void allocations_mixed(void)
{
    CUdeviceptr *all = allocate_many();

    for (int i = 0; i < n; i++) {
        TRY(cu->cuMemFree(all[mixed(i)]));
        all[mixed(i)] = some_memory(256 + (size_t) i % 1024);
    }
}

static void allocations_async(void)
{
    CUdeviceptr *all = MANY(CUdeviceptr);

    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < n; i++)
            TRY(cu->cuMemAllocAsync(&all[i], 512 + 512 * ((size_t) i % 7), NULL));
        for (int i = 0; i < n; i++)
            TRY(cu->cuMemFreeAsync(all[mixed(i)], NULL));
    }
    TRY(cu->cuCtxSynchronize());
}

static void pools(void)
{
    CUmemPoolProps properties = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                 .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    CUmemoryPool *all = MANY(CUmemoryPool);
    CUdeviceptr memory;

    for (int i = 0; i < n; i++) {
        TRY(cu->cuMemPoolCreate(&all[i], &properties));
        TRY(cu->cuMemAllocFromPoolAsync(&memory, 512, all[i], NULL));
        TRY(cu->cuMemFreeAsync(memory, NULL));
        TRY(cu->cuStreamSynchronize(NULL));
    }
    for (int i = 0; i < n; i++)
        TRY(cu->cuMemPoolDestroy(all[i]));
}

/* Ranges of addresses, each with the same memory, and used. */
static void mappings(void)
{
    enum { UNIT = 2 << 20 };
    CUmemAllocationProp properties = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    CUmemAccessDesc access = {.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE},
                              .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUdeviceptr *all = MANY(CUdeviceptr);
    CUmemGenericAllocationHandle handle;

    TRY(cu->cuMemCreate(&handle, UNIT, &properties, 0));
    for (int i = 0; i < n; i++) {
        TRY(cu->cuMemAddressReserve(&all[i], UNIT, 0, 0, 0));
        TRY(cu->cuMemMap(all[i], UNIT, 0, handle, 0));
        TRY(cu->cuMemSetAccess(all[i], UNIT, &access, 1));
    }
    for (int i = 0; i < n; i++)
        TRY(cu->cuMemsetD8(all[mixed(i)], 1, 16));
    for (int i = 0; i < n; i++) {
        TRY(cu->cuMemUnmap(all[i], UNIT));
        TRY(cu->cuMemAddressFree(all[i], UNIT));
    }
}

static void advise(CUdeviceptr page)
{
#if CUDA_VERSION >= 13000
    const CUmemLocation location = {.type = CU_MEM_LOCATION_TYPE_DEVICE};

    TRY(cu->cuMemAdvise(page, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, location));
#else
    TRY(cu->cuMemAdvise(page, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
#endif
}

/* One large managed allocation, of which each part is told something. */
static void advice(void)
{
    const size_t bytes = (size_t) n * 4096;
    CUdeviceptr memory;

    TRY(cu->cuMemAllocManaged(&memory, bytes, CU_MEM_ATTACH_GLOBAL));
    for (int i = 0; i < n; i++)
        if (mixed(i) % 2)
            advise(memory + (CUdeviceptr) mixed(i) * 4096);
    TRY(cu->cuMemFree(memory));
}

static void launches(void)
{
    CUfunction function;
    CUmodule module;

    allocate_many();
    TRY(cu->cuModuleLoadData(&module, tiny));
    TRY(cu->cuModuleGetFunction(&function, module, "k"));
    for (int i = 0; i < n; i++)
        TRY(cu->cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    TRY(cu->cuCtxSynchronize());
}

/* --- queues --- */

static void operations(void)
{
    const CUdeviceptr memory = some_memory((size_t) n);
    const CUstream stream = new_stream();

    for (int i = 0; i < n; i++)
        set_byte(memory, i, stream);
    TRY(cu->cuStreamSynchronize(stream));
}

static void operations_in_turn(void)
{
    const CUdeviceptr memory = some_memory((size_t) n);
    CUstream *all = new_streams();

    for (int round = 0; round < 4; round++)
        for (int i = 0; i < n; i++)
            set_byte(memory, i, all[i]);
    for (int i = 0; i < n; i++)
        TRY(cu->cuStreamSynchronize(all[mixed(i)]));
}

/* Each stream waits for the one before. */
static void waits_in_a_row(void)
{
    const CUdeviceptr memory = some_memory((size_t) n);
    const CUevent event = new_event();
    CUstream *all = new_streams();

    for (int i = 0; i < n; i++) {
        if (i)
            follow(all[i], all[i - 1], event);
        set_byte(memory, i, all[i]);
    }
    TRY(cu->cuStreamSynchronize(all[n - 1]));
}

/* All streams wait for one, and one for all. */
static void waits_for_many(void)
{
    const CUdeviceptr memory = some_memory((size_t) n);
    const CUstream one = new_stream();
    const CUevent event = new_event();
    CUstream *all = new_streams();

    set_byte(memory, 0, one);
    for (int i = 1; i < n; i++) {
        follow(all[i], one, event);
        set_byte(memory, i, all[i]);
    }
    for (int i = 1; i < n; i++)
        follow(one, all[mixed(i)], event);
    TRY(cu->cuStreamSynchronize(one));
}

/* Blocking streams, and the legacy stream now and then. */
static void turns(void)
{
    const CUdeviceptr memory = some_memory((size_t) n);
    CUstream *all = MANY(CUstream);

    for (int i = 0; i < n; i++)
        TRY(cu->cuStreamCreate(&all[i], 0));
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < n; i++)
            set_byte(memory, i, all[i]);
        set_byte(memory, 0, NULL);
    }
    TRY(cu->cuStreamSynchronize(NULL));
}

static void CUDA_CB do_nothing(void *user)
{
    (void) user;
}

static void host_functions(void)
{
    CUstream *all = new_streams();

    for (int i = 0; i < n; i++)
        TRY(cu->cuLaunchHostFunc(all[i / 16], do_nothing, NULL));
    TRY(cu->cuCtxSynchronize());
}

static void values(void)
{
    const CUdeviceptr memory = some_memory(4 * (size_t) n);
    const CUstream one = new_stream();
    CUstream *all = new_streams();

    TRY(cu->cuMemsetD8(memory, 0, 4 * (size_t) n));
    TRY(cu->cuCtxSynchronize());
    for (int i = 0; i < n; i++)
        TRY(cu->cuStreamWaitValue32(all[i], memory + 4 * (CUdeviceptr) i, 1,
                                    CU_STREAM_WAIT_VALUE_GEQ));
    for (int i = 0; i < n; i++)
        TRY(cu->cuStreamWriteValue32(one, memory + 4 * (CUdeviceptr) i, 1, 0));
    TRY(cu->cuCtxSynchronize());
}

static void batch(void)
{
    CUmemcpyAttributes attributes = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
    const CUdeviceptr memory = some_memory(2 * (size_t) n);
    CUdeviceptr *to = MANY(CUdeviceptr), *from = MANY(CUdeviceptr);
    size_t *sizes = MANY(size_t), first = 0, failed;
    const CUstream stream = new_stream();

    TRY(cu->cuMemsetD8(memory, 0, 2 * (size_t) n));
    TRY(cu->cuCtxSynchronize());
    for (int i = 0; i < n; i++) {
        to[i] = memory + (CUdeviceptr) i;
        from[i] = to[i] + (CUdeviceptr) n;
        sizes[i] = 1;
    }
#if CUDA_VERSION >= 13000
    (void) failed;
    TRY(cu->cuMemcpyBatchAsync(to, from, sizes, (size_t) n, &attributes, &first, 1, stream));
#else
    TRY(cu->cuMemcpyBatchAsync(to, from, sizes, (size_t) n, &attributes, &first, 1, &failed,
                               stream));
#endif
    TRY(cu->cuStreamSynchronize(stream));
}

/* --- pinned memory, whose use by the host may be watched --- */

enum { PAGE = 4096 };

static void copies(bool with_host_function, bool each_has_a_stream)
{
    const CUdeviceptr memory = some_memory((size_t) n * PAGE);
    CUstream *all = new_streams();
    char *pinned;

    TRY(cu->cuMemAllocHost((void **) &pinned, (size_t) n * PAGE));
    TRY(cu->cuMemsetD8(memory, 0, (size_t) n * PAGE));
    TRY(cu->cuCtxSynchronize());
    for (int i = 0; i < n; i++) {
        const size_t at = (size_t) i * PAGE;
        const CUstream stream = all[each_has_a_stream ? i : 0];

        if (with_host_function)
            TRY(cu->cuLaunchHostFunc(stream, do_nothing, NULL));
        TRY(cu->cuMemcpyDtoHAsync(pinned + at, memory + at, PAGE, stream));
    }
    for (int i = 0; i < n; i++)
        TRY(cu->cuStreamSynchronize(all[i]));
}

static void copies_in_one_stream(void)
{
    copies(false, false);
}

static void copies_in_streams(void)
{
    copies(false, true);
}

static void copies_behind_functions(void)
{
    copies(true, false);
}

static void copies_and_functions(void)
{
    copies(true, true);
}

/* The same buffer again and again. */
static void copies_to_one_place(void)
{
    const CUdeviceptr memory = some_memory(PAGE);
    const CUstream stream = new_stream();
    char *pinned;

    TRY(cu->cuMemAllocHost((void **) &pinned, PAGE));
    TRY(cu->cuMemsetD8(memory, 0, PAGE));
    TRY(cu->cuCtxSynchronize());
    for (int i = 0; i < n; i++)
        TRY(cu->cuMemcpyDtoHAsync(pinned, memory, PAGE, stream));
    TRY(cu->cuStreamSynchronize(stream));
}

/* --- graphs --- */

static void graphs(void)
{
    CUgraph *all = MANY(CUgraph);

    for (int i = 0; i < n; i++)
        TRY(cu->cuGraphCreate(&all[i], 0));
    for (int i = 0; i < n; i++)
        TRY(cu->cuGraphDestroy(all[i]));
}

static CUDA_MEMSET_NODE_PARAMS fill_of(CUdeviceptr memory, int i)
{
    return (CUDA_MEMSET_NODE_PARAMS){.dst = memory + (CUdeviceptr) i,
                                     .value = (unsigned) i & 255,
                                     .elementSize = 1,
                                     .width = 1,
                                     .height = 1};
}

static CUcontext current(void)
{
    CUcontext context;

    TRY(cu->cuCtxGetCurrent(&context));
    return context;
}

/* A graph of memsets: in a row, or all behind the first one and before a last one. */
static CUgraph new_graph(bool wide, CUdeviceptr memory, CUgraphNode *nodes)
{
    CUgraph graph;

    TRY(cu->cuGraphCreate(&graph, 0));
    for (int i = 0; i < n; i++) {
        const CUDA_MEMSET_NODE_PARAMS fill = fill_of(memory, i);
        const CUgraphNode *before = i ? &nodes[wide ? 0 : i - 1] : NULL;

        TRY(cu->cuGraphAddMemsetNode(&nodes[i], graph, before, i > 0, &fill, current()));
    }
    if (wide)
        TRY(cu->cuGraphAddEmptyNode(&nodes[n], graph, nodes, (size_t) n));
    return graph;
}

static void launch_graph(bool wide)
{
    CUgraph graph = new_graph(wide, some_memory((size_t) n), MANY(CUgraphNode));
    const CUstream stream = new_stream();
    CUgraphExec exec;

    TRY(cu->cuGraphInstantiateWithFlags(&exec, graph, 0));
    TRY(cu->cuGraphLaunch(exec, stream));
    TRY(cu->cuGraphLaunch(exec, stream));
    TRY(cu->cuStreamSynchronize(stream));
    TRY(cu->cuGraphExecDestroy(exec));
    TRY(cu->cuGraphDestroy(graph));
}

static void graph_in_a_row(void)
{
    launch_graph(false);
}

static void graph_side_by_side(void)
{
    launch_graph(true);
}

/* Layers of 64, each node behind eight of the layer before. */
static void graph_of_layers(void)
{
    enum { WIDTH = 64, EDGES = 8 };
    const CUdeviceptr memory = some_memory((size_t) n);
    CUgraphNode *nodes = MANY(CUgraphNode), before[EDGES];
    const CUstream stream = new_stream();
    CUgraphExec exec;
    CUgraph graph;

    TRY(cu->cuGraphCreate(&graph, 0));
    for (int i = 0; i < n; i++) {
        const CUDA_MEMSET_NODE_PARAMS fill = fill_of(memory, i);
        const int layer = i / WIDTH * WIDTH;

        for (int k = 0; k < EDGES && layer; k++)
            before[k] = nodes[layer - WIDTH + (i * 5 + k * 7) % WIDTH];
        TRY(cu->cuGraphAddMemsetNode(&nodes[i], graph, before, layer ? EDGES : 0, &fill,
                                     current()));
    }
    TRY(cu->cuGraphInstantiateWithFlags(&exec, graph, 0));
    TRY(cu->cuGraphLaunch(exec, stream));
    TRY(cu->cuStreamSynchronize(stream));
}

static void nodes_destroyed(void)
{
    CUgraphNode *nodes = MANY(CUgraphNode);

    new_graph(true, some_memory((size_t) n), nodes);
    for (int i = 0; i < n; i++)
        TRY(cu->cuGraphDestroyNode(nodes[i]));
}

static void nodes_set(void)
{
    const CUdeviceptr memory = some_memory((size_t) n);
    CUgraphNode *nodes = MANY(CUgraphNode);
    CUgraph graph = new_graph(false, memory, nodes);
    CUgraphExec exec;

    TRY(cu->cuGraphInstantiateWithFlags(&exec, graph, 0));
    for (int i = 0; i < n; i++) {
        const CUDA_MEMSET_NODE_PARAMS fill = fill_of(memory, i ^ 1);

        TRY(cu->cuGraphExecMemsetNodeSetParams(exec, nodes[i], &fill, current()));
    }
}

static void nodes_in_clone(void)
{
    CUgraphNode *nodes = MANY(CUgraphNode), node;
    CUgraph graph = new_graph(false, some_memory((size_t) n), nodes), copy;

    TRY(cu->cuGraphClone(&copy, graph));
    for (int i = 0; i < n; i++) {
        TRY(cu->cuGraphNodeFindInClone(&node, nodes[mixed(i)], copy));
        TRY(cu->cuGraphDestroyNode(node));
    }
}

#if CUDA_VERSION >= 13000
#define ADD(graph, from, to)    cu->cuGraphAddDependencies(graph, from, to, NULL, 1)
#define REMOVE(graph, from, to) cu->cuGraphRemoveDependencies(graph, from, to, NULL, 1)
#else
#define ADD(graph, from, to)    cu->cuGraphAddDependencies(graph, from, to, 1)
#define REMOVE(graph, from, to) cu->cuGraphRemoveDependencies(graph, from, to, 1)
#endif

static void edges(void)
{
    CUgraphNode *nodes = MANY(CUgraphNode);
    CUgraph graph;

    TRY(cu->cuGraphCreate(&graph, 0));
    for (int i = 0; i <= n; i++)
        TRY(cu->cuGraphAddEmptyNode(&nodes[i], graph, NULL, 0));
    for (int i = 1; i <= n; i++)
        TRY(ADD(graph, &nodes[0], &nodes[i]));
    for (int i = 1; i < n; i++)
        TRY(REMOVE(graph, &nodes[0], &nodes[i]));
}

/* Nodes that allocate, and as many that free. */
static void graph_memory(void)
{
    CUDA_MEM_ALLOC_NODE_PARAMS alloc = {
        .bytesize = 512,
        .poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}}};
    CUgraphNode *nodes = MANY(CUgraphNode), node;
    const CUstream stream = new_stream();
    CUgraphExec exec;
    CUgraph graph;

    TRY(cu->cuGraphCreate(&graph, 0));
    for (int i = 0; i < n; i++) {
        TRY(cu->cuGraphAddMemAllocNode(&nodes[i], graph, NULL, 0, &alloc));
        TRY(cu->cuGraphAddMemFreeNode(&node, graph, &nodes[i], 1, alloc.dptr));
    }
    TRY(cu->cuGraphInstantiateWithFlags(&exec, graph, 0));
    TRY(cu->cuGraphLaunch(exec, stream));
    TRY(cu->cuStreamSynchronize(stream));
}

static void update(void)
{
    const CUdeviceptr memory = some_memory((size_t) n);
    CUgraph graph = new_graph(true, memory, MANY(CUgraphNode));
    CUgraph other = new_graph(true, memory, MANY(CUgraphNode));
    CUgraphExecUpdateResultInfo info;
    CUgraphExec exec;

    TRY(cu->cuGraphInstantiateWithFlags(&exec, graph, 0));
    TRY(cu->cuGraphExecUpdate(exec, other, &info));
}

/* One capture that takes along all streams, and joins them. */
static void capture_of_streams(void)
{
    const CUdeviceptr memory = some_memory((size_t) n);
    const CUstream one = new_stream();
    const CUevent event = new_event();
    CUstream *all = new_streams();
    CUgraph graph;

    TRY(cu->cuStreamBeginCapture(one, CU_STREAM_CAPTURE_MODE_GLOBAL));
    set_byte(memory, 0, one);
    for (int i = 1; i < n; i++) {
        follow(all[i], one, event);
        set_byte(memory, i, all[i]);
    }
    for (int i = 1; i < n; i++)
        follow(one, all[i], event);
    set_byte(memory, 0, one);
    TRY(cu->cuStreamEndCapture(one, &graph));
}

/* Short captures among many streams, one after the other. */
static void captures(void)
{
    const CUdeviceptr memory = some_memory((size_t) n);
    CUstream *all = new_streams();
    CUgraph graph;

    for (int i = 0; i < n; i++) {
        TRY(cu->cuStreamBeginCapture(all[i], CU_STREAM_CAPTURE_MODE_RELAXED));
        set_byte(memory, i, all[i]);
        TRY(cu->cuStreamEndCapture(all[i], &graph));
        TRY(cu->cuGraphDestroy(graph));
    }
}

/* All of them at the same time, each of two streams. */
static void captures_together(void)
{
    const CUdeviceptr memory = some_memory((size_t) n);
    const CUevent event = new_event();
    CUstream *all = new_streams();
    CUgraph graph;

    for (int i = 0; i < n; i += 2) {
        TRY(cu->cuStreamBeginCapture(all[i], CU_STREAM_CAPTURE_MODE_RELAXED));
        set_byte(memory, i, all[i]);
        follow(all[i + 1], all[i], event);
        set_byte(memory, i, all[i + 1]);
        follow(all[i], all[i + 1], event);
        some_memory(1);
    }
    for (int i = 0; i < n; i += 2)
        TRY(cu->cuStreamEndCapture(all[i], &graph));
}

/* --- what is told --- */

static void labels(void)
{
    void *mock = dlopen(library_path, RTLD_NOW | RTLD_NOLOAD);
    cushim_status (*give)(uint64_t, const char *);
    CUdeviceptr *all = allocate_many();
    char label[32];

    *(void **) &give = dlsym(mock, "cushim_mock_label");
    for (int i = 0; i < n; i++) {
        snprintf(label, sizeof(label), "label %d", i);
        give(all[i], label);
    }
}

/* Reads of what nothing has written, each of another allocation. */
static void findings(void)
{
    CUdeviceptr *all = allocate_many();
    char byte;

    for (int i = 0; i < n; i++)
        TRY(cu->cuMemcpyDtoH(&byte, all[i], 1));
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
#define CASE(name)                                                                                 \
    {                                                                                              \
#name, name                                                                                \
    }
    CASE(streams),
    CASE(events),
    CASE(contexts),
    CASE(modules),
    CASE(libraries),
    CASE(kernels),
    CASE(textures),
    CASE(user_objects),
    CASE(allocations),
    CASE(allocations_mixed),
    CASE(allocations_async),
    CASE(pools),
    CASE(mappings),
    CASE(advice),
    CASE(launches),
    CASE(operations),
    CASE(operations_in_turn),
    CASE(waits_in_a_row),
    CASE(waits_for_many),
    CASE(turns),
    CASE(host_functions),
    CASE(values),
    CASE(batch),
    CASE(copies_in_one_stream),
    CASE(copies_in_streams),
    CASE(copies_behind_functions),
    CASE(copies_and_functions),
    CASE(copies_to_one_place),
    CASE(graphs),
    CASE(graph_in_a_row),
    CASE(graph_side_by_side),
    CASE(graph_of_layers),
    CASE(nodes_destroyed),
    CASE(nodes_set),
    CASE(nodes_in_clone),
    CASE(edges),
    CASE(graph_memory),
    CASE(update),
    CASE(capture_of_streams),
    CASE(captures),
    CASE(captures_together),
    CASE(labels),
    CASE(findings),
};

struct price {
    double seconds;
    long kilobytes;
};

/* Of this program alone: what getrusage() tells has the peak of whoever started it, too. */
static long peak(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    long kilobytes = 0;

    while (file && fgets(line, sizeof(line), file))
        if (sscanf(line, "VmHWM: %ld", &kilobytes) == 1)
            break;
    if (file)
        fclose(file);
    return kilobytes;
}

static struct price price_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (struct price){(double) t.tv_sec + 1e-9 * (double) t.tv_nsec, peak()};
}

static struct price run(const char *name)
{
    const struct price before = price_now();
    struct price after;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        if (!strcmp(cases[i].name, name))
            cases[i].run();
    after = price_now();
    return (struct price){after.seconds - before.seconds, after.kilobytes - before.kilobytes};
}

int main(int argc, char **argv)
{
    struct price price;
    CUcontext context;
    cushim_driver driver;

    if (argc < 4)
        return 77;
    library_path = argv[1];
    if (cushim_open(cushim_open_params(.library = library_path), &driver)) {
        fprintf(stderr, "%s\n", cushim_error_text());
        return 1;
    }
    n = atoi(argv[3]);
    cu = cushim_cuda(driver);
    TRY(cu->cuInit(0));
    TRY(cu->cuDevicePrimaryCtxRetain(&context, 0));
    TRY(cu->cuCtxSetCurrent(context));
    price = run(argv[2]);
    printf("%.6f %ld\n", price.seconds, 1024 * price.kilobytes);
    /* What the program leaves is not told: that would take as long again. */
    fflush(stdout);
    _Exit(0);
}
