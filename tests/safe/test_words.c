/* SPDX-License-Identifier: MIT */
/* What sentences say: the names that programs wrote, lines, and how to go on. */
#include <stdio.h>

#include "two_streams.h"

enum { N = 100 };

static struct fixture f;

static void begin(void)
{
    open_fixture(&f);
}

static void finish(void)
{
    close_fixture(&f);
}

/* --- the function or the macro that the program wrote --- */

Test(words, macros_that_make_slices_name_themselves, .init = begin)
{
    cushim_slice x, y;
    float host[N] = {0};

    assert_refused(cushim_slice_from(f.a, (float *) NULL, N, &x), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "cushim_slice_from: host is NULL");
    assert_refused(cushim_slice_from(f.a, host, N, NULL), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "cushim_slice_from: ret_slice is NULL");
    inject(&f.w, "cuMemAllocAsync nth=1 result=2");
    assert_refused(cushim_slice_from(f.a, host, N, &x), 2,
                   "cushim_slice_from: cuMemAllocAsync answered");
    assert_ok(cushim_slice_from(f.a, host, N, &x));
    assert_refused(cushim_slice_clone(f.a, x, NULL), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "cushim_slice_clone: ret_slice is NULL");
    inject(&f.w, "cuMemcpyDtoDAsync_v2 nth=1 result=1");
    assert_refused(cushim_slice_clone(f.a, x, &y), 1,
                   "cushim_slice_clone: cuMemcpyDtoDAsync_v2 answered");
    cr_assert(eq(str, (char *) cushim_error_call(), (char *) "cuMemcpyDtoDAsync_v2"));
    cushim_slice_free(&x);
    finish();
}

Test(words, macros_that_use_slices_name_themselves, .init = begin)
{
    cushim_slice x;
    float host[N] = {0};

    assert_ok(cushim_slice_from(f.a, host, N, &x));
    assert_refused(cushim_slice_reclaim(f.a, NULL, host, N), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "cushim_slice_reclaim: slice is NULL");
    assert_refused(cushim_slice_use(f.a, x, true, NULL), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "cushim_slice_use: ret_address is NULL");
    assert_refused(cushim_view_fill(f.a, CUSHIM_VIEW(x), NULL, 4), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "cushim_slice_fill: element is NULL");
    cushim_slice_free(&x);
    finish();
}

/* --- where what is gone was freed --- */

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry first() { ret; }\n"
                          ".visible .entry second() { ret; }\n";

Test(words, functions_of_a_module_say_where_it_was_freed, .init = begin)
{
    cushim_function first, second;
    cushim_module module;
    char words[80];
    int value;

    assert_ok(cushim_module_load_text(f.w.context, ptx, NULL, &module));
    assert_ok(cushim_module_function(module, "first", &first));
    assert_ok(cushim_module_function(module, "second", &second));
    cushim_module_free(&module);
    snprintf(words, sizeof(words), "the function was freed by test_words.c:%d, with its module",
             __LINE__ - 2);
    assert_refused(cushim_function_attribute(first, 0, &value), CUSHIM_ERROR_STALE_HANDLE, words);
    assert_refused(cushim_launch(f.a, second, cushim_for_elements(N)), CUSHIM_ERROR_STALE_HANDLE,
                   words);
    assert_ok(cushim_module_load_text(f.w.context, ptx, NULL, &module));
    assert_ok(cushim_module_function(module, "first", &first));
    (cushim_module_free)(&module);
    assert_refused(cushim_function_attribute(first, 0, &value), CUSHIM_ERROR_STALE_HANDLE,
                   "the function was freed by cushim_module_free of its module");
    finish();
}

Test(words, kernels_of_a_code_library_say_where_it_was_freed, .init = begin)
{
    cushim_code_library library;
    cushim_kernel kernel;
    char words[90];

    assert_ok(cushim_code_library_load(f.w.context, ptx, sizeof(ptx), NULL, &library));
    assert_ok(cushim_code_library_kernel(library, "first", &kernel));
    cushim_code_library_free(&library);
    snprintf(words, sizeof(words), "the kernel was freed by test_words.c:%d, with its code library",
             __LINE__ - 2);
    assert_refused(cushim_kernel_set_attribute(kernel, f.w.context, 0, 0),
                   CUSHIM_ERROR_STALE_HANDLE, words);
    finish();
}

/* A view has no handle; what it looks at was freed. Others are made and freed since. */
Test(words, views_say_where_the_slice_was_freed, .init = begin)
{
    cushim_view view, part;
    cushim_slice x;
    float host[N];
    char words[80];

    assert_ok(cushim_slice_alloc(f.a, CUSHIM_ELEMENT(float), N, &x));
    assert_ok(cushim_view_part(CUSHIM_VIEW(x), 1, 2, &view));
    cushim_slice_free(&x);
    snprintf(words, sizeof(words), "the slice was freed by test_words.c:%d", __LINE__ - 1);
    for (int i = 0; i < 100; i++) {
        assert_ok(cushim_slice_alloc(f.b, CUSHIM_ELEMENT(float), N, &x));
        cushim_slice_free(&x);
    }
    assert_refused(cushim_slice_read(f.a, view, host, 2), CUSHIM_ERROR_STALE_HANDLE, words);
    assert_refused(cushim_view_part(view, 0, 1, &part), CUSHIM_ERROR_STALE_HANDLE, words);
    finish();
}

