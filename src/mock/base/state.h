/* SPDX-License-Identifier: MIT */
/*
 * What the process shares: the lock, the devices, and how a driver function begins.
 */
#ifndef CUSHIM_MOCK_BASE_STATE_H
#define CUSHIM_MOCK_BASE_STATE_H

#include "mock/base/context.h"
#include "mock/config/config.h"
#include "mock/config/profile.h"
#include "mock/functions.h"

struct mock__device {
    int ordinal;
    const struct mock__profile *profile;
    struct mock__context *primary; /* made by the first retain, and then kept for good */
    unsigned primary_flags;
    unsigned primary_count;
    uint64_t used_bytes; /* of its memory: allocations and contexts */
    struct mock__pool *default_pool, *pool;
    uint64_t graph_reserved_high, graph_used_high; /* the most that graphs had of its memory */
};

/* NULL if there is no such device. */
struct mock__device *mock__device_find(CUdevice device);
struct mock__device *mock__device_by_uuid(const unsigned char uuid[16]);
int mock__device_count(void);

/* Has the device's memory so many bytes left? */
bool mock__device_has_room(const struct mock__device *device, uint64_t bytes);

static inline int mock__attribute(const struct mock__device *device, CUdevice_attribute attribute)
{
    return device->profile->attributes[attribute];
}

/*
 * Every driver function holds the process-wide lock while it runs, kernels included.
 * mock__enter() takes it, or says why the function cannot run: not initialised, in a
 * child after fork(), or called from inside a host function or a kernel.
 */
CUresult mock__enter(void);
void mock__leave(const CUresult *entered);

/* Begins a driver function; the lock is given back where the scope ends. */
#define MOCK__ENTER()                                                                              \
    __attribute__((cleanup(mock__leave))) const CUresult mock__entered = mock__enter();            \
    MOCK__TRY(mock__entered)

/* The same for a function that needs a usable current context. */
#define MOCK__ENTER_CONTEXT(context)                                                               \
    MOCK__ENTER();                                                                                 \
    struct mock__context *context = NULL;                                                          \
    MOCK__TRY(mock__context_current(&(context)))

/* Evaluates expr; if it is not CUDA_SUCCESS, returns it from the calling function. */
#define MOCK__TRY(expr)                                                                            \
    do {                                                                                           \
        const CUresult mock__try = (expr);                                                         \
        if (mock__try != CUDA_SUCCESS)                                                             \
            return mock__try;                                                                      \
    } while (0)

#define MOCK__REQUIRE(condition, error)                                                            \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return (error);                                                                        \
    } while (0)

/*
 * Around a call of the program's own code. The driver refuses its functions in there. A host
 * function runs without the lock, so that it may wait for another thread that uses the
 * driver; a kernel keeps it, as nothing may move under it.
 */
void mock__callback_begin(void);
void mock__callback_end(void);
void mock__kernel_begin(void);
void mock__kernel_end(void);
void mock__unlock_for_callback(void);
void mock__lock_after_callback(void);

/*
 * The lock by itself, for the mock's own thread; and waiting, with it given up, until
 * somebody says that something changed. 0 waits for ever; false: the time is over.
 */
void mock__lock(void);
void mock__unlock(void);

/* Does the calling thread run a kernel? */
bool mock__in_kernel(void);

/* The same for what a kernel may call too, whose thread has the lock already. */
void mock__control_lock(void);
void mock__control_unlock(void);
bool mock__lock_wait(uint64_t nanoseconds);
void mock__lock_changed(void);

/* cuInit() without its flags. */
CUresult mock__initialise(void);

#endif
