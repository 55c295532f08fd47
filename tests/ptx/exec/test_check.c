/* SPDX-License-Identifier: MIT */
/* Mistakes of kernels, each beside its right twin: what the mock finds, and that it is silent. */
#include "planted.h"

TestSuite(check, .timeout = 100);

Test(check, one_too_far)
{
    begin(128);
    EXPECT(CUDA_SUCCESS, run("st.global.u32 [%rd1+4], 7;", 4, 32));
    found(CUSHIM_MOCK_OUT_OF_BOUNDS, "block (3,0,0), thread (31,0,0)",
          "(512 bytes, made by cuMemAlloc");
    found(CUSHIM_MOCK_OUT_OF_BOUNDS, "kernel 'k', line ", " of the PTX, block (3,0,0)");
}

/* Other warps of the block have come by before. */
Test(check, one_too_far_in_a_later_warp)
{
    begin(256);
    EXPECT(CUDA_SUCCESS, run("bar.sync 0; st.global.u32 [%rd1+4], 7;", 2, 128));
    found(CUSHIM_MOCK_OUT_OF_BOUNDS, "block (1,0,0), thread (127,0,0)",
          "(1024 bytes, made by cuMemAlloc");
}

Test(check, fault_in_a_later_warp)
{
    begin(256);
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS,
           run("setp.eq.u32 %p0, %i, 230; @%p0 add.u64 %rd1, %rd1, 0x7000000000; "
               "st.global.u32 [%rd1], 7;",
               2, 128));
    found(CUSHIM_MOCK_OUT_OF_BOUNDS, "block (1,0,0), thread (102,0,0)", "writes: 4 bytes");
}

Test(check, one_too_far_with_a_guard)
{
    begin(128);
    EXPECT(CUDA_SUCCESS,
           run("add.u32 %r1, %i, 1; setp.lt.u32 %p0, %r1, %r8; @%p0 st.global.u32 [%rd1+4], 7;", 4,
               32));
    silent();
}

Test(check, use_after_free)
{
    begin(128);
    OK(mock_cuMemFree_v2(p));
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, run("ld.global.u32 %r1, [%rd1];", 1, 32));
    found(CUSHIM_MOCK_USE_AFTER_FREE, "thread (0,0,0)", "which was freed");
}

Test(check, misaligned)
{
    begin(128);
    EXPECT(CUDA_ERROR_MISALIGNED_ADDRESS,
           run("add.u64 %rd3, %rd0, 4; ld.global.v2.u32 {%r1, %r2}, [%rd3];", 1, 32));
    found(CUSHIM_MOCK_MISALIGNED_ACCESS, "8 bytes that are not aligned (offset", "allocation");
}

Test(check, aligned)
{
    begin(128);
    EXPECT(CUDA_SUCCESS, run("add.u64 %rd3, %rd0, 8; ld.global.v2.u32 {%r1, %r2}, [%rd3];", 1, 32));
    silent();
}

#define EXCHANGE(barrier)                                                                          \
    "mov.u32 %r1, s; add.u32 %r1, %r1, %r7; st.shared.u32 [%r1], %t;\n" barrier                    \
    "xor.b32 %r2, %r7, 128; mov.u32 %r3, s; add.u32 %r3, %r3, %r2; ld.shared.u32 %r4, [%r3];\n"    \
    "st.global.u32 [%rd1], %r4;"

Test(check, missing_barrier)
{
    begin(64);
    EXPECT(CUDA_SUCCESS, run(EXCHANGE(""), 1, 64));
    found(CUSHIM_MOCK_UNINITIALISED_READ, "shared memory", "nothing has written");
}

/* Of the second half of the variable, which all have written. */
Test(check, missing_barrier_behind_a_later_write)
{
    begin(64);
    EXPECT(CUDA_SUCCESS,
           run("mov.u32 %r1, s; add.u32 %r1, %r1, %r7; st.shared.u32 [%r1], 1; bar.sync 0;\n"
               "setp.eq.u32 %p0, %t, 0; @%p0 st.shared.u32 [s+240], 2;\n"
               "setp.eq.u32 %p1, %t, 40; @%p1 ld.shared.u32 %r2, [s+240];",
               1, 64));
    found(CUSHIM_MOCK_DATA_RACE, "shared memory at offset", "no barrier is between them");
}

