/* SPDX-License-Identifier: MIT */
#include "core/order/timeline.h"
#include "core/object/event_pool.h"

#include <stdlib.h>

cushim_status cushim__fail_freed(const struct cushim__scope *scope,
                                 const struct cushim__timeline *timeline)
{
    return cushim__fail_at(CUSHIM_ERROR_STALE_HANDLE, scope->call, scope->label, "%s: %s",
                           scope->call,
                           timeline->recorded ? "the recording has ended, and its streams with it"
                                              : "the stream was freed");
}

uint64_t cushim__thread_number(void)
{
    static _Atomic uint64_t last;
    static _Thread_local uint64_t number;

    if (!number)
        number = atomic_fetch_add(&last, 1) + 1;
    return number;
}

static uint64_t next_id(void)
{
    static _Atomic uint64_t last;

    return atomic_fetch_add(&last, 1) + 1;
}

/*
 * A timeline without references is being destroyed by another thread, and must not be used again.
 */
static bool ref_unless_zero(struct cushim__timeline *timeline)
{
    unsigned n = atomic_load(&timeline->references);

    while (n)
        if (atomic_compare_exchange_weak(&timeline->references, &n, n + 1))
            return true;
    return false;
}

/*
 * Under the pool lock. The driver may give the address of a destroyed stream to a new one: such a
 * timeline is retired, and its address is replaced, so that it is not found here.
 */
static struct cushim__timeline *find(struct cushim__context *context, CUstream cu, uint64_t thread)
{
    for (struct cushim__timeline *t = context->timelines; t; t = t->next)
        if (t->cu == cu && t->thread == thread && ref_unless_zero(t))
            return t;
    return NULL;
}

static void init(struct cushim__timeline *timeline, struct cushim__context *context, CUstream cu)
{
    atomic_init(&timeline->references, 1);
    cushim__context_ref(context);
    timeline->context = context;
    timeline->id = next_id();
    timeline->cu = cu;
}

static struct cushim__timeline *make(struct cushim__context *context, CUstream cu, uint64_t thread)
{
    struct cushim__timeline *timeline = cushim__zalloc_lines(sizeof(*timeline));

    if (timeline)
        timeline->lock = cushim__handle_lock_new(CUSHIM__STREAM_LOCK);
    if (!timeline || !timeline->lock) {
        free(timeline);
        return NULL;
    }
    init(timeline, context, cu);
    timeline->thread = thread;
    timeline->not_fast = thread != 0;
    timeline->next = context->timelines;
    context->timelines = timeline;
    return timeline;
}

struct cushim__timeline *cushim__timeline_get(struct cushim__context *context, CUstream cu,
                                              uint64_t thread)
{
    struct cushim__timeline *timeline;

    cushim__mutex_lock(&context->pool_lock);
    timeline = find(context, cu, thread);
    if (!timeline)
        timeline = make(context, cu, thread);
    cushim__mutex_unlock(&context->pool_lock);
    return timeline;
}

/* They are not in the list of the context: they have no work that one could wait for. */
static struct cushim__timeline *make_with(struct cushim__timeline *origin, CUstream cu)
{
    struct cushim__timeline *timeline = cushim__zalloc_lines(sizeof(*timeline));

    if (!timeline)
        return NULL;
    init(timeline, origin->context, cu);
    timeline->origin = cushim__timeline_ref(origin);
    timeline->lock = origin->lock;
    timeline->not_fast = true;
    return timeline;
}

/* A fork of a fork has the origin of that. */
struct cushim__timeline *cushim__timeline_fork(struct cushim__timeline *parent)
{
    const bool is_fork = parent->origin && parent->origin->cu == parent->cu;

    return make_with(is_fork ? parent->origin : parent, parent->cu);
}

struct cushim__timeline *cushim__timeline_body(struct cushim__timeline *outer, CUstream cu)
{
    return make_with(outer, cu);
}

static void unlink_from(struct cushim__context *context, struct cushim__timeline *timeline)
{
    for (struct cushim__timeline **t = &context->timelines; *t; t = &(*t)->next)
        if (*t == timeline) {
            *t = timeline->next;
            return;
        }
}

