/* SPDX-License-Identifier: MIT */
/* Kernels that are compiled before they run, where there is LLVM: which lanes store, and which are
 * wrong. */
#include <cushim/mock.h>
#include <string.h>

#include "support.h"

#define HEADER ".version 7.0\n.target sm_70\n.address_size 64\n"

#define KERNEL(name, body)                                                                         \
    ".visible .entry " name "(.param .u64 p) { .reg .b64 %p, %a; .reg .b32 %t, %s, %v; .reg "      \
    ".pred %q, %m; .shared .b32 s[64];\nld.param.u64 %p, [p]; mov.u32 %t, %tid.x;\n"               \
    "mul.wide.u32 %a, %t, 4; add.u64 %a, %p, %a; mov.u32 %s, s; mad.lo.u32 %s, %t, 4, %s;\n"       \
    "and.b32 %v, %t, 1; setp.eq.u32 %q, %v, 1; mov.u32 %v, 0;\n" body "ret; }\n"

/* Each stores more than once: the first time, its address is looked up in all memory. */
#define LOOP(body) "L: " body "add.u32 %v, %v, 1; setp.lt.u32 %m, %v, 4; @%m bra L;\n"
#define FROM_SHARED                                                                                \
    "st.shared.u32 [%s], 9;\n" LOOP("@%q st.shared.u32 [%s], %v;\n") "ld.shared.u32 %v, [%s]; "    \
                                                                     "st.global.u32 [%a], %v;\n"

static const char text[] = HEADER KERNEL("all", LOOP("st.global.u32 [%a], %v;\n"))
    KERNEL("guarded", LOOP("@%q st.global.u32 [%a], %v;\n")) KERNEL(
        "branch", LOOP("@!%q bra J; st.global.u32 [%a], %v; J:\n")) KERNEL("shared", FROM_SHARED)
        KERNEL("either", LOOP("@!%q bra E; add.u32 %s, %v, 10; bra F; E: add.u32 %s, %v, 20;\n"
                              "F: st.global.u32 [%a], %s;\n"))
            KERNEL("nested", LOOP("@!%q bra J; setp.ge.u32 %m, %t, 32; @%m bra I;\n"
                                  "st.global.u32 [%a], %v; bra J;\n"
                                  "I: st.global.u32 [%a], %v; J:\n"))
                KERNEL("nobody", LOOP("@!%q bra J; setp.ge.u32 %m, %t, 64; @!%m bra J;\n"
                                      "st.global.u32 [%a], %v; J:\n"))
                    KERNEL("wrong", LOOP("@!%q bra J; st.global.u32 [%a], %v;\n"
                                         "setp.ne.u32 %m, %t, 37; @%m bra J;\n"
                                         "st.global.u32 [%a+1073741824], %v; J:\n"));

enum { WORDS = 64, UNTOUCHED = 0x55555555 };

TestSuite(compiled, .timeout = 100);

static void run(CUmodule module, const char *name, unsigned threads, unsigned found[WORDS])
{
    CUfunction function = NULL;
    CUdeviceptr memory = 0;
    void *params[] = {&memory};

    OK(mock_cuMemAlloc_v2(&memory, WORDS * sizeof(*found)));
    OK(mock_cuMemsetD32_v2(memory, UNTOUCHED, WORDS));
    OK(mock_cuModuleGetFunction(&function, module, name));
    OK(mock_cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, NULL, params, NULL));
    OK(mock_cuMemcpyDtoH_v2(found, memory, WORDS * sizeof(*found)));
    OK(mock_cuMemFree_v2(memory));
}

static void expect_stores(CUmodule module, const char *name, unsigned even, unsigned odd)
{
    static const unsigned threads[] = {1, 5, 31, 32, 33, 63};
    unsigned found[WORDS];

    for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
        run(module, name, threads[i], found);
        for (unsigned t = 0; t < WORDS; t++)
            cr_expect(eq(uint, found[t],
                         t >= threads[i] ? UNTOUCHED
                         : t % 2         ? odd
                                         : even),
                      "%s: word %u of %u threads", name, t, threads[i]);
    }
}

static CUmodule load(void)
{
    CUmodule module = NULL;

    setenv("CUSHIM_MOCK_PTX_COMPILE", "always", 1);
    start();
    OK(mock_cuModuleLoadData(&module, text));
    return module;
}

Test(compiled, only_active_lanes_store)
{
    const CUmodule module = load();

    expect_stores(module, "all", 3, 3);
    expect_stores(module, "guarded", UNTOUCHED, 3);
    expect_stores(module, "branch", UNTOUCHED, 3);
    expect_stores(module, "shared", 9, 3);
    expect_stores(module, "either", 23, 13);
    expect_stores(module, "nested", UNTOUCHED, 3);
    expect_stores(module, "nobody", UNTOUCHED, UNTOUCHED);
}

/* Lanes of a warp have parted twice when one of them stores where nothing is. */
Test(compiled, a_lane_that_is_wrong_is_named)
{
    const struct cushim_mock_finding *all = NULL;
    CUfunction function = NULL;
    CUdeviceptr memory = 0;
    void *params[] = {&memory};

    OK(mock_cuModuleGetFunction(&function, load(), "wrong"));
    OK(mock_cuMemAlloc_v2(&memory, WORDS * sizeof(unsigned)));
    OK(mock_cuLaunchKernel(function, 1, 1, 1, WORDS, 1, 1, 0, NULL, params, NULL));
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, mock_cuCtxSynchronize());
    cr_assert(gt(sz, cushim_mock_findings(&all), 0));
    cr_expect(eq(int, (int) all[0].kind, (int) CUSHIM_MOCK_OUT_OF_BOUNDS), "%s", all[0].text);
    cr_expect(ne(ptr, (void *) strstr(all[0].text, "thread (37,0,0)"), NULL), "%s", all[0].text);
}
