/* SPDX-License-Identifier: MIT */
/* Modules and their functions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cushim/mock.h>

#include "mock/base/newer.h"
#include "support.h"

#define S(text) ((char *) (text))

#define HEADER ".version 7.0\n.target sm_70\n.address_size 64\n"

static const char ptx[] =
    "// a comment with .entry in it\n" HEADER ".file 1 \"a;b{c.cu\"\n"
    ".global .align 16 .b8 table[64] = {1, 2, 3};\n"
    "/* .global .u32 no; */ .visible .global .v4 .f32 lanes[2][3];\n"
    ".const .align 4 .b8 constants[8];\n"
    ".extern .shared .align 16 .b8 dynamic[];\n"
    ".func (.param .b32 r) helper(.param .b32 a) { .shared .u32 x; ret; }\n"
    ".visible .entry plain() .maxntid 128, 2, 1 .minnctapersm 2 { ret; }\n"
    ".visible .entry bare { ret; }\n"
    ".weak .entry many(.param .u8 a, .param .u64 .ptr .global .align 4 b,\n"
    "    .param .align 4 .b8 c[12], .param .f64 d[2], .param .b16 e[2])\n"
    "{ .shared .align 8 .b8 s[100]; { .local .u64 l; bra L; L: .shared .u32 t; } ret; }\n";

TestSuite(module);

static CUmodule load(void)
{
    CUmodule module = NULL;

    OK(mock_cuModuleLoadData(&module, ptx));
    return module;
}

static CUfunction function(CUmodule module, const char *name)
{
    CUfunction found = NULL;

    OK(mock_cuModuleGetFunction(&found, module, name));
    return found;
}

static const struct {
    const char *image;
    CUresult result;
} images[] = {
    {"", CUDA_ERROR_INVALID_IMAGE},
    {"this is not an image", CUDA_ERROR_INVALID_IMAGE},
    {"\x7f"
     "ELF",
     CUDA_ERROR_NO_BINARY_FOR_GPU},
    {"\x50\xed\x55\xba", CUDA_ERROR_INVALID_IMAGE},
    {".version 7.0\n.visible .entry k(){ ret; }", CUDA_ERROR_INVALID_PTX},
    {".target sm_70\n.visible .entry k(){ ret; }", CUDA_ERROR_INVALID_IMAGE},
    {".version 99.9\n.target sm_70\n", CUDA_ERROR_UNSUPPORTED_PTX_VERSION},
    {".version 7.0\n.target sm_999\n", CUDA_ERROR_INVALID_PTX},
    {".version x\n.target sm_70\n", CUDA_ERROR_INVALID_PTX},
    {HEADER ".entry", CUDA_ERROR_INVALID_PTX},
    {HEADER ".entry k(", CUDA_ERROR_INVALID_PTX},
    {HEADER ".entry k(.param .u32", CUDA_ERROR_INVALID_PTX},
    {HEADER ".entry k(.param x)", CUDA_ERROR_INVALID_PTX},
    {HEADER ".entry k(.param .u32 a) {", CUDA_ERROR_INVALID_PTX},
    {HEADER ".entry k(.param .u32 a .param", CUDA_ERROR_INVALID_PTX},
    {HEADER ".entry k(.param .b64 a[99999])", CUDA_ERROR_INVALID_PTX},
    {HEADER ".global .align 3 .u32 a;", CUDA_ERROR_INVALID_PTX},
    {HEADER ".global .u32 a[4", CUDA_ERROR_INVALID_PTX},
    {HEADER ".global .b64 a[0x2000000000000000][8];", CUDA_ERROR_INVALID_PTX},
    {HEADER ".global .u32 a = ", CUDA_ERROR_INVALID_PTX},
    {HEADER "/* no end", CUDA_ERROR_INVALID_PTX},
    {HEADER "\"no end", CUDA_ERROR_INVALID_PTX},
    {HEADER, CUDA_SUCCESS},
};

#if CUDA_VERSION >= 12040
Test(module, functions_before_there_is_a_driver)
{
    CUfunctionLoadingState state;

    /* The function is looked at first. */
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuFuncLoad(GARBAGE));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuFuncIsLoaded(&state, GARBAGE));
}
#endif

Test(module, images)
{
    CUmodule module;

    start();
    for (size_t i = 0; i < sizeof(images) / sizeof(*images); i++) {
        /* In memory of its own, so that a tool sees a read past its end. */
        char *copy = strdup(images[i].image);
        const CUresult result = mock_cuModuleLoadData(&module, copy);

        free(copy);
        cr_expect(eq(int, (int) result, (int) images[i].result), "image %zu: %s", i,
                  images[i].image);
    }
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuModuleLoadData(&module, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuModuleLoadData(NULL, ptx));
}

