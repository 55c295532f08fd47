/* SPDX-License-Identifier: MIT */
#include "core/object/handle_table.h"

#include <string.h>

#include "base/fork.h"
#include "base/util.h"

/*
 * Protects the lists below, the growth of the table, and the source locations in slots. Pinning and
 * unpinning do not take it: they only change the state of one slot, which is atomic. So calls on
 * different objects do not wait for each other here. The lists are valid at any moment, so a child
 * of fork() may simply initialise the mutex again.
 */
static struct cushim__mutex mutex;
static uint32_t first_free, first_deferred; /* index + 1 */
static uint32_t n_slots;
_Atomic(struct cushim__handle_slot *) cushim__handle_slots[ARRAY_SIZE(cushim__handle_slots)];

CUSHIM__FREE_IN_CHILD(mutex);

/*
 * The handles that were closed last, and where: a ring, so that a slot that is used again at once
 * does not forget it. Under the mutex; the text of a place is complete at any moment.
 */
enum { REMEMBERED = 1024 };

static struct closed {
    uint64_t id;
    struct cushim__source_place place;
} closed[REMEMBERED];

static unsigned n_closed;

/* Returns the handle that was closed so many closings before the last one. */
static struct closed *closed_before(unsigned before)
{
    return &closed[(n_closed - 1 - before) % REMEMBERED];
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
        first_free = cushim__table_rest(*ret_index)->next;
        return slot;
    }
    if (n_slots == CUSHIM__MAX_SLOTS)
        return NULL;
    if (!(n_slots & (CUSHIM__CHUNK_SLOTS - 1))) {
        struct cushim__slot_chunk *chunk = cushim__zalloc_lines(sizeof(*chunk));

        if (!chunk)
            return NULL;
        atomic_store_explicit(&cushim__handle_slots[n_slots >> CUSHIM__CHUNK_BITS], chunk->slots,
                              memory_order_release);
    }
    *ret_index = n_slots++;
    return cushim__slot_at(*ret_index);
}

/* The place where another handle of an object is made, unless somebody says so: the object's. */
static const char *inherited(const struct cushim__source_place *made)
{
    return strcmp(made->text, CUSHIM__PLACE_KEPT) ? made->text : NULL;
}

struct cushim__handle_slot *cushim__table_take(uint64_t retained, uint32_t *ret_index,
                                               bool *ret_full)
{
    const char *place = cushim__source_place_take();
    struct cushim__handle_slot *slot;

    cushim__mutex_lock(&mutex);
    slot = find_slot(ret_index);
    /* A retained handle was made where its object was, if nobody says otherwise. */
    if (retained && !(place && *place))
        place = inherited(&cushim__table_rest(cushim__handle_index(retained))->made);
    if (slot)
        cushim__source_place_set(&cushim__table_rest(*ret_index)->made, place);
    *ret_full = !slot && n_slots == CUSHIM__MAX_SLOTS;
    cushim__mutex_unlock(&mutex);
    return slot;
}

struct cushim__source_place cushim__table_closed_at(uint64_t id)
{
    struct cushim__source_place place = {""};

    cushim__mutex_lock(&mutex);
    for (unsigned i = 0; i < REMEMBERED; i++)
        if (closed_before(i)->id == id) {
            place = closed_before(i)->place;
            break;
        }
    cushim__mutex_unlock(&mutex);
    return place;
}

/* Under the mutex. */
static void note_closed(uint64_t id, const char *place)
{
    n_closed++;
    closed_before(0)->id = id;
    cushim__source_place_set(&closed_before(0)->place, place);
}

void cushim__table_give_back(uint32_t index, uint64_t closed_id, const char *place)
{
    cushim__mutex_lock(&mutex);
    if (closed_id)
        note_closed(closed_id, place);
    cushim__table_rest(index)->next = first_free;
    first_free = index + 1;
    cushim__mutex_unlock(&mutex);
}

void cushim__table_note_closed(uint64_t id, const char *place)
{
    cushim__mutex_lock(&mutex);
    note_closed(id, place);
    cushim__mutex_unlock(&mutex);
}

/* They were closed in their order, and other threads may have closed others in between. */
static void closed_at(const uint64_t *ids, size_t n, const char *place)
{
    for (unsigned i = 0; n && i < REMEMBERED; i++)
        if (closed_before(i)->id == ids[n - 1]) {
            cushim__source_place_set(&closed_before(i)->place, place);
            n--;
        }
}

void cushim__handles_closed_at(const uint64_t *ids, size_t n, const char *place)
{
    if (!place || !n)
        return;
    cushim__mutex_lock(&mutex);
    closed_at(ids, n, place);
    cushim__mutex_unlock(&mutex);
}

void cushim__handle_made_of(uint64_t id, const uint64_t *closed_ids, size_t n, const char *place)
{
    if (!place)
        return;
    cushim__mutex_lock(&mutex);
    cushim__source_place_set(&cushim__table_rest(cushim__handle_index(id))->made, place);
    closed_at(closed_ids, n, place);
    cushim__mutex_unlock(&mutex);
}

void cushim__handle_made_at(uint64_t id, const char *place)
{
    cushim__handle_made_of(id, NULL, 0, place);
}

uint32_t cushim__table_slots(void)
{
    uint32_t n;

    cushim__mutex_lock(&mutex);
    n = n_slots;
    cushim__mutex_unlock(&mutex);
    return n;
}

struct cushim__source_place cushim__table_made_at(uint32_t index)
{
    struct cushim__source_place made;

    cushim__mutex_lock(&mutex);
    made = cushim__table_rest(index)->made;
    cushim__mutex_unlock(&mutex);
    return made;
}

void cushim__table_defer(uint32_t index)
{
    cushim__mutex_lock(&mutex);
    cushim__table_rest(index)->next = first_deferred;
    first_deferred = index + 1;
    cushim__mutex_unlock(&mutex);
}

bool cushim__table_take_deferred(uint32_t *ret_index)
{
    uint32_t first;

    cushim__mutex_lock(&mutex);
    first = first_deferred;
    if (first)
        first_deferred = cushim__table_rest(first - 1)->next;
    cushim__mutex_unlock(&mutex);
    *ret_index = first - 1;
    return first != 0;
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
