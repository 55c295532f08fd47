/* SPDX-License-Identifier: MIT */
/* What of an executable graph can change, and what cannot. */
#include "graphs.h"

TestSuite(graph_update, .init = begin);

/* Updates with a graph, and expects this to be said. */
static void update(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResult expected,
                   CUgraphNode culprit)
{
    CUgraphExecUpdateResult why = (CUgraphExecUpdateResult) 99;
    CUgraphNode node = GARBAGE;

    EXPECT(expected == CU_GRAPH_EXEC_UPDATE_SUCCESS ? 0 : 910,
           mock_cuGraphExecUpdate(exec, graph, &node, &why));
    cr_expect(eq(int, why, expected));
    cr_expect(eq(ptr, node, culprit));
}

Test(graph_update, a_graph_of_the_same_shape_updates)
{
    CUgraph graph = new_graph(), other = new_graph();
    CUgraphNode node = add_affine(graph, NULL, 1, 1), same;
    CUgraphExec exec;

    add_affine(graph, node, 2, 0);
    exec = instantiate(graph);
    same = add_affine(other, NULL, 1, 5);
    add_affine(other, same, 3, 0);
    update(exec, other, CU_GRAPH_EXEC_UPDATE_SUCCESS, NULL);
    OK(mock_cuGraphDestroy(other));
    OK(mock_cuGraphLaunch(exec, one));
    cr_expect(eq(uint, value(), 15));
    update(exec, graph, CU_GRAPH_EXEC_UPDATE_SUCCESS, NULL);
    OK(mock_cuGraphLaunch(exec, one));
    cr_expect(eq(uint, value(), 32));
}

Test(graph_update, a_graph_of_another_shape_does_not)
{
    CUgraph graph = new_graph(), more = new_graph(), typed = new_graph(), edged = new_graph();
    CUgraphNode node = add_affine(graph, NULL, 1, 1);
    CUgraphExec exec;

    add_affine(graph, node, 2, 0);
    exec = instantiate(graph);
    add_affine(more, NULL, 1, 1);
    update(exec, more, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, NULL);
    node = add_affine(typed, NULL, 1, 50);
    update(exec, typed, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, NULL);
    node = add_empty(typed, node);
    update(exec, typed, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, node);
    add_affine(edged, NULL, 1, 50);
    node = add_affine(edged, NULL, 2, 0);
    update(exec, edged, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, node);
    OK(mock_cuGraphLaunch(exec, one));
    cr_expect(eq(uint, value(), 2)); /* nothing of them has come in */
    EXPECT(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, mock_cuGraphExecUpdate(exec, more, NULL, NULL));
    EXPECT(CUDA_SUCCESS, mock_cuGraphExecUpdate(exec, graph, NULL, NULL));
}

