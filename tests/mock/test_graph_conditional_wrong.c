/* SPDX-License-Identifier: MIT */
/* Conditional nodes: what is wrong with a program, and what is refused. */
#include "conditional.h"

#if CUDA_VERSION >= 12080

TestSuite(graph_conditional_wrong, .init = begin_conditional);

/* --- what is wrong with a program --- */

/* What is beside the node is beside its body. */
Test(graph_conditional_wrong, work_beside_a_body_is_a_race)
{
    add_fill(add(new_handle(1), IF, 1).bodies[0]);
    add_fill(graph);
    OK(mock_cuGraphLaunch(instantiate(graph), one));
    OK(mock_cuCtxSynchronize());
    found(CUSHIM_MOCK_DATA_RACE, "memset in graph", "an edge within a graph");
}

Test(graph_conditional_wrong, work_of_one_body_can_race)
{
    CUgraph body = add(new_handle(1), IF, 1).bodies[0];

    add_fill(body);
    add_fill(body);
    OK(mock_cuGraphLaunch(instantiate(graph), one));
    OK(mock_cuCtxSynchronize());
    found(CUSHIM_MOCK_DATA_RACE, "memset in graph", "an edge within a graph");
}

Test(graph_conditional_wrong, work_of_other_streams_races_with_a_body)
{
    add_fill(add(new_handle(1), IF, 1).bodies[0]);
    OK(mock_cuGraphLaunch(instantiate(graph), one));
    OK(launch_affine(two, 1, 2));
    OK(mock_cuCtxSynchronize());
    found(CUSHIM_MOCK_DATA_RACE, "affine", "memset in graph");
}

/* What the host has seen since the launch does not order a body after it. */
Test(graph_conditional_wrong, what_the_host_waited_for_since_races_with_a_body)
{
    CUgraph body = add(new_handle(1), IF, 1).bodies[0];

    add_fill(body);
    OK(mock_cuGraphLaunch(instantiate(graph), one));
    OK(mock_cuMemsetD32Async(word, 0, 1, two));
    OK(mock_cuStreamSynchronize(two));
    OK(mock_cuStreamSynchronize(one));
    found(CUSHIM_MOCK_DATA_RACE, "memset in graph", "memset in stream");
}

Test(graph_conditional_wrong, a_value_that_nothing_set_is_found)
{
    CUgraphConditionalHandle handle = 0;
    CUgraphExec exec;

    OK(mock_cuGraphConditionalHandleCreate(&handle, graph, context, 1, 0));
    add_digit(add(handle, IF, 1).bodies[0], NULL, 1);
    exec = instantiate(graph);
    OK(mock_cuGraphLaunch(exec, one));
    OK(mock_cuCtxSynchronize());
    found(CUSHIM_MOCK_UNINITIALISED_READ, "conditional node", "cuGraphConditionalHandleCreate");
    cushim_mock_findings_clear();
}

Test(graph_conditional_wrong, a_value_does_not_last_until_the_next_launch)
{
    CUgraphConditionalHandle handle = 0;
    CUgraphNode before;
    CUgraphExec exec;

    OK(mock_cuGraphConditionalHandleCreate(&handle, graph, context, 0, 0));
    before = add_set(graph, NULL, handle, 1);
    add_digit(add_in(graph, before, handle, IF, 1).bodies[0], NULL, 1);
    exec = instantiate(graph);
    cr_expect(eq(uint, launched(exec), 1));
    cr_expect(eq(uint, launched(exec), 1));
    silent();
    OK(mock_cuGraphNodeSetEnabled(exec, before, 0));
    launched(exec);
    found(CUSHIM_MOCK_UNINITIALISED_READ, "conditional node", "which nothing has written");
}

Test(graph_conditional_wrong, a_value_that_is_set_beside_the_node_is_a_race)
{
    CUgraphConditionalHandle handle = new_handle(0);

    add_set(graph, NULL, handle, 1);
    add(handle, IF, 1);
    OK(mock_cuGraphLaunch(instantiate(graph), one));
    OK(mock_cuCtxSynchronize());
    found(CUSHIM_MOCK_DATA_RACE, "conditional node", "cuGraphConditionalHandleCreate");
}

