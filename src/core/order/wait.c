/* SPDX-License-Identifier: MIT */
#include "core/order/wait.h"

#include "base/log.h"

/* Marks to wait for. Their timelines have a reference, because the wait holds no lock. */
struct pending {
    const struct cushim__scope *scope;
    struct cushim__point busy; /* a point that cannot be marked yet */
    struct {
        struct cushim__timeline *timeline;
        struct cushim__mark mark;
    } list[8];
    unsigned n;
    cushim_status status;
};

static bool collect(const struct cushim__point *point, void *user)
{
    struct pending *p = user;

    if (cushim__point_done(point))
        return true;
    if (p->n == ARRAY_SIZE(p->list))
        return false;
    p->status = cushim__point_mark(p->scope, point, &p->list[p->n].mark, &p->busy);
    if (p->status || p->busy.timeline)
        return false;
    p->list[p->n++].timeline = cushim__timeline_ref(point->timeline);
    return true;
}

/*
 * Waits for the marks in the calling thread without locks, so that other threads can go on
 * submitting. The lock is taken only to note what is done.
 */
static cushim_status wait_for_pending(struct pending *p)
{
    cushim_status status = CUSHIM_OK;

    for (unsigned i = 0; i < p->n; i++) {
        struct cushim__timeline *timeline = p->list[i].timeline;

        if (!status)
            status = CU_CALL(p->scope, cuEventSynchronize, (p->list[i].mark.event));
        if (!status) {
            cushim__lock(timeline->context);
            cushim__timeline_done(timeline, p->list[i].mark.number);
            cushim__unlock(timeline->context);
        }
        cushim__timeline_unref(timeline);
    }
    return status;
}

/*
 * Asks for the marks instead of waiting for them. CUDA_ERROR_NOT_READY if one is not reached, which
 * does not change the thread's last error.
 */
static cushim_status ask_for_pending(struct pending *p)
{
    cushim_status status = CUSHIM_OK;

    for (unsigned i = 0; i < p->n; i++) {
        struct cushim__timeline *timeline = p->list[i].timeline;

        if (!status)
            status = CU_FN(p->scope->table, cuEventQuery)(p->list[i].mark.event);
        if (!status) {
            cushim__lock(timeline->context);
            cushim__timeline_done(timeline, p->list[i].mark.number);
            cushim__unlock(timeline->context);
        } else if (status != CUDA_ERROR_NOT_READY && status != p->status) {
            status = p->status = cushim__fail_driver(p->scope, status, "cuEventQuery");
        }
        cushim__timeline_unref(timeline);
    }
    return status;
}

/* Called without locks. Tells whether there is more to wait for. */
static bool go_on(struct pending *p, cushim_status (*look)(struct pending *p))
{
    const bool busy = p->busy.timeline;
    cushim_status status;

    if (busy)
        p->status = cushim__point_mark_soon(p->scope, &p->busy);
    status = look(p);
    if (status)
        p->status = status;
    return (p->n || busy) && !p->status;
}

/*
 * Repeats until nothing is pending: there may be more points than the list has room for, and other
 * threads may submit work on the memory during the wait.
 */
static cushim_status settle(struct cushim__scope *scope, const struct cushim__access *access,
                            cushim_status (*look)(struct pending *p))
{
    struct pending p;

    do {
        struct cushim__locks locks = {.n = 0};

        p = (struct pending){.scope = scope};
        p.status = cushim__lock_all(scope, &locks, access, 1);
        if (p.status) {
            cushim__locks_forget(&locks);
            return p.status;
        }
        cushim__buffer_each(access->buffer, access->begin, access->end, access->write, collect, &p);
        cushim__unlock_all(&locks);
    } while (go_on(&p, look));
    return p.status;
}

cushim_status cushim__timeline_settle(struct cushim__scope *scope,
                                      struct cushim__timeline *timeline)
{
    struct cushim__point point = {timeline, cushim__timeline_issued(timeline)};
    struct pending p;

    do {
        p = (struct pending){.scope = scope};
        cushim__lock(timeline->context);
        collect(&point, &p);
        cushim__unlock(timeline->context);
    } while (go_on(&p, wait_for_pending));
    return p.status;
}

cushim_status cushim__buffer_synchronize(struct cushim__scope *scope,
                                         const struct cushim__access *access)
{
    return settle(scope, access, wait_for_pending);
}

cushim_status cushim__buffer_query(struct cushim__scope *scope, const struct cushim__access *access)
{
    return settle(scope, access, ask_for_pending);
}

cushim_status cushim__timeline_synchronize(struct cushim__scope *scope,
                                           struct cushim__timeline *timeline)
{
    CUstream cu = NULL;
    cushim_status status;
    uint64_t number;

