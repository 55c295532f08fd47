/* SPDX-License-Identifier: MIT */
/* Policies: which streams and pools operations get. */
#include "async.h"

#include <pthread.h>

SUITE(policy);

static int asked, released;
static cushim_stream answer;
static cushim_status failure;

static cushim_status next(void *user, cushim_stream *ret_stream)
{
    (void) user;
    asked++;
    if (!failure)
        *ret_stream = answer;
    return failure;
}

static void release(void *user)
{
    (void) user;
    released++;
}

Test(policy, round_robin_wraps, .init = begin)
{
    cushim_policy policy;
    cushim_stream streams[5];

    assert_ok(cushim_policy_round_robin(w.context, NULL, &policy));
    for (int i = 0; i < 5; i++)
        assert_ok(cushim_policy_next(policy, &streams[i]));
    cr_assert(ne(u64, streams[0].id, streams[1].id));
    cr_assert(ne(u64, streams[0].id, streams[3].id));
    cr_assert(eq(u64, streams[0].id, streams[4].id));
    cushim_policy_free(&policy);
    assert_refused(
        cushim_policy_round_robin(w.context, cushim_policy_params(.streams = 1025), &policy),
        CUSHIM_ERROR_INVALID_ARGUMENT, "1025");
    finish();
}

Test(policy, a_stream_is_chosen_when_scheduled, .init = begin)
{
    cushim_policy policy;
    cushim_future future;

    asked = released = 0;
    failure = CUSHIM_OK;
    answer = stream;
    assert_ok(cushim_policy_custom(next, NULL, release, NULL, &policy));
    assert_ok(cushim_op_schedule(floats(1), policy, &future));
    cr_assert(eq(int, asked, 1));
    assert_ok(cushim_future_submit(future));
    assert_ok(cushim_future_wait(future, CUSHIM_FOREVER));
    cr_assert(eq(int, asked, 1));
    cushim_future_free(&future);
    cushim_policy_free(&policy);
    cr_assert(eq(int, released, 1));
    finish();
}

Test(policy, a_function_that_fails_or_gives_no_stream, .init = begin)
{
    cushim_policy policy;
    cushim_future future;

    assert_ok(cushim_policy_custom(next, NULL, NULL, NULL, &policy));
    failure = CUSHIM_ERROR_LIMIT;
    assert_refused(cushim_op_submit(floats(1), policy, &future), CUSHIM_ERROR_LIMIT,
                   "policy's function failed");
    failure = CUSHIM_OK;
    answer = (cushim_stream) CUSHIM_NONE;
    assert_refused(cushim_op_submit(floats(1), policy, &future), CUSHIM_ERROR_STALE_HANDLE,
                   "the policy's function returned CUSHIM_OK without a stream");
    answer.id = w.context.id;
    assert_refused(cushim_op_submit(floats(1), policy, &future), CUSHIM_ERROR_WRONG_HANDLE,
                   "stream");
    cushim_policy_free(&policy);
    released = 0;
    assert_refused(cushim_policy_custom(NULL, NULL, release, NULL, &policy),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "next is NULL");
    cr_assert(eq(int, released, 1));
    finish();
}

Test(policy, a_stream_of_another_context_than_the_pool, .init = begin)
{
    cushim_context there;
    cushim_policy policy;
    cushim_future future;
    cushim_pool pool;

    open_other_context(&w, &there);
    assert_ok(cushim_pool_new(w.context, NULL, &pool));
    assert_ok(cushim_policy_custom(next, NULL, NULL, cushim_policy_params(.pool = pool), &policy));
    failure = CUSHIM_OK;
    assert_ok(cushim_stream_new(there, NULL, &answer));
    assert_refused(cushim_op_submit(floats(1), policy, &future), CUSHIM_ERROR_FOREIGN_CONTEXT,
                   "pool");
    cushim_policy_free(&policy);
    assert_refused(cushim_policy_single(answer, cushim_policy_params(.pool = pool), &policy),
                   CUSHIM_ERROR_FOREIGN_CONTEXT, "pool");
    cushim_stream_free(&answer);
    cushim_pool_free(&pool);
    cushim_context_free(&there);
    finish();
}

