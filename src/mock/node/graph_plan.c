/* SPDX-License-Identifier: MIT */
/* How a graph becomes steps, and which queues those are done in. */
#include <stdlib.h>

#include "base/tree.h"
#include "mock/base/state.h"
#include "mock/node/graph_conditional.h"

#define NONE SIZE_MAX

/* A queue while it is planned. */
struct track {
    CUcontext context;
    size_t tail; /* its last step */
    size_t number;
    /*
     * From a step on it is free for steps of another track, its home: by the home and the context,
     * and by the step.
     */
    struct cushim__tree_node when_free;
    size_t least; /* the lowest number at and below it in that tree */
};

struct planner {
    struct mock__plan *plan;
    CUcontext context; /* for work that may be done in any context */
    uint64_t id;
    struct mock__plan *root; /* of the plan, if it is a body */
    struct track **tracks;
    struct cushim__tree free; /* tracks */
    struct mock__node *culprit;
};

/* --- steps --- */

static struct mock__step *add_step(struct mock__plan *plan, struct mock__node *node)
{
    const size_t wanted = plan->room ? 2 * plan->room : 16;
    struct mock__step *more = plan->steps;

    if (plan->n_steps == plan->room) {
        more = realloc(plan->steps, wanted * sizeof(struct mock__step));
        if (!more)
            return NULL;
        plan->steps = more;
        plan->room = wanted;
    }
    more[plan->n_steps] = (struct mock__step){.node = node, .last = true};
    return &more[plan->n_steps++];
}

static CUresult add_wait(struct mock__plan *plan, struct mock__step *step, size_t wait)
{
    const size_t n = step->n_waits;
    size_t *more = step->waits;

    /* Room for 1, 2, 4, 8 and so on. */
    if (!(n & (n - 1)))
        more = realloc(step->waits, (n ? 2 * n : 1) * sizeof(*more));
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
    for (const struct mock__edge *edge = node->before.first; edge; edge = edge->next_before)
        MOCK__TRY(add_wait(plan, step, edge->from->place));
    return !node->before.n && begin != NONE ? add_wait(plan, step, begin) : CUDA_SUCCESS;
}

static CUresult add_graph(struct planner *planner, struct mock__graph *graph, size_t begin);
static CUresult make_plan(struct planner *planner, struct mock__graph *graph,
                          struct mock__plan **ret_plan);

/* The steps of a graph within are between two that do nothing. */
static CUresult add_child(struct planner *planner, struct mock__node *node, size_t begin)
{
    struct mock__plan *plan = planner->plan;
    struct mock__graph *child = mock__child_of(node);
    const size_t first = plan->n_steps;
    struct mock__step *end;

    MOCK__TRY(add_behind(plan, node, begin, NULL));
    MOCK__TRY(add_graph(planner, child, first));
    end = add_step(plan, NULL);
    MOCK__REQUIRE(end, CUDA_ERROR_OUT_OF_MEMORY);
    for (const struct mock__node *last = child->first; last; last = last->next)
        if (!last->after.n)
            MOCK__TRY(add_wait(plan, end, last->place));
    return child->n ? CUDA_SUCCESS : add_wait(plan, end, first);
}

/* Each body of a conditional node is a plan of its own. */
static CUresult add_bodies(struct planner *planner, const struct mock__node *node)
{
    struct mock__step *step = &planner->plan->steps[planner->plan->n_steps - 1];

    step->bodies = calloc(node->n_within, sizeof(struct mock__plan *));
    MOCK__REQUIRE(step->bodies, CUDA_ERROR_OUT_OF_MEMORY);
    while (step->n_bodies < node->n_within) {
        const size_t i = step->n_bodies++;
        struct planner body = {
            .context = node->work->context, .id = planner->id, .root = planner->plan->root};
        const CUresult result = make_plan(&body, node->within[i], &step->bodies[i]);

        planner->culprit = body.culprit;
        MOCK__TRY(result);
    }
    return CUDA_SUCCESS;
}

static CUresult add_node(struct planner *planner, struct mock__node *node, size_t begin)
{
    if (mock__child_of(node))
        MOCK__TRY(add_child(planner, node, begin));
    else
        MOCK__TRY(add_behind(planner->plan, node, begin, node));
    if (node->n_within && !mock__child_of(node))
        MOCK__TRY(add_bodies(planner, node));
    node->place = planner->plan->n_steps - 1;
    return CUDA_SUCCESS;
}

