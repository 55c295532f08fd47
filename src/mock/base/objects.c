/* SPDX-License-Identifier: MIT */
#include "mock/base/objects.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"

/*
 * A handle: BASE + generation << 28 + slot << 4. BASE is above what a heap grows to
 * and below where the kernel maps files, and a handle still fits 47 bits, for
 * languages that keep pointers in that many.
 */
#define BASE             0x200000000000u
#define SLOT_BITS        24
#define GENERATION_BITS  16
#define SLOT_SHIFT       4
#define GENERATION_SHIFT (SLOT_SHIFT + SLOT_BITS)
#define NONE             SIZE_MAX

struct slot {
    struct mock__object *object; /* NULL if free */
    size_t next_free;
    unsigned generation;
};

static struct slot *slots;
static size_t n_slots, capacity;

/* The live objects of each kind. */
static struct cushim__tree kinds[MOCK__KINDS];

/* Those that live in another one, by its handle and kind, and by slot. */
static struct cushim__tree owned;

/* First in, first out, so that a slot rests for as long as possible. */
static size_t first_free = NONE, last_free = NONE;

static size_t grow(void)
{
    if (n_slots == capacity) {
        const size_t wanted = capacity ? 2 * capacity : 64;
        struct slot *larger =
            wanted <= (size_t) 1 << SLOT_BITS ? realloc(slots, wanted * sizeof(*slots)) : NULL;

        if (!larger)
            return NONE;
        slots = larger;
        capacity = wanted;
    }
    slots[n_slots] = (struct slot){.generation = 0};
    return n_slots++;
}

static size_t take_slot(void)
{
    const size_t slot = first_free;

    /* A few at rest catch a handle used after its object is gone. */
    if (slot == NONE || n_slots < 32)
        return grow();
    first_free = slots[slot].next_free;
    if (first_free == NONE)
        last_free = NONE;
    return slot;
}

static void release_slot(size_t slot)
{
    slots[slot].object = NULL;
    slots[slot].generation = (slots[slot].generation + 1) & ((1u << GENERATION_BITS) - 1);
    slots[slot].next_free = NONE;
    if (last_free == NONE)
        first_free = slot;
    else
        slots[last_free].next_free = slot;
    last_free = slot;
}

static uintptr_t handle_of(size_t slot)
{
    return BASE + ((uintptr_t) slots[slot].generation << GENERATION_SHIFT) +
           ((uintptr_t) slot << SLOT_SHIFT);
}

static size_t slot_of(uintptr_t handle)
{
    return (handle >> SLOT_SHIFT) & (((size_t) 1 << SLOT_BITS) - 1);
}

void *mock__object_new(enum mock__kind kind, size_t size)
{
    struct mock__object *object = calloc(1, size);
    const size_t slot = object ? take_slot() : NONE;

    if (slot == NONE) {
        free(object);
        return NULL;
    }
    object->kind = kind;
    object->handle = handle_of(slot);
    slots[slot].object = object;
    cushim__tree_add(&kinds[kind], &object->of_kind, slot, 0);
    return object;
}

void *mock__object_any(uint64_t handle)
{
    const size_t slot = slot_of(handle);
    struct mock__object *object = slot < n_slots ? slots[slot].object : NULL;

    return object && object->handle == handle ? object : NULL;
}

bool mock__object_is_gone(const void *pointer)
{
    const uintptr_t handle = (uintptr_t) pointer;
    const size_t slot = slot_of(handle);
    const uintptr_t last = slot < n_slots ? handle_of(slot) : 0;

    if (handle < BASE || handle & ((1u << SLOT_SHIFT) - 1) || !last || mock__object_any(handle))
        return false;
    return (handle - BASE) >> GENERATION_SHIFT < 1u << GENERATION_BITS;
}

void *mock__object_find(enum mock__kind kind, const void *handle)
{
    struct mock__object *object = mock__object_any((uintptr_t) handle);

    return object && object->kind == kind ? object : NULL;
}

void mock__object_free(void *pointer)
{
    struct mock__object *object = pointer;

    if (!object)
        return;
    cushim__tree_remove(&kinds[object->kind], &object->of_kind);
    cushim__tree_remove(&owned, &object->of_owner);
    release_slot(slot_of(object->handle));
    free(object->label);
    free(object);
}

void *mock__object_next(enum mock__kind kind, size_t *cursor)
{
    struct cushim__tree_node *node = cushim__tree_from(&kinds[kind], *cursor, 0);

    if (node)
        *cursor = node->major + 1;
    return CUSHIM__TREE_MEMBER(node, struct mock__object, of_kind);
}

/* The last bits of handles are zeros. */
static uint64_t place_of(const void *owner, enum mock__kind kind)
{
    return ((const struct mock__object *) owner)->handle << SLOT_SHIFT | (uint64_t) kind;
}

void mock__object_own(const void *owner, void *pointer)
{
    struct mock__object *object = pointer;

    cushim__tree_add(&owned, &object->of_owner, place_of(owner, object->kind),
                     slot_of(object->handle));
}

void *mock__object_next_of(const void *owner, enum mock__kind kind, size_t *cursor)
{
    const uint64_t place = place_of(owner, kind);
    struct cushim__tree_node *node = cushim__tree_from(&owned, place, *cursor);

    if (!node || node->major != place)
        return NULL;
    *cursor = node->minor + 1;
    return CUSHIM__TREE_MEMBER(node, struct mock__object, of_owner);
}

/* How many things each function made. */
static struct {
    const char *function;
    uint64_t n;
} counts[64];

/* 0 when there are more functions than there is room for. */
static uint64_t count(const char *function)
{
    size_t i = 0;

    while (i < ARRAY_SIZE(counts) && counts[i].function && strcmp(counts[i].function, function))
        i++;
    if (i == ARRAY_SIZE(counts))
        return 0;
    counts[i].function = function;
    return ++counts[i].n;
}

void mock__made(struct mock__made *made, const char *function)
{
    *made = (struct mock__made){function, count(function)};
}
