/* SPDX-License-Identifier: MIT */
/* Conditional nodes: bodies that are done as often as a value says, which kernels set. */
#include <stdio.h>
#include <unistd.h>

#include "conditional.h"

#include "mock/queue/schedule.h"

#if CUDA_VERSION >= 12080

TestSuite(graph_conditional, .init = begin_conditional);

/* --- what is done --- */

Test(graph_conditional, the_value_chooses_the_body)
{
    cr_expect(eq(uint, done_by(IF, 1, 0), 0));
    cr_expect(eq(uint, done_by(IF, 1, 1), 1));
    cr_expect(eq(uint, done_by(IF, 1, 0xffffffffu), 1));
    cr_expect(eq(uint, done_by(IF, 2, 0), 2));
    cr_expect(eq(uint, done_by(IF, 2, 7), 1));
    cr_expect(eq(uint, done_by(WHILE, 1, 0), 0));
    cr_expect(eq(uint, done_by(SWITCH, 4, 0), 1));
    cr_expect(eq(uint, done_by(SWITCH, 4, 3), 4));
    cr_expect(eq(uint, done_by(SWITCH, 4, 4), 0));
    cr_expect(eq(uint, done_by(SWITCH, 1, 0xffffffffu), 0));
    silent();
}

Test(graph_conditional, a_kernel_sets_the_value_before)
{
    CUgraphConditionalHandle handle = new_handle(0);
    struct conditional made = add_in(graph, add_set(graph, NULL, handle, 2), handle, SWITCH, 3);
    CUgraphExec exec;

    for (unsigned i = 0; i < 3; i++)
        add_digit(made.bodies[i], NULL, i + 1);
    add_digit(graph, made.node, 7);
    exec = instantiate(graph);
    cr_expect(eq(uint, launched(exec), 37));
    cr_expect(eq(uint, launched(exec), 37));
    silent();
}

Test(graph_conditional, a_launch_begins_with_the_value_again)
{
    CUgraphConditionalHandle handle = new_handle(1);
    CUgraph body = add(handle, IF, 1).bodies[0];
    CUgraphExec exec;

    add_set(body, add_digit(body, NULL, 4), handle, 0);
    exec = instantiate(graph);
    cr_expect(eq(uint, launched(exec), 4));
    cr_expect(eq(uint, launched(exec), 4));
    OK(mock_cuGraphLaunch(exec, one));
    OK(mock_cuGraphLaunch(exec, two));
    cr_expect(eq(uint, value(), 444));
    silent();
}

Test(graph_conditional, a_loop_ends_when_the_value_is_0)
{
    cr_expect(eq(uint, launched(new_loop(1)), 1));
    cr_expect(eq(uint, launched(new_loop(5)), 5));
    cr_expect(eq(uint, launched(new_loop(1000)), 1000));
    silent();
}

/* An outer loop of three, in which an inner one adds the steps to the next number of ten. */
Test(graph_conditional, bodies_have_bodies)
{
    CUgraphConditionalHandle outer = new_handle(1), inner, own;
    CUgraph body = add(outer, WHILE, 1).bodies[0];
    struct conditional within, last;

    inner = new_handle(1);
    within = add_in(body, NULL, inner, IF, 2);
    add_set(within.bodies[0], add_digit(within.bodies[0], NULL, 1), inner, 0);
    own = new_handle_of(body, 1);
    last = add_in(body, within.node, own, IF, 1);
    add_loop(last.bodies[0], NULL, outer, 4);
    cr_expect(eq(uint, launched(instantiate(graph)), 4));
    silent();
}

Test(graph_conditional, bodies_hold_copies_memsets_and_graphs)
{
    CUgraph body = add(new_handle(1), IF, 1).bodies[0], child = new_graph();
    CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                          .srcDevice = word,
                          .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                          .WidthInBytes = 4,
                          .Height = 1,
                          .Depth = 1};
    CUdeviceptr other = allocate(4);
    CUgraphNode node = add_fill(body);
    unsigned copied = 0;

    add_digit(child, add_digit(child, NULL, 1), 2);
    OK(mock_cuGraphAddChildGraphNode(&node, body, &node, 1, child));
    copy.dstDevice = other;
    OK(mock_cuGraphAddMemcpyNode(&node, body, &node, 1, &copy, context));
    OK(mock_cuGraphAddEmptyNode(&node, body, &node, 1));
    cr_expect(eq(uint, launched(instantiate(graph)), 612));
    OK(mock_cuMemcpyDtoH_v2(&copied, other, 4));
    cr_expect(eq(uint, copied, 612));
    silent();
}

Test(graph_conditional, an_empty_body_is_done)
{
    CUgraphExec exec;

    add_digit(graph, add(new_handle(1), IF, 1).node, 3);
    exec = instantiate(graph);
    OK(mock_cuGraphDestroy(graph));
    cr_expect(eq(uint, launched(exec), 3));
    silent();
}

