/* SPDX-License-Identifier: MIT */
/* The structures of graphs, of launches and of batches. */
#include "shapes.h"

#include "objects.h"

#define KERNEL_FIELDS(type)                                                                        \
    FIELD(type, func, FUNCTION), FIELD(type, gridDimX, EXTENT(1)),                                 \
        FIELD(type, gridDimY, EXTENT(1)), FIELD(type, gridDimZ, EXTENT(1)),                        \
        FIELD(type, blockDimX, EXTENT(1)), FIELD(type, blockDimY, EXTENT(1)),                      \
        FIELD(type, blockDimZ, EXTENT(1)), FIELD(type, sharedMemBytes, NUMBER(0)),                 \
        FIELD(type, kernelParams, NOTHING), FIELD(type, extra, NOTHING)

#define PARAMS CUDA_KERNEL_NODE_PARAMS_v2
SHAPE(kernel_params_v1, CUDA_KERNEL_NODE_PARAMS_v1, KERNEL_FIELDS(CUDA_KERNEL_NODE_PARAMS_v1));
SHAPE(kernel_params, PARAMS, KERNEL_FIELDS(PARAMS), FIELD(PARAMS, kern, NOTHING),
      FIELD(PARAMS, ctx, CONTEXT));
#undef PARAMS

#define PARAMS CUDA_MEMSET_NODE_PARAMS
SHAPE(set_params, PARAMS, FIELD(PARAMS, dst, MEMORY), FIELD(PARAMS, pitch, SIZE(0)),
      FIELD(PARAMS, value, WORD(1)), FIELD(PARAMS, elementSize, CHOICE(1, 0, 8)),
      FIELD(PARAMS, width, SIZE(64)), FIELD(PARAMS, height, SIZE(1)));
#undef PARAMS

SHAPE(host_params, CUDA_HOST_NODE_PARAMS, FIELD(CUDA_HOST_NODE_PARAMS, fn, CALLBACK),
      FIELD(CUDA_HOST_NODE_PARAMS, userData, POINTER));

#define WRITE CUstreamBatchMemOpParams
SHAPE(batch_write, WRITE, FIELD(WRITE, operation, CHOICE(CU_STREAM_MEM_OP_WRITE_VALUE_32, 0, 8)),
      FIELD(WRITE, writeValue.address, MEMORY), FIELD(WRITE, writeValue.value, WORD(0)),
      FIELD(WRITE, writeValue.flags, FLAGS(0, 4)), FIELD(WRITE, writeValue.alias, WORD(0)));

#define PARAMS CUDA_BATCH_MEM_OP_NODE_PARAMS
SHAPE(batch_params, PARAMS, FIELD(PARAMS, ctx, CONTEXT), FIELD(PARAMS, count, COUNT(1)),
      FIELD(PARAMS, paramArray, IN(batch_write)), FIELD(PARAMS, flags, FLAGS(0, 2)));
#undef PARAMS

#define PARAMS CUDA_MEM_ALLOC_NODE_PARAMS
SHAPE(alloc_params, PARAMS,
      FIELD(PARAMS, poolProps.allocType, CHOICE(CU_MEM_ALLOCATION_TYPE_PINNED, 0, 2)),
      FIELD(PARAMS, poolProps.handleTypes, FLAGS(0, 4)),
      FIELD(PARAMS, poolProps.location.type, CHOICE(CU_MEM_LOCATION_TYPE_DEVICE, 0, 4)),
      FIELD(PARAMS, poolProps.location.id, DEVICE), FIELD(PARAMS, accessDescs, IN(access_desc)),
      FIELD(PARAMS, accessDescCount, COUNT(1)), FIELD(PARAMS, bytesize, SIZE(64)));
#undef PARAMS

#define PARAMS CUDA_GRAPH_INSTANTIATE_PARAMS
SHAPE(instantiate_params, PARAMS, FIELD(PARAMS, flags, FLAGS64(0, 5)),
      FIELD(PARAMS, hUploadStream, STREAM));
#undef PARAMS

#define PARAMS CUgraphNodeParams
#define ANY(label, number, ...)                                                                    \
    SHAPE(label, PARAMS, FIELD(PARAMS, type, CHOICE(number, 0, 14)),                               \
          FIELD(PARAMS, reserved0[0], WORD(0)), FIELD(PARAMS, reserved2, WORD(0)), __VA_ARGS__)
