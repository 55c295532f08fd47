/* SPDX-License-Identifier: MIT */
/* The linker, and launches as they were before cuLaunchKernel(). */
#include <cushim/mock.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime_archive.h"
#include "support.h"

#define S(text)    ((char *) (text))
#define TEXT(text) ((void *) (uintptr_t) (text))
#define HEADER     ".version 7.0\n.target sm_70, debug\n.address_size 64\n"

static const char first[] =
    "// first\n" HEADER ".global .u32 a = 7;\n.visible .entry one() { ret; }";
static const char second[] =
    HEADER ".visible .entry two(.param .u32 v, .param .u64 p, .param .f32 f) { ret; }\n";

TestSuite(link);

static CUlinkState create(void)
{
    CUlinkState state = NULL;

    OK(mock_cuLinkCreate_v2(0, NULL, NULL, &state));
    return state;
}

static CUresult add(CUlinkState state, const char *text)
{
    return mock_cuLinkAddData_v2(state, CU_JIT_INPUT_PTX, TEXT(text), strlen(text) + 1, "name", 0,
                                 NULL, NULL);
}

Test(link, two_texts)
{
    CUfunction function = NULL;
    CUmodule module = NULL;
    CUlinkState state;
    void *image = NULL;
    size_t size = 0;

    start();
    state = create();
    OK(add(state, first));
    OK(add(state, second));
    OK(mock_cuLinkComplete(state, &image, &size));
    cr_expect(eq(sz, size, strlen(image) + 1));
    EXPECT(CUDA_ERROR_INVALID_VALUE, add(state, second));
    OK(mock_cuModuleLoadData(&module, image));
    OK(mock_cuLinkDestroy(state));
    EXPECT(CUDA_SUCCESS, mock_cuModuleGetFunction(&function, module, "one"));
    EXPECT(CUDA_SUCCESS, mock_cuModuleGetFunction(&function, module, "two"));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuLinkDestroy(state));
}

static const char other[] =
    "!<arch>\n" MEMBER("//              ", "24        ") "cuda_device_runtimes.o/\n" MEMBER(
        "/0              ", "4         ") "\177ELF";

static CUresult add_library(CUlinkState state, const char *archive, size_t size)
{
    return mock_cuLinkAddData_v2(state, CU_JIT_INPUT_LIBRARY, TEXT(archive), size, "library", 0,
                                 NULL, NULL);
}

Test(link, the_library_of_the_device_runtime)
{
    static const char text[] =
        HEADER ".extern .func cudaGraphSetConditional(.param .b64 h, .param .b32 v);\n"
               ".visible .entry one(.param .u64 h) { .reg .b64 %h; ld.param.u64 %h, [h];\n"
               "{ .param .b64 a; .param .b32 b; st.param.b64 [a], %h; st.param.b32 [b], 1;\n"
               "call.uni cudaGraphSetConditional, (a, b); } ret; }\n";
    CUlinkState state;
    CUmodule module = NULL;
    void *image = NULL;
    size_t size = 0;

    start();
    state = create();
    OK(add_library(state, runtime, sizeof(runtime) - 1));
    OK(add(state, text));
    EXPECT(CUDA_ERROR_NO_BINARY_FOR_GPU, add_library(state, other, sizeof(other) - 1));
    EXPECT(CUDA_ERROR_NO_BINARY_FOR_GPU, add_library(state, runtime, 8));
    EXPECT(CUDA_ERROR_NO_BINARY_FOR_GPU, add_library(state, runtime, 140));
    OK(mock_cuLinkComplete(state, &image, &size));
    OK(mock_cuModuleLoadData(&module, image));
    OK(mock_cuLinkDestroy(state));
}

/*
 * Each thread writes what it is told, and, for each of 3 rounds, how many threads came before all
 * met.
 */
