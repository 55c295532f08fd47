/* SPDX-License-Identifier: MIT */
/* What kernels do together: jumps, calls, barriers, votes, grids; by the driver's functions. */
#include <criterion/redirect.h>
#include <cushim/mock.h>
#include <stdio.h>
#include <string.h>

#include "../../mock/support.h"

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"
#define BEGIN                                                                                      \
    ".visible .entry k(.param .u64 p) {\n.reg .u32 %i, %t, %r<20>; .reg .u64 %rd<9>; .reg .pred "  \
    "%p<4>; .reg .f32 %f<4>;\nmov.u32 %t, %tid.x; mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; "   \
    "mad.lo.u32 %i, %r0, %r1, %t;\nld.param.u64 %rd0, [p]; mul.wide.u32 %rd1, %i, 4; add.u64 "     \
    "%rd1, %rd0, %rd1;\n"

enum { WORDS = 4096 };

static unsigned words[WORDS];

TestSuite(run, .timeout = 100);

/* Runs a kernel over zeroed words, and reads them back. */
static CUresult run_text(const char *text, unsigned grid, unsigned block, bool cooperative)
{
    CUmodule module = NULL;
    CUfunction function = NULL;
    CUdeviceptr p;
    void *params[] = {&p};
    CUresult result;

    start();
    p = allocate(sizeof(words));
    OK(mock_cuMemsetD32_v2(p, 0, WORDS));
    OK(mock_cuModuleLoadData(&module, text));
    OK(mock_cuModuleGetFunction(&function, module, "k"));
    if (cooperative)
        OK(mock_cuLaunchCooperativeKernel(function, grid, 1, 1, block, 1, 1, 0, NULL, params));
    else
        OK(mock_cuLaunchKernel(function, grid, 1, 1, block, 1, 1, 0, NULL, params, NULL));
    result = mock_cuCtxSynchronize();
    if (result == CUDA_SUCCESS)
        OK(mock_cuMemcpyDtoH_v2(words, p, sizeof(words)));
    return result;
}

/* %r9 is what a thread is to answer. */
static void run(const char *before, const char *body, unsigned grid, unsigned block)
{
    char text[8192];

    snprintf(text, sizeof(text), "%s%s%s%s\nst.global.u32 [%%rd1], %%r9; ret; }", HEAD, before,
             BEGIN, body);
    EXPECT(CUDA_SUCCESS, run_text(text, grid, block, false));
}

/* Each lane leaves the loop at a time of its own. */
Test(run, divergent_loop)
{
    run("",
        "mov.u32 %r9, 0; mov.u32 %r2, 0;\nL: setp.gt.u32 %p0, %r2, %t; @%p0 bra D; add.u32 "
        "%r9, %r9, %r2; add.u32 %r2, %r2, 1; bra L; D:",
        2, 50);
    for (unsigned i = 0; i < 100; i++)
        cr_expect(eq(u32, words[i], i % 50 * (i % 50 + 1) / 2));
}

/* After the branch all lanes are together again, wherever the compiler put the cold part. */
Test(run, lanes_meet_behind_a_branch)
{
    run("",
        "and.b32 %r2, %t, 3; setp.eq.u32 %p0, %r2, 1; @%p0 bra COLD;\nMEET: activemask.b32 "
        "%r9; bra DONE;\nCOLD: add.u32 %r3, %r3, 1; bra MEET; DONE:",
        1, 32);
    for (unsigned i = 0; i < 32; i++)
        cr_expect(eq(u32, words[i], 0xffffffff));
}

