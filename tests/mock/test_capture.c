/* SPDX-License-Identifier: MIT */
/* Stream capture: what becomes nodes, and how captures end. */
#include "captures.h"

TestSuite(capture, .init = begin_with_event);

Test(capture, a_stream_becomes_a_chain)
{
    CUgraph graph;
    CUgraphExec exec;

    begin_capture(one, GLOBAL);
    cr_expect(eq(int, status_of(one), CU_STREAM_CAPTURE_STATUS_ACTIVE));
    OK(launch_affine(one, 1, 1));
    OK(mock_cuMemsetD32Async(word, 4, 1, one));
    OK(launch_affine(one, 10, 2));
    graph = end_capture(one);
    cr_expect(eq(int, status_of(one), CU_STREAM_CAPTURE_STATUS_NONE));
    cr_expect(eq(sz, count_nodes(graph), 3));
    cr_expect(eq(sz, count_edges(graph), 2));
    cr_expect(eq(uint, value(), 0));
    exec = instantiate(graph);
    OK(mock_cuGraphLaunch(exec, one));
    cr_expect(eq(uint, value(), 42));
    silent();
}

Test(capture, what_streams_do_meanwhile_is_not_ordered)
{
    CUdeviceptr other = allocate(4);
    CUgraphNode roots[2];
    size_t n = 2;
    CUgraph graph;

    begin_capture(one, GLOBAL);
    OK(join(one, two)); /* nothing to wait for yet, but it takes the stream along */
    OK(launch_affine(one, 1, 1));
    OK(mock_cuMemsetD32Async(other, 1, 1, two));
    OK(join(two, one));
    OK(mock_cuMemcpyDtoDAsync_v2(word, other, 4, one));
    graph = end_capture(one);
    cr_expect(eq(int, status_of(two), CU_STREAM_CAPTURE_STATUS_NONE));
    cr_expect(eq(sz, count_nodes(graph), 3));
    cr_expect(eq(sz, count_edges(graph), 2));
    OK(mock_cuGraphGetRootNodes(graph, roots, &n));
    cr_expect(eq(sz, n, 2));
    OK(mock_cuGraphLaunch(instantiate(graph), two));
    cr_expect(eq(uint, value(), 1));
    silent();
}

Test(capture, streams_have_to_be_joined)
{
    CUdeviceptr other = allocate(4);

    begin_capture(one, GLOBAL);
    OK(join(one, two));
    OK(mock_cuMemsetD32Async(other, 1, 1, two));
    end_badly(one, CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    cr_expect(eq(int, status_of(two), CU_STREAM_CAPTURE_STATUS_NONE));
    /* One that did nothing has nothing to join with. */
    begin_capture(one, GLOBAL);
    OK(join(one, two));
    end_capture(one);
    /* A stream that goes leaves its work to be joined. */
    begin_capture(one, GLOBAL);
    OK(join(one, two));
    OK(mock_cuMemsetD32Async(other, 1, 1, two));
    OK(mock_cuStreamDestroy_v2(two));
    end_badly(one, CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    EXPECT(CUDA_ERROR_ILLEGAL_STATE, mock_cuStreamEndCapture(one, &(CUgraph){NULL}));
}

Test(capture, a_capture_ends_where_it_began)
{
    CUgraph graph = NULL;

    EXPECT(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, mock_cuStreamBeginCapture_v2(NULL, GLOBAL));
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
           mock_cuStreamBeginCapture_v2(CU_STREAM_LEGACY, GLOBAL));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuStreamBeginCapture_v2(GARBAGE, GLOBAL));
    begin_capture(one, GLOBAL);
    EXPECT(CUDA_ERROR_ILLEGAL_STATE, mock_cuStreamBeginCapture(one));
    OK(launch_affine(one, 1, 1));
    OK(join(one, two));
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, mock_cuStreamEndCapture(two, &graph));
    end_badly(one, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    EXPECT(CUDA_ERROR_ILLEGAL_STATE, mock_cuStreamEndCapture(one, NULL));
    /* An event that was never recorded is waited for by none. */
    OK(mock_cuEventCreate(&event, 0));
    OK(mock_cuStreamBeginCapture_v2(one, RELAXED));
    OK(mock_cuStreamWaitEvent(one, event, 0));
    OK(mock_cuStreamEndCapture(one, &graph));
    OK(mock_cuGraphDestroy(graph));
    /* The default stream of a thread is a stream like others. */
    OK(mock_cuStreamBeginCapture_v2_ptsz(NULL, RELAXED));
    OK(mock_cuStreamEndCapture_ptsz(NULL, &graph));
    OK(mock_cuGraphDestroy(graph));
}

