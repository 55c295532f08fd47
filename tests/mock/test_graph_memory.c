/* SPDX-License-Identifier: MIT */
/* Memory that graphs allocate and free. */
#include "graphs.h"
#include "mock/queue/schedule.h"

#if CUDA_VERSION >= 11040

enum { BYTES = 4096 };

TestSuite(graph_memory, .init = begin);

static CUDA_MEM_ALLOC_NODE_PARAMS alloc_params(int device, size_t bytes)
{
    CUDA_MEM_ALLOC_NODE_PARAMS params = {.bytesize = bytes};

    params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    params.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    params.poolProps.location.id = device;
    return params;
}

static CUgraphNode add_alloc(CUgraph graph, CUdeviceptr *ret_address)
{
    CUDA_MEM_ALLOC_NODE_PARAMS params = alloc_params(0, BYTES);
    CUgraphNode node = NULL;

    OK(mock_cuGraphAddMemAllocNode(&node, graph, NULL, 0, &params));
    *ret_address = params.dptr;
    return node;
}

static CUgraphNode add_fill(CUgraph graph, CUgraphNode after, CUdeviceptr address, unsigned number)
{
    const CUDA_MEMSET_NODE_PARAMS fill = {
        .dst = address, .value = number, .elementSize = 4, .width = BYTES / 4, .height = 1};
    CUgraphNode node = NULL;

    OK(mock_cuGraphAddMemsetNode(&node, graph, &after, after != NULL, &fill, NULL));
    return node;
}

static CUgraphNode add_free(CUgraph graph, CUgraphNode after, CUdeviceptr address)
{
    CUgraphNode node = NULL;

    OK(mock_cuGraphAddMemFreeNode(&node, graph, &after, 1, address));
    return node;
}

/* Copies the first word of `address` to `word`. */
static CUgraphNode add_look(CUgraph graph, CUgraphNode after, CUdeviceptr address)
{
    const CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                                .srcDevice = address,
                                .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                                .dstDevice = word,
                                .WidthInBytes = 4,
                                .Height = 1,
                                .Depth = 1};
    CUgraphNode node = NULL;

    OK(mock_cuGraphAddMemcpyNode(&node, graph, &after, 1, &copy, NULL));
    return node;
}

static cuuint64_t attribute(CUgraphMem_attribute which)
{
    cuuint64_t number = 999;

    OK(mock_cuDeviceGetGraphMemAttribute(0, which, &number));
    return number;
}

Test(graph_memory, parameters_are_checked_and_read_back)
{
    CUmemAccessDesc access = {.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUDA_MEM_ALLOC_NODE_PARAMS params = alloc_params(0, 0), read;
    CUgraph graph = new_graph();
    CUgraphNode node = NULL, free_node;
    CUdeviceptr address = 0;

    access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    access.location.id = 1;
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphAddMemAllocNode(&node, graph, NULL, 0, &params));
    params = alloc_params(99, BYTES);
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphAddMemAllocNode(&node, graph, NULL, 0, &params));
    params = alloc_params(0, BYTES);
    params.poolProps.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    EXPECT(CUDA_ERROR_NOT_SUPPORTED, mock_cuGraphAddMemAllocNode(&node, graph, NULL, 0, &params));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphAddMemAllocNode(&node, graph, NULL, 0, NULL));
    params = alloc_params(0, BYTES);
    params.accessDescCount = 1;
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphAddMemAllocNode(&node, graph, NULL, 0, &params));
    params.accessDescs = &access;
    OK(mock_cuGraphAddMemAllocNode(&node, graph, NULL, 0, &params));
    OK(mock_cuGraphMemAllocNodeGetParams(node, &read));
    cr_expect(eq(u64, read.dptr, params.dptr));
    cr_expect(eq(sz, read.bytesize, BYTES));
    cr_expect(eq(sz, read.accessDescCount, 1));
    cr_expect(eq(int, read.accessDescs[0].location.id, 1));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphAddMemFreeNode(&free_node, graph, NULL, 0, word));
    free_node = add_free(graph, node, params.dptr);
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuGraphAddMemFreeNode(&free_node, graph, NULL, 0, params.dptr));
    OK(mock_cuGraphMemFreeNodeGetParams(free_node, &address));
    cr_expect(eq(u64, address, params.dptr));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphMemAllocNodeGetParams(free_node, &read));
}

