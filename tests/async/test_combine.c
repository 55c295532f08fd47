/* SPDX-License-Identifier: MIT */
/* Operations that are joined, split and shared. */
#include "async.h"

#include <pthread.h>
#include <stdatomic.h>

SUITE(combine);

static atomic_int runs, released;

static void release(void *data)
{
    (void) data;
    released++;
}

/* An operation that counts how often it runs, and gives a number. */
static cushim_op make_number(const struct cushim_exec *exec, void *user)
{
    (void) exec;
    runs++;
    return cushim_op_value(user, release);
}

static cushim_op number(long n)
{
    return cushim_op_call(make_number, (void *) (intptr_t) n);
}

static long number_of(const cushim_output *output)
{
    return (long) (intptr_t) cushim_output_data(output);
}

static cushim_output *run(cushim_op op, cushim_future *ret_future)
{
    cushim_output *output = NULL;

    assert_ok(cushim_op_run(op, stream, ret_future));
    assert_ok(cushim_future_output(*ret_future, &output));
    return output;
}

static void expect_number(cushim_op op, long n)
{
    cushim_future future;

    cr_assert(eq(long, number_of(run(op, &future)), n));
    cushim_future_free(&future);
}

static cushim_status add_up(cushim_output *list, void *user, void **ret_data)
{
    long n = 0;

    (void) user;
    for (size_t i = 0; i < cushim_output_length(list); i++)
        n += number_of(cushim_output_item(list, i));
    *ret_data = (void *) (intptr_t) n;
    return CUSHIM_OK;
}

static cushim_op total(cushim_op list)
{
    return cushim_op_map(list, add_up, NULL, NULL);
}

Test(combine, zip_runs_in_order_on_one_stream, .init = begin)
{
    cushim_future future;
    cushim_output *list;

    list = run(cushim_op_zip(floats(1), floats(2), number(3)), &future);
    cr_assert(eq(sz, cushim_output_length(list), 3));
    cr_assert(eq(int, (int) cushim_output_kind(cushim_output_item(list, 1)), CUSHIM_OUTPUT_SLICE));
    cr_assert(eq(long, number_of(cushim_output_item(list, 2)), 3));
    cr_assert(eq(ptr, cushim_output_item(list, 3), NULL));
    cr_assert(eq(u64, count(&w, "cuStreamWaitEvent"), 0));
    cr_assert(eq(u64, count(&w, "cuStreamSynchronize"), 1));
    cushim_future_free(&future);
    finish();
}

Test(combine, zip_of_many_and_of_none, .init = begin)
{
    cushim_op ops[300];
    cushim_future future;

    for (int i = 0; i < 300; i++)
        ops[i] = number(i);
    runs = 0;
    expect_number(total(cushim_op_all(ops, 300)), 299 * 300 / 2);
    cr_assert(eq(int, runs, 300));
    cr_assert(eq(sz, cushim_output_length(run(cushim_op_all(NULL, 0), &future)), 0));
    cushim_future_free(&future);
    finish();
}

Test(combine, a_zip_that_fails_frees_what_it_has, .init = begin)
{
    runs = released = 0;
    inject(&w, "cuMemAllocAsync nth=1 result=2");
    assert_refused(cushim_op_run(cushim_op_zip(number(1), floats(1), number(2)), stream, NULL), 2,
                   "step 2 of 4, allocation");
    cr_assert(eq(int, runs, 1));
    cr_assert(eq(int, released, 1));
    finish();
}

Test(combine, unzip_runs_its_parent_once_in_either_order, .init = begin)
{
    for (int order = 0; order < 2; order++) {
        cushim_op parts[2];

        runs = released = 0;
        cushim_op_unzip(cushim_op_zip(number(1), number(2)), 2, parts);
        expect_number(parts[order], order + 1);
        cr_assert(eq(int, runs, 2));
        expect_number(parts[!order], !order + 1);
        cr_assert(eq(int, runs, 2));
        cr_assert(eq(int, released, 2));
    }
    finish();
}

