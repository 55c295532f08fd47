/* SPDX-License-Identifier: MIT */
/* Futures: when work is submitted, how its end is told, and what is said of mistakes. */
#include "async.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>

SUITE(future);

static const uint64_t SECOND = 1000000000;

static sem_t gate;
static atomic_int released;
static pthread_t releaser;

/* Holds a stream until the test posts the gate. */
static void wait_at_gate(void *user)
{
    (void) user;
    sem_wait(&gate);
}

static void hold_stream(cushim_stream held)
{
    sem_init(&gate, 0, 0);
    assert_ok(cushim_stream_host_function(held, wait_at_gate, NULL, NULL));
}

static void release(void *data)
{
    (void) data;
    releaser = pthread_self();
    released++;
}

static bool is_readable(int fd, int milliseconds)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};

    return poll(&p, 1, milliseconds) == 1;
}

static void wait_for(const atomic_int *number, int wanted)
{
    while (atomic_load(number) != wanted)
        sched_yield();
}

/*
 * What was held by a future that was freed before the end is released by a later call of cushim,
 * and in no thread of the driver.
 */
static void wait_for_release(void)
{
    while (!atomic_load(&released))
        assert_ok(cushim_stream_synchronize(stream));
    cr_assert(eq(int, released, 1));
    cr_assert(pthread_equal(releaser, pthread_self()));
}

Test(future, pending_then_ready, .init = begin)
{
    cushim_future future;
    float host[N] = {0};

    hold_stream(stream);
    assert_ok(cushim_op_submit_on(cushim_op_to_host(floats(2), host, N), stream, &future));
    cushim_error_clear();
    for (int i = 0; i < 3; i++)
        cr_assert(eq(int, cushim_future_poll(future), CUSHIM_PENDING));
    cr_assert(eq(int, cushim_future_wait(future, 1000), CUSHIM_PENDING));
    cr_assert(eq(int, cushim_error_status(), CUSHIM_OK));
    cr_assert(eq(flt, host[0], 0));
    sem_post(&gate);
    assert_ok(cushim_future_wait(future, 10 * SECOND));
    cr_assert(eq(flt, host[N - 1], 2));
    /* A result is kept. */
    assert_ok(cushim_future_poll(future));
    assert_ok(cushim_future_wait(future, 0));
    cushim_future_free(&future);
    finish();
}

Test(future, scheduling_submits_nothing, .init = begin)
{
    cushim_policy policy;
    cushim_future future;

    assert_ok(cushim_policy_single(stream, NULL, &policy));
    forget_calls(&w);
    assert_ok(cushim_op_schedule(floats(1), policy, &future));
    cr_assert(eq(u64, count(&w, NULL), 0));
    assert_refused(cushim_future_poll(future), CUSHIM_ERROR_BUSY, "cushim_future_submit()");
    assert_refused(cushim_future_wait(future, 1), CUSHIM_ERROR_BUSY, "not submitted");
    cushim_policy_free(&policy); /* the future has what it needs */
    assert_ok(cushim_future_submit(future));
    assert_refused(cushim_future_submit(future), CUSHIM_ERROR_BUSY, "submitted before");
    assert_refused(cushim_future_cancel(future), CUSHIM_ERROR_BUSY, "nothing stops the device");
    assert_ok(cushim_future_wait(future, CUSHIM_FOREVER));
    cushim_future_free(&future);
    finish();
}

Test(future, cancelling_frees_the_operation, .init = begin)
{
    cushim_policy policy;
    cushim_future future;

    released = 0;
    assert_ok(cushim_policy_single(stream, NULL, &policy));
    assert_ok(cushim_op_schedule(cushim_op_value(NULL, release), policy, &future));
    assert_ok(cushim_future_cancel(future));
    cr_assert(eq(int, released, 1));
    assert_ok(cushim_future_cancel(future));
    assert_refused(cushim_future_poll(future), CUSHIM_ERROR_CANCELLED, "cancelled");
    assert_refused(cushim_future_submit(future), CUSHIM_ERROR_CANCELLED, "cancelled");
    cr_assert(is_readable(cushim_future_fd(future), 0));
    cushim_future_free(&future);
    /* A scheduled future that is freed frees its operation, too. */
    assert_ok(cushim_op_schedule(cushim_op_value(NULL, release), policy, &future));
    cushim_future_free(&future);
    cr_assert(eq(int, released, 2));
    cushim_policy_free(&policy);
    finish();
}