Test(policy, allocations_come_from_the_pool_chosen_at_scheduling, .init = begin)
{
    cushim_pool pool;
    cushim_policy policy;
    cushim_future future;
    uint64_t used = 0;

    assert_ok(cushim_pool_new(w.context, NULL, &pool));
    assert_ok(cushim_policy_single(stream, cushim_policy_params(.pool = pool), &policy));
    assert_ok(cushim_op_schedule(floats(1), policy, &future));
    cushim_policy_free(&policy);
    assert_ok(cushim_future_submit(future));
    assert_ok(cushim_pool_used(pool, &used, NULL));
    cr_assert(ge(u64, used, N * sizeof(float)));
    cr_assert(eq(u64, count(&w, "cuMemAllocFromPoolAsync"), 1));
    cr_assert(eq(u64, count(&w, "cuMemAllocAsync"), 0));
    assert_ok(cushim_future_wait(future, CUSHIM_FOREVER));
    cushim_future_free(&future);
    assert_ok(cushim_stream_synchronize(stream));
    assert_ok(cushim_pool_used(pool, &used, NULL));
    cr_assert(eq(u64, used, 0));
    cushim_pool_free(&pool);
    finish();
}

static void *see_default(void *user)
{
    cushim_policy policy;
    cushim_stream chosen = CUSHIM_NONE;

    (void) user;
    assert_ok(cushim_policy_default(&policy));
    assert_ok(cushim_policy_next(policy, &chosen));
    cushim_policy_free(&policy);
    return (void *) (uintptr_t) chosen.id;
}

Test(policy, defaults_of_the_process_and_of_a_thread, .init = begin)
{
    cushim_policy of_process, of_thread;
    cushim_stream one = CUSHIM_NONE;
    pthread_t thread;
    void *seen;

    assert_ok(cushim_policy_single(stream, NULL, &of_process));
    assert_ok(cushim_policy_single(other, NULL, &of_thread));
    assert_ok(cushim_policy_set_default(of_process));
    assert_ok(cushim_policy_set_thread_default(of_thread));
    seen = see_default(NULL);
    assert_ok(cushim_policy_next(of_thread, &one));
    cr_assert(eq(u64, (uint64_t) (uintptr_t) seen, one.id));
    cr_assert(eq(int, pthread_create(&thread, NULL, see_default, NULL), 0));
    pthread_join(thread, &seen);
    assert_ok(cushim_policy_next(of_process, &one));
    cr_assert(eq(u64, (uint64_t) (uintptr_t) seen, one.id));
    assert_ok(cushim_op_run(floats(1), (cushim_stream) CUSHIM_NONE, NULL));
    assert_ok(cushim_policy_set_thread_default((cushim_policy) CUSHIM_NONE));
    assert_ok(cushim_policy_set_default((cushim_policy) CUSHIM_NONE));
    cushim_policy_free(&of_process);
    cushim_policy_free(&of_thread);
    finish();
}

Test(policy, the_process_gets_one_at_first_use, .init = begin)
{
    cushim_future future;
    float host[N];

    MOCK_ONLY("the driver that is found is the mock");
    setenv("CUSHIM_LIBCUDA", MOCK, 1);
    assert_ok(cushim_op_submit(cushim_op_to_host(floats(1), host, N), (cushim_policy) CUSHIM_NONE,
                               &future));
    assert_ok(cushim_future_wait(future, CUSHIM_FOREVER));
    cr_assert(eq(flt, host[0], 1));
    cushim_future_free(&future);
    assert_ok(cushim_policy_set_default((cushim_policy) CUSHIM_NONE));
    finish();
}

Test(policy, without_a_driver_the_default_says_so, .init = begin)
{
    cushim_policy policy;

    setenv("CUSHIM_LIBCUDA", "/nowhere/libcuda.so.1", 1);
    assert_refused(cushim_policy_default(&policy), CUSHIM_ERROR_NO_DRIVER, "/nowhere");
    finish();
}