Test(combine, unzip_with_a_part_that_is_dropped, .init = begin)
{
    cushim_op parts[3];

    runs = released = 0;
    cushim_op_unzip(cushim_op_zip(number(1), number(2), number(3)), 3, parts);
    cushim_op_free(&parts[0]);
    expect_number(parts[1], 2);
    cr_assert(eq(int, released, 1));
    cushim_op_free(&parts[2]);
    cr_assert(eq(int, released, 3));
    finish();
}

Test(combine, unzip_of_another_length, .init = begin)
{
    cushim_op parts[3];

    cushim_op_unzip(cushim_op_zip(number(1), number(2)), 3, parts);
    assert_refused(cushim_op_run(parts[0], stream, NULL), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "gives 2 outputs, and was split into 3");
    cushim_op_free(&parts[1]);
    cushim_op_free(&parts[2]);
    cushim_op_unzip(number(1), 1, parts);
    assert_refused(cushim_op_run(parts[0], stream, NULL), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "gives 0 outputs");
    finish();
}

Test(combine, a_failed_parent_fails_all_parts, .init = begin)
{
    cushim_op parts[2];

    inject(&w, "cuMemAllocAsync nth=1 result=2");
    cushim_op_unzip(cushim_op_zip(floats(1), floats(2)), 2, parts);
    assert_refused(cushim_op_run(parts[1], stream, NULL), 2, "allocation");
    assert_refused(cushim_op_run(parts[0], stream, NULL), 2, "allocation");
    finish();
}

Test(combine, a_diamond, .init = begin)
{
    cushim_op parts[2], again[2];

    runs = 0;
    cushim_op_unzip(cushim_op_zip(number(1), number(10)), 2, parts);
    cushim_op_unzip(cushim_op_zip(parts[1], parts[0]), 2, again);
    expect_number(total(cushim_op_zip(again[0], again[1], number(100))), 111);
    cr_assert(eq(int, runs, 3));
    finish();
}

Test(combine, a_share_runs_once_and_gives_the_same_object, .init = begin)
{
    cushim_op share = cushim_op_share(number(5)), second, third;
    cushim_future futures[2];
    cushim_output *a, *b;

    runs = released = 0;
    assert_ok(cushim_op_retain(share, &second));
    assert_ok(cushim_op_retain(share, &third));
    a = run(share, &futures[0]);
    b = run(second, &futures[1]);
    cr_assert(eq(ptr, a, b));
    cr_assert(eq(int, runs, 1));
    cushim_future_free(&futures[0]);
    cushim_future_free(&futures[1]);
    cr_assert(eq(int, released, 0));
    cushim_op_free(&third);
    cr_assert(eq(int, released, 1));
    finish();
}

Test(combine, a_share_keeps_its_error, .init = begin)
{
    cushim_op share = cushim_op_share(floats(1)), second;

    assert_ok(cushim_op_retain(share, &second));
    inject(&w, "cuMemAllocAsync nth=1 result=2");
    assert_refused(cushim_op_run(share, stream, NULL), 2, "allocation");
    assert_refused(cushim_op_run(second, stream, NULL), 2, "allocation");
    finish();
}

Test(combine, shared_memory_is_read_only, .init = begin)
{
    cushim_op share = cushim_op_share(floats(1)), use[4];
    cushim_future future;
    cushim_slice slice;
    const unsigned n = N;

    for (int i = 0; i < 4; i++)
        assert_ok(cushim_op_retain(share, &use[i]));
    expect_floats(use[0], 1);
    assert_refused(cushim_op_run(add_one(use[1]), stream, NULL), CUSHIM_ERROR_READ_ONLY,
                   "argument 0 (x)");
    assert_ok(cushim_op_run(use[2], stream, &future));
    assert_refused(cushim_future_take_slice(future, &slice), CUSHIM_ERROR_BUSY,
                   "cushim_op_unshare()");
    cushim_future_free(&future);
    expect_floats(cushim_op_output(cushim_op_launch(sum, cushim_for_elements(n),
                                                    CUSHIM_OP_OUT(floats(0)), CUSHIM_OP_IN(use[3]),
                                                    CUSHIM_OP_IN(share), CUSHIM_VALUE(n)),
                                   0),
                  2);
    finish();
}

