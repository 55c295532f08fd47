/* SPDX-License-Identifier: MIT */
/* Modules, functions and libraries. */
#include "modules.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

SUITE(module);

static struct world w;

static void begin(void)
{
    open_world(&w);
}

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"

static const char ptx[] = HEAD ".global .align 4 .u32 counter;\n"
                               ".visible .entry saxpy(.param .f32 a, .param .u64 x, .param .u64 y,"
                               " .param .u64 n) { ret; }\n"
                               ".visible .entry saxpby(.param .u32 n) { ret; }\n"
                               ".visible .entry _Z5scaleIfEvPT_S0_(.param .u64 p) { ret; }\n";

static cushim_module load(const struct cushim_module_params *params)
{
    cushim_module module = CUSHIM_NONE;

    assert_ok(cushim_module_load_text(w.context, ptx, params, &module));
    return module;
}

Test(module, functions_and_their_parameters, .init = begin)
{
    cushim_module module = load(NULL);
    struct cushim_parameter parameters[4];
    cushim_function f, again;
    size_t n = 0;

    assert_ok(cushim_module_function(module, "saxpy", &f));
    assert_ok(cushim_module_function(module, "saxpy", &again));
    cr_assert(eq(u64, f.id, again.id));
    assert_ok(cushim_function_parameters(f, parameters, 4, &n));
    cr_assert(eq(sz, n, 4));
    cr_assert(eq(sz, parameters[0].size, 4));
    cr_assert(eq(sz, parameters[3].offset, 24));
    assert_ok(cushim_function_parameters(f, NULL, 0, &n));
    cr_assert(eq(str, S(cushim_function_name(f)), S("saxpy")));
    cr_assert(eq(str, S(cushim_module_log(module)), S("")));
    cushim_module_free(&module);
    cr_assert(eq(u64, module.id, 0));
    close_world(&w);
}

Test(module, a_name_that_is_not_there_is_told_with_those_like_it, .init = begin)
{
    cushim_module module = load(cushim_module_params(.label = "blas"));
    cushim_slice slice = CUSHIM_NONE;
    cushim_function f;

    assert_refused(
        cushim_module_function(module, "sapxy", &f), 500,
        "no function 'sapxy' in module 'blas'; the module has the kernels saxpy, saxpby, "
        "_Z5scale");
    assert_refused(cushim_module_function(module, "scale", &f), 500,
                   "; the module has the kernels _Z5scaleIfEvPT_S0_");
    assert_refused(cushim_module_function(module, "counter", &f), 500,
                   "no function 'counter' in module 'blas'; it is a variable: "
                   "cushim_module_global() returns it");
    assert_refused(cushim_module_global(module, "saxpy", &slice), 500,
                   "; it is a function: cushim_module_function() returns it");
    assert_refused(cushim_module_global(module, "conter", &slice), 500,
                   "no variable 'conter' in module 'blas'");
    cr_expect(eq(ptr, strstr(cushim_error_text(), "saxpy"), NULL), "no kernel is a variable");
    assert_refused(cushim_module_function(module, NULL, &f), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "name is NULL");
    assert_refused(cushim_module_function(module, "saxpy", NULL), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "ret_function is NULL");
    cushim_module_free(&module);
    close_world(&w);
}

Test(module, functions_are_stale_with_their_module, .init = begin)
{
    cushim_module module = load(NULL);
    cushim_function f;
    cushim_module copy = module;
    int value;

    assert_ok(cushim_module_function(module, "saxpy", &f));
    cushim_module_free(&module);
    assert_refused(cushim_function_attribute(f, 0, &value), CUSHIM_ERROR_STALE_HANDLE, "function");
    assert_refused(cushim_module_function(copy, "saxpy", &f), CUSHIM_ERROR_STALE_HANDLE,
                   "the module was freed by test_module.c:");
    cushim_module_free(&copy);
    cr_assert(eq(ptr, (void *) cushim_module_log(w.context.id ? module : copy), NULL));
    cr_assert(eq(u64, count(&w, "cuModuleUnload"), 1));
    close_world(&w);
}

Test(module, wrong_kinds, .init = begin)
{
    cushim_module module = load(NULL);
    cushim_function f;
    size_t n;

    assert_refused(cushim_module_function((cushim_module){w.context.id}, "saxpy", &f),
                   CUSHIM_ERROR_WRONG_HANDLE, "expected a module, this is the handle of a context");
    assert_refused(cushim_function_parameters((cushim_function){module.id}, NULL, 0, &n),
                   CUSHIM_ERROR_WRONG_HANDLE, "expected a function");
    assert_refused(cushim_module_load_text((cushim_context){module.id}, ptx, NULL, &module),
                   CUSHIM_ERROR_WRONG_HANDLE, "expected a context");
    cushim_module_free(&module);
    close_world(&w);
}

