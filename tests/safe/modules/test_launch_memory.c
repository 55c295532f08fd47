/* SPDX-License-Identifier: MIT */
/* Launches and what they use: launchers, modules, variables, memory of all kinds. */
#include <pthread.h>

#include "launch_kernels.h"

SUITE(launch_memory);

Test(launch_memory, launchers_are_used_again, .init = begin)
{
    cushim_slice x = ones(N), y = ones(N);
    cushim_launcher launcher = CUSHIM_NONE;
    const struct cushim_launch_config config = cushim_for_elements(N);
    float a = 2, out[N];
    size_t n = N;

    assert_ok(cushim_launcher_create(saxpy, &launcher));
    assert_ok(cushim_launcher_push(launcher, CUSHIM_VALUE(a), CUSHIM_IN(x)));
    assert_refused(cushim_launcher_launch(launcher, stream, config), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "saxpy: 2 arguments, the kernel has 4 parameters");
    assert_ok(cushim_launcher_push(launcher, CUSHIM_INOUT(y), CUSHIM_VALUE(n)));
    a = 100; /* the launcher has a copy */
    n = 0;
    assert_ok(cushim_launcher_launch(launcher, stream, config));
    assert_ok(cushim_launcher_set(launcher, 0, CUSHIM_VALUE(1.0f)));
    assert_ok(cushim_launcher_launch(launcher, stream, config));
    assert_ok(cushim_slice_read(stream, y, out, N));
    cr_assert(eq(flt, out[7], 4));
    assert_refused(cushim_launcher_set(launcher, 4, CUSHIM_VALUE(1.0f)),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "no argument 4");
    assert_refused(cushim_launcher_set(launcher, 3, CUSHIM_BYTES(NULL, 8)),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "has no value");
    /* An argument keeps its name. */
    assert_ok(cushim_launcher_set(launcher, 0, CUSHIM_VALUE(n)));
    assert_refused(cushim_launcher_launch(launcher, stream, config), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "saxpy: argument 0 (n) is 8 bytes, the kernel's parameter is 4");
    assert_ok(cushim_launcher_clear(launcher));
    assert_refused(cushim_launcher_launch(launcher, stream, config), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "saxpy: 0 arguments");
    cushim_module_free(&module);
    assert_status(cushim_launcher_launch(launcher, stream, config), CUSHIM_ERROR_STALE_HANDLE);
    cushim_launcher_free(&launcher);
    assert_status(cushim_launcher_clear(launcher), CUSHIM_ERROR_STALE_HANDLE);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    finish();
}

static cushim_launcher changed;

static void *change(void *user)
{
    const float ten = 10;

    (void) user;
    assert_ok(cushim_launcher_set(changed, 0, CUSHIM_VALUE(ten)));
    assert_ok(cushim_launcher_clear(changed));
    assert_ok(cushim_launcher_push(changed, CUSHIM_VALUE(ten)));
    return NULL;
}

/* Another thread changes the launcher while the driver is asked to launch. */
static bool change_at_launch(struct cushim_call *call, void *user)
{
    pthread_t thread;

    if (!strcmp(call->name, "cuLaunchKernel")) {
        cr_assert(zero(int, pthread_create(&thread, NULL, change, user)));
        pthread_join(thread, NULL);
    }
    return false;
}

static void launch_changed(cushim_context context)
{
    cushim_module own = CUSHIM_NONE;
    cushim_stream other = CUSHIM_NONE;
    cushim_slice x = CUSHIM_NONE, y = CUSHIM_NONE;
    cushim_function f;
    const size_t n = N;
    const float a = 2;
    float out[N];

    assert_ok(cushim_stream_new(context, NULL, &other));
    assert_ok(cushim_module_load_text(context, ptx, NULL, &own));
    assert_ok(cushim_module_function(own, "saxpy", &f));
    assert_ok(cushim_slice_alloc(other, sizeof(float), N, &x));
    assert_ok(cushim_slice_alloc(other, sizeof(float), N, &y));
    assert_ok(cushim_slice_fill(other, x, 1.0f));
    assert_ok(cushim_slice_fill(other, y, 1.0f));
    assert_ok(cushim_launcher_create(f, &changed));
    assert_ok(cushim_launcher_push(changed, CUSHIM_VALUE(a), CUSHIM_IN(x), CUSHIM_INOUT(y),
                                   CUSHIM_VALUE(n)));
    assert_ok(cushim_launcher_launch(changed, other, cushim_for_elements(N)));
    assert_ok(cushim_slice_read(other, y, out, N));
    cr_expect(eq(flt, out[7], 3));
    assert_refused(cushim_launcher_launch(changed, other, cushim_for_elements(N)),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "saxpy: 1 argument, ");
    cushim_launcher_free(&changed);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    cushim_module_free(&own);
    cushim_stream_free(&other);
}

