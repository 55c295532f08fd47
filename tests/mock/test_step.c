/* SPDX-License-Identifier: MIT */
/* Blocks whose warps do the same, one behind the other. */
#include <cushim/mock.h>
#include <string.h>

#include "support.h"

/*
 * Blocks of three warps that do the same, from barrier to barrier: in compiled code they go in
 * step. Who comes to a barrier last goes on first. Each round notes in which order the warps come,
 * and each thread adds what one of the next warp has.
 */
#define ROUNDS(name, in_round, at_end)                                                             \
    ".version 7.0\n.target sm_70\n.address_size 64\n"                                              \
    ".visible .entry " name "(.param .u64 p) { .reg .b64 %p, %a, %c; .reg .b32 %t, %b, %s, %o, "   \
    "%v, %w, %n, %k, %x; .reg .pred %q, %m, %r; .shared .b32 s[96];\n"                             \
    "ld.param.u64 %p, [p]; mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mul.wide.u32 %a, %b, 1024;\n" \
    "add.u64 %p, %p, %a; mul.wide.u32 %a, %t, 4; add.u64 %a, %p, %a; mov.u32 %s, s;\n"             \
    "add.u32 %x, %t, 32; rem.u32 %x, %x, 96; mad.lo.u32 %o, %x, 4, %s; mad.lo.u32 %s, %t, 4, "     \
    "%s;\n"                                                                                        \
    "shr.u32 %w, %t, 5; and.b32 %x, %t, 31; setp.eq.u32 %q, %x, 0;\n"                              \
    "mad.lo.u32 %v, %b, 1000, %t; mov.u32 %n, 0;\n"                                                \
    "L: @%q atom.global.add.u32 %k, [%p], 1;\n"                                                    \
    "mad.lo.u32 %x, %n, 3, %w; mul.wide.u32 %c, %x, 4; add.u64 %c, %p, %c;\n"                      \
    "@%q st.global.u32 [%c+4], %k; st.shared.u32 [%s], %v; bar.sync 0;\n"                          \
    "ld.shared.u32 %x, [%o]; add.u32 %v, %v, %x; " in_round " bar.sync 0;\n"                       \
    "add.u32 %n, %n, 1; setp.lt.u32 %m, %n, 4; @%m bra L;\n" at_end                                \
    "st.global.u32 [%a+256], %v; ret; }\n"

enum { ROUNDS_OF_BLOCK = 4, WARPS = 3, BLOCKS = 3, OF_BLOCK = 256 };

struct rounds {
    const char *name, *text;
    unsigned of_round; /* what a round adds in each block, times the block's number */
    unsigned barriers; /* of a round */
};

static const struct rounds all_rounds[] = {
    /* These stay in step to their ends, */
    {"same", ROUNDS("same", "", ""), 0, 2},
    {"values", ROUNDS("values", "mov.u32 %x, %ctaid.x; add.u32 %v, %v, %x;", ""), 1, 2},
    /* and these do not: a warp's lanes part, all vote, one warp does another operation, or exits.
     */
    {"parted",
     ROUNDS("parted",
            "setp.ne.u32 %r, %t, 40; @%r bra X; mov.u32 %x, 0; Y: add.u32 %x, %x, 1; "
            "setp.lt.u32 %m, %x, 3; @%m bra Y; X:",
            ""),
     0, 2},
    {"votes",
     ROUNDS("votes", "bar.red.popc.u32 %x, 0, %q; sub.u32 %x, %x, 3; add.u32 %v, %v, %x;", ""), 0,
     3},
    {"waits", ROUNDS("waits", "setp.ne.u32 %r, %w, 1; @%r bra X; nanosleep.u32 1; X:", ""), 0, 2},
    {"exits",
     ROUNDS("exits", "", "setp.eq.u32 %r, %w, 1; @!%r bra X; st.global.u32 [%a+256], %v; exit; X:"),
     0, 2},
};

/* What each thread has after the last round. */
static void expect_sums(const unsigned *found, unsigned block, unsigned of_round, const char *name)
{
    unsigned now[WARPS * 32], next[WARPS * 32];

    for (unsigned t = 0; t < WARPS * 32; t++)
        now[t] = block * 1000 + t;
    for (unsigned round = 0; round < ROUNDS_OF_BLOCK; round++) {
        for (unsigned t = 0; t < WARPS * 32; t++)
            next[t] = now[t] + now[(t + 32) % (WARPS * 32)] + of_round * block;
        memcpy(now, next, sizeof(now));
    }
    for (unsigned t = 0; t < WARPS * 32; t++)
        cr_expect(eq(uint, found[64 + t], now[t]), "%s: block %u, thread %u", name, block, t);
}

/* Each round has this many barriers, and so the order is moved on by as many warps. */
static void expect_order(const unsigned *found, unsigned barriers, const char *name)
{
    for (unsigned round = 0; round < ROUNDS_OF_BLOCK; round++) {
        for (unsigned warp = 0; warp < WARPS; warp++)
            cr_expect(eq(uint, found[1 + round * WARPS + warp],
                         round * WARPS + (warp + round * barriers) % WARPS),
                      "%s: round %u, warp %u", name, round, warp);
    }
}

static void expect_rounds(const struct rounds *rounds)
{
    static unsigned found[BLOCKS * OF_BLOCK];
    CUfunction function = NULL;
    CUmodule module = NULL;
    CUdeviceptr memory = 0;
    void *params[] = {&memory};

    OK(mock_cuMemAlloc_v2(&memory, sizeof(found)));
    OK(mock_cuMemsetD32_v2(memory, 0, BLOCKS * OF_BLOCK));
    OK(mock_cuModuleLoadData(&module, rounds->text));
    OK(mock_cuModuleGetFunction(&function, module, rounds->name));
    OK(mock_cuLaunchKernel(function, BLOCKS, 1, 1, WARPS * 32, 1, 1, 0, NULL, params, NULL));
    OK(mock_cuMemcpyDtoH_v2(found, memory, sizeof(found)));
    OK(mock_cuMemFree_v2(memory));
    OK(mock_cuModuleUnload(module));
    for (unsigned block = 0; block < BLOCKS; block++) {
        expect_sums(found + block * OF_BLOCK, block, rounds->of_round, rounds->name);
        expect_order(found + block * OF_BLOCK, rounds->barriers, rounds->name);
    }
}

static void expect_all_rounds(const char *mode)
{
    const struct cushim_mock_finding *all = NULL;
    size_t count;

    setenv("CUSHIM_MOCK_PTX_COMPILE", mode, 1);
    start();
    for (size_t i = 0; i < sizeof(all_rounds) / sizeof(all_rounds[0]); i++)
        expect_rounds(&all_rounds[i]);
    count = cushim_mock_findings(&all);
    cr_expect(eq(sz, count, 0), "%s", count ? all[0].text : "");
}

TestSuite(step, .timeout = 100);

Test(step, compiled)
{
    expect_all_rounds("always");
}

Test(step, interpreted)
{
    expect_all_rounds("0");
}
