/* SPDX-License-Identifier: MIT */
/*
 * Submitted work that is not done yet, and the queues that hold it.
 *
 * A queue holds the work of a stream or of a graph, which runs in the order of the queue. It lives
 * until its work is done, even if the stream is destroyed before. A point is a place in a queue. It
 * is reached when all work up to it is done. Work of different queues is ordered only by points:
 * work can wait for points of other queues.
 *
 * The seed decides which of the ready work runs next, and when (schedule.c). Which queues are ready
 * is in ready.c, and which work has to do with the host in held.c. Callers hold the
 * process-wide lock. A function that waits releases the lock meanwhile, so objects that the caller
 * looked up before may be destroyed afterwards.
 */
#ifndef CUSHIM_MOCK_QUEUE_WORK_H
#define CUSHIM_MOCK_QUEUE_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/tree.h"
#include "mock/functions.h"
#include "mock/queue/device_time.h"

struct mock__clock;
struct mock__context;
struct mock__plan;
struct mock__work;

#define MOCK__STREAM_LABEL 32 /* characters of a stream's label that are kept, with the end */

struct mock__queue {
    /* NULL after it is destroyed, or when the queue is done for good: see `ended`. */
    struct mock__context *context;
    CUresult ended; /* without a context: what a wait for the queue answers */
    bool blocking;  /* ordered with the context's legacy stream */
    bool legacy;    /* the queue of the legacy stream */
    bool of_graph;  /* part of an executable graph, not a stream */
    bool running;   /* its first work runs now */
    uintptr_t green; /* the handle of the green context that its work belongs to; 0: none */
    bool owned;     /* a stream or graph owns it: more may be submitted */
    unsigned references;
    uint64_t stream_id; /* for findings, like the label, as the stream may be gone; or a graph's
                           number */
    char stream_label[MOCK__STREAM_LABEL];
    unsigned slot;             /* its number in clocks (clock.h) */
    uint64_t submitted, done;  /* counts, which go on from the slot's last queue */
    uint64_t ends[MOCK__ENDS]; /* device_time.c's */
    struct mock__clock *clock; /* the clock of the last submission */
    /*
     * Clocks at the last submission: of the work, of the host, and of the legacy stream if the
     * queue is blocking, or of the blocking queues if it is the legacy stream.
     */
    struct mock__clock *own_then, *host_then, *other_then;
    struct mock__work *first, *last;
    struct mock__queue *next_busy, **link_busy; /* list of the queues with work left */
    /* List of the same queues of a context, blocking ones apart; and when it came into it. */
    struct mock__queue *next_in_context, **link_in_context;
    uint64_t busy_since;
    /*
     * For a queue that has work left and does not run. Either stopped_by is the queue that it waits
     * for. Or the queue is in the tree of queues that can go on, sorted by the ticket of its first
     * work; counts tells whether that work is ready. Work whose readiness no call announces is
     * examined again each time.
     */
    struct mock__queue *stopped_by;
    struct cushim__tree_node by_number, by_ticket, by_asking;
    bool counts;
    size_t n_ready;              /* how many at and below it in the tree count */
    struct cushim__tree stopped; /* the queues that this one has stopped */
    struct mock__queue *hurries; /* for schedule.c: the queue for which this one hurries */
    /* Work of this queue that waits for the host, by number; and its place among such queues. */
    struct cushim__tree held;
    struct cushim__tree_node by_slot;
    /*
     * Of a queue of a graph: the plan that it belongs to (node/graph_exec.h). While running work
     * submits more: that work.
     */
    struct mock__plan *plan;
    const struct mock__work *outer;
    /* List of the blocking queues whose work no work of the legacy stream waits for yet. */
    struct mock__queue *next_turn, **link_turn;
};

struct mock__point {
    struct mock__queue *queue; /* NULL: always reached */
    uint64_t number;
    struct mock__clock *clock; /* what is ordered before work that waits for the point */
};

struct mock__work_type {
    const char *name;
    bool host; /* calls a function of the program, in the mock's thread and without the lock */
    bool any_memory;      /* uses memory that its submission need not name, as kernels do */
    CUgraphNodeType node; /* its kind of node in a graph, if it has copy() */
    /*
     * For work that waits for a change that no call announces, such as a value in memory: ready()
     * tells whether it may run now. stuck() is called when a wait has lasted long and no other work
     * can run.
     */
    bool (*ready)(const struct mock__work *work);
    void (*stuck)(struct mock__work *work);
    /* Work is run only if its context is not broken, except for host work. */
    void (*run)(struct mock__work *work);
    struct mock__load (*load)(const struct mock__work *work); /* its device time; NULL: none */
    void (*watch)(struct mock__work *work);  /* tells check/host_watch.h its memory; or NULL */
    void (*finish)(struct mock__work *work); /* frees what the work holds; or NULL */
    /*
     * Makes the same work again, for a launch of a graph. NULL: a graph cannot contain such work.
     */
    CUresult (*copy)(const struct mock__work *work, struct mock__work **ret_copy);
    /* Of a graph's node that frees memory: the memory's address. NULL of all others. */
    CUdeviceptr (*frees)(const struct mock__work *work);
    /* Submits the work if mock__work_submit() alone does not suffice; or NULL. */
    CUresult (*submit)(struct mock__queue *queue, struct mock__work *work);
};

