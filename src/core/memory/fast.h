/* SPDX-License-Identifier: MIT */
/*
 * The fast path of work: one driver call, on memory of the stream's context, in the same parts as
 * in earlier work.
 *
 *     if (!cushim__fast_begin(&fast, stream, call))
 *         take the other path
 *     taken = cushim__fast_find(&fast, &view, write, &part) && cushim__fast_use(&fast, &part,
 * write); cushim__fast_noted(&fast); if (taken) the driver call cushim__fast_end(&fast); if (!taken
 * && !fast.status) take the other path
 *
 * The stream lock is held from begin to end, and the context lock until noted. Under a lock, the
 * handles that have this lock cannot be closed, so nothing is pinned. Each use is noted as soon as
 * it was looked at. What is noted stays noted if the work then takes the other path: under a number
 * that no work has, which is never too little to wait for. All that is not valid is left to the
 * other path, too, which has the sentences.
 *
 * Between two calls of a program the driver pushes this code out of the processor's first-level
 * cache. So its size matters most: all of it is inlined but what is rare, which is in fast.c.
 */
#ifndef CUSHIM_CORE_MEMORY_FAST_H
#define CUSHIM_CORE_MEMORY_FAST_H

#include <cushim/view.h>

#include "core/object/slot.h"
#include "core/order/buffer_fast.h"
#include "core/order/stream.h"

struct cushim__fast {
    const char *call;                       /* the public function */
    const char *label;                      /* of an object, for errors; or NULL */
    const struct cushim__stream *stream;    /* kept by the stream lock */
    struct cushim__timeline *timeline;      /* of the stream */
    struct cushim__context *context;        /* of the stream, which keeps it */
    const struct cushim__handle_lock *lock; /* the context lock */
    uint64_t first; /* all numbers of the timeline from here on are of this work */
    bool mark;      /* the work is marked at once */
    cushim_status
        status; /* of a driver call that has failed: then there is no other path to take */
};

/* The bytes of a view. Kept by the context lock. */
struct cushim__fast_part {
    struct cushim__buffer *buffer;
    size_t begin, end; /* bytes of the buffer */
};

/* Uses a part that is not used as before: other streams may have to be waited for. */
bool cushim__fast_use_otherwise(struct cushim__fast *fast, const struct cushim__fast_part *part,
                                bool write);

/* Fails with the label of an object, if its handle is still open. Under the stream lock alone. */
cushim_status cushim__fast_fail(const struct cushim__fast *fast, uint64_t object, int result,
                                const char *name) __attribute__((cold));

/* Marks the work at once, for the streams that will wait for it. */
void cushim__fast_mark(const struct cushim__fast *fast);

/* Takes the locks of a stream, or returns false. */
static inline bool cushim__fast_begin(struct cushim__fast *fast, uint64_t stream, const char *call)
{
    struct cushim__handle_slot *slot = cushim__slot_of(stream, CUSHIM__HANDLE_STREAM);
    struct cushim__handle_lock *lock =
        slot ? atomic_load_explicit(&slot->lock, memory_order_acquire) : NULL;
    const struct cushim__stream *object;
    struct cushim__timeline *timeline;
    struct cushim__context *context;

    if (!lock || (cushim__attention_needed() && !cushim__attend()))
        return false;
    /* The memory of locks is never freed, so a stale handle does no harm: the peek then fails. */
    cushim__handle_lock(lock);
    object = cushim__slot_peek(slot, stream, lock);
    if (__builtin_expect(!object || object->timeline->not_fast, 0)) {
        cushim__handle_unlock(lock);
        return false;
    }
    timeline = object->timeline;
    context = object->object.context;
    fast->call = call;
    fast->label = NULL;
    fast->stream = object;
    fast->timeline = timeline;
    fast->context = context;
    fast->lock = context->lock;
    fast->mark = false;
    fast->status = CUSHIM_OK;
    cushim__lock(context);
    fast->first = ++timeline->submitted;
    return true;
}

/* Returns the slot of a handle that the context lock keeps open, or NULL. */
static inline struct cushim__handle_slot *cushim__fast_slot(const struct cushim__fast *fast,
                                                            uint64_t id)
{
    struct cushim__handle_slot *slot = cushim__slot_at(cushim__handle_index(id));

    return slot && cushim__slot_is(slot, id, fast->lock) ? slot : NULL;
}

/*
 * Looks up the bytes of a view. Returns false if it has none, is not inside of its memory, or must
 * not be used so.
 */
static inline bool cushim__fast_find(const struct cushim__fast *fast, const cushim_view *view,
                                     bool write, struct cushim__fast_part *ret_part)
{
    const struct cushim__handle_slot *slot = cushim__fast_slot(fast, view->object);
    struct cushim__buffer *buffer = slot ? slot->buffer : NULL;
    size_t all, bytes;

    if (!buffer || (write && !view->writable))
        return false;
    all = bytes = cushim__slot_bytes(slot);
    if (view->length != CUSHIM__WHOLE &&
        __builtin_mul_overflow(view->element, view->length, &bytes))
        return false;
    if (!bytes || view->offset > all || bytes > all - view->offset)
        return false;
    ret_part->buffer = buffer;
    ret_part->begin = slot->begin + view->offset;
    ret_part->end = ret_part->begin + bytes;
    return true;
}

/* Notes a use. Returns false if the work has to take the other path. */
static inline bool cushim__fast_use(struct cushim__fast *fast, const struct cushim__fast_part *part,
                                    bool write)
{
    struct cushim__range *range = cushim__fast_range(part->buffer, part->begin, part->end);

    return (__builtin_expect(range != NULL, 1) &&
            __builtin_expect(cushim__fast_again(range, write, fast->timeline, fast->first), 1)) ||
           cushim__fast_use_otherwise(fast, part, write);
}

/* Releases the context lock. */
static inline void cushim__fast_noted(const struct cushim__fast *fast)
{
    cushim__unlock(fast->context);
}

/*
 * Tells whether to ask for the current context before the driver call. A stream that was created
 * belongs to its context, and drivers accept work for it whichever context is current (an H200 with
 * driver 580). The default streams mean the current context.
 */
static inline bool cushim__fast_must_ask(const struct cushim__fast *fast)
{
    return (uintptr_t) fast->stream->cu <= (uintptr_t) CU_STREAM_PER_THREAD;
}

/* Tells whether a driver may have objected only because another context is current. */
static inline bool cushim__fast_asks(int result)
{
    return result == CUDA_ERROR_INVALID_CONTEXT || result == CUDA_ERROR_INVALID_HANDLE ||
           result == CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

/* Releases the stream lock. */
static inline void cushim__fast_end(const struct cushim__fast *fast)
{
    if (__builtin_expect(fast->mark, 0))
        cushim__fast_mark(fast);
    cushim__timeline_unlock(fast->timeline);
}

#endif
