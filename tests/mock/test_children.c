/* SPDX-License-Identifier: MIT */
/* Kernels that launch kernels. What nvcc makes of CUDA C++ is in tests/standin. */
#include <cushim/mock.h>
#include <stdio.h>
#include <string.h>

#include "runtime_archive.h"
#include "support.h"

#define HEADER ".version 7.0\n.target sm_70\n.address_size 64\n"

enum { N_WORDS = 256 };

/*
 * note(p, v) writes v behind what others have written, whose number is in the first word.
 * launch() launches a kernel with such parameters, and returns the thread's last error.
 */
static const char common[] = HEADER
    ".extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(.param .b64 a,\n"
    ".param .align 4 .b8 b[12], .param .align 4 .b8 c[12], .param .b32 d);\n"
    ".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 a, .param .b64 b);\n"
    ".extern .func (.param .b32 r) __cudaCDP2GetLastError();\n"
    ".visible .entry note(.param .u64 p, .param .u32 v) { .reg .b64 %p, %i; .reg .b32 %n, %v;\n"
    "ld.param.u64 %p, [p]; ld.param.u32 %v, [v]; atom.global.add.u32 %n, [%p], 1;\n"
    "mul.wide.u32 %i, %n, 4; add.u64 %i, %p, %i; st.global.u32 [%i+4], %v; ret; }\n"
    ".func (.param .b32 error) launch(.param .b64 kernel, .param .b32 threads, .param .b64 p,\n"
    ".param .b32 v, .param .b64 stream) { .reg .b64 %x, %room; .reg .b32 %y; .reg .pred %q;\n"
    "{ .param .b64 k; .param .align 4 .b8 grid[12]; .param .align 4 .b8 block[12];\n"
    ".param .b32 shared; .param .b64 room; ld.param.b64 %x, [kernel]; st.param.b64 [k], %x;\n"
    "st.param.b32 [grid], 1; st.param.b32 [grid+4], 1; st.param.b32 [grid+8], 1;\n"
    "ld.param.b32 %y, [threads]; st.param.b32 [block], %y; st.param.b32 [block+4], 1;\n"
    "st.param.b32 [block+8], 1; st.param.b32 [shared], 0;\n"
    "call (room), __cudaCDP2GetParameterBufferV2, (k, grid, block, shared);\n"
    "ld.param.b64 %room, [room]; } setp.eq.u64 %q, %room, 0; @%q bra DONE;\n"
    "ld.param.b64 %x, [p]; st.u64 [%room], %x; ld.param.b32 %y, [v]; st.u32 [%room+8], %y;\n"
    "{ .param .b64 room; .param .b64 s; .param .b32 r; st.param.b64 [room], %room;\n"
    "ld.param.b64 %x, [stream]; st.param.b64 [s], %x;\n"
    "call (r), __cudaCDP2LaunchDeviceV2, (room, s); }\n"
    "DONE: { .param .b32 r; call (r), __cudaCDP2GetLastError, (); ld.param.b32 %y, [r]; }\n"
    "st.param.b32 [error], %y; ret; }\n";

/* A call of launch(): a kernel, threads, a value, a stream. Its result is in %error. */
#define LAUNCH(kernel, threads, value, stream)                                                     \
    "{ .param .b64 k, to, s; .param .b32 t, x, e; mov.u64 %k, " kernel "; st.param.b64 [k], %k;\n" \
    "st.param.b32 [t], " threads "; st.param.b64 [to], %p; st.param.b32 [x], " value ";\n"         \
    "st.param.b64 [s], " stream "; call (e), launch, (k, t, to, x, s);\n"                          \
    "ld.param.b32 %error, [e]; }\n"

#define KERNEL(name, body)                                                                         \
    ".visible .entry " name "(.param .u64 p, .param .u32 v) { .reg .b64 %p, %k; .reg .b32 %v, "    \
    "%error; .reg .pred %q;\nld.param.u64 %p, [p]; ld.param.u32 %v, [v];\n" body "ret; }\n"

