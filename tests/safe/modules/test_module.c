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

Test(module, text_without_its_nul, .init = begin)
{
    const size_t length = strlen(ptx);
    char *exact = malloc(length);
    cushim_module module = CUSHIM_NONE;

    memcpy(exact, ptx, length);
    assert_ok(cushim_module_load(w.context, exact, length, NULL, &module));
    free(exact);
    cushim_module_free(&module);
    assert_ok(cushim_module_load(w.context, ptx, sizeof(ptx), NULL, &module));
    cushim_module_free(&module);
    close_world(&w);
}

Test(module, what_is_no_image, .init = begin)
{
    /* An ELF file whose section table is beyond its end, and a fat binary that is short. */
    unsigned char elf[64] = {0x7f, 'E', 'L', 'F', 2, 1, 1}, fat[32] = {0x50, 0xed, 0x55, 0xba};
    static const unsigned char pointer[24] = {0xb1, 0x43, 0x62, 0x46, 1, 0, 0, 0, 0xef, 0xbe};
    cushim_module module = CUSHIM_NONE;

    elf[0x28] = 200; /* e_shoff */
    elf[0x3a] = 64;  /* e_shentsize */
    elf[0x3c] = 1;   /* e_shnum */
    assert_refused(cushim_module_load(w.context, elf, sizeof(elf), NULL, &module), 200,
                   "the image is a cubin that is cut off");
    fat[6] = 16;
    fat[8] = 1;
    assert_refused(
        cushim_module_load(w.context, fat, 16, cushim_module_params(.label = "fat"), &module), 200,
        "fat is a fat binary that is cut off");
    fat[8] = 16;
    fat[20] = 16;
    fat[24] = 1;
    assert_refused(cushim_module_load(w.context, fat, 32, NULL, &module), 200,
                   "a fat binary that is cut off");
    assert_refused(cushim_module_load(w.context, pointer, sizeof(pointer), NULL, &module), 200,
                   "a structure that points to a fat binary");
    assert_refused(cushim_module_load(w.context, pointer, 4, NULL, &module), 200,
                   "a structure that points to a fat binary");
    assert_refused(cushim_module_load(w.context, "\0abc", 4, NULL, &module), 200, "neither PTX");
    assert_refused(cushim_module_load(w.context, "\0", 2, NULL, &module), 200, "empty");
    /* One with another class, which is no cubin, and the same without any sections. */
    elf[0x3c] = 0;
    elf[0x28] = 0;
    elf[4] = 1;
    assert_refused(cushim_module_load(w.context, elf, sizeof(elf), NULL, &module), 200,
                   "the image is a cubin that is cut off");
    assert_refused(cushim_module_load(w.context, "", 0, NULL, &module), 200, "empty");
    assert_refused(cushim_module_load(w.context, "a\0b", 3, NULL, &module), 200, "neither PTX");
    assert_refused(cushim_module_load(w.context, NULL, 3, NULL, &module),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "data is NULL");
    assert_refused(
        cushim_module_load_text(w.context, "extern \"C\" __global__ void f() {}", NULL, &module),
        200, "the image is CUDA C++ and not PTX: cushim_module_compile() compiles it");
    assert_refused(cushim_module_load_file(w.context, "", NULL, &module), 301,
                   "cushim_module_load_file: the path is empty");
    assert_refused(cushim_module_load_text(w.context, NULL, NULL, &module),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "ptx is NULL");
    assert_refused(cushim_module_load_text(w.context, ptx, NULL, NULL),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "ret_module is NULL");
    cr_assert(eq(u64, count(&w, "cuModuleLoadDataEx"), 0));
    close_world(&w);
}

Test(module, the_compiler_says_why, .init = begin)
{
    const char *wrong = HEAD ".visible .entry k(.param .bogus x){ ret; }\n";
    cushim_module module = CUSHIM_NONE;

    assert_refused(
        cushim_module_load_text(w.context, wrong, cushim_module_params(.label = "wrong"), &module),
        218, "cushim_module_load_text: wrong: ptxas application ptx input, line 4");
    assert_contains(cushim_error_log(), "Parsing error");
    cr_assert(eq(str, S(cushim_error_call()), S("cuModuleLoadDataEx")));
    cr_assert(eq(str, S(cushim_error_label()), S("wrong")));
    assert_refused(
        cushim_module_load_text(w.context, ".version 99.9\n.target sm_52\n", NULL, &module), 222,
        "");
    close_world(&w);
}

