/* SPDX-License-Identifier: MIT */
/* What is refused while streams capture, and who is in the way of whom. */
#include <pthread.h>

#include "captures.h"

TestSuite(capture_refused, .init = begin_with_event);

/* --- what is refused --- */

struct question {
    const char *name;
    CUresult (*ask)(void);
};

static CUresult ask_alloc_host(void)
{
    void *p;

    return mock_cuMemAllocHost_v2(&p, 16);
}

static CUresult ask_alloc_managed(void)
{
    CUdeviceptr p;

    return mock_cuMemAllocManaged(&p, 16, CU_MEM_ATTACH_GLOBAL);
}

static CUresult ask_free(void)
{
    return mock_cuMemFree_v2(word);
}

static CUresult ask_wait_for_other(void)
{
    return mock_cuStreamSynchronize(two);
}

static CUresult ask_query_other(void)
{
    return mock_cuStreamQuery(two);
}

static CUresult ask_query_event(void)
{
    return mock_cuEventQuery(event);
}

static CUresult ask_load(void)
{
    CUmodule module;

    return mock_cuModuleLoadData(&module, graphs_ptx);
}

static const struct question unsafe[] = {
    {"cuMemAlloc", ask_alloc},
    {"cuMemAllocHost", ask_alloc_host},
    {"cuMemAllocManaged", ask_alloc_managed},
    {"cuMemFree", ask_free},
    {"cuStreamSynchronize", ask_wait_for_other},
    {"cuStreamQuery", ask_query_other},
    {"cuEventQuery", ask_query_event},
};

