/* SPDX-License-Identifier: MIT */
#include <cushim/trace.h>

#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/util.h"
#include "fake.h"
#include "support.h"

SUITE(trace);

/* A fake driver with a trace in front. */
struct traced {
    cushim_driver below, driver;
    cushim_trace trace;
    fake_table table;
};

static void open_traced(struct traced *t, const struct cushim_trace_params *params)
{
    struct cushim_hooks hooks;

    *t = (struct traced){.below = fake_open(0)};
    assert_ok(cushim_trace_create(params, &t->trace));
    hooks = cushim_trace_hooks(t->trace);
    assert_ok(cushim_interpose(t->below, &hooks, 1, &t->driver));
    t->table = fake_functions(t->driver);
}

static void close_traced(struct traced *t)
{
    cushim_trace_free(&t->trace);
    cushim_close(&t->driver);
    cushim_close(&t->below);
}

#define assert_count(trace, name, wanted)                                                          \
    do {                                                                                           \
        const char *name_ = (name);                                                                \
        uint64_t n_ = 12345;                                                                       \
        assert_ok(cushim_trace_count(trace, name_, &n_));                                          \
        cr_expect(eq(u64, n_, (wanted)), "calls of %s", name_ ? name_ : "all functions");          \
    } while (0)

static size_t n_logged(cushim_trace trace)
{
    size_t n = 12345;

    assert_ok(cushim_trace_calls(trace, 0, NULL, 0, &n));
    return n;
}

static void call_some(fake_table table)
{
    uint64_t pointer;

    fake_count(table);
    fake_count(table);
    fake_alloc(table, &pointer, 16);
    fake_alloc(table, &pointer, 0);
    fake_free(table, 16);
}

Test(trace, is_empty_at_first)
{
    cushim_trace trace = CUSHIM_NONE;

    assert_ok(cushim_trace_create(NULL, &trace));
    assert_count(trace, NULL, 0);
    assert_count(trace, "cuInit", 0);
    cr_expect(eq(sz, n_logged(trace), 0));
    cushim_trace_free(&trace);
    cr_expect(eq(u64, trace.id, 0));
}

Test(trace, counts)
{
    struct traced t;

    open_traced(&t, NULL);
    call_some(t.table);
    assert_count(t.trace, "cuDeviceGetCount", 2);
    assert_count(t.trace, "cuMemAlloc_v2", 2);
    assert_count(t.trace, "cuMemFree_v2", 1);
    assert_count(t.trace, "cuMemAlloc", 0);
    assert_count(t.trace, "nvrtcVersion", 0);
    assert_count(t.trace, NULL, 5);
    call_some(fake_functions(t.below));
    assert_count(t.trace, NULL, 5);
    close_traced(&t);
}

Test(trace, logs_calls_in_the_order_they_ended)
{
    static const struct {
        const char *name;
        unsigned row;
        int result;
    } wanted[] = {
        {"cuDeviceGetCount", CUSHIM_ROW_cuDeviceGetCount, 0},
        {"cuDeviceGetCount", CUSHIM_ROW_cuDeviceGetCount, 0},
        {"cuMemAlloc_v2", CUSHIM_ROW_cuMemAlloc_v2, 0},
        {"cuMemAlloc_v2", CUSHIM_ROW_cuMemAlloc_v2, 1},
        {"cuMemFree_v2", CUSHIM_ROW_cuMemFree_v2, 0},
    };
    struct cushim_traced_call calls[10];
    struct traced t;
    size_t n = 0;

    open_traced(&t, NULL);
    call_some(t.table);
    assert_ok(cushim_trace_calls(t.trace, 0, calls, 10, &n));
    cr_assert(eq(sz, n, ARRAY_SIZE(wanted)));
    for (size_t i = 0; i < n; i++) {
        cr_expect(eq(str, S(calls[i].name), S(wanted[i].name)), "call %zu", i);
        cr_expect(eq(int, calls[i].library, CUSHIM_LIBRARY_CUDA), "call %zu", i);
        cr_expect(eq(uint, calls[i].row, wanted[i].row), "call %zu", i);
        cr_expect(eq(int, calls[i].result, wanted[i].result), "call %zu", i);
        cr_expect(eq(u64, calls[i].thread, (uint64_t) syscall(SYS_gettid)), "call %zu", i);
        cr_expect(not(calls[i].answered), "call %zu", i);
        cr_expect(lt(u64, calls[i].start_ns, UINT64_C(60000000000)), "call %zu", i);
        cr_expect(i == 0 || calls[i].start_ns >= calls[i - 1].start_ns + calls[i - 1].duration_ns,
                  "call %zu starts at %llu, before the end of the one before", i,
                  (unsigned long long) calls[i].start_ns);
    }
    close_traced(&t);
}

