/* SPDX-License-Identifier: MIT */
/* Operations that run one after the other: what they ask of the driver, and what they give. */
#include "async.h"

#include <stdio.h>

SUITE(op);

static int released, called;

static void release(void *data)
{
    (void) data;
    released++;
}

Test(op, describing_asks_nothing_of_the_driver, .init = begin)
{
    float host[N];
    cushim_op op = cushim_op_to_host(cushim_op_output(add_one(floats(1)), 0), host, N);

    cr_assert(eq(u64, count(&w, NULL), 0));
    assert_ok(cushim_op_run(op, stream, NULL));
    cr_assert(eq(flt, host[N - 1], 2));
    finish();
}

Test(op, a_value_is_no_work, .init = begin)
{
    cushim_future future = CUSHIM_NONE;
    cushim_output *output;
    int forty_two = 42;

    released = 0;
    assert_ok(cushim_op_run(cushim_op_value(&forty_two, release), stream, &future));
    assert_ok(cushim_future_output(future, &output));
    cr_assert(eq(ptr, cushim_output_data(output), &forty_two));
    cr_assert(eq(u64, count(&w, "cuLaunchKernel"), 0));
    cr_assert(eq(u64, count(&w, "cuMemAllocAsync"), 0));
    cr_assert(eq(int, released, 0));
    cushim_future_free(&future);
    cr_assert(eq(int, released, 1));
    finish();
}

static cushim_op then_add(const struct cushim_exec *exec, cushim_output *output, void *user)
{
    cushim_slice x;

    called++;
    cr_assert(exec->stream.id == ((const cushim_stream *) user)->id);
    assert_ok(cushim_output_take_slice(output, &x));
    return add_one(cushim_op_take(&x));
}

Test(op, a_chain_runs_in_order_on_one_stream, .init = begin)
{
    cushim_op op = cushim_op_then(add_one(floats(0)), then_add, &stream);

    called = 0;
    expect_floats(op, 2);
    cr_assert(eq(int, called, 1));
    cr_assert(eq(u64, count(&w, "cuLaunchKernel"), 2));
    cr_assert(eq(u64, count(&w, "cuStreamSynchronize"), 1));
    cr_assert(eq(u64, count(&w, "cuEventRecord"), 0));
    cr_assert(eq(u64, count(&w, "cuStreamWaitEvent"), 0));
    finish();
}

Test(op, a_failed_step_is_named_and_the_next_do_not_run, .init = begin)
{
    cushim_op op = cushim_op_then(add_one(floats(0)), then_add, &stream);

    called = 0;
    inject(&w, "cuLaunchKernel nth=1 result=719");
    assert_refused(cushim_op_run(op, stream, NULL), 719, "step 3 of 4, launch of add");
    assert_text("step 4 did not run");
    assert_text("async.h:");
    cr_assert(eq(int, called, 0));
    finish();
}

static cushim_op count_pending(const struct cushim_exec *exec, cushim_output *output, void *user)
{
    (void) output;
    called++;
    *(cushim_status *) user = cushim_stream_query(exec->stream);
    return cushim_op_value(NULL, NULL);
}

Test(op, a_callback_runs_during_the_submission, .init = begin)
{
    cushim_status status = -1;
    cushim_future future;

    called = 0;
    assert_ok(
        cushim_op_submit_on(cushim_op_then(floats(1), count_pending, &status), stream, &future));
    cr_assert(eq(int, called, 1));
    cr_assert(status == CUSHIM_OK || status == CUSHIM_PENDING);
    assert_ok(cushim_future_wait(future, CUSHIM_FOREVER));
    cushim_future_free(&future);
    finish();
}

static cushim_status twice(cushim_output *output, void *user, void **ret_data)
{
    int *result = user;

    *result = 2 * *(int *) cushim_output_data(output);
    *ret_data = result;
    return CUSHIM_OK;
}

static void see(const cushim_output *output, void *user)
{
    called++;
    cr_assert(eq(ptr, cushim_output_data(output), user));
}