static const char groups[] = HEADER
    ".extern .func (.param .b64 r) cudaCGGetIntrinsicHandle(.param .b32 a);\n"
    ".extern .func (.param .b32 r) cudaCGSynchronize(.param .b64 a, .param .b32 b);\n"
    ".extern .func (.param .b32 r) cudaCGGetSize(.param .b64 a, .param .b64 b, .param .b64 c);\n"
    ".extern .func (.param .b32 r) cudaCGGetRank(.param .b64 a, .param .b64 b, .param .b64 c);\n"
    ".global .u32 count;\n"
    ".visible .entry grid(.param .u64 p) { .reg .b64 %p, %h, %a, %b; .reg .b32 %r<9>; .reg .pred "
    "%q;\n"
    ".local .b32 x; .local .b32 y; .param .b32 scope; .param .b64 h; .param .b64 a; .param .b64 "
    "b;\n"
    ".param .b32 flags; .param .b32 r; mov.u32 %r7, 0;\n"
    "mov.u64 %a, x; cvta.local.u64 %a, %a; mov.u64 %b, y; cvta.local.u64 %b, %b;\n"
    "st.param.b32 [scope], 1; call (h), cudaCGGetIntrinsicHandle, (scope); ld.param.b64 %h, [h];\n"
    "st.param.b64 [a], %a; st.param.b64 [b], %b; st.param.b64 [h], %h; st.param.b32 [flags], 0;\n"
    "call (r), cudaCGGetRank, (a, b, h); ld.param.b32 %r1, [r]; ld.local.u32 %r2, [x];\n"
    "ld.local.u32 %r3, [y]; call (r), cudaCGGetSize, (a, b, h); ld.local.u32 %r4, [x];\n"
    "AGAIN: atom.global.add.u32 %r5, [count], 1; call (r), cudaCGSynchronize, (h, flags);\n"
    "ld.param.b32 %r6, [r]; ld.volatile.global.u32 %r5, [count];\n"
    "call (r), cudaCGSynchronize, (h, flags); add.u32 %r7, %r7, 1; setp.lt.u32 %q, %r7, 3;\n"
    "@%q bra AGAIN; mov.u32 %r8, %ctaid.x; mov.u32 %r7, %ntid.x; mul.lo.u32 %r8, %r8, %r7;\n"
    "mov.u32 %r7, %tid.x; add.u32 %r8, %r8, %r7; ld.param.u64 %p, [p]; mul.wide.u32 %b, %r8, 24;\n"
    "add.u64 %p, %p, %b; st.global.v2.u32 [%p], {%r1, %r2}; st.global.v2.u32 [%p+8], {%r3, %r4};\n"
    "st.global.v2.u32 [%p+16], {%r5, %r6}; ret; }\n";

enum { N_BLOCKS = 5, N_THREADS = 40, N_ALL = N_BLOCKS * N_THREADS };

/* Launches it, and reads what each thread wrote. */
static void run_groups(CUfunction function, bool cooperative, unsigned (*ret_told)[6])
{
    CUdeviceptr memory = 0;
    void *params[] = {&memory};

    OK(mock_cuMemAlloc_v2(&memory, N_ALL * sizeof(*ret_told)));
    if (cooperative)
        OK(mock_cuLaunchCooperativeKernel(function, N_BLOCKS, 1, 1, N_THREADS, 1, 1, 0, NULL,
                                          params));
    else
        OK(mock_cuLaunchKernel(function, N_BLOCKS, 1, 1, N_THREADS, 1, 1, 0, NULL, params, NULL));
    OK(mock_cuMemcpyDtoH_v2(ret_told, memory, N_ALL * sizeof(*ret_told)));
    OK(mock_cuMemFree_v2(memory));
}

