/* SPDX-License-Identifier: MIT */
/* cuGraph*KernelNode*: kernels in graphs, and their attributes. */
#include <stdlib.h>
#include <string.h>

#include "mock/base/green.h"
#include "mock/base/state.h"
#include "mock/graph/graph.h"
#include "mock/launch/launch.h"
#include "mock/module/library.h"
#include "mock/node/graph_kernel.h"
#include "mock/node/graph_node.h"
#include "mock/node/graph_params.h"

#define KERNEL   CU_GRAPH_NODE_TYPE_KERNEL
#define PRIORITY 8 /* CU_LAUNCH_ATTRIBUTE_PRIORITY */

/* The fields at the beginning of all versions of the structure. */
typedef struct CUDA_KERNEL_NODE_PARAMS_st first_params;

static struct mock__request request_of(const first_params *p)
{
    return (struct mock__request){
        .function = p->func,
        .grid = {p->gridDimX, p->gridDimY, p->gridDimZ},
        .block = {p->blockDimX, p->blockDimY, p->blockDimZ},
        .shared_bytes = p->sharedMemBytes,
        .params = p->kernelParams,
        .extra = p->extra,
        .share = mock__green_share(mock__green_current()),
    };
}

static CUresult describe(const void *params, struct mock__work **ret_work)
{
    struct mock__request request;

    MOCK__REQUIRE(params, CUDA_ERROR_INVALID_VALUE);
    request = request_of(params);
    MOCK__REQUIRE(request.function, CUDA_ERROR_INVALID_HANDLE);
    MOCK__REQUIRE(mock__current_handle(), CUDA_ERROR_INVALID_CONTEXT);
    return mock__kernel_work(&request, ret_work);
}

static void fill_in(const struct mock__work *work, first_params *ret_params)
{
    const struct mock__request request = mock__kernel_request(work);

    *ret_params = (first_params){
        .func = request.function,
        .gridDimX = request.grid[0],
        .gridDimY = request.grid[1],
        .gridDimZ = request.grid[2],
        .blockDimX = request.block[0],
        .blockDimY = request.block[1],
        .blockDimZ = request.block[2],
        .sharedMemBytes = request.shared_bytes,
        .kernelParams = request.params,
    };
}

CUresult mock_cuGraphAddKernelNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                   const CUgraphNode *dependencies, size_t numDependencies,
                                   const first_params *nodeParams)
{
    return mock__node_spec_add(phGraphNode, hGraph, dependencies, numDependencies,
                               (struct mock__node_spec){describe, nodeParams, true});
}

CUresult mock_cuGraphKernelNodeGetParams(CUgraphNode hNode, first_params *nodeParams)
{
    const struct mock__work *work = NULL;

    MOCK__ENTER_EARLY();
    MOCK__REQUIRE(nodeParams, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__node_work(hNode, KERNEL, &work));
    fill_in(work, nodeParams);
    return CUDA_SUCCESS;
}

CUresult mock_cuGraphKernelNodeSetParams(CUgraphNode hNode, const first_params *nodeParams)
{
    return mock__node_spec_set(hNode, KERNEL,
                               (struct mock__node_spec){describe, nodeParams, false});
}

CUresult mock_cuGraphExecKernelNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                             const first_params *nodeParams)
{
    return mock__node_spec_set_exec(hGraphExec, hNode, KERNEL,
                                    (struct mock__node_spec){describe, nodeParams, false});
}

#if CUDA_VERSION >= 12000
/* Returns the function of a kernel in a context: the named one, or the current one. */
static CUresult resolve(CUkernel handle, CUcontext context_handle, CUfunction *ret_function)
{
    struct mock__kernel *kernel = mock__object_find(MOCK__KERNEL, handle);
    struct mock__context *context = NULL;
    struct mock__module *module = NULL;

    MOCK__REQUIRE(kernel, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__context_of(context_handle, &context));
    MOCK__TRY(mock__context_usable(context));
    MOCK__TRY(mock__library_module(kernel->library, context, &module));
    *ret_function = MOCK__HANDLE(module->functions[kernel->number]);
    return CUDA_SUCCESS;
}

