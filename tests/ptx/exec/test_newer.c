/* SPDX-License-Identifier: MIT */
/* Instructions of newer devices that C++ has no words for, and those that few programs use. */
#include <math.h>

#include "all_instructions.h"

TestSuite(newer, .timeout = 100);

/* --- integers in parts of a register --- */

Test(newer, bytes)
{
    static const char bytes[] = "mov.b32 %r1, 0x7f80ff01; mov.b32 %r2, 0x018001ff; ";
    static const struct {
        const char *op;
        unsigned expected;
    } rows[] = {
        {"add.u8x4", 0x80000000},      {"add.s8x4", 0x80000000},      {"add.sat.u8x4", 0x80ffffff},
        {"add.sat.s8x4", 0x7f800000},  {"sub.u8x4", 0x7e00fe02},      {"sub.sat.u8x4", 0x7e00fe00},
        {"sub.sat.s8x4", 0x7e00fe02},  {"min.u8x4", 0x01800101},      {"max.u8x4", 0x7f80ffff},
        {"min.s8x4", 0x0180ffff},      {"max.s8x4", 0x7f800101},      {"min.relu.s8x4", 0x01000000},
        {"max.relu.s8x4", 0x7f000101}, {"add.sat.u16x2", 0x8100ffff}, {"add.sat.s16x2", 0x7fff0100},
        {"add.sat.u32", 0x81010100},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char body[160];

        snprintf(body, sizeof(body), "%s%s %%r9, %%r1, %%r2;", bytes, rows[i].op);
        answers(body, rows[i].expected);
    }
    answers("mov.b32 %r1, 0x7f80ff01; neg.s8x4 %r9, %r1;", 0x818001ff);
    answers("mov.b32 %r1, 0x80000000; add.sat.u32 %r9, %r1, %r1;", 0xffffffff);
}

/* Polynomials over two elements: (x + 1)(x + 1) = x^2 + 1, and x^63 x^63 = x^126. */
Test(newer, products_without_carries)
{
    answers("mov.u64 %rd2, 3; mov.u64 %rd3, 8; clmad.lo.u64 %rd4, %rd2, %rd2, %rd3; cvt.u32.u64 "
            "%r9, %rd4;",
            13);
    answers("mov.u64 %rd2, 0x8000000000000000; mov.u64 %rd3, 1; clmad.hi.u64 %rd4, %rd2, %rd2, "
            "%rd3; shr.u64 %rd5, %rd4, 32; cvt.u32.u64 %r9, %rd5;",
            0x40000000);
    answers("mov.u64 %rd2, 0x8000000000000001; mov.u64 %rd3, 6; clmad.hi.u64 %rd4, %rd2, %rd3, 0; "
            "cvt.u32.u64 %r9, %rd4;",
            3);
}

/* A quarter of a turn, and a whole one. */
Test(newer, angles_in_turns)
{
    answers("mov.f32 %f1, 0f3e800000; sin.approx.2pi.ftz.f32 %f2, %f1; mov.b32 %r9, %f2;",
            0x3f800000);
    answers("mov.f32 %f1, 0fc0400000; cos.approx.ftz.2pi.f32 %f2, %f1; mov.b32 %r9, %f2;",
            0x3f800000);
    answers("mov.f32 %f1, 0fbe800000; sin.approx.ftz.2pi.f32 %f2, %f1; mov.b32 %r9, %f2;",
            0xbf800000);
}

/* A sum of subnormal numbers in global memory: it is lost, or it is not. */
Test(newer, sums_that_keep_subnormal_numbers)
{
    answers("st.global.u32 [%rd1+128], 3; atom.global.add.f32 %f1, [%rd1+128], 0f00000001; "
            "ld.global.u32 %r9, [%rd1+128];",
            0);
    answers("st.global.u32 [%rd1+128], 3; atom.add.noftz.f32 %f1, [%rd1+128], 0f00000001; "
            "ld.proxy::readonly.global.u32 %r9, [%rd1+128];",
            4);
    answers("st.global.u32 [%rd1+128], 3; red.relaxed.gpu.global.add.noftz.v2.f32 [%rd1+128], "
            "{0f00000001, 0f00000001}; ld.mmio.acquire.sys.global.u32 %r9, [%rd1+128];",
            4);
}

Test(newer, what_is_ordered_and_fetched)
{
    answers(".local .b32 l; st.volatile.local.u32 [l], 5; fence.proxy.alias.release.sys; "
            "fence.proxy.fabric::generic.alias.acquire.sys; "
            "fence.alias.sync_restrict::read.release.sys; prefetch.global.L1::32B.valid_addr "
            "[%rd1]; cp.async.bulk.wait_group.sync_restrict::proxy::async 0; mov.u32 %r1, "
            "%locality_domain_id; ld.volatile.local.u32 %r2, [l]; add.u32 %r9, %r1, %r2;",
            5);
}

