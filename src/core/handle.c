/* SPDX-License-Identifier: MIT */
#include "core/handle.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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

/* A place in a program, "train.c:88"; "" for one that is not known. */
struct place {
    char text[40];
};

struct slot {
    _Atomic uint64_t state;
    void *_Atomic object;
    cushim__destroy *destroy;
    _Atomic(pthread_mutex_t *) gate; /* NULL without */
    _Atomic uint8_t kind;
    uint32_t next_free; /* index + 1, while it is free */

    /* Under the mutex. */
    struct place made;
    struct place freed; /* where the handle of freed_generation was closed */
    uint32_t freed_generation;
};

/* Guards what follows, growth, and the slots' places. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uint32_t first_free; /* index + 1 */
static uint32_t n_slots;
static _Atomic(struct slot *) chunks[CHUNKS];

CUSHIM__OPEN_IN_CHILD(mutex);

static const char *const kind_names[] = {
    "nothing", "driver",   "NVRTC",        "trace",  "set of faults", "compiled image",
    "context", "stream",   "event",        "slice",  "pinned memory", "unified memory",
    "module",  "function", "code library", "kernel", "launcher",
};

_Static_assert(ARRAY_SIZE(kind_names) == CUSHIM__HANDLE_KINDS, "a name for every kind");

static _Thread_local const char *here;

void cushim__handle_here(const char *place)
{
    here = place;
}

/* Takes the place that the thread said last, without its folders. */
static struct place take_place(void)
{
    const char *text = here, *folder = text ? strrchr(text, '/') : NULL;
    struct place place = {""};

    here = NULL;
    if (folder)
        text = folder + 1;
    for (size_t i = 0; text && text[i] && i + 1 < sizeof(place.text); i++)
        place.text[i] = text[i];
    return place;
}

const char *cushim__handle_noun(enum cushim__handle_kind kind)
{
    return kind_names[kind];
}

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

enum cushim__handle_kind cushim__handle_kind_of(uint64_t id)
{
    const unsigned kind = kind_of(id);

    return (enum cushim__handle_kind)(kind < CUSHIM__HANDLE_KINDS ? kind : 0);
}

static struct slot *slot_at(uint32_t index)
{
    struct slot *chunk = atomic_load_explicit(&chunks[index >> CHUNK_BITS], memory_order_acquire);

    return chunk ? &chunk[index & (CHUNK_SLOTS - 1)] : NULL;
}

/* Under the mutex. Returns NULL when out of memory or of slots. */
static struct slot *find_slot(uint32_t *ret_index)
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

static struct slot *take_slot(uint32_t *ret_index)
{
    const struct place place = take_place();
    struct slot *slot;

    pthread_mutex_lock(&mutex);
    slot = find_slot(ret_index);
    if (slot)
        slot->made = place;
    pthread_mutex_unlock(&mutex);
    return slot;
}

cushim_status cushim__handle_create(enum cushim__handle_kind kind, void *object,
                                    cushim__destroy *destroy, const char *call, uint64_t *ret_id)
{
    struct slot *slot;
    uint32_t index = 0;
    uint64_t state;

    slot = take_slot(&index);
    if (!slot)
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, call, NULL, "no room for another handle");
    atomic_store_explicit(&slot->object, object, memory_order_relaxed);
    atomic_store_explicit(&slot->gate, NULL, memory_order_relaxed);
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

static struct place freed_at(uint64_t id)
{
    struct slot *slot = slot_at(index_of(id));
    struct place place = {""};

    pthread_mutex_lock(&mutex);
    if (slot && slot->freed_generation == id >> 32)
        place = slot->freed;
    pthread_mutex_unlock(&mutex);
    return place;
}

static const char *article(unsigned kind)
{
    return kind == CUSHIM__HANDLE_EVENT || kind == CUSHIM__HANDLE_NVRTC ? "an" : "a";
}

