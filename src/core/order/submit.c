/* SPDX-License-Identifier: MIT */
#include "core/order/submit.h"

#include "core/order/buffer_fast.h"
#include "core/order/recording.h"

/*
 * Adds a context to a list that is sorted by the addresses of the locks: the order for taking them.
 * Returns false if there is no room.
 */
static bool add(struct cushim__locks *locks, struct cushim__context *context, bool keep)
{
    unsigned i = locks->n;

    for (unsigned k = 0; k < locks->n; k++)
        if (locks->contexts[k] == context)
            return true;
    if (locks->n == ARRAY_SIZE(locks->contexts))
        return false;
    for (; i && locks->contexts[i - 1]->lock > context->lock; i--) {
        locks->contexts[i] = locks->contexts[i - 1];
        locks->kept[i] = locks->kept[i - 1];
    }
    if (keep)
        cushim__context_ref(context);
    locks->contexts[i] = context;
    locks->kept[i] = keep;
    locks->n++;
    return true;
}

struct foreign {
    const struct cushim__locks *locks;
    struct cushim__context *context;
};

static bool is_locked(const struct cushim__point *point, void *user)
{
    struct foreign *f = user;

    for (unsigned i = 0; i < f->locks->n; i++)
        if (f->locks->contexts[i] == point->timeline->context)
            return true;
    f->context = point->timeline->context;
    return false;
}

/*
 * Returns the context of a point whose lock is not held, or NULL. Points that are done count as
 * well: only under their lock one can tell that they are done.
 */
static struct cushim__context *find_foreign(const struct cushim__locks *locks,
                                            const struct cushim__access *accesses, size_t n)
{
    struct foreign f = {.locks = locks};

    for (size_t i = 0; i < n; i++) {
        const struct cushim__buffer *code = accesses[i].buffer->code;

        if (!cushim__buffer_each(accesses[i].buffer, accesses[i].begin, accesses[i].end, true,
                                 is_locked, &f) ||
            (code && !cushim__buffer_each(code, 0, 1, true, is_locked, &f)))
            return f.context;
    }
    return NULL;
}

static void lock(const struct cushim__locks *locks)
{
    for (unsigned i = 0; i < locks->n; i++)
        cushim__lock(locks->contexts[i]);
}

static void unlock(const struct cushim__locks *locks)
{
    for (unsigned i = locks->n; i-- > 0;)
        cushim__unlock(locks->contexts[i]);
}

void cushim__lock_contexts(struct cushim__locks *locks, struct cushim__context *a,
                           struct cushim__context *b)
{
    add(locks, a, false);
    add(locks, b, false);
    lock(locks);
}

void cushim__locks_forget(struct cushim__locks *locks)
{
    for (unsigned i = 0; i < locks->n; i++)
        if (locks->kept[i])
            cushim__context_unref(locks->contexts[i]);
    locks->n = 0;
}

void cushim__unlock_all(struct cushim__locks *locks)
{
    unlock(locks);
    cushim__locks_forget(locks);
}

static cushim_status check_drivers(const struct cushim__scope *scope,
                                   const struct cushim__access *accesses, size_t n)
{
    for (size_t i = 0; i < n; i++)
        CUSHIM_TRY(cushim__check_driver(scope, accesses[i].buffer->context, "memory"));
    return CUSHIM_OK;
}

/*
 * The contexts that have used a buffer can be read only under the buffer's lock. If one of them is
 * not locked, all locks are released and taken again in order: taking it out of order could
 * deadlock. Meanwhile another thread may have used the memory in yet another context, so this is
 * repeated until all are locked.
 */
cushim_status cushim__lock_all(const struct cushim__scope *scope, struct cushim__locks *locks,
                               const struct cushim__access *accesses, size_t n)
{
    struct cushim__context *foreign;
    bool room = true;

    CUSHIM_TRY(check_drivers(scope, accesses, n));
    for (size_t i = 0; room && i < n; i++)
        room = add(locks, accesses[i].buffer->context, false);
    while (room) {
        struct cushim__locks held = *locks;

        lock(&held);
        foreign = find_foreign(locks, accesses, n);
        if (!foreign)
            return CUSHIM_OK;
        room = add(locks, foreign, true);
        unlock(&held);
    }
    return cushim__fail_at(CUSHIM_ERROR_LIMIT, scope->call, scope->label,
                           "%s: more than %zu contexts have used the memory since it was written",
                           scope->call, ARRAY_SIZE(locks->contexts));
}

static cushim_status check_thread(const struct cushim__submission *s)
{
    if (!s->timeline->thread || s->timeline->thread == cushim__thread_number())
        return CUSHIM_OK;
    return cushim__fail_at(CUSHIM_ERROR_WRONG_THREAD, s->scope->call, s->scope->label,
                           "%s: this is the per-thread default stream of another thread",
                           s->scope->call);
}

static cushim_status check_alive(const struct cushim__submission *s)
{
    return s->timeline->retired ? cushim__fail_freed(s->scope, s->timeline) : CUSHIM_OK;
}

