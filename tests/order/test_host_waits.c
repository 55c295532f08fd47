/* SPDX-License-Identifier: MIT */
/* What counts as a wait of the host for work that uses its memory, and what does not. */
#include <stdio.h>
#include <unistd.h>

#include "host_watch.h"

static void wait_for_another_stream(void)
{
    OK(mock_cuMemsetD8Async(device, 1, 1, second));
    OK(mock_cuStreamSynchronize(second));
}

static void allocate_and_free(void)
{
    OK(mock_cuMemFree_v2(allocate(64)));
}

static void copy_something_else(void)
{
    const CUdeviceptr other = allocate(64);
    unsigned char bytes[64];

    OK(mock_cuMemsetD8_v2(other, 0, 64));
    OK(mock_cuMemcpyDtoH_v2(bytes, other, 64));
}

static void query_another_stream(void)
{
    while (mock_cuStreamQuery(second))
        ;
}

static void destroy_a_stream(void)
{
    CUstream third = NULL;

    OK(mock_cuStreamCreate(&third, CU_STREAM_NON_BLOCKING));
    OK(mock_cuMemsetD8Async(device + PAGE, 1, 1, third));
    OK(mock_cuStreamDestroy_v2(third));
}

Test(host_waits, what_hides_a_missing_wait)
{
    static void (*const hiding[])(void) = {wait_for_another_stream, allocate_and_free,
                                           copy_something_else, query_another_stream,
                                           destroy_a_stream};
    volatile unsigned char *memory;

    begin();
    for (size_t i = 0; i < sizeof(hiding) / sizeof(hiding[0]); i++) {
        memory = pinned(PAGE);
        OK(mock_cuMemcpyDtoHAsync_v2((void *) memory, device + 2 * PAGE, PAGE, stream));
        hiding[i]();
        (void) memory[1];
        found("reads offset 1", "before copy in stream");
        OK(mock_cuStreamSynchronize(stream));
        silent();
    }
}

/* Whatever was done already: the answer of a query is what the program knows by. */
Test(host_waits, what_counts_as_a_wait)
{
    volatile unsigned char *memory;
    CUdeviceptr other;
    float milliseconds;
    CUevent timed[2];

    begin();
    memory = pinned(PAGE);
    for (int i = 0; i < 2; i++)
        OK(mock_cuEventCreate(&timed[i], 0));
    OK(mock_cuEventRecord(timed[0], stream));
    copy_to(memory, PAGE);
    OK(mock_cuEventRecord(timed[1], stream));
    while (mock_cuEventElapsedTime(&milliseconds, timed[0], timed[1]) == CUDA_ERROR_NOT_READY)
        ;
    memory[1] = 1;
    copy_to(memory, PAGE);
    while (mock_cuStreamQuery(stream))
        ;
    memory[1] = 1;
    copy_to(memory, PAGE);
    OK(mock_cuEventRecord(event, stream));
    OK(mock_cuStreamWaitEvent(second, event, 0));
    OK(mock_cuStreamSynchronize(second));
    memory[1] = 1;
    other = allocate(PAGE);
    OK(mock_cuMemcpyAsync(other, (uintptr_t) memory, PAGE, stream));
    OK(mock_cuMemFree_v2(other)); /* it waits for what uses the memory */
    memory[1] = 1;
    silent();
}

