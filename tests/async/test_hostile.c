/* SPDX-License-Identifier: MIT */
/* Callbacks that call what they should not, and operations that are deep, shared and split. */
#include "async.h"

#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <time.h>

SUITE(hostile);

/* A test that waits for itself is ended. */
#define LIMIT 20

static cushim_op done(void)
{
    return cushim_op_value(NULL, NULL);
}

/* --- callbacks that use the future that they belong to --- */

static cushim_future own;
static int calls;

static cushim_op free_own(const struct cushim_exec *exec, void *user)
{
    (void) exec, (void) user;
    calls++;
    cushim_future_free(&own);
    return floats(1);
}

static cushim_future schedule(cushim_op op)
{
    cushim_policy policy;
    cushim_future future;

    assert_ok(cushim_policy_single(stream, NULL, &policy));
    assert_ok(cushim_op_schedule(op, policy, &future));
    cushim_policy_free(&policy);
    return future;
}

Test(hostile, a_callback_frees_the_future_that_is_submitted, .init = begin, .timeout = LIMIT)
{
    calls = 0;
    own = schedule(cushim_op_call(free_own, NULL));
    assert_ok(cushim_future_submit(own));
    cr_assert(eq(int, calls, 1));
    assert_ok(cushim_stream_synchronize(stream));
    finish();
}

/* Asks for the future in all ways, and frees it. */
static void use_and_free(void *data)
{
    cushim_output *output;
    cushim_slice slice;

    (void) data;
    calls++;
    assert_ok(cushim_future_poll(own));
    assert_ok(cushim_future_wait(own, CUSHIM_FOREVER));
    assert_ok(cushim_future_output(own, &output));
    assert_ok(cushim_future_take_slice(own, &slice));
    cushim_slice_free(&slice);
    cushim_future_free(&own);
}

Test(hostile, what_was_held_frees_the_future, .init = begin, .timeout = LIMIT)
{
    calls = 0;
    assert_ok(cushim_op_submit_on(cushim_op_hold(floats(1), NULL, use_and_free), stream, &own));
    assert_ok(cushim_future_wait(own, CUSHIM_FOREVER));
    cr_assert(eq(int, calls, 1));
    finish();
}

/* --- a future tells nobody before it has a result --- */

static sem_t told, polled;
static int seen;

static void tell(void *user)
{
    (void) user;
    sem_post(&told);
}

static void *poll_when_told(void *user)
{
    (void) user;
    sem_wait(&told);
    seen = cushim_future_poll(own);
    sem_post(&polled);
    return NULL;
}

/* Lets the device do all work, and the other thread ask, before the submission goes on. */
static void finish_first(struct cushim_call *call, void *user)
{
    const struct timespec pause = {.tv_nsec = 50000000};

    (void) user;
    if (strcmp(call->name, "cuLaunchHostFunc"))
        return;
    while (RAW(&w, cuStreamQuery, (void *), *(void **) call->args[0]) == CUSHIM_PENDING)
        ;
    nanosleep(&pause, NULL);
}

Test(hostile, a_future_that_is_told_has_its_result, .init = begin, .timeout = LIMIT)
{
    const struct cushim_hooks hooks = {.after = finish_first};
    cushim_driver slow;
    cushim_context context;
    cushim_stream before = stream;
    pthread_t thread;

    sem_init(&told, 0, 0);
    sem_init(&polled, 0, 0);
    assert_ok(cushim_interpose(w.below, &hooks, 1, &slow));
    assert_ok(cushim_context_primary(slow, 0, &context));
    assert_ok(cushim_stream_new(context, NULL, &stream));
    own = schedule(done());
    assert_ok(cushim_future_notify(own, tell, NULL));
    pthread_create(&thread, NULL, poll_when_told, NULL);
    assert_ok(cushim_future_submit(own));
    sem_wait(&polled);
    cr_assert(eq(int, seen, CUSHIM_OK));
    pthread_join(thread, NULL);
    cushim_future_free(&own);
    cushim_stream_free(&stream);
    cushim_context_free(&context);
    cushim_close(&slow);
    stream = before;
    finish();
}

