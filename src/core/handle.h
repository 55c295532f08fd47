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
#ifndef CUSHIM_CORE_HANDLE_H
#define CUSHIM_CORE_HANDLE_H

#include <stdint.h>

#include <cushim/status.h>

enum cushim__handle_kind {
    CUSHIM__HANDLE_DRIVER = 1,
    CUSHIM__HANDLE_NVRTC,
    CUSHIM__HANDLE_TRACE,
    CUSHIM__HANDLE_FAULTS,
    CUSHIM__HANDLE_KINDS,
};

typedef void cushim__destroy(void *object);

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

/* Closes a handle. The object is destroyed now or when its last pin goes. */
cushim_status cushim__handle_close(uint64_t id, enum cushim__handle_kind kind, const char *call);

#endif
