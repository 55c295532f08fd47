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
    assert_refused(cushim_view_fill(f.a, CUSHIM_VIEW(x), NULL, 4),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "cushim_slice_fill: element is NULL");
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
