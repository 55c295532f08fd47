/* SPDX-License-Identifier: MIT */
/*
 * What happens in the middle of a call, when another thread uses the same objects. Hooks of the
 * driver stop the call at the right place.
 */
#include "overtaken.h"

static const char ptx[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                          ".visible .entry f(.param .u64 a) { ret; }\n";

static cushim_function function;

/* The event stands for a fill of x in stream a, which takes a while. */
static void fill_slowly(void)
{
    OK(cushim_stream_synchronize(a));
    OK(cushim_stream_host_function(a, be_slow, NULL, NULL));
    OK(cushim_slice_fill(a, x, 7u));
    OK(cushim_event_record(event, a));
}

static void expect_value(cushim_stream stream, uint32_t expected)
{
    uint32_t values[N];

    OK(cushim_slice_read(stream, x, values, N));
    CHECK_EQ(values[0], expected);
}

static void expect_filled(cushim_stream stream)
{
    expect_value(stream, 7);
}

/* --- an event is recorded elsewhere, and again where it was, while a thread asks for it --- */

static void while_asking(bool is_after)
{
    next_step(is_after ? 3 : 1);
    wait_for_step(is_after ? 4 : 2);
}

static void *ask(void *user)
{
    stop_at = "cuEventQuery";
    OK(cushim_event_query(event));
    return user;
}

static void a_report_is_about_one_recording(void)
{
    pthread_t thread;

    prepare();
    fill_slowly();
    at_stop = while_asking;
    start_threads(&thread, 1, ask);
    wait_for_step(1);
    OK(cushim_event_record(event, b));
    OK(cushim_stream_synchronize(b));
    next_step(2);
    wait_for_step(3);
    OK(cushim_event_record(event, a));
    next_step(4);
    join_threads(&thread, 1);
    expect_filled(c);
    finish();
}

/* --- a launch records an event while another thread waits for it --- */

static void *wait_for_event(void *user)
{
    wait_for_step(1);
    OK(cushim_stream_wait(c, event));
    next_step(2);
    return user;
}

/* The other thread cannot come in between; a slow machine only makes this test weaker. */
static void while_launching(bool is_after)
{
    if (!is_after)
        return;
    next_step(1);
    for (int i = 0; i < 100 && atomic_load(&step) < 2; i++)
        usleep(1000);
}

static void a_launch_records_in_one_step(void)
{
    struct cushim_launch_event recorded = {0};
    const struct cushim_launch_options *options =
        cushim_launch_options(.completion_event = &recorded);
    struct cushim_launch_config config = cushim_for_elements(N);
    cushim_module module = CUSHIM_NONE;
    pthread_t thread;

    prepare();
    recorded.event = event;
    config.options = options;
    OK(cushim_module_load_text(context, ptx, NULL, &module));
    OK(cushim_module_function(module, "f", &function));
    fill_slowly();
    at_stop = while_launching;
    start_threads(&thread, 1, wait_for_event);
    stop_at = "cuLaunchKernelEx";
    OK(cushim_launch(b, function, config, CUSHIM_INOUT(y)));
    stop_at = NULL;
    join_threads(&thread, 1);
    expect_filled(c);
    cushim_module_free(&module);
    finish();
}

/* --- the program takes over memory that another thread is about to use --- */

static cushim_slice about_to_be_read;

static void while_allocating(bool is_after)
{
    if (is_after)
        return;
    next_step(1);
    wait_for_step(2);
}

/* Where memory for the copy is allocated, the slice is pinned, and nothing is submitted yet. */
static void *read_late(void *user)
{
    uint32_t values[N];

    stop_at = "cuMemHostAlloc";
    CHECK_EQ(cushim_slice_read(b, about_to_be_read, values, N), CUSHIM_ERROR_STALE_HANDLE);
    CHECK_EQ(strstr(cushim_error_text(), "cushim_slice_leak()") != NULL, true);
    return user;
}

static void memory_that_is_taken_over_is_not_used(void)
{
    cushim_slice taken = CUSHIM_NONE;
    uint64_t address = 0;
    pthread_t thread;

    prepare();
    about_to_be_read = x;
    at_stop = while_allocating;
    start_threads(&thread, 1, read_late);
    wait_for_step(1);
    OK(cushim_slice_leak(a, &x, &address));
    next_step(2);
    join_threads(&thread, 1);
    OK(cushim_slice_adopt(a, address, 4, N, CUSHIM_ADOPTED_ASYNC, &taken));
    OK(cushim_slice_fill(a, taken, 8u));
    cushim_slice_free(&taken);
    finish();
}

/* --- a context is asked for while another thread destroys it --- */

static cushim_context destroyed;

static void while_destroying(bool is_after)
{
    if (is_after)
        return;
    next_step(1);
    usleep(200000);
}

static void *destroy_slowly(void *user)
{
    stop_at = "cuCtxDestroy_v2";
    cushim_context_free(&destroyed);
    return user;
}

/* The thread has it as its current one, which keeps no context. */
static void a_context_that_ends_is_not_found(void)
{
    cushim_context found = CUSHIM_NONE;
    pthread_t thread;

    prepare();
    OK(cushim_context_create(driver, 0, 0, &destroyed));
    OK(cushim_context_set_current(destroyed));
    at_stop = while_destroying;
    start_threads(&thread, 1, destroy_slowly);
    wait_for_step(1);
    CHECK_EQ(cushim_context_current(driver, &found) != 0, true);
    CHECK_EQ(found.id, 0);
    join_threads(&thread, 1);
    finish();
}

/* --- a context is made where the program has destroyed one that is in use --- */

static void a_new_context_is_not_an_old_one(void)
{
    cushim_context adopted = CUSHIM_NONE, made = CUSHIM_NONE;
    void *raw = NULL;

    prepare();
    OK(cushim_context_create(driver, 0, 0, &made));
    OK(cushim_context_raw(made, &raw));
    OK(cushim_context_adopt(driver, raw, false, &adopted));
    cushim_context_free(&made);
    address_of_next = raw;
    CHECK_EQ(cushim_context_create(driver, 0, 0, &made) != 0, true);
    CHECK_EQ(strstr(cushim_error_text(), "at its address") != NULL, true);
    cushim_context_free(&adopted);
    finish();
}

/* --- a stream that another handle has owned --- */

static void a_destroyed_stream_is_refused(void)
{
    cushim_stream adopted = CUSHIM_NONE, forked = CUSHIM_NONE;
    void *raw = NULL;

    prepare();
    OK(cushim_stream_raw(a, &raw));
    OK(cushim_stream_adopt(context, raw, &adopted));
    cushim_stream_free(&a);
    CHECK_EQ(cushim_stream_join(b, adopted), CUSHIM_ERROR_STALE_HANDLE);
    CHECK_EQ(cushim_stream_join(adopted, b), CUSHIM_ERROR_STALE_HANDLE);
    CHECK_EQ(cushim_stream_fork(adopted, &forked), CUSHIM_ERROR_STALE_HANDLE);
    CHECK_EQ(cushim_stream_wait(adopted, event), CUSHIM_ERROR_STALE_HANDLE);
    CHECK_EQ(cushim_stream_synchronize(adopted), CUSHIM_ERROR_STALE_HANDLE);
    cushim_stream_free(&adopted);
    finish();
}

/* --- a stream is destroyed while a thread waits for memory that is attached to it --- */

static void *free_first_stream(void *user)
{
    wait_for_step(1);
    cushim_stream_free(&a);
    next_step(2);
    return user;
}

static void while_reading(bool is_after)
{
    if (is_after)
        return;
    next_step(1);
    wait_for_step(2);
}

static void memory_is_read_whose_stream_is_destroyed(void)
{
    cushim_unified unified = CUSHIM_NONE;
    const void *pointer = NULL;
    pthread_t thread;

    prepare_with("device.*.concurrent_managed_access = 0");
    OK(cushim_unified_alloc(context, 4, N, CUSHIM_ATTACH_HOST, &unified));
    OK(cushim_unified_attach(a, unified, CUSHIM_ATTACH_SINGLE));
    OK(cushim_slice_fill(a, unified, 7u));
    OK(cushim_stream_synchronize(a));
    OK(cushim_stream_host_function(a, be_slow, NULL, NULL));
    at_stop = while_reading;
    start_threads(&thread, 1, free_first_stream);
    stop_at = "cuEventSynchronize";
    OK(cushim_unified_read(unified, &pointer));
    stop_at = NULL;
    join_threads(&thread, 1);
    CHECK_EQ(pointer ? *(const uint32_t *) pointer : 0, 7);
    cushim_unified_free(&unified);
    finish();
}

/* --- a recording begins while a thread waits for the context --- */

static cushim_stream recorder;

static void *wait_for_context(void *user)
{
    stop_at = "cuCtxSynchronize";
    OK(cushim_context_synchronize(context));
    return user;
}

static void a_recording_is_not_ruined(void)
{
    cushim_graph graph = CUSHIM_NONE;
    pthread_t thread;

    prepare();
    at_stop = while_reading;
    start_threads(&thread, 1, wait_for_context);
    wait_for_step(1);
    CHECK_EQ(cushim_capture_begin(context, &recorder), CUSHIM_ERROR_BUSY);
    next_step(2);
    join_threads(&thread, 1);
    OK(cushim_capture_begin(context, &recorder));
    OK(cushim_slice_fill(recorder, x, 7u));
    CHECK_EQ(cushim_context_synchronize(context), CUSHIM_ERROR_CAPTURING);
    OK(cushim_capture_end(&recorder, &graph));
    OK(cushim_context_synchronize(context));
    OK(cushim_graph_launch(graph, a));
    expect_filled(b);
    cushim_graph_free(&graph);
    finish();
}

/* --- a stream begins to record while a thread that uses it waits for another stream --- */

static void while_filling(bool is_after)
{
    if (is_after)
        return;
    next_step(1);
    wait_for_step(3);
}

/* Has the lock of stream a for a while. */
static void *fill_in_a(void *user)
{
    stop_at = "cuMemsetD32Async";
    OK(cushim_slice_fill(a, x, 7u));
    return user;
}

/* Needs the event of what stream a does, so it waits for that lock, without the one of stream b. */
static void *fill_in_b(void *user)
{
    wait_for_step(1);
    next_step(2);
    OK(cushim_slice_fill(b, x, 8u));
    return user;
}

/* The pause lets the second thread come to its wait; a slow machine only makes this test weaker. */
static void work_is_recorded_that_had_to_wait(void)
{
    cushim_graph graph = CUSHIM_NONE;
    pthread_t threads[2];

    prepare();
    at_stop = while_filling;
    start_threads(&threads[0], 1, fill_in_a);
    start_threads(&threads[1], 1, fill_in_b);
    wait_for_step(2);
    usleep(50000);
    OK(cushim_capture_begin_on(b, NULL));
    next_step(3);
    join_threads(threads, 2);
    OK(cushim_capture_end(&b, &graph));
    expect_value(c, 7);
    OK(cushim_graph_launch(graph, b));
    expect_value(c, 8);
    cushim_graph_free(&graph);
    finish();
}

/* --- a stream begins to record while a thread is about to let it wait --- */

/* With the lock of the stream, which does not record yet. */
static void *begin_slowly(void *user)
{
    stop_at = "cuStreamBeginCapture_v2";
    OK(cushim_capture_begin_on(b, NULL));
    return user;
}

static void *let_b_wait(void *user)
{
    wait_for_step(1);
    next_step(2);
    OK(cushim_stream_wait(b, event));
    return user;
}

static void *join_b(void *user)
{
    wait_for_step(1);
    next_step(2);
    CHECK_EQ(cushim_stream_join(c, b), CUSHIM_ERROR_CAPTURING);
    return user;
}

static void *join_to_b(void *user)
{
    wait_for_step(1);
    next_step(2);
    CHECK_EQ(cushim_stream_join(b, c), CUSHIM_ERROR_CAPTURING);
    return user;
}

static void a_wait_does_not_ruin_a_recording(void *(*other)(void *user))
{
    cushim_graph graph = CUSHIM_NONE;
    pthread_t threads[2];

    prepare();
    OK(cushim_slice_fill(b, y, 7u));
    fill_slowly();
    at_stop = while_filling;
    start_threads(&threads[0], 1, begin_slowly);
    start_threads(&threads[1], 1, other);
    wait_for_step(2);
    usleep(50000);
    next_step(3);
    join_threads(threads, 2);
    OK(cushim_slice_fill(b, x, 8u));
    OK(cushim_capture_end(&b, &graph));
    expect_filled(c);
    OK(cushim_graph_launch(graph, b));
    expect_value(c, 8);
    cushim_graph_free(&graph);
    finish();
}

int main(void)
{
    alarm(6 * PATIENCE_S);
    /* The first one, because the mock is configured only once in a process. */
    memory_is_read_whose_stream_is_destroyed();
    a_report_is_about_one_recording();
    a_launch_records_in_one_step();
    memory_that_is_taken_over_is_not_used();
    a_context_that_ends_is_not_found();
    a_new_context_is_not_an_old_one();
    a_destroyed_stream_is_refused();
    a_recording_is_not_ruined();
    work_is_recorded_that_had_to_wait();
    a_wait_does_not_ruin_a_recording(let_b_wait);
    a_wait_does_not_ruin_a_recording(join_b);
    a_wait_does_not_ruin_a_recording(join_to_b);
    printf("right\n");
    return 0;
}
