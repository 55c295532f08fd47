/* SPDX-License-Identifier: MIT */
/* Loading modules: what is no code, files, options, and what the compiler says. */
#include "modules.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

SUITE(module_load);

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

Test(module_load, text_without_its_nul, .init = begin)
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

Test(module_load, what_is_no_image, .init = begin)
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

Test(module_load, the_compiler_says_why, .init = begin)
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

Test(module_load, files, .init = begin)
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
Test(module_load, what_ends_where_it_says, .init = begin)
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
Test(module_load, large_files, .init = begin)
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

Test(module_load, the_driver_gets_the_level, .init = begin)
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

Test(module_load, options, .init = begin)
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
