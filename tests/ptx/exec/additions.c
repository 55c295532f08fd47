/* SPDX-License-Identifier: MIT */
/*
 * Additions to global memory of which no thread wants the result, by several workers: compiled code
 * gathers them (mock/ptx/machine/gathered.h), and nobody may see a sum without those that come
 * before. Where there is no LLVM, the interpreter does the same. A plain program, for the sanitizer
 * of threads.
 */
#include <cushim/mock.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "mock/functions.h"

enum { BLOCKS = 300, THREADS = 64, N = BLOCKS * THREADS, WORDS = 8192 };

/* p: memory that is added to, all zeros; q: results. */
#define KERNEL(name, body)                                                                         \
    ".entry " name "(.param .u64 p, .param .u64 q) { .reg .u32 %t, %b, %i, %r<9>; "                \
    ".reg .u64 %p, %q, %y, %d<9>; .reg .pred %c, %e;\n"                                            \
    "mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mad.lo.u32 %i, %b, 64, %t; ld.param.u64 %p, [p]; "  \
    "ld.param.u64 %q, [q]; mad.wide.u32 %y, %i, 4, %q; setp.eq.u32 %c, %t, 0; "                    \
    "setp.eq.u32 %e, %i, 0; mov.u32 %r8, 1; mov.u64 %d8, 3;\n" body "\nret; }\n"

/* The address of a word, by some bits of a number that looks drawn. */
#define DRAWN(most, bytes)                                                                         \
    "mul.lo.u32 %r0, %i, 0x9e3779b1; shr.u32 %r0, %r0, 12; and.b32 %r0, %r0, " most "; "           \
    "mad.wide.u32 %d0, %r0, " bytes ", %p;\n"

