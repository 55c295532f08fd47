/* SPDX-License-Identifier: MIT */
#include "core/object/handle.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "base/log.h"
#include "base/status.h"
#include "base/util.h"
#include "core/object/handle_table.h"
#include "core/object/scope.h"
#include "core/object/slot.h"
#include "loader/library.h"

_Static_assert(CUSHIM__HANDLE_KINDS <= CUSHIM__KIND_MASK, "room for every kind");

/* The handle of the object that is, or was, in a slot with this state. */
static uint64_t id_of(uint32_t index, uint64_t state)
{
    return (state & ~(CUSHIM__GENERATION - 1)) |
           (state >> CUSHIM__KIND_SHIFT & CUSHIM__KIND_MASK) << CUSHIM__INDEX_BITS | index;
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

/*
 * Makes a handle in a new slot. retained is 0, or a handle of the same object; its slot, which the
 * caller has pinned, has the object's destructor.
 */
static cushim_status create(enum cushim__handle_kind kind, void *object, cushim__destroy *destroy,
                            uint64_t retained, const char *call, uint64_t *ret_id)
{
    struct cushim__handle_slot *slot;
    struct cushim__slot_rest *rest;
    bool is_full = false;
    uint32_t index = 0;
    uint64_t state;

    /* The slot is chosen first, because the number of the slot is a part of the handle. */
    slot = cushim__table_take(retained, &index, &is_full);
    if (is_full)
        return cushim__fail_at(CUSHIM_ERROR_LIMIT, call, NULL,
                               "%s: %d handles are open, there can be no more", call,
                               CUSHIM__MAX_SLOTS);
    if (!slot)
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, call, NULL, "no memory for another handle");
    /*
     * Relaxed order is enough for these: the release below publishes them together with the
     * state.
     */
    atomic_store_explicit(&slot->object, object, memory_order_relaxed);
    atomic_store_explicit(&slot->lock, NULL, memory_order_relaxed);
    atomic_store_explicit(&slot->buffer, NULL, memory_order_relaxed);
    rest = cushim__table_rest(index);
    rest->destroy = destroy;
    rest->retained = retained;
    atomic_store_explicit(&rest->handles, 1, memory_order_relaxed);
    rest->forked = atomic_load_explicit(&cushim__forked, memory_order_relaxed);
    /* Generation 0 is skipped, so that a handle is never zero. */
    state = (atomic_load(&slot->state) & ~(CUSHIM__GENERATION - 1)) + CUSHIM__GENERATION;
    if (!(state >> 32))
        state = CUSHIM__GENERATION;
    state |= (uint64_t) kind << CUSHIM__KIND_SHIFT;
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
        return cushim__fail_at(
            CUSHIM_ERROR_WRONG_HANDLE, call, NULL, "%s: expected %s, this is the handle of %s%s",
            call, cushim__handle_a(kind), cushim__handle_a(is), cushim__handle_mix_up(kind, is));
    place = cushim__table_closed_at(id);
    if (place.text[0])
        return cushim__fail_at(CUSHIM_ERROR_STALE_HANDLE, call, NULL, "%s: the %s was %s by %s%s",
                               call, cushim__handle_noun(kind), cushim__handle_ended(kind),
                               place.text, cushim__handle_advice(kind));
    return cushim__fail_at(
        CUSHIM_ERROR_STALE_HANDLE, call, NULL, "%s: this %s was %s, or the handle is not one%s",
        call, cushim__handle_noun(kind), cushim__handle_ended(kind), cushim__handle_advice(kind));
}

/* Tells whether a handle is of an object of a driver, and was made before a fork(). */
static bool is_lost(uint64_t id, enum cushim__handle_kind kind)
{
    const unsigned forked = atomic_load_explicit(&cushim__forked, memory_order_relaxed);

    return __builtin_expect(forked, 0) && kind >= CUSHIM__HANDLE_CONTEXT &&
           cushim__slot_of(id, kind) &&
           cushim__table_rest(cushim__handle_index(id))->forked != forked;
}