Test(trace, is_read_in_parts)
{
    struct cushim_traced_call calls[3];
    struct traced t;
    size_t n = 0;

    open_traced(&t, NULL);
    call_some(t.table);
    calls[2].row = 4711;
    assert_ok(cushim_trace_calls(t.trace, 1, calls, 2, &n));
    cr_expect(eq(sz, n, 4));
    cr_expect(eq(str, S(calls[0].name), S("cuDeviceGetCount")));
    cr_expect(eq(str, S(calls[1].name), S("cuMemAlloc_v2")));
    cr_expect(eq(uint, calls[2].row, 4711));
    assert_ok(cushim_trace_calls(t.trace, 4, calls, 3, &n));
    cr_expect(eq(sz, n, 1));
    cr_expect(eq(str, S(calls[0].name), S("cuMemFree_v2")));
    assert_ok(cushim_trace_calls(t.trace, 5, calls, 3, &n));
    cr_expect(eq(sz, n, 0));
    assert_ok(cushim_trace_calls(t.trace, SIZE_MAX, calls, 3, &n));
    cr_expect(eq(sz, n, 0));
    close_traced(&t);
}

Test(trace, keeps_no_more_than_it_is_told)
{
    struct cushim_traced_call calls[4];
    struct traced t;
    size_t n = 0;

    open_traced(&t, cushim_trace_params(.max_calls = 3));
    call_some(t.table);
    assert_ok(cushim_trace_calls(t.trace, 0, calls, 4, &n));
    cr_expect(eq(sz, n, 3));
    cr_expect(eq(str, S(calls[2].name), S("cuMemAlloc_v2")));
    assert_count(t.trace, NULL, 5);
    close_traced(&t);
}

Test(trace, counts_only)
{
    struct traced t;

    open_traced(&t, cushim_trace_params(.count_only = true, .max_calls = 10));
    call_some(t.table);
    cr_expect(eq(sz, n_logged(t.trace), 0));
    assert_count(t.trace, NULL, 5);
    close_traced(&t);
}

/* More than one growth of the log. */
Test(trace, keeps_many_calls)
{
    enum { CALLS = 3000 };
    struct cushim_traced_call call;
    struct traced t;
    size_t n = 0;

    open_traced(&t, NULL);
    for (uint64_t i = 0; i < CALLS; i++)
        cr_assert(zero(int, i % 2 ? fake_free(t.table, i) : fake_synchronize(t.table)));
    for (size_t i = 0; i < CALLS; i++) {
        assert_ok(cushim_trace_calls(t.trace, i, &call, 1, &n));
        cr_assert(eq(sz, n, CALLS - i));
        cr_assert(eq(str, S(call.name), S(i % 2 ? "cuMemFree_v2" : "cuCtxSynchronize")));
    }
    close_traced(&t);
}

Test(trace, forgets)
{
    struct traced t;

    open_traced(&t, cushim_trace_params(.max_calls = 4));
    call_some(t.table);
    assert_ok(cushim_trace_reset(t.trace));
    assert_count(t.trace, NULL, 0);
    cr_expect(eq(sz, n_logged(t.trace), 0));
    fake_count(t.table);
    assert_count(t.trace, "cuDeviceGetCount", 1);
    cr_expect(eq(sz, n_logged(t.trace), 1));
    close_traced(&t);
}

static bool answer(struct cushim_call *call, void *user)
{
    (void) user;
    call->result = 2;
    return call->row == CUSHIM_ROW_cuMemAlloc_v2;
}

Test(trace, tells_what_a_hook_answered)
{
    struct cushim_traced_call calls[2];
    cushim_driver below = fake_open(0), driver = CUSHIM_NONE;
    cushim_trace trace = CUSHIM_NONE;
    struct cushim_hooks hooks[2] = {{0}, {.before = answer}};
    uint64_t pointer;
    size_t n = 0;

    assert_ok(cushim_trace_create(NULL, &trace));
    hooks[0] = cushim_trace_hooks(trace);
    assert_ok(cushim_interpose(below, hooks, 2, &driver));
    cr_expect(eq(int, fake_alloc(fake_functions(driver), &pointer, 4), 2));
    fake_count(fake_functions(driver));
    assert_ok(cushim_trace_calls(trace, 0, calls, 2, &n));
    cr_assert(eq(sz, n, 2));
    cr_expect(calls[0].answered);
    cr_expect(eq(int, calls[0].result, 2));
    cr_expect(eq(u64, calls[0].duration_ns, 0));
    cr_expect(not(calls[1].answered));
    cushim_close(&driver);
    cushim_close(&below);
    cushim_trace_free(&trace);
}