    CUSHIM_TRY(cushim__timeline_hold(scope, timeline, &cu));
    /* Read before the wait: other threads may submit during it. */
    number = cushim__timeline_issued(timeline);
    status = CU_CALL(scope, cuStreamSynchronize, (cu));
    cushim__timeline_let_go(scope, timeline);
    if (status)
        return status;
    cushim__lock(timeline->context);
    cushim__timeline_done(timeline, number);
    cushim__unlock(timeline->context);
    return CUSHIM_OK;
}

/* --- before memory is freed --- */

/* Some of the last uses of a buffer, after those that are skipped. */
struct uses {
    unsigned skip, n;
    struct cushim__timeline *list[8]; /* each with a reference */
};

static bool list_use(const struct cushim__point *point, void *user)
{
    struct uses *u = user;

    if (u->skip) {
        u->skip--;
        return true;
    }
    if (u->n == ARRAY_SIZE(u->list))
        return false;
    u->list[u->n++] = cushim__timeline_ref(point->timeline);
    return true;
}

/*
 * Waits for a stream itself, unless the program captures it: the wait would ruin that. Of a stream
 * that is freed, or another thread's, the work has a mark.
 */
static cushim_status wait_for_stream(struct cushim__scope *scope, struct cushim__timeline *timeline)
{
    CUstream cu = NULL;
    cushim_status status;
    int capture = 0;

    if (!cushim__timeline_usable(timeline) || cushim__timeline_hold(scope, timeline, &cu))
        return cushim__timeline_settle(scope, timeline);
    status = CU_CALL(scope, cuStreamIsCapturing, (cu, &capture));
    if (!status && capture)
        status = cushim__fail_at(CUSHIM_ERROR_CAPTURING, scope->call, scope->label,
                                 "%s: the program captures a stream that has used the memory",
                                 scope->call);
    if (!status)
        status = CU_CALL(scope, cuStreamSynchronize, (cu));
    cushim__timeline_let_go(scope, timeline);
    return status;
}

static cushim_status wait_in_context(const struct cushim__scope *scope,
                                     struct cushim__timeline *timeline)
{
    struct cushim__scope inside;
    cushim_status status;

    /* If this context cannot be made current, the first call says so. */
    cushim__scope_to_free(timeline->context, scope->call, scope->label, &inside);
    status = wait_for_stream(&inside, timeline);
    return cushim__scope_leave(&inside, status);
}

/* Nothing uses the memory any more, so the points stay as they are during the waits. */
static cushim_status wait_for_streams(const struct cushim__scope *scope,
                                      struct cushim__buffer *buffer)
{
    cushim_status status = CUSHIM_OK;
    struct uses u = {.n = ARRAY_SIZE(u.list)};

    for (unsigned seen = 0; u.n == ARRAY_SIZE(u.list); seen += u.n) {
        u = (struct uses){.skip = seen};
        cushim__lock(buffer->context);
        cushim__buffer_each(buffer, 0, buffer->bytes, true, list_use, &u);
        cushim__unlock(buffer->context);
        for (unsigned i = 0; i < u.n; i++) {
            if (!status)
                status = wait_in_context(scope, u.list[i]);
            cushim__timeline_unref(u.list[i]);
        }
    }
    return status;
}

bool cushim__buffer_is_unused(struct cushim__scope *scope, struct cushim__buffer *buffer)
{
    const struct cushim__access all = {buffer, 0, buffer->bytes, true};

    if (!cushim__buffer_synchronize(scope, &all))
        return true;
    cushim__defer_error(scope->context);
    if (!wait_for_streams(scope, buffer))
        return true;
    cushim__defer_error(scope->context);
    cushim__log(CUSHIM_LOG_ERROR, "%s: what may still be in use is never freed", scope->call);
    return false;
}

cushim_status cushim__poll(cushim_status (*ask)(uint64_t id, const char *call), uint64_t id,
                           uint64_t nanoseconds, const char *call)
{
    const uint64_t start = cushim__now_ns();
    const uint64_t deadline = nanoseconds < UINT64_MAX - start ? start + nanoseconds : UINT64_MAX;
    cushim_status status;

    for (unsigned asked = 0;; asked++) {
        /* Before the question: an answer that took long is not the last one. */
        const uint64_t now = cushim__now_ns();

        status = ask(id, call);
        if (status != CUDA_ERROR_NOT_READY)
            return status;
        if (!cushim__poll_pause(asked, now, deadline))
            return cushim__fail_at(CUDA_ERROR_NOT_READY, call, NULL,
                                   "%s: the work is not done after %llu us", call,
                                   (unsigned long long) nanoseconds / 1000);
    }
}
