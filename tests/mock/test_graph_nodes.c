/* SPDX-License-Identifier: MIT */
/* Each type of node: its parameters, read back and changed, and what it does. */
#include "graphs.h"

TestSuite(graph_nodes, .init = begin);

static CUresult run(CUgraph graph)
{
    CUgraphExec exec = instantiate(graph);
    CUresult result;

    OK(mock_cuGraphLaunch(exec, one));
    result = mock_cuStreamSynchronize(one);
    OK(mock_cuGraphExecDestroy(exec));
    return result;
}

Test(graph_nodes, a_kernel_has_its_parameters)
{
    CUgraph graph = new_graph();
    CUgraphNode node = add_affine(graph, NULL, 1, 7), other = add_empty(graph, NULL);
    struct CUDA_KERNEL_NODE_PARAMS_st params;
    struct affine a;

    OK(mock_cuGraphKernelNodeGetParams(node, &params));
    cr_expect(eq(ptr, params.func, graphs_function));
    cr_expect(eq(uint, params.gridDimX, 1));
    cr_expect(eq(uint, *(unsigned *) params.kernelParams[2], 7));
    cr_expect(eq(ptr, params.extra, NULL));
    OK(mock_cuGraphKernelNodeSetParams(node, affine_params(&a, 1, 9)));
    a.term = 1000; /* read when it was set */
    OK(mock_cuGraphKernelNodeGetParams(node, &params));
    cr_expect(eq(uint, *(unsigned *) params.kernelParams[2], 9));
    /* What was read is good for setting. */
    params.gridDimX = 2;
    OK(mock_cuGraphKernelNodeSetParams(node, &params));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphKernelNodeGetParams(other, &params));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphKernelNodeGetParams(node, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphKernelNodeSetParams(node, NULL));
    OK(run(graph));
    cr_expect(eq(uint, value(), 9));
}

Test(graph_nodes, a_kernel_is_checked_as_a_launch_is)
{
    CUgraph graph = new_graph();
    CUgraphNode node = NULL;
    struct affine a;
    struct CUDA_KERNEL_NODE_PARAMS_st *p = affine_params(&a, 1, 1);

    p->blockDimX = 4096;
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphAddKernelNode(&node, graph, NULL, 0, p));
    p = affine_params(&a, 1, 1);
    p->func = GARBAGE;
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuGraphAddKernelNode(&node, graph, NULL, 0, p));
    p->func = NULL;
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuGraphAddKernelNode(&node, graph, NULL, 0, p));
    p = affine_params(&a, 1, 1);
    p->kernelParams = NULL;
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphAddKernelNode(&node, graph, NULL, 0, p));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphAddKernelNode(&node, graph, NULL, 0, NULL));
    cr_expect(eq(sz, count_nodes(graph), 0));
}

#if CUDA_VERSION >= 12000
Test(graph_nodes, a_library_has_kernels_for_nodes)
{
    CUgraph graph = new_graph();
    CUDA_KERNEL_NODE_PARAMS_v2 params = {0};
    CUgraphNode node = NULL;
    CUlibrary library;
    CUkernel kernel;
    struct affine a;

    OK(mock_cuLibraryLoadData(&library, graphs_ptx, NULL, NULL, 0, NULL, NULL, 0));
    OK(mock_cuLibraryGetKernel(&kernel, library, "affine"));
    memcpy(&params, affine_params(&a, 1, 4), sizeof(a.node));
    params.func = NULL;
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuGraphAddKernelNode_v2(&node, graph, NULL, 0, &params));
    params.kern = kernel;
    OK(mock_cuGraphAddKernelNode_v2(&node, graph, NULL, 0, &params));
    OK(mock_cuGraphKernelNodeGetParams_v2(node, &params));
    cr_expect(ne(ptr, params.func, NULL));
    OK(mock_cuGraphKernelNodeSetParams_v2(node, &params));
    OK(run(graph));
    cr_expect(eq(uint, value(), 4));
}
#endif

