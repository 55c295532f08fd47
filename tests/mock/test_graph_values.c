/* SPDX-License-Identifier: MIT */
/* Operations on values as nodes of graphs. */
#include <stdio.h>
#include <unistd.h>

#include "graphs.h"
#include "mock/queue/schedule.h"

#if CUDA_VERSION >= 11070

static CUdeviceptr flag;

static void begin_with_flag(void)
{
    begin();
    flag = allocate(8);
    OK(mock_cuMemsetD32_v2(flag, 0, 2));
    OK(mock_cuCtxSynchronize());
}

TestSuite(graph_values, .init = begin_with_flag);

static CUstreamBatchMemOpParams op(CUstreamBatchMemOpType type, CUdeviceptr p, unsigned v)
{
    CUstreamBatchMemOpParams params;

    memset(&params, 0, sizeof(params));
    params.waitValue.operation = type;
    params.waitValue.address = p;
    params.waitValue.value = v;
    params.waitValue.flags = type == CU_STREAM_MEM_OP_WAIT_VALUE_32 ? CU_STREAM_WAIT_VALUE_EQ : 0;
    return params;
}

static CUstreamBatchMemOpParams wait_for(unsigned v)
{
    return op(CU_STREAM_MEM_OP_WAIT_VALUE_32, flag, v);
}

static CUstreamBatchMemOpParams write_of(unsigned v)
{
    return op(CU_STREAM_MEM_OP_WRITE_VALUE_32, flag, v);
}

static CUgraphNode add(CUgraph graph, CUgraphNode after, CUstreamBatchMemOpParams *ops, unsigned n)
{
    CUDA_BATCH_MEM_OP_NODE_PARAMS params = {.count = n, .paramArray = ops};
    CUgraphNode node = NULL;

    OK(mock_cuCtxGetCurrent(&params.ctx));
    OK(mock_cuGraphAddBatchMemOpNode(&node, graph, &after, after != NULL, &params));
    return node;
}

static unsigned flag_value(void)
{
    unsigned v = 0xdead;

    OK(mock_cuMemcpyDtoH_v2(&v, flag, sizeof(v)));
    return v;
}

/* A batch that waits in its midst, for what a stream beside the graph does then. */
Test(graph_values, a_batch_is_one_node_and_done_in_order)
{
    CUstreamBatchMemOpParams ops[] = {write_of(1), wait_for(2), write_of(3)};

    for (unsigned seed = 0; seed < 16; seed++) {
        CUgraph graph = new_graph();
        CUgraphExec exec;

        mock__schedule_seed(seed);
        add_affine(graph, add(graph, NULL, ops, 3), 0, 7);
        exec = instantiate(graph);
        OK(mock_cuGraphLaunch(exec, one));
        OK(mock_cuStreamWaitValue32_v2(two, flag, 1, CU_STREAM_WAIT_VALUE_EQ));
        OK(launch_affine(two, 0, 5));
        OK(mock_cuStreamWriteValue32_v2(two, flag, 2, 0));
        cr_expect(eq(uint, value(), 7), "seed %u", seed);
        cr_expect(eq(uint, flag_value(), 3), "seed %u", seed);
        silent();
        OK(mock_cuMemsetD32_v2(flag, 0, 1));
        OK(mock_cuCtxSynchronize());
        OK(mock_cuGraphExecDestroy(exec));
        OK(mock_cuGraphDestroy(graph));
    }
}