Test(check, missing_barrier_on_the_way_back)
{
    begin(64);
    EXPECT(CUDA_SUCCESS, run(EXCHANGE("bar.sync 0;\n") "st.shared.u32 [%r1], 5;", 1, 64));
    found(CUSHIM_MOCK_DATA_RACE, "shared memory at offset", "no barrier is between them");
}

Test(check, barriers_where_they_belong)
{
    begin(64);
    EXPECT(CUDA_SUCCESS,
           run(EXCHANGE("bar.sync 0;\n") "bar.sync 0; st.shared.u32 [%r1], 5;", 1, 64));
    silent();
}

/* Half of the block meets at barrier 1, and the other at 2: nothing is wrong with that. */
Test(check, barriers_of_some_warps)
{
    begin(128);
    EXPECT(CUDA_SUCCESS, run("shr.u32 %r5, %t, 6; add.u32 %r5, %r5, 1;\n" EXCHANGE(
                                 "bar.sync %r5, 64;\n") "bar.sync %r5, 64;",
                             1, 128));
    silent();
}

Test(check, divergent_barrier)
{
    begin(64);
    EXPECT(CUDA_SUCCESS, run("and.b32 %r1, %t, 1; setp.eq.u32 %p0, %r1, 0;\n"
                             "@%p0 bra EVEN; bar.sync 0; bra DONE; EVEN: bar.sync 0; DONE:",
                             1, 64));
    found(CUSHIM_MOCK_BARRIER, "different barriers", "thread (");
}

Test(check, barrier_behind_a_branch_of_all)
{
    begin(64);
    EXPECT(CUDA_SUCCESS, run("setp.lt.u32 %p0, %t, 32;\n"
                             "@%p0 bra LOW; bar.sync 0; bra DONE; LOW: bar.sync 0; DONE:",
                             1, 64));
    silent();
}

Test(check, barrier_that_not_all_come_to)
{
    begin(64);
    EXPECT(CUDA_ERROR_LAUNCH_TIMEOUT, run("setp.lt.u32 %p0, %t, 32; @%p0 bra LOW; bar.sync 1; bra "
                                          "DONE; LOW: bar.sync 2; DONE:",
                                          1, 64));
    found(CUSHIM_MOCK_BARRIER, "waits at barrier", "64 are expected");
}

Test(check, uninitialised_shared_memory)
{
    begin(32);
    EXPECT(CUDA_SUCCESS, run("mov.u32 %r1, s; ld.shared.u32 %r2, [%r1+8];", 1, 1));
    found(CUSHIM_MOCK_UNINITIALISED_READ, "shared memory at offset 8", "nothing has written");
}

Test(check, uninitialised_global_memory)
{
    begin(32);
    p = allocate(128);
    EXPECT(CUDA_SUCCESS, run("ld.global.u32 %r1, [%rd1];", 1, 32));
    found(CUSHIM_MOCK_UNINITIALISED_READ, "nothing has written", "128 bytes");
}

Test(check, global_memory_that_the_kernel_writes_first)
{
    begin(32);
    p = allocate(128);
    EXPECT(CUDA_SUCCESS, run("st.global.u32 [%rd1], 3; ld.global.u32 %r1, [%rd1];", 1, 32));
    silent();
    /* What one launch wrote is written for the next. */
    EXPECT(CUDA_SUCCESS, run("ld.global.u32 %r1, [%rd1];", 1, 32));
    silent();
}

Test(check, endless_loop)
{
    setenv("CUSHIM_MOCK_PTX_STEPS", "1000000", 1);
    begin(32);
    EXPECT(CUDA_ERROR_LAUNCH_TIMEOUT, run("L: add.u32 %r1, %r1, 1; bra L;", 1, 32));
    found(CUSHIM_MOCK_ENDLESS_LOOP, "jumped backwards", "kernel 'k'");
}

