/* SPDX-License-Identifier: MIT */
/*
 * cuGraph*MemAllocNode*, cuGraph*MemFreeNode*. The address is fixed when the node is added; the
 * bytes are there from an allocation to a free, which may be of a graph or of the program.
 */
#include <stdlib.h>
#include <string.h>

#include "mock/allocation/memory.h"
#include "mock/base/state.h"
#include "mock/check/access.h"
#include "mock/graph/graph.h"
#include "mock/node/graph_exec.h"
#include "mock/node/graph_node.h"
#include "mock/node/graph_params.h"
#include "mock/stream/stream.h"

#define ALLOC ((CUgraphNodeType) MOCK__NODE_MEM_ALLOC)
#define FREE  ((CUgraphNodeType) MOCK__NODE_MEM_FREE)

/* An allocation or a free. The memory is held, and may all the same go with its context. */
struct memory_work {
    struct mock__work work;
    CUdeviceptr address;
    uint64_t id;
    CUmemAccessDesc *access; /* parameters of an allocation; peers reach it in any case */
    size_t n_access;
};

static struct mock__memory *memory_of(const struct mock__work *work)
{
    const struct memory_work *mine = (const struct memory_work *) work;
    struct mock__memory *memory = mock__memory_at(mine->address);

    return memory && memory->id == mine->id ? memory : NULL;
}

CUdeviceptr mock__address_of_work(const struct mock__work *work)
{
    return ((const struct memory_work *) work)->address;
}

void mock__graph_memory(const struct mock__device *device, uint64_t *ret_reserved,
                        uint64_t *ret_used)
{
    *ret_reserved = device->graph_reserved;
    *ret_used = device->graph_used;
}

static void raise_marks(struct mock__device *device)
{
    uint64_t reserved, used;

    mock__graph_memory(device, &reserved, &used);
    if (reserved > device->graph_reserved_high)
        device->graph_reserved_high = reserved;
    if (used > device->graph_used_high)
        device->graph_used_high = used;
}

static void finish(struct mock__work *work)
{
    struct mock__memory *memory = memory_of(work);

    if (memory)
        mock__memory_release(memory);
    free(((struct memory_work *) work)->access);
}

static bool copy_access(struct memory_work *work, const CUmemAccessDesc *access, size_t n)
{
    if (!n)
        return true;
    work->access = malloc(n * sizeof(*access));
    if (!work->access)
        return false;
    memcpy(work->access, access, n * sizeof(*access));
    work->n_access = n;
    return true;
}

