/* SPDX-License-Identifier: MIT */
/* Kernels with a mistake in them, and what the mock says of them. */
#ifndef CUSHIM_TEST_PLANTED_H
#define CUSHIM_TEST_PLANTED_H

#include <cushim/mock.h>
#include <stdio.h>
#include <string.h>

#include "../../mock/support.h"

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"
/* %i: the thread's number in the grid; %rd1: what the first parameter points to. */
#define KERNEL                                                                                     \
    HEAD ".visible .entry k(.param .u64 p, .param .u32 n) {\n.reg .u32 %i, %t, %b, %r<9>; "        \
         ".reg .u64 %rd<9>; .reg .pred %p<4>;\n.shared .align 8 .b8 s[512];\n"                     \
         "mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mov.u32 %r0, %ntid.x; mad.lo.u32 %i, %b, "     \
         "%r0, %t;\nld.param.u64 %rd0, [p]; ld.param.u32 %r8, [n]; mul.wide.u32 %rd1, %i, 4; "     \
         "add.u64 %rd1, %rd0, %rd1;\nmul.wide.u32 %rd2, %t, 4; cvt.u32.u64 %r7, %rd2;\n"

static CUdeviceptr p;
static unsigned n;

/* Runs a kernel over 128 written words and answers how its stream ends. */
static inline CUresult run(const char *body, unsigned grid, unsigned block)
{
    char text[8192];
    CUmodule module = NULL;
    CUfunction function = NULL;
    void *params[] = {&p, &n};

    snprintf(text, sizeof(text), "%s%s ret; }", KERNEL, body);
    OK(mock_cuModuleLoadData(&module, text));
    OK(mock_cuModuleGetFunction(&function, module, "k"));
    OK(mock_cuLaunchKernel(function, grid, 1, 1, block, 1, 1, 0, NULL, params, NULL));
    return mock_cuCtxSynchronize();
}

static inline void begin(unsigned words)
{
    start();
    p = allocate(words * 4);
    OK(mock_cuMemsetD32_v2(p, 1, words));
    n = words;
    cushim_mock_findings_clear();
}

/* The first finding: of a kind, with these words in its text. */
static inline void found(enum cushim_mock_finding_kind kind, const char *one, const char *two)
{
    const struct cushim_mock_finding *all = NULL;

    cr_assert(gt(sz, cushim_mock_findings(&all), 0), "nothing was found: '%s', '%s'", one, two);
    cr_expect(eq(int, (int) all[0].kind, (int) kind), "%s", all[0].text);
    cr_expect(ne(ptr, (void *) strstr(all[0].text, one), NULL), "'%s' in: %s", one, all[0].text);
    cr_expect(ne(ptr, (void *) strstr(all[0].text, two), NULL), "'%s' in: %s", two, all[0].text);
}

static inline void silent(void)
{
    const struct cushim_mock_finding *all = NULL;
    const size_t count = cushim_mock_findings(&all);

    cr_expect(eq(sz, count, 0), "%s", count ? all[0].text : "");
}

#endif
