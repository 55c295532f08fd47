/* SPDX-License-Identifier: MIT */
/* Executable graphs: launched, changed, updated. */
#include "graphs.h"

TestSuite(graph_exec, .init = begin);

Test(graph_exec, handles_are_checked)
{
    CUgraph graph = new_graph();
    CUgraphExec exec = NULL;

    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphInstantiateWithFlags(NULL, graph, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphInstantiateWithFlags(&exec, GARBAGE, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphInstantiateWithFlags(&exec, graph, 0x100));
    /* Uploading, without a stream to do it in; and freeing what a device launched. */
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphInstantiateWithFlags(&exec, graph, 2));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphInstantiateWithFlags(&exec, graph, 1 | 4));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphLaunch(GARBAGE, one));
    exec = instantiate(graph);
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuGraphLaunch(exec, GARBAGE));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuGraphUpload(exec, GARBAGE));
    OK(mock_cuGraphUpload(exec, one));
    OK(mock_cuGraphLaunch(exec, NULL));
    OK(mock_cuGraphLaunch_ptsz(exec, NULL));
    OK(mock_cuGraphExecDestroy(exec));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphExecDestroy(exec));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphLaunch(exec, one));
    OK(mock_cuCtxSetCurrent(NULL));
    EXPECT(CUDA_ERROR_INVALID_CONTEXT, mock_cuGraphInstantiateWithFlags(&exec, graph, 0));
}

#if CUDA_VERSION >= 12000
Test(graph_exec, parameters_say_what_became_of_it)
{
    CUgraph graph = new_graph();
    CUgraphNode a = add_empty(graph, NULL), b = add_empty(graph, a);
    CUDA_GRAPH_INSTANTIATE_PARAMS params = {.flags = 2 | 8, .hUploadStream = one};
    CUgraphExec exec = NULL;
    cuuint64_t flags = 0;

    OK(mock_cuGraphInstantiateWithParams(&exec, graph, &params));
    cr_expect(eq(int, params.result_out, CUDA_GRAPH_INSTANTIATE_SUCCESS));
    OK(mock_cuGraphExecGetFlags(exec, &flags));
    cr_expect(eq(u64, flags, 0)); /* as hardware answers */
    params.hUploadStream = GARBAGE;
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuGraphInstantiateWithParams(&exec, graph, &params));
    cr_expect(eq(int, params.result_out, CUDA_GRAPH_INSTANTIATE_ERROR));
    params.flags = 0;
    OK(mock_cuGraphAddDependencies(graph, &b, &a, 1));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphInstantiateWithParams_ptsz(&exec, graph, &params));
    cr_expect(eq(int, params.result_out, CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE));
    cr_expect(eq(ptr, params.hErrNode_out, a));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphInstantiateWithParams(&exec, graph, NULL));
}
#endif

Test(graph_exec, launches_are_ordered_after_each_other)
{
    CUgraph graph = new_graph();
    CUgraphExec exec;

    add_affine(graph, NULL, 2, 1);
    exec = instantiate(graph);
    OK(mock_cuGraphDestroy(graph));
    for (int i = 0; i < 4; i++)
        OK(mock_cuGraphLaunch(exec, i % 2 ? one : two));
    cr_expect(eq(uint, value(), 15));
    silent();
    OK(mock_cuGraphLaunch(exec, one));
    OK(mock_cuGraphExecDestroy(exec)); /* what was launched is done all the same */
    cr_expect(eq(uint, value(), 31));
}

Test(graph_exec, a_launch_takes_its_place_in_a_stream)
{
    CUgraph graph = new_graph();
    CUgraphExec exec;

    add_affine(graph, add_affine(graph, NULL, 10, 1), 10, 2);
    exec = instantiate(graph);
    OK(launch_affine(one, 1, 3));
    OK(mock_cuGraphLaunch(exec, one));
    EXPECT(CUDA_ERROR_NOT_READY, mock_cuStreamQuery(one));
    OK(launch_affine(one, 10, 4));
    OK(mock_cuStreamSynchronize(one));
    cr_expect(eq(uint, value(), 3124));
    silent();
}

