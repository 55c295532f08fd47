/* SPDX-License-Identifier: MIT */
/* The stream that a function works in where it is given none, or stream 0. */
#include <cushim/mock.h>

#include "support.h"

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry nop() { ret; }\n";

TestSuite(default_stream, .timeout = 60);

static CUfunction nop(void)
{
    CUmodule module = NULL;
    CUfunction found = NULL;

    OK(mock_cuModuleLoadData(&module, ptx));
    OK(mock_cuModuleGetFunction(&found, module, "nop"));
    return found;
}

#if CUDA_VERSION >= 12000
static unsigned long long id_of(CUstream stream)
{
    unsigned long long id = 0;

    OK(mock_cuStreamGetId(stream, &id));
    return id;
}

Test(default_stream, of_a_variant_is_the_threads)
{
    unsigned long long id = 0;

    start();
    OK(mock_cuStreamGetId_ptsz(NULL, &id));
    cr_expect(eq(ulong, id, id_of(CU_STREAM_PER_THREAD)));
    cr_expect(ne(ulong, id, id_of(CU_STREAM_LEGACY)));
    OK(mock_cuStreamGetId_ptsz(CU_STREAM_LEGACY, &id));
    cr_expect(eq(ulong, id, id_of(CU_STREAM_LEGACY)));
    /* After the variant stream 0 is what it was. */
    cr_expect(eq(ulong, id_of(NULL), id_of(CU_STREAM_LEGACY)));
}
#endif

Test(default_stream, attributes_are_copied_between_two)
{
    CUstreamAttrValue value = {.syncPolicy = CU_SYNC_POLICY_SPIN}, got = {0};

    start();
    OK(mock_cuStreamSetAttribute_ptsz(NULL, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
    OK(mock_cuStreamGetAttribute(NULL, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &got));
    cr_expect(eq(int, (int) got.syncPolicy, -1));
    OK(mock_cuStreamCopyAttributes_ptsz(CU_STREAM_LEGACY, NULL));
    OK(mock_cuStreamGetAttribute(NULL, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &got));
    cr_expect(eq(int, (int) got.syncPolicy, CU_SYNC_POLICY_SPIN));
}

static void begin_in_the_threads_stream(void)
{
    OK(mock_cuStreamBeginCapture_v2_ptsz(NULL, CU_STREAM_CAPTURE_MODE_RELAXED));
}

static size_t count_captured(void)
{
    CUgraph graph = NULL;
    size_t n = 0;

    OK(mock_cuStreamEndCapture(CU_STREAM_PER_THREAD, &graph));
    OK(mock_cuGraphGetNodes(graph, NULL, &n));
    OK(mock_cuGraphDestroy(graph));
    return n;
}

#if CUDA_VERSION >= 11080
Test(default_stream, in_a_structure)
{
    CUlaunchConfig config = {1, 1, 1, 1, 1, 1, .hStream = NULL};
    CUfunction f;

    start();
    f = nop();
    begin_in_the_threads_stream();
    OK(mock_cuLaunchKernelEx_ptsz(&config, f, NULL, NULL));
    OK(mock_cuMemsetD32Async_ptsz(allocate(4), 1, 1, NULL));
    cr_expect(eq(sz, count_captured(), 2));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuLaunchKernelEx_ptsz(NULL, f, NULL, NULL));
}
#endif

/* After an error that made the capture invalid. */
static void begin_again(void)
{
    CUgraph graph = NULL;

    EXPECT(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, mock_cuStreamEndCapture_ptsz(NULL, &graph));
    begin_in_the_threads_stream();
}

Test(default_stream, of_a_function_that_takes_none)
{
    CUdeviceptr p;
    int word = 0;

    start();
    p = allocate(4);
    begin_in_the_threads_stream();
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, mock_cuMemcpyDtoH_v2(&word, p, 4));
    begin_again();
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, mock_cuMemcpyDtoH_v2_ptds(&word, p, 4));
}

static CUstream told;

static void CUDA_CB note_stream(CUstream stream, CUresult status, void *unused)
{
    (void) status;
    (void) unused;
    told = stream;
}

Test(default_stream, is_told_by_its_handle)
{
    start();
    told = GARBAGE;
    OK(mock_cuStreamAddCallback(NULL, note_stream, NULL, 0));
    OK(mock_cuCtxSynchronize());
    cr_expect(eq(ptr, told, NULL));
    OK(mock_cuStreamAddCallback_ptsz(NULL, note_stream, NULL, 0));
    OK(mock_cuCtxSynchronize());
    cr_expect(eq(ptr, told, CU_STREAM_PER_THREAD));
}

static CUresult inside;

static void call_variant(const struct cushim_mock_launch *launch, void *const *args)
{
    (void) launch;
    (void) args;
    inside = mock_cuStreamQuery_ptsz(NULL);
}

/* The kernel runs in this thread, which waits in a variant: its call ends before that one does. */
Test(default_stream, stays_when_a_kernel_calls_a_variant)
{
    CUfunction f;

    start();
    cr_assert(eq(int, cushim_mock_register_kernel("nop", call_variant, NULL), CUSHIM_OK));
    f = nop();
    for (int i = 0; i < 3; i++)
        OK(mock_cuLaunchKernel_ptsz(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    OK(mock_cuStreamSynchronize_ptsz(NULL));
    cr_expect(eq(int, (int) inside, CUDA_ERROR_NOT_PERMITTED));
    OK(mock_cuStreamQuery(CU_STREAM_PER_THREAD));
}

/* All arguments of the first versions have 32 bits, and none of them is taken for negative. */
Test(default_stream, narrow_arguments_are_widened)
{
    unsigned char byte = 0;

    start_with_first_context();
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpyDtoH(&byte, 0xffffffffu, 1));
    OK(mock_cuMemcpyDtoH(&byte, 0xffffffffu, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemFree(0xffffffffu));
}