/* Inside of a function that a future calls, another one is set and called. */
static void set_another(void *user)
{
    (void) user;
    assert_ok(cushim_future_notify(own, tell, NULL));
    sem_post(&told);
    sem_wait(&polled);
    calls++;
}

static void *set_function(void *user)
{
    (void) user;
    assert_ok(cushim_future_notify(own, set_another, NULL));
    return NULL;
}

static void *free_future(void *user)
{
    (void) user;
    cushim_future_free(&own);
    cr_assert(eq(int, calls, 1), "a thread is inside of the function");
    return NULL;
}

Test(hostile, freeing_waits_for_the_function_that_has_set_another, .init = begin, .timeout = LIMIT)
{
    const struct timespec pause = {.tv_nsec = 50000000};
    pthread_t setter, freer;

    calls = 0;
    sem_init(&told, 0, 0);
    sem_init(&polled, 0, 0);
    assert_ok(cushim_op_run(done(), stream, &own));
    pthread_create(&setter, NULL, set_function, NULL);
    sem_wait(&told);
    sem_wait(&told);
    pthread_create(&freer, NULL, free_future, NULL);
    nanosleep(&pause, NULL);
    sem_post(&polled);
    pthread_join(setter, NULL);
    pthread_join(freer, NULL);
    finish();
}

static cushim_status map_pending(cushim_output *output, void *user, void **ret_data)
{
    (void) output, (void) user, (void) ret_data;
    return CUSHIM_PENDING;
}

Test(hostile, a_status_that_means_pending_is_an_error, .init = begin, .timeout = LIMIT)
{
    own = schedule(cushim_op_map(done(), map_pending, NULL, NULL));
    assert_refused(cushim_future_submit(own), CUSHIM_ERROR_INVALID_ARGUMENT, "600");
    assert_refused(cushim_future_poll(own), CUSHIM_ERROR_INVALID_ARGUMENT, "600");
    cushim_future_free(&own);
    assert_refused(cushim_op_run(cushim_op_failed(CUSHIM_PENDING, "no"), stream, NULL),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "no; 600");
    assert_refused(cushim_op_submit_on(cushim_op_failed(CUSHIM_PENDING, NULL), stream, &own),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "600");
    finish();
}

/* --- lists in lists --- */

static cushim_op nest(int depth)
{
    cushim_op op = done();

    for (int i = 0; i < depth; i++)
        op = cushim_op_all(&op, 1);
    return op;
}

Test(hostile, lists_are_in_lists_at_most_so_deep, .init = begin, .timeout = LIMIT)
{
    cushim_future future;

    assert_ok(cushim_op_run(cushim_op_unshare(cushim_op_share(nest(1000))), stream, &future));
    cushim_future_free(&future);
    assert_refused(cushim_op_run(nest(1001), stream, NULL), CUSHIM_ERROR_LIMIT, "1000 deep");
    assert_refused(cushim_op_run(nest(300000), stream, NULL), CUSHIM_ERROR_LIMIT, "1000 deep");
    finish();
}

/* Puts the output of the operation before into a list of one. */
static cushim_op wrap(const struct cushim_exec *exec, cushim_output *output, void *user)
{
    cushim_op op = cushim_op_from_output(output);

    (void) exec, (void) user;
    return cushim_op_all(&op, 1);
}

static cushim_op wrap_times(int n)
{
    cushim_op op = done();

    for (int i = 0; i < n; i++)
        op = cushim_op_then(op, wrap, NULL);
    return op;
}

Test(hostile, lists_of_callbacks_are_as_deep_as_others, .init = begin, .timeout = LIMIT)
{
    assert_ok(cushim_op_run(wrap_times(1000), stream, NULL));
    assert_refused(cushim_op_run(wrap_times(1001), stream, NULL), CUSHIM_ERROR_LIMIT, "1000 deep");
    finish();
}

/* --- shared and split --- */

