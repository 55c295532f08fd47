/* SPDX-License-Identifier: MIT */
/*
 * Kernels whose blocks run on several workers at a time, and share lines of memory: what is noted
 * of it is the same in any order, and nothing is found where nothing is wrong. A plain program,
 * for the sanitizer of threads; kernels with races of their own are in test_watch.c.
 */
#include <cushim/mock.h>
#include <stdio.h>
#include <stdlib.h>

#include "mock/functions.h"

/* Blocks that are no multiple of a line, over N words. */
enum { BLOCKS = 400, THREADS = 40, N = BLOCKS * THREADS, ROUNDS = 5 };

#define KERNEL(name, body)                                                                         \
    ".visible .entry " name "(.param .u64 p, .param .u64 q) {\n.reg .u32 %t, %b, %i, %n, %r<9>; "  \
    ".reg .u64 %p, %q, %x, %y, %d<9>; .reg .pred %c; .shared .align 4 .b8 s[160];\n"               \
    "mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mov.u32 %n, %ntid.x; mad.lo.u32 %i, %b, %n, %t;\n"  \
    "ld.param.u64 %p, [p]; ld.param.u64 %q, [q]; mul.wide.u32 %x, %i, 4; add.u64 %y, %q, %x; "     \
    "add.u64 %x, %p, %x;\n" body "\nret; }\n"

static const char text[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
    /* In place: a word by each thread, then a byte of it. */
    KERNEL("in_place", "ld.global.u32 %r0, [%x]; add.u32 %r0, %r0, 1; st.global.u32 [%x], %r0; "
                       "ld.global.u8 %r1, [%x+3]; st.global.u8 [%x+3], %r1;")
    /* All blocks read the same lines, whole and in parts, and write their own words. */
    KERNEL("common", "mul.wide.u32 %d0, %t, 4; add.u64 %d0, %p, %d0; ld.global.u32 %r0, [%d0]; "
                     "ld.global.u32 %r1, [%p]; rem.u32 %r2, %b, 40; mul.wide.u32 %d1, %r2, 4; "
                     "add.u64 %d1, %p, %d1; ld.global.u32 %r3, [%d1]; add.u32 %r0, %r0, %r1; "
                     "add.u32 %r0, %r0, %r3; st.global.u32 [%y], %r0;")
    /* Through shared memory, and counted. */
    KERNEL("counted", "mov.u32 %r0, s; mad.lo.u32 %r1, %t, 4, %r0; ld.global.u32 %r2, [%x]; "
                      "st.shared.u32 [%r1], %r2; bar.sync 0; xor.b32 %r3, %t, 1; "
                      "mad.lo.u32 %r3, %r3, 4, %r0; ld.shared.u32 %r4, [%r3]; "
                      "st.global.u32 [%y], %r4; and.b32 %r5, %i, 31; mul.wide.u32 %d0, %r5, 4; "
                      "add.u64 %d0, %p, %d0; red.global.add.u32 [%d0+64000], 1;");

static unsigned words[N], counters[32];

static void check(bool right, const char *what)
{
    if (right)
        return;
    fprintf(stderr, "wrong: %s\n", what);
    exit(1);
}

static void launch(CUmodule module, const char *name, CUdeviceptr p, CUdeviceptr q)
{
    void *params[] = {&p, &q};
    CUfunction function = NULL;

    check(!mock_cuModuleGetFunction(&function, module, name), name);
    check(!mock_cuLaunchKernel(function, BLOCKS, 1, 1, THREADS, 1, 1, 0, NULL, params, NULL), name);
    check(!mock_cuCtxSynchronize(), name);
}

static void silent(const char *what)
{
    const struct cushim_mock_finding *all = NULL;
    const size_t n = cushim_mock_findings(&all);

    for (size_t i = 0; i < n; i++)
        fprintf(stderr, "%s: %s\n", what, all[i].text);
    check(!n, what);
}

int main(void)
{
    CUcontext context = NULL;
    CUmodule module = NULL;
    CUdeviceptr p = 0, q = 0, fresh = 0;
    unsigned sum = 0;

    setenv("CUSHIM_MOCK_PTX_WORKERS", "4", 1);
    check(!mock_cuInit(0) && !mock_cuDevicePrimaryCtxRetain(&context, 0) &&
              !mock_cuCtxSetCurrent(context) && !mock_cuModuleLoadData(&module, text),
          "beginning");
    check(!mock_cuMemAlloc_v2(&p, sizeof(words)) && !mock_cuMemAlloc_v2(&q, sizeof(words)) &&
              !mock_cuMemsetD32_v2(p, 0, N),
          "memory");
    for (int i = 0; i < ROUNDS; i++) {
        launch(module, "in_place", p, q);
        silent("in place");
        launch(module, "common", p, q);
        silent("common");
    }
    check(!mock_cuMemcpyDtoH_v2(words, q, sizeof(words)), "copy");
    for (int i = 0; i < N; i++)
        check(words[i] == 3 * ROUNDS, "the sum of three words");
    /* What is read was written before, though only by a launch; the counters are atomic alone. */
    check(!mock_cuMemAlloc_v2(&fresh, sizeof(words) + sizeof(counters)) &&
              !mock_cuMemsetD32_v2(fresh + sizeof(words), 0, 32),
          "memory");
    launch(module, "common", p, fresh);
    launch(module, "in_place", fresh, q);
    launch(module, "counted", fresh, q);
    silent("counted");
    check(!mock_cuMemcpyDtoH_v2(counters, fresh + sizeof(words), sizeof(counters)), "copy");
    for (int i = 0; i < 32; i++)
        sum += counters[i];
    check(sum == N, "the sum of the counters");
    return 0;
}
