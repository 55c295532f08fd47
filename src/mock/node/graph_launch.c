/* SPDX-License-Identifier: MIT */
/* cuGraphLaunch, cuGraphUpload */
#include <stdlib.h>

#include "mock/base/state.h"
#include "mock/node/graph_conditional.h"
#include "mock/node/graph_exec.h"
#include "mock/queue/clock.h"
#include "mock/queue/schedule.h"
#include "mock/stream/capture.h"
#include "mock/stream/stream.h"

/* The parts of a launch, besides its plan: of an executable graph, or of a body. */
struct launch {
    struct mock__exec *exec;
    struct mock__plan *plan;
    struct mock__queue *queue;      /* of its stream */
    const struct mock__work *outer; /* of a body: the work of the conditional node, which runs */
    struct mock__work **works;      /* by step; NULL once submitted */
    struct mock__point *points;     /* by step: where it is done */
    struct mock__point begin;
};

/* --- the end of a launch, which keeps the plan until then --- */

struct end_work {
    struct mock__work work;
    struct mock__plan *plan;
};

static void run_end(struct mock__work *work)
{
    (void) work;
}

static void finish_end(struct mock__work *work)
{
    mock__plan_unref(((struct end_work *) work)->plan);
}

static const struct mock__work_type end_type = {
    .name = "graph", .run = run_end, .finish = finish_end};

static struct end_work *new_end(struct mock__plan *plan)
{
    struct end_work *work = mock__work_new(&end_type, sizeof(*work));

    if (work) {
        work->plan = plan;
        plan->references++;
    }
    return work;
}

/* --- launching --- */

static CUresult check_contexts(const struct mock__plan *plan)
{
    for (size_t i = 0; i < plan->n_queues; i++) {
        MOCK__REQUIRE(plan->queues[i]->context, CUDA_ERROR_CONTEXT_IS_DESTROYED);
        MOCK__TRY(mock__context_usable(plan->queues[i]->context));
    }
    return CUDA_SUCCESS;
}

static CUresult copy_step(const struct mock__plan *plan, const struct mock__step *step,
                          struct mock__work **ret_work)
{
    struct mock__work *work = NULL;
    CUresult result = CUDA_SUCCESS;

    if (step->node && !step->node->disabled)
        result = step->node->work->type->copy(step->node->work, &work);
    else
        work = mock__work_nothing();
    MOCK__TRY(result);
    MOCK__REQUIRE(work, CUDA_ERROR_OUT_OF_MEMORY);
    result = mock__conditional_bind(work, step, plan->root);
    if (result == CUDA_SUCCESS)
        *ret_work = work;
    else
        mock__work_free(work);
    return result;
}

CUresult mock__plan_try(const struct mock__plan *plan, bool *hurried)
{
    struct mock__work *work = NULL;

    MOCK__TRY(check_contexts(plan));
    for (size_t i = 0; i < plan->n_steps; i++) {
        MOCK__TRY(copy_step(plan, &plan->steps[i], &work));
        /* This only finds out whether the host's accesses to its memory are watched. */
        if (work->type->watch)
            work->type->watch(work);
        *hurried = *hurried || work->hurried || work->watched;
        mock__work_free(work);
    }
    return CUDA_SUCCESS;
}

/* All of them before the first is submitted, so that a launch fails as a whole. */
static CUresult copy_steps(const struct launch *launch)
{
    for (size_t i = 0; i < launch->plan->n_steps; i++)
        MOCK__TRY(copy_step(launch->plan, &launch->plan->steps[i], &launch->works[i]));
    return CUDA_SUCCESS;
}

static CUresult prepare(struct launch *launch)
{
    launch->works = calloc(launch->plan->n_steps + 1, sizeof(struct mock__work *));
    launch->points = calloc(launch->plan->n_steps + 1, sizeof(struct mock__point));
    MOCK__REQUIRE(launch->works && launch->points, CUDA_ERROR_OUT_OF_MEMORY);
    return copy_steps(launch);
}

