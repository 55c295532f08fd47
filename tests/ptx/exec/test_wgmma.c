/* SPDX-License-Identifier: MIT */
/*
 * Products of four warps: who has to come, what is found of what is used too early, and bounds.
 */
#include "planted.h"

TestSuite(wgmma, .timeout = 60);

/* A has 64 rows at 0, B has 8 columns at 2048; both have 16 columns and rows of .f16. */
#define PRODUCT                                                                                    \
    ".version 8.0\n.target sm_90a\n.address_size 64\n"                                             \
    ".visible .entry k(.param .u64 p) {\n"                                                         \
    ".reg .u32 %t, %w, %r<9>; .reg .u64 %rd<9>; .reg .pred %q, %p<4>; .reg .f32 %f<9>;\n"          \
    ".shared .align 1024 .b8 s[4096];\nmov.u32 %t, %tid.x; shr.u32 %w, %t, 5;\n"                   \
    "mov.b32 %f0, 0f00000000; mov.b32 %f1, 0f00000000; mov.b32 %f2, 0f00000000;\n"                 \
    "mov.b32 %f3, 0f00000000; setp.eq.u32 %p0, 0, 0;\n"                                            \
    "mov.u64 %rd1, 0x1000080000; mov.u64 %rd2, 0x1000080080;\n"
/* Each thread writes 32 bytes of ones, so that all of it is written. */
#define FILL                                                                                       \
    "shl.b32 %r1, %t, 5; mov.u32 %r2, s; add.u32 %r1, %r1, %r2; mov.u32 %r3, 0x3c003c00;\n"        \
    "st.shared.v4.u32 [%r1], {%r3, %r3, %r3, %r3}; st.shared.v4.u32 [%r1+16], {%r3, %r3, %r3, "    \
    "%r3};\n"
#define SYNC  "fence.proxy.async; bar.sync 0;\n"
#define FENCE "wgmma.fence.sync.aligned;\n"
#define MULTIPLY                                                                                   \
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd1, %rd2, %p0, 1, " \
    "1, 0, 0;\n"
#define WAIT "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n"
#define STORE                                                                                      \
    "ld.param.u64 %rd3, [p]; mul.wide.u32 %rd4, %t, 4; add.u64 %rd3, %rd3, %rd4;\n"                \
    "st.global.f32 [%rd3], %f0;\n"

static float values[128];

static CUresult launch(const char *body, unsigned threads)
{
    char text[4096];
    CUmodule module = NULL;
    CUfunction function = NULL;
    void *params[] = {&p};
    CUresult result;

    begin(128);
    snprintf(text, sizeof(text), "%s%s ret; }", PRODUCT, body);
    OK(mock_cuModuleLoadData(&module, text));
    OK(mock_cuModuleGetFunction(&function, module, "k"));
    OK(mock_cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, NULL, params, NULL));
    result = mock_cuCtxSynchronize();
    if (result == CUDA_SUCCESS)
        OK(mock_cuMemcpyDtoH_v2(values, p, sizeof(values)));
    return result;
}

static void right(const char *body, float value)
{
    OK(launch(body, 128));
    silent();
    for (unsigned i = 0; i < 128; i++)
        cr_expect(eq(flt, values[i], value), "thread %u", i);
}

static void wrong(const char *body, unsigned threads, CUresult result, int kind, const char *one,
                  const char *two)
{
    EXPECT(result, launch(body, threads));
    found(kind, one, two);
}

/* --- what is right --- */

Test(wgmma, a_product)
{
    right(FILL SYNC FENCE MULTIPLY WAIT STORE, 16);
}

Test(wgmma, products_of_several_groups)
{
    right(FILL SYNC FENCE MULTIPLY
          "wgmma.commit_group.sync.aligned;\n" MULTIPLY
          "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 1;\n" MULTIPLY WAIT STORE,
          48);
}

Test(wgmma, d_is_not_c)
{
    right(FILL SYNC FENCE MULTIPLY "setp.eq.u32 %p0, 0, 1;\n" MULTIPLY WAIT STORE, 16);
}

Test(wgmma, registers_are_changed_between_two_fences)
{
    right(FILL SYNC FENCE MULTIPLY WAIT "add.f32 %f0, %f0, 0f3f800000;\n" FENCE MULTIPLY WAIT STORE,
          33);
}

/* Warp 2 has a B of its own, of twos, behind that of the others. */
Test(wgmma, a_warp_with_another_b)
{
    OK(launch(
        FILL
        "setp.ge.u32 %p1, %t, 72; setp.lt.and.u32 %p1, %t, 80, %p1;\n"
        "mov.u32 %r3, 0x40004000; @%p1 st.shared.v4.u32 [%r1], {%r3, %r3, %r3, %r3};\n"
        "@%p1 st.shared.v4.u32 [%r1+16], {%r3, %r3, %r3, %r3};\n"
        "setp.eq.u32 %p2, %w, 2; @%p2 mov.u64 %rd2, 0x1000080090;\n" SYNC FENCE MULTIPLY WAIT STORE,
        128));
    silent();
    for (unsigned i = 0; i < 128; i++)
        cr_expect(eq(flt, values[i], i / 32 == 2 ? 32.0f : 16.0f), "thread %u", i);
}

