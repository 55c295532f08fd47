/* SPDX-License-Identifier: MIT */
/*
 * threads_recording: several threads record for one graph, each with a recorder, work on memory of
 * their own, on memory that all of them read and on what they allocate, and one on a branch that
 * another thread forks and joins. Every other recording has an arena that stays. Then the recording
 * ends while others still try. Exit status: 0 all is right, 1 not.
 */
#include <stdatomic.h>

#include <cushim/cushim.h>
#include <cushim/mock.h>

#include "../../unit/plain.h"

#define CHECK(call) CHECK_EQ(call, CUSHIM_OK)

enum { THREADS = 6, ROUNDS = 40, WORKS = 20, N = 16 };

static cushim_context context;
static cushim_stream stream, recorder;
static cushim_slice shared, own[THREADS];
static atomic_int next, calls;
static atomic_bool ends;

static void count_call(void *user)
{
    (void) user;
    calls++;
}

/* Returns false if the recording has ended. */
static bool is_done(cushim_status status)
{
    if (status != CUSHIM_ERROR_STALE_HANDLE)
        CHECK_EQ(status, CUSHIM_OK);
    return status == CUSHIM_OK;
}

/* By way of memory that is allocated; freed, another thread may get it. */
static bool copy(cushim_stream mine, int thread)
{
    cushim_slice made = CUSHIM_NONE;
    bool done = is_done(cushim_slice_clone(mine, shared, &made)) &&
                is_done(cushim_slice_copy(mine, own[thread], made));

    cushim_slice_free(&made);
    return done;
}

static bool work(cushim_stream mine, int thread, int step)
{
    cushim_stream beside = CUSHIM_NONE;
    bool done;

    if (step % 4 == 0)
        return is_done(cushim_slice_fill(mine, own[thread], (float) step));
    if (step % 4 == 1)
        return copy(mine, thread);
    if (step % 4 == 2)
        return is_done(cushim_stream_host_function(mine, count_call, NULL, NULL));
    done = is_done(cushim_stream_fork(mine, &beside)) &&
           is_done(cushim_slice_fill(beside, own[thread], 1.0f)) &&
           is_done(cushim_stream_join(mine, beside));
    cushim_stream_free(&beside);
    return done;
}

static void *record(void *user)
{
    const int thread = atomic_fetch_add(&next, 1) % THREADS;
    cushim_stream mine = CUSHIM_NONE;
    bool goes_on = is_done(cushim_stream_fork(recorder, &mine));

    (void) user;
    for (int i = 0; goes_on && (ends || i < WORKS); i++)
        goes_on = work(mine, thread, i);
    CHECK_EQ(ends || goes_on, true);
    cushim_stream_free(&mine);
    return NULL;
}

/* With races, the recording ends while the threads record. */
static void round_of(bool races, const struct cushim_capture_params *params)
{
    pthread_t threads[THREADS];
    cushim_graph graph = CUSHIM_NONE;
    cushim_stream first;
    cushim_status status;
    int before;

    CHECK(cushim_capture_begin_with(context, params, &recorder));
    first = recorder;
    ends = races;
    start_threads(threads, THREADS, record);
    if (!races)
        join_threads(threads, THREADS);
    CHECK(cushim_slice_fill(first, shared, 2.0f));
    status = cushim_capture_end(&first, &graph);
    if (races)
        join_threads(threads, THREADS);
    /* A thread may have been about to free what nodes allocate. */
    if (races && params->memory_nodes && status == CUSHIM_ERROR_BUSY)
        return;
    CHECK_EQ(status, CUSHIM_OK);
    before = calls;
    CHECK(cushim_graph_launch(graph, stream));
    CHECK(cushim_stream_synchronize(stream));
    if (!races)
        CHECK_EQ(calls - before, THREADS * WORKS / 4);
    cushim_graph_free(&graph);
}

int main(void)
{
    const struct cushim_mock_finding *findings = NULL;
    cushim_arena arena = CUSHIM_NONE;
    cushim_driver driver;
    size_t used = 1;
    float values[N];

    CHECK(cushim_open(cushim_open_params(.library = MOCK), &driver));
    CHECK(cushim_context_primary(driver, 0, &context));
    CHECK(cushim_stream_new(context, NULL, &stream));
    CHECK(cushim_slice_zeros(stream, CUSHIM_ELEMENT(float), N, &shared));
    for (int i = 0; i < THREADS; i++)
        CHECK(cushim_slice_zeros(stream, CUSHIM_ELEMENT(float), N, &own[i]));
    CHECK(cushim_arena_new(context, cushim_arena_params(.limit = 64 << 20), &arena));
    for (int i = 0; i < ROUNDS; i++)
        round_of(i % 2, cushim_capture_params(.arena = i % 4 < 2 ? arena : (cushim_arena){0},
                                              .memory_nodes = i % 8 >= 6));
    CHECK(cushim_slice_read(stream, shared, values, N));
    CHECK_EQ(values[0] == 2, true);
    CHECK(cushim_arena_stats(arena, NULL, NULL, &used, NULL));
    CHECK_EQ(used, 0);
    cushim_arena_free(&arena);
    for (int i = 0; i < THREADS; i++)
        cushim_slice_free(&own[i]);
    cushim_slice_free(&shared);
    cushim_stream_free(&stream);
    cushim_context_free(&context);
    cushim_close(&driver);
    cushim_mock_leaks();
    CHECK_EQ(cushim_mock_findings(&findings), 0);
    printf("%d recordings of %d threads\n", ROUNDS, THREADS);
    return 0;
}