/* What it launches for its end comes after all else, whenever it launched it. */
static const char text[] =
    KERNEL("inner", LAUNCH("note", "1", "21", "0") LAUNCH("note", "1", "29", "3")
                        LAUNCH("note", "1", "22", "0"))
        KERNEL("order", LAUNCH("note", "1", "100", "3") LAUNCH("note", "1", "1", "0")
                            LAUNCH("note", "1", "2", "4") LAUNCH("note", "1", "101", "3")
                                LAUNCH("inner", "1", "20", "0") LAUNCH("note", "1", "3", "0"));

/* Those that launch themselves, as deep as v says, add 1 to the first word each. */
static const char more_text[] =
    KERNEL("deep", "atom.global.add.u32 %error, [%p], 1; setp.eq.u32 %q, %v, 0; @%q ret;\n"
                   "sub.u32 %v, %v, 1;\n" LAUNCH("deep", "1", "%v", "0"))
        KERNEL("tails", "atom.global.add.u32 %error, [%p], 1; setp.eq.u32 %q, %v, 0; @%q ret;\n"
                        "sub.u32 %v, %v, 1;\n" LAUNCH("tails", "1", "%v", "3"));

static const char wrong_text[] =
    KERNEL("wrong",
           LAUNCH("note", "0", "1", "0") "st.global.u32 [%p+40], %error;\n" LAUNCH(
               "note", "1025", "1",
               "0") "st.global.u32 [%p+44], %error;\n" LAUNCH("note", "1", "1",
                                                              "0x1234567") "st.global.u32 [%p+48], "
                                                                           "%error;\n" LAUNCH(
                                                                               "note", "1", "7",
                                                                               "0") "st."
                                                                                    "global"
                                                                                    ".u32 "
                                                                                    "[%p+"
                                                                                    "52], "
                                                                                    "%error"
                                                                                    ";\n")
        KERNEL("wild", "mov.u64 %k, 0x10000000000; add.u64 %p, %p, %k; st.global.u32 [%p], 1;\n")
            KERNEL("parent", LAUNCH("wild", "1", "1", "0") LAUNCH("note", "1", "9", "0"));

TestSuite(children);

static CUmodule load(bool with_runtime, CUresult wanted)
{
    char whole[sizeof(common) + sizeof(text) + sizeof(more_text) + sizeof(wrong_text)];
    CUlinkState state = NULL;
    CUmodule module = NULL;
    void *image = NULL;
    size_t size = 0;

    snprintf(whole, sizeof(whole), "%s%s%s%s", common, text, more_text, wrong_text);
    OK(mock_cuLinkCreate_v2(0, NULL, NULL, &state));
    OK(mock_cuLinkAddData_v2(state, CU_JIT_INPUT_PTX, whole, strlen(whole) + 1, "text", 0, NULL,
                             NULL));
    if (with_runtime)
        OK(mock_cuLinkAddData_v2(state, CU_JIT_INPUT_LIBRARY, (void *) (uintptr_t) runtime,
                                 sizeof(runtime) - 1, "library", 0, NULL, NULL));
    EXPECT(wanted, mock_cuLinkComplete(state, &image, &size));
    if (!wanted)
        OK(mock_cuModuleLoadData(&module, image));
    OK(mock_cuLinkDestroy(state));
    return module;
}

static CUdeviceptr words(void)
{
    CUdeviceptr memory = 0;

    OK(mock_cuMemAlloc_v2(&memory, N_WORDS * sizeof(unsigned)));
    OK(mock_cuMemsetD8_v2(memory, 0, N_WORDS * sizeof(unsigned)));
    return memory;
}

static void launch(CUmodule module, const char *name, CUdeviceptr memory, unsigned value,
                   CUstream stream)
{
    void *params[] = {&memory, &value};
    CUfunction function = NULL;

    OK(mock_cuModuleGetFunction(&function, module, name));
    OK(mock_cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL));
}

static void expect_words(CUdeviceptr memory, const unsigned *wanted, size_t n)
{
    unsigned found[N_WORDS];

    OK(mock_cuMemcpyDtoH_v2(found, memory, n * sizeof(*found)));
    for (size_t i = 0; i < n; i++)
        cr_expect(eq(uint, found[i], wanted[i]), "word %zu", i);
}