/* The nodes whose last dependency this is, to the end of the queue. */
static size_t release(const struct mock__node *node, struct mock__node **queue, size_t n)
{
    for (const struct mock__edge *edge = node->after.first; edge; edge = edge->next_after)
        if (--edge->to->unmet == 0)
            queue[n++] = edge->to;
    return n;
}

static struct mock__node *first_unmet(const struct mock__graph *graph)
{
    struct mock__node *node = graph->first;

    while (node && !node->unmet)
        node = node->next;
    return node;
}

static CUresult add_in_order(struct planner *planner, struct mock__graph *graph, size_t begin,
                             struct mock__node **queue)
{
    size_t n = 0;

    for (struct mock__node *node = graph->first; node; node = node->next) {
        node->unmet = node->before.n;
        if (!node->unmet)
            queue[n++] = node;
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
        const struct track *track = planner->tracks[queue];

        if (track->tail == step->waits[i] && track->context == context)
            return queue;
    }
    return NONE;
}

/* --- free queues: found by their home and context, in the order in which they became free --- */

static struct track *track_of(struct cushim__tree_node *node)
{
    return CUSHIM__TREE_MEMBER(node, struct track, when_free);
}

static void note_least(struct cushim__tree_node *node)
{
    struct track *track = track_of(node);

    track->least = track->number;
    for (unsigned i = 0; i < 2; i++)
        if (node->child[i] && track_of(node->child[i])->least < track->least)
            track->least = track_of(node->child[i])->least;
}

/* Contexts that live at the same time differ in these bits of their handles. */
static uint64_t place_of(size_t home, CUcontext context)
{
    return (uint64_t) home << 24 | ((uintptr_t) context >> 4 & 0xffffffu);
}

static void make_free(struct planner *planner, struct track *track, size_t home, size_t at)
{
    cushim__tree_remove(&planner->free, &track->when_free);
    cushim__tree_add(&planner->free, &track->when_free, place_of(home, track->context), at);
}

static void lower(size_t *least, size_t number)
{
    *least = number < *least ? number : *least;
}

/* One of a place, and all that are beside it on one side, as they are of the place as well. */
static void lower_by(size_t *least, struct cushim__tree_node *node, unsigned side)
{
    lower(least, track_of(node)->number);
    if (node->child[side])
        lower(least, track_of(node->child[side])->least);
}

/* The lowest of a place's queues that are free at a step. */
static size_t lowest_free(const struct planner *planner, uint64_t place, size_t at)
{
    struct cushim__tree_node *top = planner->free.root, *node;
    size_t least = NONE;
    bool inside;

    while (top && (top->major != place || top->minor > at))
        top = top->child[top->major < place];
    if (!top)
        return NONE;
    lower(&least, track_of(top)->number);
    for (node = top->child[0]; node; node = node->child[!inside]) {
        inside = node->major == place;
        if (inside)
            lower_by(&least, node, 1);
    }
    for (node = top->child[1]; node; node = node->child[inside]) {
        inside = node->major == place && node->minor <= at;
        if (inside)
            lower_by(&least, node, 0);
    }
    return least;
}

/* A queue all of which lies before the step. */
static size_t queue_to_reuse(const struct planner *planner, const struct mock__step *step)
{
    const CUcontext context = context_of(planner, step);
    size_t lowest = NONE;

    for (size_t i = 0; i < step->n_waits; i++) {
        const uint64_t place = place_of(planner->plan->steps[step->waits[i]].queue, context);
        const size_t queue = lowest_free(planner, place, step->waits[i]);

        lowest = queue < lowest ? queue : lowest;
    }
    return lowest;
}

static bool have_room(struct planner *planner)
{
    struct mock__plan *plan = planner->plan;
    const size_t n = plan->n_queues;
    void *queues, *tracks;

    /* Room for 1, 2, 4, 8 and so on. */
    if (n & (n - 1))
        return true;
    queues = realloc(plan->queues, (n ? 2 * n : 1) * sizeof(struct mock__queue *));
    if (queues)
        plan->queues = queues;
    tracks = realloc(planner->tracks, (n ? 2 * n : 1) * sizeof(struct track *));
    if (tracks)
        planner->tracks = tracks;
    return queues && tracks;
}

