/* SPDX-License-Identifier: MIT */
/* How a graph becomes steps, and which queues those are done in. */
#include <stdlib.h>

#include "mock/base/state.h"
#include "mock/node/graph_exec.h"

#define NONE SIZE_MAX

/* A queue while it is planned. */
struct track {
    CUcontext context;
    size_t tail;          /* its last step */
    size_t home, free_at; /* free for what is in track `home` from this step on; NONE */
};

struct planner {
    struct mock__plan *plan;
    CUcontext context; /* for what may be done anywhere */
    uint64_t id;
    struct track *tracks;
    struct mock__node *culprit;
};

/* --- steps --- */

static struct mock__step *add_step(struct mock__plan *plan, struct mock__node *node)
{
    struct mock__step *more = realloc(plan->steps, (plan->n_steps + 1) * sizeof(struct mock__step));

    if (!more)
        return NULL;
    plan->steps = more;
    more[plan->n_steps] = (struct mock__step){.node = node, .last = true};
    return &more[plan->n_steps++];
}

static CUresult add_wait(struct mock__plan *plan, struct mock__step *step, size_t wait)
{
    size_t *more = realloc(step->waits, (step->n_waits + 1) * sizeof(*more));

    MOCK__REQUIRE(more, CUDA_ERROR_OUT_OF_MEMORY);
    step->waits = more;
    more[step->n_waits++] = wait;
    plan->steps[wait].last = false;
    return CUDA_SUCCESS;
}

/* A step behind the nodes that its node depends on, or behind the begin of the graph within. */
static CUresult add_behind(struct mock__plan *plan, const struct mock__node *node, size_t begin,
                           struct mock__node *does)
{
    struct mock__step *step = add_step(plan, does);

    MOCK__REQUIRE(step, CUDA_ERROR_OUT_OF_MEMORY);
    for (size_t i = 0; i < node->before.n; i++)
        MOCK__TRY(add_wait(plan, step, node->before.list[i].node->place));
    return !node->before.n && begin != NONE ? add_wait(plan, step, begin) : CUDA_SUCCESS;
}

static CUresult add_graph(struct planner *planner, struct mock__graph *graph, size_t begin);

/* The steps of a graph within are between two that do nothing. */
static CUresult add_child(struct planner *planner, struct mock__node *node, size_t begin)
{
    struct mock__plan *plan = planner->plan;
    const struct mock__graph *child = node->child;
    const size_t first = plan->n_steps;
    struct mock__step *end;

    MOCK__TRY(add_behind(plan, node, begin, NULL));
    MOCK__TRY(add_graph(planner, node->child, first));
    end = add_step(plan, NULL);
    MOCK__REQUIRE(end, CUDA_ERROR_OUT_OF_MEMORY);
    for (size_t i = 0; i < child->n; i++)
        if (!child->nodes[i]->after.n)
            MOCK__TRY(add_wait(plan, end, child->nodes[i]->place));
    return child->n ? CUDA_SUCCESS : add_wait(plan, end, first);
}

static CUresult add_node(struct planner *planner, struct mock__node *node, size_t begin)
{
    if (node->child)
        MOCK__TRY(add_child(planner, node, begin));
    else
        MOCK__TRY(add_behind(planner->plan, node, begin, node));
    node->place = planner->plan->n_steps - 1;
    return CUDA_SUCCESS;
}

/* The nodes whose last dependency this is, to the end of the queue. */
static size_t release(const struct mock__node *node, struct mock__node **queue, size_t n)
{
    for (size_t i = 0; i < node->after.n; i++)
        if (--node->after.list[i].node->unmet == 0)
            queue[n++] = node->after.list[i].node;
    return n;
}

static struct mock__node *first_unmet(const struct mock__graph *graph)
{
    for (size_t i = 0; i < graph->n; i++)
        if (graph->nodes[i]->unmet)
            return graph->nodes[i];
    return NULL;
}

static CUresult add_in_order(struct planner *planner, struct mock__graph *graph, size_t begin,
                             struct mock__node **queue)
{
    size_t n = 0;

    for (size_t i = 0; i < graph->n; i++) {
        graph->nodes[i]->unmet = graph->nodes[i]->before.n;
        if (!graph->nodes[i]->unmet)
            queue[n++] = graph->nodes[i];
    }
    for (size_t i = 0; i < n; i++) {
        MOCK__TRY(add_node(planner, queue[i], begin));
        n = release(queue[i], queue, n);
    }
    if (n == graph->n)
        return CUDA_SUCCESS;
    planner->culprit = first_unmet(graph);
    return CUDA_ERROR_INVALID_VALUE;
}

static CUresult add_graph(struct planner *planner, struct mock__graph *graph, size_t begin)
{
    struct mock__node **queue = calloc(graph->n + 1, sizeof(struct mock__node *));
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;

    graph->instantiated = true;
    if (queue)
        result = add_in_order(planner, graph, begin, queue);
    free(queue);
    return result;
}

/* --- queues --- */