Test(graph_nodes, kernels_have_attributes)
{
    CUgraph graph = new_graph();
    CUgraphNode node = add_affine(graph, NULL, 1, 1), other = add_affine(graph, NULL, 1, 1);
    CUkernelNodeAttrValue set = {0}, got;
    const CUkernelNodeAttrID cooperative = (CUkernelNodeAttrID) 2, window = (CUkernelNodeAttrID) 1;

    memset(&got, 0xff, sizeof(got));
    OK(mock_cuGraphKernelNodeGetAttribute(node, cooperative, &got));
    cr_expect(eq(int, got.cooperative, 0));
    set.cooperative = 1;
    OK(mock_cuGraphKernelNodeSetAttribute(node, cooperative, &set));
    OK(mock_cuGraphKernelNodeCopyAttributes(other, node));
    OK(mock_cuGraphKernelNodeGetAttribute(other, cooperative, &got));
    cr_expect(eq(int, got.cooperative, 1));
    set.accessPolicyWindow.hitRatio = 2;
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphKernelNodeSetAttribute(node, window, &set));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuGraphKernelNodeSetAttribute(node, (CUkernelNodeAttrID) 77, &set));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuGraphKernelNodeGetAttribute(add_empty(graph, NULL), cooperative, &got));
    OK(run(graph));
}

/* --- copies and memsets --- */

static CUDA_MEMCPY3D copy_from(const unsigned *from)
{
    return (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_HOST,
                           .srcHost = from,
                           .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                           .dstDevice = word,
                           .WidthInBytes = sizeof(*from),
                           .Height = 1,
                           .Depth = 1};
}

Test(graph_nodes, a_copy_reads_when_it_is_done)
{
    unsigned source = 1, other = 50;
    CUDA_MEMCPY3D params = copy_from(&source), read;
    CUgraph graph = new_graph();
    CUgraphNode node;

    OK(mock_cuGraphAddMemcpyNode(&node, graph, NULL, 0, &params, NULL));
    source = 2;
    OK(run(graph));
    cr_expect(eq(uint, value(), 2));
    OK(mock_cuGraphMemcpyNodeGetParams(node, &read));
    cr_expect(eq(ptr, (void *) read.srcHost, &source));
    cr_expect(eq(u64, read.dstDevice, word));
    cr_expect(eq(sz, read.WidthInBytes, 4));
    read.srcHost = &other;
    OK(mock_cuGraphMemcpyNodeSetParams(node, &read));
    OK(run(graph));
    cr_expect(eq(uint, value(), 50));
    params.dstDevice = word + 1; /* one byte too far */
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphMemcpyNodeSetParams(node, &params));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphMemcpyNodeSetParams(node, NULL));
    EXPECT(CUDA_ERROR_INVALID_CONTEXT,
           mock_cuGraphAddMemcpyNode(&node, graph, NULL, 0, &read, GARBAGE));
}

Test(graph_nodes, a_copy_to_an_array_has_its_parameters)
{
    const CUDA_ARRAY_DESCRIPTOR descriptor = {
        .Width = 4, .Height = 1, .Format = CU_AD_FORMAT_UNSIGNED_INT32, .NumChannels = 1};
    unsigned source = 1, back = 0;
    CUDA_MEMCPY3D params = copy_from(&source), read;
    CUgraph graph = new_graph();
    CUgraphNode node = NULL;
    CUarray array = NULL;

    OK(mock_cuArrayCreate_v2(&array, &descriptor));
    params.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    params.dstArray = array;
    params.dstXInBytes = 4;
    OK(mock_cuGraphAddMemcpyNode(&node, graph, NULL, 0, &params, NULL));
    OK(mock_cuGraphMemcpyNodeGetParams(node, &read));
    cr_expect(eq(int, read.dstMemoryType, CU_MEMORYTYPE_ARRAY));
    cr_expect(eq(ptr, read.dstArray, array));
    cr_expect(eq(sz, read.dstXInBytes, 4));
    cr_expect(eq(int, read.srcMemoryType, CU_MEMORYTYPE_HOST));
    read.dstXInBytes = 8;
    OK(mock_cuGraphMemcpyNodeSetParams(node, &read));
    OK(run(graph));
    OK(mock_cuCtxSynchronize());
    OK(mock_cuMemcpyAtoH_v2(&back, array, 8, 4));
    cr_expect(eq(uint, back, 1));
    params = copy_from(&source);
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuGraphExecMemcpyNodeSetParams(instantiate(graph), node, &params, NULL));
}

