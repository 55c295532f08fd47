/* SPDX-License-Identifier: MIT */
/*
 * How a public call enters a context, calls the driver, and leaves the context again.
 *
 *     struct cushim__scope scope;
 *     cushim_status status;
 *
 *     CUSHIM_TRY(cushim__context_enter(context.id, __func__, &scope));
 *     status = CU_CALL(&scope, cuCtxSetLimit, (limit, value));
 *     return cushim__scope_leave(&scope, status);
 *
 * Inside of the scope the context is current. Leaving the scope restores the caller's current
 * context.
 */
#ifndef CUSHIM_CORE_OBJECT_SCOPE_H
#define CUSHIM_CORE_OBJECT_SCOPE_H

#include "base/attention.h"
#include "core/object/context.h"
#include "interpose/interpose.h"

/* One public call, from its entry to its return. */
struct cushim__scope {
    cushim__entry *const *table;
    const struct cushim__driver *driver; /* set by cushim__driver_enter() */
    struct cushim__context *context;     /* NULL for calls about devices */
    const char *call;                    /* the public function */
    const char *label;                   /* the label of the call's object, or NULL */
    uint64_t pinned;                     /* handle to unpin on leaving, or 0 */
    CUcontext before;                    /* the caller's current context */
    bool switched;
    bool pushed; /* on the caller's stack, so leaving pops it */
};

/* A driver call in a scope: CU_CALL(scope, cuMemGetInfo_v2, (&free, &total)). */
#define CU_CALL(scope, name, args)                                                                 \
    cushim__check_result(scope, CU_FN((scope)->table, name) args, #name)

/*
 * A driver call that frees something: CU_FREE(scope, cuMemFree_v2, (address)). An error is
 * deferred, and is not returned to the caller.
 */
#define CU_FREE(scope, name, args)                                                                 \
    cushim__check_free(scope, CU_FN((scope)->table, name) args, #name)

/*
 * Defines the body of a public function that makes one driver call. The expression enter enters the
 * scope. The expressions enter and args may use the variable `scope`. Leaves the scope again.
 */
#define CU_CALL_IN(enter, name, args)                                                              \
    __extension__({                                                                                \
        struct cushim__scope scope;                                                                \
        cushim_status call_in = enter;                                                             \
        if (!call_in)                                                                              \
            call_in = cushim__scope_leave(&scope, CU_CALL(&scope, name, args));                    \
        call_in;                                                                                   \
    })

/*
 * After a driver has refused something as not valid: adds to the thread's last error that it came
 * with a CUDA version, if the driver is older.
 */
void cushim__explain_since(const struct cushim__context *context, int since, const char *what)
    __attribute__((cold));

cushim_status cushim__fail_driver(const struct cushim__scope *scope, int result, const char *name)
    __attribute__((cold));

static inline cushim_status cushim__check_result(const struct cushim__scope *scope, int result,
                                                 const char *name)
{
    return __builtin_expect(result, 0) ? cushim__fail_driver(scope, result, name) : CUSHIM_OK;
}

void cushim__check_free(const struct cushim__scope *scope, int result, const char *name);

/* Returns CUSHIM_ERROR_INVALID_ARGUMENT from a public function if its output is NULL. */
#define CHECK_OUTPUT(pointer) CHECK_OUTPUT_OF(__func__, pointer)

/* The same in a function that programs call by a macro, whose name is call. */
#define CHECK_OUTPUT_OF(call, pointer)                                                             \
    do {                                                                                           \
        if (!(pointer))                                                                            \
            return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, NULL,                      \
                                   "%s: " #pointer " is NULL", call);                              \
    } while (0)

/*
 * Logs the thread's last error, and keeps it in the context for cushim_context_check() if the
 * context has none yet.
 */
void cushim__defer_error(struct cushim__context *context);

/*
 * Pins a context's handle and makes the context current. It fails inside of a host function, where
 * the driver must not be called. If it succeeds, cushim__scope_leave() must follow.
 */
cushim_status cushim__context_enter(uint64_t id, const char *call, struct cushim__scope *ret_scope);

/*
 * Pins the handle of any object and makes its context current. Otherwise like
 * cushim__context_enter(). *ret_object is pinned until cushim__scope_leave().
 */
cushim_status cushim__object_enter(uint64_t id, enum cushim__handle_kind kind, const char *call,
                                   struct cushim__scope *ret_scope, void *ret_object);

/*
 * Makes a context current without pinning a handle. The caller keeps the context alive.
 * cushim__scope_leave() must follow if it succeeds.
 */
cushim_status cushim__scope_enter(struct cushim__context *context, const char *call,
                                  const char *label, struct cushim__scope *ret_scope);

/*
 * Enters a context for a destructor. cushim__scope_leave() must follow in any case. If the context
 * cannot be made current, the result is false, and the scope's calls do not reach the driver: they
 * would be made in another context. Each of them then fails, its error is deferred, and what it was
 * to free stays.
 */
bool cushim__scope_to_free(struct cushim__context *context, const char *call, const char *label,
                           struct cushim__scope *ret_scope);

/*
 * Sets the current context. If that fails, it tries once more, because a thread that is left in
 * another context works there. Returns the driver's result.
 */
int cushim__set_current(cushim__entry *const *table, CUcontext cu);

/*
 * Makes the scope's context current again after calls in another one, and returns status. If the
 * driver refuses that, the result is its error, and no later call of the scope reaches the driver.
 */
cushim_status cushim__scope_come_back(const struct cushim__scope *scope, cushim_status status);

/* Restores the caller's current context, unpins the handle, and returns status. */
cushim_status cushim__scope_leave(struct cushim__scope *scope, cushim_status status);

/*
 * Returns CUSHIM_ERROR_FOREIGN_CONTEXT if an object is of a context of another driver, whatever it
 * is called by that driver. The error text has what, such as "event".
 */
cushim_status cushim__check_driver(const struct cushim__scope *scope,
                                   const struct cushim__context *of, const char *what);

/*
 * Pins a driver's handle, for calls that need no context. cushim__scope_leave() must follow if it
 * succeeds.
 */
cushim_status cushim__driver_enter(uint64_t driver, const char *call,
                                   struct cushim__scope *ret_scope);

/*
 * Mark the begin and the end of a host function in the calling thread. Calls of cushim fail in
 * between.
 */
void cushim__host_function_begin(void);
void cushim__host_function_end(void);

/* Tells whether the calling thread is inside of a host function or of a hook. */
bool cushim__in_callback(void);

/*
 * For a call that needs attention (base/attention.h): frees what was freed in host functions and
 * hooks, and tells whether the call may go on as others do, because only other threads are in one.
 */
bool cushim__attend(void) __attribute__((cold));

/*
 * Returns CUDA_ERROR_NOT_PERMITTED if the calling thread is inside of a host function or of a hook,
 * and CUSHIM_OK otherwise. In a hook locks of this library may be held, because it runs inside of a
 * driver call.
 */
cushim_status cushim__check_no_callback(const char *call);

#endif