Test(combine, unshare_with_one_owner_and_with_two, .init = begin)
{
    cushim_op share = cushim_op_share(floats(1)), second;

    expect_floats(cushim_op_output(add_one(cushim_op_unshare(share)), 0), 2);
    share = cushim_op_share(floats(1));
    assert_ok(cushim_op_retain(share, &second));
    assert_refused(cushim_op_run(cushim_op_unshare(share), stream, NULL), CUSHIM_ERROR_BUSY,
                   "several owners");
    expect_floats(cushim_op_output(add_one(cushim_op_unshare(second)), 0), 2);
    assert_refused(cushim_op_run(cushim_op_unshare(number(1)), stream, NULL),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "is not shared");
    finish();
}

Test(combine, a_share_on_two_streams_is_ordered, .init = begin)
{
    cushim_op share = cushim_op_share(floats(3)), second;
    cushim_future futures[2];
    float host[N] = {0};

    assert_ok(cushim_op_retain(share, &second));
    assert_ok(cushim_op_submit_on(share, stream, &futures[0]));
    assert_ok(cushim_op_submit_on(cushim_op_to_host(second, host, N), other, &futures[1]));
    assert_ok(cushim_future_wait_all(futures, 2, CUSHIM_FOREVER));
    cr_assert(eq(flt, host[N - 1], 3));
    cr_assert(ge(u64, count(&w, "cuStreamWaitEvent"), 1));
    cushim_future_free(&futures[0]);
    cushim_future_free(&futures[1]);
    finish();
}

static void *run_one(void *user)
{
    const cushim_op op = *(const cushim_op *) user;

    return (void *) (intptr_t) cushim_op_run(op, stream, NULL);
}

Test(combine, threads_that_race_for_a_share, .init = begin)
{
    enum { THREADS = 8 };
    cushim_op ops[THREADS] = {cushim_op_share(number(1))};
    pthread_t threads[THREADS];
    void *status;

    runs = 0;
    for (int i = 1; i < THREADS; i++)
        assert_ok(cushim_op_retain(ops[0], &ops[i]));
    for (int i = 0; i < THREADS; i++)
        cr_assert(eq(int, pthread_create(&threads[i], NULL, run_one, &ops[i]), 0));
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], &status);
        cr_assert(eq(ptr, status, NULL));
    }
    cr_assert(eq(int, runs, 1));
    finish();
}

Test(combine, first_last_and_one_in_between, .init = begin)
{
    cushim_op op;

    released = 0;
    expect_number(cushim_op_first(cushim_op_zip(number(1), number(2), number(3))), 1);
    expect_number(cushim_op_output(cushim_op_zip(number(1), number(2), number(3)), 1), 2);
    expect_number(cushim_op_last(cushim_op_zip(number(1), number(2), number(3))), 3);
    cr_assert(eq(int, released, 9));
    op = cushim_op_output(cushim_op_zip(number(1), number(2)), 2);
    assert_refused(cushim_op_run(op, stream, NULL), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "no output 2 in a list of 2");
    op = cushim_op_output(number(1), 0);
    assert_refused(cushim_op_run(op, stream, NULL), CUSHIM_ERROR_INVALID_ARGUMENT, "no list");
    op = cushim_op_last(cushim_op_all(NULL, 0));
    assert_refused(cushim_op_run(op, stream, NULL), CUSHIM_ERROR_INVALID_ARGUMENT, "list of 0");
    finish();
}