Test(module, log)
{
    char text[256] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {text, (void *) sizeof(text)};
    CUmodule module;

    start();
    EXPECT(CUDA_ERROR_INVALID_PTX,
           mock_cuModuleLoadDataEx(&module, HEADER ".entry k(.u32 a)", 2, options, values));
    cr_expect(eq(str, text,
                 S("ptxas application ptx input, line 4; fatal   : Parsing error near "
                   "'.u32': syntax error\n"
                   "ptxas fatal   : Ptx assembly aborted due to errors\n")));
    cr_expect(eq(sz, (size_t) values[1], strlen(text)));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuModuleLoadDataEx(&module, ptx, 1, NULL, NULL));
}

Test(module, file)
{
    char path[] = "/tmp/cushim-mock-test-XXXXXX";
    const int file = mkstemp(path);
    CUmodule module = NULL;

    cr_assert(ge(int, file, 0));
    cr_assert(eq(long, (long) write(file, ptx, strlen(ptx)), (long) strlen(ptx)));
    close(file);
    start();
    EXPECT(CUDA_SUCCESS, mock_cuModuleLoad(&module, path));
    unlink(path);
    EXPECT(CUDA_ERROR_FILE_NOT_FOUND, mock_cuModuleLoad(&module, path));
    function(module, "plain");
}

Test(module, functions)
{
    CUfunction found;
    CUmodule module, of = NULL;

    start();
    module = load();
    found = function(module, "many");
    OK(mock_cuFuncGetModule(&of, found));
    cr_expect(eq(ptr, of, module));
    EXPECT(CUDA_ERROR_NOT_FOUND, mock_cuModuleGetFunction(&found, module, "helper"));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuModuleGetFunction(&found, module, ""));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuModuleGetFunction(&found, module, NULL));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuModuleGetFunction(&found, NULL, "plain"));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuModuleGetFunction(&found, GARBAGE, "plain"));
    OK(mock_cuModuleUnload(module));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuModuleUnload(module));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuFuncGetModule(&of, found));
}

#if CUDA_VERSION >= 12040
Test(module, parameters)
{
    size_t n_params = 0;
    static const size_t offsets[] = {0, 8, 16, 32, 48}, sizes[] = {1, 8, 12, 16, 4};
    CUfunction many, plain;
    unsigned count = 0;
    CUmodule module;

    start();
    module = load();
    OK(mock_cuModuleGetFunctionCount(&count, module));
    cr_expect(eq(uint, count, 3));
    many = function(module, "many");
    plain = function(module, "bare");
    for (size_t i = 0; i < 5; i++) {
        size_t offset = 99, size = 99;

        OK(mock_cuFuncGetParamInfo(many, i, &offset, &size));
        cr_expect(eq(sz, offset, offsets[i]), "parameter %zu", i);
        cr_expect(eq(sz, size, sizes[i]), "parameter %zu", i);
    }
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuFuncGetParamInfo(many, 5, &(size_t){0}, NULL));
    OK(mock_cuFuncGetParamCount(many, &n_params));
    cr_expect(eq(sz, n_params, 5));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuFuncGetParamCount(many, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuFuncGetParamInfo(plain, 0, &(size_t){0}, NULL));
}
#endif

static int attribute(CUfunction of, CUfunction_attribute name)
{
    int value = -99;

    OK(mock_cuFuncGetAttribute(&value, name, of));
    return value;
}

Test(module, function_attributes)
{
    CUmodule module;
    CUfunction many;

    start();
    module = load();
    many = function(module, "many");
    cr_expect(eq(int, attribute(many, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES), 104));
    cr_expect(eq(int, attribute(many, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES), 8));
    cr_expect(eq(int, attribute(many, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES), 8));
    cr_expect(eq(int, attribute(many, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 1024));
    cr_expect(eq(int, attribute(many, CU_FUNC_ATTRIBUTE_PTX_VERSION), 70));
    cr_expect(eq(int, attribute(many, CU_FUNC_ATTRIBUTE_BINARY_VERSION), 90));
    cr_expect(eq(int, attribute(function(module, "plain"), CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
                 256));
    OK(mock_cuFuncSetAttribute(many, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 65536));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuFuncSetAttribute(many, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 24));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuFuncSetAttribute(many, CU_FUNC_ATTRIBUTE_NUM_REGS, 3));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuFuncGetAttribute(&(int){0}, (CUfunction_attribute) 99, many));
    EXPECT(CUDA_ERROR_INVALID_HANDLE,
           mock_cuFuncGetAttribute(&(int){0}, CU_FUNC_ATTRIBUTE_NUM_REGS, GARBAGE));
}