Test(link, cooperative_groups_of_the_device_runtime)
{
    static unsigned told[N_ALL][6];
    CUfunction function = NULL;
    CUmodule module = NULL;
    CUlinkState state;
    void *image = NULL;
    size_t size = 0;

    start();
    state = create();
    OK(add(state, groups));
    OK(add_library(state, runtime, sizeof(runtime) - 1));
    OK(add_library(state, runtime, sizeof(runtime) - 1));
    OK(mock_cuLinkComplete(state, &image, &size));
    OK(mock_cuModuleLoadData(&module, image));
    OK(mock_cuModuleGetFunction(&function, module, "grid"));
    run_groups(function, true, told);
    for (unsigned i = 0; i < N_ALL; i++) {
        const unsigned wanted[6] = {0, i, 1, N_ALL, 3 * N_ALL, 0};

        for (unsigned k = 0; k < 6; k++)
            cr_expect(eq(u32, told[i][k], wanted[k]), "word %u of thread %u", k, i);
    }
    /* A launch that is not cooperative has no grid to meet. */
    run_groups(function, false, told);
    for (unsigned k = 0; k < 6; k++)
        cr_expect(eq(u32, told[7][k], k == 4 ? told[7][4] : k == 0 || k == 5 ? 999 : 0), "%u", k);
    EXPECT(CUDA_SUCCESS, mock_cuLinkDestroy(state));
}

/* A comment is a comment, whatever it says. */
Test(link, a_text_that_begins_as_linked_ones_once_did)
{
    static const char text[] =
        "// cushim: joined texts of 5 bytes\n" HEADER ".visible .entry one() { ret; }";
    CUfunction function = NULL;
    CUmodule module = NULL;
    CUlinkState state;
    void *image = NULL;
    size_t size = 0;

    start();
    OK(mock_cuModuleLoadData(&module, text));
    EXPECT(CUDA_SUCCESS, mock_cuModuleGetFunction(&function, module, "one"));
    state = create();
    OK(add(state, text));
    OK(add(state, second));
    OK(mock_cuLinkComplete(state, &image, &size));
    OK(mock_cuModuleLoadData(&module, image));
    EXPECT(CUDA_SUCCESS, mock_cuModuleGetFunction(&function, module, "two"));
}

Test(link, a_failed_input_leaves_the_rest)
{
    char log[128] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *) sizeof(log)}, *image = NULL;
    CUlinkState state = NULL;
    size_t size = 0;

    start();
    OK(mock_cuLinkCreate_v2(2, options, values, &state));
    EXPECT(CUDA_ERROR_INVALID_IMAGE, add(state, "zz"));
    EXPECT(CUDA_ERROR_INVALID_PTX, add(state, HEADER ".entry"));
    OK(add(state, first));
    values[1] = (void *) sizeof(log);
    EXPECT(CUDA_ERROR_INVALID_IMAGE, add(state, first));
    cr_expect(eq(str, log, S("error   : Multiple definition of 'one'\n")));
    EXPECT(CUDA_SUCCESS, mock_cuLinkComplete(state, &image, &size));
}

Test(link, input_types)
{
    static const struct {
        int type;
        CUresult result;
    } types[] = {
        {CU_JIT_INPUT_OBJECT, CUDA_ERROR_UNKNOWN},
        {CU_JIT_INPUT_LIBRARY, CUDA_ERROR_UNKNOWN},
        {CU_JIT_INPUT_NVVM, CUDA_ERROR_JIT_COMPILER_NOT_FOUND},
        {CU_JIT_INPUT_CUBIN, CUDA_ERROR_INVALID_IMAGE},
        {99, CUDA_ERROR_INVALID_VALUE},
    };
    CUlinkState state;
    void *image = NULL;
    size_t size = 0;

    start();
    state = create();
    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
        EXPECT(types[i].result, mock_cuLinkAddData_v2(state, (CUjitInputType) types[i].type,
                                                      TEXT(first), 4, "", 0, NULL, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuLinkAddData_v2(state, CU_JIT_INPUT_PTX, TEXT(first), 0, "", 0, NULL, NULL));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, add(GARBAGE, first));
    EXPECT(CUDA_ERROR_NO_BINARY_FOR_GPU,
           mock_cuLinkAddData_v2(state, CU_JIT_INPUT_CUBIN, TEXT("\177ELF"), 4, "", 0, NULL, NULL));
    /* An image that is none spoils the link. */
    OK(add(state, first));
    EXPECT(CUDA_ERROR_INVALID_IMAGE, mock_cuLinkComplete(state, &image, &size));
}