Test(op, map_and_inspect, .init = begin)
{
    int value = 21, result = 0;
    cushim_op op = cushim_op_map(cushim_op_value(&value, release), twice, &result, NULL);
    cushim_future future;

    called = released = 0;
    forget_calls(&w);
    assert_ok(cushim_op_run(cushim_op_inspect(op, see, &result), stream, &future));
    cr_assert(eq(int, result, 42));
    cr_assert(eq(int, called, 1));
    cr_assert(eq(int, released, 1));
    cr_assert(eq(u64, count(&w, "cuLaunchKernel") + count(&w, "cuMemAllocAsync"), 0));
    cushim_future_free(&future);
    finish();
}

static cushim_status refuse(cushim_output *output, void *user, void **ret_data)
{
    (void) output, (void) user, (void) ret_data;
    return 1234;
}

Test(op, a_map_that_fails, .init = begin)
{
    released = 0;
    assert_refused(cushim_op_run(cushim_op_map(cushim_op_value(NULL, release), refuse, NULL, NULL),
                                 stream, NULL),
                   1234, "map (test_op.c:");
    cr_assert(eq(int, released, 1));
    finish();
}

static cushim_op make(const struct cushim_exec *exec, void *user)
{
    called++;
    cr_assert(exec->stream.id == ((const cushim_stream *) user)->id);
    cr_assert(eq(int, exec->recording, false));
    cr_assert(ge(sz, exec->size, sizeof(*exec)));
    return floats(7);
}

Test(op, a_callback_gets_the_context, .init = begin)
{
    called = 0;
    expect_floats(cushim_op_call(make, &stream), 7);
    cr_assert(eq(int, called, 1));
    finish();
}

static cushim_op fail(const struct cushim_exec *exec, void *user)
{
    (void) exec, (void) user;
    return cushim_op_failed(CUSHIM_ERROR_LIMIT, "no more for today");
}

static cushim_op give_nothing(const struct cushim_exec *exec, void *user)
{
    (void) exec, (void) user;
    return (cushim_op) CUSHIM_NONE;
}

Test(op, callbacks_that_fail, .init = begin)
{
    assert_refused(cushim_op_run(cushim_op_call(fail, NULL), stream, NULL), CUSHIM_ERROR_LIMIT,
                   "no more for today");
    assert_refused(cushim_op_run(cushim_op_call(give_nothing, NULL), stream, NULL),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "returned no operation");
    assert_refused(cushim_op_run(cushim_op_call(NULL, NULL), stream, NULL),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "function is NULL");
    finish();
}

static void count_call(void *user)
{
    ++*(int *) user;
}

Test(op, host_functions_and_held_data, .init = begin)
{
    int calls = 0;
    cushim_op op = cushim_op_host_function(floats(1), count_call, &calls);

    released = 0;
    assert_ok(cushim_op_run(cushim_op_hold(op, &calls, release), stream, NULL));
    cr_assert(eq(int, calls, 1));
    cr_assert(eq(int, released, 1));
    finish();
}

Test(op, what_never_runs_is_freed_without_a_driver_call, .init = begin)
{
    cushim_op op = cushim_op_hold(cushim_op_value(NULL, release), NULL, release);
    cushim_op chain = cushim_op_value(NULL, release);

    released = 0;
    cushim_op_free(&op);
    cr_assert(eq(int, released, 2));
    /* As deep as this, a recursion would not fit into the stack. */
    for (int i = 0; i < 200000; i++)
        chain = cushim_op_inspect(chain, see, NULL);
    cushim_op_free(&chain);
    cr_assert(eq(int, released, 3));
    cr_assert(eq(u64, count(&w, NULL), 0));
    finish();
}

Test(op, an_operation_is_used_once, .init = begin)
{
    cushim_op x = floats(1), used = x;

    expect_floats(x, 1);
    assert_refused(cushim_op_run(used, stream, NULL), CUSHIM_ERROR_STALE_HANDLE, "operation");
    assert_refused(cushim_op_run(cushim_op_fill(used, 1.0f), stream, NULL),
                   CUSHIM_ERROR_STALE_HANDLE, "operation");
    finish();
}

Test(op, a_second_handle_needs_a_share, .init = begin)
{
    cushim_op x = floats(1), second;

    assert_ok(cushim_op_retain(x, &second));
    assert_refused(cushim_op_run(x, stream, NULL), CUSHIM_ERROR_BUSY, "cushim_op_share()");
    expect_floats(second, 1);
    finish();
}

