/* SPDX-License-Identifier: MIT */
/* The part of cu.h for stream capture and graphs. */
#ifndef CUSHIM_CORE_CU_CU_GRAPH_H
#define CUSHIM_CORE_CU_CU_GRAPH_H

#include "core/cu/cu.h"
#include "core/cu/cu_memory.h"

#ifndef CUSHIM__CU_CHECK
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUgraphNode_st *CUgraphNode;
#endif

/* CUDA_KERNEL_NODE_PARAMS as in its first version, which every driver takes. */
struct cushim__cu_kernel_node {
    CUfunction function;
    unsigned grid[3], block[3];
    unsigned shared_bytes;
    void **values;
    void **extra;
};

/* CUDA_MEMSET_NODE_PARAMS */
struct cushim__cu_fill_node {
    CUdeviceptr address;
    size_t pitch;
    unsigned value, element;
    size_t width, height;
};

/* CUDA_HOST_NODE_PARAMS in its first version */
struct cushim__cu_host_node {
    void (*function)(void *user);
    void *user;
};

/* CUgraphNodeParams of a conditional node */
struct cushim__cu_conditional_node {
    int kind;
    int reserved[3];
    uint64_t handle;
    int type;
    unsigned n_bodies;
    CUgraph *bodies; /* set by the driver, which has the array */
    CUcontext context;
    long long more[26];
};

#define CU_ANY_NODE    CU_TYPE(CUgraphNodeParams, struct cushim__cu_conditional_node)
#define CU_KERNEL_NODE CU_TYPE(CUDA_KERNEL_NODE_PARAMS_v1, struct cushim__cu_kernel_node)
#define CU_FILL_NODE   CU_TYPE(CUDA_MEMSET_NODE_PARAMS, struct cushim__cu_fill_node)
#define CU_HOST_NODE   CU_TYPE(CUDA_HOST_NODE_PARAMS, struct cushim__cu_host_node)
#define CU_COPY_NODE   CU_TYPE(CUDA_MEMCPY3D, struct cushim__cu_copy)

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
    X(cuGraphAddDependencies, (CUgraph, const CUgraphNode *, const CUgraphNode *, size_t))         \
    X(cuGraphNodeGetType, (CUgraphNode, CU_ENUM(CUgraphNodeType) *) )                              \
    X(cuGraphKernelNodeGetParams, (CUgraphNode, CU_KERNEL_NODE *) )                                \
    X(cuGraphKernelNodeSetParams, (CUgraphNode, const CU_KERNEL_NODE *) )                          \
    X(cuGraphExecKernelNodeSetParams, (CUgraphExec, CUgraphNode, const CU_KERNEL_NODE *) )         \
    X(cuGraphMemcpyNodeGetParams, (CUgraphNode, CU_COPY_NODE *) )                                  \
    X(cuGraphMemcpyNodeSetParams, (CUgraphNode, const CU_COPY_NODE *) )                            \
    X(cuGraphExecMemcpyNodeSetParams, (CUgraphExec, CUgraphNode, const CU_COPY_NODE *, CUcontext)) \
    X(cuGraphMemsetNodeGetParams, (CUgraphNode, CU_FILL_NODE *) )                                  \
    X(cuGraphMemsetNodeSetParams, (CUgraphNode, const CU_FILL_NODE *) )                            \
    X(cuGraphExecMemsetNodeSetParams, (CUgraphExec, CUgraphNode, const CU_FILL_NODE *, CUcontext)) \
    X(cuGraphHostNodeGetParams, (CUgraphNode, CU_HOST_NODE *) )                                    \
    X(cuGraphHostNodeSetParams, (CUgraphNode, const CU_HOST_NODE *) )                              \
    X(cuGraphExecHostNodeSetParams, (CUgraphExec, CUgraphNode, const CU_HOST_NODE *) )             \
    X(cuGraphEventRecordNodeGetEvent, (CUgraphNode, CUevent *) )                                   \
    X(cuGraphEventRecordNodeSetEvent, (CUgraphNode, CUevent))                                      \
    X(cuGraphExecEventRecordNodeSetEvent, (CUgraphExec, CUgraphNode, CUevent))                     \
    X(cuGraphEventWaitNodeGetEvent, (CUgraphNode, CUevent *) )                                     \
    X(cuGraphEventWaitNodeSetEvent, (CUgraphNode, CUevent))                                        \
    X(cuGraphExecEventWaitNodeSetEvent, (CUgraphExec, CUgraphNode, CUevent))                       \
    X(cuGraphNodeSetEnabled, (CUgraphExec, CUgraphNode, unsigned) )                                \
    X(cuGraphNodeGetEnabled, (CUgraphExec, CUgraphNode, unsigned *) )                              \
    X(cuGraphGetNodes, (CUgraph, CUgraphNode *, size_t *) )                                        \
    X(cuStreamEndCapture, (CUstream, CUgraph *) )                                                  \
    X(cuGraphInstantiateWithFlags, (CUgraphExec *, CUgraph, unsigned long long) )                  \
    X(cuGraphLaunch, (CUgraphExec, CUstream))                                                      \
    X(cuGraphUpload, (CUgraphExec, CUstream))                                                      \
    X(cuGraphDestroy, (CUgraph))                                                                   \
    X(cuGraphExecDestroy, (CUgraphExec))