Test(graph_exec, long_and_wide_graphs_are_launched)
{
    CUgraph graph = new_graph();
    CUgraphNode last = NULL, middle[50], joined = NULL;

    for (int i = 0; i < 3000; i++)
        last = add_affine(graph, last, 1, 1);
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < 50; i++)
            middle[i] = add_empty(graph, last);
        OK(mock_cuGraphAddEmptyNode(&joined, graph, middle, 50));
        last = add_affine(graph, joined, 1, 1);
    }
    OK(mock_cuGraphLaunch(instantiate(graph), one));
    cr_expect(eq(uint, value(), 3010));
    silent();
}

/* --- changes --- */

Test(graph_exec, parameters_change_for_later_launches)
{
    CUgraph graph = new_graph();
    CUgraphNode node = add_affine(graph, NULL, 1, 1), empty = add_empty(graph, NULL);
    CUgraphExec exec = instantiate(graph);
    struct affine a;

    OK(mock_cuGraphLaunch(exec, one));
    OK(mock_cuGraphExecKernelNodeSetParams(exec, node, affine_params(&a, 1, 10)));
    OK(mock_cuGraphLaunch(exec, one));
    cr_expect(eq(uint, value(), 11));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphExecKernelNodeSetParams(exec, empty, &a.node));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphExecKernelNodeSetParams(exec, node, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphExecKernelNodeSetParams(GARBAGE, node, &a.node));
    OK(mock_cuGraphDestroyNode(node));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphExecKernelNodeSetParams(exec, node, &a.node));
}

static void CUDA_CB add_one(void *number)
{
    ++*(int *) number;
}

Test(graph_exec, every_type_is_changed)
{
    unsigned from = 5, other_from = 6;
    int calls = 0, other_calls = 0;
    CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = &from,
                          .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                          .dstDevice = word,
                          .WidthInBytes = 4,
                          .Height = 1,
                          .Depth = 1};
    CUDA_MEMSET_NODE_PARAMS fill = {
        .dst = allocate(4), .value = 1, .elementSize = 4, .width = 1, .height = 1};
    CUDA_HOST_NODE_PARAMS host = {add_one, &calls};
    CUgraphNode nodes[5];
    CUgraph graph = new_graph();
    CUgraphExec exec;
    CUevent event, other;
    unsigned filled = 0;

    OK(mock_cuEventCreate(&event, 0));
    OK(mock_cuEventCreate(&other, 0));
    OK(mock_cuGraphAddMemcpyNode(&nodes[0], graph, NULL, 0, &copy, NULL));
    OK(mock_cuGraphAddMemsetNode(&nodes[1], graph, NULL, 0, &fill, NULL));
    OK(mock_cuGraphAddHostNode(&nodes[2], graph, NULL, 0, &host));
    OK(mock_cuGraphAddEventRecordNode(&nodes[3], graph, nodes, 3, event));
    OK(mock_cuGraphAddEventWaitNode(&nodes[4], graph, NULL, 0, event));
    exec = instantiate(graph);
    copy.srcHost = &other_from;
    OK(mock_cuGraphExecMemcpyNodeSetParams(exec, nodes[0], &copy, NULL));
    fill.value = 2;
    OK(mock_cuGraphExecMemsetNodeSetParams(exec, nodes[1], &fill, NULL));
    host.userData = &other_calls;
    OK(mock_cuGraphExecHostNodeSetParams(exec, nodes[2], &host));
    OK(mock_cuGraphExecEventRecordNodeSetEvent(exec, nodes[3], other));
    OK(mock_cuGraphExecEventWaitNodeSetEvent(exec, nodes[4], other));
    OK(mock_cuGraphLaunch(exec, one));
    OK(mock_cuEventSynchronize(other));
    cr_expect(eq(uint, value(), 6));
    OK(mock_cuMemcpyDtoH_v2(&filled, fill.dst, 4));
    cr_expect(eq(uint, filled, 2));
    cr_expect(eq(int, calls, 0));
    cr_expect(eq(int, other_calls, 1));
    silent();
}