/* A launch has the arguments of its begin, and holds up nobody who changes them. */
Test(launch_memory, launchers_change_during_a_launch, .init = begin)
{
    const struct cushim_hooks hooks = {.before = change_at_launch};
    cushim_driver watched = CUSHIM_NONE;
    cushim_context context = CUSHIM_NONE;

    assert_ok(cushim_interpose(w.driver, &hooks, 1, &watched));
    assert_ok(cushim_context_primary(watched, 0, &context));
    launch_changed(context);
    cushim_context_free(&context);
    cushim_close(&watched);
    finish();
}

Test(launch_memory, a_module_is_unloaded_after_its_kernels, .init = begin)
{
    cushim_slice x = ones(N), y = ones(N);
    const float a = 2;
    const size_t n = N;
    float out[N];

    assert_ok(cushim_launch(stream, saxpy, cushim_for_elements(n), CUSHIM_VALUE(a), CUSHIM_IN(x),
                            CUSHIM_INOUT(y), CUSHIM_VALUE(n)));
    forget_calls(&w);
    cushim_module_free(&module);
    cr_assert(eq(u64, count(&w, "cuEventSynchronize"), 1));
    cr_assert(eq(u64, count(&w, "cuModuleUnload"), 1));
    assert_ok(cushim_slice_read(stream, y, out, N));
    cr_assert(eq(flt, out[0], 3));
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    finish();
}

Test(launch_memory, globals_are_slices, .init = begin)
{
    const char *text = ".version 7.0\n.target sm_70\n.address_size 64\n"
                       ".visible .global .align 4 .u32 counter[4];\n";
    unsigned numbers[4] = {1, 2, 3, 4}, out[4] = {0};
    cushim_module m = CUSHIM_NONE;
    cushim_slice counter, again;
    cushim_view view;

    assert_ok(cushim_module_load_text(w.context, text, cushim_module_params(.label = "g"), &m));
    assert_ok(cushim_module_global(m, "counter", &counter));
    assert_ok(cushim_module_global(m, "counter", &again));
    cr_assert(eq(u64, counter.id, again.id));
    assert_ok(CUSHIM_VIEW_AS(counter, unsigned, &view));
    assert_ok(cushim_slice_write(stream, view, numbers, 4));
    assert_ok(cushim_slice_read(stream, view, out, 4));
    cr_assert(eq(uint, out[3], 4));
    assert_refused(cushim_slice_write(stream, view, numbers, 3), CUSHIM_ERROR_INVALID_ARGUMENT, "");
    assert_refused(cushim_module_global(m, "conter", &again), 500, "no variable 'conter'");
    /* Freeing the handle leaves the variable. */
    cushim_slice_free(&counter);
    assert_ok(cushim_module_global(m, "counter", &counter));
    assert_ok(CUSHIM_VIEW_AS(counter, unsigned, &view));
    assert_ok(cushim_slice_read(stream, view, out, 4));
    cushim_module_free(&m);
    assert_status(cushim_slice_read(stream, view, out, 4), CUSHIM_ERROR_STALE_HANDLE);
    cr_assert(eq(u64, count(&w, "cuModuleUnload"), 1));
    finish();
}