static cushim_status stale(uint64_t id, unsigned kind, const char *call)
{
    const unsigned is = kind_of(id);
    struct place place;

    if (!call)
        return CUSHIM_ERROR_STALE_HANDLE;
    if (!id)
        return cushim__fail_at(CUSHIM_ERROR_STALE_HANDLE, call, NULL,
                               "%s: the %s handle is zero: it was never opened, or was freed", call,
                               kind_names[kind]);
    if (is && is < CUSHIM__HANDLE_KINDS && is != kind)
        return cushim__fail_at(CUSHIM_ERROR_WRONG_HANDLE, call, NULL,
                               "%s: expected %s %s, this is the handle of %s %s", call,
                               article(kind), kind_names[kind], article(is), kind_names[is]);
    place = freed_at(id);
    if (place.text[0])
        return cushim__fail_at(CUSHIM_ERROR_STALE_HANDLE, call, NULL, "%s: the %s was freed by %s",
                               call, kind_names[kind], place.text);
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

void cushim__handle_pin_again(uint64_t id)
{
    atomic_fetch_add_explicit(&slot_at(index_of(id))->state, 1, memory_order_relaxed);
}

/* Pins whatever a slot holds; 0 if it holds nothing that is open. */
static uint64_t pin_slot(struct slot *slot, uint32_t index)
{
    uint64_t state = atomic_load_explicit(&slot->state, memory_order_acquire);

    while (!(state & CLOSED) && (state & PIN_MASK))
        if (atomic_compare_exchange_weak_explicit(&slot->state, &state, state + 1,
                                                  memory_order_acquire, memory_order_acquire))
            return make_id(index, atomic_load_explicit(&slot->kind, memory_order_relaxed), state);
    return 0;
}

void cushim__handle_each(void (*see)(enum cushim__handle_kind kind, void *object, const char *made,
                                     void *user),
                         void *user)
{
    struct place made;
    uint32_t n;

    pthread_mutex_lock(&mutex);
    n = n_slots;
    pthread_mutex_unlock(&mutex);
    for (uint32_t i = 0; i < n; i++) {
        struct slot *slot = slot_at(i);
        const uint64_t id = pin_slot(slot, i);

        if (!id)
            continue;
        pthread_mutex_lock(&mutex);
        made = slot->made;
        pthread_mutex_unlock(&mutex);
        see((enum cushim__handle_kind) kind_of(id), slot->object, made.text, user);
        cushim__handle_unpin(id);
    }
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
    slot->destroy(atomic_exchange(&slot->object, NULL));
    give_back(slot, index_of(id));
}

static void note_freed(struct slot *slot, uint64_t id, const struct place *place)
{
    pthread_mutex_lock(&mutex);
    slot->freed = *place;
    slot->freed_generation = (uint32_t) (id >> 32);
    pthread_mutex_unlock(&mutex);
}

static bool mark_closed(struct slot *slot, uint64_t id)
{
    uint64_t state = atomic_load_explicit(&slot->state, memory_order_acquire);

    while (is_open(slot, state, id))
        if (atomic_compare_exchange_weak_explicit(&slot->state, &state, state | CLOSED,
                                                  memory_order_acq_rel, memory_order_acquire))
            return true;
    return false;
}

cushim_status cushim__handle_close(uint64_t id, enum cushim__handle_kind kind, const char *call)
{
    const struct place place = take_place();
    struct slot *slot = slot_of(id, kind);
    pthread_mutex_t *gate;
    bool closed;

    /* The object keeps its gate, and the pin the object. */
    if (!cushim__handle_pin(id, kind, NULL))
        return stale(id, kind, call);
    gate = atomic_load_explicit(&slot->gate, memory_order_relaxed);
    if (gate)
        pthread_mutex_lock(gate);
    closed = mark_closed(slot, id);
    if (gate)
        pthread_mutex_unlock(gate);
    if (closed) {
        note_freed(slot, id, &place);
        cushim__handle_unpin(id);
    }
    cushim__handle_unpin(id);
    return closed ? CUSHIM_OK : stale(id, kind, call);
}

void cushim__handle_gate(uint64_t id, pthread_mutex_t *gate)
{
    atomic_store_explicit(&slot_at(index_of(id))->gate, gate, memory_order_release);
}

/* The slot may be given to another object meanwhile, if its gate is not the one that is held. */
void *cushim__handle_peek(uint64_t id, enum cushim__handle_kind kind, const pthread_mutex_t *gate)
{
    struct slot *slot = slot_of(id, kind);
    const uint64_t state = slot ? atomic_load_explicit(&slot->state, memory_order_acquire) : 0;
    void *object;

    if (!slot || !is_open(slot, state, id) ||
        atomic_load_explicit(&slot->gate, memory_order_acquire) != gate)
        return NULL;
    object = atomic_load_explicit(&slot->object, memory_order_acquire);
    return (atomic_load_explicit(&slot->state, memory_order_relaxed) ^ state) & ~PIN_MASK ? NULL
                                                                                          : object;
}