Test(op, memory_of_the_program, .init = begin)
{
    cushim_slice x, taken;
    float host[N];

    assert_ok(cushim_slice_zeros(stream, CUSHIM_ELEMENT(float), N, &x));
    expect_floats(cushim_op_output(add_one(cushim_op_borrow(x)), 0), 1);
    expect_floats(cushim_op_copy_of(x), 1);
    expect_floats(cushim_op_copy(floats(0), cushim_op_borrow(x)), 1);
    expect_floats(cushim_op_output(cushim_op_clone(cushim_op_borrow(x)), 1), 1);
    taken = x;
    expect_floats(cushim_op_output(add_one(cushim_op_take(&taken)), 0), 2);
    cr_assert(eq(u64, taken.id, 0));
    assert_status(cushim_slice_read(stream, x, host, N), CUSHIM_ERROR_STALE_HANDLE);
    finish();
}

Test(op, memory_is_kept_from_its_description_on, .init = begin)
{
    const unsigned n = N;
    const float one = 1;
    cushim_slice x;
    cushim_op op;

    assert_ok(cushim_slice_zeros(stream, CUSHIM_ELEMENT(float), N, &x));
    op = cushim_op_launch(add, cushim_for_elements(n), CUSHIM_INOUT(x), CUSHIM_VALUE(one),
                          CUSHIM_VALUE(n));
    cushim_slice_free(&x);
    expect_floats(cushim_op_output(op, 0), 1);
    finish();
}

Test(op, to_and_from_the_host, .init = begin)
{
    enum {
        MANY = 5 << 20
    }; /* 20 MiB: more than is copied without a wait, and many blocks before */
    int *from = malloc(MANY * sizeof(*from)), *to = calloc(MANY, sizeof(*to));

    for (int i = 0; i < MANY; i++)
        from[i] = i;
    assert_ok(
        cushim_op_run(cushim_op_to_host(cushim_op_from(from, 3 << 20), to, 3 << 20), stream, NULL));
    cr_assert(eq(int, memcmp(from, to, (3 << 20) * sizeof(*to)), 0));
    assert_ok(cushim_op_run(cushim_op_to_host(cushim_op_from(from, MANY), to, MANY), stream, NULL));
    cr_assert(eq(int, memcmp(from, to, MANY * sizeof(*to)), 0));
    assert_ok(cushim_op_run(cushim_op_to_host(cushim_op_from(from, 0), to, 0), stream, NULL));
    free(from);
    free(to);
    finish();
}

Test(op, wrong_elements_are_refused, .init = begin)
{
    double eights[N];
    float fours[N + 1];

    assert_refused(cushim_op_run(cushim_op_to_host(floats(1), eights, N), stream, NULL),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "copy to the host");
    assert_refused(cushim_op_run(cushim_op_to_host(floats(1), fours, N + 1), stream, NULL),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "1001 elements here, 1000 in the memory");
    assert_refused(cushim_op_run(cushim_op_fill(floats(1), 1), stream, NULL),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "fill");
    assert_refused(cushim_op_run(cushim_op_fill(cushim_op_value(NULL, NULL), 1), stream, NULL),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "data of the host");
    finish();
}

Test(op, out_of_memory_is_a_status, .init = begin)
{
    inject(&w, "cuMemAllocAsync nth=1 result=2");
    assert_refused(cushim_op_run(floats(1), stream, NULL), 2, "step 1 of 2, allocation");
    expect_floats(floats(1), 1);
    finish();
}

Test(op, labels_name_steps, .init = begin)
{
    cushim_op op = cushim_op_alloc(4, 10);

    assert_ok(cushim_label(op, "weights"));
    inject(&w, "cuMemAllocAsync nth=1 result=2");
    assert_refused(cushim_op_run(op, stream, NULL), 2, "allocation 'weights' (test_op.c:");
    finish();
}

/* Ten steps: an allocation, a fill, and eight launches. */
static cushim_op ten_steps(void)
{
    cushim_op op = floats(0);

    for (int i = 0; i < 8; i++)
        op = add_one(op);
    return op;
}

