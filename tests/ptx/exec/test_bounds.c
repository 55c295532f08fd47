/* SPDX-License-Identifier: MIT */
/* Accesses that leave what they name, and calls that do not fit: faults and findings, no more. */
#include "planted.h"

TestSuite(bounds, .timeout = 100);

/* As run() of planted.h, behind functions of its own. */
static CUresult run_with(const char *before, const char *body)
{
    static const char kernel[] = KERNEL;
    char text[8192];
    CUmodule module = NULL;
    CUfunction function = NULL;
    void *params[] = {&p, &n};

    snprintf(text, sizeof(text), "%s%s%s%s ret; }",
             ".version 8.8\n.target sm_90\n.address_size 64\n", before, kernel + strlen(HEAD),
             body);
    OK(mock_cuModuleLoadData(&module, text));
    OK(mock_cuModuleGetFunction(&function, module, "k"));
    OK(mock_cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, params, NULL));
    return mock_cuCtxSynchronize();
}

static void again(void)
{
    mock_cuDevicePrimaryCtxReset(0);
    begin(128);
}

static void faults(const char *before, const char *body, CUresult result,
                   enum cushim_mock_finding_kind kind, const char *one, const char *two)
{
    again();
    EXPECT(result, run_with(before, body));
    found(kind, one, two);
}

/*
 * With the 512 bytes of s the kernel has 540; a block has 640, as on an H200. %r1 is where x
 * begins.
 */
#define SHARED                                                                                     \
    ".shared .align 16 .b8 x[28]; mov.u32 %r1, x; st.shared.v2.u32 [x+16], {0, 0};\n"              \
    "st.shared.u32 [x+24], 1;\n"

