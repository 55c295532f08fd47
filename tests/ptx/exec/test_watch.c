/* SPDX-License-Identifier: MIT */
/*
 * What is noted about memory, where it could get lost: rows and what is no row, parts of words,
 * who read before the last one, what several blocks share. Each mistake beside its right twin.
 */
#include "planted.h"

TestSuite(watch, .timeout = 100);

/* Each thread writes its word of shared memory, which is at %r6; s is at %r1. */
#define OWN  "mov.u32 %r1, s; add.u32 %r6, %r1, %r7; st.shared.u32 [%r6], %t;\n"
#define SYNC "bar.sync 0;\n"
/* All are written, and since the last barrier each by its thread. */
#define ANEW OWN SYNC "st.shared.u32 [%r6], 7;\n"
/* Reads a word of shared memory by its number, in %r2. */
#define READ "shl.b32 %r2, %r2, 2; add.u32 %r2, %r2, %r1; ld.shared.u32 %r3, [%r2];\n"
/* p0: the second warp. p1: not the last of four blocks. p2: an odd lane. */
#define SECOND "setp.ge.u32 %p0, %t, 32;\n"
#define LAST   "setp.ne.u32 %p1, %b, 3;\n"
#define ODD    "and.b32 %r5, %t, 1; setp.ne.u32 %p2, %r5, 0;\n"
/* Pairs of words of each thread, at %r6. */
#define PAIRS                                                                                      \
    "mov.u32 %r1, s; shl.b32 %r2, %t, 3; add.u32 %r6, %r1, %r2; st.shared.v2.u32 [%r6], {%t, "     \
    "%t};\n" SYNC "st.shared.v2.u32 [%r6], {%t, %t};\n"
/* Even bytes are those of the first warp, odd ones of the second. */
#define BYTES                                                                                      \
    OWN SYNC "and.b32 %r2, %t, 31; shl.b32 %r2, %r2, 1; shr.u32 %r3, %t, 5; add.u32 %r2, %r2, "    \
             "%r3; add.u32 %r3, %r1, %r2; st.shared.u8 [%r3], %t;\n"

static void right(const char *name, const char *body, unsigned grid, unsigned block)
{
    const struct cushim_mock_finding *all = NULL;
    size_t count;

    begin(128);
    EXPECT(CUDA_SUCCESS, run(body, grid, block));
    count = cushim_mock_findings(&all);
    cr_expect(eq(sz, count, 0), "%s: %s", name, count ? all[0].text : "");
    OK(mock_cuDevicePrimaryCtxReset(0));
}

static void wrong(const char *body, unsigned grid, unsigned block,
                  enum cushim_mock_finding_kind kind, const char *one, const char *two)
{
    begin(128);
    EXPECT(CUDA_SUCCESS, run(body, grid, block));
    found(kind, one, two);
    OK(mock_cuDevicePrimaryCtxReset(0));
}

