/* SPDX-License-Identifier: MIT */
/* Launches: what is checked, what the driver is asked, and what comes out. */
#include "launch_kernels.h"

SUITE(launch);

Test(launch, the_result_is_right, .init = begin)
{
    cushim_slice x = ones(N), y = ones(N);
    const float a = 2;
    const size_t n = N;
    float out[N];

    assert_ok(cushim_launch(stream, saxpy, cushim_for_elements(n), CUSHIM_VALUE(a), CUSHIM_IN(x),
                            CUSHIM_INOUT(y), CUSHIM_VALUE(n)));
    assert_ok(cushim_slice_read(stream, y, out, N));
    cr_assert(eq(flt, out[0], 3));
    cr_assert(eq(flt, out[N - 1], 3));
    cr_assert(eq(uint, last_launch().grid[0], 4));
    cr_assert(eq(uint, last_launch().block[0], 256));
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    finish();
}

static unsigned grid_of_last[3];

static void run_saxpy(const struct cushim_mock_launch *launch, void *const *args)
{
    const float a = *(const float *) args[0];
    const size_t n = *(const size_t *) args[3];
    const float *x = cushim_mock_input(*(const uint64_t *) args[1], n * sizeof(float));
    float *y = cushim_mock_pointer(*(const uint64_t *) args[2], n * sizeof(float));

    memcpy(grid_of_last, launch->grid, sizeof(grid_of_last));
    for (size_t i = 0; x && y && i < n; i++)
        y[i] += a * x[i];
}

Test(launch, a_kernel_may_be_a_function_of_the_program, .init = begin)
{
    cushim_slice x = CUSHIM_NONE, y = CUSHIM_NONE;
    const float a = 2;
    const size_t n = N;
    float out[N];

    MOCK_ONLY("it registers a function as the kernel");
    x = ones(N);
    y = ones(N);
    assert_ok(cushim_mock_register_kernel("saxpy", run_saxpy, NULL));
    assert_ok(cushim_launch(stream, saxpy, cushim_for_elements(n), CUSHIM_VALUE(a), CUSHIM_IN(x),
                            CUSHIM_INOUT(y), CUSHIM_VALUE(n)));
    assert_ok(cushim_slice_read(stream, y, out, N));
    cr_assert(eq(flt, out[N - 1], 3));
    cr_assert(eq(uint, grid_of_last[0], 4));
    assert_ok(cushim_mock_register_kernel("saxpy", NULL, NULL));
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    finish();
}

Test(launch, one_driver_call_on_one_stream, .init = begin)
{
    cushim_slice a = ones(N), b = ones(N), c = ones(N);
    const unsigned n = N;

    assert_ok(cushim_context_set_current(w.context));
    for (int i = 0; i < 3; i++) {
        forget_calls(&w);
        assert_ok(cushim_launch(stream, three, cushim_for_elements(n), CUSHIM_INOUT(a),
                                CUSHIM_IN(b), CUSHIM_OUT(c), CUSHIM_VALUE(n)));
        cr_assert(eq(u64, count(&w, "cuLaunchKernel"), 1));
        cr_assert(eq(u64, count(&w, NULL), 1));
    }
    cushim_slice_free(&a);
    cushim_slice_free(&b);
    cushim_slice_free(&c);
    finish();
}

Test(launch, the_callers_context_is_put_back, .init = begin)
{
    cushim_slice x = ones(N), y = ones(N);
    const float a = 2;
    const size_t n = N;
    void *const before = current(&w);
    cushim_stream the_default = CUSHIM_NONE;

    cr_assert(ne(ptr, before, raw_context(w.context)));
    /* The default stream is that of the current context, so that is changed. */
    assert_ok(cushim_stream_default(w.context, &the_default));
    for (int i = 0; i < 2; i++) {
        forget_calls(&w);
        assert_ok(cushim_launch(the_default, saxpy, cushim_for_elements(n), CUSHIM_VALUE(a),
                                CUSHIM_IN(x), CUSHIM_INOUT(y), CUSHIM_VALUE(n)));
        cr_assert(eq(u64, count(&w, "cuCtxSetCurrent"), 2));
        cr_assert(eq(ptr, current(&w), before));
    }
    cr_assert(eq(u64, count(&w, NULL), 4));
    /* A stream that was created has its context. */
    for (int i = 0; i < 2; i++) {
        forget_calls(&w);
        assert_ok(cushim_launch(stream, saxpy, cushim_for_elements(n), CUSHIM_VALUE(a),
                                CUSHIM_IN(x), CUSHIM_INOUT(y), CUSHIM_VALUE(n)));
        cr_assert(eq(ptr, current(&w), before));
    }
    cr_assert(eq(u64, count(&w, NULL), 1));
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    finish();
}