Test(graph_nodes, a_memset_has_its_parameters)
{
    CUDA_MEMSET_NODE_PARAMS params = {.dst = word,
                                      .value = 3,
                                      .elementSize = 1,
                                      .width = 4,
                                      .height = 1},
                            read;
    const CUDA_MEMSET_NODE_PARAMS good = params;
    CUgraph graph = new_graph();
    CUgraphNode node;

    OK(mock_cuGraphAddMemsetNode(&node, graph, NULL, 0, &params, NULL));
    OK(run(graph));
    cr_expect(eq(uint, value(), 0x03030303));
    OK(mock_cuGraphMemsetNodeGetParams(node, &read));
    cr_expect(eq(uint, read.value, 3));
    cr_expect(eq(sz, read.width, 4));
    read.value = 4;
    OK(mock_cuGraphMemsetNodeSetParams(node, &read));
    OK(run(graph));
    cr_expect(eq(uint, value(), 0x04040404));
    for (unsigned size = 0; size < 6; size++) {
        params = good;
        params.elementSize = size;
        params.width = 1;
        EXPECT(size == 1 || size == 2 || size == 4 ? 0 : CUDA_ERROR_INVALID_VALUE,
               mock_cuGraphMemsetNodeSetParams(node, &params));
    }
    params = good;
    params.width = 0;
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphMemsetNodeSetParams(node, &params));
    params = good;
    params.width = 5;
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphMemsetNodeSetParams(node, &params));
    params = good;
    params.value = 0x107; /* only its last byte counts */
    EXPECT(CUDA_SUCCESS, mock_cuGraphMemsetNodeSetParams(node, &params));
    OK(run(graph));
    cr_expect(eq(uint, value(), 0x07070707));
}

/* --- host functions and events --- */

static CUresult inside;

static void CUDA_CB add_one(void *number)
{
    CUgraph graph;

    ++*(int *) number;
    inside = mock_cuGraphCreate(&graph, 0);
}

Test(graph_nodes, a_host_function_is_called_in_its_turn)
{
    int calls = 0;
    CUDA_HOST_NODE_PARAMS params = {add_one, &calls}, read;
    CUgraph graph = new_graph();
    CUgraphNode node = NULL;

    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphAddHostNode(&node, graph, NULL, 0, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuGraphAddHostNode(&node, graph, NULL, 0, &(CUDA_HOST_NODE_PARAMS){NULL, NULL}));
    OK(mock_cuGraphAddHostNode(&node, graph, NULL, 0, &params));
    OK(mock_cuGraphHostNodeGetParams(node, &read));
    cr_expect(eq(ptr, read.userData, &calls));
    OK(mock_cuGraphHostNodeSetParams(node, &read));
    add_affine(graph, node, 1, 1);
    OK(run(graph));
    OK(run(graph));
    cr_expect(eq(int, calls, 2));
    EXPECT(CUDA_ERROR_NOT_PERMITTED, inside);
    cr_expect(eq(uint, value(), 2));
}

Test(graph_nodes, events_are_recorded_and_waited_for)
{
    CUgraph recorder = new_graph(), waiter = new_graph(), strange = new_graph();
    CUgraphNode node = NULL, recording, waiting, kernel = add_affine(recorder, NULL, 1, 3);
    CUgraphExec first, second;
    CUevent event, other, read;

    OK(mock_cuEventCreate(&event, 0));
    OK(mock_cuEventCreate(&other, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuGraphAddEventRecordNode(&node, recorder, NULL, 0, NULL));
    OK(mock_cuGraphAddEventRecordNode(&node, recorder, &kernel, 1, other));
    OK(mock_cuGraphEventRecordNodeSetEvent(node, event));
    OK(mock_cuGraphEventRecordNodeGetEvent(node, &read));
    cr_expect(eq(ptr, read, event));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphEventWaitNodeGetEvent(node, &read));
    recording = node;
    OK(mock_cuGraphAddEventWaitNode(&node, waiter, NULL, 0, other));
    waiting = node;
    OK(mock_cuGraphEventWaitNodeSetEvent(node, event));
    OK(mock_cuGraphEventWaitNodeGetEvent(node, &read));
    cr_expect(eq(ptr, read, event));
    add_affine(waiter, node, 10, 0);
    OK(mock_cuGraphAddEventRecordNode(&node, strange, NULL, 0, GARBAGE));
    OK(mock_cuGraphEventRecordNodeGetEvent(node, &read));
    cr_expect(eq(ptr, read, GARBAGE));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuGraphInstantiateWithFlags(&first, strange, 0));
    first = instantiate(recorder);
    second = instantiate(waiter);
    OK(mock_cuGraphLaunch(first, one));
    OK(mock_cuGraphLaunch(second, two));
    EXPECT(CUDA_ERROR_NOT_READY, mock_cuEventQuery(event));
    OK(mock_cuEventSynchronize(event));
    cr_expect(eq(uint, value(), 30));
    silent();
    /* An event that is gone is no event. */
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuGraphExecEventWaitNodeSetEvent(second, waiting, GARBAGE));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuGraphExecEventRecordNodeSetEvent(first, recording, GARBAGE));
    OK(mock_cuEventDestroy_v2(event));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuGraphLaunch(first, one));
    OK(mock_cuGraphExecDestroy(second));
}

