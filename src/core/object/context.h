/* SPDX-License-Identifier: MIT */
/*
 * Contexts, and how every public call enters one.
 *
 * There is one struct cushim__context for each CUcontext of a table, however many handles lead to
 * it, so that all who use the CUcontext share its submission lock, its timelines and its
 * deferred error. A public call looks like this:
 *
 *     struct cushim__scope scope;
 *     cushim_status status = cushim__context_enter(context.id, __func__, &scope);
 *
 *     if (status)
 *         return status;
 *     status = CU_CALL(&scope, cuCtxSetLimit, (limit, value));
 *     return cushim__scope_leave(&scope, status);
 *
 * Inside of the scope the context is current; leaving it makes the caller's current again.
 *
 * What an object of a context holds: cushim__context_ref(), given back by cushim__context_unref()
 * from the object's destroy().
 *
 * Locks. context->gate is the submission lock: looking up what to wait for, waiting, submitting
 * and noting what was submitted is one step under it. Whoever needs several takes them by
 * core/submit.h. Nothing blocks on the device under it, and no other lock of core is
 * held when it is taken.
 */
#ifndef CUSHIM_CORE_CONTEXT_H
#define CUSHIM_CORE_CONTEXT_H

#include <pthread.h>
#include <stdbool.h>

#include "base/status.h"
#include "base/util.h"
#include "core/cu/cu.h"
#include "core/object/driver.h"
#include "core/object/object.h"

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
    struct cushim__gate *gate; /* the submission lock */
    CUdevice device;
    struct cushim__limits limits;
    struct cushim__context *next; /* of all contexts */
    atomic_int kind;              /* enum cushim__context_kind; a borrowed one may become primary */
    uint64_t driver_id;           /* pinned: the driver that it was made through */
    const struct cushim__driver *driver;

    /* Under the submission lock. */
    unsigned handles;        /* how many lead here */
    uint64_t default_stream; /* its handle, closed with the last of those; 0: not made yet */
    unsigned pushed;         /* how often it is on stacks by cushim_context_push() */

    pthread_mutex_t small_lock; /* the last to be taken: nothing but memory is touched under it */
    /* Under it. */
    struct cushim__error deferred; /* of a destructor, the first one */
    struct cushim__timeline *timelines;
    CUevent *events; /* that nobody uses now, without timing */
    size_t n_events, max_events;
    struct cushim__chunk *chunks;         /* of page-locked memory that nobody uses now */
    struct cushim__host_call *host_calls; /* that the device has not made yet */
};

/* One public call, from its entry to its return. */
struct cushim__scope {
    cushim__entry *const *table;
    const struct cushim__driver *driver; /* by cushim__driver_enter() */
    struct cushim__context *context;     /* NULL for calls about devices */
    const char *call;                    /* the public function */
    const char *label;                   /* of the object that it is about, or NULL */
    uint64_t pinned;                     /* handle to unpin on leaving, or 0 */
    CUcontext before;                    /* the caller's */
    bool switched;
};

/* A driver call in a scope: CU_CALL(scope, cuMemGetInfo_v2, (&free, &total)). */
#define CU_CALL(scope, name, args) cushim__answer(scope, CU_FN((scope)->table, name) args, #name)

/* The same where it gives something back: an error is deferred, and not the caller's. */
#define CU_FREE(scope, name, args) cushim__freed(scope, CU_FN((scope)->table, name) args, #name)

cushim_status cushim__fail_driver(const struct cushim__scope *scope, int result, const char *name)
    __attribute__((cold));

static inline cushim_status cushim__answer(const struct cushim__scope *scope, int result,
                                           const char *name)
{
    return __builtin_expect(result, 0) ? cushim__fail_driver(scope, result, name) : CUSHIM_OK;
}

void cushim__freed(const struct cushim__scope *scope, int result, const char *name);

/*
 * For destructors, which leave the thread's last error as it was. It is large, and mostly there is
 * none to keep.
 */
static inline void cushim__error_keep(struct cushim__error *ret_kept)
{
    ret_kept->status = cushim__error()->status;
    if (ret_kept->status)
        *ret_kept = *cushim__error();
}

static inline void cushim__error_restore(const struct cushim__error *kept)
{
    if (kept->status)
        *cushim__error() = *kept;
    else if (cushim__error()->status)
        *cushim__error() = (struct cushim__error){0};
}

/* Remembers the thread's last error, if it is the first one, in the context, and logs it. */
void cushim__defer_error(struct cushim__context *context);