/* Behind the work that the stream has, and behind the last launch of the same graph. */
static CUresult submit_begin(struct launch *launch)
{
    struct mock__work *work = mock__plan_conditions_begin(launch->plan);

    if (!work || !mock__work_wait_for(work, &launch->exec->end)) {
        mock__work_free(work);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    MOCK__TRY(mock__work_give(launch->queue, work));
    launch->begin = mock__queue_end(launch->queue);
    return CUDA_SUCCESS;
}

/* Earlier steps in its own queue come before it in any case. */
static bool wait_for_steps(const struct launch *launch, const struct mock__step *step,
                           struct mock__work *work)
{
    bool done = step->n_waits || mock__work_wait_for(work, &launch->begin);

    for (size_t i = 0; done && i < step->n_waits; i++)
        if (launch->plan->steps[step->waits[i]].queue != step->queue)
            done = mock__work_wait_for(work, &launch->points[step->waits[i]]);
    return done;
}

static CUresult submit_step(struct launch *launch, size_t i)
{
    const struct mock__step *step = &launch->plan->steps[i];
    struct mock__queue *queue = launch->plan->queues[step->queue];
    struct mock__work *work = launch->works[i];
    CUresult result;

    MOCK__REQUIRE(wait_for_steps(launch, step, work), CUDA_ERROR_OUT_OF_MEMORY);
    launch->works[i] = NULL;
    queue->outer = launch->outer;
    result = mock__work_give(queue, work);
    queue->outer = NULL;
    MOCK__TRY(result);
    launch->points[i] = mock__queue_end(queue);
    return CUDA_SUCCESS;
}

static CUresult submit_steps(struct launch *launch)
{
    for (size_t i = 0; i < launch->plan->n_steps; i++)
        MOCK__TRY(submit_step(launch, i));
    return CUDA_SUCCESS;
}

static bool wait_for_last(const struct launch *launch, struct mock__work *work)
{
    const struct mock__plan *plan = launch->plan;
    bool done = true;

    for (size_t i = 0; done && i < plan->n_steps; i++)
        if (plan->steps[i].last)
            done = mock__work_wait_for(work, &launch->points[i]);
    return done;
}

static CUresult submit_end(const struct launch *launch, struct end_work *end)
{
    if (!wait_for_last(launch, &end->work)) {
        mock__work_free(end);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    MOCK__TRY(mock__work_give(launch->queue, end));
    mock__point_clear(&launch->exec->end);
    launch->exec->end = mock__queue_end(launch->queue);
    return CUDA_SUCCESS;
}

/*
 * Work may be done while more is submitted. The end may not: it may be the last to need the plan.
 */
static CUresult submit(struct launch *launch)
{
    struct end_work *end = new_end(launch->plan);
    CUresult result;

    MOCK__REQUIRE(end, CUDA_ERROR_OUT_OF_MEMORY);
    result = submit_begin(launch);
    if (result == CUDA_SUCCESS)
        result = submit_steps(launch);
    if (result == CUDA_SUCCESS)
        return submit_end(launch, end);
    mock__work_free(end);
    return result;
}

static void clear(struct launch *launch)
{
    for (size_t i = 0; i < launch->plan->n_steps; i++) {
        if (launch->works)
            mock__work_free(launch->works[i]);
        if (launch->points)
            mock__point_clear(&launch->points[i]);
    }
    mock__point_clear(&launch->begin);
    free(launch->works);
    free(launch->points);
}

CUresult mock__exec_launch(struct mock__exec *exec, struct mock__stream *stream)
{
    struct launch launch = {.exec = exec, .plan = exec->plan, .queue = stream->queue};
    CUresult result;

    MOCK__TRY(check_contexts(exec->plan));
    result = prepare(&launch);
    if (result == CUDA_SUCCESS)
        result = mock__launch_memory(exec, stream);
    if (result == CUDA_SUCCESS)
        result = submit(&launch);
    clear(&launch);
    return result;
}

CUresult mock__plan_submit(struct mock__plan *plan, struct mock__work *outer)
{
    struct launch launch = {
        .plan = plan, .outer = outer, .begin = {.clock = mock__clock_ref(outer->clock)}};
    CUresult result = prepare(&launch);

    if (result == CUDA_SUCCESS)
        result = submit_steps(&launch);
    if (result == CUDA_SUCCESS && !wait_for_last(&launch, outer))
        result = CUDA_ERROR_OUT_OF_MEMORY;
    clear(&launch);
    return result;
}

CUresult mock_cuGraphLaunch(CUgraphExec hGraphExec, CUstream hStream)
{
    struct mock__stream *stream = NULL;
    struct mock__exec *exec = NULL;

    MOCK__ENTER_INHERITED();
    MOCK__TRY(mock__exec_find(hGraphExec, &exec));
    MOCK__TRY(mock__stream_find(hStream, &stream));
    MOCK__TRY(mock__capture_refuse(stream));
    return mock__is_child() ? CUDA_SUCCESS : mock__exec_launch(exec, stream);
}

/* There is nothing to prepare: a launch costs the same afterwards. */
CUresult mock_cuGraphUpload(CUgraphExec hGraphExec, CUstream hStream)
{
    struct mock__stream *stream = NULL;
    struct mock__exec *exec = NULL;

    MOCK__ENTER_INHERITED();
    MOCK__TRY(mock__exec_find(hGraphExec, &exec));
    MOCK__TRY(mock__stream_find(hStream, &stream));
    MOCK__TRY(mock__capture_refuse(stream));
    return check_contexts(exec->plan);
}
