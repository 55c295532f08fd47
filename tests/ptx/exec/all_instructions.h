/* SPDX-License-Identifier: MIT */
/* Runs a few lines of PTX on a device that has all instructions. */
#ifndef CUSHIM_TEST_ALL_INSTRUCTIONS_H
#define CUSHIM_TEST_ALL_INSTRUCTIONS_H

#include <cushim/mock.h>
#include <stdio.h>
#include <string.h>

#include "../../mock/support.h"

#define HEAD ".version 9.5\n.target sm_121a\n.address_size 64\n"
#define BEGIN                                                                                      \
    ".visible .entry k(.param .u64 p) {\n.reg .b32 %t, %r<40>; .reg .u64 %rd<9>; .reg .pred "      \
    "%p<9>; .reg .f32 %f<20>; .reg .b16 %h<9>; .reg .b128 %q<4>; .shared .align 16 .b8 s[512];\n"  \
    "mov.u32 %t, %tid.x; ld.param.u64 %rd0, [p]; mul.wide.u32 %rd1, %t, 4; add.u64 %rd1, %rd0, "   \
    "%rd1;\n"

enum { WORDS = 1024 };

static unsigned words[WORDS];

/* A device that has all of them, which is made once. */
static inline void begin(void)
{
    static bool made;

    if (!made)
        cr_assert(eq(int,
                     cushim_mock_configure(
                         cushim_mock_config(.settings = "device.*.compute_capability = 12.1\n")),
                     CUSHIM_OK));
    made = true;
    start();
    cushim_mock_findings_clear();
}

static inline CUresult run_text(const char *body, unsigned block)
{
    char text[8192];
    CUmodule module = NULL;
    CUfunction function = NULL;
    CUdeviceptr p;
    void *params[] = {&p};
    CUresult result;

    begin();
    snprintf(text, sizeof(text), "%s%s%s\nret; }", HEAD, BEGIN, body);
    p = allocate(sizeof(words));
    OK(mock_cuMemsetD32_v2(p, 0, WORDS));
    OK(mock_cuModuleLoadData(&module, text));
    OK(mock_cuModuleGetFunction(&function, module, "k"));
    OK(mock_cuLaunchKernel(function, 1, 1, 1, block, 1, 1, 0, NULL, params, NULL));
    result = mock_cuCtxSynchronize();
    if (result == CUDA_SUCCESS)
        OK(mock_cuMemcpyDtoH_v2(words, p, sizeof(words)));
    return result;
}

/* %r9 is what a thread is to answer. */
static inline void run(const char *body, unsigned block)
{
    char text[4096];

    snprintf(text, sizeof(text), "%s\nst.global.u32 [%%rd1], %%r9;", body);
    EXPECT(CUDA_SUCCESS, run_text(text, block));
}

static inline void answers(const char *body, unsigned expected)
{
    run(body, 1);
    cr_expect(eq(u32, words[0], expected), "%s", body);
}

static inline void silent(void)
{
    const struct cushim_mock_finding *all = NULL;
    const size_t count = cushim_mock_findings(&all);

    cr_expect(eq(sz, count, 0), "%s", count ? all[0].text : "");
}

static inline void found(enum cushim_mock_finding_kind kind, const char *text)
{
    const struct cushim_mock_finding *all = NULL;

    cr_assert(gt(sz, cushim_mock_findings(&all), 0));
    cr_expect(eq(int, (int) all[0].kind, (int) kind), "%s", all[0].text);
    cr_expect(ne(ptr, (void *) strstr(all[0].text, text), NULL), "'%s' in: %s", text, all[0].text);
}

#endif