ANY(any_params_kernel, CU_GRAPH_NODE_TYPE_KERNEL, FIELD(PARAMS, kernel.func, FUNCTION),
    FIELD(PARAMS, kernel.gridDimX, EXTENT(1)), FIELD(PARAMS, kernel.gridDimY, FIXED(1)),
    FIELD(PARAMS, kernel.gridDimZ, FIXED(1)), FIELD(PARAMS, kernel.blockDimX, EXTENT(1)),
    FIELD(PARAMS, kernel.blockDimY, FIXED(1)), FIELD(PARAMS, kernel.blockDimZ, FIXED(1)),
    FIELD(PARAMS, kernel.sharedMemBytes, NUMBER(0)), FIELD(PARAMS, kernel.kern, NOTHING),
    FIELD(PARAMS, kernel.ctx, CONTEXT));
ANY(any_params_copy, CU_GRAPH_NODE_TYPE_MEMCPY, FIELD(PARAMS, memcpy.flags, FLAGS(0, 2)),
    FIELD(PARAMS, memcpy.copyCtx, CONTEXT),
    FIELD(PARAMS, memcpy.copyParams.srcMemoryType, CHOICE(CU_MEMORYTYPE_DEVICE, 1, 4)),
    FIELD(PARAMS, memcpy.copyParams.srcDevice, MEMORY),
    FIELD(PARAMS, memcpy.copyParams.dstMemoryType, CHOICE(CU_MEMORYTYPE_DEVICE, 1, 4)),
    FIELD(PARAMS, memcpy.copyParams.dstDevice, MEMORY),
    FIELD(PARAMS, memcpy.copyParams.WidthInBytes, SIZE(64)),
    FIELD(PARAMS, memcpy.copyParams.Height, SIZE(1)),
    FIELD(PARAMS, memcpy.copyParams.Depth, SIZE(1)));
ANY(any_params_set, CU_GRAPH_NODE_TYPE_MEMSET, FIELD(PARAMS, memset.dst, MEMORY),
    FIELD(PARAMS, memset.pitch, SIZE(0)), FIELD(PARAMS, memset.elementSize, CHOICE(1, 0, 8)),
    FIELD(PARAMS, memset.width, SIZE(64)), FIELD(PARAMS, memset.height, SIZE(1)),
    FIELD(PARAMS, memset.ctx, CONTEXT));
ANY(any_params_host, CU_GRAPH_NODE_TYPE_HOST, FIELD(PARAMS, host.fn, CALLBACK),
    FIELD(PARAMS, host.userData, POINTER));
ANY(any_params_child, CU_GRAPH_NODE_TYPE_GRAPH, FIELD(PARAMS, graph.graph, CHILD_GRAPH),
    FIELD(PARAMS, graph.ownership, CHOICE(0, 0, 1)));
ANY(any_params_event, CU_GRAPH_NODE_TYPE_EVENT_RECORD, FIELD(PARAMS, eventRecord.event, EVENT));
ANY(any_params_alloc, CU_GRAPH_NODE_TYPE_MEM_ALLOC,
    FIELD(PARAMS, alloc.poolProps.allocType, CHOICE(CU_MEM_ALLOCATION_TYPE_PINNED, 0, 2)),
    FIELD(PARAMS, alloc.poolProps.location.type, CHOICE(CU_MEM_LOCATION_TYPE_DEVICE, 0, 4)),
    FIELD(PARAMS, alloc.poolProps.location.id, DEVICE), FIELD(PARAMS, alloc.bytesize, SIZE(64)));
ANY(any_params_condition, CU_GRAPH_NODE_TYPE_CONDITIONAL,
    FIELD(PARAMS, conditional.handle, CONDITION), FIELD(PARAMS, conditional.type, CHOICE(0, 0, 2)),
    FIELD(PARAMS, conditional.size, CHOICE(1, 0, 3)),
    FIELD(PARAMS, conditional.phGraph_out, NOTHING), FIELD(PARAMS, conditional.ctx, CONTEXT));
#undef PARAMS

SHAPE(edge_data, CUgraphEdgeData, FIELD(CUgraphEdgeData, from_port, CHOICE(0, 0, 4)),
      FIELD(CUgraphEdgeData, to_port, CHOICE(0, 0, 2)),
      FIELD(CUgraphEdgeData, type, CHOICE(0, 0, 2)),
      FIELD(CUgraphEdgeData, reserved[0], CHOICE(0, 0, 1)));

#define ATTRIBUTE CUlaunchAttribute
SHAPE(launch_attribute, ATTRIBUTE,
      FIELD(ATTRIBUTE, id, CHOICE(CU_LAUNCH_ATTRIBUTE_COOPERATIVE, 0, 20)),
      FIELD(ATTRIBUTE, value.cooperative, CHOICE(0, 0, 2)));