static const char first[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    /* Tells others, and waits for them. */
    ".func publish(.reg .u64 %w) { membar.gl; red.global.add.u32 [%w], 1; ret; }\n"
    ".func await(.reg .u64 %w, .reg .u32 %n) { .reg .u32 %v; .reg .pred %z;\n"
    "A: ld.volatile.global.u32 %v, [%w]; setp.lt.u32 %z, %v, %n; @%z bra A; membar.gl; ret; }\n"
    /* Few words, which all blocks share; many, for which there is no room; and both sizes. */
    KERNEL("few", DRAWN("63", "4") "red.global.add.u32 [%d0], %r8;") KERNEL(
        "many", DRAWN("8191", "4") "red.add.u32 [%d0], %r8; atom.global.add.u32 %r1, [%d0], 2;")
        KERNEL("mixed", DRAWN("63", "8") "@%c red.global.add.u64 [%d0], %d8; "
                                         "red.global.add.u32 [%d0+4], %r8; "
                                         "@!%c red.global.add.u64 [%d0], %d8;")
    /* Too large to be compiled: waits at the barrier of the block, and then reads a word. */
    ".func read_behind(.reg .u64 %w, .reg .u64 %to) { .reg .u32 %v; .reg .pred %z;\n"
    "bar.sync 0; ld.global.u32 %v, [%w]; st.global.u32 [%to], %v; setp.ne.u32 %z, %v, 0; "
    "@%z bra E;\n";

static const char others[] = "E: ret; }\n"
    /* A thread sees what it has added itself, time and again. */
    KERNEL("own", "mad.wide.u32 %d0, %i, 4, %p; mov.u32 %r1, 0; mov.u32 %r2, 0;\n"
                  "L: red.global.add.u32 [%d0], %r8; ld.global.u32 %r3, [%d0]; "
                  "add.u32 %r2, %r2, %r3; add.u32 %r1, %r1, 1; setp.lt.u32 %c, %r1, 9; "
                  "@%c bra L; st.global.u32 [%y], %r2;")
    /* A block sees what it has added before a barrier. */
    KERNEL("block", "mad.wide.u32 %d0, %b, 4, %p; "
                    "red.global.add.u32 [%d0], %r8; bar.sync 0; ld.global.u32 %r1, [%d0]; "
                    "st.global.u32 [%y], %r1;")
    /* The same by a function that the interpreter runs, behind a barrier where it has waited. */
    KERNEL("inside", "mad.wide.u32 %d0, %b, 4, %p; setp.lt.u32 %c, %t, 32; @%c bra FIRST; "
                     "red.global.add.u32 [%d0], %r8; red.global.add.u32 [%d0], %r8; bar.sync 0; "
                     "bra END;\nFIRST: call read_behind, (%d0, %y); END:")
    /* Each block waits until all have come; a sum says so. Workers begin fewer at once. */
    KERNEL("meet", "@%c red.global.add.u32 [%p], 1; @!%c bra END; call await, (%p, 300);\n"
                   "END: st.global.u32 [%y], 7;")
    /* What was added before a fence is seen behind another one. */
    KERNEL("message", "red.global.add.u32 [%p], %r8; bar.sync 0; add.u64 %d0, %q, 131072; "
                      "@!%c bra END; call publish, (%d0); @!%e bra END; call await, (%d0, 300); "
                      "ld.global.u32 %r1, [%p]; st.global.u32 [%q], %r1; END:");

static CUmodule module;
static CUdeviceptr p, q;
static unsigned sums[2 * WORDS], found[N];

static void check(bool right, const char *what)
{
    if (right)
        return;
    fprintf(stderr, "wrong: %s\n", what);
    exit(1);
}

static void expect(const char *name, size_t at, uint64_t is, uint64_t wanted)
{
    if (is == wanted)
        return;
    fprintf(stderr, "%s: number %zu is %" PRIu64 ", and not %" PRIu64 "\n", name, at, is, wanted);
    exit(1);
}

/* The function gets so many divisions that it stays the interpreter's. */
static void load(void)
{
    enum { DIVISIONS = 250 };
    static const char division[] = "div.u32 %v, %v, %v;\n";
    static char text[sizeof(first) + DIVISIONS * sizeof(division) + sizeof(others)];
    int used = snprintf(text, sizeof(text), "%s", first);

    for (int i = 0; i < DIVISIONS; i++)
        used += snprintf(text + used, sizeof(text) - (size_t) used, "%s", division);
    snprintf(text + used, sizeof(text) - (size_t) used, "%s", others);
    check(!mock_cuModuleLoadData(&module, text), "the module");
}

static void launch(const char *name)
{
    void *params[] = {&p, &q};
    CUfunction function = NULL;

    check(!mock_cuMemsetD8_v2(p, 0, N * 4) && !mock_cuMemsetD8_v2(q, 0, 262144), "memset");
    check(!mock_cuModuleGetFunction(&function, module, name), name);
    check(!mock_cuLaunchKernel(function, BLOCKS, 1, 1, THREADS, 1, 1, 0, NULL, params, NULL), name);
    check(!mock_cuCtxSynchronize(), name);
    check(!mock_cuMemcpyDtoH_v2(sums, p, sizeof(sums)) &&
              !mock_cuMemcpyDtoH_v2(found, q, sizeof(found)),
          "copy");
}

static unsigned drawn(unsigned i, unsigned most)
{
    return i * 0x9e3779b1 >> 12 & most;
}

/* One number is added to each word, once for each thread that draws it. */
static void test_words(const char *name, unsigned most, unsigned each)
{
    static unsigned counts[WORDS];

    launch(name);
    for (unsigned i = 0; i < WORDS; i++)
        counts[i] = 0;
    for (unsigned i = 0; i < N; i++)
        counts[drawn(i, most)] += each;
    for (unsigned i = 0; i <= most; i++)
        expect(name, i, sums[i], counts[i]);
}

/* 3 to 64 bits, and 1 to the upper half of them. */
static void test_mixed(void)
{
    static uint64_t counts[64];

    launch("mixed");
    for (unsigned i = 0; i < N; i++)
        counts[drawn(i, 63)] += 3 + (UINT64_C(1) << 32);
    for (unsigned i = 0; i < 64; i++)
        expect("mixed", i, (uint64_t) sums[2 * i + 1] << 32 | sums[2 * i], counts[i]);
}

/* The first half of each block has found what the other half has added. */
static void test_inside(void)
{
    launch("inside");
    for (unsigned i = 0; i < N; i++)
        expect("inside", i, found[i], i % THREADS < THREADS / 2 ? THREADS : 0);
}

static void test_found(const char *name, unsigned n, unsigned wanted)
{
    launch(name);
    for (unsigned i = 0; i < n; i++)
        expect(name, i, found[i], wanted);
}

int main(void)
{
    CUcontext context = NULL;

    setenv("CUSHIM_MOCK_PTX_WORKERS", "4", 1);
    setenv("CUSHIM_MOCK_PTX_COMPILE", "always", 1);
    check(!mock_cuInit(0) && !mock_cuDevicePrimaryCtxRetain(&context, 0) &&
              !mock_cuCtxSetCurrent(context),
          "beginning");
    load();
    check(!mock_cuMemAlloc_v2(&p, N * 4) && !mock_cuMemAlloc_v2(&q, 262144), "memory");
    for (int i = 0; i < 3; i++) {
        test_words("few", 63, 1);
        test_words("many", WORDS - 1, 3);
        test_found("own", N, 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9);
        test_found("block", N, THREADS);
        test_inside();
        test_found("meet", N, 7);
        test_found("message", 1, N);
    }
    test_mixed();
    return 0;
}