/* Whatever else the scheduler could do, and however long the loop takes. */
static void run_with_seed(unsigned seed)
{
    CUgraphConditionalHandle handle;
    struct conditional made;
    CUgraphExec exec;
    CUevent event = NULL;

    graph = new_graph();
    handle = new_handle(1);
    made = add_in(graph, add_digit(graph, NULL, 0), handle, WHILE, 1);
    add_loop(made.bodies[0], add_empty(made.bodies[0], NULL), handle, 9);
    add_digit(graph, made.node, 5);
    exec = instantiate(graph);
    mock__schedule_seed(seed);
    OK(mock_cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    OK(mock_cuMemsetD32Async(word, 0, 1, one));
    OK(mock_cuGraphLaunch(exec, one));
    OK(mock_cuEventRecord(event, one));
    OK(mock_cuStreamWaitEvent(two, event, 0));
    OK(launch_affine(two, 1, 2));
    OK(mock_cuEventRecord(event, two));
    OK(mock_cuEventSynchronize(event));
    cr_expect(eq(uint, value(), 97), "seed %u", seed);
    OK(mock_cuGraphExecDestroy(exec));
    OK(mock_cuEventDestroy_v2(event));
    OK(mock_cuGraphDestroy(graph));
}

Test(graph_conditional, all_orders_are_right)
{
    for (unsigned seed = 0; seed < 64; seed++)
        run_with_seed(seed);
    silent();
}

/* A replacement kernel: *p += 1, and the value is 1 while that is less than the limit. */
static void count(const struct cushim_mock_launch *launch, void *const *args)
{
    unsigned *p = cushim_mock_pointer(*(uint64_t *) args[0], sizeof(*p));

    (void) launch;
    if (!p)
        return;
    *p += 1;
    cushim_mock_set_condition(*(uint64_t *) args[1], *p < *(unsigned *) args[2]);
}

Test(graph_conditional, a_replacement_kernel_sets_the_value)
{
    cr_assert(eq(int, cushim_mock_register_kernel("loop", count, NULL), CUSHIM_OK));
    cr_expect(eq(uint, launched(new_loop(7)), 7));
    cushim_mock_set_condition(1, 1); /* no kernel runs: nothing happens */
    silent();
}

/* --- changes --- */

Test(graph_conditional, nodes_of_bodies_change)
{
    struct conditional made = add(new_handle(1), IF, 1);
    CUgraphNode node = add_digit(made.bodies[0], NULL, 1);
    CUgraphExec exec = instantiate(graph);
    CUgraphNodeParams params = params_of(0, IF, 1);
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_KERNEL;
    unsigned n = 8;

    params.type = CU_GRAPH_NODE_TYPE_KERNEL;
    params.kernel = (CUDA_KERNEL_NODE_PARAMS_v3){.func = digit,
                                                 .gridDimX = 1,
                                                 .gridDimY = 1,
                                                 .gridDimZ = 1,
                                                 .blockDimX = 1,
                                                 .blockDimY = 1,
                                                 .blockDimZ = 1,
                                                 .kernelParams = (void *[]){&word, &n}};
    OK(mock_cuGraphExecNodeSetParams(exec, node, &params));
    cr_expect(eq(uint, launched(exec), 8));
    OK(mock_cuGraphNodeSetEnabled(exec, node, 0));
    cr_expect(eq(uint, launched(exec), 0));
    params = params_of(new_handle(0), IF, 1);
    EXPECT(CUDA_ERROR_NOT_SUPPORTED, mock_cuGraphExecNodeSetParams(exec, made.node, &params));
    EXPECT(CUDA_ERROR_NOT_SUPPORTED, mock_cuGraphNodeSetParams(made.node, &params));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphNodeSetEnabled(exec, made.node, 0));
    OK(mock_cuGraphNodeGetType(made.node, &type));
    cr_expect(eq(int, (int) type, CU_GRAPH_NODE_TYPE_CONDITIONAL));
}

static int update(CUgraphExec exec)
{
    CUgraphExecUpdateResultInfo info = {0};

    mock_cuGraphExecUpdate_v2(exec, graph, &info);
    return (int) info.result;
}

Test(graph_conditional, a_graph_takes_the_place_of_another)
{
    CUgraphExec exec = new_loop(3);

    cr_expect(eq(uint, launched(exec), 3));
    OK(mock_cuGraphExecDestroy(new_loop(6)));
    cr_expect(eq(int, update(exec), CU_GRAPH_EXEC_UPDATE_SUCCESS));
    cr_expect(eq(uint, launched(exec), 6));
    graph = new_graph();
    add_digit(add(new_handle(0), WHILE, 1).bodies[0], NULL, 1);
    cr_expect(eq(int, update(exec), CU_GRAPH_EXEC_UPDATE_SUCCESS));
    cr_expect(eq(uint, launched(exec), 0));
    graph = new_graph();
    add_digit(add(new_handle(0), IF, 1).bodies[0], NULL, 1);
    cr_expect(eq(int, update(exec), CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED));
    graph = new_graph();
    add(new_handle(0), WHILE, 1);
    cr_expect(eq(int, update(exec), CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED));
    silent();
}

