/* SPDX-License-Identifier: MIT */
/* For tests that ask what the mock found: two kernels, and the question. */
#ifndef CUSHIM_TESTS_MOCK_WATCH_H
#define CUSHIM_TESTS_MOCK_WATCH_H

#include <cushim/mock.h>
#include <string.h>

#include "support.h"

static const char watch_ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry copy(.param .u64 to, .param .u64 from, .param .u64 n) { ret; }\n"
    ".visible .entry fill(.param .u64 to, .param .u64 n) { ret; }\n";

static CUfunction copy_function, fill_function;

static void copy_kernel(const struct cushim_mock_launch *launch, void *const *args)
{
    const size_t n = *(uint64_t *) args[2];
    const void *from = cushim_mock_input(*(uint64_t *) args[1], n);
    void *to = cushim_mock_output(*(uint64_t *) args[0], n);

    (void) launch;
    if (to && from)
        memcpy(to, from, n);
}

static void fill_kernel(const struct cushim_mock_launch *launch, void *const *args)
{
    const size_t n = *(uint64_t *) args[1];
    void *to = cushim_mock_output(*(uint64_t *) args[0], n);

    (void) launch;
    if (to)
        memset(to, 1, n);
}

/* start(), and the kernels in its context. */
static inline CUcontext start_watched(void)
{
    CUcontext context = start();
    CUmodule module = NULL;

    cr_assert(eq(int, cushim_mock_register_kernel("copy", copy_kernel, NULL), CUSHIM_OK));
    cr_assert(eq(int, cushim_mock_register_kernel("fill", fill_kernel, NULL), CUSHIM_OK));
    OK(mock_cuModuleLoadData(&module, watch_ptx));
    OK(mock_cuModuleGetFunction(&copy_function, module, "copy"));
    OK(mock_cuModuleGetFunction(&fill_function, module, "fill"));
    return context;
}

static inline CUstream a_stream(void)
{
    CUstream stream = NULL;

    OK(mock_cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    return stream;
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

/* The last finding is of this kind, and its text has the words. */
static inline void found(enum cushim_mock_finding_kind kind, const char *words)
{
    const struct cushim_mock_finding *findings = NULL;
    const size_t n = cushim_mock_findings(&findings);

    cr_assert(gt(sz, n, 0), "nothing was found");
    cr_expect(eq(int, findings[n - 1].kind, kind), "%s", findings[n - 1].text);
    cr_expect(ne(ptr, strstr(findings[n - 1].text, words), NULL), "no '%s' in: %s", words,
              findings[n - 1].text);
}

#endif
