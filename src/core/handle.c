/* SPDX-License-Identifier: MIT */
#include "core/handle.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/fork.h"
#include "base/status.h"
#include "base/util.h"

/*
 * A slot's state is one word: generation (32 bits), closed (1), pins (31). An open
 * slot has one pin that stands for the handle itself; closing takes it away. So the
 * object dies with the last pin, whoever holds it.
 */
#define PIN_MASK    UINT64_C(0x7fffffff)
#define CLOSED      UINT64_C(0x80000000)
#define GENERATION  UINT64_C(0x100000000)
#define INDEX_BITS  20
#define CHUNK_BITS  8
#define CHUNK_SLOTS (1u << CHUNK_BITS)
#define CHUNKS      (1u << (INDEX_BITS - CHUNK_BITS))

struct slot {
    _Atomic uint64_t state;
    void *object;
    cushim__destroy *destroy;
    _Atomic uint8_t kind;
    uint32_t next_free; /* index + 1, while it is free */
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards the two below, and growth */
static uint32_t first_free;                               /* index + 1 */
static uint32_t n_slots;
static _Atomic(struct slot *) chunks[CHUNKS];

CUSHIM__OPEN_IN_CHILD(mutex);

static const char *const kind_names[] = {"nothing", "driver", "NVRTC", "trace", "set of faults"};

_Static_assert(ARRAY_SIZE(kind_names) == CUSHIM__HANDLE_KINDS, "a name for every kind");

static uint64_t make_id(uint32_t index, uint8_t kind, uint64_t state)
{
    return (state & ~(GENERATION - 1)) | (uint64_t) kind << INDEX_BITS | index;
}

static uint32_t index_of(uint64_t id)
{
    return (uint32_t) id & ((1u << INDEX_BITS) - 1);
}

static unsigned kind_of(uint64_t id)
{
    return (uint8_t) (id >> INDEX_BITS);
}

static struct slot *slot_at(uint32_t index)
{
    struct slot *chunk = atomic_load_explicit(&chunks[index >> CHUNK_BITS], memory_order_acquire);

    return chunk ? &chunk[index & (CHUNK_SLOTS - 1)] : NULL;
}

/* Under the mutex. Returns NULL when out of memory or of slots. */
static struct slot *take_slot(uint32_t *ret_index)
{
    struct slot *slot;

    if (first_free) {
        *ret_index = first_free - 1;
        slot = slot_at(*ret_index);
        first_free = slot->next_free;
        return slot;
    }
    if (n_slots == CHUNKS * CHUNK_SLOTS)
        return NULL;
    if (!(n_slots & (CHUNK_SLOTS - 1))) {
        struct slot *chunk = calloc(CHUNK_SLOTS, sizeof(*chunk));

        if (!chunk)
            return NULL;
        atomic_store_explicit(&chunks[n_slots >> CHUNK_BITS], chunk, memory_order_release);
    }
    *ret_index = n_slots++;
    return slot_at(*ret_index);
}

cushim_status cushim__handle_create(enum cushim__handle_kind kind, void *object,
                                    cushim__destroy *destroy, const char *call, uint64_t *ret_id)
{
    struct slot *slot;
    uint32_t index = 0;
    uint64_t state;

    pthread_mutex_lock(&mutex);
    slot = take_slot(&index);
    pthread_mutex_unlock(&mutex);
    if (!slot)
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, call, NULL, "no room for another handle");
    slot->object = object;
    slot->destroy = destroy;
    atomic_store_explicit(&slot->kind, (uint8_t) kind, memory_order_relaxed);
    /* Generation 0 is skipped: a handle is never zero. */
    state = (atomic_load(&slot->state) & ~(GENERATION - 1)) + GENERATION;
    if (!(state >> 32))
        state = GENERATION;
    *ret_id = make_id(index, (uint8_t) kind, state);
    atomic_store_explicit(&slot->state, state | 1, memory_order_release);
    return CUSHIM_OK;
}

/* Every bit of a handle counts: one that was made up must not lead to an object. */
static bool is_open(struct slot *slot, uint64_t state, uint64_t id)
{
    const uint8_t kind = atomic_load_explicit(&slot->kind, memory_order_relaxed);

    return make_id(index_of(id), kind, state) == id && !(state & CLOSED) && (state & PIN_MASK);
}

static cushim_status stale(uint64_t id, unsigned kind, const char *call)
{
    const unsigned is = kind_of(id);

    if (!call)
        return CUSHIM_ERROR_STALE_HANDLE;
    if (!id)
        return cushim__fail_at(CUSHIM_ERROR_STALE_HANDLE, call, NULL,
                               "%s: the %s handle is zero: it was never opened, or was freed", call,
                               kind_names[kind]);
    if (is && is < CUSHIM__HANDLE_KINDS && is != kind)
        return cushim__fail_at(CUSHIM_ERROR_WRONG_HANDLE, call, NULL,
                               "%s: expected a %s, this is the handle of a %s", call,
                               kind_names[kind], kind_names[is]);
    return cushim__fail_at(CUSHIM_ERROR_STALE_HANDLE, call, NULL,
                           "%s: this %s was freed, or the handle is not one", call,
                           kind_names[kind]);
}

/* The slot that a handle names, if it can be one of this kind. */
static struct slot *slot_of(uint64_t id, enum cushim__handle_kind kind)
{
    return id && kind_of(id) == (unsigned) kind ? slot_at(index_of(id)) : NULL;
}

void *cushim__handle_pin(uint64_t id, enum cushim__handle_kind kind, const char *call)
{
    struct slot *slot = slot_of(id, kind);
    uint64_t state = slot ? atomic_load_explicit(&slot->state, memory_order_acquire) : 0;

    while (slot && is_open(slot, state, id))
        if (atomic_compare_exchange_weak_explicit(&slot->state, &state, state + 1,
                                                  memory_order_acquire, memory_order_acquire))
            return slot->object;
    stale(id, kind, call);
    return NULL;
}

static void give_back(struct slot *slot, uint32_t index)
{
    pthread_mutex_lock(&mutex);
    slot->next_free = first_free;
    first_free = index + 1;
    pthread_mutex_unlock(&mutex);
}

void cushim__handle_unpin(uint64_t id)
{
    struct slot *slot = slot_at(index_of(id));
    const uint64_t before = atomic_fetch_sub_explicit(&slot->state, 1, memory_order_acq_rel);

    if ((before & PIN_MASK) != 1)
        return;
    slot->destroy(TAKE_PTR(slot->object));
    give_back(slot, index_of(id));
}

cushim_status cushim__handle_close(uint64_t id, enum cushim__handle_kind kind, const char *call)
{
    struct slot *slot = slot_of(id, kind);
    uint64_t state = slot ? atomic_load_explicit(&slot->state, memory_order_acquire) : 0;

    while (slot && is_open(slot, state, id))
        if (atomic_compare_exchange_weak_explicit(&slot->state, &state, state | CLOSED,
                                                  memory_order_acq_rel, memory_order_acquire)) {
            cushim__handle_unpin(id);
            return CUSHIM_OK;
        }
    return stale(id, kind, call);
}
