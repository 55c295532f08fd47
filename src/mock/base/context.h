/* SPDX-License-Identifier: MIT */
/* Contexts, and the stack of contexts of each thread. Callers hold the lock. */
#ifndef CUSHIM_MOCK_BASE_CONTEXT_H
#define CUSHIM_MOCK_BASE_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "mock/base/coredump.h"
#include "mock/base/objects.h"
#include "mock/functions.h"

#define MOCK__N_LIMITS 7

/*
 * The versions of contexts. The first cuCtxCreate() makes contexts of the first one, and functions
 * with addresses and sizes of 32 bits are for them alone.
 */
#define MOCK__API_FIRST 3010
#define MOCK__API       3020

struct mock__clock;
struct mock__device;
struct mock__queue;
struct mock__stream;

struct mock__context {
    struct mock__object object;
    struct mock__device *device;
    uint64_t id;
    unsigned flags;
    unsigned api_version; /* one of the numbers above */
    unsigned attached;    /* how often cuCtxAttach() was called without a detach */
    bool primary;
    bool bound;     /* it was made current, and not popped since */
    bool alive;     /* false: a released primary context, of which only the handle exists */
    CUresult fault; /* the error that broke it; every later use returns it */
    int cache_config;
    struct mock__coredump coredump;
    size_t limits[MOCK__N_LIMITS];
    uint32_t peers;                   /* one bit for each device whose memory was made accessible */
    unsigned capturing;               /* how many of its streams capture */
    unsigned capturing_blocking;      /* how many of those take turns with the legacy stream */
    struct mock__stream *legacy;      /* the legacy default stream */
    struct mock__queue *legacy_queue; /* and its queue */
    /*
     * For stream/ctx_event.c: a queue that all new work waits for, and a queue that waits for all
     * work. NULL until needed.
     */
    struct mock__queue *wait_queue, *recorder;
    /* work.c's lists: queues with work left, of others and of blocking ones; and turns. */
    struct mock__queue *busy[2], *turns;
    /*
     * Clocks of all submissions so far: of the legacy stream, of blocking streams, of all streams.
     */
    struct mock__clock *legacy_clock, *blocking_clock, *clock;
    struct mock__clock *last_blocking, *last; /* what the last two were joined with last */
};

/* CUDA_ERROR_OUT_OF_MEMORY also where a context of the other version lives: they exclude each
 * other. */
CUresult mock__context_create(struct mock__device *device, unsigned flags, bool primary,
                              unsigned api_version, struct mock__context **ret_context);

/* Changes the flags that can be changed. */
void mock__context_set_flags(struct mock__context *context, unsigned flags);

/* Makes a released primary context usable again. Does nothing if it is usable. */
CUresult mock__context_reactivate(struct mock__context *context);

/* Destroys everything that lives in the context; its handle stays. */
void mock__context_empty(struct mock__context *context);

/* Destroys a context and its handle. */
void mock__context_destroy(struct mock__context *context);

/* Gives out the next number of a context, or of a green one. */
uint64_t mock__context_new_id(void);

/* Tells whether a context can have these flags. */
bool mock__context_flags_valid(unsigned flags);

/*
 * Breaks a context, unless it is broken already: every later use returns the fault. The user is
 * told where it was, which the last finding says.
 */
void mock__context_break(struct mock__context *context, CUresult fault);

/* CUDA_SUCCESS, or why the context cannot be used: it is gone, or it is broken. */
CUresult mock__context_usable(const struct mock__context *context);

/*
 * Returns the current context if it is usable. CUDA_ERROR_INVALID_CONTEXT if there is none;
 * otherwise the result of mock__context_usable().
 */
CUresult mock__context_current(struct mock__context **ret_context);

/* CUDA_ERROR_INVALID_CONTEXT if the current context is none of the first version. */
CUresult mock__context_narrow(void);

/* The same, whether or not the context has had a fault. */
CUresult mock__context_current_broken(struct mock__context **ret_context);

/*
 * The context of a handle, usable or not; the primary context for the handle of a green one. NULL
 * if there is none.
 */
struct mock__context *mock__context_find(CUcontext handle);

/*
 * Returns what a driver says of a handle that names no object of the kind that is asked for. It
 * looks for the context of whatever it does name, and finds none. If it names nothing: `otherwise`.
 */
CUresult mock__stranger(const void *handle, CUresult otherwise);

/*
 * Returns the context of a handle, or the current context for NULL. CUDA_ERROR_INVALID_CONTEXT if
 * the handle is not valid.
 */
CUresult mock__context_of(CUcontext handle, struct mock__context **ret_context);

/*
 * The calling thread's stack of context handles. A handle stays on it after its context is
 * destroyed.
 */
CUcontext mock__current_handle(void);
bool mock__current_push(CUcontext handle);
bool mock__current_pop(CUcontext *ret_handle);
void mock__current_replace(CUcontext handle);

#endif
