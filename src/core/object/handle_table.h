/* SPDX-License-Identifier: MIT */
/*
 * The memory of the handle table: its slots, and what a slot has besides the words that every call
 * reads (slot.h). handle.c has the states of handles. All functions are thread-safe.
 */
#ifndef CUSHIM_CORE_OBJECT_HANDLE_TABLE_H
#define CUSHIM_CORE_OBJECT_HANDLE_TABLE_H

#include "core/object/handle_words.h"
#include "core/object/slot.h"

/* How many handles can be open at the same time. The number is in <cushim/handle.h>. */
enum { CUSHIM__MAX_SLOTS = 1 << CUSHIM__INDEX_BITS };

struct cushim__slot_rest {
    cushim__destroy *destroy;
    uint64_t retained;   /* 0, or the handle that this one was retained from, and that it pins */
    atomic_uint handles; /* open handles of the object, while this one is not a retained one */
    unsigned forked;     /* cushim__forked when the handle was made */
    uint32_t next;       /* index + 1 of the next slot in the list that this one is in */

    struct cushim__source_place made; /* under the mutex of handle_table.c */
};

struct cushim__slot_chunk {
    struct cushim__handle_slot slots[CUSHIM__CHUNK_SLOTS];
    struct cushim__slot_rest rest[CUSHIM__CHUNK_SLOTS];
};

/* Returns the rest of a slot that exists. */
static inline struct cushim__slot_rest *cushim__table_rest(uint32_t index)
{
    struct cushim__handle_slot *slots = cushim__slot_at(index & ~(CUSHIM__CHUNK_SLOTS - 1u));

    return &((struct cushim__slot_chunk *) slots)->rest[index & (CUSHIM__CHUNK_SLOTS - 1)];
}

/*
 * Takes a slot for a new handle and notes where it is made: where the thread has said, or where
 * retained was made, if it is not 0. Only the caller knows the slot until its state is set to open.
 * On failure the result is NULL, and *ret_full tells whether all slots are in use.
 */
struct cushim__handle_slot *cushim__table_take(uint64_t retained, uint32_t *ret_index,
                                               bool *ret_full);

/*
 * Lets the slot be used again. Its generation then changes, so that old handles stay stale. Notes
 * where its handle was closed, as cushim__table_note_closed(), unless closed is 0.
 */
void cushim__table_give_back(uint32_t index, uint64_t closed, const char *place);

/* Returns how many slots there are. */
uint32_t cushim__table_slots(void);

/* Returns where the handle in a slot was made. */
struct cushim__source_place cushim__table_made_at(uint32_t index);

/* Notes where a handle was closed, or NULL. */
void cushim__table_note_closed(uint64_t id, const char *place);

/*
 * Returns the source location where a handle was closed, or "" if it is not known, or if many
 * others were closed since.
 */
struct cushim__source_place cushim__table_closed_at(uint64_t id);

/* Keeps a slot whose object is to be destroyed later. Allocates nothing. */
void cushim__table_defer(uint32_t index);

/* Takes such a slot back. Returns false if there is none. */
bool cushim__table_take_deferred(uint32_t *ret_index);

#endif