Test(newer, barriers_that_do_not_report)
{
    answers("mbarrier.init.layout::v0.shared.b64 [s], 1; mbarrier.arrive.shared.b64 %rd4, [s]; "
            "mbarrier.pending_count.layout::v0.b64 %r1, %rd4; mbarrier.test_wait.parity.phase_type"
            "::primary.shared::cta.b64 %p1, [s], 0; selp.u32 %r9, %r1, 9, %p1;",
            1);
}

/* --- comparisons and selection --- */

/* 1 and -2 against 1 and a subnormal number; then NaN. */
Test(newer, set_of_halves)
{
    answers("mov.b32 %r1, 0xc0003c00; mov.b32 %r2, 0x00013c00; set.lt.f16x2.f16x2 %r9, %r1, %r2;",
            0x3c000000);
    answers("mov.b32 %r1, 0xc0003c00; mov.b32 %r2, 0x00013c00; set.ge.u32.f16x2 %r9, %r1, %r2;",
            0x0000ffff);
    answers("mov.b32 %r1, 0x7fc03f80; mov.b32 %r2, 0x3f803f80; set.nan.bf16x2.bf16x2 %r9, %r1, "
            "%r2;",
            0x3f800000);
    answers("mov.b32 %r1, 0x7fc03f80; mov.b32 %r2, 0x3f803f80; setp.ne.u32 %p1, %r1, %r1;\n"
            "set.equ.or.s32.bf16x2 %r9, %r1, %r2, %p1;",
            0xffffffff);
    answers("mov.b32 %r1, 0x3f803f80; setp.eq.u32 %p1, %r1, %r1; set.eq.xor.bf16x2.bf16x2 %r9, "
            "%r1, %r1, %p1;",
            0);
}

Test(newer, comparisons_that_flush)
{
    answers("mov.b16 %h1, 1; mov.b16 %h2, 0x8001; setp.eq.f16 %p1, %h1, %h2; selp.u32 %r9, 1, 0, "
            "%p1;",
            0);
    answers("mov.b16 %h1, 1; mov.b16 %h2, 0x8001; setp.eq.ftz.f16 %p1, %h1, %h2; selp.u32 %r9, 1, "
            "0, %p1;",
            1);
    answers("mov.b32 %r1, 0x00013c00; mov.b32 %r2, 0x80023c01; set.eq.ftz.u32.f16x2 %r9, %r1, "
            "%r2;",
            0xffff0000);
}

Test(newer, selection_by_sign)
{
    answers("mov.b16 %h1, 7; mov.b16 %h2, 9; mov.u32 %r1, -1; slct.u16.s32 %h3, %h1, %h2, %r1; "
            "cvt.u32.u16 %r9, %h3;",
            9);
    answers("mov.b16 %h1, 7; mov.b16 %h2, 9; mov.f32 %f1, 0f80000001; slct.ftz.b16.f32 %h3, %h1, "
            "%h2, %f1; cvt.u32.u16 %r9, %h3;",
            7);
}

Test(newer, least_of_three)
{
    answers("mov.f32 %f1, 0f40400000; mov.f32 %f2, 0fc0800000; mov.f32 %f3, 0f3f800000; min.f32 "
            "%f4, %f1, %f2, %f3; mov.b32 %r9, %f4;",
            0xc0800000);
    answers("mov.f32 %f1, 0f40400000; mov.f32 %f2, 0fc0800000; mov.f32 %f3, 0f3f800000; "
            "max.abs.f32 %f4, %f1, %f2, %f3; mov.b32 %r9, %f4;",
            0x40800000);
    answers("mov.f32 %f1, 0f7fc00000; mov.f32 %f2, 0fc0800000; mov.f32 %f3, 0f3f800000; max.f32 "
            "%f4, %f1, %f2, %f3; mov.b32 %r9, %f4;",
            0x3f800000);
    answers("mov.f32 %f1, 0f7fc00000; mov.f32 %f2, 0fc0800000; mov.f32 %f3, 0f3f800000; "
            "min.NaN.f32 %f4, %f2, %f3, %f1; mov.b32 %r9, %f4;",
            0x7fffffff);
}

/* --- data --- */

Test(newer, elements_change_places)
{
    answers("mov.u32 %r1, 3; mov.u32 %r2, 5; mov.v2.u32 {%r1, %r2}, {%r2, %r1}; mad.lo.u32 %r9, "
            "%r1, 100, %r2;",
            503);
}

