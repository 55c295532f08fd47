/* SPDX-License-Identifier: MIT */
/*
 * The live objects, by handle.
 *
 * A handle is a number and not an address: a slot and a generation. So any value
 * that a caller passes can be looked up, and the handle of an object that is gone
 * is not taken for a newer one. Handles lie where nothing is mapped, so that a
 * program that looks inside one faults, as it should.
 *
 * Callers hold the process-wide lock.
 */
#ifndef CUSHIM_MOCK_BASE_OBJECTS_H
#define CUSHIM_MOCK_BASE_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/tree.h"

enum mock__kind {
    MOCK__CONTEXT = 1,
    MOCK__STREAM,
    MOCK__EVENT,
    MOCK__MODULE,
    MOCK__FUNCTION,
    MOCK__POOL,
    MOCK__LIBRARY,
    MOCK__KERNEL,
    MOCK__LINK,
    MOCK__GRAPH,
    MOCK__NODE,
    MOCK__EXEC,
    MOCK__USER_OBJECT,
    MOCK__PHYSICAL,
    MOCK__ARRAY,
    MOCK__MIPMAPPED_ARRAY,
    MOCK__TEXTURE,
    MOCK__SURFACE,
    MOCK__TEXTURE_REFERENCE,
    MOCK__SURFACE_REFERENCE,
    MOCK__NOTIFICATION,
    MOCK__CONDITION,
    MOCK__GREEN,
    MOCK__SHARE,
    MOCK__KINDS, /* how many there are, and one */
};

/* The driver function that made an object for the program, and the number of that call. */
struct mock__made {
    const char *function; /* NULL: the driver did, for itself */
    uint64_t nth;         /* 0: not known */
};

/* Records the function that made an object, and counts the call. */
void mock__made(struct mock__made *made, const char *function);

/* The first member of every object. */
struct mock__object {
    enum mock__kind kind;
    uintptr_t handle;
    char *label; /* the program's name for it, or NULL */
    struct mock__made made;
    struct cushim__tree_node of_kind;  /* among the objects of its kind, by slot */
    struct cushim__tree_node of_owner; /* among those that the same object owns */
};

/* Returns a zeroed object with a handle, or NULL when out of memory. */
void *mock__object_new(enum mock__kind kind, size_t size);

/* Returns the live object of a handle, or NULL if there is none of this kind. */
void *mock__object_find(enum mock__kind kind, const void *handle);

/* Returns the live object of a handle, of any kind, or NULL if there is none. */
void *mock__object_any(uint64_t handle);

/* Tells whether this was the handle of an object that is gone. */
bool mock__object_is_gone(const void *handle);

/* Takes the handle out of use and frees the object. NULL does nothing. */
void mock__object_free(void *object);

/*
 * The objects of a kind, in turn: *cursor starts at 0. NULL at the end. Objects may be freed
 * meanwhile. Objects of other kinds, and those that are gone, cost nothing.
 */
void *mock__object_next(enum mock__kind kind, size_t *cursor);

/*
 * Notes which object, such as a context, another one lives in. The objects of a kind that live in
 * it, in turn, as above.
 */
void mock__object_own(const void *owner, void *object);
void *mock__object_next_of(const void *owner, enum mock__kind kind, size_t *cursor);

/* The handle of an object. */
#define MOCK__HANDLE(pointer) ((void *) (pointer)->object.handle)

#endif
