/* SPDX-License-Identifier: MIT */
/* Streams of the program that record for a while. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

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
    assert_refused(cushim_context_synchronize(w.context), CUSHIM_ERROR_CAPTURING,
                   "1 of its streams records for a graph");
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

static char logged[300];

static void keep_log(enum cushim_log_level level, const char *message, void *user)
{
    (void) level, (void) user;
    snprintf(logged, sizeof(logged), "%s", message);
}

static void *free_elsewhere(void *user)
{
    cushim_stream_free(user);
    return NULL;
}

/* Frees a handle in another thread, and looks what is said about it. */
static void free_in_another_thread(cushim_stream *handle, const char *said)
{
    pthread_t thread;

    *logged = 0;
    cushim_log_set(CUSHIM_LOG_ERROR, keep_log, NULL);
    cr_assert(eq(int, pthread_create(&thread, NULL, free_elsewhere, handle), 0));
    pthread_join(thread, NULL);
    cushim_log_set(CUSHIM_LOG_NONE, NULL, NULL);
    if (*said)
        cr_expect(strstr(logged, said) != NULL, "'%s'", logged);
    else
        cr_expect(eq(str, logged, ""));
}

Test(recording_on, a_strict_recording_outlives_its_handle_in_another_thread, .init = begin)
{
    struct cushim_capture_params params = {.size = sizeof(params),
                                           .mode = CUSHIM_CAPTURE_MODE_THREAD_LOCAL};
    cushim_stream adopted = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;
    cushim_slice x = zeros();
    void *cu = NULL;

    assert_ok(cushim_stream_raw(stream, &cu));
    assert_ok(cushim_stream_adopt(w.context, cu, &adopted));
    assert_ok(cushim_capture_begin_on(adopted, &params));
    record_add(stream, x, 1);
    free_in_another_thread(&adopted, "the recording goes on: in this capture mode");
    record_add(stream, x, 1);
    assert_ok(cushim_capture_end(&stream, &graph));
    expect(x, 0);
    run(graph);
    expect(x, 2);
    cushim_graph_free(&graph);
    assert_ok(cushim_stream_adopt(w.context, cu, &adopted));
    assert_ok(cushim_capture_begin_on(adopted, NULL)); /* this mode lets any thread end it */
    free_in_another_thread(&adopted, "");
    record_add(stream, x, 1);
    expect(x, 3);
    cushim_slice_free(&x);
    finish();
}

Test(recording_on, a_stream_that_does_not_record_cannot_end, .init = begin)
{
    cushim_graph graph = CUSHIM_NONE;

    assert_refused(cushim_capture_end(&stream, &graph), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "not a stream of cushim_capture_begin() or cushim_capture_begin_on()");
    finish();
}

Test(recording_on, events_of_a_graph_have_times_when_it_is_launched, .init = begin)
{
    cushim_event start = CUSHIM_NONE, end = CUSHIM_NONE, plain = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;
    float milliseconds;

    assert_ok(cushim_event_new(w.context, CUSHIM_EVENT_TIMING, &start));
    assert_ok(cushim_event_new(w.context, CUSHIM_EVENT_TIMING, &end));
    assert_ok(cushim_event_new(w.context, CUSHIM_EVENT_TIMING, &plain));
    assert_ok(cushim_event_record(plain, stream));
    assert_ok(cushim_capture_begin_on(stream, NULL));
    assert_ok(cushim_event_record(start, stream));
    assert_ok(cushim_event_record(end, stream));
    assert_ok(cushim_capture_end(&stream, &graph));
    assert_ok(cushim_stream_synchronize(stream));
    assert_refused(cushim_event_elapsed(start, end, &milliseconds), 400,
                   "the events are recorded by graphs, and one of these was not launched");
    assert_refused(cushim_event_elapsed(start, plain, &milliseconds), 400,
                   "the start event is recorded by a graph, which was not launched");
    assert_refused(cushim_event_elapsed(plain, end, &milliseconds), 400,
                   "the end event is recorded by a graph, which was not launched");
    run(graph);
    assert_ok(cushim_stream_synchronize(stream));
    assert_ok(cushim_event_elapsed(start, end, &milliseconds));
    cushim_event_free(&start);
    cushim_event_free(&end);
    cushim_event_free(&plain);
    cushim_graph_free(&graph);
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
    assert_refused(cushim_capture_begin_on(legacy, NULL), 900,
                   "the legacy default stream cannot record");
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
