/* SPDX-License-Identifier: MIT */
/* core/cu/cu_module.h and core/cu/cu_graph.h against the real cuda.h: compiling this is the test.
 */
#include <cushim/table.h>
#include <stddef.h>
#include <stdio.h>

/* What older headers do not know has no function that could differ. */
#if CUDA_VERSION < 12000
typedef struct CUlib_st *CUlibrary;
typedef struct CUkern_st *CUkernel;
typedef int CUlibraryOption;
#endif

#define CUSHIM__CU_CHECK
#define CU_TYPE(real, ours) real
#include "core/cu/cu_graph.h"
#include "core/cu/cu_module.h"

/* An entry has the type of the function, or none where the headers are too old for it. */
#define ENTRY(name) __typeof__(((struct cushim_cuda_api *) 0)->name)
#define SAME_FUNCTION(name, parameters)                                                            \
    _Static_assert(__builtin_types_compatible_p(ENTRY(name), cu_fn_##name *) ||                    \
                       __builtin_types_compatible_p(ENTRY(name), cushim_entry),                    \
                   #name);
CUSHIM__CU_MODULE_MAP(SAME_FUNCTION)
CUSHIM__CU_GRAPH_MAP(SAME_FUNCTION)
#if CUDA_VERSION >= 12030
CUSHIM__CU_GRAPH_LATER_MAP(SAME_FUNCTION)
#endif

#define SAME_VALUE(name, value) _Static_assert((name) == (value), #name);
CUSHIM__CU_MODULE_CONSTANT_MAP(SAME_VALUE)
CUSHIM__CU_GRAPH_CONSTANT_MAP(SAME_VALUE)

#if CUDA_VERSION >= 13000
#define SAME_LATER_VALUE(name, value, version) _Static_assert((int) (name) == (value), #name);
CUSHIM__CU_LATER_CONSTANT_MAP(SAME_LATER_VALUE)

#define SAME_PLACE(ours, theirs)                                                                   \
    _Static_assert(offsetof(struct cushim__cu_launch, ours) == offsetof(CUlaunchConfig, theirs),   \
                   #ours);
SAME_PLACE(grid, gridDimX)
SAME_PLACE(block, blockDimX)
SAME_PLACE(shared_bytes, sharedMemBytes)
SAME_PLACE(stream, hStream)
SAME_PLACE(attributes, attrs)
SAME_PLACE(n_attributes, numAttrs)
_Static_assert(sizeof(struct cushim__cu_launch) == sizeof(CUlaunchConfig), "");

#define SAME_VALUE_PLACE(ours, theirs)                                                             \
    _Static_assert(offsetof(union cushim__cu_attribute_value, ours) ==                             \
                       offsetof(CUlaunchAttributeValue, theirs),                                   \
                   #ours);
SAME_VALUE_PLACE(window.base, accessPolicyWindow.base_ptr)
SAME_VALUE_PLACE(window.bytes, accessPolicyWindow.num_bytes)
SAME_VALUE_PLACE(window.hit_ratio, accessPolicyWindow.hitRatio)
SAME_VALUE_PLACE(window.hit, accessPolicyWindow.hitProp)
SAME_VALUE_PLACE(window.miss, accessPolicyWindow.missProp)
SAME_VALUE_PLACE(event.event, programmaticEvent.event)
SAME_VALUE_PLACE(event.flags, programmaticEvent.flags)
SAME_VALUE_PLACE(event.at_block_start, programmaticEvent.triggerAtBlockStart)
SAME_VALUE_PLACE(event.flags, launchCompletionEvent.flags)
SAME_VALUE_PLACE(domains.local, memSyncDomainMap.default_)
SAME_VALUE_PLACE(domains.remote, memSyncDomainMap.remote)
SAME_VALUE_PLACE(node.updatable, deviceUpdatableKernelNode.deviceUpdatable)
SAME_VALUE_PLACE(node.node, deviceUpdatableKernelNode.devNode)
SAME_VALUE_PLACE(dimensions, preferredClusterDim)
_Static_assert(sizeof(struct cushim__cu_attribute) == sizeof(CUlaunchAttribute), "");
_Static_assert(offsetof(struct cushim__cu_attribute, value) == offsetof(CUlaunchAttribute, value),
               "");
#endif

#define SAME_NODE_PLACE(ours, our_field, theirs, their_field)                                      \
    _Static_assert(offsetof(struct ours, our_field) == offsetof(theirs, their_field), #their_field)
#define SAME_NODE_SIZE(ours, theirs) _Static_assert(sizeof(struct ours) == sizeof(theirs), #theirs)

SAME_NODE_SIZE(cushim__cu_kernel_node, CUDA_KERNEL_NODE_PARAMS_v1);
SAME_NODE_PLACE(cushim__cu_kernel_node, grid, CUDA_KERNEL_NODE_PARAMS_v1, gridDimX);
SAME_NODE_PLACE(cushim__cu_kernel_node, block, CUDA_KERNEL_NODE_PARAMS_v1, blockDimX);
SAME_NODE_PLACE(cushim__cu_kernel_node, shared_bytes, CUDA_KERNEL_NODE_PARAMS_v1, sharedMemBytes);
SAME_NODE_PLACE(cushim__cu_kernel_node, values, CUDA_KERNEL_NODE_PARAMS_v1, kernelParams);
SAME_NODE_SIZE(cushim__cu_fill_node, CUDA_MEMSET_NODE_PARAMS);
SAME_NODE_PLACE(cushim__cu_fill_node, value, CUDA_MEMSET_NODE_PARAMS, value);
SAME_NODE_PLACE(cushim__cu_fill_node, element, CUDA_MEMSET_NODE_PARAMS, elementSize);
SAME_NODE_PLACE(cushim__cu_fill_node, width, CUDA_MEMSET_NODE_PARAMS, width);
SAME_NODE_SIZE(cushim__cu_host_node, CUDA_HOST_NODE_PARAMS);
SAME_NODE_PLACE(cushim__cu_host_node, user, CUDA_HOST_NODE_PARAMS, userData);
#if CUDA_VERSION >= 12030
SAME_NODE_SIZE(cushim__cu_conditional_node, CUgraphNodeParams);
SAME_NODE_PLACE(cushim__cu_conditional_node, handle, CUgraphNodeParams, conditional.handle);
SAME_NODE_PLACE(cushim__cu_conditional_node, type, CUgraphNodeParams, conditional.type);
SAME_NODE_PLACE(cushim__cu_conditional_node, n_bodies, CUgraphNodeParams, conditional.size);
SAME_NODE_PLACE(cushim__cu_conditional_node, bodies, CUgraphNodeParams, conditional.phGraph_out);
#endif
#if CUDA_VERSION >= 13000
SAME_NODE_PLACE(cushim__cu_conditional_node, context, CUgraphNodeParams, conditional.ctx);
#endif

int main(void)
{
    const int checked = 0
#define COUNT(name, parameters) +1
        CUSHIM__CU_MODULE_MAP(COUNT) CUSHIM__CU_GRAPH_MAP(COUNT);

    printf("%d functions are as CUDA %d declares them\n", checked, CUDA_VERSION);
    return checked > 0 ? 0 : 1;
}