cushim_status cushim__fail_leaked(const struct cushim__scope *scope)
{
    return cushim__fail_at(CUSHIM_ERROR_STALE_HANDLE, scope->call, scope->label,
                           "%s: another thread has taken the memory by cushim_slice_leak()",
                           scope->call);
}

static cushim_status check_attached(const struct cushim__submission *s,
                                    const struct cushim__access *a)
{
    const struct cushim__buffer *buffer = a->buffer;
    /* The attachment to a stream ends when the stream is destroyed. */
    const bool to_stream = buffer->attached && !buffer->attached->retired;

    if (!to_stream && buffer->host_only && !buffer->context->limits.concurrent_managed)
        return cushim__fail_at(
            CUSHIM_ERROR_NOT_ATTACHED, s->scope->call, s->scope->label,
            "%s: the unified memory is attached to the host, and this device cannot "
            "use it at the same time; cushim_unified_attach() attaches it to "
            "streams",
            s->scope->call);
    if (to_stream && buffer->attached != s->timeline)
        return cushim__fail_at(CUSHIM_ERROR_NOT_ATTACHED, s->scope->call, s->scope->label,
                               "%s: the unified memory is attached to another stream",
                               s->scope->call);
    return CUSHIM_OK;
}

/*
 * Under the locks. Checks whether the program has taken the memory over and where it is attached,
 * and allocates all that noting the work needs.
 */
static cushim_status prepare(const struct cushim__submission *s)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct cushim__access *a = &s->accesses[i];

        if (a->buffer->leaked)
            return cushim__fail_leaked(s->scope);
        if (a->buffer->recording)
            return cushim__fail_other_recording(s->scope, a->buffer);
        if (!s->attaching)
            CUSHIM_TRY(check_attached(s, a));
        if (!cushim__buffer_prepare(a->buffer, a->begin, a->end, a->write, s->timeline) ||
            (a->buffer->code && !cushim__buffer_prepare(a->buffer->code, 0, 1, true, s->timeline)))
            return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, s->scope->call, s->scope->label,
                                   "%s: no memory to note what uses what", s->scope->call);
    }
    return CUSHIM_OK;
}

/*
 * Uses one access on the fast path (buffer_fast.h), or returns false. The context is compared
 * first: only then the lock that is held protects the buffer. A use of no bytes has no range that
 * it could be noted in.
 */
static bool use_fast(const struct cushim__submission *s, const struct cushim__access *a,
                     uint64_t first)
{
    struct cushim__point *point = NULL;
    struct cushim__range *range = NULL;

    if (a->buffer->context == s->timeline->context && a->begin != a->end)
        range = cushim__fast_range(a->buffer, a->begin, a->end);
    if (range)
        point = cushim__fast_point(range, a->write, s->timeline, first);
    if (point && !s->waits_only)
        cushim__fast_note(range, point, s->timeline);
    return point != NULL;
}

/*
 * Takes only the lock of the timeline's context. Returns false if the submission needs more. What
 * it has noted until then stays noted, under a number that no work has: that is
 * never too little to wait for.
 */
static bool begin_fast(const struct cushim__submission *s)
{
    struct cushim__timeline *timeline = s->timeline;
    uint64_t first;
    bool fast;

    cushim__lock(timeline->context);
    first = timeline->submitted + 1;
    fast = !timeline->not_fast;
    if (fast && !s->waits_only)
        timeline->submitted = first;
    for (size_t i = 0; fast && i < s->n; i++)
        fast = use_fast(s, &s->accesses[i], first);
    cushim__unlock(timeline->context);
    return fast;
}

/* Under all locks. Prepares the buffers, and makes the stream wait for earlier work. */
static cushim_status wait_for_earlier(const struct cushim__submission *s,
                                      struct cushim__point *ret_busy)
{
    cushim_status status = prepare(s);

    for (size_t i = 0; !status && !ret_busy->timeline && i < s->n; i++) {
        const struct cushim__access *a = &s->accesses[i];

        status = cushim__buffer_wait(s->scope, a->buffer, a->begin, a->end, a->write, s->timeline,
                                     ret_busy);
        if (!status && !ret_busy->timeline && a->buffer->code)
            status =
                cushim__buffer_wait(s->scope, a->buffer->code, 0, 1, true, s->timeline, ret_busy);
    }
    return status;
}

static void note_one(struct cushim__submission *s, const struct cushim__access *a)
{
    cushim__buffer_note(a->buffer, a->begin, a->end, a->write, s->timeline);
    if (__builtin_expect(a->buffer->eager_event, 0)) {
        a->buffer->eager_event = false;
        s->mark = true;
    }
}

/*
 * Under all locks. The code comes last: where a launch has both, its write of the code replaces its
 * read.
 */