Test(launch, streams_wait_where_they_meet, .init = begin)
{
    cushim_slice x = ones(N), y = ones(N);
    cushim_stream other = CUSHIM_NONE;
    const float a = 2;
    const size_t n = N;
    float out[N];

    assert_ok(cushim_stream_new(w.context, NULL, &other));
    assert_ok(cushim_launch(stream, saxpy, cushim_for_elements(n), CUSHIM_VALUE(a), CUSHIM_IN(x),
                            CUSHIM_INOUT(y), CUSHIM_VALUE(n)));
    forget_calls(&w);
    assert_ok(cushim_launch(other, saxpy, cushim_for_elements(n), CUSHIM_VALUE(a), CUSHIM_IN(x),
                            CUSHIM_INOUT(y), CUSHIM_VALUE(n)));
    /* One mark shows both slices; another for who comes next, as somebody did come late. */
    cr_assert(le(u64, count(&w, "cuEventRecord"), 2));
    cr_assert(eq(u64, count(&w, "cuStreamWaitEvent"), 1));
    assert_ok(cushim_slice_read(other, y, out, N));
    cr_assert(eq(flt, out[N / 2], 5));
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    cushim_stream_free(&other);
    finish();
}

#define REFUSED(status, part, function, config, ...)                                               \
    assert_refused(cushim_launch(stream, function, config, __VA_ARGS__), status, part)
#define WRONG(part, function, config, ...)                                                         \
    REFUSED(CUSHIM_ERROR_INVALID_ARGUMENT, part, function, config, __VA_ARGS__)

Test(launch, arguments_are_checked_against_the_kernel, .init = begin)
{
    cushim_slice x = ones(N), y = ones(N);
    const struct cushim_launch_config one = cushim_launch_config(.grid = {1}, .block = {1});
    const float a = 2;
    const int n = N;

    WRONG("saxpy: argument 3 (n) is 4 bytes, the kernel's parameter is 8", saxpy, one,
          CUSHIM_VALUE(a), CUSHIM_IN(x), CUSHIM_INOUT(y), CUSHIM_VALUE(n));
    WRONG("saxpy: argument 0 (x) is an address of 8 bytes, the kernel's parameter is 4", saxpy, one,
          CUSHIM_IN(x), CUSHIM_VALUE(a), CUSHIM_INOUT(y), CUSHIM_VALUE((size_t) n));
    WRONG("saxpy: 3 arguments, the kernel has 4 parameters", saxpy, one, CUSHIM_VALUE(a),
          CUSHIM_IN(x), CUSHIM_INOUT(y));
    WRONG("nothing: 1 argument, the kernel has 0 parameters", nothing, one, CUSHIM_VALUE(a));
    WRONG("pair: argument 0 (a) is 4 bytes, the kernel's parameter is 16", pair, one,
          CUSHIM_VALUE(a), CUSHIM_VALUE('c'));
    WRONG("pair: argument 1 ((char) 1) has no value", pair, one, CUSHIM_VALUE((struct two){{1, 2}}),
          ((struct cushim_argument){.name = "(char) 1", .bytes = 1}));
    cr_assert(eq(u64, count(&w, "cuLaunchKernel"), 0));
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    finish();
}

Test(launch, structures_are_values, .init = begin)
{
    const struct cushim_launch_config one = cushim_launch_config(.grid = {1}, .block = {1});
    const struct {
        double d;
        int i[2];
    } s = {0.5, {3, 4}};
    struct noted got;

    assert_ok(cushim_launch(stream, pair, one, CUSHIM_VALUE(s), CUSHIM_VALUE((char) 'x')));
    got = last_launch();
    cr_assert(eq(int, memcmp(got.s, &s, 16), 0));
    cr_assert(eq(int, got.c, 'x'));
    assert_ok(
        cushim_launch(stream, pair, one, CUSHIM_BYTES(&s, sizeof(s)), CUSHIM_VALUE((char) 1)));
    finish();
}