Test(host_waits, the_copies_of_a_graph)
{
    volatile unsigned char *memory;
    CUgraphExec exec = NULL;
    CUgraph graph = NULL;

    begin();
    memory = pinned(PAGE);
    OK(mock_cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    copy_to(memory, PAGE);
    OK(mock_cuStreamEndCapture(stream, &graph));
    memory[1] = 1;
    silent();
    OK(mock_cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(mock_cuGraphLaunch(exec, stream));
    OK(mock_cuStreamSynchronize(stream));
    memory[1] = 1;
    silent();
    OK(mock_cuGraphLaunch(exec, stream));
    (void) memory[2];
    found("reads offset 2", "before copy in");
}

/* Neither fills the page, and both together do. */
Test(host_waits, a_page_of_several_copies)
{
    volatile unsigned char *memory;

    begin();
    memory = pinned(PAGE);
    copy_to(memory, 1000);
    memory[1] = memory[1000] = 1;
    OK(mock_cuMemcpyDtoHAsync_v2((void *) (memory + 1000), device, PAGE - 1000, second));
    (void) memory[1000];
    found("reads offset 1000", "before copy in stream");
    OK(mock_cuStreamSynchronize(second));
    memory[2000] = 1;
    silent();
    OK(mock_cuStreamSynchronize(stream));
}

static CUfunction kernel_of(const char *store)
{
    char text[512];
    CUmodule module = NULL;
    CUfunction function = NULL;

    snprintf(text, sizeof(text),
             ".version 7.0\n.target sm_70\n.address_size 64\n"
             ".visible .entry k(.param .u64 p) {\n.reg .u64 %%p, %%a; .reg .u32 %%t;\n"
             "ld.param.u64 %%p, [p]; mov.u32 %%t, %%tid.x; mul.wide.u32 %%a, %%t, 4; "
             "add.u64 %%p, %%p, %%a; %s [%%p], %%t; ret; }\n",
             store);
    OK(mock_cuModuleLoadData(&module, text));
    OK(mock_cuModuleGetFunction(&function, module, "k"));
    return function;
}

static void launch(CUfunction function, volatile void *memory)
{
    CUdeviceptr p = (uintptr_t) memory;
    void *params[] = {&p};

    OK(mock_cuLaunchKernel(function, 1, 1, 1, 1024, 1, 1, 0, stream, params, NULL));
}

Test(host_waits, what_a_kernel_writes)
{
    volatile unsigned char *memory;
    CUdeviceptr managed = 0;
    CUfunction plain;

    begin();
    plain = kernel_of("st.global.u32");
    memory = pinned(PAGE);
    launch(plain, memory);
    OK(mock_cuStreamSynchronize(stream));
    cr_expect(eq(int, memory[4], 1));
    silent();
    launch(plain, memory);
    cr_expect(eq(int, memory[4], 1));
    found("reads offset 4", "before kernel 'k' in stream");
    OK(mock_cuMemAllocManaged(&managed, PAGE, CU_MEM_ATTACH_GLOBAL));
    memory = (volatile unsigned char *) (uintptr_t) managed;
    launch(plain, memory);
    cr_expect(eq(int, memory[4], 1));
    found("reads offset 4", "before kernel 'k' in stream");
}

/* The host may know from the kernel itself, of what was before it as well. */
Test(host_waits, a_kernel_that_may_tell_the_host)
{
    volatile unsigned char *memory, *other;

    begin();
    memory = pinned(PAGE);
    other = pinned(PAGE);
    copy_to(other, PAGE);
    launch(kernel_of("st.volatile.global.u32"), memory);
    while (memory[4] != 1 || memory[PAGE - 4] != 1023 % 256)
        usleep(1000);
    cr_expect(eq(int, other[4], 2));
    silent();
}

static void CUDA_CB do_nothing(void *unused)
{
    (void) unused;
}

static CUresult synchronize_stream(void)
{
    return mock_cuStreamSynchronize(stream);
}

static CUresult synchronize_context(void)
{
    return mock_cuCtxSynchronize();
}

static CUresult synchronize_event(void)
{
    OK(mock_cuEventRecord(event, stream));
    return mock_cuEventSynchronize(event);
}

static CUresult query_stream(void)
{
    CUresult result;

    do
        result = mock_cuStreamQuery(stream);
    while (result == CUDA_ERROR_NOT_READY);
    return result;
}

/* Its accesses become known only during the wait: before, a host function held it up. */
Test(host_waits, a_kernel_that_runs_while_the_host_waits)
{
    static CUresult (*const waits[])(void) = {synchronize_stream, synchronize_context,
                                              synchronize_event, query_stream};
    volatile unsigned char *memory;
    CUstream streams[2];
    CUfunction plain;

    begin();
    plain = kernel_of("st.global.u32");
    memory = pinned(PAGE);
    streams[0] = stream;
    streams[1] = CU_STREAM_LEGACY;
    for (size_t i = 0; i < 2 * sizeof(waits) / sizeof(waits[0]); i++) {
        stream = streams[i % 2];
        OK(mock_cuLaunchHostFunc(stream, do_nothing, NULL));
        launch(plain, memory);
        OK(waits[i / 2]());
        cr_expect(eq(int, memory[4], 1));
        silent();
        cushim_mock_findings_clear();
        memory[4] = 0;
    }
}
