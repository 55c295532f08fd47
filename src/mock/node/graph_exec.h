/* SPDX-License-Identifier: MIT */
/*
 * Executable graphs.
 *
 * A plan is a copy of a graph with everything that a launch needs to know: its steps, each behind
 * those that it waits for, and queues for them. A queue holds steps that are behind each other in
 * any case, so that queues add no order to that of the edges. A launch submits a copy of each
 * step's work; the first step waits for the work that the stream has, and the stream's next work
 * waits for the last step. A body of a conditional node is a plan of its own. graph_plan.c makes
 * plans, graph_launch.c launches them, graph_update.c changes them, and
 * graph_memory.c has the memory that graphs allocate. Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_NODE_GRAPH_EXEC_H
#define CUSHIM_MOCK_NODE_GRAPH_EXEC_H

#include "mock/base/objects.h"
#include "mock/functions.h"
#include "mock/graph/graph.h"
#include "mock/queue/work.h"

struct mock__condition_value;
struct mock__context;
struct mock__device;
struct mock__memory;
struct mock__stream;

/* CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, which older headers lack. */
#define MOCK__UPDATE_FAILURE ((CUresult) 910)

#define MOCK__AUTO_FREE_ON_LAUNCH 1 /* the flag of that name */

struct mock__step {
    struct mock__node *node; /* NULL: the begin or the end of a graph within */
    size_t *waits, n_waits;  /* the numbers of earlier steps; none: begins with the launch */
    size_t queue;
    bool last;                  /* no step waits for it */
    struct mock__plan **bodies; /* of a conditional node */
    size_t n_bodies;
};

struct mock__plan {
    unsigned references; /* of the executable graph, and of each launch that is not done */
    struct mock__graph *graph;
    struct mock__step *steps;
    struct mock__queue **queues;
    size_t n_steps, n_queues;
    size_t room;             /* for steps */
    struct mock__plan *root; /* the plan that this one is a body in, directly or not; or itself */
    /* Of a root: the values of its conditional nodes (node/graph_conditional.h). */
    struct mock__condition_value *conditions;
    size_t n_conditions;
    struct cushim__tree by_handle;
};

struct mock__exec {
    struct mock__object object;
    struct mock__plan *plan;
    CUgraph source;    /* that it was made from; may be gone */
    CUcontext context; /* where work is done that may be done anywhere */
    uint64_t flags, id;
    struct mock__point end; /* of the last launch */
};

/* Takes over the graph, but that of a body. If edges form a circle, *ret_culprit is a node of it.
 */
CUresult mock__plan_new(struct mock__graph *graph, struct mock__context *context, uint64_t id,
                        struct mock__plan **ret_plan, struct mock__node **ret_culprit);
void mock__plan_unref(struct mock__plan *plan);

/* A context is destroyed: what is for it cannot be done any more. */
void mock__plan_detach(const struct mock__plan *plan, const struct mock__context *context);

/*
 * Submits the steps of a plan as a part of work that runs, which then waits for them, in addition
 * to what it waits for. mock__plan_try() only finds out whether that is possible now, and sets
 * *hurried if work of it has to be done as soon as it is submitted.
 */
CUresult mock__plan_submit(struct mock__plan *plan, struct mock__work *outer);
CUresult mock__plan_try(const struct mock__plan *plan, bool *hurried);

/* CUDA_ERROR_INVALID_VALUE if there is no such executable graph. */
CUresult mock__exec_find(CUgraphExec handle, struct mock__exec **ret_exec);

/* The same for a change. A child of fork() can launch, but not change, what its parent has. */
CUresult mock__exec_find_own(CUgraphExec handle, struct mock__exec **ret_exec);

CUresult mock__exec_launch(struct mock__exec *exec, struct mock__stream *stream);

/* A context is destroyed: graphs with work for it cannot be launched any more. */
void mock__execs_invalidate(const struct mock__context *context);

/*
 * Makes the nodes of a graph do what those of another one of the same shape do. Changes nothing
 * if the shapes differ: *ret_result and *ret_node, a node of `from`, then say in what.
 */
CUresult mock__graph_update(struct mock__graph *graph, const struct mock__graph *from,
                            CUgraphExecUpdateResult *ret_result, CUgraphNode *ret_node,
                            CUgraphNode *ret_from_node);

/* --- the memory that nodes allocate and free (graph_memory.c) --- */

/* Memory for a graph, and the work that allocates it; and the address of such work's memory. */
CUresult mock__alloc_work(struct mock__context *context, size_t bytes, const char *made_by,
                          struct mock__work **ret_work);
CUdeviceptr mock__address_of_work(const struct mock__work *work);

/* Bytes of a device's memory that graphs have reserved, and that they have allocated of it. */
void mock__graph_memory(const struct mock__device *device, uint64_t *ret_reserved,
                        uint64_t *ret_used);

/* Makes sure before a launch that no memory that it allocates is allocated already. */
CUresult mock__launch_memory(const struct mock__exec *exec, struct mock__stream *stream);

#endif
