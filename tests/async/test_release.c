/* SPDX-License-Identifier: MIT */
/*
 * Data whose release frees the next object, which has data, too: any number of objects in a row.
 * The stack has room for a small part of them.
 */
#include "async.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

SUITE(release);

enum { CHAIN = 40000 };

static int released;

static cushim_op done(void)
{
    return cushim_op_value(NULL, NULL);
}

/* The data is the handle of the next object, or zero. */
static void *data_of(uint64_t id)
{
    return (void *) (uintptr_t) id;
}

static void free_op(void *data)
{
    released++;
    cushim_op_free(&(cushim_op){.id = (uintptr_t) data});
}

static void free_future(void *data)
{
    released++;
    cushim_future_free(&(cushim_future){.id = (uintptr_t) data});
}

static void cancel_future(void *data)
{
    cushim_future future = {.id = (uintptr_t) data};

    released++;
    if (future.id)
        assert_ok(cushim_future_cancel(future));
    cushim_future_free(&future);
}

static void free_policy(void *data)
{
    released++;
    cushim_policy_free(&(cushim_policy){.id = (uintptr_t) data});
}

static void free_graph(void *data)
{
    released++;
    cushim_graph_free(&(cushim_graph){.id = (uintptr_t) data});
}

Test(release, operations_free_operations, .init = begin)
{
    cushim_op op = CUSHIM_NONE;

    released = 0;
    for (int i = 0; i < CHAIN; i++)
        op = i % 2 ? cushim_op_value(data_of(op.id), free_op)
                   : cushim_op_hold(done(), data_of(op.id), free_op);
    cushim_op_free(&op);
    cr_assert(eq(int, released, CHAIN));
    finish();
}

Test(release, futures_free_futures, .init = begin)
{
    cushim_future future = CUSHIM_NONE, next;

    released = 0;
    for (int i = 0; i < CHAIN; i++) {
        assert_ok(cushim_op_run(cushim_op_value(data_of(future.id), free_future), stream, &next));
        future = next;
    }
    cushim_future_free(&future);
    cr_assert(eq(int, released, CHAIN));
    finish();
}

Test(release, futures_in_flight_free_futures, .init = begin)
{
    cushim_future future = CUSHIM_NONE, next;

    released = 0;
    for (int i = 0; i < CHAIN; i++) {
        assert_ok(cushim_op_submit_on(cushim_op_hold(done(), data_of(future.id), free_future),
                                      stream, &next));
        future = next;
    }
    assert_ok(cushim_stream_synchronize(stream));
    cushim_future_free(&future);
    while (released < CHAIN)
        assert_ok(cushim_stream_synchronize(stream));
    cr_assert(eq(int, released, CHAIN));
    finish();
}

Test(release, futures_cancel_futures, .init = begin)
{
    cushim_future future = CUSHIM_NONE, next;
    cushim_policy policy;

    released = 0;
    assert_ok(cushim_policy_single(stream, NULL, &policy));
    for (int i = 0; i < CHAIN; i++) {
        assert_ok(
            cushim_op_schedule(cushim_op_value(data_of(future.id), cancel_future), policy, &next));
        future = next;
    }
    cancel_future(data_of(future.id));
    cr_assert(eq(int, released, CHAIN + 1));
    cushim_policy_free(&policy);
    finish();
}

static cushim_status next_stream(void *user, cushim_stream *ret_stream)
{
    (void) user;
    *ret_stream = stream;
    return CUSHIM_OK;
}

Test(release, policies_free_policies, .init = begin)
{
    cushim_policy policy = CUSHIM_NONE, next;

    released = 0;
    for (int i = 0; i < CHAIN; i++) {
        assert_ok(cushim_policy_custom(next_stream, data_of(policy.id), free_policy, NULL, &next));
        policy = next;
    }
    cushim_policy_free(&policy);
    cr_assert(eq(int, released, CHAIN));
    finish();
}

static void do_nothing(void *user)
{
    (void) user;
}

Test(release, graphs_free_graphs, .init = begin)
{
    enum { GRAPHS = CHAIN / 4 };
    cushim_graph graph = CUSHIM_NONE, next;
    cushim_stream recorder;

    released = 0;
    for (int i = 0; i < GRAPHS; i++) {
        assert_ok(cushim_capture_begin(w.context, &recorder));
        assert_ok(cushim_stream_host_function(recorder, do_nothing, data_of(graph.id), free_graph));
        assert_ok(cushim_capture_end(&recorder, &next));
        graph = next;
    }
    cushim_graph_free(&graph);
    cr_assert(eq(int, released, GRAPHS));
    finish();
}