Test(graph_values, a_captured_batch_is_one_node)
{
    CUstreamBatchMemOpParams ops[] = {write_of(1), wait_for(1), write_of(3)};
    CUDA_BATCH_MEM_OP_NODE_PARAMS params;
    CUgraphNode node = NULL;
    CUcontext context = NULL;
    CUgraph graph = NULL;
    size_t n = 1;

    OK(mock_cuStreamBeginCapture_v2(one, GLOBAL));
    OK(mock_cuStreamBatchMemOp_v2(one, 3, ops, 0));
    OK(mock_cuStreamBatchMemOp_v2(one, 0, ops, 0));
    OK(mock_cuStreamEndCapture(one, &graph));
    cr_assert(eq(sz, count_nodes(graph), 1));
    OK(mock_cuGraphGetNodes(graph, &node, &n));
    OK(mock_cuGraphBatchMemOpNodeGetParams(node, &params));
    OK(mock_cuCtxGetCurrent(&context));
    cr_expect(eq(ptr, params.ctx, context));
    cr_assert(eq(uint, params.count, 3));
    cr_expect(eq(uint, params.flags, 0));
    cr_expect(eq(uint, params.paramArray[2].writeValue.value, 3));
    OK(mock_cuGraphLaunch(instantiate(graph), one));
    OK(mock_cuStreamSynchronize(one));
    cr_expect(eq(uint, flag_value(), 3));
    silent();
}

Test(graph_values, nodes_are_set)
{
    CUstreamBatchMemOpParams ops[] = {write_of(1), write_of(2)};
    CUDA_BATCH_MEM_OP_NODE_PARAMS params = {.count = 2, .paramArray = ops};
    CUgraph graph = new_graph();
    CUgraphNode node = add(graph, NULL, ops, 2), other = add_empty(graph, NULL);
    CUgraphExec exec = instantiate(graph);

    OK(mock_cuCtxGetCurrent(&params.ctx));
    ops[1] = write_of(9);
    OK(mock_cuGraphExecBatchMemOpNodeSetParams(exec, node, &params));
    OK(mock_cuGraphLaunch(exec, one));
    OK(mock_cuStreamSynchronize(one));
    cr_expect(eq(uint, flag_value(), 9));
    /* In an executable graph, operations stay of their types, and as many as they are. */
    ops[1] = wait_for(9);
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphExecBatchMemOpNodeSetParams(exec, node, &params));
    params.count = 1;
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphExecBatchMemOpNodeSetParams(exec, node, &params));
    params.count = 2;
    OK(mock_cuGraphBatchMemOpNodeSetParams(node, &params));
    OK(mock_cuGraphBatchMemOpNodeGetParams(node, &params));
    cr_expect(eq(int, params.paramArray[1].operation, CU_STREAM_MEM_OP_WAIT_VALUE_32));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphBatchMemOpNodeSetParams(other, &params));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphBatchMemOpNodeGetParams(other, &params));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphBatchMemOpNodeGetParams(node, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphBatchMemOpNodeSetParams(node, NULL));
    /* The graph is not what was instantiated any more. */
    EXPECT(910, mock_cuGraphExecUpdate(exec, graph, &other, &(CUgraphExecUpdateResult){0}));
}

/* Where an operation goes is looked at when it is done. */
Test(graph_values, batches_of_nothing_and_to_nowhere)
{
    CUstreamBatchMemOpParams ops[1] = {write_of(1)};
    CUgraph graph = new_graph();

    add(graph, NULL, ops, 0);
    OK(mock_cuGraphLaunch(instantiate(graph), one));
    OK(mock_cuStreamSynchronize(one));
    silent();
    ops[0].writeValue.address = 0;
    add(graph, NULL, ops, 1);
    OK(mock_cuGraphLaunch(instantiate(graph), one));
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, mock_cuStreamSynchronize(one));
    found(CUSHIM_MOCK_OUT_OF_BOUNDS, "write of a value", "0x0");
}

