/* SPDX-License-Identifier: MIT */
/*
 * The part of the handle table (handle.h) that is looked up inline. Only handle.c and
 * core/launch/launch_fast.c use it; on the fast path of launches every saved function call is
 * measurable.
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
 * The part of a slot that every call reads. Two of them fit into a cache line. The state is one
 * word: generation (32 bits), closed (1), kind (7), pins (24). An open slot has one pin for the
 * handle itself, which closing removes. So the object is destroyed with the last pin, whichever
 * thread removes it.
 */
struct cushim__handle_slot {
    _Atomic uint64_t state;
    _Atomic uint64_t open; /* the handle, while it is open */
    void *_Atomic object;
    _Atomic(struct cushim__handle_lock *) lock; /* NULL without */
};

/* The chunks of the table. Each begins with its slots; handle.c keeps more data behind them. */
extern _Atomic(struct cushim__handle_slot *)
    cushim__handle_slots[1 << (CUSHIM__INDEX_BITS - CUSHIM__CHUNK_BITS)];

static inline uint32_t cushim__handle_index(uint64_t id)
{
    return (uint32_t) id & ((1u << CUSHIM__INDEX_BITS) - 1);
}

/* Returns a slot, or NULL if its chunk was never allocated. */
static inline struct cushim__handle_slot *cushim__slot_at(uint32_t index)
{
    struct cushim__handle_slot *chunk = atomic_load_explicit(
        &cushim__handle_slots[index >> CUSHIM__CHUNK_BITS], memory_order_acquire);

    return chunk ? &chunk[index & (CUSHIM__CHUNK_SLOTS - 1)] : NULL;
}

/* Returns the slot of a handle, or NULL if the handle is not of this kind. */
static inline struct cushim__handle_slot *cushim__slot_of(uint64_t id,
                                                          enum cushim__handle_kind kind)
{
    if ((uint8_t) (id >> CUSHIM__INDEX_BITS) != (unsigned) kind)
        return NULL;
    return cushim__slot_at(cushim__handle_index(id));
}

/*
 * Returns the object of a handle without pinning it. The caller holds lock. If the handle is open
 * and has this lock, the object lives at least until the caller releases the lock. For any other
 * handle the result is NULL, and no error is set. If the handle has another lock, another thread
 * may close it and use the slot again during this call; that is harmless, because the slot no
 * longer contains the handle's number when it gets its next lock.
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