/* One lane after another takes the lock: those that spin let the owner go on. */
Test(run, spin_lock_inside_a_warp)
{
    run(".global .u32 lock; .global .u32 count;\n",
        "AGAIN: atom.global.cas.b32 %r2, [lock], 0, 1; setp.ne.u32 %p0, %r2, 0; @%p0 bra AGAIN;\n"
        "ld.volatile.global.u32 %r3, [count]; add.u32 %r9, %r3, 1; st.volatile.global.u32 [count], "
        "%r9; membar.gl; atom.global.exch.b32 %r4, [lock], 0;",
        2, 64);
    {
        unsigned seen[129] = {0};

        for (unsigned i = 0; i < 128; i++)
            if (words[i] <= 128)
                seen[words[i]]++;
        for (unsigned i = 1; i <= 128; i++)
            cr_expect(eq(u32, seen[i], 1));
    }
}

Test(run, recursion_of_a_depth_of_its_own)
{
    run(".func (.param .u32 r) f(.param .u32 n) {\n.reg .u32 %a<6>; .reg .pred %q;\nld.param.u32 "
        "%a0, [n]; mov.u32 %a1, 1; setp.eq.u32 %q, %a0, 0; @%q bra D;\nsub.u32 %a2, %a0, 1;\n{ "
        ".param .u32 x; .param .u32 y; st.param.u32 [x], %a2; call (y), f, (x); ld.param.u32 %a3, "
        "[y]; }\nmul.lo.u32 %a1, %a3, %a0;\nD: st.param.u32 [r], %a1; ret; }\n",
        "and.b32 %r2, %t, 7;\n{ .param .u32 x; .param .u32 y; st.param.u32 [x], %r2; call (y), f, "
        "(x); ld.param.u32 %r9, [y]; }",
        1, 64);
    for (unsigned i = 0; i < 64; i++) {
        unsigned product = 1;

        for (unsigned j = 2; j <= i % 8; j++)
            product *= j;
        cr_expect(eq(u32, words[i], product));
    }
}

#define CALLEE(name, op)                                                                           \
    ".func (.reg .u32 r) " name " (.reg .u32 a) {" op ".u32 r, a, 100; ret; }\n"

Test(run, indirect_calls)
{
    run(CALLEE("plus", "add") CALLEE("minus", "sub") ".global .u64 table[2] = {plus, minus};\n",
        "and.b32 %r2, %t, 1; mul.wide.u32 %rd2, %r2, 8; mov.u64 %rd3, table; add.u64 %rd3, %rd3, "
        "%rd2; ld.global.u64 %rd4, [%rd3];\nP: .callprototype (.reg .u32 _) _ (.reg .u32 _);\n"
        "call (%r9), %rd4, (%t), P;",
        1, 64);
    for (unsigned i = 0; i < 64; i++)
        cr_expect(eq(u32, words[i], i % 2 ? i - 100 : i + 100));
}

Test(run, branch_by_index)
{
    run("",
        "and.b32 %r2, %t, 3;\nT: .branchtargets A, B, C, B;\nbrx.idx %r2, T;\nA: mov.u32 %r9, "
        "10; bra D; B: mov.u32 %r9, 20; bra D; C: mov.u32 %r9, 30; D:",
        1, 33);
    for (unsigned i = 0; i < 33; i++)
        cr_expect(eq(u32, words[i], ((unsigned[]){10, 20, 30, 20})[i % 4]));
}

/* An index that is one too large. */
Test(run, branch_by_an_index_that_is_not_there)
{
    EXPECT(719, run_text(HEAD BEGIN "T: .branchtargets A, B, A;\nmov.u32 %r2, 3; brx.idx %r2, T;\n"
                                    "A: bra D; B: bra D; D: ret; }",
                         1, 1, false));
}

Test(run, shuffles_and_votes)
{
    run("",
        "shfl.sync.bfly.b32 %r2, %t, 1, 31, 0xffffffff; shfl.sync.up.b32 %r3|%p0, %t, 3, 0, "
        "0xffffffff; selp.u32 %r4, 1, 0, %p0;\nsetp.lt.u32 %p1, %t, 5; vote.sync.ballot.b32 "
        "%r5, %p1, 0xffffffff; mad.lo.u32 %r9, %r2, 100, %r3; mad.lo.u32 %r9, %r4, 10000, "
        "%r9; mad.lo.u32 %r9, %r5, 100000, %r9;",
        1, 32);
    for (unsigned i = 0; i < 32; i++)
        cr_expect(eq(u32, words[i],
                     (i ^ 1) * 100 + (i < 3 ? i : i - 3) + (i >= 3) * 10000 + 31 * 100000));
}

