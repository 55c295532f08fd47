/* SPDX-License-Identifier: MIT */
/* What the log says of operations, policies and futures that were never freed. */
#include <stdio.h>
#include <string.h>

#include "async.h"

static char logged[4000];

static void keep_log(enum cushim_log_level level, const char *message, void *user)
{
    (void) user;
    if (level == CUSHIM_LOG_WARNING)
        snprintf(logged + strlen(logged), sizeof(logged) - strlen(logged), "%s\n", message);
}

/* Frees all of the world but what a test has left, and returns what the log says of that. */
static const char *close_drivers(void)
{
    cushim_module_free(&module);
    cushim_stream_free(&stream);
    cushim_stream_free(&other);
    cushim_context_free(&w.context);
    logged[0] = '\0';
    cushim_log_set(CUSHIM_LOG_WARNING, keep_log, NULL);
    cushim_close(&w.driver);
    cushim_close(&w.below);
    cushim_log_set(CUSHIM_LOG_NONE, NULL, NULL);
    return logged;
}

/* The log has this noun with this line, and so many lines in all. */
static void expect_left(const char *noun, int line, unsigned lines)
{
    char words[100];
    unsigned n = 0;

    snprintf(words, sizeof(words), "not freed before its driver was closed: %s, made by %s:%d\n",
             noun, "test_leaks.c", line);
    assert_contains(logged, words);
    for (const char *l = logged; (l = strchr(l, '\n')); l++)
        n++;
    cr_assert(eq(uint, n, lines), "%s", logged);
}

/* What is in an operation is not listed: the memory, the slice and the stream. */
Test(op_leaks, operations, .init = begin)
{
    cushim_op ops[4];
    cushim_slice x, y;
    int line;

    assert_ok(cushim_slice_zeros(stream, CUSHIM_ELEMENT(float), N, &x));
    assert_ok(cushim_slice_zeros(stream, CUSHIM_ELEMENT(float), N, &y));
    line = __LINE__;
    ops[0] = cushim_op_fill(cushim_op_alloc(CUSHIM_ELEMENT(float), N), 1.0f);
    ops[1] = cushim_op_on(cushim_op_borrow(x), other);
    ops[2] = cushim_op_clone(cushim_op_take(&y));
    ops[3] = cushim_op_launch(add, cushim_for_elements(N), CUSHIM_INOUT(x), CUSHIM_VALUE(1.0f),
                              CUSHIM_VALUE(N));
    cushim_slice_free(&x);
    close_drivers();
    for (int i = 0; i < 3; i++)
        expect_left("operation", line + 1 + i, 4);
    assert_contains(logged, "operation, made by test_leaks.c:");
    for (int i = 0; i < 4; i++)
        cushim_op_free(&ops[i]);
    finish();
}

Test(op_leaks, policies, .init = begin)
{
    cushim_policy round, single, named;
    int line = __LINE__;

    assert_ok(cushim_policy_round_robin(w.context, NULL, &round));
    assert_ok(cushim_policy_single(stream, NULL, &single));
    assert_ok(cushim_policy_single(stream, cushim_policy_params(.label = "mine"), &named));
    close_drivers();
    expect_left("policy", line + 2, 3);
    expect_left("policy", line + 3, 3);
    expect_left("policy 'mine'", line + 4, 3);
    cushim_policy_free(&round);
    cushim_policy_free(&single);
    cushim_policy_free(&named);
    finish();
}

Test(op_leaks, futures, .init = begin)
{
    cushim_policy policy;
    cushim_future submitted, scheduled;
    cushim_slice x;
    int line;

    assert_ok(cushim_policy_round_robin(w.context, NULL, &policy));
    line = __LINE__;
    assert_ok(cushim_op_submit(floats(1), policy, &submitted));
    assert_ok(cushim_op_schedule(floats(1), policy, &scheduled));
    assert_ok(cushim_future_wait(submitted, CUSHIM_FOREVER));
    assert_ok(cushim_future_take_slice(submitted, &x));
    cushim_policy_free(&policy);
    close_drivers();
    expect_left("future", line + 1, 3);
    expect_left("future", line + 2, 3);
    /* What was taken out of it is the program's. */
    expect_left("slice", line + 4, 3);
    cushim_future_free(&submitted);
    cushim_future_free(&scheduled);
    cushim_slice_free(&x);
    finish();
}

static cushim_status take(cushim_output *output, void *user, void **ret_data)
{
    *ret_data = NULL;
    return cushim_output_take_slice(output, user);
}

Test(op_leaks, slices_that_callbacks_take, .init = begin)
{
    const int line = __LINE__ - 5;
    cushim_slice x;

    assert_ok(cushim_op_run(cushim_op_map(floats(1), take, &x, NULL), stream, NULL));
    close_drivers();
    expect_left("slice", line, 1);
    cushim_slice_free(&x);
    finish();
}

/* The default policy keeps the driver, and neither hides what is left nor seems to be left. */
Test(op_leaks, the_default_policy_hides_nothing, .init = begin)
{
    cushim_driver driver;
    cushim_context context;
    cushim_policy policy;
    cushim_stream left;
    int line;

    MOCK_ONLY("the driver that is found is the mock");
    run_alone();
    setenv("CUSHIM_LIBCUDA", MOCK, 1);
    assert_ok(cushim_policy_default(&policy));
    cushim_policy_free(&policy);
    assert_ok(cushim_open(NULL, &driver));
    assert_ok(cushim_context_primary(driver, 0, &context));
    line = __LINE__ + 1;
    assert_ok(cushim_stream_new(context, NULL, &left));
    cushim_context_free(&context);
    cushim_close(&driver);
    close_drivers();
    expect_left("stream", line, 1);
    cushim_stream_free(&left);
    assert_ok(cushim_policy_set_default((cushim_policy) CUSHIM_NONE));
    finish();
}
