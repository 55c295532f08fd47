/* SPDX-License-Identifier: MIT */
/*
 * Timelines: what was submitted to a stream, what it has waited for, and how far it is.
 *
 * A real stream has one timeline, however many handles lead to it; the per-thread default stream
 * has one a thread. What is submitted gets a number, waits included. A point, (timeline, number),
 * is reached when all that was submitted up to that number is done.
 *
 * A stream waits for a point by an event that covers it: a mark, recorded at that number or later.
 * No mark is recorded before somebody needs it, with two exceptions. No thread can record on
 * another's per-thread stream, so those are marked after each submission. And a late mark covers
 * more than was asked for: where that happens to a buffer, the work that came for it is marked at
 * once, and so is the next as long as others come for it.
 *
 * A wait is left out when the point is known to be done, when it is of the same timeline, and when
 * the waiting stream has it behind it already, directly or through others that it has waited for.
 * What a timeline has seen is kept as the number of the wait that showed it, so that a mark tells
 * how much of that it covers. Forgetting what was seen only costs a wait.
 *
 * All of a timeline but its references is under the submission lock of its context. Timelines
 * live as long as a stream or a point of a buffer refers to them, and keep their context alive.
 * The stream may be gone before: its timeline is retired, with a last mark.
 */
#ifndef CUSHIM_CORE_ORDER_TIMELINE_H
#define CUSHIM_CORE_ORDER_TIMELINE_H

#include "core/object/scope.h"

enum { CUSHIM__MARKS = 4, CUSHIM__SEEN = 64 };

struct cushim__timeline {
    struct cushim__timeline *next; /* of the context's, under its pool_lock */
    atomic_uint references;
    struct cushim__context *context;
    uint64_t id;     /* of this timeline alone, for ever */
    uint64_t thread; /* whose per-thread stream it is; 0 for other streams */
    CUstream cu;
    bool not_fast;       /* a per-thread one, recording, or retired: not for the fast way */
    atomic_bool retired; /* the stream is destroyed; written under the lock */
    struct cushim__recording *recording; /* what is submitted is recorded here (graph.h), or NULL */

    uint64_t submitted; /* the last number */
    uint64_t done;      /* all up to this is known to be done */
    /* The oldest is recorded anew; waits for it that have begun are not changed by that. */
    struct cushim__mark {
        CUevent event;
        uint64_t number; /* 0: not recorded */
        bool early;      /* before anybody asked */
    } marks[CUSHIM__MARKS];
    unsigned next_mark;
    struct {
        uint64_t id, number; /* this point of another timeline lies before */
        uint64_t at;         /* what has this number here, and later */
    } seen[CUSHIM__SEEN];
    unsigned n_seen;
};

struct cushim__point {
    struct cushim__timeline *timeline; /* NULL: always reached */
    uint64_t number;
};

/* A number for the calling thread that no other thread ever has. */
uint64_t cushim__thread_number(void);

/*
 * The timeline of a stream, with a reference for the caller: the one that there is, or a new one.
 * thread is the calling thread's number for the per-thread stream, 0 for all others.
 */
struct cushim__timeline *cushim__timeline_get(struct cushim__context *context, CUstream cu,
                                              uint64_t thread);

static inline struct cushim__timeline *cushim__timeline_ref(struct cushim__timeline *timeline)
{
    atomic_fetch_add_explicit(&timeline->references, 1, memory_order_relaxed);
    return timeline;
}

/* NULL is fine. */
void cushim__timeline_unref(struct cushim__timeline *timeline);

/* Can the calling thread submit to it? */
static inline bool cushim__timeline_usable(const struct cushim__timeline *timeline)
{
    return !timeline->retired && (!timeline->thread || timeline->thread == cushim__thread_number());
}

/* What follows is called under the submission locks of all the contexts that it is about. */

static inline bool cushim__point_done(const struct cushim__point *point)
{
    return !point->timeline || point->number <= point->timeline->done;
}

/*
 * Makes timeline wait for a point, if it must. ret_early is set to true if it is good to mark
 * early: the mark was made so, or it came late and covers more than the point.
 */
cushim_status cushim__timeline_wait(const struct cushim__scope *scope,
                                    struct cushim__timeline *timeline,
                                    const struct cushim__point *point, bool *ret_early);

/* Makes timeline wait for all that was submitted to other so far, known or not. */
cushim_status cushim__timeline_join(const struct cushim__scope *scope,
                                    struct cushim__timeline *timeline,
                                    struct cushim__timeline *other);

/* Timeline has been made to wait for what other had submitted up to number. */
void cushim__timeline_learn(struct cushim__timeline *timeline, const struct cushim__timeline *other,
                            uint64_t number);

/* A mark that covers a number, recorded now if there is none. */
cushim_status cushim__timeline_mark(const struct cushim__scope *scope,
                                    struct cushim__timeline *timeline, uint64_t number,
                                    struct cushim__mark *ret_mark);

/*
 * Marks the last submission, so that nobody has to do it later. Where that fails, it waits
 * until the stream is done.
 */
void cushim__timeline_mark_now(const struct cushim__scope *scope,
                               struct cushim__timeline *timeline);

static inline void cushim__timeline_done(struct cushim__timeline *timeline, uint64_t number)
{
    if (number > timeline->done)
        timeline->done = number;
}

/* The stream is about to be destroyed. */
void cushim__timeline_retire(const struct cushim__scope *scope, struct cushim__timeline *timeline);

/* Waits for all work of the scope's context. Not under the lock. */
cushim_status cushim__synchronize_context(struct cushim__scope *scope);

#endif