/* What is behind 60 operations that all share the one before: 2 to the 60 ways. */
Test(hostile, the_steps_of_a_diamond_are_counted_once, .init = begin, .timeout = LIMIT)
{
    cushim_op op = floats(1), another;

    for (int i = 0; i < 60; i++) {
        op = cushim_op_share(op);
        assert_ok(cushim_op_retain(op, &another));
        op = cushim_op_zip(op, another);
    }
    op = cushim_op_zip(cushim_op_failed(5, "the first fails"), op);
    assert_refused(cushim_op_run(op, stream, NULL), 5, "steps 2 to 3 did not run");
    finish();
}

Test(hostile, unsharing_leaves_readers_what_they_have, .init = begin, .timeout = LIMIT)
{
    cushim_op shared = cushim_op_share(cushim_op_zip(floats(1), floats(2))), another;
    cushim_future reader, owner;
    cushim_slice slice;

    assert_ok(cushim_op_retain(shared, &another));
    assert_ok(cushim_op_submit_on(cushim_op_output(another, 0), stream, &reader));
    assert_refused(cushim_op_submit_on(cushim_op_unshare(shared), stream, &owner),
                   CUSHIM_ERROR_BUSY, "a future still has the output");
    assert_ok(cushim_future_wait(reader, CUSHIM_FOREVER));
    assert_refused(cushim_future_take_slice(reader, &slice), CUSHIM_ERROR_BUSY, "shared");
    cushim_future_free(&reader);
    finish();
}

static cushim_op fill_borrowed(cushim_slice x)
{
    return cushim_op_fill(cushim_op_borrow(x), 7.0f);
}

Test(hostile, what_was_recorded_has_not_run, .init = begin, .timeout = LIMIT)
{
    cushim_slice x;
    cushim_graph graph, again;
    cushim_op shared, another, third;

    assert_ok(cushim_slice_alloc(stream, CUSHIM_ELEMENT(float), N, &x));
    assert_ok(cushim_slice_fill(stream, x, 1.0f));
    shared = cushim_op_share(fill_borrowed(x));
    assert_ok(cushim_op_retain(shared, &another));
    assert_ok(cushim_op_retain(shared, &third));
    assert_ok(cushim_op_record(another, w.context, &graph));
    assert_refused(cushim_op_run(third, stream, NULL), CUSHIM_ERROR_CAPTURING, "recorded");
    assert_refused(cushim_op_record(shared, w.context, &again), CUSHIM_ERROR_CAPTURING, "recorded");
    cushim_graph_free(&graph);
    cushim_slice_free(&x);
    finish();
}

Test(hostile, what_is_recorded_does_not_run_on_another_stream, .init = begin, .timeout = LIMIT)
{
    cushim_slice x;
    cushim_graph graph;
    float host[N];

    assert_ok(cushim_slice_alloc(stream, CUSHIM_ELEMENT(float), N, &x));
    assert_ok(cushim_slice_fill(stream, x, 1.0f));
    assert_refused(cushim_op_record(cushim_op_on(fill_borrowed(x), other), w.context, &graph),
                   CUSHIM_ERROR_CAPTURING, "record it without cushim_op_on()");
    assert_ok(cushim_slice_read(stream, x, host, N));
    cr_assert(eq(flt, host[0], 1));
    cushim_slice_free(&x);
    finish();
}

/* --- threads that wait for each other's shared operations --- */

static cushim_op first, second;
static pthread_barrier_t both;

static cushim_op run_the_other(const struct cushim_exec *exec, void *user)
{
    cushim_op op;

    (void) exec;
    pthread_barrier_wait(&both);
    return cushim_op_retain(*(cushim_op *) user, &op) ? done() : op;
}

static void *submit_first(void *user)
{
    cushim_op op;

    assert_ok(cushim_op_retain(first, &op));
    *(cushim_status *) user = cushim_op_run(op, stream, NULL);
    return NULL;
}