/* CUDA does not say what comes of calls by several threads that nothing orders. */
Test(graph_conditional_wrong, a_value_that_two_blocks_set_is_a_race)
{
    CUgraphConditionalHandle handle = new_handle(0);
    unsigned number = 1;
    const CUDA_KERNEL_NODE_PARAMS_v2 params = {.func = set,
                                               .gridDimX = 2,
                                               .gridDimY = 1,
                                               .gridDimZ = 1,
                                               .blockDimX = 1,
                                               .blockDimY = 1,
                                               .blockDimZ = 1,
                                               .kernelParams = (void *[]){&handle, &number}};
    CUgraphNode node = NULL;

    OK(mock_cuGraphAddKernelNode_v2(&node, graph, NULL, 0, &params));
    add_in(graph, node, handle, IF, 1);
    OK(mock_cuGraphLaunch(instantiate(graph), one));
    OK(mock_cuCtxSynchronize());
    found(CUSHIM_MOCK_DATA_RACE, "set", "cuGraphConditionalHandleCreate");
}

Test(graph_conditional_wrong, an_endless_loop_ends)
{
    setenv("CUSHIM_MOCK_PTX_STEPS", "163840", 1);
    add_digit(add(new_handle(1), WHILE, 1).bodies[0], NULL, 1);
    OK(mock_cuGraphLaunch(instantiate(graph), one));
    EXPECT(CUDA_ERROR_LAUNCH_TIMEOUT, mock_cuStreamSynchronize(one));
    found(CUSHIM_MOCK_ENDLESS_LOOP, "conditional node in graph", "21 times");
}

/* It is found after so many works, however many a body has. */
Test(graph_conditional_wrong, a_longer_endless_loop_ends_sooner)
{
    CUgraph body = add(new_handle(1), WHILE, 1).bodies[0];
    CUgraphNode before = NULL;

    setenv("CUSHIM_MOCK_PTX_STEPS", "163840", 1);
    for (unsigned i = 0; i < 9; i++)
        before = add_digit(body, before, i);
    OK(mock_cuGraphLaunch(instantiate(graph), one));
    EXPECT(CUDA_ERROR_LAUNCH_TIMEOUT, mock_cuStreamSynchronize(one));
    found(CUSHIM_MOCK_ENDLESS_LOOP, "conditional node in graph", "5 times");
}

/* Without a variable, too. */
Test(graph_conditional_wrong, an_endless_loop_ends_by_itself)
{
    unsetenv("CUSHIM_MOCK_PTX_STEPS");
    add_digit(add(new_handle(1), WHILE, 1).bodies[0], NULL, 1);
    OK(mock_cuGraphLaunch(instantiate(graph), one));
    EXPECT(CUDA_ERROR_LAUNCH_TIMEOUT, mock_cuStreamSynchronize(one));
    found(CUSHIM_MOCK_ENDLESS_LOOP, "conditional node in graph", "262145 times");
}

Test(graph_conditional_wrong, an_endless_loop_of_nothing_ends)
{
    setenv("CUSHIM_MOCK_PTX_STEPS", "4096", 1);
    add(new_handle(1), WHILE, 1);
    OK(mock_cuGraphLaunch(instantiate(graph), one));
    EXPECT(CUDA_ERROR_LAUNCH_TIMEOUT, mock_cuStreamSynchronize(one));
    found(CUSHIM_MOCK_ENDLESS_LOOP, "conditional node in graph", "endless loop");
}

static void launch_set(CUgraphConditionalHandle handle)
{
    unsigned number = 1;

    OK(mock_cuLaunchKernel(set, 1, 1, 1, 1, 1, 1, 0, one, (void *[]){&handle, &number}, NULL));
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, mock_cuStreamSynchronize(one));
    found(CUSHIM_MOCK_KERNEL_FAULT, "cudaGraphSetConditional()", "no handle");
}

Test(graph_conditional_wrong, a_kernel_outside_of_graphs_cannot_set_a_value)
{
    CUgraphConditionalHandle handle = new_handle(1);

    add(handle, IF, 1);
    instantiate(graph);
    launch_set(handle);
}

Test(graph_conditional_wrong, a_number_is_no_handle)
{
    launch_set(0x123456789);
}

Test(graph_conditional_wrong, a_kernel_of_another_graph_cannot_set_a_value)
{
    CUgraphConditionalHandle handle = new_handle(1);
    CUgraph other = new_graph();

    add(handle, IF, 1);
    instantiate(graph);
    add_set(other, NULL, handle, 0);
    OK(mock_cuGraphLaunch(instantiate(other), one));
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, mock_cuStreamSynchronize(one));
    found(CUSHIM_MOCK_KERNEL_FAULT, "cudaGraphSetConditional()", "no handle");
}

