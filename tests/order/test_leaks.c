/* SPDX-License-Identifier: MIT */
/* An object of each kind that is never given back is found and named; its twin is not. */
#include <cushim/mock.h>
#include <string.h>

#include "support.h"

enum { BYTES = 256 };

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .global .align 4 .u32 variable;\n"
                          ".visible .entry f() { ret; }\n";

/* One leak, whose text has both words; a label where the object can have one. */
static void one_leak(const char *name, const char *made_by)
{
    const struct cushim_mock_finding *findings = NULL;

    cushim_mock_findings_clear();
    cr_assert(eq(sz, cushim_mock_leaks(), 1), "%s", name);
    cr_assert(eq(sz, cushim_mock_findings(&findings), 1));
    cr_expect(eq(int, findings[0].kind, CUSHIM_MOCK_LEAK));
    cr_expect(ne(ptr, strstr(findings[0].text, name), NULL), "no '%s' in: %s", name,
              findings[0].text);
    cr_expect(ne(ptr, strstr(findings[0].text, made_by), NULL), "no '%s' in: %s", made_by,
              findings[0].text);
}

static void no_leak(const char *what)
{
    const struct cushim_mock_finding *findings = NULL;

    cushim_mock_findings_clear();
    cr_expect(eq(sz, cushim_mock_leaks(), 0), "%s", what);
    cr_expect(eq(sz, cushim_mock_findings(&findings), 0));
}

/* The primary context itself would be one, so these tests have a context of their own kind. */
static CUcontext begin(void)
{
    CUcontext context = start();

    OK(mock_cuDevicePrimaryCtxRelease_v2(0));
    OK(mock_cuCtxCreate_v2(&context, 0, 0));
    one_leak("context", "made by cuCtxCreate");
    cr_assert(eq(int, cushim_mock_label((uintptr_t) context, "mine"), CUSHIM_OK));
    one_leak("'mine'", "made by cuCtxCreate");
    return context;
}

static void end(CUcontext context)
{
    CUcontext popped = NULL;

    OK(mock_cuCtxPopCurrent_v2(&popped));
    OK(mock_cuCtxDestroy_v2(context));
    no_leak("context");
}

/* The context leaks as well: what else does? */
static void leaks_with(const char *name, const char *made_by)
{
    const struct cushim_mock_finding *findings = NULL;
    size_t named = 0;

    cushim_mock_findings_clear();
    cr_assert(eq(sz, cushim_mock_leaks(), 2), "%s", name);
    cr_assert(eq(sz, cushim_mock_findings(&findings), 2));
    for (int i = 0; i < 2; i++)
        named += strstr(findings[i].text, name) && strstr(findings[i].text, made_by);
    cr_expect(eq(sz, named, 1), "no '%s ... %s' in: %s; %s", name, made_by, findings[0].text,
              findings[1].text);
}

static void only_the_context(void)
{
    one_leak("context", "made by cuCtxCreate");
}

Test(leaks, a_context)
{
    end(begin());
}

Test(leaks, a_primary_context)
{
    start();
    one_leak("primary context of device 0", "retained 1 times by cuDevicePrimaryCtxRetain");
    OK(mock_cuDevicePrimaryCtxRelease_v2(0));
    no_leak("primary context");
}

Test(leaks, memory)
{
    CUcontext context = begin();
    CUdeviceptr p = 0;
    size_t pitch;

    OK(mock_cuMemAlloc_v2(&p, BYTES));
    cr_assert(eq(int, cushim_mock_label(p, "weights"), CUSHIM_OK));
    leaks_with("allocation", "'weights' (256 bytes, made by cuMemAlloc, the program's 1st)");
    OK(mock_cuMemFree_v2(p));
    only_the_context();
    OK(mock_cuMemAllocPitch_v2(&p, &pitch, 100, 2, 4));
    leaks_with("allocation", "made by cuMemAllocPitch");
    OK(mock_cuMemFree_v2(p));
    only_the_context();
    OK(mock_cuMemAllocManaged(&p, BYTES, CU_MEM_ATTACH_GLOBAL));
    leaks_with("allocation", "made by cuMemAllocManaged");
    OK(mock_cuMemFree_v2(p));
    only_the_context();
    OK(mock_cuMemAllocAsync(&p, BYTES, NULL));
    leaks_with("allocation", "made by cuMemAllocAsync");
    OK(mock_cuMemFreeAsync(p, NULL));
    only_the_context();
    OK(mock_cuCtxSynchronize());
    end(context);
}

