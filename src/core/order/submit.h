/* SPDX-License-Identifier: MIT */
/*
 * Submitting work to a stream, in the order that its memory requires.
 *
 *     struct cushim__access accesses[] = {{out.buffer, out.begin, out.end, true}, ...};
 *     struct cushim__submission s = {.scope = &scope, .timeline = stream->timeline,
 *                                    .accesses = accesses, .n = n};
 *
 *     status = cushim__submit_begin(&s);
 *     if (!status) {
 *         status = CU_CALL(&scope, cuLaunchKernel, (...));
 *         cushim__submit_end(&s);
 *     }
 *
 * Between begin and end, the stream lock of the timeline is held, so the driver calls there must
 * not block (docs/locking.md). Begin notes the work as submitted, before the driver has it: work of
 * other streams that must come after it needs a mark on the timeline, and waits for the stream lock
 * to record one. The work stays noted if the driver call fails, because the driver may have
 * submitted a part of it; an unnecessary wait does no harm.
 *
 * Begin fails if the stream belongs to another thread, if the memory may not be used on it, when
 * out of memory, or if the driver fails to wait. It then holds no lock.
 */
#ifndef CUSHIM_CORE_ORDER_SUBMIT_H
#define CUSHIM_CORE_ORDER_SUBMIT_H

#include "core/order/buffer.h"

struct cushim__access {
    struct cushim__buffer *buffer;
    size_t begin, end; /* bytes of the buffer */
    bool write;
};

/*
 * The context locks that are held, sorted by the addresses of the locks. All threads take them
 * in this order, and after the stream lock, so that no two threads wait for each other.
 */
struct cushim__locks {
    struct cushim__context *contexts[16];
    bool kept[16]; /* by a reference of ours, because only points refer to it */
    unsigned n;
};

struct cushim_argument;

/* What the work of a submission is, for a graph that it becomes a part of. */
struct cushim__about {
    const char *name;                        /* of the kernel, or NULL */
    const struct cushim_argument *arguments; /* of the kernel */
    size_t n_arguments;
    uint64_t options; /* of a launch: another number for other options */
    bool several;     /* it makes several nodes */
    size_t filled;    /* bytes, of a fill that makes several nodes */
};

struct cushim__submission {
    struct cushim__scope *scope;
    struct cushim__timeline *timeline;
    const struct cushim__access *accesses;
    size_t n;
    bool attaching;  /* this attaches unified memory, so its attachment is not checked */
    bool recordable; /* the work can be part of a graph */
    bool in_order;   /* recorded, it comes after all work of its stream, and before all later */
    bool waits_only; /* the program submits the work itself, so nothing is noted */
    bool mark;       /* set by begin: end marks the work at once */
    const struct cushim__about *about; /* or NULL */
    struct cushim__locks locks;
};

/*
 * Takes the stream lock, makes the stream wait for earlier work on the memory, and notes the new
 * work.
 */
cushim_status cushim__submit_begin(struct cushim__submission *s);

/* Releases the stream lock after the work is submitted. */
void cushim__submit_end(struct cushim__submission *s);

/* Releases it if no work was submitted. */
void cushim__submit_abandon(struct cushim__submission *s);

/*
 * Submits nothing, but notes a write of all of a buffer: what was submitted to the stream so far is
 * the last use of the memory.
 */
cushim_status cushim__submit_use(struct cushim__scope *scope, struct cushim__timeline *timeline,
                                 struct cushim__buffer *buffer);

/* Begins a submission that uses no memory, and so needs only the order of its stream. */
static inline cushim_status cushim__submit_plain(struct cushim__submission *s,
                                                 struct cushim__scope *scope,
                                                 struct cushim__timeline *timeline)
{
    *s = (struct cushim__submission){.scope = scope, .timeline = timeline};
    return cushim__submit_begin(s);
}

/*
 * Finds the first two accesses that overlap and of which one is a write, and the number of bytes
 * that they share. Returns false if there are none.
 */
bool cushim__find_overlap(const struct cushim__access *accesses, size_t n, size_t *ret_first,
                          size_t *ret_second, size_t *ret_bytes);

/*
 * Takes the locks of the contexts in locks, of the accesses' buffers, and of all timelines that
 * have used these buffers. CUSHIM_ERROR_LIMIT if there is no room for so many contexts.
 */
cushim_status cushim__lock_all(const struct cushim__scope *scope, struct cushim__locks *locks,
                               const struct cushim__access *accesses, size_t n);
void cushim__unlock_all(struct cushim__locks *locks);

/* Drops the references of locks that are released. Called without locks: contexts may end here. */
void cushim__locks_forget(struct cushim__locks *locks);

/*
 * Tells whether the scope's driver is that of the memory. Another one knows neither the memory nor
 * the events of its uses.
 */
static inline bool cushim__is_of_driver(const struct cushim__scope *scope,
                                        const struct cushim__access *access)
{
    return access->buffer->context->driver->library == scope->context->driver->library;
}

/* Takes the locks of two contexts, which may be the same. The caller keeps both alive. */
void cushim__lock_contexts(struct cushim__locks *locks, struct cushim__context *a,
                           struct cushim__context *b);

/* Fails for memory that another thread has taken over during the call. */
cushim_status cushim__fail_leaked(const struct cushim__scope *scope);

#endif