Test(future, a_descriptor_becomes_readable, .init = begin)
{
    cushim_future future;
    int fd;

    hold_stream(stream);
    assert_ok(cushim_op_submit_on(floats(1), stream, &future));
    fd = cushim_future_fd(future);
    cr_assert(ge(int, fd, 0));
    cr_assert(eq(int, cushim_future_fd(future), fd));
    cr_assert(not(is_readable(fd, 1)));
    sem_post(&gate);
    cr_assert(is_readable(fd, 10000));
    assert_ok(cushim_future_poll(future));
    cr_assert(is_readable(fd, 0));
    cushim_future_free(&future);
    finish();
}

static void count_call(void *user)
{
    ++*(atomic_int *) user;
}

Test(future, a_function_is_called_once_and_the_last_one_counts, .init = begin)
{
    atomic_int first = 0, second = 0, late = 0;
    cushim_future future;

    hold_stream(stream);
    assert_ok(cushim_op_submit_on(floats(1), stream, &future));
    assert_ok(cushim_future_notify(future, count_call, &first));
    assert_ok(cushim_future_notify(future, count_call, &second));
    sem_post(&gate);
    assert_ok(cushim_future_wait(future, CUSHIM_FOREVER));
    wait_for(&second, 1);
    assert_ok(cushim_future_notify(future, count_call, &late));
    cr_assert(eq(int, late, 1));
    cushim_future_free(&future);
    cr_assert(eq(int, first, 0));
    cr_assert(eq(int, second, 1));
    finish();
}

static cushim_future to_free;
static cushim_status status_inside;

static void free_it(void *user)
{
    status_inside = cushim_future_poll(to_free);
    cushim_future_free(&to_free);
    ++*(atomic_int *) user;
}

Test(future, a_function_that_frees_its_own_future, .init = begin)
{
    atomic_int called = 0;

    hold_stream(stream);
    assert_ok(cushim_op_submit_on(floats(1), stream, &to_free));
    assert_ok(cushim_future_notify(to_free, free_it, &called));
    sem_post(&gate);
    wait_for(&called, 1);
    cr_assert(eq(int, status_inside, 800));
    assert_ok(cushim_stream_synchronize(stream));
    finish();
}

Test(future, dropping_one_in_flight_keeps_what_the_device_needs, .init = begin)
{
    float *host = malloc(N * sizeof(*host));
    cushim_future future;

    released = 0;
    hold_stream(stream);
    assert_ok(cushim_op_submit_on(
        cushim_op_hold(cushim_op_to_host(floats(1), host, N), NULL, release), stream, &future));
    cushim_future_free(&future);
    free(host); /* it is not written any more */
    cr_assert(eq(int, released, 0));
    sem_post(&gate);
    wait_for_release();
    finish();
}

Test(future, freed_at_the_end_of_the_context, .init = begin)
{
    cushim_future future;

    released = 0;
    assert_ok(cushim_op_submit_on(cushim_op_hold(floats(1), NULL, release), stream, &future));
    cushim_future_free(&future);
    finish();
    cr_assert(eq(int, released, 1));
}

Test(future, any_and_all, .init = begin)
{
    cushim_future futures[3];
    size_t index = 9;

    assert_ok(cushim_op_submit_on(floats(1), other, &futures[1]));
    assert_ok(cushim_future_wait(futures[1], CUSHIM_FOREVER));
    /* Not before: a driver may call the functions of all streams in one thread. */
    hold_stream(stream);
    assert_ok(cushim_op_submit_on(floats(1), stream, &futures[0]));
    assert_ok(cushim_op_submit_on(floats(1), stream, &futures[2]));
    assert_ok(cushim_future_wait_any(futures, 3, CUSHIM_FOREVER, &index));
    cr_assert(eq(sz, index, 1));
    cr_assert(eq(int, cushim_future_wait_all(futures, 3, 1000), CUSHIM_PENDING));
    sem_post(&gate);
    assert_ok(cushim_future_wait_all(futures, 3, CUSHIM_FOREVER));
    assert_ok(cushim_future_wait_any(futures, 3, 0, &index));
    cr_assert(eq(sz, index, 0));
    assert_refused(cushim_future_wait_any(futures, 0, 0, &index), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "no future");
    for (int i = 0; i < 3; i++)
        cushim_future_free(&futures[i]);
    finish();
}

static cushim_op wait_inside(const struct cushim_exec *exec, void *user)
{
    cushim_future future;

    (void) exec;
    status_inside = cushim_future_wait(*(cushim_future *) user, CUSHIM_FOREVER);
    assert_text("must not wait");
    cr_assert(eq(int, cushim_op_run(floats(1), stream, NULL), CUSHIM_ERROR_BUSY));
    /* To submit more is allowed. */
    assert_ok(cushim_op_submit_on(floats(1), other, &future));
    cushim_future_free(&future);
    return cushim_op_value(NULL, NULL);
}

