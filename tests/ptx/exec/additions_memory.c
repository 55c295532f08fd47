/* SPDX-License-Identifier: MIT */
/*
 * Additions to global memory, which compiled code gathers (mock/ptx/machine/gathered.h), to all
 * kinds of memory: none is missing when a launch has ended, whoever frees, protects or reads the
 * memory then. Where there is no LLVM, the interpreter does the same. A plain program, for the
 * sanitizer of threads.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../../mock/check.h"
#include "mock/functions.h"

enum { BLOCKS = 300, THREADS = 64, N = BLOCKS * THREADS, WORDS = 1024, BYTES = 4 * WORDS };

/* Each thread adds 6 to a word, in three steps: the first one looks the memory up. */
static const char text[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .global .align 8 .b32 words[1024];\n"
    ".visible .entry k(.param .u64 p) { .reg .u32 %t, %b, %i, %r; .reg .u64 %p, %d;\n"
    "mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mad.lo.u32 %i, %b, 64, %t; ld.param.u64 %p, [p];\n"
    "mul.lo.u32 %r, %i, 0x9e3779b1; shr.u32 %r, %r, 22; mad.wide.u32 %d, %r, 4, %p;\n"
    "red.global.add.u32 [%d], 1; red.global.add.u32 [%d], 2; red.global.add.u32 [%d], 3; ret; }\n";

static CUmodule module;
static CUfunction kernel;
static CUstream streams[2];
static unsigned once[WORDS]; /* what one launch adds */

static void launch(CUdeviceptr p, CUstream stream)
{
    void *params[] = {&p};

    CHECK(mock_cuLaunchKernel(kernel, BLOCKS, 1, 1, THREADS, 1, 1, 0, stream, params, NULL));
}

static void expect(const char *what, const unsigned *found, unsigned launches)
{
    for (unsigned i = 0; i < WORDS; i++) {
        if (found[i] == launches * once[i])
            continue;
        fprintf(stderr, "%s: word %u is %u, expected %u\n", what, i, found[i], launches * once[i]);
        exit(1);
    }
}

static void expect_device(const char *what, CUdeviceptr p, unsigned launches)
{
    unsigned found[WORDS];

    CHECK(mock_cuMemcpyDtoH_v2(found, p, BYTES));
    expect(what, found, launches);
}

/* Memory is freed while a launch waits; what comes in its place has none of its sums. */
static void freed(void)
{
    CUdeviceptr p = 0;

    for (int i = 0; i < 8; i++) {
        CHECK(mock_cuMemAlloc_v2(&p, BYTES));
        CHECK(mock_cuMemsetD32_v2(p, 0, WORDS));
        launch(p, NULL);
        if (i % 2)
            expect_device("device memory", p, 1);
        CHECK(mock_cuMemFree_v2(p));
    }
}

static void in_order(void)
{
    CUdeviceptr p = 0, next = 0;
    unsigned found[2][WORDS];

    CHECK(mock_cuMemAllocAsync(&p, BYTES, streams[0]));
    CHECK(mock_cuMemsetD32Async(p, 0, WORDS, streams[0]));
    launch(p, streams[0]);
    launch(p, streams[0]);
    CHECK(mock_cuMemcpyDtoHAsync_v2(found[0], p, BYTES, streams[0]));
    CHECK(mock_cuMemFreeAsync(p, streams[0]));
    CHECK(mock_cuMemAllocAsync(&next, BYTES, streams[0]));
    CHECK(mock_cuMemsetD32Async(next, 0, WORDS, streams[0]));
    CHECK(mock_cuMemcpyDtoHAsync_v2(found[1], next, BYTES, streams[0]));
    CHECK(mock_cuMemFreeAsync(next, streams[0]));
    CHECK(mock_cuStreamSynchronize(streams[0]));
    expect("a pool", found[0], 2);
    expect("a pool, reused", found[1], 0);
}

static void two_streams(CUdeviceptr p)
{
    CHECK(mock_cuMemsetD32_v2(p, 0, WORDS));
    CHECK(mock_cuCtxSynchronize());
    for (int i = 0; i < 4; i++)
        launch(p, streams[i % 2]);
    CHECK(mock_cuCtxSynchronize());
    expect_device("two streams", p, 4);
}

static void graph(CUdeviceptr p)
{
    CUgraph graph = NULL;
    CUgraphExec exec = NULL;

    CHECK(mock_cuStreamBeginCapture_v2(streams[0], CU_STREAM_CAPTURE_MODE_GLOBAL));
    CHECK(mock_cuMemsetD32Async(p, 0, WORDS, streams[0]));
    for (int i = 0; i < 3; i++)
        launch(p, streams[0]);
    CHECK(mock_cuStreamEndCapture(streams[0], &graph));
    CHECK(mock_cuGraphInstantiateWithFlags(&exec, graph, 0));
    for (int i = 0; i < 3; i++)
        CHECK(mock_cuGraphLaunch(exec, streams[0]));
    CHECK(mock_cuStreamSynchronize(streams[0]));
    expect_device("a graph", p, 3);
    CHECK(mock_cuGraphExecDestroy(exec));
    CHECK(mock_cuGraphDestroy(graph));
}

static void host(void)
{
    CUdeviceptr p = 0;
    void *memory = NULL;

    CHECK(mock_cuMemAllocManaged(&p, BYTES, CU_MEM_ATTACH_GLOBAL));
    for (unsigned i = 1; i < 3; i++) {
        if (i == 1)
            memset((void *) (uintptr_t) p, 0, BYTES);
        launch(p, NULL);
        CHECK(mock_cuCtxSynchronize());
        expect("managed memory", (const unsigned *) (uintptr_t) p, i);
    }
    CHECK(mock_cuMemFree_v2(p));
    CHECK(mock_cuMemHostAlloc(&memory, BYTES, CU_MEMHOSTALLOC_DEVICEMAP));
    memset(memory, 0, BYTES);
    CHECK(mock_cuMemHostGetDevicePointer_v2(&p, memory, 0));
    launch(p, NULL);
    CHECK(mock_cuCtxSynchronize());
    expect("host memory", memory, 1);
    CHECK(mock_cuMemFreeHost(memory));
}

/* A device does not see how the program has protected its memory. */
static void registered(void)
{
    CUdeviceptr p = 0;
    void *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    CHECK(memory == MAP_FAILED);
    CHECK(mock_cuMemHostRegister_v2(memory, BYTES, CU_MEMHOSTREGISTER_DEVICEMAP));
    CHECK(mock_cuMemHostGetDevicePointer_v2(&p, memory, 0));
    for (unsigned i = 1; i < 3; i++) {
        CHECK(mprotect(memory, BYTES, i == 1 ? PROT_NONE : PROT_READ));
        launch(p, NULL);
        CHECK(mock_cuCtxSynchronize());
        CHECK(mprotect(memory, BYTES, PROT_READ));
        expect("protected memory", memory, i);
    }
    CHECK(mock_cuMemHostUnregister(memory));
    munmap(memory, BYTES);
}

/* The same memory at two addresses, of which one goes away. */
static void aliases(void)
{
    const CUmemAllocationProp kind = {
        .type = CU_MEM_ALLOCATION_TYPE_PINNED,
        .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE},
    };
    const CUmemAccessDesc access = {.location = kind.location,
                                    .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle handle = 0;
    CUdeviceptr p[2] = {0, 0};
    size_t bytes = 0;

    CHECK(mock_cuMemGetAllocationGranularity(&bytes, &kind, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    CHECK(mock_cuMemCreate(&handle, bytes, &kind, 0));
    for (int i = 0; i < 2; i++) {
        CHECK(mock_cuMemAddressReserve(&p[i], bytes, 0, 0, 0));
        CHECK(mock_cuMemMap(p[i], bytes, 0, handle, 0));
        CHECK(mock_cuMemSetAccess(p[i], bytes, &access, 1));
    }
    CHECK(mock_cuMemsetD32_v2(p[0], 0, WORDS));
    launch(p[0], NULL);
    launch(p[1], NULL);
    expect_device("two addresses", p[0], 2);
    launch(p[0], NULL);
    CHECK(mock_cuMemUnmap(p[0], bytes));
    expect_device("the other address", p[1], 3);
    CHECK(mock_cuMemUnmap(p[1], bytes));
    CHECK(mock_cuMemRelease(handle));
    for (int i = 0; i < 2; i++)
        CHECK(mock_cuMemAddressFree(p[i], bytes));
}

int main(void)
{
    CUcontext context = NULL;
    CUdeviceptr p = 0;
    size_t bytes = 0;

    for (unsigned i = 0; i < N; i++)
        once[i * 0x9e3779b1u >> 22] += 6;
    setenv("CUSHIM_MOCK_PTX_WORKERS", "4", 1);
    setenv("CUSHIM_MOCK_PTX_COMPILE", "always", 1);
    CHECK(mock_cuInit(0));
    CHECK(mock_cuDevicePrimaryCtxRetain(&context, 0));
    CHECK(mock_cuCtxSetCurrent(context));
    CHECK(mock_cuModuleLoadData(&module, text));
    CHECK(mock_cuModuleGetFunction(&kernel, module, "k"));
    CHECK(mock_cuModuleGetGlobal_v2(&p, &bytes, module, "words"));
    for (int i = 0; i < 2; i++)
        CHECK(mock_cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING));
    launch(p, NULL);
    expect_device("a variable", p, 1);
    freed();
    in_order();
    two_streams(p);
    graph(p);
    host();
    registered();
    aliases();
    return 0;
}