static void set_stranger(const struct cushim_mock_launch *launch, void *const *args)
{
    (void) launch;
    cushim_mock_set_condition(*(uint64_t *) args[0], 1);
}

Test(graph_conditional_wrong, a_replacement_kernel_of_no_graph_cannot_set_a_value)
{
    CUgraphConditionalHandle handle = new_handle(1);
    unsigned number = 1;

    cr_assert(eq(int, cushim_mock_register_kernel("set", set_stranger, NULL), CUSHIM_OK));
    add(handle, IF, 1);
    instantiate(graph);
    OK(mock_cuLaunchKernel(set, 1, 1, 1, 1, 1, 1, 0, one, (void *[]){&handle, &number}, NULL));
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, mock_cuStreamSynchronize(one));
    found(CUSHIM_MOCK_KERNEL_FAULT, "cushim_mock_set_condition()", "no handle");
}

/* A kernel of a body that fails ends the loop, and the context. */
Test(graph_conditional_wrong, a_fault_in_a_body_ends_it)
{
    CUgraphConditionalHandle handle = new_handle(1);
    CUdeviceptr nowhere = 16;
    unsigned limit = 5;

    add_kernel(add(handle, WHILE, 1).bodies[0], NULL, loop, (void *[]){&nowhere, &handle, &limit});
    OK(mock_cuGraphLaunch(instantiate(graph), one));
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, mock_cuStreamSynchronize(one));
}

/* --- what is refused --- */

Test(graph_conditional_wrong, handles_are_checked)
{
    CUgraphConditionalHandle handle = 0, other = 0;

    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuGraphConditionalHandleCreate(NULL, graph, context, 0, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuGraphConditionalHandleCreate(&handle, GARBAGE, context, 0, 0));
    EXPECT(CUDA_ERROR_INVALID_CONTEXT,
           mock_cuGraphConditionalHandleCreate(&handle, graph, GARBAGE, 0, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuGraphConditionalHandleCreate(&handle, graph, context, 0, 2));
    EXPECT(CUDA_ERROR_INVALID_CONTEXT,
           mock_cuGraphConditionalHandleCreate(&handle, graph, NULL, 0, 0));
    cr_expect(eq(u64, handle, 0));
    OK(mock_cuGraphConditionalHandleCreate(&handle, graph, context, 0, 0));
    OK(mock_cuGraphConditionalHandleCreate(&other, graph, context, 0, 0));
    cr_expect(ne(u64, handle, other));
}

Test(graph_conditional_wrong, nodes_are_checked)
{
    static const struct {
        int type;
        unsigned size;
    } wrong[] = {{IF, 0},     {IF, 3}, {WHILE, 0}, {WHILE, 2},
                 {SWITCH, 0}, {3, 1},  {-1, 1},    {IF, 1u << 31}};
    CUgraphConditionalHandle handle = new_handle(0);
    CUgraph other = new_graph();

    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
        EXPECT(CUDA_ERROR_INVALID_VALUE, refuses(handle, wrong[i].type, wrong[i].size));
    EXPECT(CUDA_ERROR_OUT_OF_MEMORY, refuses(handle, SWITCH, 0xffffffffu));
    EXPECT(CUDA_ERROR_INVALID_VALUE, refuses(0, IF, 1));
    EXPECT(CUDA_ERROR_INVALID_VALUE, refuses(0x123456789, IF, 1));
    EXPECT(CUDA_ERROR_INVALID_VALUE, refuses(new_handle_of(other, 0), IF, 1));
    add(handle, IF, 1);
    EXPECT(CUDA_ERROR_INVALID_VALUE, refuses(handle, IF, 1));
    handle = new_handle_of(other, 0);
    OK(mock_cuGraphDestroy(other));
    EXPECT(CUDA_ERROR_INVALID_VALUE, refuses(handle, IF, 1));
}

Test(graph_conditional_wrong, a_node_is_of_the_context_of_its_handle)
{
    CUgraphNodeParams params = params_of(new_handle(0), IF, 1);
    CUgraphNode node = NULL;

    OK(mock_cuDevicePrimaryCtxRetain(&params.conditional.ctx, 1));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphAddNode_v2(&node, graph, NULL, NULL, 0, &params));
    params.conditional.ctx = NULL;
    EXPECT(CUDA_ERROR_INVALID_CONTEXT,
           mock_cuGraphAddNode_v2(&node, graph, NULL, NULL, 0, &params));
    params.conditional.ctx = context;
    OK(mock_cuGraphAddNode_v2(&node, graph, NULL, NULL, 0, &params));
}