Test(link, of_nothing)
{
    CUlinkState state;
    CUmodule module = NULL;
    void *image = NULL;
    size_t size = 0;

    start();
    state = create();
    OK(mock_cuLinkComplete(state, &image, &size));
    OK(mock_cuModuleLoadData(&module, image));
    EXPECT(CUDA_ERROR_INVALID_VALUE, add(state, first));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuLinkComplete(state, &image, &size));
}

Test(link, a_text_may_end_with_its_size)
{
    CUlinkState state;
    char *exact;

    start();
    state = create();
    exact = malloc(strlen(second));
    cr_assert(ne(ptr, exact, NULL));
    memcpy(exact, second, strlen(second));
    EXPECT(CUDA_SUCCESS, mock_cuLinkAddData_v2(state, CU_JIT_INPUT_PTX, exact, strlen(second), "",
                                               0, NULL, NULL));
    free(exact);
}

/* The text, which ends with a zero at the end of memory. */
static char *at_the_end(const char *text)
{
    const size_t page = (size_t) sysconf(_SC_PAGESIZE), size = strlen(text) + 1;
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    cr_assert(ne(ptr, pages, MAP_FAILED));
    cr_assert(eq(int, mprotect(pages + page, page, PROT_NONE), 0));
    return memcpy(pages + page - size, text, size);
}

Test(link, a_text_may_be_shorter_than_its_size)
{
    static const char *const texts[] = {"", "a", "!<arch", "\177EL"};
    CUlinkState state;

    start();
    state = create();
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        EXPECT(CUDA_ERROR_UNKNOWN,
               mock_cuLinkAddData_v2(state, CU_JIT_INPUT_LIBRARY, at_the_end(texts[i]), 4096, "", 0,
                                     NULL, NULL));
    EXPECT(CUDA_ERROR_NO_BINARY_FOR_GPU,
           mock_cuLinkAddData_v2(state, CU_JIT_INPUT_LIBRARY, at_the_end("!<arch>\n"), 4096, "", 0,
                                 NULL, NULL));
    EXPECT(CUDA_SUCCESS, mock_cuLinkAddData_v2(state, CU_JIT_INPUT_PTX, at_the_end(second), 4096,
                                               "", 0, NULL, NULL));
}

Test(link, file)
{
    char path[] = "/tmp/cushim-mock-test-XXXXXX";
    const int file = mkstemp(path);
    CUlinkState state;

    cr_assert(ge(int, file, 0));
    cr_assert(eq(long, (long) write(file, first, strlen(first)), (long) strlen(first)));
    close(file);
    start();
    state = create();
    EXPECT(CUDA_SUCCESS, mock_cuLinkAddFile_v2(state, CU_JIT_INPUT_PTX, path, 0, NULL, NULL));
    unlink(path);
    EXPECT(CUDA_ERROR_FILE_NOT_FOUND,
           mock_cuLinkAddFile_v2(state, CU_JIT_INPUT_PTX, path, 0, NULL, NULL));
}

Test(link, goes_with_its_context)
{
    CUlinkState state;

    start();
    state = create();
    OK(add(state, first));
    OK(mock_cuDevicePrimaryCtxReset_v2(0));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuLinkDestroy(state));
}

static struct {
    unsigned v, grid[3], block[3];
    uint64_t p;
    float f;
    size_t shared_bytes;
} seen;

static void two(const struct cushim_mock_launch *launch, void *const *args)
{
    seen.v = *(const unsigned *) args[0];
    seen.p = *(const uint64_t *) args[1];
    seen.f = *(const float *) args[2];
    memcpy(seen.grid, launch->grid, sizeof(seen.grid));
    memcpy(seen.block, launch->block, sizeof(seen.block));
    seen.shared_bytes = launch->shared_bytes;
}

static CUfunction load_two(void)
{
    CUfunction function = NULL;
    CUmodule module = NULL;

    cr_assert(eq(int, cushim_mock_register_kernel("two", two, NULL), CUSHIM_OK));
    OK(mock_cuModuleLoadData(&module, second));
    OK(mock_cuModuleGetFunction(&function, module, "two"));
    return function;
}