/* Two warps, and a barrier that is missing between two halves of a kernel. */
Test(watch, barriers)
{
    static const struct {
        const char *name, *before, *after, *who, *what;
    } cases[] = {
        {"wherever", ANEW, "mad.lo.u32 %r2, %t, 5, 37; and.b32 %r2, %r2, 63;\n" READ,
         "thread (1,0,0)", "writes shared memory at offset 4, which thread 44 read"},
        {"halves", ANEW, "shr.u32 %r2, %t, 4; xor.b32 %r2, %r2, 2; shl.b32 %r2, %r2, 4;\n" READ,
         "thread (0,0,0)", "writes shared memory at offset 0, which thread 47 read"},
        {"a row", ANEW, "add.u32 %r2, %t, 33; and.b32 %r2, %r2, 63;\n" READ, "thread (1,0,0)",
         "writes shared memory at offset 4, which thread 32 read"},
        {"some lanes", ANEW, "xor.b32 %r2, %t, 32; " ODD "@!%p2 bra E;\n" READ "E:",
         "thread (1,0,0)", "writes shared memory at offset 4, which thread 33 read"},
        {"pairs", PAIRS,
         "xor.b32 %r2, %r2, 264; add.u32 %r3, %r1, %r2; ld.shared.v2.u32 {%r4, %r5}, [%r3];\n",
         "thread (0,0,0)", "writes shared memory at offset 0, which thread 33 read"},
        {"an earlier reader", ANEW SYNC SECOND "ld.shared.u32 %r3, [%r1];\n",
         "@%p0 st.shared.u32 [%r1], 5;\n", "thread (32,0,0)",
         "writes shared memory at offset 0, which thread 31 read"},
        {"bytes", BYTES, "xor.b32 %r2, %r2, 1; add.u32 %r3, %r1, %r2; ld.shared.u8 %r4, [%r3];\n",
         "thread (0,0,0)", "writes shared memory at offset 0, which thread 32 read"},
        {"a byte of a word", ANEW,
         "xor.b32 %r2, %r7, 128; add.u32 %r2, %r2, %r1; ld.shared.u8 %r4, [%r2+2];\n",
         "thread (0,0,0)", "writes shared memory at offset 2, which thread 32 read"},
        {"generic", ANEW,
         "xor.b32 %r2, %r7, 128; add.u32 %r2, %r2, %r1; cvt.u64.u32 %rd3, %r2; cvta.shared.u64 "
         "%rd3, %rd3; ld.u32 %r4, [%rd3];\n",
         "thread (0,0,0)", "writes shared memory at offset 0, which thread 32 read"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[4096];

        snprintf(text, sizeof(text), "%s%s", cases[i].before, cases[i].after);
        wrong(text, 1, 64, CUSHIM_MOCK_DATA_RACE, cases[i].who, cases[i].what);
        snprintf(text, sizeof(text), "%s" SYNC "%s", cases[i].before, cases[i].after);
        right(cases[i].name, text, 1, 64);
    }
    right("neighbours", BYTES, 1, 64);
}

/* Clocks of warps come to their end, and begin again with what is known. */
#define LONG                                                                                       \
    ANEW SECOND "@%p0 bra D; mov.u32 %r5, 0; L: ld.volatile.shared.u32 %r4, [%r6]; add.u32 %r5, "  \
                "%r5, 1; setp.lt.u32 %p2, %r5, 4300000; @%p2 bra L; D:\n"
#define OTHERS "xor.b32 %r2, %t, 32;\n" READ

Test(watch, clocks)
{
#ifdef SANITIZED
    cr_skip_test("so many steps take minutes with sanitizers");
#endif
    wrong(LONG OTHERS, 1, 64, CUSHIM_MOCK_DATA_RACE, "shared memory at offset", "which thread");
    right("clocks", LONG SYNC OTHERS, 1, 64);
}

Test(watch, unwritten_shared_memory)
{
    /* Earlier blocks wrote it: in their own memory. */
    wrong(LAST "mov.u32 %r1, s; add.u32 %r6, %r1, %r7; @%p1 st.shared.u32 [%r6], %t;\n" SYNC
               "ld.shared.u32 %r2, [%r6];",
          4, 32, CUSHIM_MOCK_UNINITIALISED_READ, "block (3,0,0), thread (0,0,0)",
          "shared memory at offset 0");
    right("all blocks", OWN SYNC "ld.shared.u32 %r2, [%r6];", 4, 32);
    wrong("setp.ne.u32 %p0, %t, 7; mov.u32 %r1, s; add.u32 %r6, %r1, %r7;\n"
          "@%p0 st.shared.u32 [%r6], %t; bar.sync 0; ld.shared.u32 %r2, [%r6];",
          1, 32, CUSHIM_MOCK_UNINITIALISED_READ, "thread (7,0,0)", "shared memory at offset 28");
    /* A byte of a word that was written but for it. */
    wrong("mov.u32 %r1, s; add.u32 %r6, %r1, %r7; st.shared.u16 [%r6], 1; st.shared.u8 [%r6+3], "
          "1; ld.shared.u32 %r2, [%r6];",
          1, 32, CUSHIM_MOCK_UNINITIALISED_READ, "thread (0,0,0)", "shared memory at offset 2");
    right("parts",
          "mov.u32 %r1, s; add.u32 %r6, %r1, %r7; st.shared.u16 [%r6], 1; st.shared.u8 "
          "[%r6+3], 1; st.shared.u8 [%r6+2], 1; ld.shared.u32 %r2, [%r6];",
          1, 32);
}

/* %rd3: the address of the word of a number, in %r1. */
#define WORD "mul.wide.u32 %rd3, %r1, 4; add.u64 %rd3, %rd0, %rd3;\n"

Test(watch, blocks)
{
    static const struct {
        const char *name, *wrong, *right;
        unsigned grid, block;
        const char *who, *what;
    } cases[] = {
        {"an earlier reader", LAST "ld.global.u32 %r1, [%rd0]; @!%p1 st.global.u32 [%rd0], 9;",
         LAST "ld.global.u32 %r1, [%rd0]; @!%p1 st.global.u32 [%rd0+4], 9;", 4, 1,
         "block (3,0,0), thread (0,0,0)", "writes 4 bytes that block number 0 read"},
        {"read and written", "ld.global.u32 %r1, [%rd0]; st.global.u32 [%rd0], 1;",
         "ld.global.u32 %r1, [%rd1]; st.global.u32 [%rd1], 1;", 4, 1,
         "block (1,0,0), thread (0,0,0)", "reads 4 bytes that block number 0 wrote"},
        {"a row of all",
         LAST "mov.u32 %r1, %t;" WORD "ld.global.u32 %r1, [%rd3]; @!%p1 "
              "st.global.u32 [%rd3], 1;",
         LAST "mov.u32 %r1, %t;" WORD "ld.global.u32 %r1, [%rd3]; @!%p1 st.global.u32 [%rd1], 1;",
         4, 32, "block (3,0,0), thread (0,0,0)", "writes 4 bytes that block number 0 read"},
        {"in place", "ld.global.u32 %r1, [%rd1+4]; st.global.u32 [%rd1], %r1;",
         "ld.global.u32 %r1, [%rd1]; st.global.u32 [%rd1], %r1;", 24, 5,
         "block (1,0,0), thread (0,0,0): it writes 4 bytes that block number 0 read", "(offset 20"},
        {"bytes",
         LAST "cvt.u64.u32 %rd3, %b; add.u64 %rd3, %rd0, %rd3; st.global.u8 [%rd3], 1; @!%p1 "
              "st.global.u8 [%rd0], 1;",
         LAST "cvt.u64.u32 %rd3, %b; add.u64 %rd3, %rd0, %rd3; st.global.u8 [%rd3], 1; @!%p1 "
              "st.global.u8 [%rd0+4], 1;",
         4, 1, "block (3,0,0)", "that block number 0 wrote"},
        {"bytes of words",
         LAST "ld.global.u32 %r1, [%rd1]; @!%p1 ld.global.u8 %r2, [%rd0+6]; "
              "st.global.u8 [%rd1+2], 1;",
         LAST "ld.global.u32 %r1, [%rd1]; @!%p1 ld.global.u8 %r2, [%rd0+7]; st.global.u8 "
              "[%rd1+2], 1; st.global.u16 [%rd1], 1;",
         4, 1, "block (3,0,0), thread (0,0,0)", "reads 4 bytes that block number 1 wrote"},
        {"wherever",
         LAST "mul.lo.u32 %r1, %t, 5; and.b32 %r1, %r1, 127;\n" WORD
              "ld.global.u32 %r2, [%rd3]; @!%p1 st.global.u32 [%rd3], 1;",
         "mul.lo.u32 %r1, %t, 5; and.b32 %r1, %r1, 127;\n" WORD "ld.global.u32 %r2, [%rd3];", 4, 32,
         "block (3,0,0), thread (0,0,0)", "writes 4 bytes that block number 0 read"},
        {"some lanes", ODD "@%p2 st.global.u32 [%rd1], 1; @%p2 ld.global.u32 %r1, [%rd1+8];",
         ODD "@%p2 st.global.u32 [%rd1], 1; @%p2 ld.global.u32 %r1, [%rd1+4];", 4, 30,
         "block (1,0,0), thread (1,0,0)", "writes 4 bytes that block number 0 read"},
        {"atomics elsewhere", LAST "@%p1 st.global.u32 [%rd0], 1; red.global.add.u32 [%rd0+4], 1;",
         LAST "@%p1 st.global.u32 [%rd1], 1; red.global.add.u32 [%rd0+16], 1;", 4, 1,
         "block (1,0,0)", "writes 4 bytes that block number 0 wrote"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        wrong(cases[i].wrong, cases[i].grid, cases[i].block, CUSHIM_MOCK_DATA_RACE, cases[i].who,
              cases[i].what);
        right(cases[i].name, cases[i].right, cases[i].grid, cases[i].block);
    }
}

/* Whatever the order of blocks: several workers at a time, and lines that blocks share. */
Test(watch, workers)
{
    enum { BLOCKS = 320, THREADS = 40 };

    setenv("CUSHIM_MOCK_PTX_WORKERS", "4", 1);
    for (int i = 0; i < 4; i++) {
        begin(BLOCKS * THREADS + 1);
        EXPECT(CUDA_SUCCESS, run("ld.global.u32 %r1, [%rd1]; add.u32 %r1, %r1, 1; st.global.u32 "
                                 "[%rd1], %r1; st.global.u8 [%rd1+1], 0;",
                                 BLOCKS, THREADS));
        silent();
        /* Only one of all blocks touches what is another's. */
        EXPECT(CUDA_SUCCESS, run("setp.eq.u32 %p0, %i, 4000; st.global.u32 [%rd1], 1; @%p0 "
                                 "st.global.u32 [%rd1+160], 1;",
                                 BLOCKS, THREADS));
        found(CUSHIM_MOCK_DATA_RACE, "that block number 10", "wrote; blocks are in no order");
        OK(mock_cuDevicePrimaryCtxReset(0));
    }
}

/* What was written before, and by a launch, to the byte. */
Test(watch, unwritten_global_memory)
{
    begin(32);
    p = allocate(128);
    OK(mock_cuMemsetD8_v2(p, 1, 66));
    EXPECT(CUDA_SUCCESS, run("ld.global.u32 %r1, [%rd1];", 1, 32));
    found(CUSHIM_MOCK_UNINITIALISED_READ, "thread (16,0,0)", "(offset 66 of");
    cushim_mock_findings_clear();
    EXPECT(CUDA_SUCCESS, run("setp.gt.u32 %p0, %t, 16; @%p0 st.global.u32 [%rd1], 1;\n"
                             "setp.eq.u32 %p1, %t, 16; @%p1 st.global.u16 [%rd1+2], 1;\n"
                             "ld.global.u32 %r1, [%rd1];",
                             1, 32));
    silent();
    /* An allocation that ends within a line. */
    p = allocate(100);
    EXPECT(CUDA_SUCCESS, run("st.global.u32 [%rd1], 1;", 1, 24));
    EXPECT(CUDA_SUCCESS, run("ld.global.u32 %r1, [%rd1];", 1, 24));
    silent();
    EXPECT(CUDA_SUCCESS, run("ld.global.u32 %r1, [%rd1];", 1, 25));
    found(CUSHIM_MOCK_UNINITIALISED_READ, "thread (24,0,0)", "(offset 96 of");
}