Test(future, a_callback_must_not_wait, .init = begin)
{
    cushim_future before, future;

    assert_ok(cushim_op_submit_on(floats(1), stream, &before));
    assert_ok(cushim_op_submit_on(cushim_op_call(wait_inside, &before), stream, &future));
    cr_assert(eq(int, status_inside, CUSHIM_ERROR_BUSY));
    assert_ok(cushim_future_wait(before, CUSHIM_FOREVER));
    assert_ok(cushim_future_wait(future, CUSHIM_FOREVER));
    cushim_future_free(&before);
    cushim_future_free(&future);
    finish();
}

Test(future, the_result_is_taken_once, .init = begin)
{
    cushim_future future;
    cushim_slice x, again;
    float host[N];

    assert_ok(cushim_op_submit_on(floats(6), stream, &future));
    assert_ok(cushim_future_take_slice(future, &x)); /* need not be done */
    assert_refused(cushim_future_take_slice(future, &again), CUSHIM_ERROR_STALE_HANDLE,
                   "taken before");
    assert_ok(cushim_future_wait(future, CUSHIM_FOREVER));
    cushim_future_free(&future);
    assert_ok(cushim_slice_read(stream, x, host, N));
    cr_assert(eq(flt, host[1], 6));
    cushim_slice_free(&x);
    assert_refused(cushim_future_poll(future), CUSHIM_ERROR_STALE_HANDLE, "future");
    finish();
}

Test(future, running_synchronizes_its_stream_once, .init = begin)
{
    forget_calls(&w);
    assert_ok(cushim_op_run(floats(1), stream, NULL));
    cr_assert(eq(u64, count(&w, "cuStreamSynchronize"), 1));
    cr_assert(eq(u64, count(&w, "cuLaunchHostFunc"), 0));
    forget_calls(&w);
    inject(&w, "cuMemAllocAsync nth=1 result=2");
    assert_refused(cushim_op_run(cushim_op_zip(floats(1)), stream, NULL), 2, "allocation");
    cr_assert(eq(u64, count(&w, "cuStreamSynchronize"), 1));
    inject(&w, "cuStreamSynchronize nth=1 result=719");
    assert_refused(cushim_op_run(floats(1), stream, NULL), 719, "cuStreamSynchronize");
    finish();
}

Test(future, submitting_waits_for_nothing, .init = begin)
{
    cushim_future future;
    float host[N] = {1, 2, 3};

    hold_stream(stream);
    forget_calls(&w);
    assert_ok(cushim_op_submit_on(
        cushim_op_to_host(cushim_op_output(add_one(cushim_op_from(host, N)), 0), host, N), stream,
        &future));
    cr_assert(eq(u64, count(&w, "cuStreamSynchronize") + count(&w, "cuEventSynchronize"), 0));
    cr_assert(eq(u64, count(&w, "cuLaunchHostFunc"), 1));
    sem_post(&gate);
    assert_ok(cushim_future_wait(future, CUSHIM_FOREVER));
    cr_assert(eq(flt, host[2], 4));
    cushim_future_free(&future);
    finish();
}

Test(future, a_function_that_cannot_be_armed, .init = begin)
{
    cushim_future future = CUSHIM_NONE;
    float host[N] = {1};

    released = 0;
    hold_stream(stream);
    inject(&w, "cuLaunchHostFunc nth=1 result=2");
    assert_refused(cushim_op_submit_on(cushim_op_hold(cushim_op_from(host, N), NULL, release),
                                       stream, &future),
                   2, "cuLaunchHostFunc");
    cr_assert(eq(u64, future.id, 0));
    /* The device may still use what is held. */
    assert_ok(cushim_stream_synchronize(other));
    cr_assert(eq(int, released, 0));
    sem_post(&gate);
    wait_for_release();
    expect_floats(floats(1), 1);
    finish();
}

/* Frees what a device that has failed has left: the driver refuses most calls. */
static void finish_failed(void)
{
    cushim_mock_findings_clear();
    cushim_module_free(&module);
    cushim_stream_free(&stream);
    cushim_stream_free(&other);
    cushim_context_free(&w.context);
}

Test(future, a_fault_of_the_device_is_the_result, .init = begin)
{
    const unsigned n = N;
    cushim_future futures[2];
    atomic_int called = 0;
    int fd;

    MOCK_ONLY("a context is lost");
    assert_ok(cushim_op_submit_on(
        cushim_op_launch(fault, cushim_for_elements(n), CUSHIM_OP_IN(floats(1)), CUSHIM_VALUE(n)),
        stream, &futures[0]));
    assert_ok(cushim_future_notify(futures[0], count_call, &called));
    fd = cushim_future_fd(futures[0]);
    cr_assert(is_readable(fd, 10000));
    assert_refused(cushim_future_poll(futures[0]), 719, "failed on the device");
    assert_refused(cushim_future_wait(futures[0], CUSHIM_FOREVER), 719, "failed on the device");
    wait_for(&called, 1);
    assert_status(cushim_op_submit_on(floats(1), other, &futures[1]), 719);
    cushim_future_free(&futures[0]);
    finish_failed();
}