Test(graph_exec, a_graph_within_is_changed)
{
    CUgraph graph = new_graph(), inner = new_graph(), other = new_graph(), embedded = NULL;
    CUgraphNode child, first = add_affine(inner, NULL, 1, 1);
    CUgraphExec exec;
    struct affine a;

    OK(mock_cuGraphAddChildGraphNode(&child, graph, NULL, 0, inner));
    exec = instantiate(graph);
    add_affine(other, NULL, 1, 7);
    OK(mock_cuGraphExecChildGraphNodeSetParams(exec, child, other));
    OK(mock_cuGraphLaunch(exec, one));
    cr_expect(eq(uint, value(), 7));
    add_empty(other, NULL);
    EXPECT(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,
           mock_cuGraphExecChildGraphNodeSetParams(exec, child, other));
    /* Its nodes are found by those of the graph that the node has. */
    OK(mock_cuGraphChildGraphNodeGetGraph(child, &embedded));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuGraphExecKernelNodeSetParams(exec, first, affine_params(&a, 1, 100)));
    OK(mock_cuGraphNodeFindInClone(&first, first, embedded));
    OK(mock_cuGraphExecKernelNodeSetParams(exec, first, affine_params(&a, 1, 100)));
    OK(mock_cuGraphLaunch(exec, one));
    cr_expect(eq(uint, value(), 107));
}

#if CUDA_VERSION >= 11060
Test(graph_exec, nodes_are_switched_off)
{
    CUgraph graph = new_graph();
    CUgraphNode first = add_affine(graph, NULL, 1, 1), second = add_affine(graph, first, 10, 0);
    CUgraphExec exec = instantiate(graph);
    unsigned enabled = 9;

    OK(mock_cuGraphNodeGetEnabled(exec, second, &enabled));
    cr_expect(eq(uint, enabled, 1));
    OK(mock_cuGraphNodeSetEnabled(exec, second, 0));
    OK(mock_cuGraphNodeGetEnabled(exec, second, &enabled));
    cr_expect(eq(uint, enabled, 0));
    OK(mock_cuGraphLaunch(exec, one));
    cr_expect(eq(uint, value(), 1));
    OK(mock_cuGraphNodeSetEnabled(exec, second, 1));
    OK(mock_cuGraphLaunch(exec, one));
    cr_expect(eq(uint, value(), 20));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphNodeSetEnabled(exec, add_empty(graph, NULL), 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphNodeGetEnabled(exec, second, NULL));
}
#endif

/* --- what is gone --- */

Test(graph_exec, a_module_that_is_gone_is_noticed)
{
    CUgraph graph = new_graph();
    CUgraphExec exec;

    add_affine(graph, NULL, 1, 1);
    exec = instantiate(graph);
    OK(mock_cuGraphLaunch(exec, one));
    OK(mock_cuModuleUnload(graphs_module));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuGraphLaunch(exec, one));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuGraphInstantiateWithFlags(&exec, graph, 0));
    cr_expect(eq(uint, value(), 1));
}

Test(graph_exec, a_context_that_is_gone_is_noticed)
{
    CUcontext context, first;
    CUgraph graph = new_graph();
    CUgraphExec exec;

    OK(mock_cuCtxGetCurrent(&first));
    OK(mock_cuCtxCreate_v2(&context, 0, 0));
    add_empty(graph, NULL);
    exec = instantiate(graph);
    OK(mock_cuGraphLaunch(exec, one));
    OK(mock_cuCtxDestroy_v2(context));
    OK(mock_cuCtxSetCurrent(first));
    EXPECT(CUDA_ERROR_CONTEXT_IS_DESTROYED, mock_cuGraphLaunch(exec, one));
    OK(mock_cuGraphExecDestroy(exec));
}