/* The lanes that a shuffle names wait for each other on both sides of a branch. */
Test(run, shuffle_gathers_its_members)
{
    run("",
        "setp.lt.u32 %p0, %t, 16; @%p0 bra A; add.u32 %r2, %t, 1000; bra S; A: add.u32 %r2, "
        "%t, 2000;\nS: @%p0 bra X; bra X; X: shfl.sync.idx.b32 %r9, %r2, 0, 31, 0xffffffff;",
        1, 32);
    for (unsigned i = 0; i < 32; i++)
        cr_expect(eq(u32, words[i], 2000));
}

/* Quarters of a warp, each for itself, in one instruction; and they are one warp afterwards. */
Test(run, members_of_their_own)
{
    run("",
        "and.b32 %r2, %t, 24; mov.u32 %r3, 255; shl.b32 %r3, %r3, %r2; redux.sync.add.u32 %r4, "
        "%t, %r3; activemask.b32 %r5; setp.eq.u32 %p0, %r5, 0xffffffff; selp.u32 %r9, %r4, 0, "
        "%p0;",
        1, 32);
    for (unsigned i = 0; i < 32; i++)
        cr_expect(eq(u32, words[i], i / 8 * 64 + 28));
}

/* All blocks are there at once: each waits for all. */
Test(run, cooperative_grid)
{
    static const char body[] = HEAD
        ".global .u32 arrived;\n" BEGIN
        "atom.global.add.u32 %r2, [arrived], 1; WAIT: ld.acquire.gpu.global.u32 %r3, [arrived]; "
        "setp.lt.u32 %p0, %r3, 64; @%p0 bra WAIT;\nst.global.u32 [%rd1], %r3; ret; }";

    EXPECT(CUDA_SUCCESS, run_text(body, 64, 1, true));
    for (unsigned i = 0; i < 64; i++)
        cr_expect(eq(u32, words[i], 64));
}

Test(run, barrier_that_counts)
{
    run("", "and.b32 %r2, %t, 3; setp.eq.u32 %p0, %r2, 0; bar.red.popc.u32 %r9, 0, %p0;", 2, 100);
    for (unsigned i = 0; i < 200; i++)
        cr_expect(eq(u32, words[i], 25));
}

/* Some threads are gone when the others come to the barrier. */
Test(run, barrier_after_exits)
{
    run("", "mov.u32 %r9, 5; setp.gt.u32 %p0, %t, 40; @%p0 exit; bar.sync 0;", 1, 64);
    cr_expect(eq(u32, words[40], 5));
    cr_expect(eq(u32, words[41], 0));
}

/* In a block of 13 warps, of which the last has 8 lanes: who comes to a place of the kernel when.
 */
#define COMES(place)                                                                               \
    "mad.lo.u32 %r5, %r0, 1000, %r4; add.u32 %r5, %r5, " #place "00; @%p0 atom.global.add.u32 "    \
    "%r6, [%rd0+16380], 1; mul.wide.u32 %rd2, %r6, 4; add.u64 %rd2, %rd0, %rd2; @%p0 "             \
    "st.global.u32 [%rd2], %r5;\n"

