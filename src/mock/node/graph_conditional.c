/* SPDX-License-Identifier: MIT */
/* Conditional nodes: how they are made, and what they do. */
#include "mock/node/graph_conditional.h"

#include <stdlib.h>

#include "mock/allocation/label.h"
#include "mock/allocation/memory.h"
#include "mock/base/finding.h"
#include "mock/base/state.h"
#include "mock/check/access.h"
#include "mock/config/environment.h"
#include "mock/graph/condition.h"
#include "mock/graph/graph.h"
#include "mock/node/graph_node.h"
#include "mock/queue/clock.h"
#include "mock/queue/work.h"

#define CONDITIONAL ((CUgraphNodeType) MOCK__NODE_CONDITIONAL)

/* Each body is a graph. More of them are a mistake, and would only use up memory. */
#define MOST_BODIES 65536u

/*
 * A loop that has taken so many steps is endless: a second of this machine's, or a few. Doing a
 * body, and each work in it, counts as some jumps of a kernel.
 */
#define STEPS         (UINT64_C(1) << 31)
#define STEPS_OF_WORK 4096u

struct conditional_work {
    struct mock__work work;
    struct mock__conditional is;
    CUgraph *bodies; /* the node's, for the program; NULL of a copy */
    /* Of a launch: */
    struct mock__plan *plan;
    const struct mock__step *step;
    uint64_t rounds, steps; /* how often a body was done, and what that counts as */
};

static struct conditional_work *conditional_of(const struct mock__work *work)
{
    return (struct conditional_work *) (uintptr_t) work;
}

const struct mock__conditional *mock__conditional_of_work(const struct mock__work *work)
{
    return &conditional_of(work)->is;
}

bool mock__conditional_replaces(const struct mock__work *work, const struct mock__work *old)
{
    const struct mock__conditional *now = mock__conditional_of_work(work);
    const struct mock__conditional *before = mock__conditional_of_work(old);

    return now->kind == before->kind && now->n == before->n;
}

/* --- what it does --- */

static void fail(const struct mock__work *work, CUresult result)
{
    mock__context_break(work->queue->context, result);
}

/* Which body is to be done; n: none. */
static unsigned choose(const struct mock__conditional *conditional, unsigned value)
{
    switch (conditional->kind) {
    case MOCK__SWITCH:
        return value < conditional->n ? value : conditional->n;
    case MOCK__WHILE:
        return value ? 0 : conditional->n;
    default:
        return value ? 0 : 1;
    }
}

static unsigned read_value(struct mock__work *work, uint64_t handle)
{
    const uint64_t address = mock__condition_address(work, handle);
    const unsigned *value = address ? mock__memory_bytes(address, sizeof(*value)) : NULL;

    if (!value) {
        fail(work, CUDA_ERROR_ILLEGAL_ADDRESS);
        return 0;
    }
    mock__access(work, address, sizeof(*value), MOCK__READ);
    return *value;
}

static bool is_endless(const struct conditional_work *work)
{
    const uint64_t steps = mock__environment_number("CUSHIM_MOCK_PTX_STEPS", STEPS);

    if (!steps || work->steps <= steps)
        return false;
    mock__finding(
        CUSHIM_MOCK_ENDLESS_LOOP,
        "conditional node in %s: its body was done %llu times, and its value is still not "
        "0: an endless loop? A body cannot wait for the host here",
        mock__text_of_stream(work->work.queue).text, (unsigned long long) work->rounds);
    fail(&work->work, CUDA_ERROR_LAUNCH_TIMEOUT);
    return true;
}

/* The body that is to be done now, or NULL. */
static struct mock__plan *next_body(struct conditional_work *work)
{
    const struct mock__conditional *is = &work->is;
    unsigned body;

    if (work->rounds && is->kind != MOCK__WHILE)
        return NULL;
    body = choose(is, read_value(&work->work, is->handle));
    if (body >= is->n || is_endless(work))
        return NULL;
    work->rounds++;
    work->steps += STEPS_OF_WORK * (1 + (uint64_t) work->step->bodies[body]->n_steps);
    return work->step->bodies[body];
}

/*
 * Work behind this one was submitted before the bodies were, so its clock does not have them; it
 * learns now what it comes after.
 */
static void tell_order(const struct mock__work *work)
{
    mock__clock_imply(work->queue->slot, work->queue->done + 1, mock__clock_ref(work->clock));
}

static void run(struct mock__work *work)
{
    struct conditional_work *mine = conditional_of(work);
    struct mock__plan *body = next_body(mine);
    CUresult result;

    if (!body) {
        if (mine->rounds)
            tell_order(work);
        return;
    }
    mock__work_waited(work);
    result = mock__plan_submit(body, work);
    if (result != CUDA_SUCCESS)
        fail(work, result);
    work->unfinished = true;
}

static void finish(struct mock__work *work)
{
    free(conditional_of(work)->bodies);
    mock__plan_unref(conditional_of(work)->plan);
}

static CUresult copy(const struct mock__work *work, struct mock__work **ret_copy);