Test(module, variables)
{
    unsigned char bytes[64];
    CUdeviceptr p = 0;
    size_t size = 0;
    CUmodule module;

    start();
    module = load();
    OK(mock_cuModuleGetGlobal_v2(&p, &size, module, "table"));
    cr_expect(eq(sz, size, 64));
    OK(mock_cuMemcpyDtoH_v2(bytes, p, 64));
    OK(mock_cuMemsetD8_v2(p, 1, 64));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemFree_v2(p));
    OK(mock_cuModuleGetGlobal_v2(NULL, &size, module, "lanes"));
    cr_expect(eq(sz, size, 2 * 3 * 16));
    OK(mock_cuModuleGetGlobal_v2(&p, &size, module, "constants"));
    cr_expect(eq(sz, size, 8));
    EXPECT(CUDA_ERROR_NOT_FOUND, mock_cuModuleGetGlobal_v2(&p, &size, module, "no"));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuModuleGetGlobal_v2(&p, &size, module, "plain"));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuModuleGetGlobal_v2(NULL, NULL, module, "table"));
    OK(mock_cuModuleUnload(module));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemsetD8_v2(p, 1, 8));
}

/* A fat binary with machine code and, if it is wanted, a text. */
static size_t make_fatbin(unsigned char *bytes, const char *text)
{
    const struct {
        uint16_t kind, version;
        uint32_t header;
        uint64_t size;
        uint32_t compressed, reserved, versions, target;
        uint64_t name, flags, more, text_size;
    } code = {.kind = 2, .version = 0x101, .header = 64, .size = 4, .target = 90},
      ptx_entry = {
          .kind = 1, .version = 0x101, .header = 64, .size = text ? strlen(text) : 0, .target = 70};
    uint64_t size = sizeof(code) + 4;

    memcpy(bytes + 16, &code, sizeof(code));
    memcpy(bytes + 16 + sizeof(code),
           "\x7f"
           "ELF",
           4);
    if (text) {
        memcpy(bytes + 16 + size, &ptx_entry, sizeof(ptx_entry));
        memcpy(bytes + 16 + size + sizeof(ptx_entry), text, ptx_entry.size);
        size += sizeof(ptx_entry) + ptx_entry.size;
    }
    memcpy(bytes, "\x50\xed\x55\xba\x01\x00\x10\x00", 8);
    memcpy(bytes + 8, &size, sizeof(size));
    return 16 + size;
}

Test(module, fat_binaries)
{
    unsigned char bytes[4096];
    const struct {
        unsigned magic, version;
        const void *data, *file;
    } wrapper = {0x466243b1, 1, bytes, NULL};
    CUlinkState link = NULL;
    CUmodule module = NULL;
    void *image = NULL;
    size_t size;

    start();
    size = make_fatbin(bytes, ptx);
    OK(mock_cuModuleLoadData(&module, bytes));
    function(module, "plain");
    OK(mock_cuModuleLoadFatBinary(&module, &wrapper));
    function(module, "plain");
    OK(mock_cuLinkCreate_v2(0, NULL, NULL, &link));
    OK(mock_cuLinkAddData_v2(link, CU_JIT_INPUT_FATBINARY, bytes, size, "", 0, NULL, NULL));
    OK(mock_cuLinkComplete(link, &image, NULL));
    OK(mock_cuModuleLoadData(&module, image));
    function(module, "plain");
    make_fatbin(bytes, NULL);
    EXPECT(CUDA_ERROR_NO_BINARY_FOR_GPU, mock_cuModuleLoadData(&module, bytes));
}

Test(module, warnings_are_in_the_other_log)
{
    char errors[64] = "x", infos[256] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                              CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {errors, (void *) sizeof(errors), infos, (void *) sizeof(infos)};
    CUmodule module;

    start();
    OK(mock_cuModuleLoadDataEx(&module, HEADER ".extern .global .u32 a;", 4, options, values));
    cr_expect(eq(str, errors, S("")));
    cr_expect(eq(str, infos,
                 S("ptxas application ptx input, line 4; warning : Unresolved extern variable 'a' "
                   "in whole program compilation, ignoring extern qualifier\n")));
    cr_expect(eq(sz, (size_t) values[3], strlen(infos)));
}

static unsigned stand_in_runs;

static void stand_in(const struct cushim_mock_launch *launch, void *const *args)
{
    (void) launch, (void) args;
    stand_in_runs++;
}

