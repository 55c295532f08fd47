/* SPDX-License-Identifier: MIT */
/* The values of the conditional nodes of an executable graph. */
#include <stdlib.h>
#include <string.h>

#include "mock/allocation/memory.h"
#include "mock/base/state.h"
#include "mock/check/access.h"
#include "mock/graph/condition.h"
#include "mock/node/graph_conditional.h"
#include "mock/queue/work.h"

#define BYTES sizeof(unsigned)

/* --- one for each conditional node, in the order of a walk --- */

/* Is called for each conditional node, with its number. */
typedef CUresult visit_fn(struct mock__plan *plan, size_t number, const struct mock__node *node);

static CUresult walk(struct mock__plan *plan, const struct mock__graph *graph, visit_fn *visit,
                     size_t *n)
{
    for (const struct mock__node *node = graph->first; node; node = node->next) {
        if (mock__node_type(node) == (CUgraphNodeType) MOCK__NODE_CONDITIONAL)
            MOCK__TRY(visit(plan, (*n)++, node));
        for (size_t i = 0; i < node->n_within; i++)
            MOCK__TRY(walk(plan, node->within[i], visit, n));
    }
    return CUDA_SUCCESS;
}

static struct mock__memory *memory_of(const struct mock__condition_value *value)
{
    struct mock__memory *memory = mock__memory_at(value->address);

    return memory && memory->id == value->id ? memory : NULL;
}

/* The handle of a node, which has its own way to begin. */
static CUresult set_handle(struct mock__plan *plan, size_t number, const struct mock__node *node)
{
    struct mock__condition_value *value = &plan->conditions[number];
    struct mock__condition *condition = NULL;

    value->handle = mock__conditional_of_work(node->work)->handle;
    MOCK__TRY(mock__condition_find(value->handle, &condition));
    value->initial = condition->initial;
    value->has_initial = condition->has_initial;
    cushim__tree_remove(&plan->by_handle, &value->by_handle);
    cushim__tree_add(&plan->by_handle, &value->by_handle, value->handle, 0);
    return CUDA_SUCCESS;
}

static CUresult make(struct mock__plan *plan, size_t number, const struct mock__node *node)
{
    struct mock__condition_value *value = &plan->conditions[number];
    struct mock__condition *condition = NULL;
    struct mock__context *context = NULL;
    struct mock__memory *memory = NULL;

    MOCK__TRY(set_handle(plan, number, node));
    MOCK__TRY(mock__condition_find(value->handle, &condition));
    MOCK__TRY(mock__context_of(condition->context, &context));
    MOCK__TRY(mock__context_usable(context));
    MOCK__TRY(mock__memory_alloc(context, BYTES, &memory));
    memory->owned = memory->of_driver = true;
    memory->made = condition->object.made;
    memset(memory->host, 0, BYTES);
    value->address = memory->address;
    value->id = memory->id;
    return CUDA_SUCCESS;
}

CUresult mock__plan_conditions_new(struct mock__plan *plan)
{
    size_t n = 0;

    if (!plan->graph->n_conditional)
        return CUDA_SUCCESS;
    plan->conditions = calloc(plan->graph->n_conditional, sizeof(*plan->conditions));
    MOCK__REQUIRE(plan->conditions, CUDA_ERROR_OUT_OF_MEMORY);
    plan->n_conditions = plan->graph->n_conditional;
    return walk(plan, plan->graph, make, &n);
}

void mock__plan_conditions_free(struct mock__plan *plan)
{
    for (size_t i = 0; i < plan->n_conditions; i++) {
        struct mock__memory *memory = memory_of(&plan->conditions[i]);

        if (memory)
            mock__memory_free(memory);
    }
    free(plan->conditions);
}

void mock__plan_conditions_update(struct mock__plan *plan)
{
    size_t n = 0;

    walk(plan, plan->graph, set_handle, &n);
}

static struct mock__condition_value *find(const struct mock__plan *plan, uint64_t handle)
{
    return CUSHIM__TREE_MEMBER(cushim__tree_find(&plan->by_handle, handle, 0),
                               struct mock__condition_value, by_handle);
}

uint64_t mock__condition_address(const struct mock__work *work, uint64_t handle)
{
    const struct mock__plan *plan = work->queue->plan;
    const struct mock__condition_value *value = plan ? find(plan->root, handle) : NULL;

    return value && memory_of(value) ? value->address : 0;
}

/* --- the begin of a launch --- */

struct begin_work {
    struct mock__work work;
    struct mock__plan *plan;
};

static void begin_value(const struct mock__work *work, const struct mock__condition_value *value)
{
    struct mock__memory *memory = memory_of(value);

    if (!memory)
        return;
    if (!value->has_initial) {
        mock__access_renew(work, memory);
        mock__access_allocate(work, memory);
        return;
    }
    mock__access(work, value->address, BYTES, MOCK__WRITE);
    memcpy(memory->host, &value->initial, BYTES);
}

static void run_begin(struct mock__work *work)
{
    const struct mock__plan *plan = ((const struct begin_work *) work)->plan;

    for (size_t i = 0; i < plan->n_conditions; i++)
        begin_value(work, &plan->conditions[i]);
}

static void finish_begin(struct mock__work *work)
{
    mock__plan_unref(((struct begin_work *) work)->plan);
}

static const struct mock__work_type begin_type = {
    .name = "begin of a graph", .run = run_begin, .finish = finish_begin};

struct mock__work *mock__plan_conditions_begin(struct mock__plan *plan)
{
    struct begin_work *work;

    if (!plan->n_conditions)
        return mock__work_nothing();
    work = mock__work_new(&begin_type, sizeof(*work));
    if (!work)
        return NULL;
    work->plan = plan;
    plan->references++;
    return &work->work;
}