static CUresult copy(const struct mock__work *work, struct mock__work **ret_copy)
{
    const struct memory_work *from = (const struct memory_work *) work;
    struct mock__memory *memory = memory_of(work);
    struct memory_work *to;

    MOCK__REQUIRE(memory, CUDA_ERROR_INVALID_VALUE);
    to = mock__work_new(work->type, sizeof(*to));
    MOCK__REQUIRE(to, CUDA_ERROR_OUT_OF_MEMORY);
    to->address = from->address;
    to->id = from->id;
    mock__memory_hold(memory);
    if (!copy_access(to, from->access, from->n_access)) {
        mock__work_free(to);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *ret_copy = &to->work;
    return CUDA_SUCCESS;
}

static void run_alloc(struct mock__work *work)
{
    struct mock__memory *memory = memory_of(work);

    if (!memory)
        return;
    mock__memory_appear(memory);
    mock__access_allocate(work, memory);
    raise_marks(memory->device);
}

static void run_free(struct mock__work *work)
{
    struct mock__memory *memory = memory_of(work);

    if (!memory || memory->absent)
        return;
    mock__access_free(work, memory);
    mock__memory_free(memory);
}

/* Later calls go by the work that was submitted, and not by the work that is done. */
static CUresult submit(struct mock__queue *queue, struct mock__work *work)
{
    struct mock__memory *memory = memory_of(work);

    MOCK__REQUIRE(memory, CUDA_ERROR_INVALID_VALUE);
    memory->promised = work->type->node == ALLOC;
    return mock__work_submit(queue, work);
}

static const struct mock__work_type alloc_type = {
    .name = "allocation",
    .node = ALLOC,
    .run = run_alloc,
    .finish = finish,
    .copy = copy,
    .submit = submit,
};

static const struct mock__work_type free_type = {
    .name = "free",
    .node = FREE,
    .run = run_free,
    .finish = finish,
    .copy = copy,
    .frees = mock__address_of_work,
    .submit = submit,
};

/* Takes over the caller's hold of the memory. */
static CUresult new_work(const struct mock__work_type *type, struct mock__memory *memory,
                         struct mock__work **ret_work)
{
    struct memory_work *work = mock__work_new(type, sizeof(*work));

    if (!work) {
        mock__memory_release(memory);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    work->address = memory->address;
    work->id = memory->id;
    work->work.context = MOCK__HANDLE(memory->context);
    *ret_work = &work->work;
    return CUDA_SUCCESS;
}

CUresult mock__alloc_work(struct mock__context *context, size_t bytes, const char *made_by,
                          struct mock__work **ret_work)
{
    struct mock__memory *memory = NULL;

    MOCK__TRY(mock__memory_reserve(context, bytes, &memory));
    mock__made(&memory->made, made_by);
    raise_marks(context->device);
    return new_work(&alloc_type, memory, ret_work);
}

/* A graph frees only memory that a graph allocates. */
CUresult mock__describe_free(const void *params, struct mock__work **ret_work)
{
    const struct mock__free_params *p = params;
    struct mock__memory *memory = mock__memory_at(p->address);
    struct mock__graph *graph = NULL;

    MOCK__REQUIRE(memory && memory->holds, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__graph_find(p->graph, &graph));
    MOCK__REQUIRE(!cushim__tree_find(&graph->freeing, p->address, 0), CUDA_ERROR_INVALID_VALUE);
    mock__memory_hold(memory);
    return new_work(&free_type, memory, ret_work);
}

/* --- launches --- */

/* Notes for all memory that a plan allocates that this launch does. */
static void note_allocations(const struct mock__plan *plan, uint64_t launch)
{
    for (size_t i = 0; i < plan->n_steps; i++) {
        const struct mock__node *node = plan->steps[i].node;
        struct mock__memory *memory =
            node && mock__node_type(node) == ALLOC ? memory_of(node->work) : NULL;

        if (memory)
            memory->allocated_by = launch;
    }
}

/* Behind the launch that allocated it, in whatever stream that was. */
static CUresult free_now(const struct mock__exec *exec, const struct mock__node *node,
                         struct mock__stream *stream)
{
    struct mock__memory *memory = memory_of(node->work);
    struct mock__work *work = NULL;

    mock__memory_hold(memory);
    MOCK__TRY(new_work(&free_type, memory, &work));
    if (!mock__work_wait_for(work, &exec->end)) {
        mock__work_free(work);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    return mock__work_give(stream->queue, work);
}

static CUresult check_step(const struct mock__exec *exec, uint64_t launch,
                           const struct mock__node *node, struct mock__stream *stream)
{
    const bool frees = mock__node_type(node) == FREE;
    const struct mock__memory *memory;

    if (!frees && mock__node_type(node) != ALLOC)
        return CUDA_SUCCESS;
    memory = memory_of(node->work);
    MOCK__REQUIRE(memory, CUDA_ERROR_INVALID_VALUE);
    if (frees)
        return memory->promised || memory->allocated_by == launch ? CUDA_SUCCESS
                                                                  : CUDA_ERROR_INVALID_VALUE;
    if (!memory->promised)
        return CUDA_SUCCESS;
    /* Memory of an earlier launch is still there. */
    MOCK__REQUIRE(exec->flags & MOCK__AUTO_FREE_ON_LAUNCH, CUDA_ERROR_INVALID_VALUE);
    return free_now(exec, node, stream);
}

CUresult mock__launch_memory(const struct mock__exec *exec, struct mock__stream *stream)
{
    static uint64_t launch;

    if (!mock__graph_has_memory(exec->plan->graph))
        return CUDA_SUCCESS;
    note_allocations(exec->plan, ++launch);
    for (size_t i = 0; i < exec->plan->n_steps; i++)
        if (exec->plan->steps[i].node)
            MOCK__TRY(check_step(exec, launch, exec->plan->steps[i].node, stream));
    return CUDA_SUCCESS;
}

/* --- functions for callers --- */

#if CUDA_VERSION >= 11040
/* The current context if it is the device's, else the device's primary one, whatever its state. */
static CUresult context_on(int ordinal, struct mock__context **ret_context)
{
    struct mock__device *device = mock__device_find(ordinal);
    struct mock__context *context = mock__context_find(mock__current_handle());

    MOCK__REQUIRE(device, CUDA_ERROR_INVALID_VALUE);
    if (!context || context->device != device)
        context = device->primary;
    MOCK__REQUIRE(context, CUDA_ERROR_INVALID_VALUE);
    *ret_context = context;
    return CUDA_SUCCESS;
}

enum { HOST_NUMA = 3 }; /* CU_MEM_LOCATION_TYPE_HOST_NUMA, which older headers lack */

static bool is_location(int type)
{
    return type >= CU_MEM_LOCATION_TYPE_DEVICE && type <= HOST_NUMA;
}

/* Access is wanted for devices, and to read and write. The host's locations are let pass. */
static CUresult check_access(const CUmemAccessDesc *access)
{
    const int type = (int) access->location.type;

    MOCK__REQUIRE(is_location(type), CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(type != CU_MEM_LOCATION_TYPE_DEVICE || mock__device_find(access->location.id),
                  CUDA_ERROR_INVALID_DEVICE);
    if (access->flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
        return CUDA_SUCCESS;
    return access->flags == CU_MEM_ACCESS_FLAGS_PROT_NONE ||
                   access->flags == CU_MEM_ACCESS_FLAGS_PROT_READ
               ? CUDA_ERROR_NOT_SUPPORTED
               : CUDA_ERROR_INVALID_VALUE;
}

static CUresult check_accesses(const CUDA_MEM_ALLOC_NODE_PARAMS *p)
{
    MOCK__REQUIRE(!p->accessDescCount || p->accessDescs, CUDA_ERROR_INVALID_VALUE);
    for (size_t i = 0; i < p->accessDescCount; i++)
        MOCK__TRY(check_access(&p->accessDescs[i]));
    return CUDA_SUCCESS;
}

/* The types that Linux has. */
static bool handle_type_known(unsigned type)
{
    enum { FABRIC = 8 }; /* CU_MEM_HANDLE_TYPE_FABRIC, which older headers lack */

    return type == CU_MEM_HANDLE_TYPE_NONE || type == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR ||
           type == FABRIC;
}

static CUresult check_alloc(const CUDA_MEM_ALLOC_NODE_PARAMS *p)
{
    enum { MANAGED = 2 }; /* CU_MEM_ALLOCATION_TYPE_MANAGED, likewise: taken for pinned */
    const int type = p ? (int) p->poolProps.location.type : 0;

    MOCK__REQUIRE(p && p->bytesize &&
                      (p->poolProps.allocType == CU_MEM_ALLOCATION_TYPE_PINNED ||
                       (int) p->poolProps.allocType == MANAGED),
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(handle_type_known((unsigned) p->poolProps.handleTypes) && is_location(type),
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(check_accesses(p));
    MOCK__REQUIRE(p->poolProps.handleTypes == CU_MEM_HANDLE_TYPE_NONE &&
                      type == CU_MEM_LOCATION_TYPE_DEVICE,
                  CUDA_ERROR_NOT_SUPPORTED);
    return CUDA_SUCCESS;
}

CUresult mock__describe_alloc(const void *params, struct mock__work **ret_work)
{
    /* The address is an output among the parameters. */
    CUDA_MEM_ALLOC_NODE_PARAMS *p = (CUDA_MEM_ALLOC_NODE_PARAMS *) params;
    struct mock__context *context = NULL;
    struct mock__work *work = NULL;

    MOCK__TRY(check_alloc(p));
    MOCK__TRY(context_on(p->poolProps.location.id, &context));
    MOCK__TRY(mock__alloc_work(context, p->bytesize, "cuGraphAddMemAllocNode", &work));
    if (!copy_access((struct memory_work *) work, p->accessDescs, p->accessDescCount)) {
        mock__work_free(work);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    p->dptr = mock__address_of_work(work);
    *ret_work = work;
    return CUDA_SUCCESS;
}

CUresult mock_cuGraphAddMemAllocNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                     const CUgraphNode *dependencies, size_t numDependencies,
                                     CUDA_MEM_ALLOC_NODE_PARAMS *nodeParams)
{
    return mock__node_spec_add(phGraphNode, hGraph, dependencies, numDependencies,
                               (struct mock__node_spec){mock__describe_alloc, nodeParams, true});
}

CUresult mock_cuGraphMemAllocNodeGetParams(CUgraphNode hNode,
                                           CUDA_MEM_ALLOC_NODE_PARAMS *params_out)
{
    const struct mock__work *work = NULL;
    const struct mock__memory *memory;

    MOCK__ENTER_EARLY();
    MOCK__REQUIRE(params_out, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__node_work(hNode, ALLOC, &work));
    memory = memory_of(work);
    MOCK__REQUIRE(memory, CUDA_ERROR_CONTEXT_IS_DESTROYED);
    *params_out = (CUDA_MEM_ALLOC_NODE_PARAMS){
        .poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE,
                                   .id = memory->device->ordinal}},
        .accessDescs = ((const struct memory_work *) work)->access,
        .accessDescCount = ((const struct memory_work *) work)->n_access,
        .bytesize = memory->bytes,
        .dptr = memory->address,
    };
    return CUDA_SUCCESS;
}

CUresult mock_cuGraphAddMemFreeNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                    const CUgraphNode *dependencies, size_t numDependencies,
                                    CUdeviceptr dptr)
{
    const struct mock__free_params params = {dptr, hGraph};

    return mock__node_spec_add(phGraphNode, hGraph, dependencies, numDependencies,
                               (struct mock__node_spec){mock__describe_free, &params, true});
}

CUresult mock_cuGraphMemFreeNodeGetParams(CUgraphNode hNode, CUdeviceptr *dptr_out)
{
    const struct mock__work *work = NULL;

    MOCK__ENTER_EARLY();
    MOCK__REQUIRE(dptr_out, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__node_work(hNode, FREE, &work));
    *dptr_out = mock__address_of_work(work);
    return CUDA_SUCCESS;
}
#endif