/* A handle is free again when its node is gone, also for a node of another kind. */
Test(graph_conditional, a_node_takes_the_handle_of_one_that_is_gone)
{
    CUgraphConditionalHandle handle = new_handle(1);
    CUgraphNode gone = add(handle, IF, 1).node;
    CUgraphExec exec = instantiate(graph);

    EXPECT(CUDA_ERROR_INVALID_VALUE, refuses(handle, WHILE, 1));
    OK(mock_cuGraphDestroyNode(gone));
    OK(mock_cuGraphExecDestroy(exec));
    add_loop(add(handle, WHILE, 1).bodies[0], NULL, handle, 4);
    EXPECT(CUDA_ERROR_INVALID_VALUE, refuses(handle, IF, 1));
    cr_expect(eq(uint, launched(instantiate(graph)), 4));
    silent();
}

/* --- captures, texts, leaks --- */

Test(graph_conditional, bodies_are_captured)
{
    CUgraph body = add(new_handle(1), IF, 1).bodies[0], ended = NULL;
    unsigned n = 5;

    OK(mock_cuStreamBeginCaptureToGraph(two, body, NULL, NULL, 0, RELAXED));
    OK(mock_cuLaunchKernel(digit, 1, 1, 1, 1, 1, 1, 0, two, (void *[]){&word, &n}, NULL));
    OK(mock_cuLaunchKernel(digit, 1, 1, 1, 1, 1, 1, 0, two, (void *[]){&word, &n}, NULL));
    OK(mock_cuStreamEndCapture(two, &ended));
    cr_expect(eq(ptr, ended, body));
    cr_expect(eq(uint, launched(instantiate(graph)), 55));
    silent();
}

Test(graph_conditional, graphs_are_printed_with_their_bodies)
{
    char path[] = "/tmp/cushim-dot-XXXXXX", text[4096] = "";
    FILE *file = fdopen(mkstemp(path), "r");

    cr_assert(ne(ptr, file, NULL));
    add_digit(add(new_handle(1), IF, 2).bodies[1], NULL, 1);
    OK(mock_cuGraphDebugDotPrint(graph, path, 1 << 15));
    cr_assert(gt(sz, fread(text, 1, sizeof(text) - 1, file), 0));
    cr_expect(ne(ptr, strstr(text, "CONDITIONAL\\nif 0x"), NULL), "%s", text);
    cr_expect(ne(ptr, strstr(text, "2 bodies"), NULL), "%s", text);
    cr_expect(ne(ptr, strstr(text, "KERNEL"), NULL), "%s", text);
    fclose(file);
    unlink(path);
}

Test(graph_conditional, values_are_no_leaks)
{
    CUgraphExec exec;
    const struct cushim_mock_finding *findings = NULL;
    size_t n, before;

    cushim_mock_leaks();
    before = cushim_mock_findings(&findings);
    cushim_mock_findings_clear();
    graph = new_graph();
    add(new_handle(1), IF, 2);
    exec = instantiate(graph);
    OK(mock_cuGraphLaunch(exec, one));
    OK(mock_cuCtxSynchronize());
    cushim_mock_leaks();
    n = cushim_mock_findings(&findings);
    cr_expect(eq(sz, n, before + 2), "a graph and an executable one are left");
    cushim_mock_findings_clear();
    OK(mock_cuGraphExecDestroy(exec));
    OK(mock_cuGraphDestroy(graph));
    cushim_mock_leaks();
    cr_expect(eq(sz, cushim_mock_findings(&findings), before));
}

/* What is launched is done, whatever goes meanwhile. */
Test(graph_conditional, a_launch_needs_neither_graph)
{
    CUgraphExec exec = new_loop(50);

    OK(mock_cuMemsetD32Async(word, 0, 1, one));
    OK(mock_cuGraphLaunch(exec, one));
    OK(mock_cuGraphExecDestroy(exec));
    OK(mock_cuGraphDestroy(graph));
    cr_expect(eq(uint, value(), 50));
    silent();
}

Test(graph_conditional, a_context_ends_with_a_launch_in_it)
{
    CUgraphExec exec = new_loop(50);

    OK(mock_cuGraphLaunch(exec, one));
    OK(mock_cuDevicePrimaryCtxReset_v2(0));
    OK(mock_cuDevicePrimaryCtxRetain(&context, 0));
    OK(mock_cuCtxSetCurrent(context));
    EXPECT(CUDA_ERROR_CONTEXT_IS_DESTROYED, mock_cuGraphLaunch(exec, NULL));
    OK(mock_cuGraphExecDestroy(exec));
}

#endif