static bool pin(struct cushim__handle_slot *slot, uint64_t id)
{
    uint64_t state = atomic_load_explicit(&slot->state, memory_order_acquire);

    /*
     * The state can change between the load and the exchange, because another thread pins or
     * closes. Then the exchange fails, loads the new state, and the loop checks it again.
     */
    while (cushim__state_is_open(state, id))
        if (atomic_compare_exchange_weak_explicit(&slot->state, &state, state + 1,
                                                  memory_order_acquire, memory_order_acquire))
            return true;
    return false;
}

void *cushim__handle_pin(uint64_t id, enum cushim__handle_kind kind, const char *call)
{
    struct cushim__handle_slot *slot = cushim__slot_of(id, kind);
    const bool lost = __builtin_expect(cushim__attention_needed(), 0) && is_lost(id, kind);

    if (__builtin_expect(slot && !lost && pin(slot, id), 1))
        return atomic_load_explicit(&slot->object, memory_order_relaxed);
    if (!lost)
        stale(id, kind, call);
    else if (call)
        cushim__fail_forked(call);
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

    while (!(state & CUSHIM__CLOSED) && (state & CUSHIM__PIN_MASK))
        if (atomic_compare_exchange_weak_explicit(&slot->state, &state, state + 1,
                                                  memory_order_acquire, memory_order_acquire))
            return id_of(index, state);
    return 0;
}

void cushim__handle_each(void (*see)(const struct cushim__open_handle *handle, void *user),
                         void *user)
{
    struct cushim__source_place made;
    const uint32_t n = cushim__table_slots();

    for (uint32_t i = 0; i < n; i++) {
        struct cushim__handle_slot *slot = cushim__slot_at(i);
        const uint64_t id = pin_slot(slot, i);

        if (!id)
            continue;
        made = cushim__table_made_at(i);
        see(&(struct cushim__open_handle){(enum cushim__handle_kind) kind_of(id), slot->object,
                                          made.text, cushim__table_rest(i)->retained != 0},
            user);
        cushim__handle_unpin(id);
    }
}

/*
 * The last pin is gone and the handle is closed, so no other thread can reach the object by it. A
 * retained handle gives back its pin, and the object goes with the last one.
 */
static void destroy_object(struct cushim__handle_slot *slot, const struct cushim__slot_rest *rest)
{
    void *object = atomic_load_explicit(&slot->object, memory_order_relaxed);

    atomic_store_explicit(&slot->object, NULL, memory_order_relaxed);

    if (rest->retained)
        cushim__handle_unpin(rest->retained);
    else
        rest->destroy(object);
}

/* Only after the object is destroyed may its slot be used for another one. */
static void destroy_slot(uint32_t index)
{
    destroy_object(cushim__slot_at(index), cushim__table_rest(index));
    cushim__table_give_back(index, 0, NULL);
}

/* The last pin is gone. Destroying may take locks that the thread has, or call the driver. */
static void end_of_pins(uint64_t id, bool in_driver)
{
    if (__builtin_expect(in_driver || cushim__in_callback(), 0)) {
        cushim__table_defer(cushim__handle_index(id));
        atomic_fetch_add(&cushim__attention, 1);
    } else {
        destroy_slot(cushim__handle_index(id));
    }
}

/* Acquire and release: who destroys the object must see all that others wrote while it was pinned.
 */
static inline void unpin(uint64_t id, bool in_driver)
{
    struct cushim__handle_slot *slot = cushim__slot_at(cushim__handle_index(id));
    const uint64_t before = atomic_fetch_sub_explicit(&slot->state, 1, memory_order_acq_rel);

    if (__builtin_expect((before & CUSHIM__PIN_MASK) == 1, 0))
        end_of_pins(id, in_driver);
}

void cushim__handle_unpin(uint64_t id)
{
    unpin(id, false);
}

void cushim__handle_unpin_in_driver(uint64_t id)
{
    unpin(id, true);
}