/* The kernels name the variable, and no argument does. */
Test(launch_memory, variables_are_ordered_with_kernels, .init = begin)
{
    const char *text = ".version 7.0\n.target sm_70\n.address_size 64\n"
                       ".visible .global .align 4 .u32 counter;\n"
                       ".visible .entry count() {\n.reg .u32 %r;\n"
                       "ld.global.u32 %r, [counter]; add.u32 %r, %r, 1;\n"
                       "st.global.u32 [counter], %r; ret; }\n";
    const struct cushim_launch_config one = cushim_launch_config(.grid = {1}, .block = {1});
    cushim_module m = CUSHIM_NONE;
    cushim_function kernel = CUSHIM_NONE;
    cushim_stream other = CUSHIM_NONE;
    cushim_slice counter;
    cushim_view view;
    unsigned value = 0;

    assert_ok(cushim_stream_new(w.context, NULL, &other));
    assert_ok(cushim_module_load_text(w.context, text, NULL, &m));
    assert_ok(cushim_module_function(m, "count", &kernel));
    assert_ok(cushim_module_global(m, "counter", &counter));
    assert_ok(CUSHIM_VIEW_AS(counter, unsigned, &view));
    for (unsigned i = 1; i <= 5; i++) {
        assert_ok(cushim_launch(stream, kernel, one));
        assert_ok(cushim_slice_read(other, view, &value, 1));
        cr_expect(eq(uint, value, 10 * i - 9));
        assert_ok(cushim_slice_fill(other, view, 10 * i));
    }
    /* Launches wait for nothing else: each uses the fast path again. */
    forget_calls(&w);
    for (int i = 0; i < 3; i++)
        assert_ok(cushim_launch(stream, kernel, one));
    cr_expect(eq(u64, count(&w, "cuStreamWaitEvent"), 1));
    assert_ok(cushim_slice_read(other, view, &value, 1));
    cr_expect(eq(uint, value, 53));
    cushim_stream_free(&other);
    cushim_module_free(&m);
    finish();
}

static void get(cushim_stream on, cushim_function kernel, const cushim_slice *to)
{
    assert_ok(cushim_launch(on, kernel, cushim_launch_config(.grid = {1}, .block = {1}),
                            CUSHIM_OUT(*to)));
}

/* Where several streams launch a module's kernels, a write waits for the last launch of each. */
Test(launch_memory, variables_are_ordered_with_kernels_of_several_streams, .init = begin)
{
    const char *text = ".version 7.0\n.target sm_70\n.address_size 64\n"
                       ".visible .global .align 4 .u32 counter;\n"
                       ".visible .entry get(.param .u64 p) {\n.reg .u32 %r; .reg .u64 %p;\n"
                       "ld.param.u64 %p, [p]; ld.global.u32 %r, [counter];\n"
                       "st.global.u32 [%p], %r; ret; }\n";
    cushim_stream streams[3] = {CUSHIM_NONE}, writer = CUSHIM_NONE;
    cushim_slice got[3] = {CUSHIM_NONE}, counter;
    cushim_module m = CUSHIM_NONE;
    cushim_function kernel = CUSHIM_NONE;
    cushim_view view;
    unsigned value = 0;

    assert_ok(cushim_stream_new(w.context, NULL, &writer));
    assert_ok(cushim_module_load_text(w.context, text, NULL, &m));
    assert_ok(cushim_module_function(m, "get", &kernel));
    assert_ok(cushim_module_global(m, "counter", &counter));
    assert_ok(CUSHIM_VIEW_AS(counter, unsigned, &view));
    for (int i = 0; i < 3; i++) {
        assert_ok(cushim_stream_new(w.context, NULL, &streams[i]));
        assert_ok(cushim_slice_zeros(streams[i], sizeof(unsigned), 1, &got[i]));
    }
    for (unsigned round = 1; round <= 4; round++) {
        assert_ok(cushim_slice_fill(writer, view, round));
        for (int i = 0; i < 9; i++)
            get(streams[i % 3], kernel, &got[i % 3]);
        for (int i = 0; i < 3; i++) /* the writer knows these, and not those that follow */
            assert_ok(cushim_stream_join(writer, streams[i]));
        for (int i = 0; i < 3; i++)
            get(streams[i], kernel, &got[i]);
        forget_calls(&w);
        assert_ok(cushim_slice_fill(writer, view, 100));
        cr_expect(eq(u64, count(&w, "cuStreamWaitEvent"), 3));
        for (int i = 0; i < 3; i++) {
            assert_ok(cushim_slice_read(streams[i], got[i], &value, 1));
            cr_expect(eq(uint, value, round));
        }
    }
    for (int i = 0; i < 3; i++) {
        cushim_slice_free(&got[i]);
        cushim_stream_free(&streams[i]);
    }
    cushim_stream_free(&writer);
    cushim_module_free(&m);
    finish();
}