Test(capture, captures_do_not_merge)
{
    CUevent other;

    OK(mock_cuEventCreate(&other, 0));
    begin_capture(one, GLOBAL);
    begin_capture(two, GLOBAL);
    OK(launch_affine(one, 1, 1));
    OK(mock_cuEventRecord(other, one));
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_MERGE, mock_cuStreamWaitEvent(two, other, 0));
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, launch_affine(one, 1, 1));
    cr_expect(eq(int, status_of(two), CU_STREAM_CAPTURE_STATUS_INVALIDATED));
    end_badly(one, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    end_badly(two, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

Test(capture, what_was_recorded_outside_is_isolated)
{
    OK(mock_cuEventRecord(event, two));
    begin_capture(one, GLOBAL);
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, mock_cuStreamWaitEvent(one, event, 0));
    end_badly(one, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    /* Unless the caller says that it is meant: then it is a node. */
    begin_capture(one, GLOBAL);
    OK(mock_cuStreamWaitEvent(one, event, CU_EVENT_WAIT_EXTERNAL));
    OK(mock_cuEventRecordWithFlags(event, one, CU_EVENT_RECORD_EXTERNAL));
    cr_expect(eq(sz, count_nodes(end_capture(one)), 2));
    EXPECT(CUDA_SUCCESS, mock_cuEventSynchronize(event));
    /* Which means nothing where nothing is captured. */
    EXPECT(CUDA_ERROR_ILLEGAL_STATE, mock_cuStreamWaitEvent(one, event, CU_EVENT_WAIT_EXTERNAL));
    EXPECT(CUDA_ERROR_ILLEGAL_STATE,
           mock_cuEventRecordWithFlags(event, one, CU_EVENT_RECORD_EXTERNAL));
}

Test(capture, a_captured_event_is_no_event)
{
    begin_capture(one, RELAXED);
    OK(mock_cuEventRecord(event, one));
    OK(mock_cuStreamEndCapture(one, &(CUgraph){NULL}));
    /* Its capture is over: it stands for nothing, until it is recorded anew. */
    EXPECT(CUDA_ERROR_CAPTURED_EVENT, mock_cuEventQuery(event));
    EXPECT(CUDA_ERROR_CAPTURED_EVENT, mock_cuStreamWaitEvent(two, event, 0));
    OK(mock_cuEventRecord(event, two));
    OK(mock_cuEventSynchronize(event));
    OK(mock_cuEventDestroy_v2(event));
}

/* --- the legacy stream --- */

Test(capture, the_legacy_stream_implies_nothing)
{
    CUstreamCaptureStatus status;
    CUstream blocking;

    OK(mock_cuStreamCreate(&blocking, 0));
    begin_capture(blocking, GLOBAL);
    /* Asking is no mistake. */
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, mock_cuStreamIsCapturing(NULL, &status));
    cr_expect(eq(int, status_of(blocking), CU_STREAM_CAPTURE_STATUS_ACTIVE));
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, launch_affine(NULL, 1, 1));
    end_badly(blocking, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    begin_capture(blocking, GLOBAL);
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, mock_cuMemsetD32_v2(word, 0, 1));
    end_badly(blocking, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    begin_capture(blocking, GLOBAL);
    OK(mock_cuEventRecord(event, blocking));
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, mock_cuStreamWaitEvent(NULL, event, 0));
    end_badly(blocking, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    begin_capture(one, GLOBAL); /* takes no turns */
    OK(launch_affine(NULL, 1, 1));
    end_capture(one);
}

/* --- what a capture can be asked, and told --- */

Test(capture, a_capture_says_where_it_is)
{
    CUstreamCaptureStatus status = (CUstreamCaptureStatus) 99;
    const CUgraphNode *nodes = NULL;
    cuuint64_t id = 0, next_id = 0;
    CUgraph graph = NULL;
    size_t n = 99;

    OK(mock_cuStreamGetCaptureInfo(one, &status, &id));
    cr_expect(eq(int, status, CU_STREAM_CAPTURE_STATUS_NONE));
    begin_capture(one, GLOBAL);
    OK(launch_affine(one, 1, 1));
    OK(mock_cuStreamGetCaptureInfo_v2(one, &status, &id, &graph, &nodes, &n));
    cr_expect(eq(int, status, CU_STREAM_CAPTURE_STATUS_ACTIVE));
    cr_expect(eq(sz, n, 1));
    cr_expect(eq(sz, count_nodes(graph), 1));
    /* Nodes that a caller adds are part of it, where the caller says so. */
    {
        CUgraphNode mine = add_affine(graph, nodes[0], 10, 0);

        OK(mock_cuStreamUpdateCaptureDependencies(one, &mine, 1,
                                                  CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    }
    OK(launch_affine(one, 10, 2));
    OK(mock_cuStreamGetCaptureInfo(one, &status, &next_id));
    cr_expect(eq(u64, next_id, id));
    cr_expect(eq(ptr, end_capture(one), graph));
    cr_expect(eq(sz, count_edges(graph), 2));
    OK(mock_cuGraphLaunch(instantiate(graph), one));
    cr_expect(eq(uint, value(), 102));
    begin_capture(one, GLOBAL);
    OK(mock_cuStreamGetCaptureInfo(one, &status, &next_id));
    cr_expect(ne(u64, next_id, id));
    end_capture(one);
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuStreamGetCaptureInfo(one, NULL, &id));
    EXPECT(CUDA_ERROR_ILLEGAL_STATE, mock_cuStreamUpdateCaptureDependencies(one, NULL, 0, 0));
}

Test(capture, dependencies_are_checked)
{
    CUgraph other = new_graph();
    CUgraphNode foreign = add_empty(other, NULL);

    begin_capture(one, GLOBAL);
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuStreamUpdateCaptureDependencies(one, &foreign, 1, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuStreamUpdateCaptureDependencies(one, NULL, 1, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuStreamUpdateCaptureDependencies(one, NULL, 0, 2));
    end_capture(one);
}

#if CUDA_VERSION >= 12030
Test(capture, a_graph_is_captured_to)
{
    CUgraph graph = new_graph(), result = NULL;
    CUgraphNode first = add_affine(graph, NULL, 1, 2), beside = add_empty(graph, NULL);
    const CUgraphEdgeData programmatic = {.from_port = 1, .type = 1};
    const CUgraphEdgeData *data = NULL;
    const CUgraphNode *nodes = NULL;
    CUstreamCaptureStatus status;
    size_t n = 0;

    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuStreamBeginCaptureToGraph(one, graph, NULL, NULL, 1, GLOBAL));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuStreamBeginCaptureToGraph(one, new_graph(), &first, NULL, 1, GLOBAL));
    OK(mock_cuStreamBeginCaptureToGraph(one, graph, &first, &programmatic, 1, GLOBAL));
    EXPECT(CUDA_ERROR_LOSSY_QUERY,
           mock_cuStreamGetCaptureInfo_v2(one, &status, NULL, NULL, &nodes, &n));
    OK(mock_cuStreamGetCaptureInfo_v3(one, &status, NULL, NULL, &nodes, &data, &n));
    cr_expect(eq(sz, n, 1));
    cr_expect(eq(ptr, nodes[0], first));
    cr_expect(eq(int, data[0].type, 1));
    OK(launch_affine(one, 10, 0));
    OK(mock_cuStreamUpdateCaptureDependencies_v2(one, &beside, NULL, 1,
                                                 CU_STREAM_ADD_CAPTURE_DEPENDENCIES));
    OK(launch_affine(one, 10, 1));
    OK(mock_cuStreamEndCapture(one, &result));
    cr_expect(eq(ptr, result, graph));
    cr_expect(eq(sz, count_nodes(graph), 4));
    cr_expect(eq(sz, count_edges(graph), 3));
    OK(mock_cuGraphLaunch(instantiate(graph), one));
    cr_expect(eq(uint, value(), 201));
    /* What goes wrong does not take the caller's graph along. */
    OK(mock_cuStreamBeginCaptureToGraph_ptsz(one, graph, NULL, NULL, 0, GLOBAL));
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, ask_alloc());
    end_badly(one, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    cr_expect(eq(sz, count_nodes(graph), 4));
}
#endif

#if CUDA_VERSION >= 11080
Test(capture, attributes_of_a_launch_are_captured)
{
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_PRIORITY};
    CUlaunchConfig config = {.gridDimX = 1,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = 1,
                             .blockDimY = 1,
                             .blockDimZ = 1,
                             .hStream = one,
                             .attrs = &attribute,
                             .numAttrs = 1};
    CUkernelNodeAttrValue got;
    struct affine a;
    CUgraphNode node;
    size_t n = 1;

    attribute.value.priority = -3;
    affine_params(&a, 1, 1);
    begin_capture(one, GLOBAL);
    OK(mock_cuLaunchKernelEx(&config, graphs_function, a.list, NULL));
    OK(mock_cuGraphGetNodes(end_capture(one), &node, &n));
    OK(mock_cuGraphKernelNodeGetAttribute(node, CU_LAUNCH_ATTRIBUTE_PRIORITY, &got));
    cr_expect(eq(int, got.priority, -3));
}
#endif

