/* SPDX-License-Identifier: MIT */
/*
 * Work that was submitted and is not done yet.
 *
 * A queue is a queue of work that is done in its order: what a stream is made of. It
 * outlives the stream's handle until its work is done. A point is a place in a queue: it is
 * reached when all work up to it is done. Work waits for points of other queues; that is
 * all the order there is between queues.
 *
 * Which of the work that could be done next is done next, and when, is drawn from the
 * seed (schedule.c). Callers hold the process-wide lock; functions that wait give it up
 * meanwhile, so whatever a caller looked up before may be gone afterwards.
 */
#ifndef CUSHIM_MOCK_QUEUE_WORK_H
#define CUSHIM_MOCK_QUEUE_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mock/functions.h"
#include "mock/queue/device_time.h"

struct mock__clock;
struct mock__context;
struct mock__work;

struct mock__queue {
    struct mock__context *context; /* NULL once it is gone */
    bool blocking;                 /* takes turns with the context's legacy stream */
    bool legacy;                   /* is that stream */
    bool of_graph;                 /* is part of an executable graph, and not a stream */
    bool running;                  /* its first work is under way */
    bool owned;                    /* by a stream or a graph: more may be submitted */
    unsigned references;
    uint64_t
        stream_id; /* for findings, as the label: the stream may be gone; or a graph's number */
    char stream_label[32];
    unsigned slot;             /* of clocks */
    uint64_t submitted, done;  /* how much, counting on from the slot's last queue */
    uint64_t ends[MOCK__ENDS]; /* device_time.c's */
    struct mock__clock *clock; /* of what was submitted last */
    struct mock__work *first, *last;
    struct mock__queue *next_busy, **link_busy; /* among the queues that have work left */
    struct mock__queue *earlier, *later;        /* the same, by the tickets of their first work */
    /* Among blocking queues with work that no work of the legacy stream lies behind yet. */
    struct mock__queue *next_turn, **link_turn;
};

struct mock__point {
    struct mock__queue *queue; /* NULL: reached */
    uint64_t number;
    struct mock__clock *clock; /* what lies before whoever waits for it */
};

struct mock__work_type {
    const char *name;
    bool host; /* calls a function of the program, on a thread of the mock's, without the lock */
    CUgraphNodeType node; /* what it is in a graph, if it can be copied */
    /*
     * For work that waits for something that nobody tells of: may it be done now? stuck is told
     * when somebody has waited for long and there is nothing else to do.
     */
    bool (*ready)(const struct mock__work *work);
    void (*stuck)(struct mock__work *work);
    /* Work that is not host work is only run in a context that is not broken. */
    void (*run)(struct mock__work *work);
    struct mock__load (*load)(const struct mock__work *work); /* NULL: it takes no time */
    void (*watch)(struct mock__work *work);  /* tells host_watch.h what it will use; may be NULL */
    void (*finish)(struct mock__work *work); /* gives back what the work holds; may be NULL */
    /* Work that does the same, for a launch of a graph. NULL: such work is not for graphs. */
    CUresult (*copy)(const struct mock__work *work, struct mock__work **ret_copy);
    /* Submits it, where there is more to do than mock__work_submit() does; may be NULL. */
    CUresult (*submit)(struct mock__queue *queue, struct mock__work *work);
};

/* The first member of every kind of work. */
struct mock__work {
    const struct mock__work_type *type;
    struct mock__queue *queue;
    struct mock__work *next;      /* in its queue */
    struct mock__work *next_call; /* among the calls that the host thread is to make */
    uint64_t ticket;              /* its number among all work of the process */
    uint64_t behind;              /* all work up to this ticket was done before it was submitted */
    uint64_t submitted_ns, begun_ns; /* device_time.c's */
    struct mock__point *waits;
    size_t n_waits;
    struct mock__clock *clock; /* what lies before it, and itself */
    const char *label;         /* for findings: the name of a kernel; may be NULL */
    CUcontext context; /* of a graph's node: where it is done, NULL if that is all the same */
    bool watched;      /* the host's accesses meanwhile are: host_watch.h */
    bool waited;       /* the host waits for it in the same call */
    bool hurried;      /* it is done as soon as it can be, as it shows only then what it uses */
    bool unfinished;   /* it was run, and is to be run again when it is ready */
    CUresult status;   /* of the context when it is run: host work is told */
};

/* --- queues and points --- */

/* NULL if there is no memory. The caller has the first reference. */
struct mock__queue *mock__queue_new(struct mock__context *context, bool blocking, bool legacy);
void mock__queue_unref(struct mock__queue *queue);

/* Gives up the first reference: no more will be submitted. NULL does nothing. */
void mock__queue_leave(struct mock__queue *queue);

/* The point behind everything that the queue was given so far. Holds a reference. */
struct mock__point mock__queue_end(struct mock__queue *queue);
struct mock__point mock__point_copy(const struct mock__point *point);
void mock__point_clear(struct mock__point *point);
bool mock__point_reached(const struct mock__point *point);

/* The queues that have work left, linked by next_busy; and by `later`, in the order of their first
 * work's submission. */
struct mock__queue *mock__busy_queues(void);
struct mock__queue *mock__earliest_queue(void);

/* --- work --- */

/* Zeroed work of a type; size is that of the structure that begins with it. NULL: no memory. */
void *mock__work_new(const struct mock__work_type *type, size_t size);

/* For work that is not submitted after all. NULL does nothing. */
void mock__work_free(void *work);

/* Work that does nothing, and can be waited for. NULL: no memory. */
struct mock__work *mock__work_nothing(void);

/* The host has waited for what lies before the clock. */
void mock__host_waited(const struct mock__clock *clock);

/*
 * Work up to a ticket, such as the last one's, was done before the driver went on. That orders all
 * work submitted from now on; but it is nothing that the program has asked to know.
 */
uint64_t mock__work_last(void);
void mock__work_settled(uint64_t ticket);

/* What is submitted to the queue from now on comes after the clock. For points already reached. */
void mock__queue_follow(struct mock__queue *queue, const struct mock__clock *clock);

/*
 * Makes the work wait for a point, besides what is before it in its queue. The point stays the
 * caller's. False if there is no memory.
 */
bool mock__work_wait_for(struct mock__work *work, const struct mock__point *point);

/*
 * Puts the work at the end of a queue, in turn with the legacy stream where the queue takes
 * part in that. CUDA_ERROR_OUT_OF_MEMORY leaves the work the caller's.
 */
CUresult mock__work_submit(struct mock__queue *queue, void *work);

/* The same in the way of the work's type. Takes over the work, whatever it answers. */
CUresult mock__work_give(struct mock__queue *queue, void *work);

/* Can the queue's first work be done now? */
bool mock__queue_ready(const struct mock__queue *queue);

/* Begins and ends a queue's first work. Between the two it is run. */
struct mock__work *mock__work_begin(struct mock__queue *queue);
void mock__work_end(struct mock__work *work);

#endif