void cushim__timeline_unref(struct cushim__timeline *timeline)
{
    struct cushim__context *context;

    if (!timeline || atomic_fetch_sub(&timeline->references, 1) != 1)
        return;
    context = timeline->context;
    /* Until here another thread may see it in the list; it then finds no references left. */
    cushim__mutex_lock(&context->pool_lock);
    unlink_from(context, timeline);
    cushim__mutex_unlock(&context->pool_lock);
    for (size_t i = 0; i < CUSHIM__MARKS; i++)
        if (timeline->marks[i].event)
            cushim__event_give(context, timeline->marks[i].event);
    if (timeline->origin)
        cushim__timeline_unref(timeline->origin);
    else
        cushim__handle_lock_free(timeline->lock);
    free(timeline);
    cushim__context_unref(context);
}

/*
 * Adds a point to the seen points of a timeline. If the list is full, the point that was seen first
 * is dropped.
 */
static void see(struct cushim__timeline *timeline, uint64_t id, uint64_t number)
{
    unsigned i, oldest = 0;

    for (i = 0; i < timeline->n_seen && timeline->seen[i].id != id; i++)
        if (timeline->seen[i].at < timeline->seen[oldest].at)
            oldest = i;
    if (i < timeline->n_seen && timeline->seen[i].number >= number)
        return;
    if (i == CUSHIM__SEEN)
        i = oldest;
    else if (i == timeline->n_seen)
        timeline->n_seen++;
    timeline->seen[i].id = id;
    timeline->seen[i].number = number;
    timeline->seen[i].at = timeline->submitted;
}

static bool has_seen(const struct cushim__timeline *timeline, const struct cushim__point *point)
{
    for (unsigned i = 0; i < timeline->n_seen; i++)
        if (timeline->seen[i].id == point->timeline->id)
            return timeline->seen[i].number >= point->number;
    return false;
}

/*
 * The wait gets a number of its own, because a later mark covers the seen points only if it covers
 * the wait. What other had seen before number is now seen by timeline as well.
 */
void cushim__timeline_learn(struct cushim__timeline *timeline, const struct cushim__timeline *other,
                            uint64_t number)
{
    timeline->submitted++;
    see(timeline, other->id, number);
    for (unsigned i = 0; i < other->n_seen; i++)
        if (other->seen[i].at <= number && other->seen[i].id != timeline->id)
            see(timeline, other->seen[i].id, other->seen[i].number);
}

/* Returns the mark with the smallest number that covers the given one, or NULL. */
static const struct cushim__mark *find_mark(const struct cushim__timeline *timeline,
                                            uint64_t number)
{
    const struct cushim__mark *best = NULL;

    for (size_t i = 0; i < CUSHIM__MARKS; i++) {
        const struct cushim__mark *mark = &timeline->marks[i];

        if (mark->number >= number && (!best || mark->number < best->number))
            best = mark;
    }
    return best;
}

static cushim_status record_here(const struct cushim__scope *scope,
                                 struct cushim__timeline *timeline, struct cushim__mark *mark)
{
    cushim_status status = CUSHIM_OK;

    mark->number = 0;
    if (!mark->event)
        status = cushim__event_take(scope, timeline->context, &mark->event);
    if (!status)
        status = CU_CALL(scope, cuEventRecord, (mark->event, timeline->cu));
    mark->early = false;
    if (!status)
        mark->number = timeline->submitted;
    return status;
}

/* Records a mark in the timeline's own context, which may be another one than that of the call. */
static cushim_status record(const struct cushim__scope *scope, struct cushim__timeline *timeline,
                            struct cushim__mark *mark)
{
    cushim_status status;

    if (timeline->context == scope->context)
        return record_here(scope, timeline, mark);
    CUSHIM_TRY(CU_CALL(scope, cuCtxSetCurrent, (timeline->context->cu)));
    status = record_here(scope, timeline, mark);
    return cushim__scope_come_back(scope, status);
}

/*
 * A submission is counted before its mark is recorded, so number is never 0, and a mark with the
 * number 0 covers nothing.
 */
cushim_status cushim__timeline_mark(const struct cushim__scope *scope,
                                    struct cushim__timeline *timeline, uint64_t number,
                                    struct cushim__mark *ret_mark)
{
    const struct cushim__mark *mark = find_mark(timeline, number);

