/* SPDX-License-Identifier: MIT */
/* What the sentences about operations and futures say: the names that programs wrote, and the
 * lines. */
#include <stdio.h>

#include "async.h"

/* Makes words that end with a line of this file: "... (test_words.c:88)". */
#define WITH_LINE(words, before, line, after)                                                      \
    snprintf(words, sizeof(words), "%stest_words.c:%d%s", before, line, after)

#define RUN_REFUSED(op, wanted, part) assert_refused(cushim_op_run(op, stream, NULL), wanted, part)

/* --- the function that the program called --- */

Test(op_words, failed_steps_name_what_was_called, .init = begin)
{
    const struct {
        const char *fails, *words;
    } cases[] = {
        {"cuMemAllocAsync", ": cushim_op_zeros: cuMemAllocAsync answered"},
        {"cuMemsetD8Async", ": cushim_op_zeros: cuMemsetD8Async answered"},
    };

    for (size_t i = 0; i < 2; i++) {
        char rule[64];

        snprintf(rule, sizeof(rule), "%s nth=1 result=2", cases[i].fails);
        inject(&w, rule);
        RUN_REFUSED(cushim_op_zeros(CUSHIM_ELEMENT(float), N), 2, cases[i].words);
    }
    inject(&w, "cuMemAllocAsync nth=1 result=2");
    RUN_REFUSED(floats(1), 2, ": cushim_op_alloc: cuMemAllocAsync answered");
    inject(&w, "cuMemAllocAsync nth=2 result=2");
    RUN_REFUSED(cushim_op_clone(floats(1)), 2, ": cushim_op_clone: cuMemAllocAsync answered");
    RUN_REFUSED(cushim_op_alloc(0, 1), CUSHIM_ERROR_INVALID_ARGUMENT,
                ": cushim_op_alloc: an element of 0 bytes");
    cr_assert(eq(str, (char *) cushim_error_call(), (char *) "cushim_op_alloc"));
    RUN_REFUSED(cushim_op_fill(floats(1), 1), CUSHIM_ERROR_INVALID_ARGUMENT,
                ": cushim_op_fill: elements of 4 bytes (integer) here");
    RUN_REFUSED(cushim_op_copy(floats(1), cushim_op_alloc(4, 1)), CUSHIM_ERROR_INVALID_ARGUMENT,
                ": cushim_op_copy: from 4 bytes to 4000");
    finish();
}

Test(op_words, copies_of_the_host_name_what_was_called, .init = begin)
{
    float host[N] = {0};

    inject(&w, "cuMemcpyHtoDAsync_v2 nth=1 result=1");
    RUN_REFUSED(cushim_op_from(host, N), 1, ": cushim_op_from: cuMemcpyHtoDAsync_v2 answered");
    inject(&w, "cuMemcpyDtoHAsync_v2 nth=1 result=1");
    RUN_REFUSED(cushim_op_to_host(floats(1), host, N), 1,
                ": cushim_op_to_host: cuMemcpyDtoHAsync_v2 answered");
    RUN_REFUSED(cushim_op_from((float *) NULL, N), CUSHIM_ERROR_INVALID_ARGUMENT,
                ": cushim_op_from: host is NULL");
    RUN_REFUSED(cushim_op_to_host(floats(1), (float *) NULL, N), CUSHIM_ERROR_INVALID_ARGUMENT,
                ": cushim_op_to_host: host is NULL");
    RUN_REFUSED(cushim_op_copy_of((cushim_slice) CUSHIM_NONE), CUSHIM_ERROR_STALE_HANDLE,
                ": cushim_op_copy_of: the slice handle is zero");
    RUN_REFUSED(cushim_op_fill_elements(floats(1), NULL, 4), CUSHIM_ERROR_INVALID_ARGUMENT,
                ": cushim_op_fill: element is NULL");
    finish();
}

static cushim_op allocate_too_much(const struct cushim_exec *exec, void *user)
{
    cushim_slice x;

    (void) user;
    CUSHIM_IGNORE(cushim_slice_alloc(exec->stream, 0, 1, &x));
    return (cushim_op) CUSHIM_NONE;
}

/* What a callback of the program has called is the program's own. */
Test(op_words, failed_callbacks_name_what_they_called, .init = begin)
{
    RUN_REFUSED(cushim_op_call(allocate_too_much, NULL), CUSHIM_ERROR_INVALID_ARGUMENT,
                ": cushim_slice_alloc: an element of 0 bytes");
    finish();
}

Test(op_words, launches_and_graphs_name_what_was_called, .init = begin)
{
    cushim_graph graph;
    cushim_slice x;

    assert_ok(cushim_slice_zeros(stream, CUSHIM_ELEMENT(float), N, &x));
    RUN_REFUSED(cushim_op_launch((cushim_function) CUSHIM_NONE, cushim_for_elements(N)),
                CUSHIM_ERROR_STALE_HANDLE, ": cushim_op_launch: the function handle is zero");
    inject(&w, "cuStreamBeginCapture_v2 nth=1 result=1");
    assert_refused(cushim_op_record(cushim_op_all(NULL, 0), w.context, &graph), 1,
                   "cushim_op_record: cuStreamBeginCapture_v2 answered");
    assert_ok(cushim_op_record(cushim_op_fill(cushim_op_borrow(x), 1.0f), w.context, &graph));
    inject(&w, "cuGraphLaunch nth=1 result=1");
    RUN_REFUSED(cushim_op_graph(graph), 1, ": cushim_op_graph: cuGraphLaunch answered");
    cushim_graph_free(&graph);
    cushim_slice_free(&x);
    finish();
}