Test(capture_refused, what_may_wait_is_unsafe)
{
    for (size_t i = 0; i < sizeof(unsafe) / sizeof(unsafe[0]); i++) {
        for (int mode = GLOBAL; mode <= THREAD_LOCAL; mode++) {
            begin_capture(one, (CUstreamCaptureMode) mode);
            cr_expect(eq(int, unsafe[i].ask(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED), "%s",
                      unsafe[i].name);
            end_badly(one, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
        }
    }
    begin_capture(one, RELAXED);
    for (size_t i = 0; i < sizeof(unsafe) / sizeof(unsafe[0]); i++)
        cr_expect(eq(int, unsafe[i].ask(), CUDA_SUCCESS), "%s", unsafe[i].name);
    end_capture(one);
}

/* A module's kernels are loaded when they are first used, so nothing waits here. */
Test(capture_refused, a_module_is_loaded_in_any_mode)
{
    for (int mode = GLOBAL; mode <= RELAXED; mode++) {
        begin_capture(one, (CUstreamCaptureMode) mode);
        EXPECT(CUDA_SUCCESS, ask_load());
        end_capture(one);
    }
}

Test(capture_refused, what_is_captured_is_not_asked_about)
{
    CUgraph graph;
    CUgraphExec exec = instantiate(new_graph());

    /* Not even where nothing is unsafe. */
    begin_capture(one, RELAXED);
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, mock_cuStreamSynchronize(one));
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, mock_cuStreamSynchronize(one));
    end_badly(one, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    begin_capture(one, RELAXED);
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, mock_cuStreamQuery(one));
    end_badly(one, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    begin_capture(one, RELAXED);
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, mock_cuCtxSynchronize());
    end_badly(one, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    begin_capture(one, RELAXED);
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, mock_cuGraphUpload(exec, one));
    end_badly(one, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    /* A graph that is captured to is there, but not the caller's. */
    begin_capture(one, RELAXED);
    OK(mock_cuStreamGetCaptureInfo_v2(one, &(CUstreamCaptureStatus){0}, NULL, &graph, NULL, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphDestroy(graph));
    cr_expect(eq(ptr, end_capture(one), graph));
    OK(mock_cuGraphDestroy(graph));
}

/* Whatever is in the graph, and whatever the mode. */
Test(capture_refused, launches_of_graphs_are_not_captured)
{
    CUgraph graph = new_graph();
    CUgraphExec exec;

    add_affine(graph, NULL, 2, 3);
    exec = instantiate(graph);
    for (int mode = GLOBAL; mode <= RELAXED; mode++) {
        begin_capture(one, (CUstreamCaptureMode) mode);
        OK(launch_affine(one, 1, 1));
        EXPECT(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, mock_cuGraphLaunch(exec, one));
        cr_expect(eq(int, status_of(one), CU_STREAM_CAPTURE_STATUS_INVALIDATED));
        EXPECT(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, mock_cuGraphLaunch(exec, one));
        EXPECT(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, launch_affine(one, 1, 1));
        end_badly(one, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    }
    /* Other streams launch it meanwhile. */
    begin_capture(one, GLOBAL);
    OK(mock_cuGraphLaunch(exec, two));
    OK(mock_cuGraphDestroy(end_capture(one)));
    cr_expect(eq(uint, value(), 3));
    silent();
}

static void CUDA_CB do_nothing(CUstream stream, CUresult status, void *user)
{
    (void) stream;
    (void) status;
    (void) user;
}

Test(capture_refused, what_cannot_be_a_node_is_refused)
{
    unsigned number;

    begin_capture(one, GLOBAL);
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
           mock_cuStreamAddCallback(one, do_nothing, NULL, 0));
    end_badly(one, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    OK(mock_cuStreamBeginCapture_v2_ptsz(NULL, GLOBAL));
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
           mock_cuMemcpyDtoH_v2_ptds(&number, word, sizeof(number)));
    end_badly(CU_STREAM_PER_THREAD, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

/* What the call answers in a stream that captures; the capture is invalid afterwards. */
static void refuses(CUresult (*call)(void))
{
    begin_capture(one, GLOBAL);
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, call());
    end_badly(one, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

static CUdeviceptr managed;

static CUresult prefetch(void)
{
    return mock_cuMemPrefetchAsync(managed, 64, 0, one);
}

static CUresult attach(void)
{
    return mock_cuStreamAttachMemAsync(one, managed, 0, CU_MEM_ATTACH_SINGLE);
}

static CUresult launch_on_devices(void)
{
    struct affine a;
    CUDA_LAUNCH_PARAMS p = {graphs_function, 1, 1, 1, 1, 1, 1, 0, one, a.list};

    affine_params(&a, 1, 1);
    return mock_cuLaunchCooperativeKernelMultiDevice(&p, 1, 0);
}

Test(capture_refused, what_moves_managed_memory_and_what_is_on_several_devices)
{
    OK(mock_cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL));
    refuses(prefetch);
    refuses(attach);
    refuses(launch_on_devices);
    silent();
}

#if CUDA_VERSION >= 13000
static CUresult discard(void)
{
    size_t bytes = 64;

    return mock_cuMemDiscardBatchAsync(&managed, &bytes, 1, 0, one);
}

static CUresult prefetch_batch(void)
{
    CUmemLocation place = {.type = CU_MEM_LOCATION_TYPE_DEVICE};
    size_t bytes = 64, first = 0;

    return mock_cuMemPrefetchBatchAsync(&managed, &bytes, 1, &place, &first, 1, 0, one);
}

Test(capture_refused, batches_of_managed_memory)
{
    OK(mock_cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL));
    refuses(discard);
    refuses(prefetch_batch);
}
#endif

#if CUDA_VERSION >= 12080
Test(capture_refused, a_batch_of_copies_is_missing_from_the_graph)
{
    CUmemcpyAttributes attributes = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
    CUdeviceptr to = allocate(4);
    size_t bytes = 4, first = 0, failed = 77;
    CUgraph graph;

    begin_capture(one, GLOBAL);
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
           mock_cuMemcpyBatchAsync(&to, &word, &bytes, 1, &attributes, &first, 1, &failed, one));
    cr_expect(eq(sz, failed, SIZE_MAX));
    graph = end_capture(one);
    cr_expect(eq(sz, count_nodes(graph), 0));
}
#endif

#if CUDA_VERSION >= 12050
static CUcontext current;

static CUresult record_context(void)
{
    return mock_cuCtxRecordEvent(current, event);
}

static CUresult hold_up_context(void)
{
    return mock_cuCtxWaitEvent(current, event);
}

Test(capture_refused, what_is_done_in_a_whole_context)
{
    CUcontext elsewhere = NULL;

    OK(mock_cuCtxGetCurrent(&current));
    refuses(record_context);
    refuses(hold_up_context);
    /* Another context has nothing to do with the capture, but with the event that is part of it. */
    OK(mock_cuCtxCreate_v2(&elsewhere, 0, 1));
    OK(mock_cuCtxSetCurrent(current));
    current = elsewhere;
    begin_capture(one, RELAXED);
    OK(mock_cuEventRecord(event, one));
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, hold_up_context());
    end_badly(one, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    EXPECT(CUDA_ERROR_CAPTURED_EVENT, hold_up_context());
    OK(mock_cuEventRecord(event, two));
    OK(hold_up_context());
    begin_capture(one, RELAXED);
    OK(hold_up_context());
    OK(mock_cuGraphDestroy(end_capture(one)));
}
#endif

/* --- threads --- */

struct visitor {
    CUcontext context;
    CUstreamCaptureMode mode; /* that the thread takes */
    CUresult (*ask)(void);
    CUresult answer;
};

static void *visit(void *pointer)
{
    struct visitor *visitor = pointer;
    CUstreamCaptureMode mode = visitor->mode;

    mock_cuCtxSetCurrent(visitor->context);
    mock_cuThreadExchangeStreamCaptureMode(&mode);
    visitor->answer = visitor->ask();
    return NULL;
}

/* What a call answers in another thread that has taken the mode. */
static CUresult in_another_thread(CUstreamCaptureMode mode, CUresult (*ask)(void))
{
    struct visitor visitor = {.mode = mode, .ask = ask};
    pthread_t thread;

    OK(mock_cuCtxGetCurrent(&visitor.context));
    cr_assert(eq(int, pthread_create(&thread, NULL, visit, &visitor), 0));
    pthread_join(thread, NULL);
    return visitor.answer;
}

Test(capture_refused, modes_say_who_is_in_the_way_of_whom)
{
    /* By mode of the capture, and of the other thread. */
    static const int allowed[3][3] = {{0, 1, 1}, {1, 1, 1}, {1, 1, 1}};

    for (int mode = GLOBAL; mode <= RELAXED; mode++) {
        for (int other = GLOBAL; other <= RELAXED; other++) {
            const int good = allowed[mode][other];

            begin_capture(one, (CUstreamCaptureMode) mode);
            cr_expect(eq(int, in_another_thread((CUstreamCaptureMode) other, ask_alloc),
                         good ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED),
                      "capture %d, thread %d", mode, other);
            if (good)
                end_capture(one);
            else
                end_badly(one, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
        }
    }
}

Test(capture_refused, a_thread_changes_its_mode)
{
    CUstreamCaptureMode mode = RELAXED;

    begin_capture(one, GLOBAL);
    OK(mock_cuThreadExchangeStreamCaptureMode(&mode));
    cr_expect(eq(int, mode, GLOBAL));
    OK(ask_alloc());
    OK(mock_cuThreadExchangeStreamCaptureMode(&mode));
    cr_expect(eq(int, mode, RELAXED));
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, ask_alloc());
    end_badly(one, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    mode = (CUstreamCaptureMode) 3;
    OK(mock_cuThreadExchangeStreamCaptureMode(&mode));
    cr_expect(eq(int, mode, GLOBAL));
    OK(mock_cuThreadExchangeStreamCaptureMode(&mode));
    cr_expect(eq(int, (int) mode, 3));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuThreadExchangeStreamCaptureMode(NULL));
}

static CUresult ask_end(void)
{
    CUgraph graph = NULL;
    const CUresult result = mock_cuStreamEndCapture(one, &graph);

    mock_cuGraphDestroy(graph);
    return result;
}

Test(capture_refused, only_a_relaxed_capture_ends_in_another_thread)
{
    begin_capture(one, THREAD_LOCAL);
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, in_another_thread(GLOBAL, ask_end));
    end_capture(one);
    begin_capture(one, RELAXED);
    OK(in_another_thread(GLOBAL, ask_end));
    cr_expect(eq(int, status_of(one), CU_STREAM_CAPTURE_STATUS_NONE));
}