#if CUDA_VERSION >= 12000
Test(graph_update, the_edge_that_differs_is_named)
{
    CUgraph graph = new_graph(), other = new_graph();
    CUgraphExecUpdateResultInfo info;
    CUgraphNode a = add_empty(graph, NULL), b, c;
    CUgraphExec exec;

    add_empty(graph, NULL);
    add_empty(graph, a);
    exec = instantiate(graph);
    add_empty(other, NULL);
    b = add_empty(other, NULL);
    c = add_empty(other, b);
    EXPECT(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, mock_cuGraphExecUpdate_v2(exec, other, &info));
    cr_expect(eq(int, info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED));
    cr_expect(eq(ptr, info.errorNode, c));
    cr_expect(eq(ptr, info.errorFromNode, b));
    OK(mock_cuGraphExecUpdate_v2(exec, graph, &info));
    cr_expect(eq(int, info.result, CU_GRAPH_EXEC_UPDATE_SUCCESS));
    OK(mock_cuGraphExecUpdate_v2(exec, graph, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphExecUpdate_v2(exec, GARBAGE, &info));
}
#endif

/* --- what cannot change --- */

static CUgraph fill_graph(CUdeviceptr address, unsigned number, size_t width, size_t height)
{
    const CUDA_MEMSET_NODE_PARAMS fill = {.dst = address,
                                          .pitch = 512,
                                          .value = number,
                                          .elementSize = 4,
                                          .width = width,
                                          .height = height};
    CUgraph graph = new_graph();
    CUgraphNode node;

    OK(mock_cuGraphAddMemsetNode(&node, graph, NULL, 0, &fill, NULL));
    return graph;
}

static CUgraphNode only_node(CUgraph graph)
{
    CUgraphNode node = NULL;
    size_t n = 1;

    OK(mock_cuGraphGetNodes(graph, &node, &n));
    return node;
}

static CUdeviceptr memory_of_another_context(void)
{
    CUcontext here, other;
    CUdeviceptr p;

    OK(mock_cuCtxGetCurrent(&here));
    OK(mock_cuCtxCreate_v2(&other, 0, 0));
    p = allocate(64);
    OK(mock_cuCtxSetCurrent(here));
    return p;
}

Test(graph_update, a_memset_keeps_its_context_and_its_rows)
{
    const CUdeviceptr plane = allocate(4096);
    CUgraph flat = fill_graph(word, 1, 1, 1), rows = fill_graph(plane, 1, 4, 3);
    CUgraphExec exec = instantiate(flat), rows_exec = instantiate(rows);
    CUgraph other;
    CUdeviceptr managed;

    OK(mock_cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL));
    update(exec, fill_graph(word, 5, 1, 1), CU_GRAPH_EXEC_UPDATE_SUCCESS, NULL);
    update(exec, fill_graph(plane, 5, 7, 1), CU_GRAPH_EXEC_UPDATE_SUCCESS, NULL);
    other = fill_graph(plane, 5, 1, 2);
    update(exec, other, CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED, only_node(other));
    update(exec, fill_graph(managed, 5, 1, 1), CU_GRAPH_EXEC_UPDATE_SUCCESS, NULL);
    other = fill_graph(memory_of_another_context(), 5, 1, 1);
    update(exec, other, CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED, only_node(other));
    update(rows_exec, fill_graph(plane + 512, 9, 4, 3), CU_GRAPH_EXEC_UPDATE_SUCCESS, NULL);
    other = fill_graph(plane, 9, 3, 3);
    update(rows_exec, other, CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED, only_node(other));
    OK(mock_cuMemFree_v2(managed));
}

Test(graph_update, a_copy_keeps_its_kinds_of_memory)
{
    unsigned from = 3;
    void *pinned = NULL;
    CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = &from,
                          .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                          .dstDevice = word,
                          .WidthInBytes = 4,
                          .Height = 1,
                          .Depth = 1};
    const CUdeviceptr other = allocate(4);
    CUgraph graph = new_graph();
    CUgraphNode node;
    CUgraphExec exec;

    OK(mock_cuMemAllocHost_v2(&pinned, 4));
    OK(mock_cuGraphAddMemcpyNode(&node, graph, NULL, 0, &copy, NULL));
    exec = instantiate(graph);
    copy.dstDevice = other;
    OK(mock_cuGraphExecMemcpyNodeSetParams(exec, node, &copy, NULL));
    copy.srcHost = pinned;
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphExecMemcpyNodeSetParams(exec, node, &copy, NULL));
    copy.srcHost = &from;
    copy.WidthInBytes = 1;
    copy.Height = 4;
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphExecMemcpyNodeSetParams(exec, node, &copy, NULL));
    copy.Height = 0;
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphExecMemcpyNodeSetParams(exec, node, &copy, NULL));
    OK(mock_cuMemFreeHost(pinned));
}

Test(graph_update, a_kernel_keeps_its_attributes)
{
    CUkernelNodeAttrValue attribute = {0}, got;
    CUgraph graph = new_graph(), other = new_graph();
    CUgraphNode node = add_affine(graph, NULL, 1, 1), changed = add_affine(other, NULL, 1, 1);
    CUgraphExec exec = instantiate(graph);
    struct affine a;

    attribute.cooperative = 1;
    OK(mock_cuGraphKernelNodeSetAttribute(changed, (CUkernelNodeAttrID) 2, &attribute));
    update(exec, other, (CUgraphExecUpdateResult) 8, changed);
    /* They are no parameters: new ones leave them as they are. */
    OK(mock_cuGraphKernelNodeSetParams(changed, affine_params(&a, 1, 5)));
    OK(mock_cuGraphKernelNodeGetAttribute(changed, (CUkernelNodeAttrID) 2, &got));
    cr_expect(eq(int, got.cooperative, 1));
    OK(mock_cuGraphKernelNodeGetAttribute(node, (CUkernelNodeAttrID) 2, &got));
    cr_expect(eq(int, got.cooperative, 0));
}