Test(graph_memory, it_is_there_from_allocation_to_free)
{
    CUgraph graph = new_graph();
    CUdeviceptr address = 0;
    CUgraphNode node = add_alloc(graph, &address);
    CUgraphExec exec;
    char byte;

    node = add_fill(graph, node, address, 77);
    node = add_look(graph, node, address);
    add_free(graph, node, address);
    exec = instantiate(graph);
    for (int i = 0; i < 3; i++) {
        OK(mock_cuMemsetD32Async(word, 0, 1, one));
        OK(mock_cuGraphLaunch(exec, one));
        OK(mock_cuStreamSynchronize(one));
        cr_expect(eq(uint, value(), 77));
    }
    silent();
    cr_expect(eq(u64, attribute(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT), 0));
    cr_expect(eq(u64, attribute(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH), BYTES));
    cr_expect(eq(u64, attribute(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT), BYTES));
    /* Afterwards it is an address without memory. */
    cr_expect(ne(int, mock_cuMemcpyDtoH_v2(&byte, address, 1), 0));
    found(CUSHIM_MOCK_USE_AFTER_FREE, "copy", "made by cuGraphAddMemAllocNode");
}

/* Whatever the order turns out to be: too early, or in time by chance. */
Test(graph_memory, what_uses_it_has_to_come_after_it)
{
    enum { SEEDS = 32 };
    size_t early = 0, races = 0;

    for (unsigned seed = 0; seed < SEEDS; seed++) {
        const struct cushim_mock_finding *findings = NULL;
        CUgraph graph = new_graph();
        CUdeviceptr address = 0;

        mock__schedule_seed(seed);
        add_alloc(graph, &address);
        add_fill(graph, NULL, address, 1);
        OK(mock_cuGraphLaunch(instantiate(graph), one));
        mock_cuStreamSynchronize(one);
        cr_assert(eq(sz, cushim_mock_findings(&findings), 1), "seed %u", seed);
        early += findings[0].kind == CUSHIM_MOCK_USE_AFTER_FREE;
        races += findings[0].kind == CUSHIM_MOCK_DATA_RACE &&
                 strstr(findings[0].text, "allocation in graph") &&
                 strstr(findings[0].text, "allocates the same bytes");
        cushim_mock_findings_clear();
        if (early) /* which broke the context */
            break;
    }
    cr_expect(gt(sz, races, 0));
    cr_expect(gt(sz, early, 0));
}

Test(graph_memory, each_allocation_begins_unwritten)
{
    CUgraph graph = new_graph();
    CUdeviceptr address = 0;
    CUgraphNode node = add_alloc(graph, &address);

    node = add_look(graph, node, address);
    add_free(graph, add_fill(graph, node, address, 1), address);
    OK(mock_cuGraphLaunch(instantiate(graph), one));
    OK(mock_cuStreamSynchronize(one));
    found(CUSHIM_MOCK_UNINITIALISED_READ, "copy in graph", "made by cuGraphAddMemAllocNode");
}

Test(graph_memory, a_stream_frees_what_a_graph_allocated)
{
    CUgraph graph = new_graph();
    CUdeviceptr address = 0;
    CUgraphNode node = add_alloc(graph, &address);
    CUgraphExec exec;

    add_fill(graph, node, address, 5);
    exec = instantiate(graph);
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemFreeAsync(address, one)); /* not allocated yet */
    for (int i = 0; i < 2; i++) {
        OK(mock_cuGraphLaunch(exec, one));
        EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphLaunch(exec, one)); /* it still has it */
        OK(mock_cuMemcpyDtoDAsync_v2(word, address, 4, one));
        OK(mock_cuMemFreeAsync(address, one));
        EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemFreeAsync(address, one));
    }
    cr_expect(eq(uint, value(), 5));
    OK(mock_cuGraphLaunch(exec, one));
    OK(mock_cuMemFree_v2(address));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemFree_v2(address));
    OK(mock_cuGraphLaunch(exec, one));
    OK(mock_cuStreamSynchronize(one));
    silent();
}