/* Two warps exit, and the lanes of one part. Who comes last to a barrier goes on at once. */
Test(run, warps_in_their_order)
{
    static const unsigned char order[3][14] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 99},
                                               {12, 0, 1, 2, 3, 5, 6, 7, 8, 10, 11, 99},
                                               {11, 12, 0, 1, 2, 3, 5, 6, 7, 8, 10, 99}};
    unsigned n = 0;

    EXPECT(CUDA_SUCCESS,
           run_text(HEAD BEGIN
                    "shr.u32 %r4, %t, 5; and.b32 %r3, %t, 31; setp.eq.u32 %p0, %r3, 0;\n" COMES(
                        0) "rem.u32 %r7, %r4, 5; setp.eq.u32 %p1, %r7, 4; @%p1 bra OUT; bar.sync "
                           "0;\n" COMES(1) "setp.ne.u32 %p2, %r4, 2; @%p2 bra MEET; setp.gt.u32 "
                                           "%p3, %r3, 6; @%p3 bra "
                                           "MEET; add.u32 %r8, %r8, 1; MEET: bar.sync 0;\n" COMES(
                                               2) "OUT: ret; }",
                    4, 392, false));
    for (unsigned block = 0; block < 4; block++) {
        for (unsigned place = 0; place < 3; place++) {
            for (unsigned i = 0; order[place][i] != 99; i++)
                cr_expect(eq(u32, words[n++], block * 1000 + place * 100 + order[place][i]));
        }
    }
    cr_expect(eq(u32, words[WORDS - 1], n));
}

Test(run, prints, .init = cr_redirect_stdout)
{
    run(".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"
        ".global .align 1 .b8 text[16] = {37, 100, 32, 37, 46, 49, 102, 32, 37, 115, 33, 10, 0};\n"
        ".global .align 1 .b8 word[3] = {104, 105, 0};\n",
        ".local .align 8 .b8 a[24]; .reg .b64 %sp;\nmov.u64 %sp, a; setp.gt.u32 %p0, %t, 1; @%p0 "
        "bra D; add.u32 %r2, %t, 7; st.local.u32 [%sp], %r2; mov.u64 %rd2, 4612811918334230528; "
        "st.local.u64 [%sp+8], %rd2; mov.u64 %rd3, word; st.local.u64 [%sp+16], %rd3; cvta.local"
        ".u64 %rd4, %sp; mov.u64 %rd5, text;\n{ .param .b64 x; .param .b64 y; .param .b32 z; "
        "st.param.b64 [x], %rd5; st.param.b64 [y], %rd4; call (z), vprintf, (x, y); ld.param.b32 "
        "%r9, [z]; } D:",
        1, 32);
    fflush(stdout);
    cr_expect_stdout_eq_str("7 2.5 hi!\n8 2.5 hi!\n");
    cr_expect(eq(u32, words[1], 3));
}

Test(run, allocates)
{
    run(".extern .func (.param .b64 r) malloc (.param .b64 n);\n"
        ".extern .func free (.param .b64 p);\n",
        "{ .param .b64 x; .param .b64 y; mov.u64 %rd2, 64; st.param.b64 [x], %rd2; call (y), "
        "malloc, (x); ld.param.b64 %rd3, [y]; }\nst.u32 [%rd3+60], %t; ld.u32 %r9, [%rd3+60];\n"
        "{ .param .b64 x; st.param.b64 [x], %rd3; call free, (x); }",
        4, 64);
    for (unsigned i = 0; i < 256; i++)
        cr_expect(eq(u32, words[i], i % 64));
}

/* Nothing comes from lanes that the block does not have. */
Test(run, shuffle_from_a_lane_that_is_not_there)
{
    run("",
        "mov.u32 %r2, %i; setp.gt.u32 %p0, %t, 16; @%p0 ret;\nactivemask.b32 %r3; "
        "shfl.sync.idx.b32 "
        "%r9, %r2, 25, 31, %r3; shfl.sync.idx.b32 %r4, %r2, 18, 31, %r3; mad.lo.u32 %r9, %r9, "
        "1000, "
        "%r4;",
        2, 20);
    for (unsigned i = 0; i < 40; i++)
        cr_expect(eq(u32, words[i], i % 20 > 16 ? 0 : 1001 * i));
}