    if (!mark) {
        struct cushim__mark *oldest = &timeline->marks[timeline->next_mark];
        cushim_status status;

        /* Neither happens but where the driver has refused a mark before, and a wait instead. */
        if (!cushim__timeline_usable(timeline))
            return cushim__fail_at(CUSHIM_ERROR_WRONG_THREAD, scope->call, scope->label,
                                   "%s: work of another thread's default stream has no event, "
                                   "because the driver has refused to record one",
                                   scope->call);
        status = record(scope, timeline, oldest);
        if (status)
            return status;
        timeline->next_mark = (timeline->next_mark + 1) % CUSHIM__MARKS;
        mark = oldest;
    }
    *ret_mark = *mark;
    return CUSHIM_OK;
}

/*
 * Another stream's lock is only tried here: its holder may wait for the stream lock that the caller
 * holds.
 */
cushim_status cushim__point_mark(const struct cushim__scope *scope,
                                 const struct cushim__point *point, struct cushim__mark *ret_mark,
                                 struct cushim__point *ret_busy)
{
    struct cushim__timeline *timeline = point->timeline;
    const struct cushim__mark *mark = find_mark(timeline, point->number);
    cushim_status status;

    if (mark) {
        *ret_mark = *mark;
        return CUSHIM_OK;
    }
    if (!cushim__handle_trylock(timeline->lock)) {
        *ret_busy = (struct cushim__point){cushim__timeline_ref(timeline), point->number};
        return CUSHIM_OK;
    }
    status = cushim__timeline_mark(scope, timeline, point->number, ret_mark);
    cushim__timeline_unlock(timeline);
    return status;
}

/*
 * The thread that had the stream lock may have marked the point: always, if it has retired the
 * timeline, or if the stream is its per-thread stream, which no other thread can mark.
 */
cushim_status cushim__point_mark_soon(const struct cushim__scope *scope,
                                      struct cushim__point *point)
{
    struct cushim__timeline *timeline = point->timeline;
    cushim_status status = CUSHIM_OK;
    struct cushim__mark mark;

    cushim__timeline_lock(timeline);
    cushim__lock(timeline->context);
    if (!cushim__point_done(point))
        status = cushim__timeline_mark(scope, timeline, point->number, &mark);
    cushim__unlock(timeline->context);
    cushim__timeline_unlock(timeline);
    cushim__timeline_unref(timeline);
    *point = (struct cushim__point){NULL, 0};
    return status;
}

cushim_status cushim__timeline_wait(const struct cushim__scope *scope,
                                    struct cushim__timeline *timeline,
                                    const struct cushim__point *point, bool *ret_early,
                                    struct cushim__point *ret_busy)
{
    struct cushim__mark mark;
    cushim_status status;

    if (point->timeline == timeline || cushim__point_done(point) || has_seen(timeline, point))
        return CUSHIM_OK;
    status = cushim__point_mark(scope, point, &mark, ret_busy);
    if (!status && ret_busy->timeline)
        return CUSHIM_OK;
    if (!status)
        status = CU_CALL(scope, cuStreamWaitEvent, (timeline->cu, mark.event, 0));
    if (status)
        return status;
    if (mark.early || mark.number > point->number)
        *ret_early = true;
    cushim__timeline_learn(timeline, point->timeline, mark.number);
    return CUSHIM_OK;
}

cushim_status cushim__timeline_join(const struct cushim__scope *scope,
                                    struct cushim__timeline *timeline,
                                    struct cushim__timeline *other)
{
    struct cushim__mark mark;
    cushim_status status;

    /*
     * Other code may have submitted work to the stream, which no mark covers: a new number forces a
     * new mark.
     */
    other->submitted++;
    status = cushim__timeline_mark(scope, other, other->submitted, &mark);
    if (!status)
        status = CU_CALL(scope, cuStreamWaitEvent, (timeline->cu, mark.event, 0));
    if (!status)
        cushim__timeline_learn(timeline, other, mark.number);
    return status;
}

/*
 * Waits for the stream where no event can be recorded: nothing could wait for its work later. In
 * another context a default stream would be another stream.
 */
static bool wait_now(const struct cushim__scope *scope, struct cushim__timeline *timeline)
{
    int result;

    cushim__defer_error(scope->context);
    if (timeline->context != scope->context)
        return false;
    result = CU_FN(scope->table, cuStreamSynchronize)(timeline->cu);
    cushim__check_free(scope, result, "cuStreamSynchronize");
    if (!result)
        timeline->done = timeline->submitted;
    return !result;
}