Test(bounds, behind_shared_memory)
{
    static const struct {
        const char *access, *text;
    } cases[] = {
        {"ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%r1+16];", "reads 16 bytes at offset 528 of sha"},
        {"st.shared.u32 [%r1+28], %t;",
         "writes 4 bytes at offset 540 of shared memory, which has 540"},
        {"ld.shared.u8 %r2, [%r1+127];",
         "reads 1 bytes at offset 639 of shared memory, which has 540"},
        {"atom.shared.add.u32 %r2, [%r1+124], 1;",
         "updates 4 bytes at offset 636 of shared memory"},
        {"cvt.u64.u32 %rd3, %r1; cvta.shared.u64 %rd3, %rd3; ld.u32 %r2, [%rd3+32];",
         "reads 4 bytes at offset 544 of shared memory"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct cushim_mock_finding *all = NULL;
        char body[600];

        snprintf(body, sizeof(body), "%s%s%s", SHARED,
                 "st.shared.v4.u32 [%r1], {0, 0, 0, 0}; bar.sync 0;\n"
                 "setp.eq.u32 %p0, %t, 0; @!%p0 exit;\n",
                 cases[i].access);
        faults("", body, CUDA_SUCCESS, CUSHIM_MOCK_OUT_OF_BOUNDS, cases[i].text, "thread (0,0,0)");
        cr_expect(eq(sz, cushim_mock_findings(&all), 1));
    }
    faults("", SHARED "ld.shared.u8 %r2, [%r1+128];", CUDA_ERROR_ILLEGAL_ADDRESS,
           CUSHIM_MOCK_OUT_OF_BOUNDS, "reads 1 bytes at offset 640", "which has 540 bytes");
}

/* All that a block is given, without what the system keeps for itself. */
Test(bounds, the_size_of_shared_memory)
{
    uint32_t words[2] = {0};

    begin(2);
    EXPECT(CUDA_SUCCESS, run_with("", SHARED "mov.u32 %r1, %total_smem_size; st.global.u32 [%rd0], "
                                             "%r1; mov.u32 %r1, %dynamic_smem_size; "
                                             "st.global.u32 [%rd0+4], %r1;"));
    OK(mock_cuMemcpyDtoH_v2(words, p, sizeof(words)));
    cr_expect(eq(u32, words[0], 640));
    cr_expect(eq(u32, words[1], 0));
}

#define LOCAL(size) ".local .align 16 .b8 x[" #size "]; .reg .b128 %q; .reg .b16 %h;\n"

Test(bounds, local_variables)
{
    static const struct {
        const char *access, *text;
    } cases[] = {
        {"st.local.u64 [x+1000000], %rd1;", "writes 8 bytes at offset 1000000 of 'x', which has 8"},
        {"st.local.u64 [x+64], %rd1;", "writes 8 bytes at offset 64 of 'x'"},
        {"st.local.u8 [x+8], %r1;", "writes 1 bytes at offset 8 of 'x'"},
        {"st.local.u32 [x+-4], %r1;", "writes 4 bytes at offset -4 of 'x'"},
        {"ld.local.u64 %rd3, [x+1000000];", "reads 8 bytes at offset 1000000 of 'x'"},
        {"ld.local.s8 %h, [x+8];", "reads 1 bytes at offset 8 of 'x'"},
        {"ld.local.v4.b32 {%r1, %r2, %r3, %r4}, [x];", "reads 16 bytes at offset 0 of 'x'"},
        {"ld.local.v2.u64 {_, %rd3}, [x];", "reads 16 bytes at offset 0 of 'x'"},
        {"st.local.v2.b32 [x+8], {%r1, %r2};", "writes 8 bytes at offset 8 of 'x'"},
        {"ld.local.b128 %q, [x];", "reads 16 bytes at offset 0 of 'x'"},
        {"st.local.b128 [x+-16], %q;", "writes 16 bytes at offset -16 of 'x'"},
        {"ld.weak.local.ca.u32 %r1, [x+4294967296];", "at offset 4294967296 of 'x'"},
        {"st.local.u64 [x+9223372036854775800], %rd1;", "at offset 9223372036854775800 of 'x'"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char body[512];

        snprintf(body, sizeof(body), "%s%s", LOCAL(8), cases[i].access);
        faults("", body, CUDA_ERROR_ILLEGAL_ADDRESS, CUSHIM_MOCK_OUT_OF_BOUNDS, cases[i].text,
               "kernel 'k'");
    }
}

/* Who does not come there has no fault. */
Test(bounds, a_wrong_access_that_is_not_made)
{
    begin(128);
    EXPECT(CUDA_SUCCESS, run_with("", LOCAL(8) "setp.gt.u32 %p0, %t, 1000; @%p0 st.local.u64 "
                                               "[x+64], %rd1; st.local.u64 [x], %rd1;"));
    silent();
    faults("", LOCAL(16) "st.local.u64 [x+4], %rd1;", CUDA_ERROR_MISALIGNED_ADDRESS,
           CUSHIM_MOCK_MISALIGNED_ACCESS, "8 bytes at offset 4 of 'x'", "thread (0,0,0)");
}

#define F(parameter, result)                                                                       \
    ".func (.param .b64 r) f(.param .b64 a) {\n.reg .b64 %d<4>; ld.param.b64 %d1, [a" parameter    \
    "]; st.param.b64 [r" result "], %d1; ret; }\n"
#define CALL(argument, result)                                                                     \
    "{ .param .b64 v; .param .b64 y; st.param.b64 [v" argument "], %rd1; call (y), f, (v); "       \
    "ld.param.b64 %rd3, [y" result "]; }"

Test(bounds, parameters_of_functions)
{
    begin(128);
    EXPECT(CUDA_SUCCESS, run_with(F("", ""), CALL("", "")));
    silent();
    faults(F("+100000", ""), CALL("", ""), CUDA_ERROR_ILLEGAL_ADDRESS, CUSHIM_MOCK_OUT_OF_BOUNDS,
           "reads 8 bytes at offset 100000 of 'a', which has 8 bytes", "in function 'f'");
    faults(F("+-8", ""), CALL("", ""), CUDA_ERROR_ILLEGAL_ADDRESS, CUSHIM_MOCK_OUT_OF_BOUNDS,
           "reads 8 bytes at offset -8 of 'a'", "in function 'f'");
    faults(F("", "+8"), CALL("", ""), CUDA_ERROR_ILLEGAL_ADDRESS, CUSHIM_MOCK_OUT_OF_BOUNDS,
           "writes 8 bytes at offset 8 of 'r'", "in function 'f'");
    faults(F("", ""), CALL("+4", ""), CUDA_ERROR_ILLEGAL_ADDRESS, CUSHIM_MOCK_OUT_OF_BOUNDS,
           "writes 8 bytes at offset 4 of 'v'", "kernel 'k'");
    faults(F("", ""), CALL("", "+100000"), CUDA_ERROR_ILLEGAL_ADDRESS, CUSHIM_MOCK_OUT_OF_BOUNDS,
           "reads 8 bytes at offset 100000 of 'y'", "kernel 'k'");
}

/* As an H200 has it: zeros behind the parameters, and one parameter behind the other. */
Test(bounds, parameters_of_a_kernel)
{
    static const char *const offsets[] = {"+16", "+100000", "+-8", "+-100000"};
    unsigned words[4] = {0};

    begin(128);
    EXPECT(CUDA_SUCCESS, run_with("", "ld.param.u32 %r1, [p+8]; st.global.u32 [%rd1], %r1;"));
    silent();
    OK(mock_cuMemcpyDtoH_v2(words, p, sizeof(words)));
    cr_expect(eq(u32, words[0], 128));
    for (size_t i = 0; i < 4; i++) {
        char body[256];

        again();
        snprintf(body, sizeof(body),
                 "ld.param.u64 %%rd3, [p%s]; cvt.u32.u64 %%r1, %%rd3; "
                 "st.global.u32 [%%rd1], %%r1;",
                 offsets[i]);
        EXPECT(CUDA_SUCCESS, run_with("", body));
        found(CUSHIM_MOCK_OUT_OF_BOUNDS, "of 'p', which is beyond the kernel's parameters",
              "reads");
        OK(mock_cuMemcpyDtoH_v2(words, p, sizeof(words)));
        cr_expect(eq(u32, words[0], 0));
    }
    again();
    EXPECT(CUDA_SUCCESS, run_with("", "mov.u64 %rd3, p; ld.param.u64 %rd4, [%rd3+100000];"));
    found(CUSHIM_MOCK_OUT_OF_BOUNDS, "at offset 100000 of the parameters", "reads 8 bytes");
    faults("", "ld.param.u64 %rd3, [p+4];", CUDA_ERROR_MISALIGNED_ADDRESS,
           CUSHIM_MOCK_MISALIGNED_ACCESS, "8 bytes at offset 4 of 'p'", "kernel 'k'");
}

#define SUM                                                                                        \
    ".func (.param .b64 r) f(.param .align 8 .b8 a[32]) {\n.reg .b64 %d<9>; ld.param.b64 %d1, "    \
    "[a]; ld.param.b64 %d2, [a+24]; add.u64 %d1, %d1, %d2; st.param.b64 [r], %d1; ret; }\n"
#define POINTER(prototype) "mov.u64 %rd3, f; P: .callprototype " prototype ";\n"
#define STORE              "cvt.u32.u64 %r1, %rd4; st.global.u32 [%rd1], %r1;"

/* What a function takes and is not given is zeros; hardware has whatever there was. */
Test(bounds, calls_by_a_smaller_prototype)
{
    unsigned word = 0;

    begin(128);
    EXPECT(
        CUDA_SUCCESS,
        run_with(
            SUM,
            POINTER(
                "(.param .b64 _) _ (.param .b64 _)") "{ .param .b64 v; .param .b64 y; st.param.b64 "
                                                     "[v], 5; call (y), %rd3, (v), P; "
                                                     "ld.param.b64 %rd4, [y]; }" STORE));
    found(CUSHIM_MOCK_UNINITIALISED_READ, "it calls 'f', whose parameter 1 has 32 bytes, with 8",
          "kernel 'k'");
    OK(mock_cuMemcpyDtoH_v2(&word, p, 4));
    cr_expect(eq(u32, word, 5));
    again();
    EXPECT(CUDA_SUCCESS,
           run_with(SUM, POINTER("(.param .align 8 .b8 _[64]) _ ()") "{ .param .align 8 .b8 y[64]; "
                                                                     "call (y), %rd3, (), P; }"));
    found(CUSHIM_MOCK_UNINITIALISED_READ, "parameter 1 has 32 bytes, with 0 bytes", "'f'");
    /* One that takes less than it is given is fine. */
    again();
    EXPECT(
        CUDA_SUCCESS,
        run_with(
            F("", ""),
            POINTER("(.param .b64 _) _ (.param .align 8 .b8 _[32])") "{ .param .align 8 .b8 v[32]; "
                                                                     ".param .b64 y; st.param.b64 "
                                                                     "[v], 6; call (y), "
                                                                     "%rd3, (v), P; ld.param.b64 "
                                                                     "%rd4, [y]; }" STORE));
    silent();
    OK(mock_cuMemcpyDtoH_v2(&word, p, 4));
    cr_expect(eq(u32, word, 6));
    faults(".visible .entry f() { ret; }\n", POINTER("_ ()") "call %rd3, P;", CUDA_ERROR_INVALID_PC,
           CUSHIM_MOCK_KERNEL_FAULT, "which is no function", "kernel 'k'");
}

/* The functions of the device's runtime, given less than they take. */
Test(bounds, builtins_by_a_smaller_prototype)
{
    begin(128);
    EXPECT(CUDA_SUCCESS,
           run_with(".extern .func (.param .b32 r) malloc (.param .b32 a);\n",
                    ".local .align 16 .b8 x[64]; { .param .b32 v; .param .b32 y; st.param.b32 "
                    "[v], 8; call (y), malloc, (v); ld.param.b32 %r1, [y]; }"));
    silent();
}

#define RECURSION                                                                                  \
    ".func (.param .b32 r) f(.param .b32 a) {\n.reg .b32 %c<9>; .reg .pred %q; ld.param.b32 %c1, " \
    "[a]; mov.u32 %c2, 0; setp.eq.u32 %q, %c1, 0; @%q bra E; sub.u32 %c1, %c1, 1;\n{ .param .b32 " \
    "v; .param .b32 y; st.param.b32 [v], %c1; call (y), f, (v); ld.param.b32 %c2, [y]; }\n"        \
    "add.u32 %c2, %c2, 1; E: st.param.b32 [r], %c2; ret; }\n"
#define RECURSE(depth)                                                                             \
    "{ .param .b32 v; .param .b32 y; st.param.b32 [v], " #depth "; call (y), f, (v); "             \
    "ld.param.b32 %r1, [y]; st.global.u32 [%rd1], %r1; }"

/* With 1024 bytes an H200 comes 48 calls deep and not 64; with 64 KiB, 4000 and not 16000. */
Test(bounds, depth_of_calls)
{
    unsigned word = 0;

    begin(128);
    EXPECT(CUDA_SUCCESS, run_with(RECURSION, RECURSE(48)));
    silent();
    OK(mock_cuMemcpyDtoH_v2(&word, p, 4));
    cr_expect(eq(u32, word, 48));
    faults(RECURSION, RECURSE(64), CUDA_ERROR_ILLEGAL_ADDRESS, CUSHIM_MOCK_KERNEL_FAULT,
           "calls too deep", "1024 bytes (CU_LIMIT_STACK_SIZE)");
    again();
    OK(mock_cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 65536));
    EXPECT(CUDA_SUCCESS, run_with(RECURSION, RECURSE(4000)));
    silent();
    again();
    OK(mock_cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 65536));
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, run_with(RECURSION, RECURSE(16000)));
    found(CUSHIM_MOCK_KERNEL_FAULT, "calls too deep", "65536 bytes");
    again();
    OK(mock_cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 512 << 10));
    EXPECT(CUDA_SUCCESS, run_with(RECURSION, RECURSE(32000)));
    silent();
}