/* Nor from those that are elsewhere: what they have there may be nothing that anybody needs. */
Test(run, shuffle_from_a_lane_that_is_elsewhere)
{
    run("",
        "mov.u32 %r2, %t; setp.ge.u32 %p0, %t, 16; @%p0 bra O;\nactivemask.b32 %r3; "
        "shfl.sync.idx.b32 %r9, %r2, 20, 31, %r3; bra E;\n"
        "O: mov.u32 %r2, 99; mov.u32 %r9, %r2; activemask.b32 %r3; "
        "shfl.sync.bfly.b32 %r9, %r9, 16, 31, %r3;\nE:",
        1, 32);
    for (unsigned i = 0; i < 32; i++)
        cr_expect(eq(u32, words[i], i < 16 ? i : 99));
}

/* Lanes of two groups shuffle what has steps over itself, one group after the other. */
Test(run, shuffle_over_itself)
{
    run("",
        "mov.u32 %r2, %t; and.b32 %r3, %t, 1; setp.eq.u32 %p0, %r3, 0;\n"
        "selp.b32 %r3, 0x55555555, 0xaaaaaaaa, %p0; shfl.sync.bfly.b32 %r2, %r2, 2, 31, %r3;\n"
        "add.u32 %r9, %r2, %t;",
        2, 64);
    for (unsigned i = 0; i < 128; i++)
        cr_expect(eq(u32, words[i], (i % 64) + (i % 64 ^ 2)));
}

/*
 * Whatever an earlier block or call left in the register file: registers of all sizes, and the
 * carry. Some lanes write %r5 before it is read.
 */
Test(run, registers_that_nothing_wrote)
{
    run(".func (.reg .u32 %out) stale (.reg .u32 %in) { .reg .u32 %x; .reg .pred %y;\n"
        "mov.u32 %out, %x; @%y add.u32 %out, %out, 1; mov.u32 %x, %in; setp.eq.u32 %y, %x, %x; "
        "ret; }\n",
        "addc.u32 %r9, %r9, %r2; cvt.u32.u64 %r3, %rd2; add.u32 %r9, %r9, %r3;\n"
        "@%p1 add.u32 %r9, %r9, 2; call (%r4), stale, (%r1); add.u32 %r9, %r9, %r4;\n"
        "call (%r4), stale, (%r1); add.u32 %r9, %r9, %r4; setp.gt.u32 %p0, %t, 20;\n"
        "@%p0 mov.u32 %r5, 64; add.u32 %r9, %r9, %r5; mov.u32 %r2, 3; mov.u64 %rd2, 3; "
        "mov.u32 %r5, 7;\nsetp.eq.u32 %p1, %t, %t; add.cc.u32 %r6, -1, %r2;",
        4, 64);
    for (unsigned i = 0; i < 256; i++)
        cr_expect(eq(u32, words[i], i % 64 > 20 ? 64 : 0));
}

/* What is computed from itself alone begins with what the operation of a warp gave. */
Test(run, computed_from_itself)
{
    run("",
        "mov.u32 %r9, 0; shfl.sync.up.b32 %r2, %t, 1, 0, -1; and.b32 %r2, %r2, %r2; mov.u32 %r9, "
        "%r2;",
        1, 32);
    for (unsigned i = 0; i < 32; i++)
        cr_expect(eq(u32, words[i], i ? i - 1 : 0));
}

static const char takes_number[] =
    HEAD ".global .u32 next = 1;\n" BEGIN
         "atom.global.add.u32 %r9, [next], 1; st.global.u32 [%rd1], %r9; ret; }";

/* The same seed, the same order, the same result, whoever is first. */
Test(run, seeded_order)
{
    unsigned first[WORDS];
    bool in_order = true;

    cr_assert(eq(int, cushim_mock_configure(cushim_mock_config(.seed = 11)), CUSHIM_OK));
    EXPECT(CUDA_SUCCESS, run_text(takes_number, WORDS, 1, false));
    memcpy(first, words, sizeof(first));
    EXPECT(CUDA_SUCCESS, run_text(takes_number, WORDS, 1, false));
    for (unsigned i = 0; i < WORDS; i++) {
        cr_assert(eq(u32, words[i], first[i]));
        in_order = in_order && words[i] == i + 1;
    }
    cr_expect(not(in_order));
}