void cushim__handle_destroy_deferred(void)
{
    uint32_t index;

    while (cushim__table_take_deferred(&index)) {
        atomic_fetch_sub(&cushim__attention, 1);
        /* In a child of fork() it is the parent's. */
        if (cushim__table_rest(index)->forked == atomic_load(&cushim__forked))
            destroy_slot(index);
    }
}

/*
 * Closes the handle in the state of its slot. Of several threads that try, exactly one succeeds,
 * and that one removes the pin of the handle itself.
 */
static bool mark_closed(struct cushim__handle_slot *slot, uint64_t id, uint64_t *ret_state)
{
    uint64_t state = atomic_load_explicit(&slot->state, memory_order_acquire);

    while (cushim__state_is_open(state, id))
        if (atomic_compare_exchange_weak_explicit(&slot->state, &state, state | CUSHIM__CLOSED,
                                                  memory_order_acq_rel, memory_order_acquire)) {
            atomic_store_explicit(&slot->open, 0, memory_order_release);
            *ret_state = state;
            return true;
        }
    return false;
}

/* The handle that pins the object for all its handles. */
static uint64_t root_of(uint64_t id)
{
    const uint64_t retained = cushim__table_rest(cushim__handle_index(id))->retained;

    return retained ? retained : id;
}

static atomic_uint *handles_of(uint64_t id)
{
    return &cushim__table_rest(cushim__handle_index(root_of(id)))->handles;
}

/* Counts another handle of an object. False if the last one is closed, or is claimed. */
static bool count_handle(uint64_t id)
{
    atomic_uint *handles = handles_of(id);
    unsigned n = atomic_load(handles);

    while (n)
        if (atomic_compare_exchange_weak(handles, &n, n + 1))
            return true;
    return false;
}

/* Counts a closed handle. Tells whether it was the last one. A claimed one is counted already. */
static bool uncount_handle(uint64_t id)
{
    atomic_uint *handles = handles_of(id);
    unsigned n = atomic_load(handles);

    while (n && !atomic_compare_exchange_weak(handles, &n, n - 1))
        ;
    return n <= 1;
}

/* Gives a new handle the lock of the pinned handle of the same object, and its part of a buffer. */
static void set_like(uint64_t made, uint64_t id)
{
    struct cushim__handle_slot *from = cushim__slot_at(cushim__handle_index(id));

    if (from->buffer)
        cushim__handle_set_memory(made, from->buffer, from->begin, from->element, from->length);
    cushim__handle_set_lock(made, from->lock);
}

/*
 * The new handle is counted last, because nothing may fail after that: another thread that closes
 * its handle meanwhile must know whether that was the last one.
 */
cushim_status cushim__handle_retain(uint64_t id, const char *call, uint64_t *ret_id)
{
    const enum cushim__handle_kind kind = cushim__handle_kind_of(id);
    void *object = cushim__handle_pin(id, kind ? kind : CUSHIM__HANDLE_CONTEXT, call);
    cushim_status status;
    uint64_t made = 0, state;

    if (!object)
        return cushim__error()->status;
    cushim__handle_pin_again(root_of(id));
    status = create(kind, object, NULL, root_of(id), call, &made);
    if (status) {
        cushim__handle_unpin(root_of(id));
    } else if (count_handle(id)) {
        set_like(made, id);
        *ret_id = made;
    } else {
        mark_closed(cushim__slot_at(cushim__handle_index(made)), made, &state);
        cushim__handle_unpin(made);
        status = stale(id, kind, call);
    }
    cushim__handle_unpin(id);
    return status;
}

cushim_status cushim__handle_retain_kept(uint64_t id, const char *call, uint64_t *ret_id)
{
    const char *place = cushim__handle_source_location(CUSHIM__PLACE_KEPT);
    const cushim_status status = cushim__handle_retain(id, call, ret_id);

    cushim__handle_source_location(place);
    return status;
}