Test(leaks, memory_of_the_host)
{
    CUcontext context = begin();
    char bytes[BYTES];
    void *p = NULL;

    OK(mock_cuMemHostAlloc(&p, BYTES, 0));
    leaks_with("allocation", "made by cuMemHostAlloc");
    OK(mock_cuMemFreeHost(p));
    only_the_context();
    OK(mock_cuMemHostRegister_v2(bytes, BYTES, 0));
    leaks_with("allocation", "made by cuMemHostRegister");
    OK(mock_cuMemHostUnregister(bytes));
    only_the_context();
    end(context);
}

Test(leaks, streams_and_events)
{
    CUcontext context = begin();
    CUstream stream = NULL;
    CUevent event = NULL;

    OK(mock_cuStreamCreate(&stream, 0));
    cr_assert(eq(int, cushim_mock_label((uintptr_t) stream, "upload"), CUSHIM_OK));
    leaks_with("stream", "'upload', made by cuStreamCreate, the program's 1st");
    OK(mock_cuStreamDestroy_v2(stream));
    only_the_context();
    OK(mock_cuStreamCreate(&stream, 0));
    leaks_with("stream", "made by cuStreamCreate, the program's 2nd");
    OK(mock_cuStreamDestroy_v2(stream));
    OK(mock_cuStreamCreateWithPriority(&stream, 0, -1));
    leaks_with("stream", "made by cuStreamCreateWithPriority, the program's 1st");
    OK(mock_cuStreamDestroy_v2(stream));
    only_the_context();
    OK(mock_cuEventCreate(&event, 0));
    leaks_with("event", "made by cuEventCreate");
    OK(mock_cuEventDestroy_v2(event));
    only_the_context();
    end(context);
}

Test(leaks, modules_and_what_makes_them)
{
    CUcontext context = begin();
    CUmodule module = NULL;
    CUlinkState link = NULL;

    OK(mock_cuModuleLoadData(&module, ptx));
    leaks_with("module", "made by cuModuleLoadData, the program's 1st");
    OK(mock_cuModuleUnload(module));
    OK(mock_cuModuleLoadDataEx(&module, ptx, 0, NULL, NULL));
    leaks_with("module", "made by cuModuleLoadDataEx, the program's 1st");
    OK(mock_cuModuleUnload(module));
    only_the_context();
    OK(mock_cuLinkCreate_v2(0, NULL, NULL, &link));
    leaks_with("linker", "made by cuLinkCreate");
    OK(mock_cuLinkDestroy(link));
    only_the_context();
#if CUDA_VERSION >= 12000
    CUlibrary library = NULL;

    OK(mock_cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    leaks_with("library", "made by cuLibraryLoadData, the program's 1st");
    OK(mock_cuLibraryUnload(library));
    only_the_context();
#endif
    end(context);
}

Test(leaks, graphs)
{
    CUcontext context = begin();
    CUgraph graph = NULL, clone = NULL;
    CUgraphExec exec = NULL;
    CUstream stream = NULL;

    OK(mock_cuGraphCreate(&graph, 0));
    leaks_with("graph", "made by cuGraphCreate, the program's 1st");
    OK(mock_cuGraphClone(&clone, graph));
    OK(mock_cuGraphDestroy(graph));
    leaks_with("graph", "made by cuGraphClone, the program's 1st");
    OK(mock_cuGraphInstantiate_v2(&exec, clone, NULL, NULL, 0));
    OK(mock_cuGraphDestroy(clone));
    leaks_with("executable graph", "made by cuGraphInstantiate, the program's 1st");
    OK(mock_cuGraphExecDestroy(exec));
    OK(mock_cuStreamCreate(&stream, 0));
    OK(mock_cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(mock_cuStreamEndCapture(stream, &graph));
    OK(mock_cuStreamDestroy_v2(stream));
    leaks_with("graph", "made by cuStreamEndCapture, the program's 1st");
    OK(mock_cuGraphDestroy(graph));
    only_the_context();
    end(context);
}