Test(graph_memory, another_graph_frees_it)
{
    CUgraph first = new_graph(), second = new_graph();
    CUdeviceptr address = 0;
    CUgraphNode node = add_alloc(first, &address);
    CUgraphExec allocates, frees;

    add_fill(first, node, address, 5);
    add_free(second, add_look(second, add_empty(second, NULL), address), address);
    allocates = instantiate(first);
    frees = instantiate(second);
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphLaunch(frees, one));
    for (int i = 0; i < 2; i++) {
        OK(mock_cuGraphLaunch(allocates, one));
        OK(mock_cuGraphLaunch(frees, one));
    }
    cr_expect(eq(uint, value(), 5));
    silent();
}

Test(graph_memory, a_launch_may_free_what_the_last_one_left)
{
    CUgraph graph = new_graph();
    CUdeviceptr address = 0;
    CUgraphNode node;
    CUgraphExec exec = NULL;

    node = add_alloc(graph, &address);
    add_fill(graph, node, address, 5);
    OK(mock_cuGraphInstantiateWithFlags(&exec, graph, 1));
    for (int i = 0; i < 4; i++)
        OK(mock_cuGraphLaunch(exec, i % 2 ? one : two));
    OK(mock_cuCtxSynchronize());
    silent();
    cr_expect(eq(u64, attribute(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT), BYTES));
    /* What outlives the graph is an allocation like others. */
    OK(mock_cuGraphExecDestroy(exec));
    OK(mock_cuGraphDestroy(graph));
    cr_expect(eq(u64, attribute(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT), 0));
    OK(mock_cuMemcpyDtoD_v2(word, address, 4));
    cr_expect(eq(uint, value(), 5));
    OK(mock_cuMemFree_v2(address));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemFree_v2(address));
}

Test(graph_memory, what_graphs_with_memory_cannot_do)
{
    CUgraph graph = new_graph(), outer = new_graph(), clone;
    CUdeviceptr address = 0;
    CUgraphNode node = add_alloc(graph, &address), free_node = add_free(graph, node, address),
                child;
    CUgraphExec exec = instantiate(graph), second = NULL;

    EXPECT(CUDA_ERROR_NOT_SUPPORTED, mock_cuGraphClone(&clone, graph));
    EXPECT(CUDA_ERROR_NOT_SUPPORTED, mock_cuGraphDestroyNode(free_node));
    EXPECT(CUDA_ERROR_NOT_SUPPORTED, mock_cuGraphRemoveDependencies(graph, &node, &free_node, 1));
    EXPECT(CUDA_ERROR_NOT_SUPPORTED, mock_cuGraphAddChildGraphNode(&child, outer, NULL, 0, graph));
    /* Two could be launched at the same time, with one address. */
    EXPECT(CUDA_ERROR_NOT_SUPPORTED, mock_cuGraphInstantiateWithFlags(&second, graph, 0));
    OK(mock_cuGraphExecDestroy(exec));
    second = instantiate(graph);
    OK(mock_cuGraphLaunch(second, one));
    OK(mock_cuStreamSynchronize(one));
    silent();
}

#if CUDA_VERSION >= 12090
Test(graph_memory, a_graph_with_memory_moves_into_another)
{
    CUgraph graph = new_graph(), outer = new_graph();
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_GRAPH};
    CUdeviceptr address = 0;
    CUgraphNode node = add_alloc(graph, &address), child = NULL;
    CUgraphExec exec;

    node = add_look(graph, add_fill(graph, node, address, 6), address);
    add_free(graph, node, address);
    params.graph.graph = graph;
    params.graph.ownership = CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE;
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphAddNode(&child, graph, NULL, 0, &params));
    OK(mock_cuGraphAddNode(&child, outer, NULL, 0, &params));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphAddNode(&child, outer, NULL, 0, &params));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphDestroy(graph));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(mock_cuGraphLaunch(instantiate(outer), one));
    cr_expect(eq(uint, value(), 6));
}