#define CONFIG CUlaunchConfig
SHAPE(launch_config, CONFIG, FIELD(CONFIG, gridDimX, EXTENT(1)), FIELD(CONFIG, gridDimY, EXTENT(1)),
      FIELD(CONFIG, gridDimZ, EXTENT(1)), FIELD(CONFIG, blockDimX, EXTENT(1)),
      FIELD(CONFIG, blockDimY, EXTENT(1)), FIELD(CONFIG, blockDimZ, EXTENT(1)),
      FIELD(CONFIG, sharedMemBytes, NUMBER(0)), FIELD(CONFIG, hStream, STREAM),
      FIELD(CONFIG, attrs, IN(launch_attribute)), FIELD(CONFIG, numAttrs, COUNT(1)));

#define LAUNCH  CUDA_LAUNCH_PARAMS
#define CLUSTER CUlaunchAttribute
extern const struct shape cluster_attribute;
SHAPE(cluster_attribute, CLUSTER,
      FIELD(CLUSTER, id, CHOICE(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, 4, 5)),
      FIELD(CLUSTER, value.clusterDim.x, EXTENT(2)), FIELD(CLUSTER, value.clusterDim.y, EXTENT(1)),
      FIELD(CLUSTER, value.clusterDim.z, EXTENT(1)));
SHAPE(cluster_config, CONFIG, FIELD(CONFIG, gridDimX, EXTENT(8)),
      FIELD(CONFIG, gridDimY, EXTENT(1)), FIELD(CONFIG, gridDimZ, EXTENT(1)),
      FIELD(CONFIG, blockDimX, EXTENT(64)), FIELD(CONFIG, blockDimY, EXTENT(1)),
      FIELD(CONFIG, blockDimZ, EXTENT(1)), FIELD(CONFIG, sharedMemBytes, NUMBER(0)),
      FIELD(CONFIG, hStream, STREAM), FIELD(CONFIG, attrs, IN(cluster_attribute)),
      FIELD(CONFIG, numAttrs, COUNT(1)));

SHAPE(multi_launch, LAUNCH, FIELD(LAUNCH, function, FUNCTION), FIELD(LAUNCH, gridDimX, EXTENT(1)),
      FIELD(LAUNCH, gridDimY, EXTENT(1)), FIELD(LAUNCH, gridDimZ, EXTENT(1)),
      FIELD(LAUNCH, blockDimX, EXTENT(1)), FIELD(LAUNCH, blockDimY, EXTENT(1)),
      FIELD(LAUNCH, blockDimZ, EXTENT(1)), FIELD(LAUNCH, sharedMemBytes, NUMBER(0)),
      FIELD(LAUNCH, hStream, STREAM), FIELD(LAUNCH, kernelParams, NOTHING));

#define ATTRIBUTES CUmemcpyAttributes
SHAPE(copy_attributes, ATTRIBUTES,
      FIELD(ATTRIBUTES, srcAccessOrder, CHOICE(CU_MEMCPY_SRC_ACCESS_ORDER_STREAM, 0, 3)),
      FIELD(ATTRIBUTES, srcLocHint.type, CHOICE(0, 0, 4)), FIELD(ATTRIBUTES, srcLocHint.id, DEVICE),
      FIELD(ATTRIBUTES, dstLocHint.type, CHOICE(0, 0, 4)), FIELD(ATTRIBUTES, dstLocHint.id, DEVICE),
      FIELD(ATTRIBUTES, flags, FLAGS(0, 3)));

#define OP CUDA_MEMCPY3D_BATCH_OP
#define OPERAND(side)                                                                              \
    FIELD(OP, side.type, CHOICE(CU_MEMCPY_OPERAND_TYPE_POINTER, 0, 3)),                            \
        FIELD(OP, side.op.ptr.ptr, MEMORY), FIELD(OP, side.op.ptr.rowLength, SIZE(0)),             \
        FIELD(OP, side.op.ptr.layerHeight, SIZE(0)),                                               \
        FIELD(OP, side.op.ptr.locHint.type, CHOICE(0, 0, 4)),                                      \
        FIELD(OP, side.op.ptr.locHint.id, DEVICE)
SHAPE(copy_3d_batch, OP, OPERAND(src), OPERAND(dst), FIELD(OP, extent.width, SIZE(16)),
      FIELD(OP, extent.height, SIZE(2)), FIELD(OP, extent.depth, SIZE(1)),
      FIELD(OP, srcAccessOrder, CHOICE(CU_MEMCPY_SRC_ACCESS_ORDER_STREAM, 0, 3)),
      FIELD(OP, flags, FLAGS(0, 3)));

SHAPE(stream_attribute, CUlaunchAttributeValue,
      FIELD(CUlaunchAttributeValue, syncPolicy, CHOICE(1, 0, 5)));
SHAPE(kernel_attribute, CUlaunchAttributeValue,
      FIELD(CUlaunchAttributeValue, cooperative, CHOICE(0, 0, 2)));
