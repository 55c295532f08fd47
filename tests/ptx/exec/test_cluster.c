/* SPDX-License-Identifier: MIT */
/*
 * The barrier of a cluster: who waits at it, who need not come, and that a launch ends at once when
 * somebody never comes, with the limit of steps that is the default.
 */
#include "planted.h"

TestSuite(cluster, .timeout = 60);

/* %t: the thread, %b: the block, %c: the rank in a cluster of two. */
#define PAIRS                                                                                      \
    ".version 8.0\n.target sm_90\n.address_size 64\n"                                              \
    ".visible .entry k(.param .u64 p) .explicitcluster .reqnctapercluster 2, 1, 1 {\n"             \
    ".reg .u32 %t, %b, %c, %i, %r<9>; .reg .u64 %rd<9>; .reg .pred %q, %p<4>;\n"                   \
    ".shared .align 8 .b8 s[512];\nmov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; "                     \
    "mov.u32 %c, %cluster_ctarank; mov.u32 %r0, %ntid.x; mad.lo.u32 %i, %b, %r0, %t;\n"            \
    "ld.param.u64 %rd0, [p]; mul.wide.u32 %rd1, %i, 4; add.u64 %rd1, %rd0, %rd1;\n"
#define SYNC "barrier.cluster.arrive; barrier.cluster.wait;\n"
/* So long that others have their turn meanwhile, and longer than that. */
#define LOOP(name, n)                                                                              \
    "mov.u32 %r8, 0; " name ": add.u32 %r8, %r8, 1; setp.lt.u32 %p3, %r8, " n "; @%p3 bra " name   \
    ";\n"
#define LATE  LOOP("L1", "100000")
#define LATER LOOP("L2", "300000")

static unsigned words[16384];

static CUresult run_pairs(const char *body, unsigned grid, unsigned block)
{
    char text[4096];
    CUmodule module = NULL;
    CUfunction function = NULL;
    void *params[] = {&p};
    CUresult result;

    begin(16384);
    snprintf(text, sizeof(text), "%s%s ret; }", PAIRS, body);
    OK(mock_cuModuleLoadData(&module, text));
    OK(mock_cuModuleGetFunction(&function, module, "k"));
    OK(mock_cuLaunchKernel(function, grid, 1, 1, block, 1, 1, 0, NULL, params, NULL));
    result = mock_cuCtxSynchronize();
    if (result == CUDA_SUCCESS)
        OK(mock_cuMemcpyDtoH_v2(words, p, sizeof(words)));
    return result;
}

static void stuck(const char *body, const char *one, const char *two)
{
    EXPECT(CUDA_ERROR_LAUNCH_TIMEOUT, run_pairs(body, 2, 33));
    found(CUSHIM_MOCK_BARRIER, one, two);
}

/* --- somebody never comes --- */

Test(cluster, one_thread_arrives_and_all_wait)
{
    stuck("setp.eq.u32 %q, %i, 0; @%q barrier.cluster.arrive; barrier.cluster.wait;",
          "it waits at the barrier of its cluster", "1 of the cluster's 66 living threads came");
}

Test(cluster, one_block_arrives_and_all_wait)
{
    stuck("setp.eq.u32 %q, %c, 1; @%q barrier.cluster.arrive; barrier.cluster.wait;",
          "33 of the cluster's 66 living threads came", "kernel 'k', line ");
}

/* What is missing is at the other block's own barrier, and that is what is told. */
Test(cluster, one_block_is_stuck_by_itself)
{
    stuck(SYNC "setp.eq.u32 %q, %c, 0; @%q bra D; bar.sync 1, 64; bra E; D: " SYNC "E:",
          "it waits at barrier 1, to which 33 threads came; 64 are expected", "block (1,0,0)");
}

/* One half of a block waits for the other, which waits for the other block, and that is done. */
Test(cluster, between_two_kinds_of_barriers)
{
    stuck("setp.lt.u32 %q, %t, 32; @%q bra D; bar.sync 0; " SYNC "bra E; D: " SYNC "bar.sync 0; E:",
          "it waits at ", "block (");
}

/* Of those that wait, the thread with the lowest number is named, whoever came first. */
Test(cluster, who_is_named)
{
    stuck("setp.ge.u32 %q, %t, 16; @%q bra A; bar.sync 1, 64; bra B; A: " SYNC "B:",
          "it waits at barrier 1", "thread (0,0,0)");
}

/* The same of lanes of a warp that wait at different places, until the barrier is complete. */
Test(cluster, who_is_named_at_two_barriers)
{
    EXPECT(CUDA_SUCCESS,
           run_pairs("setp.ge.u32 %q, %t, 16; @%q bra A; bar.sync 0; bra B; A: bar.sync 0; B:", 2,
                     33));
    found(CUSHIM_MOCK_BARRIER, "lanes of one warp wait at different barriers", "thread (16,0,0)");
}

Test(cluster, one_of_many_clusters_never_meets)
{
    for (unsigned workers = 1; workers <= 4; workers++) {
        char text[8];

        snprintf(text, sizeof(text), "%u", workers);
        setenv("CUSHIM_MOCK_PTX_WORKERS", text, 1);
        EXPECT(CUDA_ERROR_LAUNCH_TIMEOUT,
               run_pairs("setp.ne.u32 %q, %b, 77; @%q barrier.cluster.arrive; "
                         "barrier.cluster.wait;",
                         256, 64));
        found(CUSHIM_MOCK_BARRIER, "64 of the cluster's 128 living threads came", "kernel 'k'");
        OK(mock_cuDevicePrimaryCtxReset(0));
    }
}