Test(op_words, futures_name_what_was_called, .init = begin)
{
    cushim_future future;
    cushim_slice x;

    assert_ok(cushim_op_submit_on(floats(1), stream, &future));
    assert_ok(cushim_future_take_slice(future, &x));
    assert_refused(cushim_future_take_slice(future, &x), CUSHIM_ERROR_STALE_HANDLE,
                   "cushim_future_take_slice: the output was taken before");
    cushim_future_free(&future);
    cushim_slice_free(&x);
    finish();
}

/* --- where an operation was used before --- */

/* An operation that was used is refused, with the line of its first use. */
static void expect_used(cushim_op used, int line)
{
    char words[120];

    WITH_LINE(words, "cushim_op_run: the operation was used or freed by ", line, "; it runs once: where several");
    RUN_REFUSED(used, CUSHIM_ERROR_STALE_HANDLE, words);
}

Test(op_words, the_line_of_the_first_use_is_told, .init = begin)
{
    cushim_op x = floats(1), y = floats(1), clone, parts[2], all, copy, shared;
    int line = __LINE__;

    clone = cushim_op_clone(x);
    expect_used(x, line + 2);
    all = cushim_op_zip(y, clone);
    expect_used(y, line + 4);
    expect_used(clone, line + 4);
    cushim_op_unzip(all, 2, parts);
    expect_used(all, line + 7);
    copy = parts[1];
    cushim_op_free(&parts[1]);
    expect_used(copy, line + 10);
    x = cushim_op_launch(add, cushim_for_elements(N), CUSHIM_OP_INOUT(parts[0]));
    expect_used(parts[0], line + 12);
    shared = cushim_op_share(x);
    expect_used(x, line + 14);
    y = cushim_op_unshare(shared);
    expect_used(shared, line + 16);
    cushim_op_free(&y);
    finish();
}

Test(op_words, the_line_of_the_submission_is_told, .init = begin)
{
    cushim_future future;
    cushim_graph graph;
    cushim_op x = floats(1);
    int line = __LINE__;

    assert_ok(cushim_op_run(x, stream, NULL));
    expect_used(x, line + 2);
    x = floats(1);
    assert_ok(cushim_op_submit_on(x, stream, &future));
    expect_used(x, line + 5);
    cushim_future_free(&future);
    x = cushim_op_all(NULL, 0);
    assert_ok(cushim_op_record(x, w.context, &graph));
    expect_used(x, line + 9);
    cushim_graph_free(&graph);
    finish();
}

/* Without macros there is the name of the function. */
Test(op_words, what_was_used_says_at_least_by_which_function, .init = begin)
{
    cushim_op x = floats(1), clone = (cushim_op_clone) (x);

    RUN_REFUSED(x, CUSHIM_ERROR_STALE_HANDLE, "used or freed by cushim_op_clone; it runs once");
    cushim_op_free(&clone);
    finish();
}

/* Closing others does not forget it, although they had the same place in memory. */
Test(op_words, the_line_is_told_later_too, .init = begin)
{
    cushim_op x = floats(1), clone = cushim_op_clone(x);
    const int line = __LINE__ - 1;

    for (int i = 0; i < 100; i++) {
        cushim_op unused = floats(1);

        cushim_op_free(&unused);
    }
    expect_used(x, line);
    cushim_op_free(&clone);
    finish();
}

/* --- steps that could not be described --- */

Test(op_words, what_could_not_be_described_has_its_line, .init = begin)
{
    cushim_op used = floats(1), first = used, parts[2];
    char words[120];
    int line;

    cushim_op_free(&used);
    line = __LINE__ + 2;
    WITH_LINE(words, "step 1 of 1 (", line, "): cushim_op_fill: the operation was used or freed");
    RUN_REFUSED(cushim_op_fill(first, 1.0f), CUSHIM_ERROR_STALE_HANDLE, words);
    /* An operation that is not valid is found before anything runs. */
    line = __LINE__ + 2;
    WITH_LINE(words, "step 1 of 1 (", line, "): cushim_op_all: the operation was used or freed");
    RUN_REFUSED(cushim_op_zip(floats(1), first, floats(2)), CUSHIM_ERROR_STALE_HANDLE, words);
    line = __LINE__ + 1;
    cushim_op_unzip(first, 2, parts);
    WITH_LINE(words, "step 1 of 1 (", line, "): cushim_op_unzip: the operation was used or freed");
    RUN_REFUSED(parts[0], CUSHIM_ERROR_STALE_HANDLE, words);
    RUN_REFUSED(parts[1], CUSHIM_ERROR_STALE_HANDLE, words);
    finish();
}

Test(op_words, parts_have_the_line_where_they_were_split, .init = begin)
{
    cushim_op parts[2];
    char words[120];

    cushim_op_unzip(cushim_op_zip(floats(1)), 2, parts);
    WITH_LINE(words, "part of output 1 (", __LINE__ - 1, "): the operation gives 1 output");
    RUN_REFUSED(parts[1], CUSHIM_ERROR_INVALID_ARGUMENT, words);
    cushim_op_free(&parts[0]);
    finish();
}