/* Each block runs once, also with the seed that is mixed to the largest number. */
Test(run, largest_drawn_number)
{
    const uint64_t seed = UINT64_C(3558559446808474027);

    cr_assert(eq(int, cushim_mock_configure(cushim_mock_config(.seed = seed)), CUSHIM_OK));
    EXPECT(CUDA_SUCCESS, run_text(takes_number, 3, 1, false));
    cr_expect(eq(u32, words[0] * words[1] * words[2], 6));
}

/* What is not executed is refused when the module is loaded, with its name and line. */
Test(run, refused)
{
    static const char text[] = HEAD ".visible .entry k() {.reg .b32 %r<4>;\n\n"
                                    "txq.width.b32 %r1, [%r2]; ret; }";
    char log[512] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *) sizeof(log)};
    CUmodule module = NULL;

    start();
    cr_expect(ne(int, (int) mock_cuModuleLoadDataEx(&module, text, 2, options, values), 0));
    cr_expect(ne(ptr, (void *) strstr(log, "line 6"), NULL), "%s", log);
}

/*
 * Bits of two registers, chosen by a mask, in some lanes; one of the two in the others. LLVM makes
 * one masked instruction of that for AVX-512, and not always the right one.
 */
Test(run, chosen_bits_in_chosen_lanes)
{
    static const unsigned masks[] = {0x80000000, 0x7fffffff, 0x00ffff00, 0x0f0f0f0f};

    for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
        for (unsigned form = 0; form < 4; form++) {
            char body[512];

            snprintf(
                body, sizeof(body),
                "mul.lo.u32 %%r3, %%i, 0x9e3779b1; mul.lo.u32 %%r4, %%i, 0x85ebca6b; add.u32 "
                "%%r4, %%r4, 12345; and.b32 %%r5, %%r3, 0x%x; and.b32 %%r6, %%r4, 0x%x; or.b32 "
                "%%r5, %%r5, %%r6; shr.u32 %%r7, %%r4, 7; and.b32 %%r7, %%r7, 1; setp.eq.u32 "
                "%%p0, %%r7, 0; selp.b32 %%r9, %s, %s, %%p0;",
                masks[i], ~masks[i],
                form < 2    ? "%r5"
                : form == 2 ? "%r3"
                            : "%r4",
                form == 0   ? "%r3"
                : form == 1 ? "%r4"
                            : "%r5");
            run("", body, 2, 64);
            for (unsigned t = 0; t < 128; t++) {
                const unsigned a = t * 0x9e3779b1u, b = t * 0x85ebca6bu + 12345;
                const unsigned both = (a & masks[i]) | (b & ~masks[i]);
                const bool first = (b >> 7 & 1) == 0;

                cr_expect(eq(u32, words[t],
                             (form < 2) == first ? both
                             : form % 2 == 0     ? a
                                                 : b),
                          "mask 0x%x, form %u, thread %u", masks[i], form, t);
            }
        }
    }
}