Test(launch, shapes_are_checked_against_device_and_kernel, .init = begin)
{
#define SHAPE(part, ...)                                                                           \
    assert_refused(cushim_launch(stream, nothing, cushim_launch_config(__VA_ARGS__)),              \
                   CUSHIM_ERROR_INVALID_ARGUMENT, part)
    SHAPE("nothing: a block of 2048 x 1 x 1, this device's have up to 1024 in x", .grid = {1},
          .block = {2048});
    SHAPE("nothing: a block of 32 x 32 x 2 threads, the kernel allows 1024", .grid = {1},
          .block = {32, 32, 2});
    SHAPE("up to 64 in z", .grid = {1}, .block = {1, 1, 65});
    SHAPE("nothing: a grid of 1 x 65536 x 1, this device's have up to 65535 in y",
          .grid = {1, 65536}, .block = {1});
    SHAPE("nothing: a block of no threads", .grid = {1});
    SHAPE("nothing: 60000 bytes of dynamic shared memory, the kernel allows 49152", .grid = {1},
          .block = {1}, .shared_bytes = 60000);
    SHAPE("this device has", .grid = {1}, .block = {1}, .shared_bytes = 1 << 20);
    SHAPE("both elements", .grid = {1}, .block = {1}, .elements = 3);
    SHAPE("both elements", .grid = {1}, .elements = 3);
    SHAPE("both elements", .block = {1}, .elements = 3);
    SHAPE("both elements", .grid = {0, 2}, .elements = 3);
    SHAPE("both elements", .block = {0, 0, 2}, .elements = 3);
    SHAPE("nothing: a block and no grid: .grid is how many blocks", .block = {64});
    SHAPE("a block and no grid", .block = {0, 64});
    SHAPE("elements take", .elements = (size_t) 1 << 60);
    cr_assert(eq(u64, count(&w, "cuLaunchKernel"), 0));
    assert_ok(
        cushim_function_set_attribute(nothing, CUSHIM_FUNCTION_MAX_DYNAMIC_SHARED_BYTES, 60000));
    assert_ok(cushim_launch(
        stream, nothing, cushim_launch_config(.grid = {1}, .block = {1}, .shared_bytes = 60000)));
    finish();
}

Test(launch, an_empty_grid_does_nothing, .init = begin)
{
    assert_ok(cushim_launch(stream, nothing, cushim_for_elements(0)));
    assert_ok(cushim_launch(stream, nothing, cushim_for_2d(0, 7)));
    assert_ok(cushim_launch(stream, nothing, cushim_for_2d(7, 0)));
    assert_ok(cushim_launch(stream, nothing, cushim_for_3d(7, 7, 0)));
    assert_ok(cushim_launch(stream, nothing, cushim_for_3d(0, 0, 0)));
    assert_ok(cushim_launch(stream, nothing, cushim_for_2d(0, 0)));
    assert_ok(
        cushim_launch(stream, nothing, cushim_launch_config(.grid = {0, 1, 1}, .block = {64})));
    cr_assert(eq(u64, count(&w, "cuLaunchKernel"), 0));
    /* What is wrong with it is wrong all the same. */
    assert_status(cushim_launch(stream, nothing, cushim_for_elements(0), CUSHIM_VALUE(1)),
                  CUSHIM_ERROR_INVALID_ARGUMENT);
    finish();
}

Test(launch, fields_of_two_and_three_dimensions, .init = begin)
{
    struct noted got;

    assert_ok(cushim_launch(stream, nothing, cushim_for_2d(33, 16)));
    got = last_launch();
    cr_assert(eq(uint, got.grid[0], 3));
    cr_assert(eq(uint, got.grid[1], 1));
    cr_assert(eq(uint, got.block[1], 16));
    assert_ok(cushim_launch(stream, nothing, cushim_for_3d(8, 9, 9)));
    got = last_launch();
    cr_assert(eq(uint, got.grid[1], 2));
    cr_assert(eq(uint, got.grid[2], 3));
    cr_assert(eq(uint, got.block[2], 4));
    cr_assert(eq(uint, got.launches, 2));
    finish();
}

Test(launch, written_memory_overlaps_nothing, .init = begin)
{
    cushim_slice x = ones(2 * N), y = ones(N);
    const float a = 2;
    const size_t n = N;
    cushim_view left, right;

    assert_ok(cushim_label(x, "weights"));
    REFUSED(CUSHIM_ERROR_OVERLAP,
            "saxpy: argument 1 (x), which the kernel reads, and argument 2 (x), which it reads and "
            "writes, overlap in 8000 bytes of 'weights'; if the kernel is made for that, one is "
            "CUSHIM_INOUT(), and the others CUSHIM_SAME()",
            saxpy, cushim_for_elements(n), CUSHIM_VALUE(a), CUSHIM_IN(x), CUSHIM_INOUT(x),
            CUSHIM_VALUE(n));
    assert_ok(cushim_view_split(CUSHIM_VIEW(x), N, &left, &right));
    assert_ok(cushim_launch(stream, saxpy, cushim_for_elements(n), CUSHIM_VALUE(a), CUSHIM_IN(left),
                            CUSHIM_INOUT(right), CUSHIM_VALUE(n)));
    assert_ok(cushim_view_part(CUSHIM_VIEW(x), N - 1, N, &right));
    REFUSED(CUSHIM_ERROR_OVERLAP, "overlap in 4 bytes", saxpy, cushim_for_elements(n),
            CUSHIM_VALUE(a), CUSHIM_IN(left), CUSHIM_OUT(right), CUSHIM_VALUE(n));
    REFUSED(CUSHIM_ERROR_READ_ONLY,
            "saxpy: argument 2 (cushim_view_const(left)) is written, and its view is for reading",
            saxpy, cushim_for_elements(n), CUSHIM_VALUE(a), CUSHIM_IN(y),
            CUSHIM_OUT(cushim_view_const(left)), CUSHIM_VALUE(n));
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    finish();
}

