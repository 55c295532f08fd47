/* SPDX-License-Identifier: MIT */
/*
 * Blocks that wait for others: each for the one before it, or all for each other. They end, and do
 * not look in vain much more often than they must. A plain program, because several threads run
 * them, which the thread sanitizer may watch.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "mock/functions.h"

/*
 * The first word counts the blocks that have come, the second one their looks. In a chain each
 * block waits for its predecessor's word, which it writes to its own, plus one.
 */
static const char text[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry all(.param .u64 p) {\n"
    ".reg .b64 %p; .reg .b32 %t, %n, %c, %i; .reg .pred %q;\n"
    "ld.param.u64 %p, [p]; mov.u32 %t, %tid.x; mov.u32 %n, %nctaid.x; mov.u32 %i, 0;\n"
    "setp.ne.u32 %q, %t, 0; @%q bra meet;\n"
    "atom.global.add.u32 %c, [%p], 1;\n"
    "look: add.u32 %i, %i, 1; ld.acquire.gpu.global.u32 %c, [%p];\n"
    "setp.lt.u32 %q, %c, %n; @%q bra look;\n"
    "atom.global.add.u32 %c, [%p+4], %i;\n"
    "meet: bar.sync 0; ret; }\n"
    ".visible .entry chain(.param .u64 p) {\n"
    ".reg .b64 %p, %a; .reg .b32 %t, %b, %c, %i; .reg .pred %q;\n"
    "ld.param.u64 %p, [p]; mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mov.u32 %i, 0;\n"
    "mad.wide.u32 %a, %b, 4, %p; setp.ne.u32 %q, %t, 0; @%q bra meet;\n"
    "look: add.u32 %i, %i, 1; ld.acquire.gpu.global.u32 %c, [%a+8];\n"
    "setp.eq.u32 %q, %c, 0; @%q bra look;\n"
    "add.u32 %c, %c, 1; st.release.gpu.global.u32 [%a+12], %c;\n"
    "atom.global.add.u32 %c, [%p+4], %i;\n"
    "meet: bar.sync 0; ret; }\n";

enum { ALL = 400, MANY = 1000, CHAIN = 1500, THREADS = 64, LOOKS_OF_TURN = 64 };

static CUdeviceptr memory;

static void check(bool right, const char *what)
{
    if (right)
        return;
    fprintf(stderr, "wrong: %s\n", what);
    exit(1);
}

static unsigned word(unsigned number)
{
    unsigned value = 0;

    check(!mock_cuMemcpyDtoH_v2(&value, memory + 4 * (size_t) number, sizeof(value)), "a word");
    return value;
}

/* Returns how often the blocks have looked. */
static unsigned run(CUmodule module, const char *name, unsigned blocks, const char *workers)
{
    void *params[] = {&memory};
    CUfunction function = NULL;

    setenv("CUSHIM_MOCK_PTX_WORKERS", workers, 1);
    check(!mock_cuModuleGetFunction(&function, module, name), "the kernel is there");
    check(!mock_cuMemsetD32_v2(memory, 0, CHAIN + 3), "zeros");
    check(!mock_cuMemsetD32_v2(memory + 8, 1, 1), "what the first block waits for");
    check(!mock_cuLaunchKernel(function, blocks, 1, 1, THREADS, 1, 1, 0, NULL, params, NULL),
          "a launch");
    check(!mock_cuCtxSynchronize(), "the kernel");
    return word(1);
}

/*
 * Beside others a worker begins a part more again and again, too, not one. How often blocks look
 * depends on how threads take turns: it is some thousand times, and ten times as often with one.
 */
static void expect_many(CUmodule module)
{
    const unsigned looks = run(module, "all", MANY, "2");

    printf("%u blocks that wait for each other, 2 workers: %u looks of each\n", MANY, looks / MANY);
    check(word(0) == MANY, "each of many blocks comes once");
}

/* With one worker, how often blocks look follows from how many have begun before all of them. */
static void expect_all(CUmodule module)
{
    const unsigned looks = run(module, "all", ALL, "1");

    printf("%u blocks that wait for each other: %u looks of each\n", ALL, looks / ALL);
    check(word(0) == ALL, "each block comes once");
    check(looks < ALL * LOOKS_OF_TURN * 20, "blocks begin too slowly");
    run(module, "all", ALL, "4");
    check(word(0) == ALL, "each block comes once, with several workers");
}

static void expect_chain(CUmodule module, const char *workers)
{
    const unsigned looks = run(module, "chain", CHAIN, workers);

    printf("a chain of %u blocks, %s workers: %u looks of each\n", CHAIN, workers, looks / CHAIN);
    for (unsigned i = 0; i <= CHAIN; i++)
        check(word(2 + i) == i + 1, "the order of the blocks");
}

int main(void)
{
    CUmodule module = NULL;
    CUcontext context = NULL;

    setenv("CUSHIM_MOCK_PTX_COMPILE", "0", 1);
    check(!mock_cuInit(0) && !mock_cuDevicePrimaryCtxRetain(&context, 0) &&
              !mock_cuCtxSetCurrent(context) && !mock_cuModuleLoadData(&module, text) &&
              !mock_cuMemAlloc_v2(&memory, 4 * (CHAIN + 3)),
          "to begin");
    expect_all(module);
    expect_many(module);
    expect_chain(module, "1");
    expect_chain(module, "2");
    expect_chain(module, "8");
    check(!mock_cuMemFree_v2(memory) && !mock_cuDevicePrimaryCtxRelease_v2(0), "to end");
    return 0;
}
