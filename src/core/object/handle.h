/* SPDX-License-Identifier: MIT */
/*
 * The table of all objects that a handle can name.
 *
 * A handle contains a slot number, the kind of the object, and the slot's generation. The memory of
 * slots is never freed, so looking up a stale handle is safe: its generation does not match. A call
 * pins the object that it uses. If another thread frees the object meanwhile, the handle is closed
 * at once, and the object is destroyed with its last pin.
 *
 * handle_lock.h has the locks that handles share, handle_closed.c what objects do when their last
 * handle is closed, handle_take.c what needs no pin, handle_table.c the memory of the table, and
 * handle_words.c the nouns and source locations of messages. All functions are thread-safe.
 */
#ifndef CUSHIM_CORE_OBJECT_HANDLE_H
#define CUSHIM_CORE_OBJECT_HANDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cushim/status.h>

#include "core/object/handle_lock.h"

enum cushim__handle_kind {
    CUSHIM__HANDLE_DRIVER = 1,
    CUSHIM__HANDLE_NVRTC,
    CUSHIM__HANDLE_NVJITLINK,
    CUSHIM__HANDLE_TRACE,
    CUSHIM__HANDLE_FAULTS,
    CUSHIM__HANDLE_IMAGE,
    /* The objects of the following kinds begin with a struct cushim__object (object.h). */
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
    CUSHIM__HANDLE_POOL,
    CUSHIM__HANDLE_EXTERNAL_MEMORY,
    CUSHIM__HANDLE_EXTERNAL_SEMAPHORE,
    CUSHIM__HANDLE_ARENA,
    /* Those of the following kinds have no context. */
    CUSHIM__HANDLE_OP,
    CUSHIM__HANDLE_POLICY,
    CUSHIM__HANDLE_FUTURE,
    CUSHIM__HANDLE_KINDS,
};

struct cushim__buffer;

typedef void cushim__destroy(void *object);

/*
 * Sets the source location ("train.c:88") of the handle that the calling thread makes or closes
 * next. The next cushim__handle_create() or cushim__handle_close() of the thread uses it once. The
 * text must be valid until then; the handle keeps a copy. Returns the location that was set before,
 * or NULL.
 */
const char *cushim__handle_source_location(const char *place);

/*
 * Returns the kind in the bits of a handle, or 0 if they are not a kind. The handle may be stale.
 */
enum cushim__handle_kind cushim__handle_kind_of(uint64_t id);

/* Returns the English name of a kind, such as "context" or "slice". */
const char *cushim__handle_noun(enum cushim__handle_kind kind);

/*
 * Makes a handle for object. destroy() is called once, when the handle is closed and the last pin
 * is gone. If this fails, the caller still owns the object. call is the public function's name, for
 * the error text.
 */
cushim_status cushim__handle_create(enum cushim__handle_kind kind, void *object,
                                    cushim__destroy *destroy, const char *call, uint64_t *ret_id);

/*
 * Pins the object of a handle and returns it. If the handle is stale or of another kind, the result
 * is NULL, and the thread's last error is set unless call is NULL. The caller ends each pin with
 * cushim__handle_unpin().
 */
void *cushim__handle_pin(uint64_t id, enum cushim__handle_kind kind, const char *call);
void cushim__handle_unpin(uint64_t id);

/* The same in a thread of the driver: if it was the last pin, the object is destroyed later. */
void cushim__handle_unpin_in_driver(uint64_t id);

/*
 * Destroys the objects whose last pins went away inside of host functions and hooks, where nothing
 * can be destroyed. Called by cushim__close_deferred() alone.
 */
void cushim__handle_destroy_deferred(void);

/*
 * Adds a pin to a handle that cannot lose its last pin during the call, because the caller has
 * pinned it already, or is destroying the object that holds a pin. Unlike cushim__handle_pin(),
 * this also works if the handle is closed by now.
 */
void cushim__handle_pin_again(uint64_t id);

/*
 * Makes another handle of an object, of any kind. The object is destroyed when both are closed and
 * their last pins are gone.
 */
cushim_status cushim__handle_retain(uint64_t id, const char *call, uint64_t *ret_id);

/* The same for a handle that is a part of a larger object (CUSHIM__PLACE_KEPT). */
cushim_status cushim__handle_retain_kept(uint64_t id, const char *call, uint64_t *ret_id);

/* Tells whether the object of a handle that the caller has pinned has other open handles. */
bool cushim__handle_is_shared(uint64_t id);

/*
 * Makes sure that the object of a handle that the caller has pinned gets no other handle any more.
 * False if it has one. The caller closes the handle afterwards.
 */
bool cushim__handle_claim(uint64_t id);

/*
 * Note where an open handle was made, or where n handles were closed, in this order, or both, if
 * that is known only afterwards. NULL changes nothing.
 */
void cushim__handle_made_at(uint64_t id, const char *place);
void cushim__handle_made_of(uint64_t id, const uint64_t *closed_ids, size_t n, const char *place);
void cushim__handles_closed_at(const uint64_t *ids, size_t n, const char *place);

/* An open handle, which is pinned meanwhile. */
struct cushim__open_handle {
    enum cushim__handle_kind kind;
    void *object;
    const char *made; /* the source location where the handle was made, or "" */
    bool retained;    /* made by cushim__handle_retain() */
};

/* Calls see() for every open handle. see() must not make or close handles. */
void cushim__handle_each(void (*see)(const struct cushim__open_handle *handle, void *user),
                         void *user);

/*
 * Gives a handle a lock. A handle with a lock is closed only while the lock is held, so a thread
 * that holds the lock can use the object without a pin (cushim__slot_peek() in slot.h). The lock
 * must be set before other threads know the handle, and must live as long as the object.
 */
void cushim__handle_set_lock(uint64_t id, struct cushim__handle_lock *lock);

/* Tells whether a handle is open and has a lock, which need not be held. */
bool cushim__handle_has_lock(uint64_t id, const struct cushim__handle_lock *lock);

/*
 * Notes in the slot of a handle which part of a buffer it names, with an element like those of
 * CUSHIM_ELEMENT(), for those who look at it without a
 * pin (slot.h). This comes before other threads know the handle.
 */
void cushim__handle_set_memory(uint64_t id, struct cushim__buffer *buffer, size_t begin,
                               size_t element, size_t length);

/*
 * Sets what is called with an object of a kind when its last handle is closed, while others may
 * have it pinned. It is called without locks, and not in a callback. All calls set the same
 * function.
 */
void cushim__handle_when_closed(enum cushim__handle_kind kind, void (*closed)(void *object));

/* Calls that function. The caller has the object pinned. */
void cushim__handle_tell_closed(enum cushim__handle_kind kind, void *object);

/* Closes a handle. The object is destroyed now, or with its last pin. */
cushim_status cushim__handle_close(uint64_t id, enum cushim__handle_kind kind, const char *call);

/* The same, and tells on success whether it was the last open handle of the object. */
cushim_status cushim__handle_close_one(uint64_t id, enum cushim__handle_kind kind, const char *call,
                                       bool *ret_last);

/*
 * Closes a handle without a lock that is the object's only one and that nobody has pinned, at a
 * source location, and returns the object, whose destructor is not called: the caller does what it
 * does. Otherwise the result is NULL, and nothing has changed.
 */
void *cushim__handle_take(uint64_t id, enum cushim__handle_kind kind, const char *place);

/*
 * Closes a handle for a function that frees: such a function returns nothing and leaves the
 * thread's last error as it was. So an error is only logged. Sets *id to 0; id may be NULL.
 */
void cushim__handle_free(uint64_t *id, enum cushim__handle_kind kind, const char *call);

#endif
