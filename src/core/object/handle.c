/* SPDX-License-Identifier: MIT */
#include "core/object/handle.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/fork.h"
#include "base/log.h"
#include "base/status.h"
#include "base/util.h"
#include "core/object/handle_words.h"
#include "core/object/slot.h"
#include "loader/library.h"

#define PIN_MASK   UINT64_C(0xffffff)
#define KIND_SHIFT 24
#define KIND_MASK  UINT64_C(0x7f)
#define CLOSED     UINT64_C(0x80000000)
#define GENERATION UINT64_C(0x100000000)

/* How many handles can be open at the same time. The number is in <cushim/handle.h>. */
enum { MAX_SLOTS = 1 << CUSHIM__INDEX_BITS };

struct slot_rest {
    cushim__destroy *destroy;
    uint64_t retained;   /* 0, or the handle that this one was retained from, and that it pins */
    atomic_uint handles; /* open handles of the object, while this one is not a retained one */
    unsigned forked;    /* cushim__forked when the handle was made */
    uint32_t next_free; /* index + 1 of the next free slot, while this one is free */

    /* Under the mutex. */
    struct cushim__source_place made;
    struct cushim__source_place freed; /* where the handle of freed_generation was closed */
    uint32_t freed_generation;
};

struct chunk {
    struct cushim__handle_slot slots[CUSHIM__CHUNK_SLOTS];
    struct slot_rest rest[CUSHIM__CHUNK_SLOTS];
};

/*
 * Protects the lists below, the growth of the table, and the source locations in slots. Pinning and
 * unpinning do not take it: they only change the state of one slot, which is atomic. So calls on
 * different objects do not wait for each other here. The lists are valid at any moment, so a child
 * of fork() may simply initialise the mutex again.
 */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uint32_t first_free; /* index + 1 */
static uint32_t n_slots;
_Atomic(struct cushim__handle_slot *) cushim__handle_slots[ARRAY_SIZE(cushim__handle_slots)];

CUSHIM__OPEN_IN_CHILD(mutex);

_Static_assert(CUSHIM__HANDLE_KINDS <= KIND_MASK, "room for every kind");

/* The handle of the object that is, or was, in a slot with this state. */
static uint64_t id_of(uint32_t index, uint64_t state)
{
    return (state & ~(GENERATION - 1)) | (state >> KIND_SHIFT & KIND_MASK) << CUSHIM__INDEX_BITS |
           index;
}

/* Returns the bits of the kind, which a program may have made up: they can be any number. */
static unsigned kind_of(uint64_t id)
{
    return (uint8_t) (id >> CUSHIM__INDEX_BITS);
}

enum cushim__handle_kind cushim__handle_kind_of(uint64_t id)
{
    const unsigned kind = kind_of(id);

    return (enum cushim__handle_kind)(kind < CUSHIM__HANDLE_KINDS ? kind : 0);
}

/* The rest of a slot that exists. */
static struct slot_rest *rest_of(uint32_t index)
{
    struct cushim__handle_slot *slots = cushim__slot_at(index & ~(CUSHIM__CHUNK_SLOTS - 1u));

    return &((struct chunk *) slots)->rest[index & (CUSHIM__CHUNK_SLOTS - 1)];
}

/*
 * Under the mutex. Returns NULL when out of memory or of slots. A new chunk is published with
 * release order, because other threads look up slots without the mutex.
 */
static struct cushim__handle_slot *find_slot(uint32_t *ret_index)
{
    struct cushim__handle_slot *slot;

    if (first_free) {
        *ret_index = first_free - 1;
        slot = cushim__slot_at(*ret_index);
        first_free = rest_of(*ret_index)->next_free;
        return slot;
    }
    if (n_slots == MAX_SLOTS)
        return NULL;
    if (!(n_slots & (CUSHIM__CHUNK_SLOTS - 1))) {
        struct chunk *chunk = cushim__zalloc_lines(sizeof(*chunk));

        if (!chunk)
            return NULL;
        atomic_store_explicit(&cushim__handle_slots[n_slots >> CUSHIM__CHUNK_BITS], chunk->slots,
                              memory_order_release);
    }
    *ret_index = n_slots++;
    return cushim__slot_at(*ret_index);
}

/*
 * Takes a slot for a new handle and notes where it is made. Only the thread that calls this knows
 * the slot until its state is set to open. On failure *ret_full tells whether all slots are in use.
 */
static struct cushim__handle_slot *take_slot(uint64_t retained, uint32_t *ret_index, bool *ret_full)
{
    struct cushim__source_place place = cushim__source_place_take();
    struct cushim__handle_slot *slot;

