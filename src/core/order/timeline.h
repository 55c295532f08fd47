/* SPDX-License-Identifier: MIT */
/*
 * Timelines. A timeline records what was submitted to a stream, what the stream has waited for, and
 * how much of it is known to be done.
 *
 * A CUstream has one timeline, however many handles name it. The per-thread default stream has one
 * timeline for each thread. Each submission gets a number, and so does each wait. A point,
 * (timeline, number), is reached when all submissions up to that number are done.
 *
 * A stream waits for a point through a mark: an event that was recorded at that number or later. A
 * mark is recorded only when a stream needs it, with two exceptions. A thread cannot record an
 * event in the per-thread stream of another thread, so such streams are marked after each
 * submission. And a mark that is recorded late covers more work than necessary. If that happens for
 * a buffer, the next work on the buffer is marked at once, as long as other streams keep waiting
 * for that buffer.
 *
 * The stream lock of a timeline is held from the moment when a submission gets its number until the
 * driver has accepted the work. So the driver sees the work of one stream in the order of the
 * numbers, and a mark covers all numbers that were given before it. A thread that waits for the
 * driver on one stream does not stop threads that submit to other streams.
 *
 * A wait is not necessary if the point is known to be done, if it is on the same timeline, or if
 * the stream has already waited for it, directly or through another stream. For this a timeline
 * keeps a list of seen points, each with the number of the wait that made it seen, so that a mark
 * tells which of them it covers. The list has a fixed size: dropping an entry only costs an
 * unnecessary wait.
 *
 * The context lock protects all of a timeline except its references. What a submission changes is
 * changed under the stream lock as well: so a thread that has one of the two locks may read it. The
 * stream lock comes before the context lock.
 *
 * A timeline exists as long as a stream or a point of a buffer refers to it, and it keeps its
 * context. If the stream is destroyed before, the timeline gets a last mark and is retired.
 */
#ifndef CUSHIM_CORE_ORDER_TIMELINE_H
#define CUSHIM_CORE_ORDER_TIMELINE_H

#include "core/object/scope.h"

enum { CUSHIM__MARKS = 4, CUSHIM__SEEN = 64 };

struct cushim__timeline {
    struct cushim__timeline *next; /* in the context's list, under its pool lock */
    atomic_uint references;
    struct cushim__context *context;
    uint64_t id;     /* unique: never used by another timeline */
    uint64_t thread; /* the thread of a per-thread stream; 0 for other streams */
    CUstream cu;
    struct cushim__handle_lock *lock; /* the stream lock */
    atomic_bool not_fast;             /* per-thread, recording or retired: not for the fast path */
    atomic_bool retired;              /* the stream is destroyed; written under all locks */
    atomic_bool recorded;             /* retired, because its recording has ended */
    atomic_bool adopted;              /* the program destroys the stream, and does not say when */
    struct cushim__branch *_Atomic branch; /* records all submissions (recording.h), or NULL */
    struct cushim__timeline
        *origin; /* a recorder uses its lock, and a fork its CUstream; or NULL */

    uint64_t submitted;      /* the number of the last submission */
    _Atomic uint64_t issued; /* the driver has accepted all submissions up to this number */
    uint64_t done;           /* all submissions up to this number are known to be done */
    /*
     * A range that the timeline reads again and again, like other timelines, and the last number
     * that has read it: noted here, so that their threads do not all write to one cache line. The
     * reading point gets it when somebody looks (buffer.c). NULL if there is none.
     */
    struct cushim__range *again;
    uint64_t again_number;
    /* The oldest mark is recorded again; a wait for it that exists is not affected. */
    struct cushim__mark {
        CUevent event;
        uint64_t number; /* 0: not recorded */
        bool early;      /* recorded before a stream needed it */
    } marks[CUSHIM__MARKS];
    unsigned next_mark;
    struct {
        uint64_t id, number; /* a point of another timeline that is seen */
        uint64_t at;         /* seen by submissions with this number and later ones */
    } seen[CUSHIM__SEEN];
    unsigned n_seen;

    /* Under the stream lock: calls that use the stream without it, cushim__timeline_hold(). */
    unsigned held;
    CUstream ending; /* the stream, if it is to be destroyed when none holds it; or NULL */
};

struct cushim__point {
    struct cushim__timeline *timeline; /* NULL: always reached */
    uint64_t number;
};

/* Returns a number for the calling thread that no other thread ever gets. */
uint64_t cushim__thread_number(void);

/* CUSHIM_ERROR_STALE_HANDLE, for a stream that is retired: it was freed, or its recording ended. */
cushim_status cushim__fail_freed(const struct cushim__scope *scope,
                                 const struct cushim__timeline *timeline);

/*
 * Returns the timeline of a stream, with a reference for the caller. It is made if there is none
 * yet. thread is the calling thread's number for the per-thread stream, and 0 for other streams.
 * NULL when out of memory.
 */
struct cushim__timeline *cushim__timeline_get(struct cushim__context *context, CUstream cu,
                                              uint64_t thread);

static inline struct cushim__timeline *cushim__timeline_ref(struct cushim__timeline *timeline)
{
    atomic_fetch_add_explicit(&timeline->references, 1, memory_order_relaxed);
    return timeline;
}

/*
 * Returns a timeline with the CUstream and the stream lock of another one, for a recorder, with a
 * reference for the caller. NULL when out of memory.
 */
struct cushim__timeline *cushim__timeline_fork(struct cushim__timeline *parent);

