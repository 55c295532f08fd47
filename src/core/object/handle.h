/* SPDX-License-Identifier: MIT */
/*
 * The table of all objects that a handle can name.
 *
 * A handle is a slot number, the kind of object, and the slot's generation. Slots are
 * never given back to the system, so a stale handle can be looked up safely: its generation
 * does not match. An object is pinned while a call uses it; freeing it meanwhile
 * closes the handle at once and destroys the object when the last pin is gone.
 *
 * All functions are thread-safe.
 */
#ifndef CUSHIM_CORE_OBJECT_HANDLE_H
#define CUSHIM_CORE_OBJECT_HANDLE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <cushim/status.h>

enum cushim__handle_kind {
    CUSHIM__HANDLE_DRIVER = 1,
    CUSHIM__HANDLE_NVRTC,
    CUSHIM__HANDLE_TRACE,
    CUSHIM__HANDLE_FAULTS,
    CUSHIM__HANDLE_IMAGE,
    /* From here on, what a handle names begins with a struct cushim__object (object.h). */
    CUSHIM__HANDLE_CONTEXT,
    CUSHIM__HANDLE_STREAM,
    CUSHIM__HANDLE_EVENT,
    CUSHIM__HANDLE_SLICE,
    CUSHIM__HANDLE_PINNED,
    CUSHIM__HANDLE_UNIFIED,
    CUSHIM__HANDLE_MODULE,
    CUSHIM__HANDLE_FUNCTION,
    CUSHIM__HANDLE_CODE_LIBRARY,
    CUSHIM__HANDLE_KERNEL,
    CUSHIM__HANDLE_LAUNCHER,
    CUSHIM__HANDLE_GRAPH,
    CUSHIM__HANDLE_KINDS,
};

typedef void cushim__destroy(void *object);

/*
 * Where in the program the thread's next handle is made, or closed: "train.c:88". It is read by
 * the next cushim__handle_create() or cushim__handle_close() of the thread, and then forgotten.
 * The text must live until then; what handles remember of it is copied.
 */
void cushim__handle_source_location(const char *place);

/* The kind that a handle says it is of; 0 for one that is none. */
enum cushim__handle_kind cushim__handle_kind_of(uint64_t id);

/* "context", "slice". */
const char *cushim__handle_noun(enum cushim__handle_kind kind);

/*
 * Gives object a handle. destroy() is called once, when it was closed and nobody uses it
 * any more. On failure the object stays the caller's. call is for the error text.
 */
cushim_status cushim__handle_create(enum cushim__handle_kind kind, void *object,
                                    cushim__destroy *destroy, const char *call, uint64_t *ret_id);

/*
 * Pins the object of a handle; NULL, and the thread's error, if the handle is stale or of
 * another kind. With call NULL no error is remembered. Every pin is followed by
 * cushim__handle_unpin().
 */
void *cushim__handle_pin(uint64_t id, enum cushim__handle_kind kind, const char *call);
void cushim__handle_unpin(uint64_t id);

/*
 * Another pin on a handle that the caller has pinned already, or is destroying the last user of:
 * it may be closed by now.
 */
void cushim__handle_pin_again(uint64_t id);

/*
 * Calls see() for every open handle, pinned meanwhile. made is where it was made, or "". It must
 * not create or close handles.
 */
void cushim__handle_each(void (*see)(enum cushim__handle_kind kind, void *object, const char *made,
                                     void *user),
                         void *user);

/*
 * A lock that handles can have. Its memory is never given back to the system, so that who has no
 * more than a handle can take the handle's lock, and look then whether it was worth it.
 */
struct cushim__handle_lock {
    pthread_mutex_t mutex;
    struct cushim__handle_lock *next; /* while nobody has it */
};

/* NULL when out of memory. */
struct cushim__handle_lock *cushim__handle_lock_new(void);
void cushim__handle_lock_free(struct cushim__handle_lock *lock);

/*
 * A handle with a lock is closed only by who holds the lock, so who holds it needs no pins: see
 * slot.h. The lock is set once, before others know the handle, and lives as long as the object.
 */
void cushim__handle_set_lock(uint64_t id, struct cushim__handle_lock *lock);

/* Closes a handle. The object is destroyed now or when its last pin goes. */
cushim_status cushim__handle_close(uint64_t id, enum cushim__handle_kind kind, const char *call);

#endif
