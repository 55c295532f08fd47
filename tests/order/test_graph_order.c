/* SPDX-License-Identifier: MIT */
/* The order of a graph's nodes: what its edges leave open is drawn, and a missing edge is found. */
#include <stdio.h>

#include "graphs.h"
#include "mock/queue/schedule.h"

TestSuite(graph_order);

static void begin_with_seed(int seed)
{
    char text[16];

    snprintf(text, sizeof(text), "%d", seed);
    setenv("CUSHIM_MOCK_SEED", text, 1);
    begin();
}

/* A kernel node on this word. */
static CUgraphNode add_on(CUgraph graph, CUgraphNode after, CUdeviceptr address, unsigned factor,
                          unsigned term)
{
    CUgraphNode node = NULL;
    struct affine a;

    affine_params(&a, factor, term);
    a.p = address;
    OK(mock_cuGraphAddKernelNode(&node, graph, &after, after != NULL, &a.node));
    return node;
}

Test(graph_order, a_missing_edge_is_a_race)
{
    CUgraph graph;

    begin_with_seed(0);
    graph = new_graph();
    add_affine(graph, NULL, 2, 1);
    add_affine(graph, NULL, 3, 1);
    OK(mock_cuGraphLaunch(instantiate(graph), one));
    OK(mock_cuStreamSynchronize(one));
    found(CUSHIM_MOCK_DATA_RACE, "kernel 'affine' in graph", "an edge");
}

Test(graph_order, an_edge_is_none)
{
    CUgraph graph;

    begin_with_seed(0);
    graph = new_graph();
    add_affine(graph, add_affine(graph, NULL, 2, 1), 3, 1);
    OK(mock_cuGraphLaunch(instantiate(graph), one));
    OK(mock_cuStreamSynchronize(one));
    silent();
}

/* Lanes are shared by nodes that are ordered, and must order no others. */
Test(graph_order, a_missing_edge_is_found_behind_joins)
{
    CUgraph graph;
    CUgraphNode fork, join = NULL, left, right;

    begin_with_seed(0);
    graph = new_graph();
    for (int i = 0; i < 3; i++) {
        CUgraphNode sides[2];

        fork = add_affine(graph, join, 1, 1);
        sides[0] = add_on(graph, fork, word, 2, 0);
        sides[1] = add_empty(graph, fork);
        OK(mock_cuGraphAddEmptyNode(&join, graph, sides, 2));
    }
    left = add_empty(graph, join);
    right = add_empty(graph, join);
    add_on(graph, left, word, 5, 0);
    OK(mock_cuGraphLaunch(instantiate(graph), one));
    OK(mock_cuStreamSynchronize(one));
    silent();
    add_on(graph, right, word, 7, 0);
    OK(mock_cuGraphLaunch(instantiate(graph), one));
    OK(mock_cuStreamSynchronize(one));
    found(CUSHIM_MOCK_DATA_RACE, "in graph 2", "in graph 2");
}

Test(graph_order, a_graph_and_a_stream_race)
{
    CUgraph graph;

    begin_with_seed(0);
    graph = new_graph();
    add_affine(graph, NULL, 2, 1);
    OK(mock_cuGraphLaunch(instantiate(graph), one));
    OK(launch_affine(two, 3, 1));
    OK(mock_cuCtxSynchronize());
    found(CUSHIM_MOCK_DATA_RACE, "in graph", "in stream");
}

Test(graph_order, an_event_orders_a_graph_and_a_stream)
{
    CUgraph graph;
    CUevent event;

    begin_with_seed(0);
    OK(mock_cuEventCreate(&event, 0));
    graph = new_graph();
    add_affine(graph, NULL, 2, 1);
    OK(mock_cuGraphLaunch(instantiate(graph), one));
    OK(mock_cuEventRecord(event, one));
    OK(mock_cuStreamWaitEvent(two, event, 0));
    OK(launch_affine(two, 3, 1));
    OK(mock_cuCtxSynchronize());
    silent();
    cr_expect(eq(uint, value(), 4));
}

Test(graph_order, the_legacy_stream_takes_turns_with_a_launch)
{
    CUgraph graph;
    CUstream blocking;

    begin_with_seed(0);
    OK(mock_cuStreamCreate(&blocking, 0));
    graph = new_graph();
    add_affine(graph, NULL, 2, 1);
    OK(launch_affine(NULL, 1, 5));
    OK(mock_cuGraphLaunch(instantiate(graph), blocking));
    OK(launch_affine(NULL, 3, 1));
    OK(mock_cuCtxSynchronize());
    silent();
    cr_expect(eq(uint, value(), 34));
}

/* Twelve nodes write their numbers one after the other, in whatever order; what is that order? */
enum { WRITERS = 12 };

static unsigned order[WRITERS];
static unsigned written;

static void CUDA_CB write_number(void *number)
{
    order[written++] = (unsigned) (uintptr_t) number;
}

static CUgraphExec new_writers(void)
{
    CUgraph graph = new_graph();

    for (uintptr_t i = 0; i < WRITERS; i++) {
        const CUDA_HOST_NODE_PARAMS params = {write_number, (void *) i};
        CUgraphNode node;

        OK(mock_cuGraphAddHostNode(&node, graph, NULL, 0, &params));
    }
    return instantiate(graph);
}

/* One hexadecimal digit a node. */
static unsigned long long order_with(CUgraphExec exec, uint64_t seed)
{
    unsigned long long result = 0;

    mock__schedule_seed(seed);
    written = 0;
    OK(mock_cuGraphLaunch(exec, one));
    OK(mock_cuStreamSynchronize(one));
    cr_assert(eq(uint, written, WRITERS));
    for (unsigned i = 0; i < WRITERS; i++)
        result = result << 4 | order[i];
    return result;
}

Test(graph_order, without_a_seed_nodes_are_done_as_they_were_added)
{
    begin_with_seed(0);
    cr_expect(eq(u64, order_with(new_writers(), 0), 0x0123456789abu));
}

Test(graph_order, a_seed_draws_an_order_and_draws_it_again)
{
    unsigned long long first;
    CUgraphExec exec;

    begin_with_seed(3);
    exec = new_writers();
    first = order_with(exec, 3);
    cr_expect(ne(u64, first, 0x0123456789abu));
    cr_expect(ne(u64, order_with(exec, 4), first));
    for (int i = 0; i < 20; i++)
        cr_expect(eq(u64, order_with(exec, 3), first));
}