Test(op, each_of_ten_steps_fails_in_turn, .init = begin)
{
    for (int step = 1; step <= 10; step++) {
        char rule[64], named[32];

        snprintf(named, sizeof(named), "step %d of 10, ", step);
        snprintf(rule, sizeof(rule), "%s nth=%d result=2",
                 step == 1   ? "cuMemAllocAsync"
                 : step == 2 ? "cuMemsetD32Async"
                             : "cuLaunchKernel",
                 step > 2 ? step - 2 : 1);
        forget_calls(&w);
        inject(&w, rule);
        assert_refused(cushim_op_run(ten_steps(), stream, NULL), 2, named);
        cr_assert(eq(u64, count(&w, "cuLaunchKernel"), (uint64_t) (step > 2 ? step - 2 : 0)));
        cr_assert(eq(u64, count(&w, "cuMemFreeAsync"), (uint64_t) (step > 1)));
        expect_floats(ten_steps(), 8);
    }
    finish();
}

static cushim_op pass_on(const struct cushim_exec *exec, cushim_output *output, void *user)
{
    (void) exec, (void) user;
    return cushim_op_from_output(output);
}

static cushim_op pass_on_twice(const struct cushim_exec *exec, cushim_output *output, void *user)
{
    (void) exec, (void) user;
    return cushim_op_zip(cushim_op_from_output(output), cushim_op_from_output(output));
}

Test(op, a_callback_goes_on_with_what_it_got, .init = begin)
{
    cushim_slice x;

    assert_ok(cushim_slice_zeros(stream, CUSHIM_ELEMENT(float), N, &x));
    expect_floats(cushim_op_then(floats(3), pass_on, NULL), 3);
    expect_floats(cushim_op_then(cushim_op_borrow(x), pass_on, NULL), 0);
    expect_floats(
        cushim_op_first(cushim_op_then(cushim_op_zip(floats(4), floats(5)), pass_on, NULL)), 4);
    expect_floats(cushim_op_then(cushim_op_share(floats(6)), pass_on, NULL), 6);
    assert_refused(cushim_op_run(cushim_op_then(floats(3), pass_on_twice, NULL), stream, NULL),
                   CUSHIM_ERROR_STALE_HANDLE, "taken before");
    cushim_slice_free(&x);
    finish();
}

Test(op, many_small_copies_share_page_locked_memory, .init = begin)
{
    enum { MANY = 200 };
    static int hosts[MANY][8];
    cushim_future futures[MANY];

    for (int i = 0; i < MANY; i++) {
        hosts[i][7] = i;
        assert_ok(cushim_op_submit_on(cushim_op_to_host(cushim_op_from(hosts[i], 8), hosts[i], 8),
                                      stream, &futures[i]));
    }
    assert_ok(cushim_future_wait_all(futures, MANY, CUSHIM_FOREVER));
    cr_assert(le(u64, count(&w, "cuMemHostAlloc"), 2));
    for (int i = 0; i < MANY; i++) {
        cr_assert(eq(int, hosts[i][7], i));
        cushim_future_free(&futures[i]);
    }
    finish();
}

static cushim_status first_stream(void *user, cushim_stream *ret_stream)
{
    *ret_stream = *(cushim_stream *) user;
    return CUSHIM_OK;
}

Test(op, success_leaves_the_last_error, .init = begin)
{
    int value = 1, result;
    cushim_policy policy;
    cushim_future future;
    void *raw;

    assert_ok(cushim_policy_custom(first_stream, &stream, NULL, NULL, &policy));
    assert_status(cushim_stream_raw((cushim_stream) CUSHIM_NONE, &raw), CUSHIM_ERROR_STALE_HANDLE);
    assert_ok(cushim_op_submit(
        cushim_op_zip(cushim_op_map(cushim_op_value(&value, NULL), twice, &result, NULL),
                      cushim_op_then(floats(1), pass_on, NULL), cushim_op_call(make, &stream)),
        policy, &future));
    assert_ok(cushim_future_wait(future, CUSHIM_FOREVER));
    assert_text("cushim_stream_raw");
    cushim_future_free(&future);
    cushim_policy_free(&policy);
    finish();
}