/* Those that headers before CUDA 12.3 do not have. */
#define CUSHIM__CU_GRAPH_LATER_MAP(X)                                                              \
    X(cuGraphConditionalHandleCreate, (uint64_t *, CUgraph, CUcontext, unsigned, unsigned) )       \
    X(cuGraphAddNode, (CUgraphNode *, CUgraph, const CUgraphNode *, size_t, CU_ANY_NODE *) )       \
    X(cuStreamBeginCaptureToGraph,                                                                 \
      (CUstream, CUgraph, const CUgraphNode *, const CU_TYPE(CUgraphEdgeData, void) *, size_t,     \
       CU_ENUM(CUstreamCaptureMode)))

#define CUSHIM__CU_GRAPH_FN(name, parameters) typedef CU_ENUM(CUresult) cu_fn_##name parameters;
CUSHIM__CU_GRAPH_MAP(CUSHIM__CU_GRAPH_FN)
#if !defined(CUSHIM__CU_CHECK) || CUDA_VERSION >= 12030
CUSHIM__CU_GRAPH_LATER_MAP(CUSHIM__CU_GRAPH_FN)
#endif
#undef CUSHIM__CU_GRAPH_FN

#define CUSHIM__CU_GRAPH_CONSTANT_MAP(X)                                                           \
    X(CU_STREAM_CAPTURE_MODE_GLOBAL, 0)                                                            \
    X(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, 1)                                                      \
    X(CU_STREAM_CAPTURE_MODE_RELAXED, 2)                                                           \
    X(CU_STREAM_SET_CAPTURE_DEPENDENCIES, 1)                                                       \
    X(CU_EVENT_RECORD_EXTERNAL, 1)                                                                 \
    X(CU_EVENT_WAIT_EXTERNAL, 1)                                                                   \
    X(CU_GRAPH_NODE_TYPE_KERNEL, 0)                                                                \
    X(CU_GRAPH_NODE_TYPE_MEMCPY, 1)                                                                \
    X(CU_GRAPH_NODE_TYPE_MEMSET, 2)                                                                \
    X(CU_GRAPH_NODE_TYPE_HOST, 3)                                                                  \
    X(CU_GRAPH_NODE_TYPE_GRAPH, 4)                                                                 \
    X(CU_GRAPH_NODE_TYPE_EMPTY, 5)                                                                 \
    X(CU_GRAPH_NODE_TYPE_WAIT_EVENT, 6)                                                            \
    X(CU_GRAPH_NODE_TYPE_EVENT_RECORD, 7)

#ifndef CUSHIM__CU_CHECK
enum {
#define CUSHIM__CU_CONSTANT(name, value) name = (value),
    CUSHIM__CU_GRAPH_CONSTANT_MAP(CUSHIM__CU_CONSTANT)
#undef CUSHIM__CU_CONSTANT
};
#endif

/* Newer than the oldest headers. */
enum {
    CUSHIM__CU_NODE_ALLOCATION = 10,
    CUSHIM__CU_NODE_FREE = 11,
    CUSHIM__CU_NODE_CONDITIONAL = 13,
    CUSHIM__CU_CONDITION_IF = 0,
    CUSHIM__CU_CONDITION_WHILE = 1,
    CUSHIM__CU_CONDITION_SWITCH = 2,
    CUSHIM__CU_CONDITION_ASSIGN_DEFAULT = 1,
};

#endif