static CUresult new_queue(struct planner *planner, const struct mock__step *step)
{
    struct mock__plan *plan = planner->plan;
    struct mock__context *context = mock__context_find(context_of(planner, step));
    struct mock__queue *queue;
    struct track *track;

    MOCK__REQUIRE(have_room(planner), CUDA_ERROR_OUT_OF_MEMORY);
    MOCK__REQUIRE(context && context->alive, CUDA_ERROR_CONTEXT_IS_DESTROYED);
    track = calloc(1, sizeof(*track));
    queue = track ? mock__queue_new(context, false, false) : NULL;
    if (!queue) {
        free(track);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    queue->of_graph = true;
    queue->plan = plan;
    queue->stream_id = planner->id;
    *track = (struct track){.context = context_of(planner, step), .number = plan->n_queues};
    planner->tracks[plan->n_queues] = track;
    plan->queues[plan->n_queues++] = queue;
    return CUDA_SUCCESS;
}

/* Queues that end in a step for which this step waits are free for the steps behind this one. */
static void free_queues(struct planner *planner, size_t number)
{
    const struct mock__step *step = &planner->plan->steps[number];

    for (size_t i = 0; i < step->n_waits; i++) {
        const size_t queue = planner->plan->steps[step->waits[i]].queue;
        struct track *track = planner->tracks[queue];

        if (queue != step->queue && track->tail == step->waits[i])
            make_free(planner, track, step->queue, number);
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
    planner->tracks[step->queue]->tail = number;
    cushim__tree_remove(&planner->free, &planner->tracks[step->queue]->when_free);
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

/* *ret_plan is to be freed whatever it answers; NULL if there is none. */
static CUresult make_plan(struct planner *planner, struct mock__graph *graph,
                          struct mock__plan **ret_plan)
{
    struct mock__plan *plan = calloc(1, sizeof(*plan));
    CUresult result;

    MOCK__REQUIRE(plan, CUDA_ERROR_OUT_OF_MEMORY);
    *ret_plan = planner->plan = plan;
    planner->free = (struct cushim__tree){.sum = note_least};
    plan->references = 1;
    plan->graph = graph;
    plan->root = planner->root ? planner->root : plan;
    result = fill_in(planner);
    for (size_t i = 0; i < plan->n_queues; i++)
        free(planner->tracks[i]);
    free(planner->tracks);
    return result;
}

CUresult mock__plan_new(struct mock__graph *graph, struct mock__context *context, uint64_t id,
                        struct mock__plan **ret_plan, struct mock__node **ret_culprit)
{
    struct planner planner = {.context = MOCK__HANDLE(context), .id = id};
    const CUresult result = make_plan(&planner, graph, ret_plan);

    if (!*ret_plan)
        mock__graph_free(graph);
    *ret_culprit = planner.culprit;
    return result;
}

static void free_step(struct mock__step *step)
{
    for (size_t i = 0; i < step->n_bodies; i++)
        mock__plan_unref(step->bodies[i]);
    free(step->bodies);
    free(step->waits);
}

void mock__plan_unref(struct mock__plan *plan)
{
    if (!plan || --plan->references)
        return;
    for (size_t i = 0; i < plan->n_steps; i++)
        free_step(&plan->steps[i]);
    for (size_t i = 0; i < plan->n_queues; i++) {
        plan->queues[i]->plan = NULL;
        mock__queue_leave(plan->queues[i]);
    }
    mock__plan_conditions_free(plan);
    if (plan->root == plan)
        mock__graph_free(plan->graph);
    free(plan->steps);
    free(plan->queues);
    free(plan);
}

void mock__plan_detach(const struct mock__plan *plan, const struct mock__context *context)
{
    for (size_t i = 0; i < plan->n_queues; i++)
        if (plan->queues[i]->context == context)
            mock__queue_detach(plan->queues[i]);
    for (size_t i = 0; i < plan->n_steps; i++)
        for (size_t k = 0; k < plan->steps[i].n_bodies; k++)
            mock__plan_detach(plan->steps[i].bodies[k], context);
}