static const struct mock__work_type conditional_type = {
    .name = "conditional node",
    .node = CONDITIONAL,
    .run = run,
    .finish = finish,
    .copy = copy,
};

static CUresult new_work(const struct mock__conditional *is, CUcontext context,
                         struct conditional_work **ret_work)
{
    struct conditional_work *work = mock__work_new(&conditional_type, sizeof(*work));

    MOCK__REQUIRE(work, CUDA_ERROR_OUT_OF_MEMORY);
    work->is = *is;
    work->work.context = context;
    *ret_work = work;
    return CUDA_SUCCESS;
}

static CUresult copy(const struct mock__work *work, struct mock__work **ret_copy)
{
    struct conditional_work *twin = NULL;

    MOCK__TRY(new_work(mock__conditional_of_work(work), work->context, &twin));
    *ret_copy = &twin->work;
    return CUDA_SUCCESS;
}

CUresult mock__conditional_bind(struct mock__work *work, const struct mock__step *step,
                                struct mock__plan *plan)
{
    struct conditional_work *mine = conditional_of(work);
    bool hurried = false;

    if (work->type != &conditional_type)
        return CUDA_SUCCESS;
    mine->step = step;
    mine->plan = plan;
    plan->references++;
    for (size_t i = 0; i < step->n_bodies; i++)
        MOCK__TRY(mock__plan_try(step->bodies[i], &hurried));
    work->hurried = hurried;
    return CUDA_SUCCESS;
}

/* --- adding one --- */

#if CUDA_VERSION >= 12030
static bool size_valid(int kind, unsigned size)
{
    const bool new = mock__driver_version() >= 12080;

    switch (kind) {
    case MOCK__IF:
        return size == 1 || (size == 2 && new);
    case MOCK__WHILE:
        return size == 1;
    case MOCK__SWITCH:
        return size && new;
    default:
        return false;
    }
}

/* A node of the same context that has a handle for itself. */
static CUresult check(const CUDA_CONDITIONAL_NODE_PARAMS *p, const struct mock__graph *graph,
                      struct mock__condition **ret_condition)
{
    struct mock__context *context = NULL;

    MOCK__TRY(mock__condition_find(p->handle, ret_condition));
    MOCK__REQUIRE(!mock__condition_used(*ret_condition) &&
                      mock__condition_suits(*ret_condition, graph),
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__condition_context(p->ctx, &context));
    MOCK__REQUIRE(MOCK__HANDLE(context) == (*ret_condition)->context, CUDA_ERROR_INVALID_VALUE);
    return p->size <= MOST_BODIES ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult new_node(const CUDA_CONDITIONAL_NODE_PARAMS *p,
                         const struct mock__condition *condition, struct mock__graph *graph,
                         const struct mock__predecessors *after, struct mock__node **ret_node)
{
    const struct mock__conditional is = {p->handle, (int) p->type, p->size};
    struct conditional_work *work = NULL;

    MOCK__TRY(new_work(&is, condition->context, &work));
    work->bodies = calloc(is.n, sizeof(*work->bodies));
    if (!work->bodies) {
        mock__work_free(work);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    return mock__node_add_bodies(graph, after, &work->work, is.n, ret_node);
}

CUresult mock__conditional_add(CUgraphNode *ret_node, CUgraph hGraph,
                               const struct mock__predecessors *after, void *params)
{
    CUDA_CONDITIONAL_NODE_PARAMS *p = params;
    struct mock__condition *condition = NULL;
    struct mock__graph *graph = NULL;
    struct mock__node *node = NULL;

    MOCK__ENTER_EARLY();
    MOCK__REQUIRE(size_valid((int) p->type, p->size), CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(p->ctx, CUDA_ERROR_INVALID_CONTEXT);
    MOCK__REQUIRE(ret_node && (after->nodes || !after->n), CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__graph_find(hGraph, &graph));
    MOCK__TRY(check(p, graph, &condition));
    MOCK__TRY(new_node(p, condition, graph, after, &node));
    p->phGraph_out = conditional_of(node->work)->bodies;
    for (size_t i = 0; i < node->n_within; i++)
        p->phGraph_out[i] = MOCK__HANDLE(node->within[i]);
    *ret_node = condition->node = MOCK__HANDLE(node);
    return CUDA_SUCCESS;
}

CUresult mock__conditional_params(CUgraphNode handle, void *ret_params)
{
    const struct mock__work *work = NULL;

    MOCK__ENTER();
    MOCK__TRY(mock__node_work(handle, CONDITIONAL, &work));
    *(CUDA_CONDITIONAL_NODE_PARAMS *) ret_params = (CUDA_CONDITIONAL_NODE_PARAMS){
        .handle = conditional_of(work)->is.handle,
        .type = (CUgraphConditionalNodeType) conditional_of(work)->is.kind,
        .size = conditional_of(work)->is.n,
        .phGraph_out = conditional_of(work)->bodies,
        .ctx = work->context,
    };
    return CUDA_SUCCESS;
}
#endif
