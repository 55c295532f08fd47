/* SPDX-License-Identifier: MIT */
/* State of the whole process: the lock, the devices, and the begin and end of a driver function. */
#ifndef CUSHIM_MOCK_BASE_STATE_H
#define CUSHIM_MOCK_BASE_STATE_H

#include "mock/base/context.h"
#include "mock/config/config.h"
#include "mock/config/profile.h"
#include "mock/functions.h"

struct mock__device {
    int ordinal;
    const struct mock__profile *profile;
    struct mock__context *primary; /* made by the first retain, and never freed */
    unsigned primary_flags;
    unsigned primary_count;
    uint64_t used_bytes; /* memory of allocations and contexts */
    struct mock__pool *default_pool, *pool;
    uint64_t graph_reserved, graph_used;           /* how much of its memory graphs have, and use */
    uint64_t graph_reserved_high, graph_used_high; /* the maximum of each */
};

/* Return a device, or NULL if there is none. */
struct mock__device *mock__device_find(CUdevice device);
struct mock__device *mock__device_by_uuid(const unsigned char uuid[16]);
int mock__device_count(void);

/*
 * Tells whether the device has so many bytes of free memory, and the host, if the device has no
 * more than that.
 */
bool mock__device_has_room(const struct mock__device *device, uint64_t bytes);

/* How many bytes that is. */
uint64_t mock__device_free(const struct mock__device *device);

static inline int mock__attribute(const struct mock__device *device, CUdevice_attribute attribute)
{
    return device->profile->attributes[attribute];
}

/*
 * Every driver function holds the process-wide lock while it runs, and also while it runs kernels.
 * mock__enter() takes the lock, or returns the reason why the function cannot run: the driver is
 * not initialised, the process is a child of fork(), or the caller is a host function or a kernel.
 */
CUresult mock__enter(void);

/*
 * The same for a function that looks at its arguments before it looks at the driver: it also runs
 * before cuInit(), when there are no objects, and in a child of fork(), which has the objects of its
 * parent and no device. What needs the driver then asks whether it is there.
 */
CUresult mock__enter_early(void);
CUresult mock__initialised(void);

/* The same, but the driver must have been initialised, by this process or by the parent of a child. */
CUresult mock__enter_inherited(void);
CUresult mock__inherited(void);

/*
 * Tells whether the process is a child of one that had initialised the driver. There work is
 * accepted and never done, nothing is waited for, and memory stays as the parent has it.
 */
bool mock__is_child(void);

void mock__leave(const CUresult *entered);

/*
 * The state of the process, as a CUprocessState: functions of the driver wait until it runs
 * (device/checkpoint.c). Callers hold the lock.
 */
bool mock__is_initialised(void);
int mock__process_state(void);
void mock__set_process_state(int state);

/* Begins a driver function. The lock is released at the end of the scope. */
#define MOCK__ENTER()                                                                              \
    __attribute__((cleanup(mock__leave))) const CUresult mock__entered = mock__enter();            \
    MOCK__TRY(mock__entered)

#define MOCK__ENTER_EARLY()                                                                        \
    __attribute__((cleanup(mock__leave))) const CUresult mock__entered = mock__enter_early();      \
    MOCK__TRY(mock__entered)

#define MOCK__ENTER_INHERITED()                                                                    \
    __attribute__((cleanup(mock__leave))) const CUresult mock__entered = mock__enter_inherited();  \
    MOCK__TRY(mock__entered)

/* Begins a driver function that needs a usable current context, which it declares as a variable. */
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

/* Surround a call of the program's code, in which functions of the driver fail. */
void mock__callback_begin(void);
void mock__callback_end(void);

/*
 * Surround a kernel, which runs with the lock, because its memory must not change meanwhile.
 * of_host is true for a replacement kernel. While it runs, the state changes only under `helpers`.
 */
void mock__kernel_begin(bool of_host);
void mock__kernel_end(void);

/* Take and release `helpers`, the lock of replacement kernels and their threads. */
void mock__helpers_lock(void);
void mock__helpers_unlock(void);

/*
 * Release the lock for a host function, and take it again. So the function may wait for another
 * thread that uses the driver.
 */
void mock__unlock_for_callback(void);
void mock__lock_after_callback(void);

/* Take and release the lock alone, in threads that are not inside of a driver function. */
void mock__lock(void);
void mock__unlock(void);

/*
 * mock__lock_wait() releases the lock and waits until mock__lock_changed() is called. 0 nanoseconds
 * means no time limit; false means that the time is over.
 */
bool mock__lock_wait(uint64_t nanoseconds);
void mock__lock_changed(void);

/*
 * Take and release the lock in functions that do no work and wait for nothing, and that a
 * replacement kernel and its threads may call, too. While one runs, these functions take `helpers`
 * instead. A thread must not call them while it holds the lock.
 */
/* Tells whether mock__control_lock() is possible within so many milliseconds: no kernel runs on. */
bool mock__control_possible(unsigned milliseconds);

void mock__control_lock(void);
void mock__control_unlock(void);

/* Initialises the driver, for cuInit(). */
CUresult mock__initialise(void);

#endif
