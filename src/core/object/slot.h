/* SPDX-License-Identifier: MIT */
/*
 * The table behind handle.h, as far as it is looked up in place: for handle.c, and for
 * launch_fast.c, where each call less shows.
 */
#ifndef CUSHIM_CORE_OBJECT_SLOT_H
#define CUSHIM_CORE_OBJECT_SLOT_H

#include <stdatomic.h>

#include "core/object/handle.h"

enum {
    CUSHIM__INDEX_BITS = 20,
    CUSHIM__CHUNK_BITS = 8,
    CUSHIM__CHUNK_SLOTS = 1 << CUSHIM__CHUNK_BITS
};

/*
 * What every call looks at, two in a cache line. The state is one word: generation (32 bits),
 * closed (1), kind (7), pins (24). An open slot has one pin that stands for the handle itself;
 * closing takes it away. So the object dies with the last pin, whoever holds it.
 */
struct cushim__handle_slot {
    _Atomic uint64_t state;
    _Atomic uint64_t open; /* the handle, while it is open */
    void *_Atomic object;
    _Atomic(struct cushim__handle_lock *) lock; /* NULL without */
};

/* Each begins with its slots; handle.c keeps more behind them. */
extern _Atomic(struct cushim__handle_slot *)
    cushim__handle_slots[1 << (CUSHIM__INDEX_BITS - CUSHIM__CHUNK_BITS)];

static inline uint32_t cushim__handle_index(uint64_t id)
{
    return (uint32_t) id & ((1u << CUSHIM__INDEX_BITS) - 1);
}

/* NULL if there never was one. */
static inline struct cushim__handle_slot *cushim__slot_at(uint32_t index)
{
    struct cushim__handle_slot *chunk = atomic_load_explicit(
        &cushim__handle_slots[index >> CUSHIM__CHUNK_BITS], memory_order_acquire);

    return chunk ? &chunk[index & (CUSHIM__CHUNK_SLOTS - 1)] : NULL;
}

/* The slot that a handle names, if it can be one of this kind. */
static inline struct cushim__handle_slot *cushim__slot_of(uint64_t id,
                                                          enum cushim__handle_kind kind)
{
    if ((uint8_t) (id >> CUSHIM__INDEX_BITS) != (unsigned) kind)
        return NULL;
    return cushim__slot_at(cushim__handle_index(id));
}

/*
 * For who holds a lock: the object of a handle that is open and has this lock, which lives until
 * the lock is let go. NULL, and no error, for any other handle. The slot may be given to another
 * object meanwhile, if its lock is not the one that is held; the handle is gone from it by the time
 * that another lock is there.
 */
static inline void *cushim__slot_peek(struct cushim__handle_slot *slot, uint64_t id,
                                      const struct cushim__handle_lock *lock)
{
    if (atomic_load_explicit(&slot->lock, memory_order_acquire) != lock ||
        atomic_load_explicit(&slot->open, memory_order_acquire) != id)
        return NULL;
    return atomic_load_explicit(&slot->object, memory_order_relaxed);
}

#endif