/* --- nodes of any type --- */

#if CUDA_VERSION >= 12020
static CUgraphNode add_any(CUgraph graph, CUgraphNode after, CUgraphNodeParams *params)
{
    CUgraphNode node = NULL;
    CUgraphNodeType type;

    OK(mock_cuGraphAddNode(&node, graph, &after, after != NULL, params));
    OK(mock_cuGraphNodeGetType(node, &type));
    cr_expect(eq(int, type, params->type));
    return node;
}

static CUgraphNodeParams kernel_params(struct affine *a, unsigned factor, unsigned term)
{
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_KERNEL};

    memcpy(&params.kernel, affine_params(a, factor, term), sizeof(a->node));
    return params;
}

Test(graph_nodes, nodes_are_added_by_their_type)
{
    CUgraph graph = new_graph(), inner = new_graph();
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_MEMSET};
    CUgraphNode node;
    struct affine a;
    int calls = 0;

    params.memset.dst = word;
    params.memset.value = 1;
    params.memset.elementSize = 4;
    params.memset.width = params.memset.height = 1;
    node = add_any(graph, NULL, &params);
    params = kernel_params(&a, 2, 0);
    node = add_any(graph, node, &params);
    params = (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_HOST};
    params.host.fn = add_one;
    params.host.userData = &calls;
    node = add_any(graph, node, &params);
    params = (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_EMPTY};
    node = add_any(graph, node, &params);
    add_affine(inner, NULL, 3, 1);
    params = (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_GRAPH};
    params.graph.graph = inner;
    add_any(graph, node, &params);
    OK(run(graph));
    cr_expect(eq(uint, value(), 7));
    cr_expect(eq(int, calls, 1));
}

Test(graph_nodes, nodes_of_any_type_are_set)
{
    CUgraph graph = new_graph();
    CUgraphNode node = add_affine(graph, NULL, 1, 1);
    CUgraphNodeParams params;
    struct affine a;
    CUgraphExec exec = instantiate(graph);

    params = kernel_params(&a, 1, 20);
    OK(mock_cuGraphExecNodeSetParams(exec, node, &params));
    OK(mock_cuGraphLaunch(exec, one));
    cr_expect(eq(uint, value(), 20));
    OK(run(graph)); /* the graph itself is what it was */
    cr_expect(eq(uint, value(), 21));
    OK(mock_cuGraphNodeSetParams(node, &params));
    OK(run(graph));
    cr_expect(eq(uint, value(), 41));
    params.kernel.gridDimX = 0;
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphExecNodeSetParams(exec, node, &params));
    params.type = CU_GRAPH_NODE_TYPE_EMPTY;
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphNodeSetParams(node, &params));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphNodeSetParams(node, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphExecNodeSetParams(exec, node, NULL));
}

/* What is behind a type's structure may be zeros only. */
Test(graph_nodes, the_rest_of_any_parameters_is_zero)
{
    CUgraph graph = new_graph();
    CUgraphNode node = NULL;
    CUgraphNodeParams params;
    unsigned char *bytes = (unsigned char *) params.reserved1;
    struct affine a;

    params = kernel_params(&a, 1, 1);
    bytes[sizeof(params.kernel)] = 1;
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphAddNode(&node, graph, NULL, 0, &params));
    params = kernel_params(&a, 1, 1);
    bytes[sizeof(params.reserved1) - 1] = 1;
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphAddNode(&node, graph, NULL, 0, &params));
    params = (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_EMPTY};
    bytes[0] = 1;
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphAddNode(&node, graph, NULL, 0, &params));
    bytes[0] = 0;
    EXPECT(CUDA_SUCCESS, mock_cuGraphAddNode(&node, graph, NULL, 0, &params));
    params = kernel_params(&a, 1, 1);
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphNodeSetParams(node, &params));
    cr_expect(eq(sz, count_nodes(graph), 1));
}