Test(newer, integers_are_cut_and_packed)
{
    answers("mov.s32 %r1, 70000; mov.s32 %r2, -3; cvt.pack.sat.u16.s32 %r9, %r1, %r2;", 0xffff0000);
    answers("mov.s32 %r1, 70000; mov.s32 %r2, -3; cvt.pack.sat.s16.s32 %r9, %r1, %r2;", 0x7ffffffd);
    answers("mov.s32 %r1, -200; mov.s32 %r2, 5; mov.b32 %r3, 0xabcd1234; cvt.pack.sat.s8.s32.b32 "
            "%r9, %r1, %r2, %r3;",
            0x12348005);
    answers("mov.s32 %r1, 99; mov.s32 %r2, -9; mov.b32 %r3, 0xabcd1234; cvt.pack.sat.s4.s32.b32 "
            "%r9, %r1, %r2, %r3;",
            0xcd123478);
}

/* 2 and NaN; without a NaN of its own, a format has the largest number; .relu drops the sign. */
Test(newer, small_formats)
{
    answers("mov.f32 %f1, 0f40000000; mov.f32 %f2, 0f7fc00000; cvt.rn.satfinite.e2m3x2.f32 %h1, "
            "%f1, %f2; cvt.u32.u16 %r9, %h1;",
            0x101f);
    answers("mov.f32 %f1, 0fc0000000; mov.f32 %f2, 0f7fc00000; cvt.rn.satfinite.relu.e4m3x2.f32 "
            "%h1, %f1, %f2; cvt.u32.u16 %r9, %h1;",
            0x007f);
    answers("mov.b16 %h1, 0xc07f; cvt.rn.relu.f16x2.e4m3x2 %r9, %h1;", 0x00007fff);
    answers("mov.b16 %h1, 0x7f80; cvt.rn.bf16x2.ue8m0x2 %r9, %h1;", 0x3f804000);
}

/* 2 and -3 between the formats of 8, 6 and 4 bits and .bf16; infinity becomes the largest number.
 */
Test(newer, small_formats_and_bfloats)
{
    answers("mov.b32 %r1, 0x4000c040; cvt.rn.satfinite.e4m3x2.bf16x2 %h1, %r1; cvt.u32.u16 %r9, "
            "%h1;",
            0x40c4);
    answers("mov.b32 %r1, 0x4000c040; cvt.rn.satfinite.relu.e3m2x2.bf16x2 %h1, %r1; cvt.u32.u16 "
            "%r9, %h1;",
            0x1000);
    answers("mov.b32 %r1, 0x4000c200; .reg .b8 %c1; cvt.rn.satfinite.e2m1x2.f16x2 %c1, %r1; "
            "cvt.u32.u8 %r9, %c1;",
            0x4d);
    answers("mov.b16 %h1, 0x40c4; cvt.rn.bf16x2.e4m3x2 %r9, %h1;", 0x4000c040);
    answers("mov.b16 %h1, 0x40c4; cvt.rn.relu.bf16x2.e4m3x2 %r9, %h1;", 0x40000000);
    answers("mov.b16 %h1, 0x7c7e; cvt.rn.bf16x2.e5m2x2 %r9, %h1;", 0x7f807fff);
    answers("mov.b16 %h1, 0x7c40; cvt.rn.satfinite.bf16x2.e5m2x2 %r9, %h1;", 0x7f7f4000);
    answers(".reg .b8 %c1; mov.b16 %h1, 0x4d; cvt.u8.u16 %c1, %h1; cvt.rn.satfinite.bf16x2.e2m1x2 "
            "%r9, %c1;",
            0x4000c040);
}

/* Exponents alone: 1.5 and 3, then 1.5 and 2, then numbers around the half of the least. */
Test(newer, powers_of_two)
{
    answers("mov.f32 %f1, 0f3fc00000; mov.f32 %f2, 0f40400000; cvt.rz.satfinite.ue8m0x2.f32 %h1, "
            "%f1, %f2; cvt.u32.u16 %r9, %h1;",
            0x7f80);
    answers("mov.f32 %f1, 0f3fc00000; mov.f32 %f2, 0f40000000; cvt.rp.satfinite.ue8m0x2.f32 %h1, "
            "%f1, %f2; cvt.u32.u16 %r9, %h1;",
            0x8080);
    answers("mov.f32 %f1, 0f00400000; mov.f32 %f2, 0f00400001; cvt.rp.satfinite.ue8m0x2.f32 %h1, "
            "%f1, %f2; cvt.u32.u16 %r9, %h1;",
            0x0001);
}

