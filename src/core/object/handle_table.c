/* SPDX-License-Identifier: MIT */
#include "core/object/handle_table.h"

#include <pthread.h>

#include "base/fork.h"
#include "base/util.h"

struct chunk {
    struct cushim__handle_slot slots[CUSHIM__CHUNK_SLOTS];
    struct cushim__slot_rest rest[CUSHIM__CHUNK_SLOTS];
};

/*
 * Protects the lists below, the growth of the table, and the source locations in slots. Pinning and
 * unpinning do not take it: they only change the state of one slot, which is atomic. So calls on
 * different objects do not wait for each other here. The lists are valid at any moment, so a child
 * of fork() may simply initialise the mutex again.
 */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uint32_t first_free, first_deferred; /* index + 1 */
static uint32_t n_slots;
_Atomic(struct cushim__handle_slot *) cushim__handle_slots[ARRAY_SIZE(cushim__handle_slots)];

CUSHIM__OPEN_IN_CHILD(mutex);

struct cushim__slot_rest *cushim__table_rest(uint32_t index)
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
        first_free = cushim__table_rest(*ret_index)->next;
        return slot;
    }
    if (n_slots == CUSHIM__MAX_SLOTS)
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

struct cushim__handle_slot *cushim__table_take(uint64_t retained, uint32_t *ret_index,
                                               bool *ret_full)
{
    struct cushim__source_place place = cushim__source_place_take();
    struct cushim__handle_slot *slot;

    pthread_mutex_lock(&mutex);
    slot = find_slot(ret_index);
    /* A retained handle was made where its object was, if nobody says otherwise. */
    if (retained && !place.text[0])
        place = cushim__table_rest(cushim__handle_index(retained))->made;
    if (slot)
        cushim__table_rest(*ret_index)->made = place;
    *ret_full = !slot && n_slots == CUSHIM__MAX_SLOTS;
    pthread_mutex_unlock(&mutex);
    return slot;
}

struct cushim__source_place cushim__table_freed_at(uint64_t id)
{
    const bool there = cushim__slot_at(cushim__handle_index(id)) != NULL;
    struct cushim__source_place place = {""};

    pthread_mutex_lock(&mutex);
    if (there && cushim__table_rest(cushim__handle_index(id))->freed_generation == id >> 32)
        place = cushim__table_rest(cushim__handle_index(id))->freed;
    pthread_mutex_unlock(&mutex);
    return place;
}

void cushim__table_give_back(uint32_t index)
{
    pthread_mutex_lock(&mutex);
    cushim__table_rest(index)->next = first_free;
    first_free = index + 1;
    pthread_mutex_unlock(&mutex);
}

void cushim__table_note_freed(uint64_t id, const struct cushim__source_place *place)
{
    struct cushim__slot_rest *rest = cushim__table_rest(cushim__handle_index(id));

    pthread_mutex_lock(&mutex);
    rest->freed = *place;
    rest->freed_generation = (uint32_t) (id >> 32);
    pthread_mutex_unlock(&mutex);
}

uint32_t cushim__table_slots(void)
{
    uint32_t n;

    pthread_mutex_lock(&mutex);
    n = n_slots;
    pthread_mutex_unlock(&mutex);
    return n;
}

struct cushim__source_place cushim__table_made_at(uint32_t index)
{
    struct cushim__source_place made;

    pthread_mutex_lock(&mutex);
    made = cushim__table_rest(index)->made;
    pthread_mutex_unlock(&mutex);
    return made;
}

void cushim__table_defer(uint32_t index)
{
    pthread_mutex_lock(&mutex);
    cushim__table_rest(index)->next = first_deferred;
    first_deferred = index + 1;
    pthread_mutex_unlock(&mutex);
}

bool cushim__table_take_deferred(uint32_t *ret_index)
{
    uint32_t first;

    pthread_mutex_lock(&mutex);
    first = first_deferred;
    if (first)
        first_deferred = cushim__table_rest(first - 1)->next;
    pthread_mutex_unlock(&mutex);
    *ret_index = first - 1;
    return first != 0;
}