Test(future, another_handle_is_told_when_the_device_fails, .init = begin)
{
    const unsigned n = N;
    cushim_future failing, future, second;
    int fd;

    MOCK_ONLY("a context is lost");
    hold_stream(stream);
    assert_ok(cushim_op_submit_on(
        cushim_op_launch(fault, cushim_for_elements(n), CUSHIM_OP_IN(floats(1)), CUSHIM_VALUE(n)),
        stream, &failing));
    assert_ok(cushim_op_submit_on(floats(1), stream, &future));
    assert_ok(cushim_future_retain(future, &second));
    fd = cushim_future_fd(future);
    cushim_future_free(&future);
    sem_post(&gate);
    cr_assert(is_readable(fd, 10000));
    assert_refused(cushim_future_poll(second), 719, "failed on the device");
    cushim_future_free(&second);
    cushim_future_free(&failing);
    finish_failed();
}

/* A wait asks about a stream a few times, however many futures are on it. */
Test(future, each_stream_is_asked_once_for_all_its_futures, .init = begin)
{
    enum { FUTURES = 40, QUESTIONS = 32 };
    cushim_future futures[FUTURES];

    hold_stream(stream);
    assert_ok(cushim_stream_join(other, stream));
    for (int i = 0; i < FUTURES; i++)
        assert_ok(cushim_op_submit_on(floats(1), i % 2 ? stream : other, &futures[i]));
    forget_calls(&w);
    cr_assert(eq(int, cushim_future_wait_all(futures, FUTURES, 0), CUSHIM_PENDING));
    cr_assert(eq(u64, count(&w, "cuStreamQuery"), 2 * QUESTIONS));
    sem_post(&gate);
    assert_ok(cushim_future_wait_all(futures, FUTURES, CUSHIM_FOREVER));
    for (int i = 0; i < FUTURES; i++)
        cushim_future_free(&futures[i]);
    finish();
}

/* An answer of the driver is one for all futures that had ended before, and for no later one. */
Test(future, the_driver_is_asked_once_for_futures_that_have_ended, .init = begin)
{
    cushim_future futures[3];

    for (int i = 0; i < 2; i++)
        assert_ok(cushim_op_submit_on(floats(1), stream, &futures[i]));
    assert_ok(cushim_stream_synchronize(stream));
    forget_calls(&w);
    for (int i = 0; i < 2; i++)
        assert_ok(cushim_future_poll(futures[i]));
    cr_assert(eq(u64, count(&w, "cuStreamQuery"), 1));
    assert_ok(cushim_op_submit_on(floats(1), stream, &futures[2]));
    assert_ok(cushim_stream_synchronize(stream));
    inject(&w, "cuStreamQuery nth=1 result=719");
    assert_refused(cushim_future_poll(futures[2]), 719, "failed on the device");
    for (int i = 0; i < 3; i++)
        cushim_future_free(&futures[i]);
    finish();
}

Test(future, recorders_are_refused, .init = begin)
{
    cushim_stream recorder;
    cushim_future future;

    assert_ok(cushim_capture_begin(w.context, &recorder));
    assert_refused(cushim_op_submit_on(floats(1), recorder, &future), CUSHIM_ERROR_CAPTURING,
                   "submitting an operation");
    assert_refused(cushim_op_run(floats(1), recorder, NULL), CUSHIM_ERROR_CAPTURING,
                   "submitting an operation");
    cushim_stream_free(&recorder);
    finish();
}

Test(future, a_failed_submission_is_the_result, .init = begin)
{
    cushim_policy policy;
    cushim_future future;

    assert_ok(cushim_policy_single(stream, NULL, &policy));
    assert_ok(cushim_op_schedule(floats(1), policy, &future));
    inject(&w, "cuMemAllocAsync nth=1 result=2");
    assert_refused(cushim_future_submit(future), 2, "step 1 of 2, allocation");
    for (int i = 0; i < 2; i++) {
        assert_refused(cushim_future_poll(future), 2, "step 1 of 2, allocation");
        assert_refused(cushim_future_wait(future, CUSHIM_FOREVER), 2, "step 1 of 2, allocation");
    }
    cr_assert(is_readable(cushim_future_fd(future), 0));
    cushim_future_free(&future);
    cushim_policy_free(&policy);
    finish();
}