/* --- how to go on --- */

static const char two_buffers[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                                  ".visible .entry first(.param .u64 x) { ret; }\n";

Test(words, devices_that_are_not_there, .init = begin)
{
    const int n = count_devices(&f.w);
    cushim_unified unified;
    cushim_context context;
    cushim_driver driver = f.w.driver;
    char words[60], name[8];
    unsigned flags;
    bool active;

    if (n == 1)
        snprintf(words, sizeof(words), "; there is one device, number 0");
    else
        snprintf(words, sizeof(words), "; there are %d devices, 0 to %d", n, n - 1);
    assert_refused(cushim_context_primary(driver, n, &context), 101, words);
    assert_refused(cushim_context_create(driver, n, 0, &context), 101, words);
    assert_refused(cushim_context_primary_state(driver, n, &flags, &active), 101, words);
    assert_refused(cushim_context_primary_set_flags(driver, n, 0), 101, words);
    assert_refused(cushim_context_primary_reset(driver, n), 101, words);
    assert_refused(cushim_device_name(driver, n, name, sizeof(name)), 101, words);
    assert_ok(cushim_unified_alloc(f.w.context, 4, N, CUSHIM_ATTACH_GLOBAL, &unified));
    assert_refused(cushim_unified_prefetch(f.a, unified, n), 101, words);
    assert_refused(cushim_unified_advise(unified, CUSHIM_ADVICE_ACCESSED_BY, n), 101, words);
    cushim_unified_free(&unified);
    finish();
}

Test(words, devices_that_cannot_be_counted, .init = begin)
{
    cushim_context context;

    inject(&f.w, "cuDeviceGetCount result=3");
    assert_refused(cushim_context_primary(f.w.driver, 1000, &context), 101, "cuDeviceGet answered");
    cr_assert(eq(ptr, strstr(cushim_error_text(), "there "), NULL), "%s", cushim_error_text());
    finish();
}

Test(words, unified_memory_and_the_default_stream, .init = begin)
{
    cushim_unified unified;
    cushim_stream all;

    assert_ok(cushim_unified_alloc(f.w.context, 4, N, CUSHIM_ATTACH_GLOBAL, &unified));
    assert_ok(cushim_stream_default(f.w.context, &all));
    forget_calls(&f.w);
    assert_refused(cushim_unified_attach(all, unified, CUSHIM_ATTACH_SINGLE),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "take a stream of cushim_stream_new()");
    assert_refused(cushim_unified_advise(unified, (enum cushim_advice) 99, 0),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "advice is 99, it must be one of enum");
    assert_refused(cushim_unified_advise(unified, (enum cushim_advice) 0, 0),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "advice is 0, it must be one of enum");
    cr_assert(eq(u64, count_all(&f.w), 0), "the driver is not asked");
    assert_ok(cushim_unified_attach(all, unified, CUSHIM_ATTACH_GLOBAL));
    assert_ok(cushim_unified_advise(unified, CUSHIM_ADVICE_UNSET_ACCESSED_BY, 0));
    cushim_stream_free(&all);
    cushim_unified_free(&unified);
    finish();
}

Test(words, unified_memory_is_expected_in_one_way, .init = begin)
{
    const char *words = "expected unified memory, this is the handle of a slice";
    cushim_slice x;

    assert_ok(cushim_slice_alloc(f.a, 4, N, &x));
    assert_refused(cushim_unified_prefetch(f.a, x, 0), CUSHIM_ERROR_WRONG_HANDLE, words);
    assert_refused(cushim_unified_advise(x, CUSHIM_ADVICE_READ_MOSTLY, 0),
                   CUSHIM_ERROR_WRONG_HANDLE, words);
    cushim_slice_free(&x);
    finish();
}

Test(words, flags_of_pinned_memory, .init = begin)
{
    const unsigned all =
        CUSHIM_PINNED_PORTABLE | CUSHIM_PINNED_MAPPED | CUSHIM_PINNED_WRITE_COMBINED;
    cushim_pinned pinned;

    assert_ok(cushim_pinned_alloc(f.w.context, 4, N, all, &pinned));
    cushim_pinned_free(&pinned);
    assert_refused(cushim_pinned_alloc(f.w.context, 4, N, 64, &pinned),
                   CUSHIM_ERROR_INVALID_ARGUMENT,
                   "flags is 64, it must be made of enum cushim_pinned_flag");
    assert_refused(cushim_pinned_alloc(f.w.context, 4, N, 8, &pinned),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "flags is 8");
    finish();
}

Test(words, what_the_process_has_shared_itself, .init = begin)
{
    const char *words = "opened by other processes than the one that has shared it";
    struct cushim_shared_slice name;
    cushim_slice x, y;

    MOCK_ONLY("machines differ in what they share");
    assert_ok(cushim_slice_alloc_shared(f.a, 4, N, &x));
    assert_ok(cushim_slice_share(x, &name));
    assert_refused(cushim_slice_open(f.b, (cushim_pool) CUSHIM_NONE, &name, &y), 201, words);
    cushim_slice_free(&x);
    finish();
}

Test(words, names_that_are_empty, .init = begin)
{
    cushim_code_library library;
    cushim_function function;
    cushim_module module;
    cushim_kernel kernel;
    cushim_slice x;

    assert_ok(cushim_module_load_text(f.w.context, ptx, NULL, &module));
    assert_refused(cushim_module_function(module, "", &function), 500,
                   "no function '' in module; the module has the kernels first, second");
    assert_refused(cushim_module_global(module, "", &x), 500, "no variable '' in module");
    cushim_module_free(&module);
    assert_ok(cushim_code_library_load(f.w.context, ptx, sizeof(ptx), NULL, &library));
    assert_refused(cushim_code_library_kernel(library, "", &kernel), 500,
                   "no kernel '' in library");
    cushim_code_library_free(&library);
    finish();
}

Test(words, text_that_is_no_ptx, .init = begin)
{
    const char *words = "is neither PTX, which begins with .version, nor a cubin";
    cushim_code_library library;
    cushim_module module;

    assert_refused(cushim_module_load_text(f.w.context, "hello", NULL, &module), 200, words);
    assert_refused(cushim_module_load(f.w.context, "hello", 5, NULL, &module), 200, words);
    assert_refused(cushim_code_library_load(f.w.context, "hello", 5, NULL, &library), 200, words);
    assert_refused(cushim_module_load_text(f.w.context, NULL, NULL, &module),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "cushim_module_load_text: ptx is NULL");
    finish();
}

/* What keeps a primary context is told by its line, and counted. */
Test(words, what_keeps_a_primary_context, .init = begin)
{
    cushim_stream stream;
    char words[120];
    int line;

    cushim_stream_free(&f.a);
    cushim_stream_free(&f.b);
    line = __LINE__ + 1;
    assert_ok(cushim_stream_new(f.w.context, cushim_stream_params(.label = "main"), &stream));
    cushim_context_free(&f.w.context);
    snprintf(words, sizeof(words), "used by a stream 'main', made by test_words.c:%d", line);
    assert_refused(cushim_context_primary_reset(f.w.driver, 0), CUSHIM_ERROR_BUSY, words);
    cr_assert(eq(ptr, strstr(cushim_error_text(), "more"), NULL), "%s", cushim_error_text());
    assert_ok(cushim_stream_retain(stream, &f.a));
    assert_refused(cushim_context_primary_reset(f.w.driver, 0), CUSHIM_ERROR_BUSY,
                   ", and 1 more handle");
    assert_ok(cushim_stream_retain(stream, &f.b));
    assert_refused(cushim_context_primary_reset(f.w.driver, 0), CUSHIM_ERROR_BUSY,
                   ", and 2 more handles");
    cushim_stream_free(&stream);
    cushim_stream_free(&f.a);
    cushim_stream_free(&f.b);
    assert_ok(cushim_context_primary_reset(f.w.driver, 0));
    finish();
}

/* --- operations where memory is expected --- */

Test(words, operations_are_no_arguments_of_launchers, .init = begin)
{
    cushim_op op = cushim_op_alloc(4, N);
    cushim_function function;
    cushim_launcher launcher;
    cushim_module module;
    cushim_slice x;

    assert_ok(cushim_module_load_text(f.w.context, two_buffers, NULL, &module));
    assert_ok(cushim_module_function(module, "first", &function));
    assert_ok(cushim_launcher_create(function, &launcher));
    assert_refused(cushim_launcher_push(launcher, CUSHIM_OP_IN(op)), CUSHIM_ERROR_WRONG_HANDLE,
                   "cushim_launcher_push: argument 'op' is an operation, which runs once");
    assert_ok(cushim_slice_alloc(f.a, 4, N, &x));
    assert_ok(cushim_launcher_push(launcher, CUSHIM_IN(x)));
    assert_refused(cushim_launcher_set(launcher, 0, CUSHIM_OP_IN(op)), CUSHIM_ERROR_WRONG_HANDLE,
                   "cushim_launcher_set: argument 'op' is an operation, which runs once");
    assert_refused(cushim_launch(f.a, function, cushim_for_elements(N), CUSHIM_OP_IN(op)),
                   CUSHIM_ERROR_WRONG_HANDLE,
                   "an operation is an argument of cushim_op_launch() alone");
    cushim_op_free(&op);
    cushim_slice_free(&x);
    cushim_launcher_free(&launcher);
    cushim_module_free(&module);
    finish();
}
