/* SPDX-License-Identifier: MIT */
/*
 * In a child of a process that uses a driver, every call on an object of the parent answers
 * CUSHIM_ERROR_FORKED at once, and frees return: also when other threads of the parent held locks
 * at the fork. A child that only executes another program is not disturbed.
 */
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cushim/cushim.h>
#include <cushim/mock.h>

#include "plain.h"

#ifndef __has_feature
#define __has_feature(feature) 0
#endif

/*
 * The sanitizers' allocators may not survive a fork during another thread's allocation, so there
 * the sets of faults, which are large, are not made anew all the time.
 */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||                               \
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
enum { MANY_SETS = 0 };
#else
enum { MANY_SETS = 1 };
#endif

enum { THREADS = 4, FORKS = 60, PATIENCE_S = 20, N = 64 };

static const char ptx[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                          ".visible .entry f(.param .u64 a) { ret; }\n";

static cushim_driver driver;
static cushim_context context;
static cushim_stream stream;
static cushim_slice slice;
static cushim_pinned pinned;
static const uint32_t *host; /* of pinned */
static cushim_event event;
static cushim_arena arena;
static cushim_module module;
static cushim_function function;
static _Atomic uint64_t faults; /* the handle of a set */
static atomic_bool stop;

#define OK(call) CHECK_EQ(call, CUSHIM_OK)

/* A rule for all functions. There is room for some of them, and the lock is taken also without. */
static cushim_status add_fault(void)
{
    const cushim_faults set = {atomic_load(&faults)};
    const cushim_status status =
        cushim_faults_add(set, "*", cushim_fault(.nth = 1 << 30, .result = 2));

    CHECK_EQ(status == CUSHIM_OK || status == CUSHIM_ERROR_LIMIT, true);
    return status;
}

static void new_faults(void)
{
    cushim_faults set = CUSHIM_NONE, old;

    OK(cushim_faults_create(NULL, &set));
    old.id = atomic_exchange(&faults, set.id);
    cushim_faults_free(&old);
}

static void *keep_adding(void *user)
{
    while (!atomic_load(&stop))
        if (add_fault() && MANY_SETS)
            new_faults();
    return user;
}

static void record(void)
{
    cushim_stream recorder = CUSHIM_NONE;
    cushim_slice own = CUSHIM_NONE;

    OK(cushim_capture_begin_with(context, cushim_capture_params(.arena = arena), &recorder));
    OK(cushim_slice_zeros(recorder, 4, N, &own));
    cushim_slice_free(&own);
    cushim_stream_free(&recorder);
}

/* Holds the locks of all kinds as often as possible. */
static void *work(void *user)
{
    while (!atomic_load(&stop)) {
        cushim_slice own = CUSHIM_NONE;
        cushim_stream other = CUSHIM_NONE;

        OK(cushim_launch(stream, function, cushim_for_elements(N), CUSHIM_INOUT(slice)));
        OK(cushim_stream_new(context, NULL, &other));
        OK(cushim_slice_zeros(other, 4, N, &own));
        OK(cushim_slice_copy(other, own, slice));
        OK(cushim_stream_synchronize(other));
        cushim_slice_free(&own);
        cushim_stream_free(&other);
        record();
        cushim_mock_findings(NULL);
    }
    return user;
}

#define FORKED(call) CHECK_EQ(call, CUSHIM_ERROR_FORKED)

static void use_all(void)
{
    uint32_t values[N];
    cushim_stream made = CUSHIM_NONE;
    cushim_context current = CUSHIM_NONE;
    size_t used;
    int n = 0;

    FORKED(cushim_launch(stream, function, cushim_for_elements(N), CUSHIM_INOUT(slice)));
    FORKED(cushim_stream_synchronize(stream));
    FORKED(cushim_stream_new(context, NULL, &made));
    FORKED(cushim_slice_read(stream, slice, values, N));
    FORKED(cushim_slice_fill(stream, slice, 1u));
    FORKED(cushim_event_record(event, stream));
    FORKED(cushim_context_synchronize(context));
    FORKED(cushim_context_set_current(context));
    FORKED(cushim_context_current(driver, &current));
    FORKED(cushim_device_count(driver, &n));
    FORKED(cushim_memory_trim(context, 0));
    FORKED(cushim_arena_stats(arena, NULL, NULL, NULL, &used));
    CHECK_EQ(strstr(cushim_error_text(), "forked") != NULL, true);
    add_fault();
}

/* --- a driver that the parent has not used --- */

static int succeed(void)
{
    return 0;
}

static int give_number(int *ret_number)
{
    *ret_number = 13000;
    return 0;
}

static int give_pointer(void **ret_pointer)
{
    *ret_pointer = (void *) 0x1000;
    return 0;
}

static int fail(void)
{
    return 999;
}

/* The program has one stream there, so nothing waits for events. */
static void *resolve(const char *symbol, void *user)
{
    (void) user;
    if (!strcmp(symbol, "cuEventRecord") || !strcmp(symbol, "cuStreamWaitEvent") ||
        !strcmp(symbol, "cuEventSynchronize"))
        return (void *) (intptr_t) fail;
    if (!strcmp(symbol, "cuDriverGetVersion") || !strcmp(symbol, "cuDeviceGetAttribute") ||
        !strcmp(symbol, "cuDeviceGetCount"))
        return (void *) (intptr_t) give_number;
    if (!strcmp(symbol, "cuDevicePrimaryCtxRetain") || !strcmp(symbol, "cuCtxGetCurrent"))
        return (void *) (intptr_t) give_pointer;
    return (void *) (intptr_t) succeed;
}

static void use_another_driver(void)
{
    cushim_driver other = CUSHIM_NONE;
    cushim_context own = CUSHIM_NONE;
    cushim_stream on = CUSHIM_NONE;
    cushim_slice x = CUSHIM_NONE;
    int n = 0;

    OK(cushim_open(cushim_open_params(.resolver = resolve), &other));
    OK(cushim_device_count(other, &n));
    OK(cushim_context_primary(other, 0, &own));
    OK(cushim_context_synchronize(own));
    /* What was the parent's pinned memory is any memory of the host here. */
    OK(cushim_stream_new(own, NULL, &on));
    OK(cushim_slice_alloc(on, 4, N, &x));
    OK(cushim_slice_write_async(on, x, host, N));
    cushim_slice_free(&x);
    cushim_stream_free(&on);
    cushim_context_free(&own);
    cushim_close(&other);
    FORKED(cushim_context_synchronize(context));
}

static void free_all(void)
{
    cushim_slice_free(&slice);
    cushim_pinned_free(&pinned);
    cushim_event_free(&event);
    cushim_arena_free(&arena);
    cushim_module_free(&module);
    cushim_stream_free(&stream);
    cushim_context_free(&context);
    cushim_close(&driver);
    CHECK_EQ(arena.id | slice.id | pinned.id | event.id | module.id | stream.id | context.id |
                 driver.id,
             0);
}

static void child(int i)
{
    alarm(PATIENCE_S);
    if (i % 3 == 0)
        execl("/bin/true", "true", (char *) NULL);
    use_all();
    use_another_driver();
    if (i % 3 == 1)
        free_all();
    cushim_mock_findings(NULL);
    /* Not by exit: the objects of the parent's other threads are lost here, and are no leak. */
    raise(SIGKILL);
}

/* A child that hangs is ended by its alarm, and one that finds a mistake by exit(). */
static bool ended_well(int status)
{
    return status == 0 || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void prepare(void)
{
    new_faults();
    OK(cushim_open(cushim_open_params(.library = MOCK), &driver));
    OK(cushim_context_primary(driver, 0, &context));
    OK(cushim_stream_new(context, NULL, &stream));
    OK(cushim_slice_zeros(stream, 4, N, &slice));
    OK(cushim_pinned_alloc(context, 4, N, 0, &pinned));
    OK(cushim_pinned_read(pinned, (const void **) &host));
    OK(cushim_view_fill(stream, CUSHIM_VIEW(pinned), &(uint32_t){1}, 4));
    OK(cushim_event_new(context, 0, &event));
    OK(cushim_arena_new(context, NULL, &arena));
    OK(cushim_module_load_text(context, ptx, NULL, &module));
    OK(cushim_module_function(module, "f", &function));
}

/* --- a child whose thread ends with a context of the parent on its stack --- */

static bool is_child;
static unsigned calls_of_child;

static bool count(struct cushim_call *call, void *user)
{
    (void) call;
    (void) user;
    calls_of_child += is_child;
    return false;
}

static void tell_calls(void)
{
    if (is_child)
        _exit(calls_of_child != 0);
}

static void a_child_ends_its_thread(void)
{
    const struct cushim_hooks hooks = {.before = count};
    cushim_driver below = CUSHIM_NONE, counted = CUSHIM_NONE;
    cushim_context pushed = CUSHIM_NONE;
    int status = 0;
    pid_t forked;

    atexit(tell_calls);
    OK(cushim_open(cushim_open_params(.library = MOCK), &below));
    OK(cushim_interpose(below, &hooks, 1, &counted));
    OK(cushim_context_create(counted, 0, 0, &pushed));
    OK(cushim_context_push(pushed));
    cushim_context_free(&pushed);
    forked = fork();
    if (!forked) {
        is_child = true;
        alarm(PATIENCE_S);
        pthread_exit(NULL);
    }
    CHECK_EQ(waitpid(forked, &status, 0), forked);
    CHECK_EQ(status, 0);
    OK(cushim_context_pop(counted, NULL));
    cushim_close(&counted);
    cushim_close(&below);
}

/* In a child, the runtime of the thread sanitizer does not end the process with the last thread. */
#ifdef __SANITIZE_THREAD__
enum { LAST_THREAD_ENDS = false };
#else
enum { LAST_THREAD_ENDS = true };
#endif

int main(void)
{
    pthread_t threads[THREADS], adder;
    int status = 0;

    if (LAST_THREAD_ENDS)
        a_child_ends_its_thread();
    prepare();
    start_threads(threads, THREADS, work);
    start_threads(&adder, 1, keep_adding);
    for (int i = 0; i < FORKS; i++) {
        const pid_t forked = fork();

        if (!forked)
            child(i);
        CHECK_EQ(waitpid(forked, &status, 0), forked);
        CHECK_EQ(ended_well(status), true);
    }
    atomic_store(&stop, true);
    join_threads(threads, THREADS);
    join_threads(&adder, 1);
    free_all();
    cushim_faults_free(&(cushim_faults){faults});
    printf("%d children\n", FORKS);
    return 0;
}