Test(check, long_loop)
{
    setenv("CUSHIM_MOCK_PTX_STEPS", "1000000", 1);
    begin(32);
    EXPECT(CUDA_SUCCESS, run("mov.u32 %r1, 0; L: add.u32 %r1, %r1, 1; setp.lt.u32 %p0, %r1, "
                             "800000; @%p0 bra L;",
                             1, 32));
    silent();
}

Test(check, race_between_blocks)
{
    begin(128);
    EXPECT(CUDA_SUCCESS,
           run("ld.global.u32 %r1, [%rd0]; add.u32 %r1, %r1, 1; st.global.u32 [%rd0], %r1;", 4, 1));
    found(CUSHIM_MOCK_DATA_RACE, "blocks are in no order", "block number");
}

Test(check, atomics_between_blocks)
{
    begin(128);
    EXPECT(CUDA_SUCCESS, run("atom.global.add.u32 %r1, [%rd0], 1;", 4, 1));
    silent();
}

/* Bytes of one word, written by different blocks. */
Test(check, neighbours_in_a_word)
{
    begin(128);
    EXPECT(CUDA_SUCCESS,
           run("cvt.u64.u32 %rd3, %i; add.u64 %rd3, %rd0, %rd3; st.global.u8 [%rd3], 1;", 8, 1));
    silent();
}

Test(check, faults)
{
    static const struct {
        const char *body;
        CUresult result;
        const char *text;
    } cases[] = {
        {"trap;", CUDA_ERROR_LAUNCH_FAILED, "trap"},
        {"mov.u32 %r1, 512; ld.shared.u32 %r2, [%r1];", CUDA_ERROR_ILLEGAL_ADDRESS,
         "shared memory, which has 512 bytes"},
        {"mov.u64 %rd3, 16; ld.u32 %r2, [%rd3];", CUDA_ERROR_ILLEGAL_ADDRESS,
         "which was never allocated"},
        {"mov.u64 %rd3, 48; P: .callprototype _ (); call %rd3, (), P;", CUDA_ERROR_INVALID_PC,
         "which is no function"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct cushim_mock_finding *all = NULL;

        begin(32);
        EXPECT(cases[i].result, run(cases[i].body, 1, 1));
        EXPECT(cases[i].result, mock_cuCtxSynchronize());
        cr_assert(eq(sz, cushim_mock_findings(&all), 1));
        cr_expect(ne(ptr, (void *) strstr(all[0].text, cases[i].text), NULL), "%s", all[0].text);
        OK(mock_cuDevicePrimaryCtxReset(0));
    }
}

/* Kernels of two streams that touch the same bytes, and such that do not. */
Test(check, races_between_streams)
{
    static const char text[] = HEAD
        ".visible .entry w(.param .u64 p, .param .u32 n) {.reg .u32 %r<4>; .reg .u64 %rd<4>;\n"
        "mov.u32 %r0, %tid.x; ld.param.u32 %r1, [n]; mad.lo.u32 %r2, %r0, 2, %r1; ld.param.u64 "
        "%rd0, [p];\nmul.wide.u32 %rd1, %r2, 4; add.u64 %rd1, %rd0, %rd1; st.global.u32 [%rd1], 1; "
        "ret; }";
    CUmodule module = NULL;
    CUfunction f = NULL;
    CUstream one = NULL, two = NULL;
    unsigned even = 0, odd = 1;
    void *first[] = {&p, &even}, *second[] = {&p, &odd};

    begin(64);
    OK(mock_cuModuleLoadData(&module, text));
    OK(mock_cuModuleGetFunction(&f, module, "w"));
    OK(mock_cuStreamCreate(&one, CU_STREAM_NON_BLOCKING));
    OK(mock_cuStreamCreate(&two, CU_STREAM_NON_BLOCKING));
    OK(mock_cuCtxSynchronize());
    OK(mock_cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, one, first, NULL));
    OK(mock_cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, two, second, NULL));
    OK(mock_cuCtxSynchronize());
    silent();
    OK(mock_cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, one, second, NULL));
    OK(mock_cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, two, second, NULL));
    OK(mock_cuCtxSynchronize());
    found(CUSHIM_MOCK_DATA_RACE, "nothing orders them", "kernel 'w'");
}