Test(graph_exec, memory_that_is_gone_is_noticed)
{
    CUDA_MEMSET_NODE_PARAMS fill = {
        .dst = allocate(4), .value = 1, .elementSize = 4, .width = 1, .height = 1};
    CUgraph graph = new_graph();
    CUgraphNode node;
    CUgraphExec exec;

    OK(mock_cuGraphAddMemsetNode(&node, graph, NULL, 0, &fill, NULL));
    exec = instantiate(graph);
    OK(mock_cuMemFree_v2(fill.dst));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphLaunch(exec, one));
    found(CUSHIM_MOCK_USE_AFTER_FREE, "memset", "made by cuMemAlloc");
}

/* --- contexts --- */

Test(graph_exec, nodes_are_done_in_their_own_contexts)
{
    CUgraph graph = new_graph();
    CUgraphNode copy_node, fill_node;
    CUcontext here, there;
    CUDA_MEMSET_NODE_PARAMS fill = {.value = 20, .elementSize = 4, .width = 1, .height = 1};
    CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                          .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                          .dstDevice = word,
                          .WidthInBytes = 4,
                          .Height = 1,
                          .Depth = 1};
    CUgraphExec exec;

    OK(mock_cuCtxGetCurrent(&here));
    OK(mock_cuDevicePrimaryCtxRetain(&there, 1));
    OK(mock_cuCtxSetCurrent(there));
    fill.dst = copy.srcDevice = allocate(4);
    OK(mock_cuCtxSetCurrent(here));
    OK(mock_cuGraphAddMemsetNode(&fill_node, graph, NULL, 0, &fill, there));
    OK(mock_cuGraphAddMemcpyNode(&copy_node, graph, &fill_node, 1, &copy, here));
    add_affine(graph, copy_node, 2, 1);
    exec = instantiate(graph);
    /* It stays in its context, whichever is named, as on hardware. */
    OK(mock_cuGraphExecMemsetNodeSetParams(exec, fill_node, &fill, here));
    OK(mock_cuGraphLaunch(exec, one));
    cr_expect(eq(uint, value(), 41));
    silent();
    /* A launch needs all of them. */
    OK(mock_cuDevicePrimaryCtxRelease_v2(1));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphInstantiateWithFlags(&exec, graph, 0));
    EXPECT(CUDA_ERROR_CONTEXT_IS_DESTROYED, mock_cuGraphLaunch(exec, one));
}

static void fail(const struct cushim_mock_launch *launch, void *const *args)
{
    (void) launch;
    (void) args;
    cushim_mock_kernel_fail(CUDA_ERROR_LAUNCH_FAILED);
}

Test(graph_exec, a_node_that_fails_breaks_the_context)
{
    CUgraph graph = new_graph();
    CUgraphNode node = add_affine(graph, NULL, 1, 1);
    CUgraphExec exec;
    int calls = 0;
    CUDA_HOST_NODE_PARAMS host = {add_one, &calls};

    OK(mock_cuGraphAddHostNode(&node, graph, &node, 1, &host));
    exec = instantiate(graph);
    cr_assert(eq(int, cushim_mock_register_kernel("affine", fail, NULL), CUSHIM_OK));
    OK(mock_cuGraphLaunch(exec, one));
    EXPECT(CUDA_ERROR_LAUNCH_FAILED, mock_cuStreamSynchronize(one));
    cr_expect(eq(int, calls, 0));
    EXPECT(CUDA_ERROR_LAUNCH_FAILED, mock_cuGraphLaunch(exec, one));
    OK(mock_cuGraphExecDestroy(exec));
    OK(mock_cuGraphDestroy(graph));
}