#define ENDLESS ".func f() { call f; ret; }\n"

/* Without anything on its stack but where to go back to. */
Test(bounds, endless_recursion)
{
    faults(ENDLESS, "call f;", CUDA_ERROR_ILLEGAL_ADDRESS, CUSHIM_MOCK_KERNEL_FAULT,
           "calls too deep", "in function 'f'");
}

static void set_stack(size_t bytes)
{
    size_t value = 1;

    OK(mock_cuCtxSetLimit(CU_LIMIT_STACK_SIZE, bytes));
    OK(mock_cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
    cr_expect(eq(sz, value, bytes));
}

/* No stack at all is not one without an end, and calls that are not recursive have what they need.
 */
Test(bounds, a_stack_limit_of_zero)
{
    begin(128);
    set_stack(0);
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, run_with(ENDLESS, "call f;"));
    found(CUSHIM_MOCK_KERNEL_FAULT, "calls too deep", "0 bytes (CU_LIMIT_STACK_SIZE)");
    again();
    set_stack(0);
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, run_with(RECURSION, RECURSE(1)));
    found(CUSHIM_MOCK_KERNEL_FAULT, "calls too deep", "0 bytes (CU_LIMIT_STACK_SIZE)");
    again();
    set_stack(0);
    EXPECT(CUDA_SUCCESS,
           run_with(".func f() {.local .align 8 .b8 x[4096]; .reg .b32 %c<2>; mov.u32 %c0, 7; "
                    "st.local.u32 [x+4092], %c0; ret; }\n",
                    "call f;"));
    silent();
}

