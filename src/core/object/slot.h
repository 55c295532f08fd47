/* SPDX-License-Identifier: MIT */
/*
 * The part of the handle table (handle.h) that is looked up inline. Only handle.c,
 * handle_take.c and core/launch/launch_fast.c use it; on the fast path of launches every saved
 * function call is measurable.
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
 * The part of a slot that every call reads: a cache line. The state is one word: generation (32
 * bits), closed (1), kind (7), pins (24). An open slot has one pin for the handle itself, which
 * closing removes. So the object is destroyed with the last pin, whichever thread removes it.
 */
struct cushim__handle_slot {
    _Atomic uint64_t state;
    _Atomic uint64_t open; /* the handle, while it is open */
    void *_Atomic object;
    _Atomic(struct cushim__handle_lock *) lock; /* NULL without */
    /* For memory, which part of a buffer it is: this does not change while the handle is open. */
    struct cushim__buffer *_Atomic buffer; /* NULL for other kinds */
    _Atomic size_t begin;                  /* bytes of the buffer */
    _Atomic size_t element, length;        /* as in CUSHIM_ELEMENT(); elements */
};

#define CUSHIM__PIN_MASK   UINT64_C(0xffffff)
#define CUSHIM__KIND_SHIFT 24
#define CUSHIM__KIND_MASK  UINT64_C(0x7f)
#define CUSHIM__CLOSED     UINT64_C(0x80000000)
#define CUSHIM__GENERATION UINT64_C(0x100000000)

/*
 * Compares every bit of the handle but those that chose the slot: a number that a program made up
 * must not lead to an object. Bits between kind and generation are never set; here they lead to
 * another generation.
 */
static inline bool cushim__state_is_open(uint64_t state, uint64_t id)
{
    const uint64_t kind = (uint32_t) id >> CUSHIM__INDEX_BITS;
    const uint64_t open = (id & ~(CUSHIM__GENERATION - 1)) + (kind << CUSHIM__KIND_SHIFT);

    return (state & ~CUSHIM__PIN_MASK) == open && (state & CUSHIM__PIN_MASK);
}

/* The chunks of the table. Each begins with its slots; handle.c keeps more data behind them. */
extern _Atomic(struct cushim__handle_slot *)
    cushim__handle_slots[1 << (CUSHIM__INDEX_BITS - CUSHIM__CHUNK_BITS)]
    __attribute__((visibility("hidden")));

static inline uint32_t cushim__handle_index(uint64_t id)
{
    return (uint32_t) id & ((1u << CUSHIM__INDEX_BITS) - 1);
}

/* Returns a slot, or NULL if its chunk was never allocated. */
static inline struct cushim__handle_slot *cushim__slot_at(uint32_t index)
{
    struct cushim__handle_slot *chunk = atomic_load_explicit(
        &cushim__handle_slots[index >> CUSHIM__CHUNK_BITS], memory_order_acquire);

    return __builtin_expect(chunk != NULL, 1) ? &chunk[index & (CUSHIM__CHUNK_SLOTS - 1)] : NULL;
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
 * Tells whether a handle is open and has a lock, which the caller holds. Then its object lives at
 * least until the caller releases the lock. If the handle has another lock, another thread may
 * close it and use the slot again during this call; that is harmless, because the slot no longer
 * contains the handle's number when it gets its next lock.
 */
static inline bool cushim__slot_is(struct cushim__handle_slot *slot, uint64_t id,
                                   const struct cushim__handle_lock *lock)
{
    return __builtin_expect(atomic_load_explicit(&slot->lock, memory_order_acquire) == lock, 1) &&
           __builtin_expect(atomic_load_explicit(&slot->open, memory_order_acquire) == id, 1);
}

/* Returns the object of such a handle, without pinning it, and otherwise NULL without an error. */
static inline void *cushim__slot_peek(struct cushim__handle_slot *slot, uint64_t id,
                                      const struct cushim__handle_lock *lock)
{
    return cushim__slot_is(slot, id, lock)
               ? atomic_load_explicit(&slot->object, memory_order_relaxed)
               : NULL;
}

/* Returns the bytes of memory. The type of its elements has the upper byte, as no size of memory.
 */
static inline size_t cushim__slot_bytes(const struct cushim__handle_slot *slot)
{
    return (atomic_load_explicit(&slot->element, memory_order_relaxed) & SIZE_MAX >> 8) *
           atomic_load_explicit(&slot->length, memory_order_relaxed);
}

/*
 * Reads what elements the memory of a handle has, without a pin or a lock. Returns false if the
 * handle is not open, or is none of memory. The fields change only while the slot has no handle, or
 * another one, so they are of this handle if it was open before and after they were read.
 */
static inline bool cushim__slot_elements(struct cushim__handle_slot *slot, uint64_t id,
                                         size_t *ret_element, size_t *ret_length)
{
    if (atomic_load_explicit(&slot->open, memory_order_acquire) != id ||
        !atomic_load_explicit(&slot->buffer, memory_order_acquire))
        return false;
    *ret_element = atomic_load_explicit(&slot->element, memory_order_acquire);
    *ret_length = atomic_load_explicit(&slot->length, memory_order_acquire);
    return atomic_load_explicit(&slot->open, memory_order_relaxed) == id;
}

#endif
