/* SPDX-License-Identifier: MIT */
/* Kernels that are part of the program: embedded.h, as `cushim compile` writes them. */
#include <pthread.h>

#include "../support.h"

SUITE(embedded);

enum { N = 1000 };

static struct world w;
static cushim_stream stream;

static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry saxpy(.param .f32 a, .param .u64 x, .param .u64 y, .param .u64 n)\n"
    "{\n"
    "  .reg .pred %end;\n"
    "  .reg .b32 %r<4>;\n"
    "  .reg .b64 %d<6>;\n"
    "  .reg .f32 %f<4>;\n"
    "  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x;\n"
    "  mad.lo.u32 %r3, %r0, %r1, %r2;\n"
    "  cvt.u64.u32 %d0, %r3;\n"
    "  ld.param.u64 %d1, [n];\n"
    "  setp.ge.u64 %end, %d0, %d1;\n"
    "  @%end ret;\n"
    "  ld.param.u64 %d2, [x]; ld.param.u64 %d3, [y];\n"
    "  mad.wide.u32 %d4, %r3, 4, %d2;\n"
    "  mad.wide.u32 %d5, %r3, 4, %d3;\n"
    "  ld.param.f32 %f0, [a];\n"
    "  ld.global.f32 %f1, [%d4]; ld.global.f32 %f2, [%d5];\n"
    "  fma.rn.f32 %f3, %f0, %f1, %f2;\n"
    "  st.global.f32 [%d5], %f3;\n"
    "  ret;\n"
    "}\n";

static struct cushim_embedded code = {
    .size = sizeof(code), .name = "kernels_1", .data = ptx, .bytes = sizeof(ptx) - 1};
static uint64_t cache[CUSHIM_EMBEDDED_CACHE];
static const size_t elements[] = {0, 4 | (size_t) CUSHIM_ELEMENT_FLOAT << 56,
                                  4 | (size_t) CUSHIM_ELEMENT_FLOAT << 56, 0};
static struct cushim_embedded_kernel kernel = {.size = sizeof(kernel),
                                               .code = &code,
                                               .name = "saxpy",
                                               .elements = elements,
                                               .parameters = 4,
                                               .cache = cache};

static cushim_slice x, y;

static void begin(void)
{
    open_world(&w);
    assert_ok(cushim_stream_new(w.context, NULL, &stream));
    assert_ok(cushim_slice_zeros(stream, CUSHIM_ELEMENT(float), N, &x));
    assert_ok(cushim_slice_zeros(stream, CUSHIM_ELEMENT(float), N, &y));
    assert_ok(cushim_slice_fill(stream, x, 1.0f));
}

static void finish(void)
{
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    cushim_stream_free(&stream);
    close_world(&w);
}

static cushim_status launch_on(cushim_stream s, cushim_slice from, cushim_slice to)
{
    const float a = 2;
    const size_t n = N;
    const struct cushim_launch_config config = cushim_for_elements(N);
    const struct cushim_argument arguments[] = {CUSHIM_VALUE(a), CUSHIM_IN(from), CUSHIM_INOUT(to),
                                                CUSHIM_VALUE(n)};

    return cushim_embedded_launch(s, &kernel, &config, arguments, 4);
}

/* How often code was loaded. */
static uint64_t count_loads(void)
{
    return count(&w, "cuModuleLoadDataEx");
}

static void expect_value(float wanted)
{
    float out[N];

    assert_ok(cushim_slice_read(stream, y, out, N));
    for (int i = 0; i < N; i++)
        cr_assert(eq(flt, out[i], wanted), "%d", i);
}

Test(embedded, code_is_loaded_by_the_first_launch_and_stays, .init = begin)
{
    cushim_function f = {0};

    assert_ok(launch_on(stream, x, y));
    assert_ok(launch_on(stream, x, y));
    assert_ok(cushim_embedded_load(w.context, &code));
    assert_ok(cushim_embedded_function(w.context, &kernel, &f));
    expect_value(4);
    cr_expect(eq(u64, count_loads(), 1));
    cr_expect(eq(str, S(cushim_function_name(f)), S("saxpy")));
    finish();
}

Test(embedded, code_that_was_unloaded_is_loaded_again, .init = begin)
{
    cushim_function f = {0};
    char *name = NULL;

    assert_ok(cushim_embedded_unload(w.context, &code));
    assert_ok(launch_on(stream, x, y));
    assert_ok(cushim_embedded_function(w.context, &kernel, &f));
    assert_ok(cushim_embedded_unload(w.context, &code));
    assert_ok(cushim_embedded_unload(w.context, &code));
    assert_refused(cushim_function_raw(f, (void **) &name), CUSHIM_ERROR_STALE_HANDLE, "function");
    assert_ok(launch_on(stream, x, y));
    expect_value(4);
    cr_expect(eq(u64, count_loads(), 2));
    finish();
}

/* That code is not loaded yet, or any more, is no error of the thread. */
Test(embedded, what_succeeds_leaves_the_last_error, .init = begin)
{
    cushim_error_clear();
    assert_ok(launch_on(stream, x, y));
    assert_ok(cushim_embedded_unload(w.context, &code));
    assert_ok(cushim_embedded_unload(w.context, &code));
    assert_ok(cushim_embedded_load(w.context, &code));
    cr_expect(eq(int, cushim_error_status(), CUSHIM_OK), "%s", cushim_error_text());
    assert_ok(cushim_embedded_unload(w.context, &code));
    cr_expect(ne(int, cushim_slice_fill(stream, x, 1.0), CUSHIM_OK));
    assert_ok(launch_on(stream, x, y));
    assert_ok(cushim_embedded_unload(w.context, &code));
    assert_ok(cushim_embedded_unload(w.context, &code));
    cr_expect(eq(int, cushim_error_status(), CUSHIM_ERROR_INVALID_ARGUMENT), "%s",
              cushim_error_text());
    finish();
}