Test(module, files, .init = begin)
{
    char path[] = "/tmp/cushim-XXXXXX";
    const int file = mkstemp(path);
    cushim_module module = CUSHIM_NONE;
    cushim_function f;

    cr_assert(ge(int, file, 0));
    cr_assert(eq(sz, (size_t) write(file, ptx, strlen(ptx)), strlen(ptx)));
    close(file);
    assert_ok(cushim_module_load_file(w.context, path, NULL, &module));
    assert_refused(cushim_module_function(module, "none", &f), 500, path);
    cushim_module_free(&module);
    unlink(path);
    assert_refused(cushim_module_load_file(w.context, path, NULL, &module), 301, path);
    assert_refused(cushim_module_load_file(w.context, "/", NULL, &module), CUSHIM_ERROR_SYSTEM,
                   "/: it is a folder");
    assert_refused(cushim_module_load_file(w.context, "/dev/zero", NULL, &module),
                   CUSHIM_ERROR_SYSTEM, "/dev/zero: it is a device");
    assert_refused(cushim_module_load_file(w.context, "/proc/version", NULL, &module),
                   CUSHIM_ERROR_SYSTEM, "the kernel makes it up");
    cr_assert(eq(int, mkfifo(path, 0600), 0));
    assert_refused(cushim_module_load_file(w.context, path, NULL, &module), CUSHIM_ERROR_SYSTEM,
                   "it is a pipe");
    unlink(path);
    assert_refused(cushim_module_load_file(w.context, NULL, NULL, &module),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "path is NULL");
    close_world(&w);
}

/* What is complete to the last byte is for the driver to judge. */
Test(module, what_ends_where_it_says, .init = begin)
{
    unsigned char elf[64] = {0x7f, 'E', 'L', 'F', 2, 1, 1}, fat[32] = {0x50, 0xed, 0x55, 0xba, 1};
    cushim_module module = CUSHIM_NONE;

    fat[6] = 16;
    fat[8] = 16;
    fat[20] = 16; /* one entry, without contents */
    cr_assert(ne(int, cushim_module_load(w.context, fat, sizeof(fat), NULL, &module), CUSHIM_OK));
    cr_assert(eq(u64, count(&w, "cuModuleLoadDataEx"), 1), "%s", cushim_error_text());
    elf[0x3a] = 64; /* e_shentsize */
    cr_assert(ne(int, cushim_module_load(w.context, elf, sizeof(elf), NULL, &module), CUSHIM_OK));
    cr_assert(eq(u64, count(&w, "cuModuleLoadDataEx"), 2), "%s", cushim_error_text());
    close_world(&w);
}

/* More than is read at a time, and the kernel at its end. */
Test(module, large_files, .init = begin)
{
    char path[] = "/tmp/cushim-XXXXXX";
    const int file = mkstemp(path);
    cushim_module module = CUSHIM_NONE;
    const char *kernels = strstr(ptx, ".visible");
    FILE *out = fdopen(file, "w");
    cushim_function f;

    fprintf(out, "%.*s", (int) (kernels - ptx), ptx);
    for (int i = 0; i < 20000; i++)
        fprintf(out, "// line %d\n", i);
    fputs(kernels, out);
    fclose(out);
    assert_ok(cushim_module_load_file(w.context, path, NULL, &module));
    assert_ok(cushim_module_function(module, "saxpy", &f));
    cushim_module_free(&module);
    unlink(path);
    close_world(&w);
}

static int optimization_level;

/* The options' names and values are the fourth and fifth argument. */
static bool note_level(struct cushim_call *call, void *user)
{
    (void) user;
    if (!strcmp(call->name, "cuModuleLoadDataEx")) {
        const unsigned n = *(unsigned *) call->args[2];
        const int *names = *(int **) call->args[3];
        void **values = *(void ***) call->args[4];

        for (unsigned i = 0; i < n; i++)
            if (names[i] == 7 /* CU_JIT_OPTIMIZATION_LEVEL */)
                optimization_level = (int) (uintptr_t) values[i];
    }
    return false;
}

Test(module, the_driver_gets_the_level, .init = begin)
{
    const struct cushim_hooks hooks = {.before = note_level};
    cushim_driver watched = CUSHIM_NONE;
    cushim_context context = CUSHIM_NONE;
    cushim_module module = CUSHIM_NONE;

    assert_ok(cushim_interpose(w.driver, &hooks, 1, &watched));
    assert_ok(cushim_context_primary(watched, 0, &context));
    for (int level = 0; level <= 4; level++) {
        optimization_level = -1;
        assert_ok(cushim_module_load_text(
            context, ptx, cushim_module_params(.optimization_level = &level), &module));
        cr_assert(eq(int, optimization_level, level));
        cushim_module_free(&module);
    }
    cushim_context_free(&context);
    cushim_close(&watched);
    close_world(&w);
}

Test(module, options, .init = begin)
{
    const int wrong = 5;
    const struct cushim_jit_option others[] = {{16 /* CU_JIT_FAST_COMPILE */, 1}};
    cushim_module module =
        load(cushim_module_params(.max_registers = 32, .optimization_level = &(const int){0},
                                  .line_info = true, .verbose = true, .cache = CUSHIM_JIT_CACHE_ALL,
                                  .options = others, .n_options = 1));

    cushim_module_free(&module);
#define REFUSED(part, ...)                                                                         \
    assert_refused(                                                                                \
        cushim_module_load_text(w.context, ptx, cushim_module_params(__VA_ARGS__), &module),       \
        CUSHIM_ERROR_INVALID_ARGUMENT, part)
    REFUSED("optimization_level is 5", .optimization_level = &wrong);
    REFUSED("negative", .max_registers = -1);
    REFUSED("no mode", .cache = (enum cushim_jit_cache) 7);
    REFUSED("options is NULL", .n_options = 1);
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
