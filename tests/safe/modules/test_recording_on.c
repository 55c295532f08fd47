/* SPDX-License-Identifier: MIT */
/* Streams of the program that record for a while. */
#include <pthread.h>

#include "recording.h"

SUITE(recording_on);

Test(recording_on, a_stream_of_the_program_records_for_a_while, .init = begin)
{
    cushim_stream other = CUSHIM_NONE, again = CUSHIM_NONE;
    cushim_slice x = zeros(), y = zeros(), gone = zeros();
    cushim_graph graph = CUSHIM_NONE;

    assert_ok(cushim_stream_new(w.context, NULL, &other));
    assert_ok(cushim_slice_fill(stream, x, 5.0f));
    assert_ok(cushim_capture_begin_on(stream, NULL));
    assert_refused(cushim_capture_begin_on(stream, NULL), CUSHIM_ERROR_CAPTURING, "already");
    assert_ok(cushim_slice_copy(other, y, x)); /* waits for the fill, not for what is recorded */
    record_add(stream, x, 1);
    record_add(stream, gone, 1);
    cushim_slice_free(&gone);
    assert_refused(cushim_stream_synchronize(stream), CUSHIM_ERROR_CAPTURING, "records");
    assert_ok(cushim_stream_synchronize(other));
    again = stream;
    assert_ok(cushim_capture_end(&stream, &graph));
    cr_assert(eq(u64, stream.id, again.id)); /* the caller's, as before */
    assert_size(graph, 2, 0);
    expect(x, 5);
    run(graph);
    expect(x, 6);
    expect(y, 5);
    cushim_graph_free(&graph);
    cushim_stream_free(&other);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    finish();
}

Test(recording_on, a_recording_that_is_given_up_leaves_the_stream, .init = begin)
{
    cushim_stream adopted = CUSHIM_NONE;
    cushim_slice x = zeros();
    void *cu = NULL;

    assert_ok(cushim_stream_raw(stream, &cu));
    assert_ok(cushim_stream_adopt(w.context, cu, &adopted));
    assert_ok(cushim_capture_begin_on(adopted, NULL));
    record_add(stream, x, 1); /* the same CUstream, so it is recorded */
    cushim_stream_free(&adopted);
    expect(x, 0);
    record_add(stream, x, 1);
    expect(x, 1);
    cushim_slice_free(&x);
    finish();
}

Test(recording_on, in_order_everything_is_a_chain, .init = begin)
{
    cushim_slice x = zeros(), y = zeros();
    cushim_stream forked = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;

    assert_ok(cushim_capture_begin_on(
        stream, cushim_capture_params(.order = CUSHIM_CAPTURE_ORDER_AS_RECORDED)));
    assert_ok(cushim_stream_fork(stream, &forked));
    for (int i = 0; i < 3; i++) {
        record_add(stream, x, 1);
        record_add(forked, y, 1);
    }
    cushim_stream_free(&forked);
    assert_ok(cushim_capture_end(&stream, &graph));
    assert_size(graph, 6, 5);
    run(graph);
    expect(y, 3);
    cushim_graph_free(&graph);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    finish();
}

Test(recording_on, a_new_recorder_has_parameters_too, .init = begin)
{
    struct cushim_capture_params params = {.size = sizeof(params),
                                           .mode = (enum cushim_capture_mode) 3};
    cushim_slice x = zeros(), y = zeros();
    cushim_stream recorder = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;

    assert_refused(cushim_capture_begin_with(w.context, &params, &recorder),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "cushim_capture_begin_with: .mode is 3");
    params.mode = CUSHIM_CAPTURE_MODE_RELAXED;
    params.order = (enum cushim_capture_order) 3;
    assert_refused(cushim_capture_begin_with(w.context, &params, &recorder),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "cushim_capture_begin_with: .order is 3");
    for (int as_recorded = 0; as_recorded < 2; as_recorded++) {
        params.mode = CUSHIM_CAPTURE_MODE_THREAD_LOCAL;
        params.order = (enum cushim_capture_order) as_recorded;
        assert_ok(cushim_capture_begin_with(w.context, &params, &recorder));
        record_add(recorder, x, 1);
        record_add(recorder, y, 1);
        assert_ok(cushim_capture_end(&recorder, &graph));
        assert_size(graph, 2, (size_t) as_recorded);
        run(graph);
        cushim_graph_free(&graph);
    }
    expect(x, 2);
    expect(y, 2);
    assert_ok(cushim_capture_begin_with(w.context, NULL, &recorder));
    cushim_stream_free(&recorder);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    finish();
}

static void *end_elsewhere(void *user)
{
    cushim_graph graph = CUSHIM_NONE;

    assert_refused(cushim_capture_end(user, &graph), CUSHIM_ERROR_WRONG_THREAD,
                   "the thread that began the recording ends it");
    return NULL;
}

static void end_in_another_thread(cushim_stream *recorder)
{
    const uint64_t before = recorder->id;
    pthread_t thread;

    cr_assert(eq(int, pthread_create(&thread, NULL, end_elsewhere, recorder), 0));
    pthread_join(thread, NULL);
    cr_assert(eq(u64, recorder->id, before));
}

Test(recording_on, a_strict_recording_is_ended_by_its_thread, .init = begin)
{
    struct cushim_capture_params params = {.size = sizeof(params),
                                           .mode = CUSHIM_CAPTURE_MODE_THREAD_LOCAL};
    cushim_stream recorder = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;
    cushim_slice x = zeros();

    assert_ok(cushim_capture_begin_on(stream, &params));
    record_add(stream, x, 1);
    end_in_another_thread(&stream);
    record_add(stream, x, 1);
    assert_ok(cushim_capture_end(&stream, &graph));
    run(graph);
    expect(x, 2);
    cushim_graph_free(&graph);
    assert_ok(cushim_capture_begin_with(w.context, &params, &recorder));
    record_add(recorder, x, 1);
    end_in_another_thread(&recorder);
    record_add(recorder, x, 1);
    assert_ok(cushim_capture_end(&recorder, &graph));
    run(graph);
    expect(x, 4);
    cushim_graph_free(&graph);
    cushim_slice_free(&x);
    finish();
}

Test(recording_on, capture_modes, .init = begin)
{
    struct cushim_capture_params params = {.size = sizeof(params),
                                           .mode = (enum cushim_capture_mode) 3};
    cushim_stream legacy = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;
    cushim_slice x = zeros();

    assert_refused(cushim_capture_begin_on(stream, &params), CUSHIM_ERROR_INVALID_ARGUMENT,
                   ".mode is 3");
    assert_ok(cushim_stream_default(w.context, &legacy));
    assert_status(cushim_capture_begin_on(legacy, NULL), 900);
    expect(x, 0);
    for (int mode = 0; mode < 3; mode++) {
        params.mode = (enum cushim_capture_mode) mode;
        assert_ok(cushim_capture_begin_on(stream, &params));
        record_add(stream, x, 1);
        assert_ok(cushim_capture_end(&stream, &graph));
        run(graph);
        cushim_graph_free(&graph);
        expect(x, (float) mode + 1);
    }
    cushim_slice_free(&x);
    finish();
}