Test(trace, may_be_freed_before_the_table)
{
    cushim_trace copy;
    struct traced t;
    uint64_t n;

    open_traced(&t, NULL);
    call_some(t.table);
    copy = t.trace;
    cushim_trace_free(&t.trace);
    cushim_error_clear();
    call_some(t.table);
    /* The hooks found nothing to feed, and that is no error of the calls. */
    cr_expect(eq(int, cushim_error_status(), CUSHIM_OK));
    assert_status(cushim_trace_count(copy, NULL, &n), CUSHIM_ERROR_STALE_HANDLE);
    close_traced(&t);
}

Test(trace, several_tables_feed_one)
{
    cushim_driver drivers[2] = {fake_open(0), fake_open(1)}, wrapped[2];
    cushim_nvrtc below = fake_nvrtc_open(), nvrtc = CUSHIM_NONE;
    cushim_nvjitlink linker = fake_nvjitlink_open(), traced = CUSHIM_NONE;
    struct cushim_traced_call calls[4];
    cushim_trace trace = CUSHIM_NONE;
    struct cushim_hooks hooks;
    const cushim_entry *table;
    size_t n = 0;

    assert_ok(cushim_trace_create(NULL, &trace));
    hooks = cushim_trace_hooks(trace);
    for (int i = 0; i < 2; i++)
        assert_ok(cushim_interpose(drivers[i], &hooks, 1, &wrapped[i]));
    assert_ok(cushim_interpose_nvrtc(below, &hooks, 1, &nvrtc));
    assert_ok(cushim_interpose_nvjitlink(linker, &hooks, 1, &traced));
    table = cushim_nvrtc_functions(nvrtc, CUSHIM_NVRTC_ROWS);
    for (int i = 0; i < 2; i++)
        cr_expect(eq(int, fake_count(fake_functions(wrapped[i])), FAKE_COUNT(i)));
    ((int (*)(void *, int, void *)) table[CUSHIM_ROW_nvrtcCompileProgram])(NULL, 0, NULL);
    ((const char *(*) (int) ) table[CUSHIM_ROW_nvrtcGetErrorString])(6);
    table = cushim_nvjitlink_functions(traced, CUSHIM_NVJITLINK_ROWS);
    ((int (*)(void *)) table[CUSHIM_ROW_nvJitLinkComplete])(NULL);
    assert_count(trace, "cuDeviceGetCount", 2);
    assert_count(trace, "nvrtcCompileProgram", 1);
    assert_count(trace, "nvJitLinkComplete", 1);
    assert_count(trace, NULL, 5);
    assert_ok(cushim_trace_calls(trace, 2, calls, 3, &n));
    cr_assert(eq(sz, n, 3));
    cr_expect(eq(int, calls[0].library, CUSHIM_LIBRARY_NVRTC));
    cr_expect(eq(int, calls[0].result, 6));
    /* The address of a text is no result. */
    cr_expect(eq(str, S(calls[1].name), S("nvrtcGetErrorString")));
    cr_expect(eq(int, calls[1].result, 0));
    cr_expect(eq(int, calls[2].library, CUSHIM_LIBRARY_NVJITLINK));
    cr_expect(eq(int, calls[2].result, FAKE_LINK_RESULT));
    assert_ok(cushim_trace_reset(trace));
    assert_count(trace, "nvJitLinkComplete", 0);
    for (int i = 0; i < 2; i++) {
        cushim_close(&wrapped[i]);
        cushim_close(&drivers[i]);
    }
    cushim_nvrtc_close(&nvrtc);
    cushim_nvrtc_close(&below);
    cushim_nvjitlink_close(&traced);
    cushim_nvjitlink_close(&linker);
    cushim_trace_free(&trace);
}

static void *count_elsewhere(void *table)
{
    fake_count(table);
    return (void *) (uintptr_t) syscall(SYS_gettid);
}