static void expect_no_finding(void)
{
    const struct cushim_mock_finding *all = NULL;
    const size_t n = cushim_mock_findings(&all);

    cr_expect(eq(sz, n, 0), "%s", n ? all[0].text : "");
}

Test(children, run_in_the_order_of_their_launches)
{
    const unsigned wanted[] = {8, 1, 2, 21, 22, 29, 3, 100, 101};
    CUdeviceptr memory;
    CUmodule module;

    start();
    module = load(true, CUDA_SUCCESS);
    memory = words();
    launch(module, "order", memory, 0, NULL);
    OK(mock_cuCtxSynchronize());
    expect_words(memory, wanted, sizeof(wanted) / sizeof(*wanted));
    expect_no_finding();
    OK(mock_cuMemFree_v2(memory));
    OK(mock_cuModuleUnload(module));
    cr_expect(eq(sz, cushim_mock_leaks(), 1)); /* the primary context */
}

Test(children, launch_children_themselves)
{
    CUdeviceptr memory;
    CUmodule module;

    start();
    module = load(true, CUDA_SUCCESS);
    memory = words();
    launch(module, "deep", memory, 500, NULL);
    expect_words(memory, &(unsigned){501}, 1);
    launch(module, "tails", memory, 3000, NULL);
    expect_words(memory, &(unsigned){3502}, 1);
    expect_no_finding();
}

Test(children, that_never_end_are_ended)
{
    const struct cushim_mock_finding *all = NULL;
    CUdeviceptr memory;
    CUmodule module;

    setenv("CUSHIM_MOCK_PTX_STEPS", "40960000", 1); /* 10000 launches */
    start();
    module = load(true, CUDA_SUCCESS);
    memory = words();
    launch(module, "tails", memory, 9990, NULL);
    OK(mock_cuCtxSynchronize());
    launch(module, "tails", memory, 20000, NULL);
    EXPECT(CUDA_ERROR_LAUNCH_TIMEOUT, mock_cuCtxSynchronize());
    cr_assert(eq(sz, cushim_mock_findings(&all), 1));
    cr_expect(strstr(all[0].text, "kernel 'tails' (launched by kernel 'tails') comes after 10001"),
              "%s", all[0].text);
}

Test(children, are_refused_with_the_last_error)
{
    const unsigned wanted[] = {9, 9, 1, 0}, ran[] = {1, 7};
    CUdeviceptr memory;
    CUmodule module;

    start();
    module = load(true, CUDA_SUCCESS);
    memory = words();
    launch(module, "wrong", memory, 0, NULL);
    expect_words(memory + 40, wanted, 4);
    expect_words(memory, ran, 2);
}

Test(children, fail_with_the_names_of_both)
{
    const struct cushim_mock_finding *all = NULL;
    CUdeviceptr memory;
    CUmodule module;

    start();
    module = load(true, CUDA_SUCCESS);
    memory = words();
    launch(module, "parent", memory, 0, NULL);
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, mock_cuCtxSynchronize());
    cr_assert(eq(sz, cushim_mock_findings(&all), 1));
    cr_expect(strstr(all[0].text, "kernel 'wild' (launched by kernel 'parent'), line"), "%s",
              all[0].text);
}

/* Each stream has work of its own; what they share is only the room for parameters. */
Test(children, of_several_streams_share_nothing)
{
    const unsigned wanted[] = {8, 1, 2, 21, 22, 29, 3, 100, 101};
    CUdeviceptr memory[2];
    CUstream streams[2];
    CUmodule module;

    start();
    module = load(true, CUDA_SUCCESS);
    for (int i = 0; i < 2; i++) {
        memory[i] = words();
        OK(mock_cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING));
    }
    OK(mock_cuCtxSynchronize());
    for (int i = 0; i < 2; i++)
        launch(module, "order", memory[i], 0, streams[i]);
    OK(mock_cuCtxSynchronize());
    expect_no_finding();
    for (int i = 0; i < 2; i++)
        expect_words(memory[i], wanted, sizeof(wanted) / sizeof(*wanted));
}

Test(children, need_the_library)
{
    start();
    load(false, CUDA_ERROR_INVALID_PTX);
}