/*
 * Makes a timeline for a CUstream that records a body of a conditional node, with the stream lock
 * of the outer recorder. NULL when out of memory.
 */
struct cushim__timeline *cushim__timeline_body(struct cushim__timeline *outer, CUstream cu);

/* Drops a reference. NULL is allowed. */
void cushim__timeline_unref(struct cushim__timeline *timeline);

/* Tells whether work of the calling thread would run on the timeline's stream. */
static inline bool cushim__timeline_usable(const struct cushim__timeline *timeline)
{
    return !timeline->retired && !timeline->branch &&
           (!timeline->thread || timeline->thread == cushim__thread_number());
}

static inline void cushim__timeline_lock(const struct cushim__timeline *timeline)
{
    cushim__handle_lock(timeline->lock);
}

/* Notes that the driver has accepted all submissions, and releases the stream lock. */
static inline void cushim__timeline_unlock(struct cushim__timeline *timeline)
{
    atomic_store_explicit(&timeline->issued, timeline->submitted, memory_order_release);
    cushim__handle_unlock(timeline->lock);
}

/*
 * Returns the last number that the driver has accepted all work of. Work with a higher number may
 * be on its way to the driver, so a wait for the stream says nothing about it. Called with any
 * locks.
 */
static inline uint64_t cushim__timeline_issued(const struct cushim__timeline *timeline)
{
    return atomic_load_explicit(&timeline->issued, memory_order_acquire);
}

/*
 * The caller of the functions below holds the context locks of all their timelines, and the stream
 * lock of the timelines that are named `timeline`.
 */

static inline bool cushim__point_done(const struct cushim__point *point)
{
    return !point->timeline || point->number <= point->timeline->done;
}

/*
 * Makes timeline wait for a point, if that is necessary. *ret_early is set to true if later work
 * should be marked early: this mark was early, or it was late and covers more than the point.
 * *ret_busy is set as by cushim__point_mark().
 */
cushim_status cushim__timeline_wait(const struct cushim__scope *scope,
                                    struct cushim__timeline *timeline,
                                    const struct cushim__point *point, bool *ret_early,
                                    struct cushim__point *ret_busy);

/*
 * Returns a mark that covers a point. The caller need not hold the stream lock of the point. If
 * there is no such mark, and another thread holds that lock, *ret_busy is the point, with a
 * reference on its timeline: then the caller releases all locks, calls cushim__point_mark_soon(),
 * and begins again.
 */
cushim_status cushim__point_mark(const struct cushim__scope *scope,
                                 const struct cushim__point *point, struct cushim__mark *ret_mark,
                                 struct cushim__point *ret_busy);

/*
 * Waits for the stream lock of a point, marks the point if no mark covers it, and drops the
 * reference. Called without locks.
 */
cushim_status cushim__point_mark_soon(const struct cushim__scope *scope,
                                      struct cushim__point *point);

/*
 * Makes timeline wait for everything in the stream of other, including work that cushim has not
 * submitted. They are different, and the stream lock of other is held, too.
 */
cushim_status cushim__timeline_join(const struct cushim__scope *scope,
                                    struct cushim__timeline *timeline,
                                    struct cushim__timeline *other);

/* Notes that timeline now waits for the submissions of other up to number. */
void cushim__timeline_learn(struct cushim__timeline *timeline, const struct cushim__timeline *other,
                            uint64_t number);

/* Returns a mark that covers a number. If there is none, it is recorded now. */
cushim_status cushim__timeline_mark(const struct cushim__scope *scope,
                                    struct cushim__timeline *timeline, uint64_t number,
                                    struct cushim__mark *ret_mark);

/*
 * Marks the last submission early. If that fails, it waits until the stream is done instead. False
 * if that fails, too. It does not change the thread's last error.
 */
bool cushim__timeline_mark_now(const struct cushim__scope *scope,
                               struct cushim__timeline *timeline);

/* Notes that all submissions up to number are done. */
static inline void cushim__timeline_done(struct cushim__timeline *timeline, uint64_t number)
{
    if (number > timeline->done)
        timeline->done = number;
}

/*
 * Marks all of a per-thread stream of the calling thread after waits, because no other thread can
 * do that later. Other streams are marked when somebody needs it.
 */
static inline void cushim__timeline_mark_waits(const struct cushim__scope *scope,
                                               struct cushim__timeline *timeline)
{
    if (timeline->thread && cushim__timeline_usable(timeline))
        cushim__timeline_mark_now(scope, timeline);
}

/*
 * Retires a timeline whose stream is about to be destroyed. False if its work can neither be marked
 * nor waited for: then the timeline stays as it is, and the stream must stay, too.
 */
bool cushim__timeline_retire(const struct cushim__scope *scope, struct cushim__timeline *timeline);

/*
 * Returns the stream of a timeline for driver calls without the stream lock, such as a wait. A
 * thread that frees the stream meanwhile leaves its end to cushim__timeline_let_go().
 * CUSHIM_ERROR_STALE_HANDLE if the stream was freed. Called without locks.
 */
cushim_status cushim__timeline_hold(const struct cushim__scope *scope,
                                    struct cushim__timeline *timeline, CUstream *ret_cu);
void cushim__timeline_let_go(const struct cushim__scope *scope, struct cushim__timeline *timeline);

/* Waits for all work of the scope's context. Called without locks. */
cushim_status cushim__synchronize_context(struct cushim__scope *scope);

#endif