/* More blocks than a worker begins at once, though fewer than a device has room for. */
/* What differs between blocks, in blocks of several warps. */
Test(run, special_registers_in_many_instructions)
{
    static const char *const bodies[] = {
        "cvt.u64.u32 %rd2, %ctaid.x; cvt.u64.u8 %rd3, %tid.x; shl.b64 %rd2, %rd2, 8;"
        "add.u64 %rd2, %rd2, %rd3; cvt.u32.u64 %r9, %rd2;",
        ".reg .b16 %h<3>; cvt.u16.u16 %h1, %ctaid.x; cvt.sat.s8.u32 %h2, %tid.x;"
        "cvt.u32.u16 %r2, %h1; cvt.u32.u16 %r3, %h2; mad.lo.u32 %r9, %r2, 256, %r3;",
        "mov.b64 %rd2, {%tid.x, %ctaid.x}; mov.b64 {%r2, %r3}, %rd2;"
        "mad.lo.u32 %r9, %r3, 256, %r2;",
        "mul.wide.u32 %rd2, %i, 8; add.u64 %rd2, %rd2, %rd0;"
        "st.global.v2.u32 [%rd2+8192], {%ctaid.x, %tid.x};"
        "ld.global.v2.u32 {%r2, %r3}, [%rd2+8192]; mad.lo.u32 %r9, %r2, 256, %r3;",
        "mov.u32 %r5, 0; mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%r2, %r3, %r6, %r7},"
        "{%r5, %r5}, {%r5}, {%ctaid.x, %tid.x, %r5, %r5}; mad.lo.u32 %r9, %r2, 256, %r3;",
    };

    for (size_t b = 0; b < sizeof(bodies) / sizeof(bodies[0]); b++) {
        run("", bodies[b], 8, 64);
        for (unsigned i = 0; i < 512; i++)
            cr_expect(eq(u32, words[i], i / 64 * 256 + i % 64), "%s, thread %u", bodies[b], i);
    }
}

Test(run, all_blocks_wait_for_the_last_one)
{
    run("",
        "add.u64 %rd2, %rd0, 16000; setp.ne.u32 %p0, %t, 0; @%p0 bra E; red.global.add.u32 [%rd2], "
        "1; mov.u32 %r2, %nctaid.x;\nL: ld.volatile.global.u32 %r3, [%rd2]; setp.lt.u32 %p1, %r3, "
        "%r2; @%p1 bra L;\nE: mov.u32 %r9, 1;",
        300, 8);
    for (unsigned i = 0; i < 2400; i++)
        cr_expect(eq(u32, words[i], 1));
    cr_expect(eq(u32, words[4000], 300));
}

/* A block that waits lets the next one begin when all its warps have waited, and not before. */
Test(run, block_that_waits_behind_another_one)
{
    run("",
        "add.u64 %rd2, %rd0, 16000; mov.u32 %r2, 0; setp.eq.u32 %p0, %r0, 1;\n"
        "selp.u32 %r3, 180, 1, %p0; setp.eq.u32 %p0, %r0, 0; selp.u32 %r3, 100, %r3, %p0;\n"
        "bar.sync 1, 64;\n"
        "L: ld.volatile.global.u32 %r4, [%rd2]; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r3;\n"
        "@%p1 bra L;\n"
        "setp.eq.u32 %p2, %t, 0; @%p2 atom.global.add.u32 %r9, [%rd2], 1;",
        4, 64);
    for (unsigned i = 0; i < 4; i++)
        cr_expect(eq(u32, words[i * 64], i));
}

/* The same where warps have met at a barrier since they waited the last time. */
Test(run, block_that_waits_behind_a_barrier)
{
    run("",
        "add.u64 %rd2, %rd0, 16000; mov.u32 %r2, 0; setp.eq.u32 %p0, %r0, 0;\n"
        "selp.u32 %r3, 100, 1, %p0; bar.sync 1, 64;\n"
        "L: ld.volatile.global.u32 %r4, [%rd2]; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r3;\n"
        "@%p1 bra L;\n"
        "bar.sync 0; mov.u32 %r2, 0; selp.u32 %r3, 130, 1, %p0;\n"
        "M: ld.volatile.global.u32 %r4, [%rd2]; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r3;\n"
        "@%p1 bra M;\n"
        "setp.eq.u32 %p2, %t, 0; @%p2 atom.global.add.u32 %r9, [%rd2], 1;",
        4, 64);
    cr_expect(eq(u32, words[0], 1));
    cr_expect(eq(u32, words[64], 0));
    cr_expect(eq(u32, words[128], 2));
    cr_expect(eq(u32, words[192], 3));
}