TestSuite(launch_grid);

Test(launch_grid, arguments)
{
    CUfunction function;
    uint64_t p = 0x1234567890;

    start();
    function = load_two();
    OK(mock_cuFuncSetBlockShape(function, 4, 2, 1));
    OK(mock_cuFuncSetSharedSize(function, 256));
    OK(mock_cuParamSeti(function, 0, 77));
    OK(mock_cuParamSetv(function, 8, &p, sizeof(p)));
    OK(mock_cuParamSetf(function, 16, 1.5f));
    OK(mock_cuParamSetSize(function, 20));
    EXPECT(CUDA_SUCCESS, mock_cuLaunchGrid(function, 3, 2));
    EXPECT(CUDA_SUCCESS, mock_cuCtxSynchronize());
    cr_expect(eq(uint, seen.v, 77));
    cr_expect(eq(u64, seen.p, p));
    cr_expect(eq(flt, seen.f, 1.5f));
    cr_expect(eq(uint, seen.grid[0], 3));
    cr_expect(eq(uint, seen.grid[1], 2));
    cr_expect(eq(uint, seen.block[1], 2));
    cr_expect(eq(sz, seen.shared_bytes, 256));
}

Test(launch_grid, mistakes)
{
    CUfunction function;

    start();
    function = load_two();
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuLaunch(function));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuFuncSetBlockShape(function, 0, 1, 1));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuFuncSetBlockShape(function, 33, 33, 1));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuFuncSetSharedSize(function, 1u << 20));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuParamSeti(function, 4093, 1));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuParamSeti(function, -1, 1));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuParamSetSize(function, 4097));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuParamSetv(function, 0, NULL, 4));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuLaunchGrid(function, 0, 1));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuLaunch(GARBAGE));
}

/* Behind the parameters of the function there is room, and what is put there goes nowhere. */
Test(launch_grid, more_arguments_than_parameters)
{
    CUfunction function;
    uint64_t p[64] = {0x1234567890};

    start();
    function = load_two();
    OK(mock_cuParamSeti(function, 0, 77));
    OK(mock_cuParamSetv(function, 8, p, sizeof(p)));
    OK(mock_cuParamSetf(function, 16, 1.5f));
    OK(mock_cuParamSeti(function, 4000, 1));
    OK(mock_cuParamSetSize(function, 4096));
    EXPECT(CUDA_SUCCESS, mock_cuLaunch(function));
    EXPECT(CUDA_SUCCESS, mock_cuCtxSynchronize());
    cr_expect(eq(uint, seen.v, 77));
    cr_expect(eq(u64, seen.p, p[0]));
    cr_expect(eq(flt, seen.f, 1.5f));
    cr_expect(eq(uint, seen.block[0], 1));
}

TestSuite(leftovers);

Test(leftovers, luid)
{
    unsigned mask;
    char luid[8];

    start();
    EXPECT(CUDA_ERROR_NOT_SUPPORTED, mock_cuDeviceGetLuid(luid, &mask, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuDeviceGetLuid(NULL, &mask, 0));
    EXPECT(CUDA_ERROR_INVALID_DEVICE, mock_cuDeviceGetLuid(luid, &mask, 9));
}

#if CUDA_VERSION >= 12050
Test(leftovers, events_of_contexts)
{
    CUcontext zero = start(), one = NULL;
    CUevent event = NULL;

    OK(mock_cuEventCreate(&event, 0));
    OK(mock_cuDevicePrimaryCtxRetain(&one, 1));
    EXPECT(CUDA_ERROR_INVALID_CONTEXT, mock_cuCtxRecordEvent(NULL, event));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuCtxRecordEvent(zero, NULL));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuCtxRecordEvent(one, event));
    EXPECT(CUDA_SUCCESS, mock_cuCtxRecordEvent(zero, event));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuCtxWaitEvent(zero, GARBAGE));
    EXPECT(CUDA_SUCCESS, mock_cuCtxWaitEvent(one, event));
}
#endif