/* --- what is released inside of a release --- */

static cushim_future inner;
static int inside, nested;

static void note_inner(void *data)
{
    (void) data;
    nested += inside;
    released++;
}

static void free_inner(void *data)
{
    (void) data;
    inside = 1;
    cushim_future_free(&inner);
    cr_assert(eq(int, released, 0));
    inside = 0;
}

Test(release, what_it_frees_is_released_after_it, .init = begin)
{
    released = nested = 0;
    assert_ok(cushim_op_run(cushim_op_value(NULL, note_inner), stream, &inner));
    assert_ok(cushim_op_run(cushim_op_value(NULL, free_inner), stream, NULL));
    cr_assert(eq(int, released, 1));
    cr_assert(eq(int, nested, 0));
    finish();
}

/* --- what a host function has freed --- */

static sem_t gate;
static cushim_future asked;
static int status_inside;

static void wait_at_gate(void *user)
{
    (void) user;
    sem_wait(&gate);
}

static void free_inner_in_driver(void *user)
{
    (void) user;
    cushim_future_free(&inner);
}

static void ask(void *data)
{
    (void) data;
    status_inside = cushim_future_poll(asked);
    released++;
}

/* Lets the stream do all its work without a call of cushim. */
static void pass_gate(void)
{
    void *cu;

    assert_ok(cushim_stream_raw(stream, &cu));
    assert_ok(cushim_context_push(w.context));
    sem_post(&gate);
    while (RAW(&w, cuStreamQuery, (void *), cu) == CUSHIM_PENDING)
        ;
    assert_ok(cushim_context_pop(w.driver, NULL));
}

/* The call that sets a result must not call what asks for the same result. */
Test(release, data_asks_for_the_future_that_is_asked_for, .init = begin, .timeout = 20)
{
    released = 0;
    sem_init(&gate, 0, 0);
    assert_ok(cushim_op_run(cushim_op_value(NULL, ask), stream, &inner));
    assert_ok(cushim_stream_host_function(stream, wait_at_gate, NULL, NULL));
    assert_ok(cushim_stream_host_function(stream, free_inner_in_driver, NULL, NULL));
    assert_ok(cushim_op_submit_on(floats(1), stream, &asked));
    pass_gate();
    assert_ok(cushim_future_poll(asked));
    assert_ok(cushim_stream_synchronize(stream));
    cr_assert(eq(int, released, 1));
    assert_ok(status_inside);
    cushim_future_free(&asked);
    finish();
}

/* --- futures that are freed while they are looked at --- */

static pthread_t this_thread;
static atomic_int looks;

/* Another thread is slow to ask whether a stream is done. */
static bool ask_slowly(struct cushim_call *call, void *user)
{
    const struct timespec pause = {.tv_nsec = 50000000};

    (void) user;
    if (strcmp(call->name, "cuStreamQuery") || pthread_equal(this_thread, pthread_self()))
        return false;
    atomic_store(&looks, 1);
    nanosleep(&pause, NULL);
    atomic_store(&looks, 0);
    return false;
}

/* Whoever has freed everything finds nothing that another thread still has. */
Test(release, freeing_a_future_ends_the_look_at_it, .init = begin, .timeout = 20)
{
    const struct cushim_hooks hooks = {.before = ask_slowly};
    cushim_driver slow;
    cushim_context context;
    cushim_stream queried;
    cushim_future future;

    this_thread = pthread_self();
    sem_init(&gate, 0, 0);
    assert_ok(cushim_interpose(w.below, &hooks, 1, &slow));
    assert_ok(cushim_context_primary(slow, 0, &context));
    assert_ok(cushim_stream_new(context, NULL, &queried));
    assert_ok(cushim_stream_host_function(queried, wait_at_gate, NULL, NULL));
    assert_ok(cushim_op_submit_on(done(), queried, &future));
    cr_assert(cushim_future_fd(future) >= 0);
    while (!atomic_load(&looks))
        sched_yield();
    cushim_future_free(&future);
    cr_assert(eq(int, atomic_load(&looks), 0));
    sem_post(&gate);
    assert_ok(cushim_stream_synchronize(queried));
    cushim_stream_free(&queried);
    cushim_context_free(&context);
    cushim_close(&slow);
    finish();
}