/* What no device has is refused, and what was set before stays. */
Test(bounds, a_stack_limit_beyond_what_there_is)
{
    static const size_t large[] = {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 8 + 1, (512 << 10) + 1};
    size_t value = 0;

    begin(128);
    for (size_t i = 0; i < sizeof(large) / sizeof(large[0]); i++)
        EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuCtxSetLimit(CU_LIMIT_STACK_SIZE, large[i]));
    OK(mock_cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
    cr_expect(eq(sz, value, 1024));
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, run_with(ENDLESS, "call f;"));
    found(CUSHIM_MOCK_KERNEL_FAULT, "calls too deep", "1024 bytes (CU_LIMIT_STACK_SIZE)");
    again();
    set_stack(512 << 10);
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, run_with(ENDLESS, "call f;"));
    found(CUSHIM_MOCK_KERNEL_FAULT, "calls too deep", "524288 bytes (CU_LIMIT_STACK_SIZE)");
}

/* Each calls the next one twice: 2^30 calls, and none of them jumps backwards. */
Test(bounds, exponential_recursion)
{
    char before[4096] = ".func f30() { ret; }\n";

    for (int i = 29; i >= 0; i--)
        snprintf(before + strlen(before), sizeof(before) - strlen(before),
                 ".func f%d() { call f%d; call f%d; ret; }\n", i, i + 1, i + 1);
    setenv("CUSHIM_MOCK_PTX_STEPS", "1000000", 1);
    faults(before, "call f0;", CUDA_ERROR_LAUNCH_TIMEOUT, CUSHIM_MOCK_ENDLESS_LOOP,
           "with calls as 16 jumps each", "kernel 'k'");
    again();
    EXPECT(CUDA_SUCCESS, run_with(before, "call f20;"));
    silent();
}

