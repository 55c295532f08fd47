/* SPDX-License-Identifier: MIT */
/* cuStreamBeginCapture*, cuStreamEndCapture, cuStreamIsCapturing, cuStreamGetCaptureInfo* */
#include "mock/base/state.h"
#include "mock/stream/capture.h"
#include "mock/stream/stream.h"

static CUresult begin(CUstream hStream, int mode)
{
    struct mock__stream *stream = NULL;

    MOCK__ENTER_INHERITED();
    MOCK__TRY(mock__stream_find(hStream, &stream));
    return mock__capture_begin(stream, mode, NULL, NULL, NULL, 0);
}

/* The first version of this function has no mode, and behaves like the global mode. */
CUresult mock_cuStreamBeginCapture(CUstream hStream)
{
    return begin(hStream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}

CUresult mock_cuStreamBeginCapture_v2(CUstream hStream, CUstreamCaptureMode mode)
{
    return begin(hStream, (int) mode);
}

#if CUDA_VERSION >= 12030
CUresult mock_cuStreamBeginCaptureToGraph(CUstream hStream, CUgraph hGraph,
                                          const CUgraphNode *dependencies,
                                          const CUgraphEdgeData *dependencyData,
                                          size_t numDependencies, CUstreamCaptureMode mode)
{
    struct mock__stream *stream = NULL;
    struct mock__graph *graph = NULL;

    MOCK__ENTER_EARLY();
    MOCK__TRY(mock__graph_find(hGraph, &graph));
    MOCK__TRY(mock__stream_find(hStream, &stream));
    return mock__capture_begin(stream, (int) mode, graph, dependencies,
                               (const struct mock__edge_data *) dependencyData, numDependencies);
}
#endif

CUresult mock_cuStreamEndCapture(CUstream hStream, CUgraph *phGraph)
{
    struct mock__stream *stream = NULL;
    struct mock__graph *graph = NULL;
    CUresult result;

    MOCK__ENTER_INHERITED();
    MOCK__TRY(mock__stream_find(hStream, &stream));
    result = mock__capture_end(stream, &graph);
    /* A graph that the caller gave to the capture was made by another function. */
    if (graph && !graph->object.made.function)
        mock__made(&graph->object.made, "cuStreamEndCapture");
    if (phGraph)
        *phGraph = graph ? MOCK__HANDLE(graph) : NULL;
    return result;
}

/* --- information about a capture --- */

/* The outputs of a query. Each of them may be NULL except status. */
struct info {
    CUstreamCaptureStatus *status;
    cuuint64_t *id;
    CUgraph *graph;
    const CUgraphNode **nodes;
    const struct mock__edge_data **data;
    size_t *n;
    bool without_data; /* the function has no output for the data of edges */
};

static CUstreamCaptureStatus status_of(const struct mock__stream *stream)
{
    if (!stream->capture)
        return CU_STREAM_CAPTURE_STATUS_NONE;
    return stream->capture->invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                    : CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

static void fill_in(const struct info *info, const struct mock__stream *stream)
{
    if (info->id)
        *info->id = stream->capture->id;
    if (info->graph)
        *info->graph = MOCK__HANDLE(stream->capture->graph);
    if (info->nodes)
        *info->nodes = stream->dependencies.n ? stream->dependencies.nodes : NULL;
    if (info->data)
        *info->data = stream->dependencies.n ? stream->dependencies.data : NULL;
    if (info->n)
        *info->n = stream->dependencies.n;
}

static CUresult get_info(CUstream hStream, const struct info *info)
{
    struct mock__stream *stream = NULL;

    MOCK__ENTER_INHERITED();
    MOCK__REQUIRE(info->status && (info->nodes || !info->data), CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__stream_find(hStream, &stream));
    MOCK__REQUIRE(!mock__capture_implied(stream), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    MOCK__REQUIRE(!info->without_data || !info->nodes ||
                      !mock__capture_dependencies_has_data(&stream->dependencies),
                  MOCK__LOSSY_QUERY);
    *info->status = status_of(stream);
    if (*info->status == CU_STREAM_CAPTURE_STATUS_ACTIVE)
        fill_in(info, stream);
    return CUDA_SUCCESS;
}

CUresult mock_cuStreamIsCapturing(CUstream hStream, CUstreamCaptureStatus *captureStatus)
{
    return get_info(hStream, &(struct info){.status = captureStatus});
}

CUresult mock_cuStreamGetCaptureInfo(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
                                     cuuint64_t *id_out)
{
    return get_info(hStream, &(struct info){.status = captureStatus_out, .id = id_out});
}

static struct info info_without_data(CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
                                     const CUgraphNode **nodes, size_t *n)
{
    return (struct info){
        .status = status, .id = id, .graph = graph, .nodes = nodes, .n = n, .without_data = true};
}

CUresult mock_cuStreamGetCaptureInfo_v2(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
                                        cuuint64_t *id_out, CUgraph *graph_out,
                                        const CUgraphNode **dependencies_out,
                                        size_t *numDependencies_out)
{
    const struct info info = info_without_data(captureStatus_out, id_out, graph_out,
                                               dependencies_out, numDependencies_out);

    return get_info(hStream, &info);
}

#if CUDA_VERSION >= 12030
static struct info info_with_data(CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
                                  const CUgraphNode **nodes, const CUgraphEdgeData **data,
                                  size_t *n)
{
    return (struct info){.status = status,
                         .id = id,
                         .graph = graph,
                         .nodes = nodes,
                         .data = (const struct mock__edge_data **) data,
                         .n = n,
                         .without_data = !data};
}

CUresult mock_cuStreamGetCaptureInfo_v3(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
                                        cuuint64_t *id_out, CUgraph *graph_out,
                                        const CUgraphNode **dependencies_out,
                                        const CUgraphEdgeData **edgeData_out,
                                        size_t *numDependencies_out)
{
    const struct info info = info_with_data(captureStatus_out, id_out, graph_out, dependencies_out,
                                            edgeData_out, numDependencies_out);

    return get_info(hStream, &info);
}
#endif

/* --- changing the dependencies of the next node --- */

static CUresult update_dependencies(CUstream hStream, const CUgraphNode *nodes,
                                    const struct mock__edge_data *data, size_t n, unsigned flags)
{
    struct mock__stream *stream = NULL;

    MOCK__ENTER_INHERITED();
    MOCK__TRY(mock__stream_find(hStream, &stream));
    MOCK__REQUIRE(flags <= CU_STREAM_SET_CAPTURE_DEPENDENCIES && (nodes || !n),
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__capture_check(stream));
    MOCK__REQUIRE(stream->capture, CUDA_ERROR_ILLEGAL_STATE);
    return mock__capture_depend(stream, nodes, data, n,
                                flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES);
}

CUresult mock_cuStreamUpdateCaptureDependencies(CUstream hStream, CUgraphNode *dependencies,
                                                size_t numDependencies, unsigned int flags)
{
    return update_dependencies(hStream, dependencies, NULL, numDependencies, flags);
}

#if CUDA_VERSION >= 12030
CUresult mock_cuStreamUpdateCaptureDependencies_v2(CUstream hStream, CUgraphNode *dependencies,
                                                   const CUgraphEdgeData *dependencyData,
                                                   size_t numDependencies, unsigned int flags)
{
    return update_dependencies(hStream, dependencies,
                               (const struct mock__edge_data *) dependencyData, numDependencies,
                               flags);
}
#endif