Test(newer, rounding_by_random_bits_is_refused)
{
    static const char text[] = HEAD BEGIN "cvt.rs.bf16x2.f32 %r1, %f1, %f2, %r3; ret; }";
    char log[512] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *) sizeof(log)};
    CUmodule module = NULL;

    begin();
    EXPECT(CUDA_ERROR_NOT_SUPPORTED, mock_cuModuleLoadDataEx(&module, text, 2, options, values));
    cr_expect(ne(ptr, (void *) strstr(log, "'cvt' (tier 1) is not executed by this device"), NULL),
              "%s", log);
}

/* An address of 32 bits is none of shared memory, as a generic one. */
Test(newer, spaces_of_addresses)
{
    answers("mov.u32 %r1, 5; isspacep.shared %p1, %r1; isspacep.global %p2, %r1; selp.u32 %r9, 1, "
            "0, %p1; @%p2 add.u32 %r9, %r9, 2;",
            2);
    answers("mov.u64 %rd2, s; cvta.shared.u64 %rd2, %rd2; isspacep.shared::cta %p1, %rd2; "
            "isspacep.local %p2, %rd2; selp.u32 %r9, 1, 0, %p1; @%p2 add.u32 %r9, %r9, 2;",
            1);
}

/* --- warps and clusters --- */

/* -0 and 0, numbers, and a NaN in lane 7. */
Test(newer, redux_of_floats)
{
    run("cvt.rn.f32.u32 %f1, %t; neg.f32 %f1, %f1; setp.eq.u32 %p1, %t, 7; @%p1 mov.f32 %f1, "
        "0f7fc00000;\nredux.sync.min.f32 %f2, %f1, -1; mov.b32 %r9, %f2;",
        32);
    cr_expect(eq(u32, words[5], 0xc1f80000));
    run("cvt.rn.f32.u32 %f1, %t; neg.f32 %f1, %f1; setp.eq.u32 %p1, %t, 7; @%p1 mov.f32 %f1, "
        "0f7fc00000;\nredux.sync.max.abs.f32 %f2, %f1, -1; mov.b32 %r9, %f2;",
        32);
    cr_expect(eq(u32, words[31], 0x41f80000));
    run("cvt.rn.f32.u32 %f1, %t; setp.eq.u32 %p1, %t, 7; @%p1 mov.f32 %f1, 0f7fc00000;\n"
        "redux.sync.max.NaN.f32 %f2, %f1, -1; mov.b32 %r9, %f2;",
        32);
    cr_expect(eq(u32, words[0], 0x7fffffff));
}

#define BACK_AND_FORTH                                                                             \
    "and.b32 %r1, %t, 32; setp.ne.u32 %p1, %r1, 0; selp.u32 %r2, 1, 0, %p1; mov.u32 %r3, s; "      \
    "setp.eq.u32 %p2, %t, 0; @%p2 st.volatile.shared.u32 [%r3], 0; bar.sync 0;\n"                  \
    "L: call (%r4), turn, (%r3); setp.lt.u32 %p3, %r4, %r2; @%p3 bra L;\n"                         \
    "add.u32 %r5, %r2, 1; st.volatile.shared.u32 [%r3], %r5; add.u32 %r2, %r2, 2; setp.lt.u32 "    \
    "%p3, %r2, 20; @%p3 bra L; mov.u32 %r9, %r2; st.global.u32 [%rd1], %r9; ret; }"

/* Two threads wait for each other, by calls: that takes as few steps as without them. */
Test(newer, waiting_in_a_call)
{
    static const char text[] =
        HEAD ".func (.reg .b32 r) turn(.reg .b32 a) {ld.volatile.shared.u32 r, [a]; ret; }\n" BEGIN
             "setp.eq.u32 %p1, %t, 0; setp.eq.or.u32 %p1, %t, 32, %p1; @!%p1 bar.sync 0; @!%p1 "
             "ret;\n" BACK_AND_FORTH;
    CUmodule module = NULL;
    CUfunction function = NULL;
    CUdeviceptr p;
    void *params[] = {&p};

    setenv("CUSHIM_MOCK_PTX_STEPS", "100000", 1);
    begin();
    p = allocate(sizeof(words));
    OK(mock_cuModuleLoadData(&module, text));
    OK(mock_cuModuleGetFunction(&function, module, "k"));
    OK(mock_cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, NULL, params, NULL));
    EXPECT(CUDA_SUCCESS, mock_cuCtxSynchronize());
}