/* --- who has exited need not come --- */

Test(cluster, threads_that_have_exited_are_not_waited_for)
{
    EXPECT(CUDA_SUCCESS,
           run_pairs("setp.eq.u32 %q, %c, 1; @%q exit; " SYNC "st.global.u32 [%rd1], 5;", 2, 33));
    cr_expect(eq(u32, words[32], 5));
    cr_expect(eq(u32, words[33], 1));
    EXPECT(CUDA_SUCCESS, run_pairs("setp.ne.u32 %q, %i, 40; @!%q barrier.cluster.arrive; @!%q "
                                   "barrier.cluster.wait; @!%q st.global.u32 [%rd1], 6; @%q exit;",
                                   2, 33));
    cr_expect(eq(u32, words[40], 6));
}

/* Block 0 arrives and is gone: that is no reason not to wait for the second warp of block 1. */
Test(cluster, who_has_arrived_and_exited_counts_for_nobody_else)
{
    EXPECT(CUDA_SUCCESS,
           run_pairs("setp.eq.u32 %q, %c, 0; @!%q bra B; " LATE "barrier.cluster.arrive; exit;\n"
                     "B: setp.lt.u32 %p0, %t, 32; @%p0 bra W; " LATER "st.global.u32 [%rd0], 7;\n"
                     "W: " SYNC "ld.volatile.global.u32 %r1, [%rd0]; st.global.u32 [%rd1], %r1;",
                     2, 64));
    for (unsigned i = 64; i < 128; i++)
        cr_expect(eq(u32, words[i], 7));
}

/* --- right programs --- */

/* Half of each warp is one barrier ahead, and the other half has not waited yet. */
Test(cluster, lanes_that_are_one_barrier_ahead)
{
    EXPECT(CUDA_SUCCESS,
           run_pairs("and.b32 %r1, %t, 1; setp.eq.u32 %q, %r1, 0; @%q bra AHEAD;\n"
                     "barrier.cluster.arrive; " LATER "barrier.cluster.wait; " SYNC "bra DONE;\n"
                     "AHEAD: " SYNC SYNC "DONE: st.global.u32 [%rd1], 3;",
                     2, 64));
    for (unsigned i = 0; i < 128; i++)
        cr_expect(eq(u32, words[i], 3));
}

/* Lanes that wait for others of their warp still get them, when these come late. */
Test(cluster, lanes_wait_for_lanes_at_the_barrier)
{
    EXPECT(CUDA_SUCCESS,
           run_pairs("setp.eq.u32 %q, %c, 1; @!%q bra A; " LATER SYNC "exit;\n"
                     "A: barrier.cluster.arrive; setp.lt.u32 %p0, %t, 16; @%p0 bra V;\n"
                     "barrier.cluster.wait; V: setp.ge.u32 %p1, %t, 8; "
                     "vote.sync.ballot.b32 %r1, %p1, 0xffffffff; @%p0 barrier.cluster.wait; "
                     "st.global.u32 [%rd1], %r1;",
                     2, 32));
    for (unsigned i = 0; i < 32; i++)
        cr_expect(eq(u32, words[i], 0xffffff00));
}

/* Ranks that no block of the cluster has lead to no memory, also those near the largest number. */
Test(cluster, ranks_that_are_too_large)
{
    static const char *const ranks[] = {"2", "77", "254", "255", "256", "0xffffffff"};
    char body[300];

    for (size_t i = 0; i < sizeof(ranks) / sizeof(ranks[0]); i++) {
        snprintf(body, sizeof(body),
                 "mov.u32 %%r1, s; mapa.shared::cluster.u32 %%r5, %%r1, %s;\n"
                 "ld.shared::cluster.u32 %%r2, [%%r5]; st.global.u32 [%%rd1], %%r2;",
                 ranks[i]);
        EXPECT(CUDA_ERROR_ILLEGAL_INSTRUCTION, run_pairs(body, 2, 32));
        cushim_mock_findings_clear();
        OK(mock_cuDevicePrimaryCtxReset(0));
    }
}

/* Blocks give each other numbers through shared memory, round by round, whoever runs them. */
#define ROUNDS                                                                                     \
    "mov.u32 %r1, s; mad.lo.u32 %r1, %t, 4, %r1; mov.u32 %r2, %i; mov.u32 %r3, 0; xor.b32 %r4, "   \
    "%c, 1; mapa.shared::cluster.u32 %r5, %r1, %r4;\n"                                             \
    "R: st.shared.u32 [%r1], %r2; " SYNC "ld.shared::cluster.u32 %r2, [%r5]; add.u32 %r2, %r2, "   \
    "1; " SYNC "add.u32 %r3, %r3, 1; setp.lt.u32 %p0, %r3, 10; @%p0 bra R;\n"                      \
    "st.global.u32 [%rd1], %r2;"

Test(cluster, rounds_of_many_clusters)
{
    for (unsigned workers = 1; workers <= 4; workers++) {
        char text[8];

        snprintf(text, sizeof(text), "%u", workers);
        setenv("CUSHIM_MOCK_PTX_WORKERS", text, 1);
        EXPECT(CUDA_SUCCESS, run_pairs(ROUNDS, 256, 64));
        silent();
        for (unsigned i = 0; i < 16384; i++)
            cr_assert(eq(u32, words[i], i + 10));
        OK(mock_cuDevicePrimaryCtxReset(0));
    }
}