/* More than a thread can have: known when it is launched, as on a device. */
Test(bounds, large_frames)
{
    static const char *const sizes[] = {"600000", "20000000"};
    CUmodule module = NULL;
    CUfunction function = NULL;
    char text[512];

    begin(128);
    for (size_t i = 0; i < 2; i++) {
        snprintf(text, sizeof(text),
                 HEAD ".visible .entry k() { .local .b8 x[%s]; .reg .b32 %%r1; "
                      "st.local.u8 [x+500000], 1; ret; }",
                 sizes[i]);
        OK(mock_cuModuleLoadData(&module, text));
        OK(mock_cuModuleGetFunction(&function, module, "k"));
        EXPECT(CUDA_ERROR_INVALID_VALUE,
               mock_cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
    }
    EXPECT(CUDA_ERROR_NOT_SUPPORTED,
           mock_cuModuleLoadData(&module, HEAD ".visible .entry k() { .local .b8 x[2147483648], "
                                               "y[2147483648]; .reg .b32 %r1; st.local.u8 "
                                               "[y+5], 1; ret; }"));
    EXPECT(CUDA_SUCCESS, run_with("", ".local .b8 x[500000]; st.local.u8 [x+499999], 1;"));
    silent();
}

/* Matrices, below where a register points to. */
Test(bounds, negative_offsets_of_matrices)
{
    begin(128);
    EXPECT(
        CUDA_SUCCESS,
        run("mov.u64 %rd3, s; add.u64 %rd3, %rd3, 256; cvta.shared.u64 %rd4, %rd3; st.shared.u64 "
            "[%rd3+-256], 1; st.shared.u64 [%rd3+-248], 1;\nmov.u64 %rd5, 0; ldmatrix.sync."
            "aligned.m8n8.x1.shared.b16 {%r1}, [%rd3+-256];",
            1, 32));
    silent();
}

/* A device makes 4 MiB of less. */
Test(bounds, a_heap_limit_of_zero)
{
    size_t limit = 0;
    unsigned word = 0;

    begin(128);
    OK(mock_cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 0));
    OK(mock_cuCtxGetLimit(&limit, CU_LIMIT_MALLOC_HEAP_SIZE));
    cr_expect(eq(sz, limit, (size_t) 4 << 20));
    EXPECT(CUDA_SUCCESS,
           run_with(".extern .func (.param .b64 r) malloc (.param .b64 a);\n",
                    "{ .param .b64 v; .param .b64 y; st.param.b64 [v], 8; call (y), malloc, (v); "
                    "ld.param.b64 %rd3, [y]; } st.global.u64 [%rd0], %rd3;"));
    OK(mock_cuMemcpyDtoH_v2(&word, p, 4));
    cr_expect(ne(u32, word, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, SIZE_MAX));
    EXPECT(CUDA_SUCCESS, mock_cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, SIZE_MAX));
}