static cushim_op sum_of_both(const struct cushim_exec *exec, cushim_output *list, void *user)
{
    const unsigned n = N;
    cushim_slice a, b;

    (void) exec, (void) user;
    assert_ok(cushim_output_take_slice(cushim_output_item(list, 0), &a));
    assert_ok(cushim_output_take_slice(cushim_output_item(list, 1), &b));
    return cushim_op_output(cushim_op_launch(sum, cushim_for_elements(n),
                                             CUSHIM_OP_INOUT(cushim_op_take(&a)), CUSHIM_OP_SAME(0),
                                             CUSHIM_OP_IN(cushim_op_take(&b)), CUSHIM_VALUE(n)),
                            0);
}

Test(combine, branches_on_streams_of_their_own, .init = begin)
{
    cushim_policy policy;
    cushim_future future;
    float host[N] = {0};
    cushim_op both[2];

    assert_ok(cushim_policy_round_robin(
        w.context, cushim_policy_params(.streams = 2, .spread = true), &policy));
    both[0] = cushim_op_output(add_one(floats(1)), 0);
    both[1] = cushim_op_output(add_one(floats(2)), 0);
    assert_ok(
        cushim_op_submit(cushim_op_to_host(cushim_op_then_all(both, 2, sum_of_both, NULL), host, N),
                         policy, &future));
    assert_ok(cushim_future_wait(future, CUSHIM_FOREVER));
    cr_assert(eq(flt, host[0], 5));
    cr_assert(ge(u64, count(&w, "cuStreamWaitEvent"), 1));
    cr_assert(eq(u64, count(&w, "cuLaunchHostFunc"), 1));
    cushim_future_free(&future);
    cushim_policy_free(&policy);
    finish();
}

Test(combine, an_operation_on_a_certain_stream, .init = begin)
{
    int calls = 0;

    (void) calls;
    expect_floats(add_one(cushim_op_on(floats(4), other)), 5);
    cr_assert(ge(u64, count(&w, "cuStreamWaitEvent"), 1));
    assert_refused(
        cushim_op_run(cushim_op_on(floats(4), (cushim_stream) CUSHIM_NONE), stream, NULL),
        CUSHIM_ERROR_STALE_HANDLE, "stream");
    finish();
}

Test(combine, memory_of_another_device_is_copied, .init = begin)
{
    cushim_context there;
    cushim_stream far;

    open_other_context(&w, &there);
    assert_ok(cushim_stream_new(there, NULL, &far));
    expect_floats(add_one(cushim_op_on(floats(4), far)), 5);
    cr_assert(eq(u64, count(&w, "cuMemcpyPeerAsync"), 1));
    cushim_stream_free(&far);
    cushim_context_free(&there);
    finish();
}

Test(combine, an_output_that_is_no_memory, .init = begin)
{
    cushim_future future;
    cushim_output *list;
    cushim_view view;
    cushim_slice slice;
    void *data;

    list = run(cushim_op_zip(floats(1), floats(2), number(3)), &future);
    assert_refused(cushim_output_view(list, &view), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "2 pieces of memory");
    assert_refused(cushim_output_take_slice(cushim_output_item(list, 2), &slice),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "data of the host");
    assert_ok(cushim_output_take_slice(cushim_output_item(list, 0), &slice));
    cushim_slice_free(&slice);
    assert_refused(cushim_output_take_slice(cushim_output_item(list, 0), &slice),
                   CUSHIM_ERROR_STALE_HANDLE, "taken before");
    assert_ok(cushim_output_view(list, &view));
    assert_ok(cushim_output_take_data(cushim_output_item(list, 2), &data));
    assert_refused(cushim_output_take_data(cushim_output_item(list, 2), &data),
                   CUSHIM_ERROR_STALE_HANDLE, "taken before");
    cushim_future_free(&future);
    finish();
}