#if CUDA_VERSION >= 11070
Test(capture, a_kernel_has_the_priority_of_its_stream)
{
    CUkernelNodeAttrValue got;
    CUgraphNode node;
    CUstream stream;
    size_t n = 1;

    OK(mock_cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, -2));
    begin_capture(stream, GLOBAL);
    OK(launch_affine(stream, 1, 1));
    OK(mock_cuGraphGetNodes(end_capture(stream), &node, &n));
    OK(mock_cuGraphKernelNodeGetAttribute(node, (CUkernelNodeAttrID) 8, &got));
    cr_expect(eq(int, got.priority, -2));
}
#endif

#if CUDA_VERSION >= 12000
Test(capture, operations_on_values_are_captured)
{
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
    CUgraphNode node;
    CUgraph graph;
    size_t n = 1;

    begin_capture(one, GLOBAL);
    OK(mock_cuStreamWriteValue32_v2(one, word, 6, 0));
    OK(mock_cuStreamWaitValue32_v2(one, word, 6, CU_STREAM_WAIT_VALUE_EQ));
    OK(launch_affine(one, 7, 0));
    graph = end_capture(one);
    OK(mock_cuGraphGetRootNodes(graph, &node, &n));
    OK(mock_cuGraphNodeGetType(node, &type));
    cr_expect(eq(int, type, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP));
    cr_expect(eq(uint, value(), 0));
    OK(mock_cuGraphLaunch(instantiate(graph), one));
    cr_expect(eq(uint, value(), 42));
    silent();
}
#endif

