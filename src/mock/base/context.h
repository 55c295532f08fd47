/* SPDX-License-Identifier: MIT */
/* Contexts, and which one is current in a thread. Callers hold the lock. */
#ifndef CUSHIM_MOCK_BASE_CONTEXT_H
#define CUSHIM_MOCK_BASE_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "mock/base/objects.h"
#include "mock/functions.h"

#define MOCK__N_LIMITS 7

struct mock__clock;
struct mock__device;
struct mock__queue;
struct mock__stream;

struct mock__context {
    struct mock__object object;
    struct mock__device *device;
    uint64_t id;
    unsigned flags;
    unsigned attached; /* by cuCtxAttach(), and not detached yet */
    bool primary;
    bool alive;     /* a primary context outlives its release, as a handle only */
    CUresult fault; /* what broke it; every later use answers this */
    int cache_config;
    size_t limits[MOCK__N_LIMITS];
    uint32_t peers; /* one bit for each device whose memory was made accessible */
    struct mock__stream *legacy, *per_thread;
    struct mock__queue *legacy_queue; /* that of the legacy stream */
    /* ctx_event.c's: what all new work waits for, and what waits for all; NULL until needed. */
    struct mock__queue *wait_queue, *recorder;
    /* What was submitted so far: to the legacy stream, to blocking ones, to all. */
    struct mock__clock *legacy_clock, *blocking_clock, *clock;
};

CUresult mock__context_create(struct mock__device *device, unsigned flags, bool primary,
                              struct mock__context **ret_context);

/* Makes a released primary context usable again. */
CUresult mock__context_revive(struct mock__context *context);

/* Destroys everything that lives in the context; its handle stays. */
void mock__context_empty(struct mock__context *context);

/* Destroys it, handle and all. */
void mock__context_destroy(struct mock__context *context);

/* Are these flags that a context can have? */
bool mock__context_flags_valid(unsigned flags);

/* CUDA_SUCCESS, or why the context cannot be used: it is gone, or it is broken. */
CUresult mock__context_usable(const struct mock__context *context);

/*
 * The current context, which is usable. CUDA_ERROR_INVALID_CONTEXT if there is
 * none, otherwise as mock__context_usable().
 */
CUresult mock__context_current(struct mock__context **ret_context);

/*
 * The context of a handle; the current one for NULL. CUDA_ERROR_INVALID_CONTEXT if
 * the handle is not valid.
 */
CUresult mock__context_of(CUcontext handle, struct mock__context **ret_context);

/* The calling thread's stack of handles. A handle stays on it after its context is gone. */
CUcontext mock__current_handle(void);
bool mock__current_push(CUcontext handle);
bool mock__current_pop(CUcontext *ret_handle);
void mock__current_replace(CUcontext handle);

#endif
