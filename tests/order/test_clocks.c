/* SPDX-License-Identifier: MIT */
/* What orders work stays as short as what is there is few, and forgets nothing too early. */
#include <pthread.h>

#include "mock/queue/clock.h"
#include "mock/queue/clock_parts.h"
#include "watch.h"

enum { BYTES = 64, MANY = 300, ROUNDS = 2000, WIDTH = 8 };

TestSuite(clocks, .timeout = 60);

/* How long clocks are when nothing but these streams is there. */
static unsigned length_of(CUstream stream, CUdeviceptr p)
{
    launch_fill(stream, p, BYTES);
    OK(mock_cuCtxSynchronize());
    cr_expect(le(uint, mock__clock_length(*mock__clock_of_host()), mock__clock_slots()));
    return mock__clock_slots();
}

Test(clocks, many_streams_at_once_leave_nothing_behind)
{
    CUstream streams[MANY], first;
    CUevent events[MANY];
    CUdeviceptr p;
    unsigned before;

    start_watched();
    first = a_stream();
    p = allocate(BYTES * MANY);
    before = length_of(first, p);
    for (int i = 0; i < MANY; i++) {
        streams[i] = a_stream();
        launch_fill(streams[i], p + BYTES * (CUdeviceptr) i, BYTES);
        OK(mock_cuEventCreate(&events[i], CU_EVENT_DISABLE_TIMING));
        OK(mock_cuEventRecord(events[i], streams[i]));
    }
    cr_expect(ge(uint, mock__clock_slots(), MANY));
    for (int i = 0; i < MANY; i++)
        OK(mock_cuStreamDestroy_v2(streams[i]));
    cr_expect(eq(uint, length_of(first, p), before));
    /* What a clock of that time says still counts. */
    for (int i = 0; i < MANY; i++)
        OK(mock_cuStreamWaitEvent(first, events[i], 0));
    cr_expect(eq(uint, length_of(first, p + BYTES), before));
    silent();
}

/* A graph of nodes beside each other. */
static CUgraph wide_graph(CUdeviceptr p)
{
    CUDA_MEMSET_NODE_PARAMS fill = {.elementSize = 1, .width = BYTES, .height = 1};
    CUgraph graph = NULL;
    CUgraphNode node;

    OK(mock_cuGraphCreate(&graph, 0));
    for (int i = 0; i < WIDTH; i++) {
        fill.dst = p + BYTES * (CUdeviceptr) i;
        OK(mock_cuGraphAddMemsetNode(&node, graph, NULL, 0, &fill, NULL));
    }
    return graph;
}

Test(clocks, many_graphs_one_after_another_leave_nothing_behind)
{
    CUgraphExec exec = NULL;
    unsigned before, most = 0;
    CUstream stream;
    CUgraph graph;
    CUdeviceptr p;

    start_watched();
    stream = a_stream();
    p = allocate(BYTES * WIDTH);
    graph = wide_graph(p);
    before = length_of(stream, p);
    for (int i = 0; i < ROUNDS; i++) {
        OK(mock_cuGraphInstantiateWithFlags(&exec, graph, 0));
        OK(mock_cuGraphLaunch(exec, stream));
        OK(mock_cuGraphLaunch(exec, stream));
        OK(mock_cuGraphExecDestroy(exec));
        if (i % 10 == 9)
            OK(mock_cuStreamSynchronize(stream));
        most = mock__clock_slots() > most ? mock__clock_slots() : most;
    }
    cr_expect(le(uint, most, before + 11 * WIDTH));
    cr_expect(eq(uint, length_of(stream, p), before));
    silent();
}

Test(clocks, work_of_a_stream_that_is_gone_is_not_forgotten)
{
    CUdeviceptr p;
    CUstream old, other;

    start_watched();
    p = allocate(BYTES);
    old = a_stream();
    other = a_stream();
    launch_fill(old, p, BYTES);
    OK(mock_cuStreamDestroy_v2(old));
    launch_fill(other, p, BYTES);
    OK(mock_cuCtxSynchronize());
    found(CUSHIM_MOCK_DATA_RACE, "nothing orders them");
}

/* The host knows that the work is done; what was submitted before it knew does not. */
Test(clocks, nor_while_other_work_does_not_know_of_it)
{
    CUstream old, other;
    CUdeviceptr p;

    start_watched();
    p = allocate(BYTES);
    other = a_stream();
    old = a_stream();
    launch_fill(old, p, BYTES);
    launch_fill(other, p, BYTES);
    OK(mock_cuStreamSynchronize(old));
    OK(mock_cuStreamDestroy_v2(old));
    OK(mock_cuStreamSynchronize(a_stream()));
    silent();
    OK(mock_cuStreamSynchronize(other));
    found(CUSHIM_MOCK_DATA_RACE, "nothing orders them");
}

/* The numbers of queues go on where they were. */
Test(clocks, a_slot_that_comes_back_begins_unordered)
{
    CUdeviceptr p;
    CUstream base, streams[2];

    start_watched();
    base = a_stream();
    p = allocate(BYTES);
    for (int i = 0; i < 10; i++) {
        launch_fill(streams[0] = a_stream(), p, BYTES);
        OK(mock_cuStreamDestroy_v2(streams[0]));
        OK(mock_cuCtxSynchronize());
        length_of(base, p);
    }
    silent();
    launch_fill(streams[0] = a_stream(), p, BYTES);
    launch_fill(streams[1] = a_stream(), p, BYTES);
    OK(mock_cuCtxSynchronize());
    found(CUSHIM_MOCK_DATA_RACE, "nothing orders them");
}

static CUcontext context;
static CUdeviceptr shared;