Test(graph_memory, a_graph_that_was_moved_is_none_by_itself)
{
    CUgraph inner = new_graph(), outer = new_graph(), same = new_graph(), copy = NULL;
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_GRAPH};
    CUgraphExecUpdateResultInfo info = {0};
    CUDA_MEM_ALLOC_NODE_PARAMS alloc = {
        .poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}},
        .bytesize = BYTES};
    CUgraphExec exec = NULL, of_same;
    CUgraphNode node = NULL;

    add_empty(inner, NULL);
    add_empty(same, NULL);
    of_same = instantiate(same);
    params.graph.graph = inner;
    params.graph.ownership = CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE;
    OK(mock_cuGraphAddNode(&node, outer, NULL, 0, &params));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphInstantiateWithFlags(&exec, inner, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphDestroy(inner));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphAddChildGraphNode(&node, same, NULL, 0, inner));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphExecUpdate_v2(of_same, inner, &info));
    cr_expect(eq(int, (int) info.result, CU_GRAPH_EXEC_UPDATE_ERROR));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphAddMemAllocNode(&node, inner, NULL, 0, &alloc));
    add_empty(inner, NULL);
    OK(mock_cuGraphClone(&copy, inner));
    OK(mock_cuGraphExecUpdate_v2(of_same, same, &info));
    instantiate(copy);
    instantiate(outer);
}
#endif

Test(graph_memory, marks_are_set_back)
{
    CUgraph graph = new_graph();
    CUdeviceptr address = 0;
    cuuint64_t zero = 0, number = 7;
    CUgraphNode node = add_alloc(graph, &address);

    add_free(graph, node, address);
    OK(mock_cuGraphLaunch(instantiate(graph), one));
    OK(mock_cuStreamSynchronize(one));
    cr_expect(eq(u64, attribute(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH), BYTES));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &number));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &zero));
    OK(mock_cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &zero));
    cr_expect(eq(u64, attribute(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH), 0));
    OK(mock_cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH, &zero));
    cr_expect(eq(u64, attribute(CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH), BYTES));
    EXPECT(CUDA_ERROR_INVALID_DEVICE,
           mock_cuDeviceGetGraphMemAttribute(9, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &number));
    EXPECT(CUDA_ERROR_INVALID_DEVICE, mock_cuDeviceGraphMemTrim(9));
    OK(mock_cuDeviceGraphMemTrim(0));
}

/* --- captured --- */

Test(graph_memory, stream_ordered_memory_is_captured)
{
    CUgraph graph = NULL;
    CUdeviceptr address = 0, other = 0;
    CUgraphExec exec;

    OK(mock_cuStreamBeginCapture_v2(one, GLOBAL));
    OK(mock_cuMemAllocAsync(&address, BYTES, one));
    OK(mock_cuMemsetD32Async(address, 8, BYTES / 4, one));
    OK(mock_cuMemcpyDtoDAsync_v2(word, address, 4, one));
    OK(mock_cuMemFreeAsync(address, one));
    OK(mock_cuMemAllocAsync(&other, BYTES, one));
    OK(mock_cuStreamEndCapture(one, &graph));
    cr_expect(eq(sz, count_nodes(graph), 5));
    exec = instantiate(graph);
    OK(mock_cuGraphLaunch(exec, one));
    cr_expect(eq(uint, value(), 8));
    OK(mock_cuMemFreeAsync(other, one));
    OK(mock_cuGraphLaunch(exec, one));
    OK(mock_cuMemFreeAsync(other, one));
    OK(mock_cuStreamSynchronize(one));
    silent();
    /* What no graph allocates is not for one to free. */
    OK(mock_cuMemAllocAsync(&address, BYTES, one));
    OK(mock_cuStreamBeginCapture_v2(one, GLOBAL));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemFreeAsync(address, one));
    OK(mock_cuStreamEndCapture(one, &graph));
}

Test(graph_memory, a_context_takes_its_memory_along)
{
    CUgraph graph = new_graph();
    CUdeviceptr address = 0;
    CUcontext context, first;
    CUgraphNode node;
    CUgraphExec exec;

    OK(mock_cuCtxGetCurrent(&first));
    OK(mock_cuCtxCreate_v2(&context, 0, 0));
    node = add_alloc(graph, &address);
    add_free(graph, node, address);
    exec = instantiate(graph);
    OK(mock_cuCtxDestroy_v2(context));
    OK(mock_cuCtxSetCurrent(first));
    cr_expect(ne(int, mock_cuGraphLaunch(exec, one), 0));
    OK(mock_cuGraphExecDestroy(exec));
    OK(mock_cuGraphDestroy(graph));
}

#else

Test(graph_memory, needs_newer_headers)
{
    cr_skip_test("these headers have no memory nodes");
}

#endif
