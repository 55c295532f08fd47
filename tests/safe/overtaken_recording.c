/* SPDX-License-Identifier: MIT */
/*
 * overtaken_recording: streams that begin and end to record while other threads fork them. Exit
 * status: 0 all is right, 1 not.
 */
#include "overtaken.h"

enum { ROUNDS = 200, FORKERS = 3 };

/* --- a stream begins to record while a thread makes the fork --- */

static cushim_stream forked;

static void while_making(bool is_after)
{
    if (is_after)
        return;
    next_step(1);
    wait_for_step(2);
}

static void *fork_slowly(void *user)
{
    stop_at = "cuStreamCreateWithPriority";
    OK(cushim_stream_fork(a, &forked));
    return user;
}

static void a_fork_becomes_a_recorder(void)
{
    cushim_graph graph = CUSHIM_NONE;
    uint32_t values[N];
    pthread_t thread;

    prepare();
    at_stop = while_making;
    start_threads(&thread, 1, fork_slowly);
    wait_for_step(1);
    OK(cushim_capture_begin_on(a, NULL));
    next_step(2);
    join_threads(&thread, 1);
    OK(cushim_slice_fill(forked, x, 7u));
    OK(cushim_capture_end(&a, &graph));
    OK(cushim_slice_read(b, x, values, N));
    CHECK_EQ(values[0], 0);
    OK(cushim_graph_launch(graph, a));
    OK(cushim_slice_read(b, x, values, N));
    CHECK_EQ(values[0], 7);
    CHECK_EQ(cushim_slice_fill(forked, x, 8u), CUSHIM_ERROR_STALE_HANDLE);
    CHECK_EQ(strstr(cushim_error_text(), "the recording has ended") != NULL, true);
    cushim_stream_free(&forked);
    cushim_graph_free(&graph);
    finish();
}

/* --- recordings begin and end while threads fork and join --- */

static atomic_bool done;

static void *fork_on_and_on(void *user)
{
    while (!done) {
        cushim_stream beside = CUSHIM_NONE;

        OK(cushim_stream_fork(a, &beside));
        /* A fork of a recording that has ended, or that began later, cannot be joined. */
        if (cushim_stream_join(a, beside))
            CHECK_EQ(cushim_error_status() == CUSHIM_ERROR_STALE_HANDLE ||
                         cushim_error_status() == CUSHIM_ERROR_CAPTURING,
                     true);
        cushim_stream_free(&beside);
    }
    return user;
}

static void forks_never_fail(void)
{
    pthread_t threads[FORKERS];

    prepare();
    done = false;
    start_threads(threads, FORKERS, fork_on_and_on);
    for (int i = 0; i < ROUNDS; i++) {
        cushim_graph graph = CUSHIM_NONE;

        OK(cushim_capture_begin_on(a, NULL));
        OK(cushim_slice_fill(a, x, 1u));
        OK(cushim_capture_end(&a, &graph));
        cushim_graph_free(&graph);
    }
    done = true;
    join_threads(threads, FORKERS);
    finish();
}

int main(void)
{
    alarm(6 * PATIENCE_S);
    a_fork_becomes_a_recorder();
    forks_never_fail();
    printf("right\n");
    return 0;
}