CUresult mock__describe_kernel(const void *params, struct mock__work **ret_work)
{
    const CUDA_KERNEL_NODE_PARAMS_v2 *p = params;
    struct mock__request request;

    MOCK__REQUIRE(p, CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE((p->func || p->kern) && !mock__object_find(MOCK__KERNEL, p->func),
                  CUDA_ERROR_INVALID_HANDLE);
    MOCK__REQUIRE(mock__current_handle(), CUDA_ERROR_INVALID_CONTEXT);
    request = request_of(params);
    if (!p->func)
        MOCK__TRY(resolve(p->kern, p->ctx, &request.function));
    return mock__kernel_work(&request, ret_work);
}

CUresult mock_cuGraphAddKernelNode_v2(CUgraphNode *phGraphNode, CUgraph hGraph,
                                      const CUgraphNode *dependencies, size_t numDependencies,
                                      const CUDA_KERNEL_NODE_PARAMS_v2 *nodeParams)
{
    return mock__node_spec_add(phGraphNode, hGraph, dependencies, numDependencies,
                               (struct mock__node_spec){mock__describe_kernel, nodeParams, true});
}

CUresult mock_cuGraphKernelNodeGetParams_v2(CUgraphNode hNode,
                                            CUDA_KERNEL_NODE_PARAMS_v2 *nodeParams)
{
    const struct mock__work *work = NULL;

    MOCK__ENTER_EARLY();
    MOCK__REQUIRE(nodeParams, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__node_work(hNode, KERNEL, &work));
    fill_in(work, (first_params *) nodeParams);
    nodeParams->kern = NULL;
    nodeParams->ctx = work->context;
    return CUDA_SUCCESS;
}

CUresult mock_cuGraphKernelNodeSetParams_v2(CUgraphNode hNode,
                                            const CUDA_KERNEL_NODE_PARAMS_v2 *nodeParams)
{
    return mock__node_spec_set(hNode, KERNEL,
                               (struct mock__node_spec){mock__describe_kernel, nodeParams, false});
}

CUresult mock_cuGraphExecKernelNodeSetParams_v2(CUgraphExec hGraphExec, CUgraphNode hNode,
                                                const CUDA_KERNEL_NODE_PARAMS_v2 *nodeParams)
{
    return mock__node_spec_set_exec(
        hGraphExec, hNode, KERNEL,
        (struct mock__node_spec){mock__describe_kernel, nodeParams, false});
}
#endif

/* --- attributes --- */

static CUresult find_kernel(CUgraphNode handle, struct mock__kernel_work **ret_work)
{
    const struct mock__work *work = NULL;

    MOCK__TRY(mock__node_work(handle, KERNEL, &work));
    *ret_work = (struct mock__kernel_work *) work;
    return CUDA_SUCCESS;
}

static CUresult usable(const struct mock__kernel_work *work)
{
    const struct mock__context *context = mock__context_find(work->work.context);

    return context ? mock__context_usable(context) : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

/* By number, because older headers lack them. */
enum { PREFERRED_CLUSTER_DIMENSION = 11, DEVICE_UPDATABLE = 13, NVLINK_UTIL_CENTRIC = 16 };

/* Clusters of two sizes in one grid came with compute capability 10.0. */
static bool has_attribute(const struct mock__kernel_work *work, int id)
{
    const struct mock__context *context = mock__context_find(work->work.context);

    return id != PREFERRED_CLUSTER_DIMENSION ||
           (context && mock__capability(context->device) >= 100);
}

/* No node can be changed by the device: that is all that the attribute may say. */
static CUresult get_updatable(CUkernelNodeAttrValue *value_out)
{
    MOCK__REQUIRE(value_out, CUDA_ERROR_INVALID_VALUE);
    memset(value_out, 0, sizeof(int) + sizeof(void *));
    return CUDA_SUCCESS;
}

static CUresult set_updatable(const CUkernelNodeAttrValue *value)
{
    int wanted;

    MOCK__REQUIRE(value, CUDA_ERROR_INVALID_VALUE);
    memcpy(&wanted, value, sizeof(wanted));
    return wanted ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS;
}

CUresult mock_cuGraphKernelNodeGetAttribute(CUgraphNode hNode, CUkernelNodeAttrID attr,
                                            CUkernelNodeAttrValue *value_out)
{
    const size_t size = mock__launch_attribute_size((int) attr);
    struct mock__kernel_work *work = NULL;

    MOCK__ENTER();
    MOCK__TRY(find_kernel(hNode, &work));
    if ((int) attr == DEVICE_UPDATABLE)
        return get_updatable(value_out);
    MOCK__REQUIRE(value_out && size && has_attribute(work, (int) attr), CUDA_ERROR_INVALID_VALUE);
    /* An attribute that was never set is zero, its default. */
    memset(value_out, 0, size);
    if (work->attributes)
        memcpy(value_out, work->attributes->values[attr], size);
    return CUDA_SUCCESS;
}

static struct mock__attributes *attributes_of(struct mock__kernel_work *work)
{
    if (!work->attributes)
        work->attributes = calloc(1, sizeof(*work->attributes));
    return work->attributes;
}

void mock__kernel_take_attributes(struct mock__work *work, struct mock__work *from)
{
    struct mock__kernel_work *to = (struct mock__kernel_work *) work;
    struct mock__kernel_work *old = (struct mock__kernel_work *) from;

    free(to->attributes);
    to->attributes = old->attributes;
    to->cooperative = old->cooperative;
    old->attributes = NULL;
}

CUresult mock__kernel_default_priority(struct mock__work *work, int priority)
{
    struct mock__kernel_work *kernel = (struct mock__kernel_work *) work;

    if (!priority || (kernel->attributes && kernel->attributes->set & 1u << PRIORITY))
        return CUDA_SUCCESS;
    MOCK__REQUIRE(attributes_of(kernel), CUDA_ERROR_OUT_OF_MEMORY);
    memcpy(kernel->attributes->values[PRIORITY], &priority, sizeof(priority));
    kernel->attributes->set |= 1u << PRIORITY;
    return CUDA_SUCCESS;
}

CUresult mock_cuGraphKernelNodeSetAttribute(CUgraphNode hNode, CUkernelNodeAttrID attr,
                                            const CUkernelNodeAttrValue *value)
{
    struct mock__kernel_work *work = NULL;
    struct mock__request request;

    MOCK__ENTER();
    MOCK__TRY(find_kernel(hNode, &work));
    MOCK__TRY(usable(work));
    if ((int) attr == DEVICE_UPDATABLE)
        return set_updatable(value);
    MOCK__REQUIRE(
        value && has_attribute(work, (int) attr) &&
            (mock__launch_attribute_size((int) attr) || (int) attr == NVLINK_UTIL_CENTRIC),
        CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(attributes_of(work), CUDA_ERROR_OUT_OF_MEMORY);
    request = mock__kernel_request(&work->work);
    MOCK__TRY(mock__launch_attribute(&request, work->attributes, (int) attr, value));
    work->cooperative = request.cooperative;
    return CUDA_SUCCESS;
}

CUresult mock_cuGraphKernelNodeCopyAttributes(CUgraphNode dst, CUgraphNode src)
{
    struct mock__kernel_work *to = NULL, *from = NULL;

    MOCK__ENTER();
    MOCK__TRY(find_kernel(dst, &to));
    MOCK__TRY(find_kernel(src, &from));
    MOCK__REQUIRE(usable(to) == CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(attributes_of(to) && attributes_of(from), CUDA_ERROR_OUT_OF_MEMORY);
    *to->attributes = *from->attributes;
    to->cooperative = from->cooperative;
    return CUDA_SUCCESS;
}