/* Returns from a public function whose output is NULL. */
#define CHECK_OUTPUT(pointer)                                                                      \
    do {                                                                                           \
        if (!(pointer))                                                                            \
            return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "%s: " #pointer " is NULL",         \
                                __func__);                                                         \
    } while (0)

/*
 * Pins a context's handle and makes the context current. Refused inside of a host function,
 * where a driver must not be called.
 */
cushim_status cushim__context_enter(uint64_t id, const char *call, struct cushim__scope *ret_scope);

/*
 * The same for an object of another kind, whose context is entered; ret_object is pinned until
 * cushim__scope_leave().
 */
cushim_status cushim__object_enter(uint64_t id, enum cushim__handle_kind kind, const char *call,
                                   struct cushim__scope *ret_scope, void *ret_object);

/* The same for a caller that keeps the context alive itself. */
cushim_status cushim__scope_enter(struct cushim__context *context, const char *call,
                                  const char *label, struct cushim__scope *ret_scope);

/*
 * For destructors: never fails. Where the context cannot be made current, the calls that
 * follow will fail and be deferred.
 */
void cushim__scope_to_free(struct cushim__context *context, const char *call, const char *label,
                           struct cushim__scope *ret_scope);

/* Back to the caller's context. Returns status. */
cushim_status cushim__scope_leave(struct cushim__scope *scope, cushim_status status);

/* Pins a driver, for calls that need no context. Ended by cushim__scope_leave(), too. */
cushim_status cushim__driver_enter(uint64_t driver, const char *call,
                                   struct cushim__scope *ret_scope);

static inline void cushim__context_ref(struct cushim__context *context)
{
    cushim__object_ref(&context->object);
}

static inline void cushim__context_unref(struct cushim__context *context)
{
    cushim__object_unref(&context->object);
}

/*
 * Frees a handle of any kind but a driver's, as all cushim_x_free() do: zeroes it; what is wrong
 * with it goes to the log.
 */
void cushim__object_close(uint64_t *id, enum cushim__handle_kind kind, const char *call);

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
    pthread_mutex_lock(&context->gate->mutex);
}

static inline void cushim__unlock(struct cushim__context *context)
{
    pthread_mutex_unlock(&context->gate->mutex);
}

/* Gives back what the context keeps for later use, before it is destroyed. */
void cushim__context_empty(struct cushim__context *context);

/* An event without timing, of the context's own: there may be one to use again. */
cushim_status cushim__event_take(const struct cushim__scope *scope, struct cushim__context *context,
                                 CUevent *ret_event);

/* The event may be recorded and waited for: another record replaces only later waits. */
void cushim__event_give(struct cushim__context *context, CUevent event);

/* A piece of page-locked memory, through which pageable memory is copied. */
enum { CUSHIM__CHUNK_BYTES = 1 << 20 };

struct cushim__chunk {
    struct cushim__chunk *next;
    void *host;
};

cushim_status cushim__chunk_take(const struct cushim__scope *scope,
                                 struct cushim__chunk **ret_chunk);

/* No device uses it any more. */
void cushim__chunk_give(struct cushim__context *context, struct cushim__chunk *chunk);

/* A function of the program that a stream will call. */
struct cushim__host_call {
    struct cushim__host_call *next, **link;
    struct cushim__context *context;
    void (*function)(void *user);
    void (*release)(void *user); /* of user, exactly once; or NULL */
    void *user;
    bool is_recorded;                   /* part of a graph: made by every launch of it */
    struct cushim__host_call *recorded; /* the graph's next one */
};

/* For cuLaunchHostFunc(): makes the call, and frees it unless it is recorded. */
void cushim__host_call_make(void *host_call);

void cushim__host_call_add(struct cushim__context *context, struct cushim__host_call *host_call);

/* Frees it without calling; releases its user. */
void cushim__host_call_drop(struct cushim__host_call *host_call);

/* Inside of a host function that the device calls, calls of cushim are refused. */
void cushim__host_function_begin(void);
void cushim__host_function_end(void);

/* Do any run now, in any thread? */
extern atomic_uint cushim__host_functions;

static inline bool cushim__host_functions_run(void)
{
    return atomic_load_explicit(&cushim__host_functions, memory_order_relaxed);
}

/* CUDA_ERROR_NOT_PERMITTED there, CUSHIM_OK elsewhere. */
cushim_status cushim__check_no_host_function(const char *call);

#endif