static void do_nothing(void *unused)
{
    (void) unused;
}

/* The reason why a graph with a body of this node cannot be instantiated. */
static int reason(CUgraphNodeParams *params)
{
    CUDA_GRAPH_INSTANTIATE_PARAMS instantiation = {0};
    CUgraphNode node = NULL;
    CUgraphExec exec = NULL;

    graph = new_graph();
    OK(mock_cuGraphAddNode_v2(&node, add(new_handle(1), IF, 1).bodies[0], NULL, NULL, 0, params));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuGraphInstantiateWithParams(&exec, graph, &instantiation));
    cr_expect(eq(ptr, instantiation.hErrNode_out, node));
    return (int) instantiation.result_out;
}

Test(graph_conditional_wrong, some_nodes_cannot_be_in_bodies)
{
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_HOST};
    const CUDA_ARRAY_DESCRIPTOR descriptor = {
        .Width = 4, .Height = 1, .Format = CU_AD_FORMAT_UNSIGNED_INT32, .NumChannels = 1};
    static char pageable[16];
    CUarray array = NULL;
    CUevent event = NULL;

    params.host.fn = do_nothing;
    cr_expect(eq(int, reason(&params), CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED));
    OK(mock_cuEventCreate(&event, 0));
    params = (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_EVENT_RECORD};
    params.eventRecord.event = event;
    cr_expect(eq(int, reason(&params), CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED));
    params = (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC};
    params.alloc.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    params.alloc.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    params.alloc.bytesize = 16;
    cr_expect(eq(int, reason(&params), CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED));
    params = (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_MEMCPY};
    params.memcpy.copyParams = (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_HOST,
                                               .srcHost = pageable,
                                               .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                                               .dstDevice = word,
                                               .WidthInBytes = 4,
                                               .Height = 1,
                                               .Depth = 1};
    cr_expect(eq(int, reason(&params), CUDA_GRAPH_INSTANTIATE_MULTIPLE_CTXS_NOT_SUPPORTED));
    params.memcpy.copyParams.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    params.memcpy.copyParams.srcDevice = word;
    params.memcpy.copyParams.dstMemoryType = CU_MEMORYTYPE_HOST;
    params.memcpy.copyParams.dstHost = pageable;
    cr_expect(eq(int, reason(&params), CUDA_GRAPH_INSTANTIATE_MULTIPLE_CTXS_NOT_SUPPORTED));
    OK(mock_cuArrayCreate_v2(&array, &descriptor));
    params.memcpy.copyParams.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    params.memcpy.copyParams.dstDevice = word;
    params.memcpy.copyParams.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    params.memcpy.copyParams.srcArray = array;
    cr_expect(eq(int, reason(&params), CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED));
}

Test(graph_conditional_wrong, bodies_are_of_one_context)
{
    CUgraph body = add(new_handle(1), IF, 1).bodies[0];
    CUDA_GRAPH_INSTANTIATE_PARAMS params = {0};
    CUgraphNode node, culprit = NULL;
    CUfunction function = NULL;
    char log[256] = "";
    CUcontext other = NULL;
    CUmodule copy = NULL;
    CUgraphExec exec = NULL;
    unsigned n = 1;

    OK(mock_cuDevicePrimaryCtxRetain(&other, 1));
    OK(mock_cuCtxSetCurrent(other));
    OK(mock_cuModuleLoadData(&copy, conditional_ptx));
    OK(mock_cuModuleGetFunction(&function, copy, "digit"));
    OK(mock_cuCtxSetCurrent(context));
    node = add_kernel(body, NULL, function, (void *[]){&word, &n});
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphInstantiateWithParams(&exec, graph, &params));
    cr_expect(eq(int, params.result_out, CUDA_GRAPH_INSTANTIATE_MULTIPLE_CTXS_NOT_SUPPORTED));
    cr_expect(eq(ptr, params.hErrNode_out, node));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuGraphInstantiate_v2(&exec, graph, &culprit, log, sizeof(log)));
    cr_expect(eq(ptr, culprit, node));
    cr_expect(ne(ptr, strstr(log, "is of another context"), NULL), "%s", log);
}