Test(module, required_functions, .init = begin)
{
    const char *const there[] = {"saxpy", "saxpby", NULL}, *const missing[] = {"saxpy", "no", NULL};
    cushim_module module = load(cushim_module_params(.functions = there));

    cushim_module_free(&module);
    assert_refused(cushim_module_load_text(w.context, ptx,
                                           cushim_module_params(.functions = missing), &module),
                   500, "no function 'no'");
    cr_assert(eq(u64, module.id, 0));
    close_world(&w);
}

Test(module, a_register_keeps_modules, .init = begin)
{
    cushim_module module = load(cushim_module_params(.name = "blas")), other = CUSHIM_NONE;
    cushim_function f, g;
    size_t n;

    assert_ok(cushim_module_function(module, "saxpy", &f));
    cushim_module_free(&module);
    assert_ok(cushim_function_find(w.context, "blas", "saxpy", &g));
    cr_assert(eq(u64, f.id, g.id));
    assert_refused(
        cushim_module_load_text(w.context, ptx, cushim_module_params(.name = "blas"), &module),
        CUSHIM_ERROR_BUSY, "has a module 'blas' already");
    assert_ok(cushim_module_find(w.context, "blas", &other));
    assert_refused(cushim_function_find(w.context, "blas", "no", &g), 500, "in module 'blas'");
    assert_refused(cushim_function_find(w.context, "bla", "no", &g), 500, "registered as 'bla'");
    assert_ok(cushim_module_unregister(w.context, "blas"));
    assert_refused(cushim_module_unregister(w.context, "blas"), 500, "registered as 'blas'");
    assert_ok(cushim_function_parameters(f, NULL, 0, &n));
    cushim_module_free(&other);
    assert_status(cushim_function_parameters(f, NULL, 0, &n), CUSHIM_ERROR_STALE_HANDLE);
    /* What is still registered goes with the context. */
    module = load(cushim_module_params(.name = "late"));
    cushim_module_free(&module);
    cushim_context_free(&w.context);
    cr_assert(eq(u64, count(&w, "cuModuleUnload"), count(&w, "cuModuleLoadDataEx")));
    close_world(&w);
}

Test(module, a_context_is_freed_after_its_modules, .init = begin)
{
    cushim_module module = load(NULL);
    cushim_context context = w.context;
    cushim_function f;

    cushim_context_free(&w.context);
    cr_assert(eq(u64, count(&w, "cuDevicePrimaryCtxRelease_v2"), 0));
    assert_ok(cushim_module_function(module, "saxpy", &f));
    assert_status(cushim_module_load_text(context, ptx, NULL, &module), CUSHIM_ERROR_STALE_HANDLE);
    cushim_module_free(&module);
    cr_assert(eq(u64, count(&w, "cuDevicePrimaryCtxRelease_v2"), 1));
    close_world(&w);
}

enum { MAX_THREADS_PER_MULTIPROCESSOR = 39 };

Test(module, attributes_and_occupancy, .init = begin)
{
    cushim_module module = load(NULL);
    cushim_function f;
    unsigned blocks = 0, threads = 0, grid = 0;
    size_t bytes = 0;
    int value = -1, resident = 0;

    assert_ok(cushim_module_function(module, "saxpy", &f));
    assert_ok(cushim_function_attribute(f, CUSHIM_FUNCTION_MAX_THREADS_PER_BLOCK, &value));
    cr_assert(eq(int, value, 1024));
    assert_ok(cushim_function_set_attribute(f, CUSHIM_FUNCTION_MAX_DYNAMIC_SHARED_BYTES, 65536));
    assert_ok(cushim_function_attribute(f, CUSHIM_FUNCTION_MAX_DYNAMIC_SHARED_BYTES, &value));
    cr_assert(eq(int, value, 65536));
    assert_refused(cushim_function_set_attribute(f, CUSHIM_FUNCTION_REGISTERS, 3), 1,
                   "cushim_function_set_attribute ('saxpy'): cuFuncSetAttribute answered 1");
    assert_ok(cushim_function_set_cache_config(f, CUSHIM_CACHE_PREFER_SHARED));
    assert_ok(cushim_function_max_active_blocks(f, 256, 0, &blocks));
    assert_ok(cushim_device_attribute(w.driver, 0, MAX_THREADS_PER_MULTIPROCESSOR, &resident));
    cr_assert(eq(uint, blocks, (unsigned) resident / 256));
    assert_refused(cushim_function_max_active_blocks(f, 0, 0, &blocks),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "a block of 0 threads");
    assert_ok(cushim_function_block_size(f, NULL, &threads, &grid));
    cr_assert(eq(uint, (unsigned) resident % threads, 0));
    if (on_the_mock()) {
        cr_assert(eq(int, resident, 2048));
        cr_assert(eq(uint, threads, 1024));
    }
    assert_ok(cushim_function_available_shared(f, 2, 256, &bytes));
    cr_assert(gt(sz, bytes, on_the_mock() ? 48 * 1024 : 0));
    cushim_module_free(&module);
    close_world(&w);
}

