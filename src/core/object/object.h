/* SPDX-License-Identifier: MIT */
/*
 * The common head of every object of the safe layer.
 *
 * An object counts its references: its handle holds one, and each object that was made from it
 * holds another. So a parent is destroyed after its children, in whichever order the handles are
 * freed. A pin on the handle (handle.h) keeps the handle's reference.
 */
#ifndef CUSHIM_CORE_OBJECT_OBJECT_H
#define CUSHIM_CORE_OBJECT_OBJECT_H

#include <stdatomic.h>

#include "core/object/handle.h"

struct cushim__object {
    atomic_uint references;
    enum cushim__handle_kind kind;
    struct cushim__context *context;  /* the context it lives in; a context points to itself */
    struct cushim__handle_lock *lock; /* its handles are closed under this lock; or NULL */
    cushim__destroy *destroy;         /* called with the last reference; also frees the memory */
    _Atomic(char *) label;            /* NULL, or the label, which never changes once set */
    bool kept_by_parent; /* its parent closes its handle: it is never a leak. Set once */
};

/*
 * Initialises the head with one reference, which the caller owns. It does not take a reference on
 * the context.
 */
void cushim__object_init(struct cushim__object *object, enum cushim__handle_kind kind,
                         struct cushim__context *context, cushim__destroy *destroy);

/* Frees what init and label have made. The object's destroy() calls it. */
void cushim__object_finish(struct cushim__object *object);

static inline void cushim__object_ref(struct cushim__object *object)
{
    atomic_fetch_add_explicit(&object->references, 1, memory_order_relaxed);
}

/*
 * Adds a reference, unless there is none left: then the object is being destroyed, and the result
 * is false. The caller's list keeps the memory.
 */
static inline bool cushim__object_ref_unless_zero(struct cushim__object *object)
{
    unsigned n = atomic_load(&object->references);

    while (n)
        if (atomic_compare_exchange_weak(&object->references, &n, n + 1))
            return true;
    return false;
}

/*
 * Destroys an object without references. The destructor may call the driver, and does not change
 * the thread's last error.
 */
void cushim__object_destroy(struct cushim__object *object);

static inline void cushim__object_unref(struct cushim__object *object)
{
    if (atomic_fetch_sub_explicit(&object->references, 1, memory_order_acq_rel) == 1)
        cushim__object_destroy(object);
}

/*
 * Makes a handle for the object. The handle takes over the caller's reference; if this fails, the
 * reference is dropped.
 */
cushim_status cushim__object_give(struct cushim__object *object, const char *call,
                                  uint64_t *ret_id);

/*
 * Pins an object of any kind that can have a label; NULL and the thread's error if the handle is
 * not valid.
 */
struct cushim__object *cushim__object_pin(uint64_t id, const char *call);

/* Returns the label, or "" if there is none. */
static inline const char *cushim__object_label(struct cushim__object *object)
{
    const char *label = atomic_load_explicit(&object->label, memory_order_acquire);

    return label ? label : "";
}

/*
 * Sets the label. CUSHIM_ERROR_BUSY if it is set already: other threads may be reading it without a
 * lock.
 */
cushim_status cushim__object_set_label(struct cushim__object *object, const char *label,
                                       const char *call);

/* Closes the handles that were freed inside of a host function or a hook. Called without locks. */
void cushim__close_deferred(void);

/*
 * Sets whether the calls of this thread leave that to others: it may call functions of the program.
 * Returns what was set before.
 */
bool cushim__hold_deferred(bool hold);

/*
 * Closes a handle of any kind except a driver's and sets it to zero. All functions cushim_x_free()
 * call this. Errors go to the log. In a host function or a hook the handle is closed later, by the
 * next call of any thread that is not in one.
 */
void cushim__object_close(uint64_t *id, enum cushim__handle_kind kind, const char *call);

#endif