bool cushim__timeline_mark_now(const struct cushim__scope *scope, struct cushim__timeline *timeline)
{
    const unsigned next = timeline->next_mark;
    struct cushim__error before;
    struct cushim__mark mark;
    bool is_safe = true;

    cushim__error_keep(&before);
    if (cushim__timeline_mark(scope, timeline, timeline->submitted, &mark)) {
        is_safe = wait_now(scope, timeline);
        cushim__error_restore(&before);
    } else if (timeline->next_mark != next) {
        timeline->marks[next].early = true;
    }
    return is_safe;
}

bool cushim__timeline_retire(const struct cushim__scope *scope, struct cushim__timeline *timeline)
{
    const bool has_points = atomic_load(&timeline->references) > 1;

    if (has_points && timeline->done < timeline->submitted && cushim__timeline_usable(timeline) &&
        !cushim__timeline_mark_now(scope, timeline))
        return false;
    cushim__mutex_lock(&timeline->context->pool_lock);
    timeline->retired = timeline->not_fast = true;
    timeline->cu = (CUstream) -1; /* no new stream has this address, so find() does not return it */
    cushim__mutex_unlock(&timeline->context->pool_lock);
    return true;
}

cushim_status cushim__timeline_hold(const struct cushim__scope *scope,
                                    struct cushim__timeline *timeline, CUstream *ret_cu)
{
    bool retired;

    cushim__timeline_lock(timeline);
    retired = timeline->retired;
    timeline->held += !retired;
    *ret_cu = timeline->cu;
    cushim__timeline_unlock(timeline);
    return retired ? cushim__fail_freed(scope, timeline) : CUSHIM_OK;
}

void cushim__timeline_let_go(const struct cushim__scope *scope, struct cushim__timeline *timeline)
{
    CUstream ending = NULL;

    cushim__timeline_lock(timeline);
    if (!--timeline->held)
        ending = TAKE_PTR(timeline->ending);
    cushim__timeline_unlock(timeline);
    if (ending)
        CU_FREE(scope, cuStreamDestroy_v2, (ending));
}

/* The last submission of a timeline when a wait began. */
struct before {
    struct cushim__timeline *timeline;
    uint64_t number;
};

/*
 * Returns an array that ends with NULL. When out of memory it returns NULL: then the wait is done,
 * but nothing is noted as done.
 */
static struct before *note_all(struct cushim__context *context)
{
    struct before *list;
    size_t n = 0;

    cushim__mutex_lock(&context->pool_lock);
    for (struct cushim__timeline *t = context->timelines; t; t = t->next)
        n++;
    list = calloc(n + 1, sizeof(*list));
    n = 0;
    for (struct cushim__timeline *t = context->timelines; list && t; t = t->next)
        if (ref_unless_zero(t))
            list[n++] = (struct before){t, cushim__timeline_issued(t)};
    cushim__mutex_unlock(&context->pool_lock);
    return list;
}

/*
 * The numbers are read before the wait, because other threads may submit during it. The wait holds
 * no lock, so that they can. The driver would refuse to wait while a stream records, and would make
 * the recording useless.
 */
cushim_status cushim__synchronize_context(struct cushim__scope *scope)
{
    SCOPED_FREE struct before *list = NULL;
    cushim_status status;
    unsigned recordings;

    list = note_all(scope->context);
    cushim__lock(scope->context);
    recordings = scope->context->recordings;
    /* From here on no recording begins: a wait for the context would ruin it. */
    scope->context->waits++;
    cushim__unlock(scope->context);
    if (recordings)
        status = cushim__fail_at(CUSHIM_ERROR_CAPTURING, scope->call, scope->label,
                                 "%s: %u %s for a graph: wait for single streams, or call "
                                 "cushim_capture_end() first",
                                 scope->call, recordings,
                                 recordings == 1 ? "of its streams records"
                                                 : "of its streams record");
    else
        status = CU_CALL(scope, cuCtxSynchronize, ());
    cushim__lock(scope->context);
    scope->context->waits--;
    for (struct before *b = list; !status && b && b->timeline; b++)
        cushim__timeline_done(b->timeline, b->number);
    cushim__unlock(scope->context);
    for (struct before *b = list; b && b->timeline; b++)
        cushim__timeline_unref(b->timeline);
    return status;
}
