/* SPDX-License-Identifier: MIT */
/* The part of cu.h for stream capture and graphs. */
#ifndef CUSHIM_CORE_CU_CU_GRAPH_H
#define CUSHIM_CORE_CU_CU_GRAPH_H

#include "core/cu/cu.h"

#ifndef CUSHIM__CU_CHECK
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUgraphNode_st *CUgraphNode;
#endif

/* X(exported name, parameters). */
#define CUSHIM__CU_GRAPH_MAP(X)                                                                    \
    X(cuStreamBeginCapture_v2, (CUstream, CU_ENUM(CUstreamCaptureMode)))                           \
    X(cuThreadExchangeStreamCaptureMode, (CU_ENUM(CUstreamCaptureMode) *) )                        \
    X(cuStreamGetCaptureInfo_v2, (CUstream, CU_ENUM(CUstreamCaptureStatus) *, uint64_t *,          \
                                  CUgraph *, const CUgraphNode **, size_t *) )                     \
    X(cuStreamUpdateCaptureDependencies, (CUstream, CUgraphNode *, size_t, unsigned) )             \
    X(cuEventRecordWithFlags, (CUevent, CUstream, unsigned) )                                      \
    X(cuGraphAddEmptyNode, (CUgraphNode *, CUgraph, const CUgraphNode *, size_t))                  \
    X(cuGraphAddChildGraphNode, (CUgraphNode *, CUgraph, const CUgraphNode *, size_t, CUgraph))    \
    X(cuGraphGetNodes, (CUgraph, CUgraphNode *, size_t *) )                                        \
    X(cuStreamEndCapture, (CUstream, CUgraph *) )                                                  \
    X(cuGraphInstantiateWithFlags, (CUgraphExec *, CUgraph, unsigned long long) )                  \
    X(cuGraphLaunch, (CUgraphExec, CUstream))                                                      \
    X(cuGraphUpload, (CUgraphExec, CUstream))                                                      \
    X(cuGraphDestroy, (CUgraph))                                                                   \
    X(cuGraphExecDestroy, (CUgraphExec))

#define CUSHIM__CU_GRAPH_FN(name, parameters) typedef CU_ENUM(CUresult) cu_fn_##name parameters;
CUSHIM__CU_GRAPH_MAP(CUSHIM__CU_GRAPH_FN)
#undef CUSHIM__CU_GRAPH_FN

#define CUSHIM__CU_GRAPH_CONSTANT_MAP(X)                                                           \
    X(CU_STREAM_CAPTURE_MODE_GLOBAL, 0)                                                            \
    X(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, 1)                                                      \
    X(CU_STREAM_CAPTURE_MODE_RELAXED, 2)                                                           \
    X(CU_STREAM_SET_CAPTURE_DEPENDENCIES, 1)                                                       \
    X(CU_EVENT_RECORD_EXTERNAL, 1)                                                                 \
    X(CU_EVENT_WAIT_EXTERNAL, 1)

#ifndef CUSHIM__CU_CHECK
enum {
#define CUSHIM__CU_CONSTANT(name, value) name = (value),
    CUSHIM__CU_GRAPH_CONSTANT_MAP(CUSHIM__CU_CONSTANT)
#undef CUSHIM__CU_CONSTANT
};
#endif

#endif