bool cushim__handle_is_shared(uint64_t id)
{
    return atomic_load(handles_of(id)) > 1;
}

bool cushim__handle_claim(uint64_t id)
{
    unsigned one = 1;

    return atomic_compare_exchange_strong(handles_of(id), &one, 0);
}

cushim_status cushim__handle_close(uint64_t id, enum cushim__handle_kind kind, const char *call)
{
    bool last;

    return cushim__handle_close_one(id, kind, call, &last);
}

/*
 * Closes a handle, and tells how many pins it had. A thread that holds the lock of the handle may
 * use the object without a pin. So the handle is closed only while no other thread holds that lock.
 * Its memory is never freed. If another thread closes the handle first, the lock may be another
 * one's by now, which does no harm: the handle is then not open.
 */
static bool close_slot(struct cushim__handle_slot *slot, uint64_t id, unsigned *ret_pins)
{
    struct cushim__handle_lock *lock = atomic_load_explicit(&slot->lock, memory_order_acquire);
    uint64_t state = 0;
    bool closed;

    if (lock)
        cushim__handle_lock(lock);
    closed = mark_closed(slot, id, &state);
    if (lock)
        cushim__handle_unlock(lock);
    *ret_pins = (unsigned) (state & CUSHIM__PIN_MASK);
    return closed;
}

/* A closed handle has only its own pin, and no other handle pins it: so no other thread has it. */
static void end_alone(struct cushim__handle_slot *slot, uint64_t id, const char *place)
{
    const uint32_t index = cushim__handle_index(id);
    const uint64_t state = atomic_load_explicit(&slot->state, memory_order_relaxed);

    atomic_store_explicit(&slot->state, state & ~CUSHIM__PIN_MASK, memory_order_relaxed);
    destroy_object(slot, cushim__table_rest(index));
    cushim__table_give_back(index, id, place);
}

/*
 * destroy() runs without the lock, because it may wait for the device. Where it cannot run, the
 * last pin does what is right.
 */
static cushim_status close_at(uint64_t id, enum cushim__handle_kind kind, const char *call,
                              const char *place, bool *ret_last)
{
    struct cushim__handle_slot *slot = cushim__slot_of(id, kind);
    unsigned pins = 0;

    if (is_lost(id, kind))
        return cushim__fail_forked(call);
    if (!slot || !close_slot(slot, id, &pins))
        return stale(id, kind, call);
    if (pins == 1 && root_of(id) == id && !cushim__in_callback()) {
        *ret_last = true;
        end_alone(slot, id, place);
        return CUSHIM_OK;
    }
    cushim__table_note_closed(id, place);
    *ret_last = uncount_handle(id);
    if (*ret_last)
        cushim__handle_tell_closed(kind, slot->object);
    cushim__handle_unpin(id);
    return CUSHIM_OK;
}

cushim_status cushim__handle_close_one(uint64_t id, enum cushim__handle_kind kind, const char *call,
                                       bool *ret_last)
{
    const char *place = cushim__source_place_take();
    const char *before = cushim__source_place_closing(place);
    const cushim_status status = close_at(id, kind, call, place, ret_last);

    cushim__source_place_closing(before);
    return status;
}

void cushim__handle_set_memory(uint64_t id, struct cushim__buffer *buffer, size_t begin,
                               size_t element, size_t length)
{
    struct cushim__handle_slot *slot = cushim__slot_at(cushim__handle_index(id));

    atomic_store_explicit(&slot->begin, begin, memory_order_release);
    atomic_store_explicit(&slot->element, element, memory_order_release);
    atomic_store_explicit(&slot->length, length, memory_order_release);
    atomic_store_explicit(&slot->buffer, buffer, memory_order_release);
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
    if (cushim__handle_close(*id, kind, NULL)) {
        cushim__error_keep(&before);
        stale(*id, kind, call);
        cushim__log(CUSHIM_LOG_ERROR, "%s", cushim__error()->text);
        cushim__error_restore(&before);
    }
    *id = 0;
}