Test(embedded, each_context_has_code_of_its_own, .init = begin)
{
    cushim_context other = CUSHIM_NONE;
    cushim_stream there = CUSHIM_NONE;
    cushim_slice ox = CUSHIM_NONE, oy = CUSHIM_NONE;

    open_other_context(&w, &other);
    assert_ok(cushim_stream_new(other, NULL, &there));
    assert_ok(cushim_slice_zeros(there, CUSHIM_ELEMENT(float), N, &ox));
    assert_ok(cushim_slice_zeros(there, CUSHIM_ELEMENT(float), N, &oy));
    for (int i = 0; i < 3; i++) {
        assert_ok(launch_on(stream, x, y));
        assert_ok(launch_on(there, ox, oy));
    }
    expect_value(6);
    cr_expect(eq(u64, count_loads(), 2));
    cushim_slice_free(&ox);
    cushim_slice_free(&oy);
    cushim_stream_free(&there);
    cushim_context_free(&other);
    finish();
}

/* More streams than the cache has places. */
Test(embedded, many_streams_find_the_kernel, .init = begin)
{
    cushim_stream streams[20];

    for (int i = 0; i < 20; i++)
        assert_ok(cushim_stream_new(w.context, NULL, &streams[i]));
    for (int i = 0; i < 60; i++)
        assert_ok(launch_on(streams[i % 20], x, y));
    for (int i = 0; i < 20; i++)
        cushim_stream_free(&streams[i]);
    expect_value(120);
    cr_expect(eq(u64, count_loads(), 1));
    finish();
}

Test(embedded, a_kernel_without_a_cache_is_looked_up, .init = begin)
{
    kernel.cache = NULL;
    assert_ok(launch_on(stream, x, y));
    assert_ok(launch_on(stream, x, y));
    expect_value(4);
    cr_expect(eq(u64, count_loads(), 1));
    finish();
}

Test(embedded, memory_of_other_elements_is_refused, .init = begin)
{
    cushim_slice doubles = CUSHIM_NONE, integers = CUSHIM_NONE, bytes = CUSHIM_NONE;

    assert_ok(cushim_slice_zeros(stream, CUSHIM_ELEMENT(double), N, &doubles));
    assert_ok(cushim_slice_zeros(stream, CUSHIM_ELEMENT(int), N, &integers));
    assert_ok(cushim_slice_zeros(stream, 1, 4 * N, &bytes));
    assert_refused(launch_on(stream, doubles, y), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "saxpy: argument 1 (from) has elements of 8 bytes, floating-point numbers, the "
                   "kernel's have 4 bytes, floating-point numbers");
    assert_refused(launch_on(stream, x, integers), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "argument 2 (to) has elements of 4 bytes, integers");
    assert_ok(launch_on(stream, bytes, y));
    cushim_slice_free(&doubles);
    cushim_slice_free(&integers);
    cushim_slice_free(&bytes);
    finish();
}

/* It spoils what the other tests launch. */
static void begin_alone(void)
{
    run_alone();
    begin();
}

Test(embedded, mistakes_are_told, .init = begin_alone)
{
    const struct cushim_launch_config config = cushim_for_elements(N);
    const struct cushim_argument argument = CUSHIM_IN(x);
    cushim_slice gone = x;

    assert_refused(cushim_embedded_launch(stream, &kernel, &config, &argument, 1),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "saxpy has 4 parameters, and got 1 arguments");
    assert_refused(cushim_embedded_launch(stream, NULL, &config, &argument, 1),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "kernel is NULL");
    assert_ok(launch_on(stream, x, y));
    cushim_slice_free(&x);
    assert_refused(launch_on(stream, gone, y), CUSHIM_ERROR_STALE_HANDLE, "slice");
    kernel.name = "absent";
    kernel.cache = NULL;
    assert_refused(launch_on(stream, y, y), 500, "no function 'absent'");
    code = (struct cushim_embedded){
        .size = sizeof(code), .name = "broken", .data = "nonsense", .bytes = 8};
    assert_refused(launch_on(stream, y, y), 200, "broken");
    finish();
}

enum { THREADS = 8, ROUNDS = 20 };

static void *launch_often(void *user)
{
    cushim_stream own = CUSHIM_NONE;
    cushim_slice out = CUSHIM_NONE;
    float values[N];
    int *wrong = user;

    *wrong = cushim_stream_new(w.context, NULL, &own) ||
             cushim_slice_zeros(own, CUSHIM_ELEMENT(float), N, &out);
    for (int i = 0; i < ROUNDS; i++)
        *wrong += launch_on(own, x, out) != CUSHIM_OK;
    *wrong += cushim_slice_read(own, out, values, N) != CUSHIM_OK;
    for (int i = 0; i < N; i++)
        *wrong += values[i] != 2 * ROUNDS;
    cushim_slice_free(&out);
    cushim_stream_free(&own);
    return NULL;
}

Test(embedded, threads_load_it_once, .init = begin)
{
    pthread_t threads[THREADS];
    int wrong[THREADS];

    for (int i = 0; i < THREADS; i++)
        cr_assert(eq(int, pthread_create(&threads[i], NULL, launch_often, &wrong[i]), 0));
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        cr_expect(eq(int, wrong[i], 0), "%d", i);
    }
    cr_expect(eq(u64, count_loads(), 1));
    finish();
}