/* The first member of every kind of work. */
struct mock__work {
    const struct mock__work_type *type;
    struct mock__queue *queue;
    struct mock__work *next;            /* in its queue */
    struct mock__work *next_call;       /* in the list of calls for the mock's thread */
    uint64_t ticket;                    /* its number among all work of the process */
    struct cushim__tree_node by_number; /* if it waits for the host: in its queue */
    /* Done before its submission: all work up to this ticket, and what this clock has reached. */
    uint64_t behind;
    struct mock__clock *behind_too;
    uint64_t submitted_ns, begun_ns; /* device_time.c's */
    struct mock__point *waits;
    size_t n_waits;
    size_t n_reached;          /* of the first waits: they are known to be reached */
    struct mock__clock *clock; /* all that is ordered before it, and itself */
    const char *label;         /* for findings: the name of a kernel; may be NULL */
    CUcontext context;         /* of a graph's node: where it runs; NULL: anywhere */
    bool watched;    /* the host's accesses to its memory are watched: check/host_watch.h */
    bool waited;     /* the host waits for it in the same call */
    bool hurried;    /* runs as soon as possible, because its accesses are unknown before */
    bool unfinished; /* it has run, and must run again when it is ready */
    CUresult status; /* the context's state when it runs, for host work */
};

/* --- queues and points --- */

/* Makes a queue, with one reference for the caller. NULL when out of memory. */
struct mock__queue *mock__queue_new(struct mock__context *context, bool blocking, bool legacy);
void mock__queue_unref(struct mock__queue *queue);

/* Drops the owner's reference: no more work will be submitted. NULL is allowed. */
void mock__queue_leave(struct mock__queue *queue);

/* Returns the point behind all work of the queue so far. A point holds a reference on its queue. */
struct mock__point mock__queue_end(struct mock__queue *queue);
struct mock__point mock__point_copy(const struct mock__point *point);
void mock__point_clear(struct mock__point *point);
bool mock__point_reached(const struct mock__point *point);

/* Called when a queue has no work left. It may drop the last reference. */
void mock__queue_idle(struct mock__queue *queue);

/* Notes that the context of a queue is destroyed. The work of the queue is done all the same. */
void mock__queue_detach(struct mock__queue *queue);

/*
 * Return the queue that last came to have work, of all, and of a context; NULL if none has any.
 * next_busy leads to the others, and next_in_context to those that are blocking as well, or are
 * not.
 */
struct mock__queue *mock__busy_queues(void);
struct mock__queue *mock__busy_queue_of(const struct mock__context *context);

/*
 * Counts the queues whose first work is ready, and returns one of them, in the order in which that
 * work was submitted.
 */
size_t mock__ready_count(void);
struct mock__queue *mock__ready_queue(size_t i);

/* The first of them. */
struct mock__queue *mock__ready_first(void);

/* --- work --- */

/*
 * Allocates zeroed work of a type. size is the size of the structure that begins with struct
 * mock__work. NULL when out of memory.
 */
void *mock__work_new(const struct mock__work_type *type, size_t size);

/* Frees work that was not submitted. NULL is allowed. */
void mock__work_free(void *work);

/* Makes work that does nothing, for waiting. NULL when out of memory. */
struct mock__work *mock__work_nothing(void);

/*
 * Notes that the host has waited for everything before the clock, or is told that it is done by a
 * host function. Called when all of that is done, not before the wait: later submissions count as
 * ordered after it, and work that runs later is watched for the host's accesses until the host
 * learns more.
 */
void mock__host_waited(const struct mock__clock *clock);

/*
 * These note what was done before the driver went on: all work up to a ticket, such as the last
 * one, or what a clock has reached, such as that of one context. That orders all later work after
 * it. But the program did not wait for it, so the host's own accesses are not ordered.
 */
uint64_t mock__work_last(void);
void mock__work_settled(uint64_t ticket);
void mock__work_settled_too(const struct mock__clock *clock);

/* Orders later work of the queue after the clock, for points that are already reached. */
void mock__queue_follow(struct mock__queue *queue, const struct mock__clock *clock);

/*
 * Submitted work waits for the host while it is to call the host, or waits for a change that no
 * call announces. Returns such work that is before another piece of submitted work, and is not
 * done; NULL if there is none.
 */
const struct mock__work *mock__work_holding(const struct mock__work *later);

/*
 * Makes work wait for a point, in addition to the work before it in its queue. The caller keeps the
 * point. False when out of memory.
 */
bool mock__work_wait_for(struct mock__work *work, const struct mock__point *point);

/* Forgets the points that work has waited for. All of them are reached. */
void mock__work_waited(struct mock__work *work);

/*
 * Appends work to a queue, and orders it with the legacy stream if the queue is blocking. If the
 * result is CUDA_ERROR_OUT_OF_MEMORY, the caller still owns the work. What running work submits
 * (queue->outer) counts as a part of that work: it comes after nothing that the host has done or
 * submitted since.
 */
CUresult mock__work_submit(struct mock__queue *queue, void *work);

/*
 * Submits work with the function of its type, or else with mock__work_submit(). It takes over the
 * work in every case.
 */
CUresult mock__work_give(struct mock__queue *queue, void *work);

/* Tells whether the queue's first work can run now. */
bool mock__queue_ready(const struct mock__queue *queue);

/* Mark the begin and the end of a queue's first work. It runs in between. */
struct mock__work *mock__work_begin(struct mock__queue *queue);
void mock__work_end(struct mock__work *work);

#endif