Test(module, code_libraries, .init = begin)
{
    cushim_code_library library = CUSHIM_NONE;
    cushim_module module = CUSHIM_NONE;
    cushim_kernel kernel, again;
    cushim_function f;
    size_t n = 0;
    int value;

    assert_ok(cushim_code_library_load(w.context, ptx, strlen(ptx), NULL, &library));
    assert_ok(cushim_code_library_count(library, &n));
    cr_assert(eq(sz, n, 3));
    assert_ok(cushim_code_library_kernel(library, "saxpy", &kernel));
    assert_ok(cushim_code_library_kernel(library, "saxpy", &again));
    cr_assert(eq(u64, kernel.id, again.id));
    assert_refused(cushim_code_library_kernel(library, "no", &again), 500,
                   "no kernel 'no' in library; the library has the kernels s");
    assert_refused(cushim_code_library_kernel(library, "sapxy", &again), 500,
                   "; the library has the kernels saxp");
    assert_ok(
        cushim_kernel_attribute(kernel, w.context, CUSHIM_FUNCTION_MAX_THREADS_PER_BLOCK, &value));
    cr_assert(eq(int, value, 1024));
    assert_ok(cushim_kernel_set_attribute(kernel, w.context,
                                          CUSHIM_FUNCTION_MAX_DYNAMIC_SHARED_BYTES, 65536));
    assert_ok(cushim_kernel_set_cache_config(kernel, w.context, CUSHIM_CACHE_PREFER_L1));
    assert_ok(cushim_code_library_module(library, w.context, &module));
    assert_ok(cushim_module_function(module, "saxpy", &f));
    cushim_code_library_free(&library);
    assert_status(cushim_kernel_attribute(kernel, w.context, 0, &value), CUSHIM_ERROR_STALE_HANDLE);
    assert_ok(cushim_function_attribute(f, 0, &value));
    cr_assert(eq(u64, count(&w, "cuLibraryUnload"), 0));
    cushim_module_free(&module);
    cr_assert(eq(u64, count(&w, "cuLibraryUnload"), 1));
    cr_assert(eq(u64, count(&w, "cuModuleUnload"), 0));
    close_world(&w);
}

Test(module, what_the_driver_refuses_leaks_nothing, .init = begin)
{
    static const char *const calls[] = {"cuModuleLoadDataEx", "cuModuleGetFunction",
                                        "cuFuncGetAttribute", "cuFuncGetParamInfo"};
    const char *const functions[] = {"saxpy", NULL};
    cushim_module module = CUSHIM_NONE;
    char rule[64];

    for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
        snprintf(rule, sizeof(rule), "%s nth=1 result=2", calls[i]);
        inject(&w, rule);
        assert_refused(cushim_module_load_text(
                           w.context, ptx, cushim_module_params(.functions = functions), &module),
                       2, calls[i]);
    }
    close_world(&w);
}

Test(module, a_driver_that_does_not_tell_parameters)
{
    struct cushim_parameter parameters[4];
    cushim_module module;
    cushim_slice slice = CUSHIM_NONE;
    cushim_function f;
    size_t n = 0;

    open_old_world(&w, "11.4");
    module = load(NULL);
    assert_ok(cushim_module_function(module, "saxpy", &f));
    assert_ok(cushim_function_parameters(f, parameters, 4, &n));
    cr_assert(eq(sz, n, 4));
    cr_assert(eq(sz, parameters[1].offset, 8));
    assert_refused(cushim_module_function(module, "sapxy", &f), 500,
                   "; the module has the kernels saxpy, saxpby");
    assert_refused(cushim_module_global(module, "conter", &slice), 500,
                   "; the module has the variable counter");
    cushim_module_free(&module);
    close_world(&w);
}

Test(module, code_libraries_need_a_newer_driver)
{
    cushim_code_library library = CUSHIM_NONE;

    open_old_world(&w, "11.4");
    assert_refused(cushim_code_library_load(w.context, ptx, strlen(ptx), NULL, &library),
                   CUSHIM_ERROR_MISSING_SYMBOL, "cuLibraryLoadData needs CUDA 12.0");
    close_world(&w);
}