/* There are no external semaphores, so that only lists of none can be launched. */
Test(graph_nodes, lists_of_external_semaphores)
{
    CUgraph graph = new_graph();
    CUgraphNode nodes[2] = {NULL};
    CUexternalSemaphore semaphore = GARBAGE;
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signal = {.flags = 5};
    CUDA_EXT_SEM_SIGNAL_NODE_PARAMS none = {0}, one_of = {&semaphore, &signal, 1}, got;
    CUgraphNodeParams waits = {.type = CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT};
    CUgraphExec exec = NULL;

    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuGraphAddExternalSemaphoresSignalNode(nodes, graph, NULL, 0, NULL));
    OK(mock_cuGraphAddExternalSemaphoresSignalNode(nodes, graph, NULL, 0, &none));
    OK(mock_cuGraphAddNode(&nodes[1], graph, nodes, 1, &waits));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuGraphExternalSemaphoresSignalNodeGetParams(nodes[1], &got));
    OK(run(graph));
    exec = instantiate(graph);
    OK(mock_cuGraphExternalSemaphoresSignalNodeSetParams(nodes[0], &one_of));
    OK(mock_cuGraphExternalSemaphoresSignalNodeGetParams(nodes[0], &got));
    cr_assert(eq(uint, got.numExtSems, 1));
    cr_expect(eq(ptr, got.extSemArray[0], GARBAGE));
    cr_expect(eq(uint, got.paramsArray[0].flags, 5));
    one_of.extSemArray = NULL;
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuGraphExecExternalSemaphoresSignalNodeSetParams(exec, nodes[0], &one_of));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphInstantiateWithFlags(&exec, graph, 0));
}

/* A node that is a graph gets another one, of any shape. */
Test(graph_nodes, a_graph_within_is_replaced)
{
    CUgraph graph = new_graph(), first = new_graph(), second = new_graph();
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_GRAPH};
    CUgraphNode node, other;

    add_affine(second, add_affine(second, NULL, 1, 2), 3, 0);
    add_affine(first, NULL, 1, 100);
    params.graph.graph = first;
    node = add_any(graph, NULL, &params);
    other = add_empty(graph, node);
    params.graph.graph = second;
    OK(mock_cuGraphNodeSetParams(node, &params));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphNodeSetParams(other, &params));
    OK(mock_cuGraphDestroy(second));
    OK(run(graph));
    cr_expect(eq(uint, value(), 6));
    params.graph.graph = NULL;
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphNodeSetParams(node, &params));
    params.graph.graph = graph; /* it cannot be within itself */
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphAddNode(&other, graph, NULL, 0, &params));
}

#if CUDA_VERSION >= 12030
/* What a stream captures to is neither replaced nor destroyed, nor is what it is in. */
Test(graph_nodes, a_graph_within_that_is_captured)
{
    CUgraph graph = new_graph(), inner = new_graph(), ended = NULL;
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_GRAPH};
    CUgraphNode node;

    params.graph.graph = inner;
    node = add_any(graph, NULL, &params);
    OK(mock_cuGraphChildGraphNodeGetGraph(node, &inner));
    OK(mock_cuStreamBeginCaptureToGraph(one, inner, NULL, NULL, 0, RELAXED));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphNodeSetParams(node, &params));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphDestroyNode(node));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphDestroy(graph));
    OK(mock_cuStreamEndCapture(one, &ended));
    cr_expect(eq(ptr, ended, inner));
    OK(mock_cuGraphDestroyNode(node));
    OK(mock_cuGraphDestroy(graph));
}
#endif

Test(graph_nodes, what_there_is_none_of_is_not_added)
{
    CUgraph graph = new_graph();
    CUgraphNode node = NULL;
    CUgraphNodeParams params = {.type = (CUgraphNodeType) 99};

    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphAddNode(&node, graph, NULL, 0, &params));
    params.type = CU_GRAPH_NODE_TYPE_EMPTY;
    params.reserved0[1] = 1;
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphAddNode(&node, graph, NULL, 0, &params));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphAddNode(&node, graph, NULL, 0, NULL));
    cr_expect(eq(sz, count_nodes(graph), 0));
}
#endif