static void note(struct cushim__submission *s)
{
    s->timeline->submitted++;
    for (size_t i = 0; i < s->n; i++)
        note_one(s, &s->accesses[i]);
    for (size_t i = 0; i < s->n; i++)
        if (s->accesses[i].buffer->code)
            note_one(s, &(struct cushim__access){s->accesses[i].buffer->code, 0, 1, true});
}

/*
 * Under the stream lock. The locks of the submission are released, and then forgotten without it.
 * If the holder of another stream's lock is in the way, *ret_busy is what it holds up.
 */
static cushim_status begin_work(struct cushim__submission *s, struct cushim__point *ret_busy)
{
    cushim_status status;

    add(&s->locks, s->timeline->context, false);
    status = check_alive(s);
    if (!status)
        status = cushim__lock_all(s->scope, &s->locks, s->accesses, s->n);
    if (status)
        return status;
    status = wait_for_earlier(s, ret_busy);
    if (!status && !ret_busy->timeline && !s->waits_only)
        note(s);
    unlock(&s->locks);
    return status;
}

/* No lock is held while this waits for another stream's lock. */
static cushim_status wait_for_busy(struct cushim__submission *s, struct cushim__point *busy)
{
    cushim_status status;

    cushim__timeline_unlock(s->timeline);
    cushim__locks_forget(&s->locks);
    status = cushim__point_mark_soon(s->scope, busy);
    cushim__timeline_lock(s->timeline);
    return status;
}

/* Begins work on a timeline that records. It waits for nothing: a launch of the graph does. */
static cushim_status begin_recorded(const struct cushim__submission *s)
{
    if (!s->recordable)
        return cushim__fail_at(CUSHIM_ERROR_CAPTURING, s->scope->call, s->scope->label,
                               "%s: the stream records for a graph, and this cannot be recorded",
                               s->scope->call);
    CUSHIM_TRY(check_drivers(s->scope, s->accesses, s->n));
    return cushim__recording_submit(s);
}

/*
 * While the stream lock is given up, another thread may begin a recording on the stream, or end it.
 * So each time anew it is looked up which of both this is.
 */
static cushim_status begin_slow(struct cushim__submission *s)
{
    struct cushim__point busy = {NULL, 0};
    cushim_status status;

    do {
        status = s->timeline->branch ? begin_recorded(s) : begin_work(s, &busy);
        if (!busy.timeline)
            return status;
        status = wait_for_busy(s, &busy);
    } while (!status);
    return status;
}

static void leave(struct cushim__submission *s)
{
    cushim__timeline_unlock(s->timeline);
    cushim__locks_forget(&s->locks);
}

/* Leaves a submission that could not begin. The stream may have come to wait for others. */
static void give_up(struct cushim__submission *s)
{
    if (s->mark) {
        cushim__lock(s->timeline->context);
        cushim__timeline_mark_waits(s->scope, s->timeline);
        cushim__unlock(s->timeline->context);
    }
    leave(s);
}

cushim_status cushim__submit_begin(struct cushim__submission *s)
{
    cushim_status status;

    s->mark = s->timeline->thread != 0;
    s->locks.n = 0;
    cushim__timeline_lock(s->timeline);
    if (__builtin_expect(begin_fast(s), 1))
        return CUSHIM_OK;
    status = check_thread(s);
    if (!status)
        status = begin_slow(s);
    if (status)
        give_up(s);
    return status;
}

void cushim__submit_end(struct cushim__submission *s)
{
    if (__builtin_expect(s->timeline->branch != NULL, 0)) {
        cushim__recording_submitted(s);
    } else if (__builtin_expect(s->mark, 0)) {
        cushim__lock(s->timeline->context);
        cushim__timeline_mark_now(s->scope, s->timeline);
        cushim__unlock(s->timeline->context);
    }
    leave(s);
}

void cushim__submit_abandon(struct cushim__submission *s)
{
    if (s->timeline->branch)
        leave(s);
    else
        cushim__submit_end(s);
}

cushim_status cushim__submit_use(struct cushim__scope *scope, struct cushim__timeline *timeline,
                                 struct cushim__buffer *buffer)
{
    const struct cushim__access access = {buffer, 0, buffer->bytes, true};
    struct cushim__submission s = {
        .scope = scope, .timeline = timeline, .accesses = &access, .n = 1};

    CUSHIM_TRY(cushim__submit_begin(&s));
    cushim__submit_end(&s);
    return CUSHIM_OK;
}

bool cushim__find_overlap(const struct cushim__access *accesses, size_t n, size_t *ret_first,
                          size_t *ret_second, size_t *ret_bytes)
{
    for (size_t i = 1; i < n; i++)
        for (size_t k = 0; k < i; k++) {
            const struct cushim__access *a = &accesses[k], *b = &accesses[i];
            const size_t begin = a->begin > b->begin ? a->begin : b->begin;
            const size_t end = a->end < b->end ? a->end : b->end;

            if (a->buffer != b->buffer || !(a->write || b->write) || begin >= end)
                continue;
            *ret_first = k;
            *ret_second = i;
            *ret_bytes = end - begin;
            return true;
        }
    return false;
}