Test(graph_values, misuse)
{
    CUstreamBatchMemOpParams ops[1] = {write_of(1)};
    CUDA_BATCH_MEM_OP_NODE_PARAMS params = {.count = 1, .paramArray = ops};
    CUgraph graph = new_graph();
    CUgraphNode node = GARBAGE;
    CUcontext context = NULL;

    OK(mock_cuCtxGetCurrent(&context));
    params.ctx = context;
#define REFUSED() mock_cuGraphAddBatchMemOpNode(&node, graph, NULL, 0, &params)
    params.flags = 1;
    EXPECT(CUDA_ERROR_INVALID_VALUE, REFUSED());
    params.flags = 0;
    params.count = 256;
    EXPECT(CUDA_ERROR_INVALID_VALUE, REFUSED());
    params.count = 1;
    params.paramArray = NULL;
    EXPECT(CUDA_ERROR_INVALID_VALUE, REFUSED());
    params.paramArray = ops;
    params.ctx = GARBAGE;
    EXPECT(CUDA_ERROR_INVALID_VALUE, REFUSED());
    params.ctx = NULL;
    EXPECT(CUDA_ERROR_INVALID_VALUE, REFUSED());
    params.ctx = context;
    ops[0].writeValue.address = flag + 2;
    EXPECT(CUDA_ERROR_INVALID_VALUE, REFUSED());
    ops[0].writeValue.operation = (CUstreamBatchMemOpType) 99;
    EXPECT(CUDA_ERROR_INVALID_VALUE, REFUSED());
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphAddBatchMemOpNode(&node, graph, NULL, 0, NULL));
    cr_expect(eq(ptr, node, GARBAGE));
    cr_expect(eq(sz, count_nodes(graph), 0));
}

Test(graph_values, batches_are_written_for_graphviz)
{
    char path[] = "/tmp/cushim-values-XXXXXX", text[4096] = "";
    CUstreamBatchMemOpParams ops[] = {write_of(1), wait_for(5), write_of(2)};
    CUgraph graph = new_graph();
    const int fd = mkstemp(path);
    FILE *file = fdopen(fd, "r");

    memset(&ops[2], 0, sizeof(ops[2]));
    ops[2].operation = CU_STREAM_MEM_OP_BARRIER;
    add(graph, NULL, ops, 3);
    OK(mock_cuGraphDebugDotPrint(graph, path, 1));
    text[fread(text, 1, sizeof(text) - 1, file)] = 0;
    fclose(file);
    remove(path);
    for (size_t i = 0; i < 3; i++) {
        static const char *const words[] = {"\\nwrite 0x", "\\nwait 0x", "\\nbarrier"};

        cr_expect(ne(ptr, (void *) strstr(text, words[i]), NULL), "no %s in %s", words[i], text);
    }
}

/* Freed between instantiation and launch: it is told, and nothing waits for ever. */
Test(graph_values, memory_that_is_gone)
{
    CUstreamBatchMemOpParams ops[] = {wait_for(5), write_of(1)};
    CUgraph graph = new_graph();
    CUgraphExec exec;

    add(graph, NULL, ops, 2);
    exec = instantiate(graph);
    OK(mock_cuMemFree_v2(flag));
    OK(mock_cuGraphLaunch(exec, one));
    OK(mock_cuStreamSynchronize(one)); /* its page has other memory */
    found(CUSHIM_MOCK_USE_AFTER_FREE, "batch of values", "which was freed");
}

#if CUDA_VERSION >= 12020
Test(graph_values, nodes_of_any_type)
{
    CUstreamBatchMemOpParams ops[] = {write_of(4)};
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP};
    CUgraph graph = new_graph();
    CUgraphNode node = NULL;
    CUgraphExec exec;

    OK(mock_cuCtxGetCurrent(&params.memOp.ctx));
    params.memOp.count = 1;
    params.memOp.paramArray = ops;
    OK(mock_cuGraphAddNode(&node, graph, NULL, 0, &params));
    exec = instantiate(graph);
    ops[0] = write_of(6);
    OK(mock_cuGraphExecNodeSetParams(exec, node, &params));
    OK(mock_cuGraphNodeSetParams(node, &params));
    OK(mock_cuGraphLaunch(exec, one));
    OK(mock_cuStreamSynchronize(one));
    cr_expect(eq(uint, flag_value(), 6));
}
#endif

#else
Test(graph_values, needs_newer_headers)
{
    cr_skip_test("CUDA's headers are older than 11.7");
}
#endif