    pthread_mutex_lock(&mutex);
    slot = find_slot(ret_index);
    /* A retained handle was made where its object was, if nobody says otherwise. */
    if (retained && !place.text[0])
        place = rest_of(cushim__handle_index(retained))->made;
    if (slot)
        rest_of(*ret_index)->made = place;
    *ret_full = !slot && n_slots == MAX_SLOTS;
    pthread_mutex_unlock(&mutex);
    return slot;
}

/*
 * Makes a handle in a new slot. retained is 0, or a handle of the same object; its slot, which the
 * caller has pinned, has the object's destructor.
 */
static cushim_status create(enum cushim__handle_kind kind, void *object, cushim__destroy *destroy,
                            uint64_t retained, const char *call, uint64_t *ret_id)
{
    struct cushim__handle_slot *slot;
    bool is_full = false;
    uint32_t index = 0;
    uint64_t state;

    /* The slot is chosen first, because the number of the slot is a part of the handle. */
    slot = take_slot(retained, &index, &is_full);
    if (is_full)
        return cushim__fail_at(CUSHIM_ERROR_LIMIT, call, NULL,
                               "%s: %d handles are open, there can be no more", call, MAX_SLOTS);
    if (!slot)
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, call, NULL, "no memory for another handle");
    /*
     * Relaxed order is enough for these two: the release below publishes them together with the
     * state.
     */
    atomic_store_explicit(&slot->object, object, memory_order_relaxed);
    atomic_store_explicit(&slot->lock, NULL, memory_order_relaxed);
    rest_of(index)->destroy = destroy;
    rest_of(index)->retained = retained;
    atomic_store_explicit(&rest_of(index)->handles, 1, memory_order_relaxed);
    rest_of(index)->forked = atomic_load_explicit(&cushim__forked, memory_order_relaxed);
    /* Generation 0 is skipped, so that a handle is never zero. */
    state = (atomic_load(&slot->state) & ~(GENERATION - 1)) + GENERATION;
    if (!(state >> 32))
        state = GENERATION;
    state |= (uint64_t) kind << KIND_SHIFT;
    *ret_id = id_of(index, state);
    /* The pin makes the slot open. Release: a thread that sees it also sees the object. */
    atomic_store_explicit(&slot->state, state | 1, memory_order_release);
    atomic_store_explicit(&slot->open, *ret_id, memory_order_release);
    return CUSHIM_OK;
}

cushim_status cushim__handle_create(enum cushim__handle_kind kind, void *object,
                                    cushim__destroy *destroy, const char *call, uint64_t *ret_id)
{
    return create(kind, object, destroy, 0, call, ret_id);
}

/* Compares every bit of the handle: a number that a program made up must not lead to an object. */
static bool is_open(uint64_t state, uint64_t id)
{
    return id_of(cushim__handle_index(id), state) == id && !(state & CLOSED) && (state & PIN_MASK);
}

/* The source location where this handle was closed, or "" if the slot has been used again since. */
static struct cushim__source_place freed_at(uint64_t id)
{
    const bool there = cushim__slot_at(cushim__handle_index(id)) != NULL;
    struct cushim__source_place place = {""};

    pthread_mutex_lock(&mutex);
    if (there && rest_of(cushim__handle_index(id))->freed_generation == id >> 32)
        place = rest_of(cushim__handle_index(id))->freed;
    pthread_mutex_unlock(&mutex);
    return place;
}

/*
 * Explains why a handle is not open. It compares the kind first, because a handle of another kind
 * is a mistake of its own.
 */
static cushim_status stale(uint64_t id, unsigned kind, const char *call)
{
    const unsigned is = kind_of(id);
    struct cushim__source_place place;

    if (!call)
        return CUSHIM_ERROR_STALE_HANDLE;
    if (!id)
        return cushim__fail_at(CUSHIM_ERROR_STALE_HANDLE, call, NULL,
                               "%s: the %s handle is zero: it was never opened, or was freed", call,
                               cushim__handle_noun(kind));
    if (is && is < CUSHIM__HANDLE_KINDS && is != kind)
        return cushim__fail_at(CUSHIM_ERROR_WRONG_HANDLE, call, NULL,
                               "%s: expected %s %s, this is the handle of %s %s", call,
                               cushim__handle_article(kind), cushim__handle_noun(kind),
                               cushim__handle_article(is), cushim__handle_noun(is));
    place = freed_at(id);
    if (place.text[0])
        return cushim__fail_at(CUSHIM_ERROR_STALE_HANDLE, call, NULL, "%s: the %s was freed by %s",
                               call, cushim__handle_noun(kind), place.text);
    return cushim__fail_at(CUSHIM_ERROR_STALE_HANDLE, call, NULL,
                           "%s: this %s was freed, or the handle is not one", call,
                           cushim__handle_noun(kind));
}