Test(graph_conditional_wrong, a_handle_without_a_node_is_refused)
{
    CUDA_GRAPH_INSTANTIATE_PARAMS params = {0};
    struct conditional made;
    CUgraphExec exec = NULL;

    new_handle(0);
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphInstantiateWithParams(&exec, graph, &params));
    cr_expect(eq(int, params.result_out, CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED));
    graph = new_graph();
    made = add(new_handle(0), IF, 1);
    OK(mock_cuGraphExecDestroy(instantiate(graph)));
    OK(mock_cuGraphDestroyNode(made.node));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphInstantiateWithParams(&exec, graph, &params));
    cr_expect(eq(int, params.result_out, CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED));
}

Test(graph_conditional_wrong, there_is_one_of_each_graph)
{
    CUgraph copy = NULL, outer = new_graph();
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_GRAPH};
    CUgraphNode node = NULL;
    CUgraphExec first, exec = NULL;

    add(new_handle(1), IF, 1);
    first = instantiate(graph);
    EXPECT(CUDA_ERROR_NOT_SUPPORTED, mock_cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(mock_cuGraphExecDestroy(first));
    OK(mock_cuGraphExecDestroy(instantiate(graph)));
    EXPECT(CUDA_ERROR_NOT_SUPPORTED, mock_cuGraphClone(&copy, graph));
    EXPECT(CUDA_ERROR_NOT_SUPPORTED, mock_cuGraphAddChildGraphNode(&node, outer, NULL, 0, graph));
    params.graph.graph = graph;
#if CUDA_VERSION >= 12090
    params.graph.ownership = CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE;
    EXPECT(CUDA_ERROR_NOT_SUPPORTED, mock_cuGraphAddNode_v2(&node, outer, NULL, NULL, 0, &params));
#endif
}

Test(graph_conditional_wrong, a_body_is_a_part_of_its_graph_alone)
{
    CUgraph body = add(new_handle(1), IF, 1).bodies[0], copy = NULL, outer = new_graph();
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_GRAPH};
    CUgraphNode node = NULL;
    CUgraphExec exec = NULL;

    add_digit(body, NULL, 1);
    EXPECT(CUDA_ERROR_NOT_SUPPORTED, mock_cuGraphInstantiateWithFlags(&exec, body, 0));
    EXPECT(CUDA_ERROR_NOT_SUPPORTED, mock_cuGraphClone(&copy, body));
    EXPECT(CUDA_ERROR_NOT_SUPPORTED, mock_cuGraphAddChildGraphNode(&node, outer, NULL, 0, body));
    params.graph.graph = body;
#if CUDA_VERSION >= 12090
    params.graph.ownership = CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE;
    EXPECT(CUDA_ERROR_NOT_SUPPORTED, mock_cuGraphAddNode_v2(&node, outer, NULL, NULL, 0, &params));
#endif
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphDestroy(body));
    cr_expect(eq(uint, launched(instantiate(graph)), 1));
    silent();
}

Test(graph_conditional_wrong, a_body_that_is_captured_is_not_instantiated)
{
    CUgraph body = add(new_handle(1), IF, 1).bodies[0], ended = NULL;
    CUgraphExec exec = NULL;

    OK(mock_cuStreamBeginCaptureToGraph(one, body, NULL, NULL, 0, RELAXED));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(mock_cuStreamEndCapture(one, &ended));
    instantiate(graph);
}

/* What the device would have to launch without the host. */
Test(graph_conditional_wrong, some_graphs_are_not_for_the_device)
{
    CUDA_GRAPH_INSTANTIATE_PARAMS params = {.flags = 4};
    CUgraphNode node;
    CUgraphExec exec = NULL;

    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphInstantiateWithParams(&exec, graph, &params));
    cr_expect(eq(int, params.result_out, CUDA_GRAPH_INSTANTIATE_ERROR));
    add_digit(graph, NULL, 1);
    OK(mock_cuGraphInstantiateWithParams(&exec, graph, &params));
    OK(mock_cuGraphExecDestroy(exec));
    node = add(new_handle(1), IF, 1).node;
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphInstantiateWithParams(&exec, graph, &params));
    cr_expect(eq(int, params.result_out, CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED));
    cr_expect(eq(ptr, params.hErrNode_out, node));
}

Test(graph_conditional_wrong, a_kernel_whose_module_is_gone_is_refused_at_the_launch)
{
    CUgraphExec exec;

    add_digit(add(new_handle(0), IF, 1).bodies[0], NULL, 1);
    exec = instantiate(graph);
    OK(mock_cuModuleUnload(module));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuGraphLaunch(exec, one));
    silent();
}

#endif