/* One instruction and another. */
Test(module, a_host_function_stands_for_what_is_not_executed)
{
    static const char *const bodies[] = {"fabric.submit; ret; }",
                                         "multimem.st.async [%rd1], 1; ret; }"};

    start();
    for (size_t i = 0; i < 2; i++) {
        CUfunction function = NULL;
        CUmodule module = NULL;
        char text[256];

        snprintf(text, sizeof(text),
                 ".version 8.1\n.target sm_90\n.address_size 64\n.entry stand_in() {\n"
                 ".reg .b64 %%rd1;\n%s",
                 bodies[i]);
        EXPECT(CUDA_ERROR_NOT_SUPPORTED, mock_cuModuleLoadData(&module, text));
        cr_assert(eq(int, cushim_mock_register_kernel("stand_in", stand_in, NULL), CUSHIM_OK));
        OK(mock_cuModuleLoadData(&module, text));
        OK(mock_cuModuleGetFunction(&function, module, "stand_in"));
        OK(mock_cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
        OK(mock_cuCtxSynchronize());
        cr_expect(eq(uint, stand_in_runs, i + 1));
        cr_assert(eq(int, cushim_mock_register_kernel("stand_in", NULL, NULL), CUSHIM_OK));
        EXPECT(CUDA_ERROR_NOT_SUPPORTED,
               mock_cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
        OK(mock_cuModuleUnload(module));
    }
}

Test(module, what_is_not_executed_is_refused)
{
    char errors[256] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {errors, (void *) sizeof(errors)};
    CUmodule module;

    start();
    EXPECT(CUDA_ERROR_NOT_SUPPORTED,
           mock_cuModuleLoadDataEx(&module,
                                   ".version 8.0\n.target sm_90\n.entry k() {\n"
                                   "fabric.submit; ret; }",
                                   2, options, values));
    cr_expect(ne(ptr,
                 strstr(errors, "line 4; error   : Instruction 'fabric.submit' "
                                "(tier 4) is not executed by this device"),
                 NULL),
              "%s", errors);
}

/* What the process has in memory. */
static size_t resident_bytes(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;

    cr_assert(file && fscanf(file, "%*u %lu", &pages) == 1);
    fclose(file);
    return pages * (size_t) sysconf(_SC_PAGESIZE);
}

static CUdeviceptr global(CUmodule module, const char *name)
{
    CUdeviceptr address = 0;

    OK(mock_cuModuleGetGlobal_v2(&address, NULL, module, name));
    return address;
}

/* Gigabytes of zeros are nothing to the host until somebody writes them. */
Test(module, a_large_variable_takes_no_memory)
{
    CUmodule module = NULL;
    size_t before;
    unsigned char byte = 1;

    start();
    before = resident_bytes();
    OK(mock_cuModuleLoadData(&module, HEADER ".global .b8 large[3000000000];"));
    cr_expect(lt(sz, resident_bytes() - before, (size_t) 100 << 20));
    OK(mock_cuMemcpyDtoH_v2(&byte, global(module, "large") + 2999999999, 1));
    cr_expect(eq(uint, byte, 0));
    OK(mock_cuModuleUnload(module));
}

/* Memory that had other bytes before: enough of it that the module's comes from there. */
static void leave_dirty(void)
{
    enum { BYTES = 900 << 10, N = 72 };
    CUdeviceptr memory[N];

    for (int i = 0; i < N; i++) {
        OK(mock_cuMemAlloc_v2(&memory[i], BYTES));
        OK(mock_cuMemsetD8_v2(memory[i], 0xff, BYTES));
    }
    OK(mock_cuCtxSynchronize());
    for (int i = 0; i < N; i++)
        OK(mock_cuMemFree_v2(memory[i]));
}

static void expect_zeros(CUdeviceptr address, size_t n)
{
    unsigned char *bytes = malloc(n);
    size_t zeros = 0;

    cr_assert(ne(ptr, bytes, NULL));
    OK(mock_cuMemcpyDtoH_v2(bytes, address, n));
    while (zeros < n && !bytes[zeros])
        zeros++;
    cr_expect(eq(sz, zeros, n));
    free(bytes);
}

Test(module, variables_are_zeros_in_memory_that_others_had)
{
    CUmodule module = NULL;

    start();
    for (int i = 0; i < 4; i++) {
        leave_dirty();
        OK(mock_cuModuleLoadData(&module, HEADER ".global .b8 small[1000];\n"
                                                 ".global .b8 a[65536];\n"
                                                 ".global .b8 b[10000001];\n"
                                                 ".global .b8 c[20000000];"));
        expect_zeros(global(module, "small"), 1000);
        expect_zeros(global(module, "a"), 65536);
        expect_zeros(global(module, "b"), 10000001);
        expect_zeros(global(module, "c"), 20000000);
        OK(mock_cuModuleUnload(module));
    }
}