/* Tells whether a handle is of an object of a driver, and was made before a fork(). */
static bool is_lost(uint64_t id, enum cushim__handle_kind kind)
{
    const unsigned forked = atomic_load_explicit(&cushim__forked, memory_order_relaxed);

    return __builtin_expect(forked, 0) && kind >= CUSHIM__HANDLE_CONTEXT &&
           cushim__slot_of(id, kind) && rest_of(cushim__handle_index(id))->forked != forked;
}

void *cushim__handle_pin(uint64_t id, enum cushim__handle_kind kind, const char *call)
{
    struct cushim__handle_slot *slot = cushim__slot_of(id, kind);
    uint64_t state = slot ? atomic_load_explicit(&slot->state, memory_order_acquire) : 0;

    if (is_lost(id, kind)) {
        if (call)
            cushim__fail_forked(call);
        return NULL;
    }
    /*
     * The state can change between the load and the exchange, because another thread pins or
     * closes. Then the exchange fails, loads the new state, and the loop checks it again.
     */
    while (slot && is_open(state, id))
        if (atomic_compare_exchange_weak_explicit(&slot->state, &state, state + 1,
                                                  memory_order_acquire, memory_order_acquire))
            return slot->object;
    stale(id, kind, call);
    return NULL;
}

void cushim__handle_pin_again(uint64_t id)
{
    /* Relaxed order is enough: the caller already has a pin, and so already sees the object. */
    atomic_fetch_add_explicit(&cushim__slot_at(cushim__handle_index(id))->state, 1,
                              memory_order_relaxed);
}

/*
 * Pins the object that a slot holds, whatever it is. Returns its handle, or 0 if no handle of the
 * slot is open.
 */
static uint64_t pin_slot(struct cushim__handle_slot *slot, uint32_t index)
{
    uint64_t state = atomic_load_explicit(&slot->state, memory_order_acquire);

    while (!(state & CLOSED) && (state & PIN_MASK))
        if (atomic_compare_exchange_weak_explicit(&slot->state, &state, state + 1,
                                                  memory_order_acquire, memory_order_acquire))
            return id_of(index, state);
    return 0;
}

void cushim__handle_each(void (*see)(enum cushim__handle_kind kind, void *object, const char *made,
                                     void *user),
                         void *user)
{
    struct cushim__source_place made;
    uint32_t n;

    pthread_mutex_lock(&mutex);
    n = n_slots;
    pthread_mutex_unlock(&mutex);
    /* The mutex is not held during see(), which may call functions that take other locks. */
    for (uint32_t i = 0; i < n; i++) {
        struct cushim__handle_slot *slot = cushim__slot_at(i);
        const uint64_t id = pin_slot(slot, i);

        if (!id)
            continue;
        pthread_mutex_lock(&mutex);
        made = rest_of(i)->made;
        pthread_mutex_unlock(&mutex);
        see((enum cushim__handle_kind) kind_of(id), slot->object, made.text, user);
        cushim__handle_unpin(id);
    }
}

static void give_back(uint32_t index)
{
    pthread_mutex_lock(&mutex);
    rest_of(index)->next_free = first_free;
    first_free = index + 1;
    pthread_mutex_unlock(&mutex);
}

/*
 * The last pin is gone and the handle is closed, so no other thread can reach the object by it. A
 * retained handle gives back its pin, and the object goes with the last one.
 */
static void destroy_object(struct cushim__handle_slot *slot, const struct slot_rest *rest)
{
    void *object = atomic_exchange(&slot->object, NULL);

    if (rest->retained)
        cushim__handle_unpin(rest->retained);
    else
        rest->destroy(object);
}

void cushim__handle_unpin(uint64_t id)
{
    struct cushim__handle_slot *slot = cushim__slot_at(cushim__handle_index(id));
    /*
     * Acquire and release: the thread that destroys the object must see all that other threads
     * wrote to it before they removed their pins.
     */
    const uint64_t before = atomic_fetch_sub_explicit(&slot->state, 1, memory_order_acq_rel);

    if ((before & PIN_MASK) != 1)
        return;
    destroy_object(slot, rest_of(cushim__handle_index(id)));
    /*
     * Only now may the slot be used for another object. Its generation then changes, so that old
     * handles stay stale.
     */
    give_back(cushim__handle_index(id));
}

static void note_freed(uint64_t id, const struct cushim__source_place *place)
{
    struct slot_rest *rest = rest_of(cushim__handle_index(id));

    pthread_mutex_lock(&mutex);
    rest->freed = *place;
    rest->freed_generation = (uint32_t) (id >> 32);
    pthread_mutex_unlock(&mutex);
}

