/* SPDX-License-Identifier: MIT */
/*
 * Submitting work to a stream, in the order that its memory asks for.
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
 * Between begin and end the submission locks of all the contexts concerned are held, so the driver
 * calls there must not block (docs/locking.md). The work is noted as submitted even if the call
 * failed: part of it may have been, and waiting for nothing does no harm.
 *
 * Begin fails, and then holds nothing, if the stream is another thread's, if memory may not be
 * used on it, when out of memory, or when the driver refuses to wait.
 */
#ifndef CUSHIM_CORE_ORDER_SUBMIT_H
#define CUSHIM_CORE_ORDER_SUBMIT_H

#include "core/order/buffer.h"

struct cushim__access {
    struct cushim__buffer *buffer;
    size_t begin, end; /* bytes of the buffer */
    bool write;
};

/* The submission locks that are held, in the order in which all threads take them. */
struct cushim__locks {
    struct cushim__context *contexts[16];
    bool kept[16]; /* alive by us, because only points lead to it */
    unsigned n;
};

struct cushim__submission {
    struct cushim__scope *scope;
    struct cushim__timeline *timeline;
    const struct cushim__access *accesses;
    size_t n;
    bool attaching;  /* unified memory that is attached elsewhere is what this is about */
    bool recordable; /* can be part of a graph */
    bool fast;       /* begin's: only the lock of the timeline's context is held */
    struct cushim__locks locks;
};

cushim_status cushim__submit_begin(struct cushim__submission *s);
void cushim__submit_end(struct cushim__submission *s);

/* Begin's counterpart where nothing was submitted after all. */
void cushim__submit_abandon(struct cushim__submission *s);

/* The same for work that is only in the order of its stream. */
static inline cushim_status cushim__submit_plain(struct cushim__submission *s,
                                                 struct cushim__scope *scope,
                                                 struct cushim__timeline *timeline)
{
    *s = (struct cushim__submission){.scope = scope, .timeline = timeline};
    return cushim__submit_begin(s);
}

/*
 * The first pair of accesses that overlap and of which one is a write; false if there is none.
 * Returns the overlap's bytes, too.
 */
bool cushim__find_overlap(const struct cushim__access *accesses, size_t n, size_t *ret_first,
                          size_t *ret_second, size_t *ret_bytes);

/*
 * Takes the locks of these contexts, and of those whose timelines the accesses have points on.
 * CUSHIM_ERROR_LIMIT if that is more than there is room for.
 */
cushim_status cushim__lock_all(const struct cushim__scope *scope, struct cushim__locks *locks,
                               const struct cushim__access *accesses, size_t n);
void cushim__unlock_all(struct cushim__locks *locks);

/* The locks of two contexts that the caller keeps alive, which may be the same. */
void cushim__lock_contexts(struct cushim__locks *locks, struct cushim__context *a,
                           struct cushim__context *b);

/* Waits, in the calling thread, until [begin, end) may be used. Called without locks. */
cushim_status cushim__buffer_synchronize(struct cushim__scope *scope,
                                         const struct cushim__access *access);

/* Waits until all that was submitted to a timeline up to now is done. Called without locks. */
cushim_status cushim__timeline_synchronize(struct cushim__scope *scope,
                                           struct cushim__timeline *timeline);

#endif
