/* SPDX-License-Identifier: MIT */
/*
 * Contexts. There is one struct cushim__context for each CUcontext of a table, however many handles
 * lead to it, so that all who use the CUcontext share its submission lock, its timelines and its
 * deferred error. Public calls enter a context by core/object/scope.h.
 *
 * What an object of a context holds: cushim__context_ref(), given back by cushim__context_unref()
 * from the object's destroy().
 *
 * The locks and their order are in docs/locking.md.
 */
#ifndef CUSHIM_CORE_OBJECT_CONTEXT_H
#define CUSHIM_CORE_OBJECT_CONTEXT_H

#include <pthread.h>
#include <stdbool.h>

#include "base/status.h"
#include "base/util.h"
#include "core/cu/cu.h"
#include "core/object/driver.h"
#include "core/object/object.h"

struct cushim__scope;

enum cushim__context_kind {
    CUSHIM__CONTEXT_PRIMARY,  /* retained once by us */
    CUSHIM__CONTEXT_OWNED,    /* created, or adopted to be destroyed */
    CUSHIM__CONTEXT_BORROWED, /* adopted to be left alone */
};

/* What launches and allocations are checked against. */
struct cushim__limits {
    int max_threads_per_block, max_block[3], max_grid[3];
    int shared_per_block, shared_per_block_optin; /* bytes; the second with the attribute set */
    int warp_size, multiprocessors;
    int major, minor;                                                    /* compute capability */
    int memory_pools, managed, concurrent_managed, cooperative, cluster; /* booleans */
};

struct cushim__context {
    struct cushim__object object;
    cushim__entry *const *table; /* the driver's */
    CUcontext cu;
    struct cushim__handle_lock *submission_lock; /* the submission lock */
    CUdevice device;
    struct cushim__limits limits;
    struct cushim__context *next; /* of all contexts */
    atomic_int kind;              /* enum cushim__context_kind; a borrowed one may become primary */
    uint64_t driver_id;           /* pinned: the driver that it was made through */
    const struct cushim__driver *driver;

    /* Under the submission lock. */
    unsigned handles;        /* how many lead here */
    uint64_t default_stream; /* its handle, closed with the last of those; 0: not made yet */
    void (*forget_modules)(
        struct cushim__context *context); /* with the last of those, too; or NULL */
    unsigned pushed;                      /* how often it is on stacks by cushim_context_push() */

    pthread_mutex_t pool_lock; /* the last to be taken: nothing but memory is touched under it */
    /* Under it. */
    struct cushim__error deferred; /* of a destructor, the first one */
    struct cushim__timeline *timelines;
    CUevent *events; /* that nobody uses now, without timing: event_pool.h */
    size_t n_events, max_events;
    struct cushim__staging_block *staging; /* that nobody uses now: staging.h */
    struct cushim__host_call *host_calls;  /* that the device has not made yet */
};

static inline void cushim__context_ref(struct cushim__context *context)
{
    cushim__object_ref(&context->object);
}

static inline void cushim__context_unref(struct cushim__context *context)
{
    cushim__object_unref(&context->object);
}

/*
 * The context of a CUcontext that is alive, as a new handle. kind says what the caller has taken
 * from the driver, a retain or ownership; ret_taken tells whether the context keeps that. It does
 * if nobody knew it, and a primary one also where it was only borrowed.
 */
cushim_status cushim__context_handle(const struct cushim__scope *scope, CUcontext cu,
                                     CUdevice device, enum cushim__context_kind kind,
                                     bool *ret_taken, uint64_t *ret_id);

/* The context of a CUcontext, with a reference for the caller; NULL if it is not known. */
struct cushim__context *cushim__context_find(cushim__entry *const *table, CUcontext cu);

/* Is there a primary context of the device that somebody uses through this table? */
bool cushim__context_primary_in_use(cushim__entry *const *table, CUdevice device);

static inline void cushim__lock(struct cushim__context *context)
{
    pthread_mutex_lock(&context->submission_lock->mutex);
}

static inline void cushim__unlock(struct cushim__context *context)
{
    pthread_mutex_unlock(&context->submission_lock->mutex);
}

#endif