static void *use(void *pointer)
{
    (void) pointer;
    OK(mock_cuCtxSetCurrent(context));
    launch_fill(a_stream(), shared, BYTES);
    OK(mock_cuCtxSynchronize());
    return NULL;
}

/* One thread waits, and another one, which it tells, goes on. */
Test(clocks, what_a_thread_waited_for_all_know)
{
    pthread_t thread;

    context = start_watched();
    shared = allocate(BYTES);
    launch_fill(a_stream(), shared, BYTES);
    OK(mock_cuCtxSynchronize());
    cr_assert(eq(int, pthread_create(&thread, NULL, use, NULL), 0));
    pthread_join(thread, NULL);
    launch_fill(a_stream(), shared, BYTES);
    OK(mock_cuCtxSynchronize());
    silent();
}

/* Streams that come and go, each with work that another one waits for, and nobody on the host. */
static size_t parts_of(int n, CUdeviceptr p)
{
    const size_t before = mock__clock_parts();
    CUstream other = a_stream(), stream;
    CUevent event;
    size_t parts;

    OK(mock_cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    for (int i = 0; i < n; i++) {
        stream = a_stream();
        launch_fill(stream, p + BYTES * (CUdeviceptr) i, BYTES);
        OK(mock_cuEventRecord(event, stream));
        OK(mock_cuStreamWaitEvent(other, event, 0));
        OK(mock_cuStreamDestroy_v2(stream));
    }
    parts = mock__clock_parts() - before;
    OK(mock_cuCtxSynchronize());
    return parts;
}

Test(clocks, streams_that_nobody_waits_for_cost_each_what_one_costs)
{
    enum { FEW = 500 };
    size_t few, many;
    CUdeviceptr p;

    start_watched();
    p = allocate(BYTES * 4 * FEW);
    few = parts_of(FEW, p);
    many = parts_of(4 * FEW, p);
    cr_expect(le(sz, few, 20 * FEW));
    cr_expect(le(sz, many, 6 * few));
    silent();
}

enum { CLOCKS = 6, SLOTS = 600 };

/* What a clock is to be: numbers side by side. */
struct plain {
    uint64_t at[SLOTS];
};

static unsigned drawn(unsigned n)
{
    static uint64_t state = 88172645463325252u;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned) (state >> 11) % n;
}

static void merge_both(struct mock__clock **clocks, struct plain *plain, unsigned a, unsigned b,
                       const struct mock__known *known)
{
    mock__clock_merge(&clocks[a], clocks[b], known);
    for (unsigned i = 0; i < SLOTS; i++)
        plain[a].at[i] = plain[a].at[i] > plain[b].at[i] ? plain[a].at[i] : plain[b].at[i];
}

static const struct mock__known unknown = {.in_both = NULL};

/* Two clocks of which it is known that they are after a third, and after one of them a fourth. */
static void merge_knowing(struct mock__clock **clocks, struct plain *plain, unsigned a, unsigned b)
{
    const unsigned both = drawn(CLOCKS), first = drawn(CLOCKS), slot = drawn(SLOTS);
    struct mock__clock *const before_both = mock__clock_ref(clocks[both]);
    struct mock__clock *const before_first = mock__clock_ref(clocks[first]);

    merge_both(clocks, plain, b, both, &unknown);
    merge_both(clocks, plain, a, both, &unknown);
    merge_both(clocks, plain, a, first, &unknown);
    mock__clock_put(&clocks[b], slot, plain[b].at[slot] + 1);
    plain[b].at[slot]++;
    merge_both(clocks, plain, a, b, &(struct mock__known){before_both, {before_first, NULL}});
    mock__clock_unref(before_both);
    mock__clock_unref(before_first);
}

static void change(struct mock__clock **clocks, struct plain *plain)
{
    const unsigned a = drawn(CLOCKS), b = drawn(CLOCKS);
    const unsigned slot = drawn(drawn(2) ? 20 : SLOTS), number = 1 + drawn(50);

    switch (drawn(8)) {
    case 0:
        mock__clock_cut(&clocks[a], slot);
        for (unsigned i = slot; i < SLOTS; i++)
            plain[a].at[i] = 0;
        break;
    case 1:
        mock__clock_ref(clocks[b]);
        mock__clock_unref(clocks[a]);
        clocks[a] = clocks[b];
        plain[a] = plain[b];
        break;
    case 2:
        merge_both(clocks, plain, a, b, &unknown);
        break;
    case 3:
        merge_knowing(clocks, plain, a, b);
        break;
    default:
        mock__clock_put(&clocks[a], slot, number);
        plain[a].at[slot] = number;
    }
}

/* Whatever is done to one leaves those as they are that have parts in common with it. */
Test(clocks, parts_that_are_shared_are_what_numbers_side_by_side_are)
{
    struct mock__clock *clocks[CLOCKS] = {NULL};
    static struct plain plain[CLOCKS];
    const size_t before = mock__clock_parts();

    for (int round = 0; round < 20000; round++) {
        change(clocks, plain);
        for (unsigned i = 0; i < CLOCKS; i++) {
            const unsigned slot = drawn(SLOTS), low = drawn(20);

            cr_assert(eq(u64, mock__clock_get(clocks[i], slot), plain[i].at[slot]));
            cr_assert(eq(u64, mock__clock_get(clocks[i], low), plain[i].at[low]));
        }
    }
    for (unsigned i = 0; i < CLOCKS; i++)
        for (unsigned slot = 0; slot < SLOTS; slot++)
            cr_assert(eq(u64, mock__clock_get(clocks[i], slot), plain[i].at[slot]));
    for (unsigned i = 0; i < CLOCKS; i++)
        mock__clock_unref(clocks[i]);
    cr_expect(eq(sz, mock__clock_parts(), before));
}