/*
 * The first and the last lane of a warp lie close together, and the others all over memory: 31
 * times the distance is 2^64 + 15. First the first lane reads alone, and only then all do.
 */
Test(bounds, lanes_whose_steps_go_around_memory)
{
    const uint64_t step = UINT64_C(595056260442243601), a = INT32_MAX;
    char body[1024];

    setenv("CUSHIM_MOCK_CHECK", "0", 1);
    begin(128);
    snprintf(body, sizeof(body),
             "mov.u32 %%r1, 0; cvt.u64.u32 %%rd3, %%t; mul.lo.u64 %%rd4, %%rd3, %llu;\n"
             "mul.lo.u64 %%rd5, %%rd4, %llu; mul.lo.u64 %%rd6, %%rd3, %llu;\n"
             "add.u64 %%rd7, %%rd5, %%rd6; add.u64 %%rd8, %%rd0, %%rd7;\n"
             "LOOP: setp.eq.u32 %%p1, %%r1, 0; setp.ne.and.u32 %%p1, %%t, 0, %%p1;\n"
             "@%%p1 bra SKIP; ld.global.u8 %%r2, [%%rd8]; st.global.u32 [%%rd0], %%r2;\n"
             "SKIP: bar.warp.sync -1; add.u32 %%r1, %%r1, 1; setp.lt.u32 %%p1, %%r1, 9;\n"
             "@%%p1 bra LOOP;",
             (unsigned long long) a, (unsigned long long) (step / a),
             (unsigned long long) (step % a));
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, run(body, 1, 32));
}

/*
 * Every second lane reads where the one before it would, once as it should and then some bytes
 * further, which is found of each number of bytes.
 */
Test(bounds, lanes_that_are_not_aligned)
{
    for (unsigned bytes = 2; bytes <= 8; bytes *= 2)
        for (unsigned more = 1; more < bytes; more++)
            for (unsigned lanes = 1; lanes <= 32; lanes *= 32) {
                char body[512], text[40];

                snprintf(body, sizeof(body),
                         "mov.u32 %%r1, 0; xor.b32 %%r2, %%t, 1; mul.wide.u32 %%rd3, %%r2, %u;\n"
                         "setp.lt.u32 %%p1, %%t, %u; add.u64 %%rd3, %%rd0, %%rd3;\nLOOP:\n"
                         "cvt.u64.u32 %%rd4, %%r1; add.u64 %%rd4, %%rd3, %%rd4;\n"
                         "@%%p1 ld.global.u%u %%%s, [%%rd4];\n"
                         "add.u32 %%r1, %%r1, %u; setp.le.u32 %%p0, %%r1, %u; @%%p0 bra LOOP;",
                         bytes, lanes, 8 * bytes, bytes < 8 ? "r3" : "rd5", more, more);
                snprintf(text, sizeof(text), "reads %u bytes", bytes);
                faults("", body, CUDA_ERROR_MISALIGNED_ADDRESS, CUSHIM_MOCK_MISALIGNED_ACCESS, text,
                       "not aligned");
            }
}
