/* SPDX-License-Identifier: MIT */
/*
 * Contexts. There is one struct cushim__context for each CUcontext of a table, however many handles
 * name it. So all users of the CUcontext share its context lock, its timelines and its deferred
 * error. Public calls enter a context with core/object/scope.h.
 *
 * Every object of a context holds a reference on it: cushim__context_ref(), which the object's
 * destroy() returns with cushim__context_unref().
 *
 * The locks and their order are in docs/locking.md.
 */
#ifndef CUSHIM_CORE_OBJECT_CONTEXT_H
#define CUSHIM_CORE_OBJECT_CONTEXT_H

#include <stdbool.h>

#include "base/status.h"
#include "base/util.h"
#include "core/cu/cu.h"
#include "core/object/driver.h"
#include "core/object/object.h"

struct cushim__scope;

enum cushim__context_kind {
    CUSHIM__CONTEXT_PRIMARY,  /* cushim has retained it once */
    CUSHIM__CONTEXT_OWNED,    /* cushim destroys it: created, or adopted as owned */
    CUSHIM__CONTEXT_BORROWED, /* cushim does not destroy it */
};

/* The properties of the device that launches and allocations are checked against. */
struct cushim__limits {
    int max_threads_per_block, max_block[3], max_grid[3];
    int shared_per_block, shared_per_block_optin; /* bytes; optin: for kernels with the attribute */
    int warp_size, multiprocessors;
    int row_alignment; /* bytes: rows of a field begin at a multiple of it */
    int major, minor;                                                    /* compute capability */
    int memory_pools, managed, concurrent_managed, cooperative, cluster; /* booleans */
    int maps_memory;                                                     /* the same */
};

enum { CUSHIM__REUSE_BITS = 6, CUSHIM__STAGING_SIZES = 3 };

/* Freed memory that is kept (core/order/reuse.h). Under the pool lock. */
struct cushim__reuse {
    struct cushim__buffer *lists[1 << CUSHIM__REUSE_BITS]; /* by the number of bytes */
    size_t bytes, max_bytes;
    unsigned hand;              /* the list that was made shorter last, to make room */
    uint64_t allocated, reused; /* how many allocations, and how many of them got kept memory */
    bool off;                   /* the driver looks for mistakes: nothing is ever kept */
    bool open;                  /* the context has a handle */
    atomic_bool adopts;         /* the program has streams of its own, so kept memory is looked at */
    void (*drop_all)(struct cushim__context *context); /* called with the last handle; or NULL */
};

struct cushim__context {
    struct cushim__object object;
    cushim__entry *const *table; /* the driver's */
    CUcontext cu;
    struct cushim__handle_lock *lock; /* the context lock */
    CUdevice device;
    struct cushim__limits limits;
    struct cushim__context *next; /* in the list of all contexts */
    uint64_t number;              /* never that of another context */
    bool stays;                   /* under the list's mutex: it has ended, but is not given back */
    atomic_int kind;              /* enum cushim__context_kind; a borrowed one may become primary */
    atomic_bool is_primary;       /* it is its device's primary context, whatever its kind */
    uint64_t driver_id;           /* the handle of its driver, which is pinned */
    const struct cushim__driver *driver;
    /*
     * The handle of its default stream, closed with the last context handle; 0: not made yet.
     * Written under the context lock, read with any locks.
     */
    _Atomic uint64_t default_stream;

    /* Under the context lock. */
    unsigned handles; /* how many handles name this context */
    void (*forget_modules)(
        struct cushim__context *context); /* called with the last context handle; or NULL */
    unsigned recordings;                  /* how many of its streams record for a graph */
    unsigned waits;                       /* how many threads wait for all of the context */

    struct cushim__mutex pool_lock; /* innermost: no other lock and no driver call under it */
    /* Under the pool lock. */
    struct cushim__error deferred; /* the first error of a destructor */
    struct cushim__timeline *timelines;
    CUevent *events; /* unused events without timing: event_pool.h */
    size_t n_events, max_events;
    CUstream idle_stream; /* for the next recording, or NULL: idle_stream.h */
    struct cushim__staging_block *staging[CUSHIM__STAGING_SIZES]; /* unused blocks: staging.h */
    struct cushim__staging_slab *staging_slabs;
    struct cushim__host_call *host_calls;       /* calls that the device has not made yet */
    struct cushim__reuse reuse;
};

static inline void cushim__context_ref(struct cushim__context *context)
{
    cushim__object_ref(&context->object);
}

static inline void cushim__context_unref(struct cushim__context *context)
{
    cushim__object_unref(&context->object);
}

/* A live CUcontext, and what a caller knows of it. */
struct cushim__known_context {
    CUcontext cu;
    CUdevice device;
    enum cushim__context_kind kind; /* what the caller has taken: a retain, or ownership */
    bool is_primary;
};

/*
 * Makes a new handle for the context of a live CUcontext. *ret_taken tells whether the context
 * keeps what the caller has taken; if not, the caller must return it. The context keeps it if the
 * CUcontext was not known before. It also keeps a retain if the context was only borrowed so far.
 * The scope must have a driver.
 */
cushim_status cushim__context_handle(const struct cushim__scope *scope,
                                     const struct cushim__known_context *known, bool *ret_taken,
                                     uint64_t *ret_id);

/*
 * Returns the context of a CUcontext, with a reference for the caller, or NULL if it is not known.
 * While another thread destroys it, this waits. Called without locks.
 */
struct cushim__context *cushim__context_find(cushim__entry *const *table, CUcontext cu);

/*
 * Returns the context with a number, with a reference for the caller, or NULL if it has ended or is
 * being destroyed.
 */
struct cushim__context *cushim__context_find_number(uint64_t number);

/*
 * A step in which a thread takes a context from the driver and makes its handle, or resets the
 * primary context of a device. A step that resets comes alone among all steps of its device and
 * library. The step is in the caller's memory until cushim__context_step_end().
 */
struct cushim__context_step {
    const struct cushim__library *library;
    CUdevice device;
    bool resets;
    struct cushim__context_step *next;
};

/* Begins the making of a context. Waits while the device's primary context is being reset. */
void cushim__context_make_begin(const struct cushim__scope *scope, CUdevice device,
                                struct cushim__context_step *step);

/*
 * Begins a reset. Returns false, and begins nothing, if cushim has the device's primary context
 * through any table of the library, or is making a context of the device.
 */
bool cushim__context_reset_begin(const struct cushim__scope *scope, CUdevice device,
                                 struct cushim__context_step *step);

void cushim__context_step_end(struct cushim__context_step *step);

static inline void cushim__lock(struct cushim__context *context)
{
    cushim__handle_lock(context->lock);
}

static inline void cushim__unlock(struct cushim__context *context)
{
    cushim__handle_unlock(context->lock);
}

/*
 * Labels what cushim makes for itself, so that the findings of a driver that looks for mistakes
 * tell it from what the program makes.
 */
static inline void cushim__context_label_own(const struct cushim__context *context,
                                             uint64_t handle_or_address, const char *label)
{
    if (__builtin_expect(context->reuse.off, 0))
        cushim__driver_label(context->driver, handle_or_address, label);
}

#endif