/* Each names others, and none itself: nobody knows what comes out, but it ends. */
Test(newer, lanes_that_name_different_members)
{
    run("setp.eq.u32 %p1, %t, %t; vote.sync.ballot.b32 %r1, %p1, %t; mov.u32 %r9, 7;", 32);
    for (unsigned i = 0; i < 32; i++)
        cr_expect(eq(u32, words[i], 7));
}

Test(newer, barrier_of_the_cluster_that_nobody_comes_to)
{
    EXPECT(CUDA_ERROR_LAUNCH_TIMEOUT, run_text("barrier.cluster.wait;", 64));
    found(CUSHIM_MOCK_BARRIER, "0 of the cluster's 64 living threads came");
}

/* It always comes too late, and says so in 16 bytes that a barrier counts. */
Test(newer, cancelling)
{
    answers(
        "mov.u32 %r1, s; mbarrier.init.shared.b64 [%r1], 1; mbarrier.arrive.expect_tx.shared.b64 "
        "_, [%r1], 16;\nclusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx"
        "::bytes.b128 [%r1+16], [%r1];\nL: mbarrier.try_wait.parity.shared.b64 %p1, [%r1], 0; "
        "@!%p1 bra L;\nld.shared.b128 %q1, [%r1+16]; "
        "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p2, %q1; selp.u32 %r9, 1, 2, "
        "%p2;",
        2);
    silent();
}

Test(newer, zeros_in_bulk)
{
    answers("mov.u32 %r1, s; mov.u32 %r2, 7; st.shared.u32 [%r1+24], %r2; st.shared.u32 [%r1+32], "
            "%r2; mov.u64 %rd2, 32;\nst.bulk.weak.shared::cta [%r1], %rd2, 0; setmaxnreg.dec.sync"
            ".aligned.u32 64;\nld.shared.u32 %r3, [%r1+24]; ld.shared.u32 %r4, [%r1+32]; ld.shared"
            ".u32 %r5, [%r1];\nmad.lo.u32 %r9, %r3, 100, %r4; add.u32 %r9, %r9, %r5;",
            7);
    silent();
}

Test(newer, bulk_copies_are_of_16_bytes)
{
    EXPECT(CUDA_ERROR_MISALIGNED_ADDRESS,
           run_text("mov.u32 %r1, s; mov.u32 %r2, 24; cp.async.bulk.global.shared::cta.bulk_group "
                    "[%rd0], [%r1], %r2;",
                    1));
    found(CUSHIM_MOCK_MISALIGNED_ACCESS, "24 bytes");
}

/* Bytes 0 and 5 of every 16. */
Test(newer, bulk_copies_of_some_bytes)
{
    EXPECT(CUDA_SUCCESS,
           run_text("mov.u32 %r1, s; mov.u32 %r2, 0x01020304; st.shared.v4.u32 [%r1], {%r2, %r2, "
                    "%r2, %r2}; mov.u32 %r3, 16; mov.b16 %h1, 0x21;\ncp.async.bulk.global.shared"
                    "::cta.bulk_group.cp_mask [%rd0], [%r1], %r3, %h1; cp.async.bulk.commit_group; "
                    "cp.async.bulk.wait_group 0;",
                    1));
    cr_expect(eq(u32, words[0], 4));
    cr_expect(eq(u32, words[1], 0x300));
    cr_expect(eq(u32, words[2], 0));
}

/* --- matrices: all of A is one number, and all of B; 32 products of a sum --- */

static void product(const char *types, unsigned a, unsigned b, float expected)
{
    char text[1024];
    float sum;

    snprintf(text, sizeof(text),
             "mov.u32 %%r1, %u; mov.u32 %%r2, %u; mov.f32 %%f1, 0f3f800000;\nmma.sync.aligned."
             "m16n8k32.row.col.kind::f8f6f4.f32.%s.f32 {%%f2, %%f3, %%f4, %%f5}, {%%r1, %%r1, "
             "%%r1, %%r1}, {%%r2, %%r2}, {%%f1, %%f1, %%f1, %%f1}; mov.b32 %%r9, %%f5;",
             a * 0x01010101, b * 0x01010101, types);
    run(text, 32);
    memcpy(&sum, &words[17], sizeof(sum));
    cr_expect(lt(flt, fabsf(sum - expected), 1e-6F), "%s: %g", types, (double) sum);
}

Test(newer, products_of_small_formats)
{
    product("e2m1.e2m1", 0x5 << 2, 0x9 << 2, 1 + 32 * 3 * -0.5F);
    product("e3m2.e2m3", 0x11, 0x2c, 1 + 32 * 2.5F * -1.5F);
    product("e4m3.e5m2", 0x38, 0x40, 1 + 32 * 2);
}
