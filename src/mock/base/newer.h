/* SPDX-License-Identifier: MIT */
/*
 * Functions whose types are old, and which only newer toolkits declare: so they are defined with
 * whatever toolkit the mock is built. Of a newer one, the generated header has their prototypes.
 */
#ifndef CUSHIM_MOCK_BASE_NEWER_H
#define CUSHIM_MOCK_BASE_NEWER_H

#include "mock/base/state.h"

#if CUDA_VERSION < 13010
CUresult mock_cuGraphGetId(CUgraph hGraph, unsigned int *graphId);
CUresult mock_cuGraphExecGetId(CUgraphExec hGraphExec, unsigned int *graphId);
CUresult mock_cuGraphNodeGetLocalId(CUgraphNode hNode, unsigned int *nodeId);
CUresult mock_cuGraphNodeGetToolsId(CUgraphNode hNode, unsigned long long *toolsNodeId);
CUresult mock_cuGraphNodeGetContainingGraph(CUgraphNode hNode, CUgraph *phGraph);
CUresult mock_cuMulticastBindMem_v2(CUmemGenericAllocationHandle mcHandle, CUdevice dev,
                                    size_t mcOffset, CUmemGenericAllocationHandle memHandle,
                                    size_t memOffset, size_t size, unsigned long long flags);
CUresult mock_cuMulticastBindAddr_v2(CUmemGenericAllocationHandle mcHandle, CUdevice dev,
                                     size_t mcOffset, CUdeviceptr memptr, size_t size,
                                     unsigned long long flags);
#if CUDA_VERSION >= 12040
CUresult mock_cuStreamGetDevResource(CUstream hStream, CUdevResource *resource,
                                     CUdevResourceType type);
#endif
#endif

#if CUDA_VERSION < 13020
CUresult mock_cuFuncGetParamCount(CUfunction func, size_t *paramCount);
#if CUDA_VERSION >= 12000
CUresult mock_cuKernelGetParamCount(CUkernel kernel, size_t *paramCount);
#endif
CUresult mock_cuLaunchHostFunc_v2(CUstream hStream, CUhostFn fn, void *userData,
                                  unsigned int syncMode);
#if CUDA_VERSION >= 12020
CUresult mock_cuGraphNodeGetParams(CUgraphNode hNode, CUgraphNodeParams *nodeParams);
#endif
#if CUDA_VERSION >= 12080
CUresult mock_cuMemcpyWithAttributesAsync(CUdeviceptr dst, CUdeviceptr src, size_t size,
                                          CUmemcpyAttributes *attr, CUstream hStream);
CUresult mock_cuMemcpy3DWithAttributesAsync(CUDA_MEMCPY3D_BATCH_OP *op, unsigned long long flags,
                                            CUstream hStream);
#endif
#endif

#if CUDA_VERSION < 13040
CUresult mock_cuMemGetLocationInfo(CUdeviceptr ptr, size_t size, size_t summaryGranularity,
                                   size_t samplingGranularity, CUmemLocation *location_out);
#endif

#endif