Test(capture, mistakes_in_arguments_do_not_end_a_capture)
{
    begin_capture(one, GLOBAL);
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemsetD32Async(word, 0, 1000, one));
    OK(launch_affine(one, 1, 1));
    cr_expect(eq(sz, count_nodes(end_capture(one)), 1));
}

Test(capture, a_stream_or_context_that_goes_ends_a_capture)
{
    const size_t before = cushim_mock_leaks();
    CUcontext context, first;
    CUstream stream;

    begin_capture(one, GLOBAL);
    OK(launch_affine(one, 1, 1));
    OK(join(one, two));
    OK(mock_cuStreamDestroy_v2(one));
    cr_expect(eq(int, status_of(two), CU_STREAM_CAPTURE_STATUS_NONE));
    OK(mock_cuCtxGetCurrent(&first));
    OK(mock_cuCtxCreate_v2(&context, 0, 0));
    OK(mock_cuStreamCreate(&stream, 0));
    begin_capture(stream, GLOBAL);
    OK(mock_cuCtxDestroy_v2(context));
    OK(mock_cuCtxSetCurrent(first));
    OK(ask_alloc());
    cushim_mock_findings_clear();
    /* One stream less, one allocation more. */
    cr_expect(eq(sz, cushim_mock_leaks(), before));
}