Test(launch, handles_are_checked, .init = begin)
{
    cushim_slice x = ones(N), y = ones(N), stale = y;
    const cushim_stream stream_before = stream;
    const float a = 2;
    const size_t n = N;
    cushim_function gone = saxpy;

    cushim_slice_free(&y);
    REFUSED(CUSHIM_ERROR_STALE_HANDLE,
            "cushim_launch: the slice was freed by test_launch.c:", saxpy, cushim_for_elements(n),
            CUSHIM_VALUE(a), CUSHIM_IN(x), CUSHIM_INOUT(stale), CUSHIM_VALUE(n));
    REFUSED(CUSHIM_ERROR_WRONG_HANDLE, "expected a function, this is the handle of a slice",
            ((cushim_function){x.id}), cushim_for_elements(n), CUSHIM_VALUE(a));
    assert_refused(cushim_launch((cushim_stream){x.id}, nothing, cushim_for_elements(n)),
                   CUSHIM_ERROR_WRONG_HANDLE, "expected a stream");
    assert_refused(cushim_launch_arguments(stream, nothing, NULL, NULL, 0),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "config is NULL");
    cushim_stream_free(&stream);
    assert_refused(cushim_launch(stream_before, nothing, cushim_for_elements(n)),
                   CUSHIM_ERROR_STALE_HANDLE, "stream");
    assert_ok(cushim_stream_new(w.context, NULL, &stream));
    cushim_module_free(&module);
    REFUSED(CUSHIM_ERROR_STALE_HANDLE, "function", gone, cushim_for_elements(n), CUSHIM_VALUE(a));
    cushim_slice_free(&x);
    finish();
}

Test(launch, all_is_of_one_context, .init = begin)
{
    cushim_slice x = ones(N), foreign = CUSHIM_NONE;
    cushim_context other = CUSHIM_NONE;
    cushim_stream its = CUSHIM_NONE;
    const float a = 2;
    const size_t n = N;

    open_other_context(&w, &other);
    assert_ok(cushim_stream_new(other, NULL, &its));
    assert_ok(cushim_slice_zeros(its, sizeof(float), N, &foreign));
    assert_refused(cushim_launch(its, nothing, cushim_for_elements(1)),
                   CUSHIM_ERROR_FOREIGN_CONTEXT, "stream");
    REFUSED(CUSHIM_ERROR_FOREIGN_CONTEXT,
            "saxpy: argument 2 (foreign) is memory of another context", saxpy,
            cushim_for_elements(n), CUSHIM_VALUE(a), CUSHIM_IN(x), CUSHIM_INOUT(foreign),
            CUSHIM_VALUE(n));
    cushim_slice_free(&x);
    cushim_slice_free(&foreign);
    cushim_stream_free(&its);
    cushim_context_free(&other);
    finish();
}

Test(launch, many_arguments, .init = begin)
{
    char text[4096] = PTX_HEAD ".visible .global .align 4 .u32 launches;\n.visible .entry many(";
    struct cushim_argument arguments[40];
    const struct cushim_launch_config one = cushim_launch_config(.grid = {1}, .block = {1});
    cushim_module m = CUSHIM_NONE;
    cushim_slice x = ones(N);
    cushim_function many;
    unsigned launches = 0;

    for (int i = 0; i < 40; i++) {
        snprintf(text + strlen(text), 40, "%s.param .u64 p%d", i ? ", " : "", i);
        arguments[i] = CUSHIM_IN(x);
    }
    strcat(text, ")\n{ .reg .u32 %n; ld.global.u32 %n, [launches]; add.u32 %n, %n, 1;\n"
                 "st.global.u32 [launches], %n; ret; }\n");
    assert_ok(cushim_module_load_text(w.context, text, NULL, &m));
    assert_ok(cushim_module_function(m, "many", &many));
    assert_ok(cushim_launch_arguments(stream, many, &one, arguments, 40));
    arguments[39] = CUSHIM_OUT(x);
    assert_status(cushim_launch_arguments(stream, many, &one, arguments, 40), CUSHIM_ERROR_OVERLAP);
    read_variable(m, "launches", &launches, sizeof(launches));
    cr_assert(eq(uint, launches, 1));
    cushim_module_free(&m);
    cushim_slice_free(&x);
    finish();
}