Test(trace, tells_threads_apart)
{
    struct cushim_traced_call calls[2];
    pthread_t thread;
    struct traced t;
    void *id = NULL;
    size_t n = 0;

    open_traced(&t, NULL);
    fake_count(t.table);
    cr_assert(zero(int, pthread_create(&thread, NULL, count_elsewhere, (void *) t.table)));
    pthread_join(thread, &id);
    CUSHIM_IGNORE(cushim_trace_calls(t.trace, 0, calls, 2, &n));
    cr_assert(eq(sz, n, 2));
    cr_expect(eq(u64, calls[0].thread, (uint64_t) syscall(SYS_gettid)));
    cr_expect(eq(u64, calls[1].thread, (uintptr_t) id));
    close_traced(&t);
}

/* A thread keeps its number, but the thread that lives on in a child is another. */
Test(trace, tells_a_child_from_its_parent)
{
    struct cushim_traced_call calls[2];
    struct traced t;
    size_t n = 0;
    int status = 1;
    pid_t child;

    open_traced(&t, NULL);
    fake_count(t.table);
    child = fork();
    if (child == 0) {
        fake_count(t.table);
        assert_ok(cushim_trace_calls(t.trace, 0, calls, 2, &n));
        _exit(n != 2 || calls[0].thread != (uint64_t) getppid() ||
              calls[1].thread != (uint64_t) getpid());
    }
    cr_assert(eq(int, waitpid(child, &status, 0), child));
    cr_expect(eq(int, status, 0));
    close_traced(&t);
}

Test(trace, refuses_what_is_wrong)
{
    cushim_trace trace = CUSHIM_NONE, none = CUSHIM_NONE;
    cushim_driver driver = fake_open(0);
    struct cushim_traced_call call;
    uint64_t count = 5;
    size_t n = 6;

    assert_status(cushim_trace_create(NULL, NULL), CUSHIM_ERROR_INVALID_ARGUMENT);
    assert_ok(cushim_trace_create(NULL, &trace));
    assert_status(cushim_trace_count(trace, NULL, NULL), CUSHIM_ERROR_INVALID_ARGUMENT);
    assert_status(cushim_trace_count(trace, "cuNothing", &count), CUSHIM_ERROR_UNKNOWN_SYMBOL);
    assert_contains(cushim_error_text(), "cuNothing");
    assert_status(cushim_trace_count(none, NULL, &count), CUSHIM_ERROR_STALE_HANDLE);
    assert_status(cushim_trace_count((cushim_trace){driver.id}, NULL, &count),
                  CUSHIM_ERROR_WRONG_HANDLE);
    assert_status(cushim_trace_calls(trace, 0, NULL, 1, &n), CUSHIM_ERROR_INVALID_ARGUMENT);
    assert_status(cushim_trace_calls(trace, 0, &call, 1, NULL), CUSHIM_ERROR_INVALID_ARGUMENT);
    assert_status(cushim_trace_calls(none, 0, &call, 1, &n), CUSHIM_ERROR_STALE_HANDLE);
    assert_status(cushim_trace_reset(none), CUSHIM_ERROR_STALE_HANDLE);
    assert_status(cushim_trace_write(none, "trace.json"), CUSHIM_ERROR_STALE_HANDLE);
    assert_status(cushim_trace_write(trace, NULL), CUSHIM_ERROR_INVALID_ARGUMENT);
    assert_status(cushim_trace_write(trace, ""), CUSHIM_ERROR_SYSTEM);
    cr_expect(eq(str, S(cushim_error_text()), S("cushim_trace_write: the path is empty")));
    cr_expect(eq(u64, count, 5));
    cr_expect(eq(sz, n, 6));
    cushim_trace_free(&none);
    cushim_trace_free(NULL);
    cushim_trace_free(&trace);
    cushim_close(&driver);
}

/* Hooks of no trace are hooks that do nothing. */
Test(trace, hooks_of_a_handle_that_is_none)
{
    const struct cushim_hooks hooks = cushim_trace_hooks((cushim_trace){0});
    cushim_driver below = fake_open(0), driver = CUSHIM_NONE;

    assert_ok(cushim_interpose(below, &hooks, 1, &driver));
    cr_expect(eq(int, fake_count(fake_functions(driver)), FAKE_COUNT(0)));
    cr_expect(eq(int, cushim_error_status(), CUSHIM_OK));
    cushim_close(&driver);
    cushim_close(&below);
}