static CUcontext context_of(const struct planner *planner, const struct mock__step *step)
{
    const CUcontext context = step->node ? step->node->work->context : NULL;

    return context ? context : planner->context;
}

/* The queue of a step that this one waits for, and that nothing else has followed there yet. */
static size_t queue_to_follow(const struct planner *planner, const struct mock__step *step)
{
    const CUcontext context = context_of(planner, step);

    for (size_t i = 0; i < step->n_waits; i++) {
        const size_t queue = planner->plan->steps[step->waits[i]].queue;
        const struct track *track = &planner->tracks[queue];

        if (track->tail == step->waits[i] && track->context == context)
            return queue;
    }
    return NONE;
}

static bool is_behind(const struct mock__plan *plan, const struct mock__step *step,
                      const struct track *track)
{
    for (size_t i = 0; i < step->n_waits; i++)
        if (plan->steps[step->waits[i]].queue == track->home && step->waits[i] >= track->free_at)
            return true;
    return false;
}

/* A queue all of which lies before the step. */
static size_t queue_to_reuse(const struct planner *planner, const struct mock__step *step)
{
    const CUcontext context = context_of(planner, step);

    for (size_t i = 0; i < planner->plan->n_queues; i++) {
        const struct track *track = &planner->tracks[i];

        if (track->home != NONE && track->context == context &&
            is_behind(planner->plan, step, track))
            return i;
    }
    return NONE;
}

static CUresult new_queue(struct planner *planner, const struct mock__step *step)
{
    struct mock__plan *plan = planner->plan;
    struct mock__context *context = mock__object_find(MOCK__CONTEXT, context_of(planner, step));
    void *queues = realloc(plan->queues, (plan->n_queues + 1) * sizeof(struct mock__queue *));
    void *tracks;

    if (queues)
        plan->queues = queues;
    tracks = realloc(planner->tracks, (plan->n_queues + 1) * sizeof(struct track));
    if (tracks)
        planner->tracks = tracks;
    MOCK__REQUIRE(queues && tracks, CUDA_ERROR_OUT_OF_MEMORY);
    MOCK__REQUIRE(context && context->alive, CUDA_ERROR_CONTEXT_IS_DESTROYED);
    plan->queues[plan->n_queues] = mock__queue_new(context, false, false);
    MOCK__REQUIRE(plan->queues[plan->n_queues], CUDA_ERROR_OUT_OF_MEMORY);
    plan->queues[plan->n_queues]->of_graph = true;
    plan->queues[plan->n_queues]->stream_id = planner->id;
    planner->tracks[plan->n_queues++] = (struct track){.context = context_of(planner, step)};
    return CUDA_SUCCESS;
}

/* Lanes that end in what the step waits for are free for what comes behind the step. */
static void free_queues(struct planner *planner, size_t number)
{
    const struct mock__step *step = &planner->plan->steps[number];

    for (size_t i = 0; i < step->n_waits; i++) {
        const size_t queue = planner->plan->steps[step->waits[i]].queue;
        struct track *track = &planner->tracks[queue];

        if (queue != step->queue && track->tail == step->waits[i]) {
            track->home = step->queue;
            track->free_at = number;
        }
    }
}

static CUresult choose_queue(struct planner *planner, size_t number)
{
    struct mock__step *step = &planner->plan->steps[number];

    step->queue = queue_to_follow(planner, step);
    if (step->queue == NONE)
        step->queue = queue_to_reuse(planner, step);
    if (step->queue == NONE) {
        MOCK__TRY(new_queue(planner, step));
        step->queue = planner->plan->n_queues - 1;
    }
    planner->tracks[step->queue].tail = number;
    planner->tracks[step->queue].home = NONE;
    free_queues(planner, number);
    return CUDA_SUCCESS;
}

static CUresult fill_in(struct planner *planner)
{
    MOCK__TRY(add_graph(planner, planner->plan->graph, NONE));
    for (size_t i = 0; i < planner->plan->n_steps; i++)
        MOCK__TRY(choose_queue(planner, i));
    return CUDA_SUCCESS;
}

CUresult mock__plan_new(struct mock__graph *graph, struct mock__context *context, uint64_t id,
                        struct mock__plan **ret_plan, struct mock__node **ret_culprit)
{
    struct planner planner = {.context = MOCK__HANDLE(context), .id = id};
    CUresult result;

    planner.plan = calloc(1, sizeof(*planner.plan));
    if (!planner.plan) {
        mock__graph_free(graph);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    planner.plan->references = 1;
    planner.plan->graph = graph;
    result = fill_in(&planner);
    free(planner.tracks);
    *ret_culprit = planner.culprit;
    *ret_plan = planner.plan;
    return result;
}

void mock__plan_unref(struct mock__plan *plan)
{
    if (!plan || --plan->references)
        return;
    for (size_t i = 0; i < plan->n_steps; i++)
        free(plan->steps[i].waits);
    for (size_t i = 0; i < plan->n_queues; i++)
        mock__queue_leave(plan->queues[i]);
    mock__graph_free(plan->graph);
    free(plan->steps);
    free(plan->queues);
    free(plan);
}
