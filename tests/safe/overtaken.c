/* SPDX-License-Identifier: MIT */
/*
 * What happens in the middle of a call: another thread uses the same objects, a host function or a
 * hook frees and closes, the process forks. Hooks of the driver stop the call at the right place.
 */
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cushim/cushim.h>
#include <cushim/mock.h>

#include "plain.h"

enum { N = 64, PATIENCE_S = 20 };

static const char ptx[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                          ".visible .entry f(.param .u64 a) { ret; }\n";

#define OK(call) CHECK_EQ(call, CUSHIM_OK)

static cushim_driver below, driver;
static cushim_context context;
static cushim_stream a, b, c;
static cushim_event event;
static cushim_slice x, y;
static cushim_function function;

/* The calls of this thread stop at the function `stop_at`: before it, and after it. */
static _Thread_local const char *stop_at;
static void (*at_stop)(bool is_after);

static bool before(struct cushim_call *call, void *user)
{
    (void) user;
    if (stop_at && !strcmp(call->name, stop_at))
        at_stop(false);
    return false;
}

static void after(struct cushim_call *call, void *user)
{
    (void) user;
    if (stop_at && !strcmp(call->name, stop_at))
        at_stop(true);
}

/* The steps of two threads, which come one after the other. */
static atomic_int step;

static void wait_for_step(int wanted)
{
    while (atomic_load(&step) < wanted)
        usleep(100);
}

static void next_step(int made)
{
    atomic_store(&step, made);
}

static void prepare_with(const char *settings)
{
    const struct cushim_hooks hooks = {.before = before, .after = after};

    next_step(0);
    if (settings)
        OK(cushim_mock_configure(cushim_mock_config(.settings = settings)));
    OK(cushim_open(cushim_open_params(.library = MOCK), &below));
    OK(cushim_interpose(below, &hooks, 1, &driver));
    OK(cushim_context_create(driver, 0, 0, &context));
    OK(cushim_stream_new(context, NULL, &a));
    OK(cushim_stream_new(context, NULL, &b));
    OK(cushim_stream_new(context, NULL, &c));
    OK(cushim_event_new(context, 0, &event));
    OK(cushim_slice_zeros(a, 4, N, &x));
    OK(cushim_slice_zeros(b, 4, N, &y));
}

static void prepare(void)
{
    prepare_with(NULL);
}

static void free_all(void)
{
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    cushim_event_free(&event);
    cushim_stream_free(&a);
    cushim_stream_free(&b);
    cushim_stream_free(&c);
    cushim_context_free(&context);
}

static void finish(void)
{
    free_all();
    cushim_close(&driver);
    cushim_close(&below);
    cushim_mock_leaks();
    CHECK_EQ(cushim_mock_findings(NULL), 0);
}

static void be_slow(void *user)
{
    (void) user;
    usleep(200000);
}

/* The event stands for a fill of x in stream a, which takes a while. */
static void fill_slowly(void)
{
    OK(cushim_stream_synchronize(a));
    OK(cushim_stream_host_function(a, be_slow, NULL, NULL));
    OK(cushim_slice_fill(a, x, 7u));
    OK(cushim_event_record(event, a));
}

static void expect_filled(cushim_stream stream)
{
    uint32_t values[N];

    OK(cushim_slice_read(stream, x, values, N));
    CHECK_EQ(values[0], 7);
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
    void *raw = NULL, *same = NULL;

    prepare();
    OK(cushim_context_create(driver, 0, 0, &made));
    OK(cushim_context_raw(made, &raw));
    same = raw;
    OK(cushim_context_adopt(below, raw, false, &adopted));
    cushim_context_free(&made);
    while (!cushim_context_create(below, 0, 0, &made)) {
        OK(cushim_context_raw(made, &raw));
        CHECK_EQ(raw != same, true);
        cushim_context_free(&made);
        if (raw == same)
            break;
    }
    CHECK_EQ(strstr(cushim_error_text(), "at its address") != NULL, true);
    cushim_context_free(&adopted);
    finish();
}

/* --- what a hook and a host function free and close --- */

static cushim_stream freed_in_hook;

static void free_stream(bool is_after)
{
    if (!is_after)
        cushim_stream_free(&freed_in_hook);
}

static void a_hook_frees_a_stream(void)
{
    prepare();
    OK(cushim_stream_new(context, NULL, &freed_in_hook));
    at_stop = free_stream;
    stop_at = "cuEventRecord"; /* the context lock is held */
    OK(cushim_event_record(event, a));
    stop_at = NULL;
    CHECK_EQ(freed_in_hook.id, 0);
    finish();
}

static cushim_driver closed_in_function;

static void free_and_close(void *user)
{
    (void) user;
    cushim_slice_free(&x);
    cushim_close(&closed_in_function);
}

/* What is deferred stays so: the driver must not be called there. */
static void a_host_function_closes_a_driver(void)
{
    prepare();
    OK(cushim_open(cushim_open_params(.library = MOCK), &closed_in_function));
    OK(cushim_stream_host_function(a, free_and_close, NULL, NULL));
    OK(cushim_stream_synchronize(a));
    OK(cushim_context_synchronize(context));
    OK(cushim_context_check(context));
    CHECK_EQ(closed_in_function.id != 0, true);
    cushim_close(&closed_in_function);
    finish();
}

/* --- a host function is refused, and its context goes meanwhile --- */

static atomic_int released;

static void release(void *user)
{
    (void) user;
    atomic_fetch_add(&released, 1);
}

/* Leaving the scope: the stream lock is free, and the stream still pinned. */
static void while_leaving(bool is_after)
{
    if (is_after)
        return;
    stop_at = NULL;
    next_step(1);
    wait_for_step(2);
}

static void *free_everything(void *user)
{
    wait_for_step(1);
    free_all();
    next_step(2);
    return user;
}

static bool refuse(struct cushim_call *call, void *user)
{
    (void) user;
    if (strcmp(call->name, "cuLaunchHostFunc"))
        return false;
    call->result = 2;
    at_stop = while_leaving;
    stop_at = "cuCtxSetCurrent";
    return true;
}

static void a_refused_host_function_is_dropped_once(void)
{
    const struct cushim_hooks hooks = {.before = refuse};
    cushim_driver refusing = CUSHIM_NONE;
    pthread_t thread;

    prepare();
    free_all();
    OK(cushim_interpose(driver, &hooks, 1, &refusing));
    OK(cushim_context_create(refusing, 0, 0, &context));
    OK(cushim_stream_new(context, NULL, &a));
    start_threads(&thread, 1, free_everything);
    CHECK_EQ(cushim_stream_host_function(a, be_slow, NULL, release), 2);
    stop_at = NULL;
    join_threads(&thread, 1);
    CHECK_EQ(atomic_load(&released), 1);
    cushim_close(&refusing);
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

/* --- a fork while another thread is inside of a call with hooks --- */

static void *wait_for_stream(void *user)
{
    OK(cushim_stream_synchronize(a));
    return user;
}

static void tell_and_be_slow(void *user)
{
    next_step(1);
    be_slow(user);
}

static void a_child_closes_what_the_parent_uses(void)
{
    pthread_t thread;
    int status = 0;
    pid_t child;

    prepare();
    OK(cushim_stream_host_function(a, tell_and_be_slow, NULL, NULL));
    start_threads(&thread, 1, wait_for_stream);
    wait_for_step(1);
    child = fork();
    if (!child) {
        alarm(PATIENCE_S);
        cushim_close(&driver);
        _exit(0);
    }
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(status, 0);
    join_threads(&thread, 1);
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
    a_hook_frees_a_stream();
    a_host_function_closes_a_driver();
    a_refused_host_function_is_dropped_once();
    a_destroyed_stream_is_refused();
    a_recording_is_not_ruined();
    a_child_closes_what_the_parent_uses();
    printf("right\n");
    return 0;
}