Test(launch_memory, kernels_use_page_locked_memory, .init = begin)
{
    cushim_context other = CUSHIM_NONE;
    cushim_pinned pinned = CUSHIM_NONE;
    cushim_slice x = ones(N);
    const float a = 2, *out = NULL;
    const size_t n = N;
    float *in = NULL;

    open_other_context(&w, &other);
    assert_ok(cushim_pinned_alloc(other, sizeof(float), N, CUSHIM_PINNED_PORTABLE, &pinned));
    assert_ok(cushim_pinned_write(pinned, (void **) &in));
    for (int i = 0; i < N; i++)
        in[i] = (float) i;
    assert_ok(cushim_launch(stream, saxpy, cushim_for_elements(n), CUSHIM_VALUE(a), CUSHIM_IN(x),
                            CUSHIM_INOUT(pinned), CUSHIM_VALUE(n)));
    assert_ok(cushim_pinned_read(pinned, (const void **) &out));
    cr_assert(eq(flt, out[N - 1], N + 1));
    cushim_pinned_free(&pinned);
    cushim_context_free(&other);
    cushim_slice_free(&x);
    finish();
}

Test(launch_memory, a_slice_is_reclaimed, .init = begin)
{
    cushim_slice x = ones(N), copy = x;
    float out[N] = {0};

    assert_status(cushim_slice_reclaim(stream, &x, out, N - 1), CUSHIM_ERROR_INVALID_ARGUMENT);
    cr_assert(eq(u64, x.id, copy.id));
    assert_ok(cushim_slice_reclaim(stream, &x, out, N));
    cr_assert(eq(flt, out[N - 1], 1));
    cr_assert(eq(u64, x.id, 0));
    assert_refused(cushim_slice_reclaim(stream, &copy, out, N), CUSHIM_ERROR_STALE_HANDLE,
                   "freed by test_launch_memory.c:");
    assert_status(cushim_slice_reclaim(stream, NULL, out, N), CUSHIM_ERROR_INVALID_ARGUMENT);
    finish();
}

Test(launch_memory, a_module_of_a_failed_context_is_freed_quietly, .init = begin)
{
    cushim_slice x = ones(N), y = ones(N);
    const float a = 2;
    const size_t n = N;

    assert_ok(cushim_launch(stream, saxpy, cushim_for_elements(n), CUSHIM_VALUE(a), CUSHIM_IN(x),
                            CUSHIM_INOUT(y), CUSHIM_VALUE(n)));
    cushim_error_clear();
    inject(&w, "cuEventSynchronize nth=1 result=719");
    forget_calls(&w);
    cushim_module_free(&module);
    cr_assert(eq(int, cushim_error_status(), CUSHIM_OK));
    cr_assert(eq(u64, count(&w, "cuStreamSynchronize"), 1));
    cr_assert(eq(u64, count(&w, "cuModuleUnload"), 1));
    assert_status(cushim_context_check(w.context), 719);
    assert_contains(cushim_error_text(), "cushim_module_free");
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    finish();
}

/* saxpy in place: y = a y + y. */
Test(launch_memory, an_argument_may_be_the_same_memory, .init = begin)
{
    cushim_slice y = ones(N), z = ones(N);
    const float a = 2;
    const size_t n = N;
    cushim_view part;
    float out[N];

    assert_ok(cushim_launch(stream, saxpy, cushim_for_elements(n), CUSHIM_VALUE(a), CUSHIM_SAME(y),
                            CUSHIM_INOUT(y), CUSHIM_VALUE(n)));
    assert_ok(cushim_slice_read(stream, y, out, N));
    cr_expect(eq(flt, out[N - 1], 3));
    assert_ok(cushim_view_part(CUSHIM_VIEW(y), 8, 8, &part));
    assert_ok(cushim_launch(stream, saxpy, cushim_for_elements(8), CUSHIM_VALUE(a),
                            CUSHIM_SAME(part), CUSHIM_INOUT(y), CUSHIM_BYTES(&(size_t){8}, 8)));
    assert_refused(cushim_launch(stream, saxpy, cushim_for_elements(n), CUSHIM_VALUE(a),
                                 CUSHIM_SAME(z), CUSHIM_INOUT(y), CUSHIM_VALUE(n)),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "argument 1 (z) is 'same'");
    assert_refused(cushim_launch(stream, saxpy, cushim_for_elements(n), CUSHIM_VALUE(a),
                                 CUSHIM_IN(y), CUSHIM_INOUT(y), CUSHIM_VALUE(n)),
                   CUSHIM_ERROR_OVERLAP, "overlap");
    cushim_slice_free(&y);
    cushim_slice_free(&z);
    finish();
}
