/* SPDX-License-Identifier: MIT */
/*
 * What every object of the safe layer begins with.
 *
 * An object counts who needs it: its handle is one reference, and each object that was made
 * from it holds another. So a parent is destroyed after its children, whatever is freed first.
 * A handle that is used is pinned (handle.h), which keeps the handle's reference.
 */
#ifndef CUSHIM_CORE_OBJECT_OBJECT_H
#define CUSHIM_CORE_OBJECT_OBJECT_H

#include <stdatomic.h>

#include "core/object/handle.h"

struct cushim__object {
    atomic_uint references;
    enum cushim__handle_kind kind;
    struct cushim__context *context; /* that it lives in; a context's is itself */
    cushim__destroy *destroy;        /* when nobody needs it any more; frees the memory, too */
    _Atomic(char *) label;           /* NULL without; never changes once set */
    bool kept_by_parent; /* its handle is closed with its parent: it is never a leak. Set once */
};

/* One reference, the caller's. Does not take a reference on the context. */
void cushim__object_init(struct cushim__object *object, enum cushim__handle_kind kind,
                         struct cushim__context *context, cushim__destroy *destroy);

/* For the object's destroy(): what init and label made. */
void cushim__object_finish(struct cushim__object *object);

static inline void cushim__object_ref(struct cushim__object *object)
{
    atomic_fetch_add_explicit(&object->references, 1, memory_order_relaxed);
}

static inline void cushim__object_unref(struct cushim__object *object)
{
    if (atomic_fetch_sub_explicit(&object->references, 1, memory_order_acq_rel) == 1)
        object->destroy(object);
}

/* Gives the object a handle, which takes over the caller's reference, on failure too. */
cushim_status cushim__object_give(struct cushim__object *object, const char *call,
                                  uint64_t *ret_id);

/* Pins the object of any kind that has a label. */
struct cushim__object *cushim__object_pin(uint64_t id, const char *call);

/* "" without a label. */
static inline const char *cushim__object_label(struct cushim__object *object)
{
    const char *label = atomic_load_explicit(&object->label, memory_order_acquire);

    return label ? label : "";
}

/* Sets the label, once. */
cushim_status cushim__object_set_label(struct cushim__object *object, const char *label,
                                       const char *call);

/*
 * Frees a handle of any kind but a driver's, as all cushim_x_free() do: zeroes it; what is wrong
 * with it goes to the log.
 */
void cushim__object_close(uint64_t *id, enum cushim__handle_kind kind, const char *call);

#endif
