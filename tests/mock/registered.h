/* SPDX-License-Identifier: MIT */
/* What the tests of registered memory share: kernels, and pages far away from all others. */
#ifndef CUSHIM_TESTS_MOCK_REGISTERED_H
#define CUSHIM_TESTS_MOCK_REGISTERED_H

#include <cushim/mock.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support.h"

enum { PAGE = 4096, PAGES = 16, BYTES = PAGES * PAGE };

#define READ_ONLY CU_MEMHOSTREGISTER_READ_ONLY

/* Each thread uses 4 bytes: "sets" writes 7, "takes" copies to q. */
static const char ptx[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry sets(.param .u64 p) {\n.reg .u32 %r<5>; .reg .u64 %d<4>;\n"
    "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mad.lo.u32 %r3, %r1, %r2, "
    "%r0;\nld.param.u64 %d0, [p]; mul.wide.u32 %d1, %r3, 4; add.u64 %d2, %d0, %d1; "
    "st.global.u32 [%d2], 7; ret; }\n"
    ".visible .entry takes(.param .u64 p, .param .u64 q) {\n.reg .u32 %r<5>; .reg .u64 %d<6>;\n"
    "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mad.lo.u32 %r3, %r1, %r2, "
    "%r0;\nld.param.u64 %d0, [p]; ld.param.u64 %d4, [q]; mul.wide.u32 %d1, %r3, 4; add.u64 %d2, "
    "%d0, %d1; add.u64 %d3, %d4, %d1; ld.global.u32 %r4, [%d2]; st.global.u32 [%d3], %r4; ret; }\n"
    ".visible .entry counts(.param .u64 p) {\n.reg .u32 %r<2>; .reg .u64 %d<1>;\n"
    "ld.param.u64 %d0, [p]; atom.global.add.u32 %r0, [%d0], 1; ret; }\n"
    ".visible .entry hosts(.param .u64 p) { ret; }\n";

static CUmodule module;
static CUdeviceptr device;

/*
 * Maps pages far away from what the system maps by itself. So when the test has unmapped them,
 * nobody else maps something in their place, which work would then write into.
 */
static inline unsigned char *map(size_t size, int protection)
{
    static uintptr_t place = 0x300000000000;
    unsigned char *pages =
        mmap((void *) place, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    place += size + ((uintptr_t) 1 << 30);

    cr_assert(ne(ptr, pages, MAP_FAILED));
    return pages;
}

static inline void protect(unsigned char *pages, size_t size, int protection)
{
    cr_assert(eq(int, mprotect(pages, size, protection), 0));
}

/* A broken context is left behind; what the program has registered goes with it. */
static inline void begin(void)
{
    mock_cuDevicePrimaryCtxReset(0);
    start();
    OK(mock_cuModuleLoadData(&module, ptx));
    device = allocate(BYTES);
    OK(mock_cuMemsetD8_v2(device, 9, BYTES));
    OK(mock_cuCtxSynchronize());
    cushim_mock_findings_clear();
}

static inline CUresult run(const char *name, const void *p, unsigned blocks, unsigned threads)
{
    CUdeviceptr address = (uintptr_t) p;
    void *params[] = {&address, &device};
    CUfunction function = NULL;

    OK(mock_cuModuleGetFunction(&function, module, name));
    OK(mock_cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, NULL, params, NULL));
    return mock_cuCtxSynchronize();
}

static inline void found(const char *one, const char *two)
{
    const struct cushim_mock_finding *all = NULL;

    cr_assert(gt(sz, cushim_mock_findings(&all), 0), "nothing was found: '%s', '%s'", one, two);
    cr_expect(ne(ptr, (void *) strstr(all[0].text, one), NULL), "'%s' in: %s", one, all[0].text);
    cr_expect(ne(ptr, (void *) strstr(all[0].text, two), NULL), "'%s' in: %s", two, all[0].text);
}

static inline void silent(void)
{
    const struct cushim_mock_finding *all = NULL;
    const size_t n = cushim_mock_findings(&all);

    cr_expect(eq(sz, n, 0), "%s", n ? all[0].text : "");
}

/* Is the page there, and may the host read it? Asked of the system, which does not fault. */
static inline bool readable(const void *page)
{
    int ends[2];
    bool right;

    cr_assert(eq(int, pipe(ends), 0));
    right = write(ends[1], page, 1) == 1;
    close(ends[0]);
    close(ends[1]);
    return right;
}

#endif