/* --- who comes --- */

Test(wgmma, a_block_of_three_warps)
{
    wrong(FILL SYNC FENCE MULTIPLY WAIT, 96, CUDA_ERROR_LAUNCH_TIMEOUT, CUSHIM_MOCK_BARRIER,
          "1 of them do not come, the first of which is warp 3, which the block does not have",
          "kernel 'k', line ");
}

Test(wgmma, a_warp_goes_another_way)
{
    wrong(FILL SYNC FENCE "setp.eq.u32 %q, %w, 1; @%q bra E;\n" MULTIPLY WAIT "E:", 128,
          CUDA_ERROR_LAUNCH_TIMEOUT, CUSHIM_MOCK_BARRIER,
          "the other warps of its warpgroup, 0 to 3: 1 of them do not come", "is warp 1");
}

Test(wgmma, a_warp_waits_at_a_barrier)
{
    wrong(FILL SYNC FENCE "setp.eq.u32 %q, %w, 2; @%q bra B;\n" MULTIPLY WAIT "B: bar.sync 0;", 128,
          CUDA_ERROR_LAUNCH_TIMEOUT, CUSHIM_MOCK_BARRIER, "it waits ", "line ");
}

Test(wgmma, a_warp_is_at_another_product)
{
    wrong(FILL SYNC FENCE "setp.eq.u32 %q, %w, 3; @%q bra O;\n" MULTIPLY "bra E; O:" MULTIPLY
                          "E:" WAIT,
          128, CUDA_ERROR_ILLEGAL_INSTRUCTION, CUSHIM_MOCK_BARRIER,
          "it is at another instruction than warp ", "of its warpgroup, which waits at line ");
}

Test(wgmma, half_of_a_warp_comes)
{
    wrong(FILL SYNC FENCE "setp.gt.u32 %q, %t, 15; @%q bra M; bra E; M:" MULTIPLY WAIT "E:", 128,
          CUDA_ERROR_ILLEGAL_INSTRUCTION, CUSHIM_MOCK_BARRIER, "with 16 of the 32 threads", "warp");
}

/* --- what is too early --- */

Test(wgmma, an_accumulator_is_read_before_the_wait)
{
    wrong(FILL SYNC FENCE MULTIPLY STORE WAIT, 128, CUDA_SUCCESS, CUSHIM_MOCK_DATA_RACE,
          "it reads a register of the product at line ", "no wgmma.wait_group is between");
}

Test(wgmma, a_wait_that_leaves_the_group)
{
    wrong(FILL SYNC FENCE MULTIPLY
          "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 1;\n" STORE WAIT,
          128, CUDA_SUCCESS, CUSHIM_MOCK_DATA_RACE, "it reads a register of the product at line ",
          "may still be running");
}

Test(wgmma, an_accumulator_is_written_before_the_wait)
{
    wrong(FILL SYNC FENCE MULTIPLY "add.f32 %f1, %f7, %f7;\n" WAIT, 128, CUDA_SUCCESS,
          CUSHIM_MOCK_DATA_RACE, "it writes a register of the product at line ",
          "wgmma.wait_group");
}

Test(wgmma, no_fence)
{
    wrong(FILL SYNC MULTIPLY WAIT, 128, CUDA_SUCCESS, CUSHIM_MOCK_DATA_RACE,
          "it is the first product of its warp, and no wgmma.fence is before it", "line ");
}

Test(wgmma, no_fence_after_a_change)
{
    wrong(FILL SYNC FENCE MULTIPLY WAIT "add.f32 %f0, %f0, %f0;\n" MULTIPLY WAIT, 128, CUDA_SUCCESS,
          CUSHIM_MOCK_DATA_RACE, "it uses a register that line ", "no wgmma.fence is between");
}

/* --- shared memory --- */

Test(wgmma, other_warps_have_written_it_and_no_barrier_is_between)
{
    wrong(FILL "fence.proxy.async;\n" FENCE MULTIPLY WAIT, 128, CUDA_SUCCESS, CUSHIM_MOCK_DATA_RACE,
          "it reads shared memory at offset ", "no barrier is between them");
}

Test(wgmma, nobody_has_written_it)
{
    wrong(FENCE MULTIPLY WAIT, 128, CUDA_SUCCESS, CUSHIM_MOCK_UNINITIALISED_READ,
          "it reads shared memory at offset ", "which nothing has written");
}

/* All warps have met behind the product, but it may still read what is written then. */
Test(wgmma, it_is_written_before_the_wait)
{
    wrong(FILL SYNC FENCE MULTIPLY "wgmma.commit_group.sync.aligned; bar.sync 0;\n" FILL
                                   "wgmma.wait_group.sync.aligned 0;",
          128, CUDA_SUCCESS, CUSHIM_MOCK_DATA_RACE, "shared memory at offset ",
          "no barrier is between them");
}

Test(wgmma, a_matrix_behind_the_end)
{
    wrong(FILL SYNC FENCE "add.u64 %rd2, %rd2, 0x71;\n" MULTIPLY WAIT, 128,
          CUDA_ERROR_ILLEGAL_ADDRESS, CUSHIM_MOCK_OUT_OF_BOUNDS,
          "its matrix is also at offset 4096 of shared memory, which has 4096 bytes", "line ");
}
