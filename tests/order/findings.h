/* SPDX-License-Identifier: MIT */
/* Two streams, an event, and kernels that copy and fill, for tests of what the mock finds. */
#ifndef CUSHIM_TESTS_ORDER_FINDINGS_H
#define CUSHIM_TESTS_ORDER_FINDINGS_H

#include <cushim/mock.h>
#include <stdio.h>
#include <string.h>

#include "support.h"

enum { N = 64, BYTES = N * 4 };

static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry copy(.param .u64 to, .param .u64 from, .param .u64 n) { ret; }\n"
    ".visible .entry fill(.param .u64 to, .param .u64 n) { ret; }\n";

static CUfunction copy_function, fill_function;
static CUstream one, two;
static CUevent event;

static inline void copy(const struct cushim_mock_launch *launch, void *const *args)
{
    const size_t n = *(uint64_t *) args[2];
    const void *from = cushim_mock_input(*(uint64_t *) args[1], n);
    void *to = cushim_mock_output(*(uint64_t *) args[0], n);

    (void) launch;
    if (to && from)
        memcpy(to, from, n);
}

static inline void fill(const struct cushim_mock_launch *launch, void *const *args)
{
    const size_t n = *(uint64_t *) args[1];
    void *to = cushim_mock_output(*(uint64_t *) args[0], n);

    (void) launch;
    if (to)
        memset(to, 1, n);
}

static inline void begin(void)
{
    CUmodule module = NULL;

    start();
    cr_assert(eq(int, cushim_mock_register_kernel("copy", copy, NULL), CUSHIM_OK));
    cr_assert(eq(int, cushim_mock_register_kernel("fill", fill, NULL), CUSHIM_OK));
    OK(mock_cuModuleLoadData(&module, ptx));
    OK(mock_cuModuleGetFunction(&copy_function, module, "copy"));
    OK(mock_cuModuleGetFunction(&fill_function, module, "fill"));
    OK(mock_cuStreamCreate(&one, CU_STREAM_NON_BLOCKING));
    OK(mock_cuStreamCreate(&two, CU_STREAM_NON_BLOCKING));
    OK(mock_cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
}

static inline void launch_fill(CUstream stream, CUdeviceptr to, size_t n)
{
    void *params[] = {&to, &n};

    OK(mock_cuLaunchKernel(fill_function, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL));
}

static inline void launch_copy(CUstream stream, CUdeviceptr to, CUdeviceptr from, size_t n)
{
    void *params[] = {&to, &from, &n};

    OK(mock_cuLaunchKernel(copy_function, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL));
}

static inline void silent(void)
{
    const struct cushim_mock_finding *findings = NULL;
    const size_t n = cushim_mock_findings(&findings);

    cr_expect(eq(sz, n, 0), "the first is: %s", n ? findings[0].text : "");
}

/* One finding of this kind, whose text has all of the words. */
static inline void found(enum cushim_mock_finding_kind kind, const char *word, const char *other)
{
    const struct cushim_mock_finding *findings = NULL;

    cr_assert(eq(sz, cushim_mock_findings(&findings), 1));
    cr_expect(eq(int, findings[0].kind, kind), "%s", findings[0].text);
    cr_expect(ne(ptr, strstr(findings[0].text, word), NULL), "no '%s' in: %s", word,
              findings[0].text);
    cr_expect(ne(ptr, strstr(findings[0].text, other), NULL), "no '%s' in: %s", other,
              findings[0].text);
}

#endif