Test(hostile, two_shared_operations_that_need_each_other, .init = begin, .timeout = LIMIT)
{
    cushim_status of_thread, of_main;
    pthread_t thread;
    cushim_op op;

    pthread_barrier_init(&both, NULL, 2);
    first = cushim_op_share(cushim_op_call(run_the_other, &second));
    second = cushim_op_share(cushim_op_call(run_the_other, &first));
    assert_ok(cushim_op_retain(second, &op));
    pthread_create(&thread, NULL, submit_first, &of_thread);
    of_main = cushim_op_run(op, other, NULL);
    pthread_join(thread, NULL);
    cr_assert(eq(int, of_main, CUSHIM_ERROR_BUSY));
    cr_assert(eq(int, of_thread, CUSHIM_ERROR_BUSY));
    cushim_op_free(&first);
    cushim_op_free(&second);
    finish();
}

/* --- policies --- */

static cushim_status one_stream(void *user, cushim_stream *ret_stream)
{
    (void) user;
    *ret_stream = stream;
    return CUSHIM_OK;
}

static cushim_policy inner;

static void set_again(void *user)
{
    (void) user;
    calls++;
    assert_ok(cushim_policy_set_thread_default(inner));
}

static cushim_status map_nothing(cushim_output *output, void *user, void **ret_data)
{
    (void) output, (void) user;
    *ret_data = NULL;
    return CUSHIM_OK;
}

Test(hostile, success_leaves_the_last_error, .init = begin, .timeout = LIMIT)
{
    cushim_policy policy;
    cushim_future future;

    assert_ok(cushim_policy_custom(one_stream, NULL, NULL, NULL, &policy));
    (void) !cushim_future_poll((cushim_future) CUSHIM_NONE);
    assert_ok(cushim_op_submit(cushim_op_map(done(), map_nothing, NULL, NULL),
                               (cushim_policy){policy.id}, &future));
    cr_assert(eq(int, cushim_error_status(), CUSHIM_ERROR_STALE_HANDLE));
    cushim_future_free(&future);
    cushim_policy_free(&policy);
    finish();
}

Test(hostile, a_policy_sets_another_when_it_goes, .init = begin, .timeout = LIMIT)
{
    cushim_policy policy;

    assert_ok(cushim_policy_single(stream, NULL, &inner));
    assert_ok(cushim_policy_custom(one_stream, NULL, set_again, NULL, &policy));
    assert_ok(cushim_policy_set_thread_default(policy));
    cushim_policy_free(&policy);
    assert_ok(cushim_policy_set_thread_default((cushim_policy) CUSHIM_NONE));
    cushim_policy_free(&inner);
    assert_ok(cushim_policy_set_thread_default((cushim_policy) CUSHIM_NONE));
    finish();
}

/* --- streams that the program captures --- */

static void nothing(void *user)
{
    (void) user;
}

/* A graph that the program makes of it would call a function again that is called once. */
Test(hostile, a_stream_that_the_program_captures, .init = begin, .timeout = LIMIT)
{
    cushim_future future;
    void *cu, *graph = NULL;

    assert_ok(cushim_stream_raw(stream, &cu));
    assert_ok(cushim_context_push(w.context));
    assert_ok(RAW(&w, cuStreamBeginCapture_v2, (void *, int), cu, 2));
    assert_refused(cushim_op_submit_on(floats(1), stream, &future), CUSHIM_ERROR_CAPTURING,
                   "the program captures the stream");
    assert_refused(cushim_op_run(floats(1), stream, NULL), CUSHIM_ERROR_CAPTURING,
                   "the program captures the stream");
    assert_refused(cushim_stream_host_function(stream, nothing, NULL, NULL), CUSHIM_ERROR_CAPTURING,
                   "the program captures the stream");
    assert_ok(RAW(&w, cuStreamEndCapture, (void *, void **), cu, &graph)); /* it goes on */
    assert_ok(RAW(&w, cuGraphDestroy, (void *), graph));
    assert_ok(cushim_context_pop(w.driver, NULL));
    assert_ok(cushim_op_run(floats(1), stream, NULL));
    finish();
}