/* --- kernels of several streams on the same words --- */

/* Each is named by the access, or the accesses, that it makes. */
static const char accesses[] = HEAD
#define ACCESS(name, body)                                                                         \
    ".visible .entry " name "(.param .u64 p) {\n.reg .u32 %r<4>; .reg .u64 %rd<4>; .shared .b32 "  \
    "s;\nmov.u32 %r0, %tid.x; ld.param.u64 %rd0, [p]; mul.wide.u32 %rd1, %r0, 4; add.u64 %rd1, "   \
    "%rd0, %rd1;\n" body " ret; }\n"
    ACCESS("atom", "atom.global.add.u32 %r1, [%rd1], 1;")
        ACCESS("red", "red.global.add.u32 [%rd1], 1;")
            ACCESS("load", "ld.global.u32 %r1, [%rd1]; st.shared.u32 [s], %r1;")
                ACCESS("store", "st.global.u32 [%rd1], 1;")
                    ACCESS("relaxed", "ld.relaxed.gpu.global.u32 %r1, [%rd1];") ACCESS(
                        "both", "ld.global.u32 %r1, [%rd1]; atom.global.add.u32 %r1, [%rd1], %r1;")
                        ACCESS("later",
                               "atom.global.add.u32 %r1, [%rd1], 1; st.global.u32 [%rd1], %r1;");

static CUmodule module;
static CUstream streams[3];

static void begin_streams(void)
{
    begin(32);
    OK(mock_cuModuleLoadData(&module, accesses));
    for (unsigned i = 0; i < 3; i++)
        OK(mock_cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING));
    OK(mock_cuCtxSynchronize());
}

static void launch(unsigned stream, const char *name)
{
    CUfunction function = NULL;
    void *params[] = {&p};

    OK(mock_cuModuleGetFunction(&function, module, name));
    OK(mock_cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, streams[stream], params, NULL));
}

static void wait_for(unsigned stream, unsigned other)
{
    CUevent event = NULL;

    OK(mock_cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    OK(mock_cuEventRecord(event, streams[other]));
    OK(mock_cuStreamWaitEvent(streams[stream], event, 0));
}

static void race_or_none(bool race)
{
    OK(mock_cuCtxSynchronize());
    if (race)
        found(CUSHIM_MOCK_DATA_RACE, "nothing orders them", "the same bytes");
    else
        silent();
    cushim_mock_findings_clear();
}

Test(check, atomic_accesses_of_two_streams)
{
    static const struct {
        const char *one, *two;
        bool race;
    } rows[] = {
        {"atom", "atom", false},    {"atom", "red", false},  {"red", "red", false},
        {"red", "relaxed", false},  {"atom", "load", true},  {"load", "atom", true},
        {"red", "store", true},     {"store", "red", true},  {"relaxed", "store", true},
        {"relaxed", "load", false}, {"both", "atom", true},  {"red", "both", true},
        {"later", "red", true},     {"atom", "later", true},
    };

    begin_streams();
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        launch(0, rows[i].one);
        launch(1, rows[i].two);
        race_or_none(rows[i].race);
    }
}

/* An access that is ordered after one of two atomic ones is not ordered after the other. */
Test(check, atomic_accesses_of_three_streams)
{
    begin_streams();
    launch(0, "red");
    launch(1, "red");
    wait_for(2, 1);
    launch(2, "load");
    race_or_none(true);
    launch(0, "red");
    launch(1, "red");
    wait_for(2, 1);
    wait_for(2, 0);
    launch(2, "load");
    race_or_none(false);
    launch(0, "store");
    launch(0, "red");
    launch(1, "red");
    race_or_none(true);
}