/*
 * Closes the handle in the state of its slot. Of several threads that try, exactly one succeeds,
 * and that one removes the pin of the handle itself.
 */
static bool mark_closed(struct cushim__handle_slot *slot, uint64_t id)
{
    uint64_t state = atomic_load_explicit(&slot->state, memory_order_acquire);

    while (is_open(state, id))
        if (atomic_compare_exchange_weak_explicit(&slot->state, &state, state | CLOSED,
                                                  memory_order_acq_rel, memory_order_acquire)) {
            atomic_store_explicit(&slot->open, 0, memory_order_release);
            return true;
        }
    return false;
}

/* The handle that pins the object for all its handles. */
static uint64_t root_of(uint64_t id)
{
    const uint64_t retained = rest_of(cushim__handle_index(id))->retained;

    return retained ? retained : id;
}

static atomic_uint *handles_of(uint64_t id)
{
    return &rest_of(cushim__handle_index(root_of(id)))->handles;
}

cushim_status cushim__handle_retain(uint64_t id, const char *call, uint64_t *ret_id)
{
    const enum cushim__handle_kind kind = cushim__handle_kind_of(id);
    void *object = cushim__handle_pin(id, kind ? kind : CUSHIM__HANDLE_CONTEXT, call);
    cushim_status status;

    if (!object)
        return cushim__error()->status;
    cushim__handle_pin_again(root_of(id));
    atomic_fetch_add(handles_of(id), 1);
    status = create(kind, object, NULL, root_of(id), call, ret_id);
    if (status) {
        atomic_fetch_sub(handles_of(id), 1);
        cushim__handle_unpin(root_of(id));
    } else {
        cushim__handle_set_lock(*ret_id, cushim__slot_at(cushim__handle_index(id))->lock);
    }
    cushim__handle_unpin(id);
    return status;
}

bool cushim__handle_is_shared(uint64_t id)
{
    return atomic_load(handles_of(id)) > 1;
}

cushim_status cushim__handle_close(uint64_t id, enum cushim__handle_kind kind, const char *call)
{
    bool last;

    return cushim__handle_close_one(id, kind, call, &last);
}

cushim_status cushim__handle_close_one(uint64_t id, enum cushim__handle_kind kind, const char *call,
                                       bool *ret_last)
{
    const struct cushim__source_place place = cushim__source_place_take();
    struct cushim__handle_slot *slot = cushim__slot_of(id, kind);
    struct cushim__handle_lock *lock;
    bool closed;

    /*
     * The pin keeps the object alive, and the object its lock, until the lock is released below.
     * Without it, the slot could get another object and another lock between these lines.
     */
    if (!cushim__handle_pin(id, kind, NULL))
        return is_lost(id, kind) ? cushim__fail_forked(call) : stale(id, kind, call);
    lock = atomic_load_explicit(&slot->lock, memory_order_relaxed);
    /*
     * A thread that holds this lock may use the object without a pin. So the handle is closed only
     * while no other thread holds the lock.
     */
    if (lock)
        pthread_mutex_lock(&lock->mutex);
    closed = mark_closed(slot, id);
    if (lock)
        pthread_mutex_unlock(&lock->mutex);
    /*
     * The first unpin removes the pin of the handle itself, the second one the pin of this call.
     * destroy() runs without the lock, because it may wait for the device.
     */
    if (closed) {
        note_freed(id, &place);
        *ret_last = atomic_fetch_sub(handles_of(id), 1) == 1;
        cushim__handle_unpin(id);
    }
    cushim__handle_unpin(id);
    return closed ? CUSHIM_OK : stale(id, kind, call);
}

void cushim__handle_set_lock(uint64_t id, struct cushim__handle_lock *lock)
{
    /*
     * Release order: a thread that finds the lock in the slot also sees that the mutex is
     * initialised.
     */
    atomic_store_explicit(&cushim__slot_at(cushim__handle_index(id))->lock, lock,
                          memory_order_release);
}

void cushim__handle_free(uint64_t *id, enum cushim__handle_kind kind, const char *call)
{
    struct cushim__error before;

    if (!id || !*id)
        return;
    /* The parent frees it. Nothing of it is touched here: a thread of the parent may have a lock.
     */
    if (is_lost(*id, kind)) {
        *id = 0;
        return;
    }
    cushim__error_keep(&before);
    if (cushim__handle_close(*id, kind, call))
        cushim__log(CUSHIM_LOG_ERROR, "%s", cushim__error()->text);
    cushim__error_restore(&before);
    *id = 0;
}
