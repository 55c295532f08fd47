/* SPDX-License-Identifier: MIT */
#include "mock/base/state.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/env.h"
#include "base/status.h"
#include "base/str.h"
#include "mock/base/hint.h"
#include "mock/base/host_room.h"
#include "mock/base/upcalls.h"
#include "mock/config/config.h"
#include "mock/config/environment.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool initialised;

static int process_state; /* of checkpoints; 0: it runs */
static struct mock__device devices[MOCK__MAX_DEVICES];
static int n_devices;

/*
 * Set in the child of a process that had initialised the driver; never unset. If a thread was
 * inside of the driver at that time, what the child has of the driver's state is no use.
 */
static atomic_bool forked, half;

/*
 * While a replacement kernel runs, its thread holds `lock`. The threads of that function change the
 * mock's state only under this second lock. So at that time this lock is enough to read the state.
 */
static pthread_mutex_t helpers = PTHREAD_MUTEX_INITIALIZER;
static bool helped; /* a replacement kernel runs; guarded by helpers */

/* How many functions of the program, called by the driver, the thread is inside of. */
static _Thread_local int in_callback;
static _Thread_local bool in_kernel;

/* Whether the thread could be cancelled before it entered a driver function. */
static _Thread_local int cancel_state;

/* What the thread holds between mock__control_lock() and mock__control_unlock(). */
static _Thread_local enum { NOTHING, HELPERS, LOCK } held;

static bool lock_soon(void);

/* Whether the thread that forks has the lock meanwhile. */
static _Thread_local bool holds_for_fork;

/*
 * The lock makes the child's copy of the state complete. It is only tried: the thread that has it
 * may run a kernel for long, or a replacement kernel that waits for the thread that forks. Before
 * there is a state it is not kept: a program that waits for its own lock here may need it to
 * initialise the driver.
 */
static void before_fork(void)
{
    holds_for_fork = !in_callback && lock_soon();
    if (holds_for_fork && !initialised) {
        pthread_mutex_unlock(&lock);
        holds_for_fork = false;
    }
}

static void after_fork_in_parent(void)
{
    if (holds_for_fork)
        pthread_mutex_unlock(&lock);
}

/* The threads that may have had the locks, or have waited, do not exist in the child. */
static void after_fork_in_child(void)
{
    pthread_mutex_init(&lock, NULL);
    pthread_mutex_init(&helpers, NULL);
    pthread_cond_init(&changed, NULL);
    if (!initialised)
        return;
    if (!holds_for_fork)
        atomic_store(&half, true);
    else if (!atomic_load(&half))
        mock__upcalls.forked();
    atomic_store(&forked, true);
}

/*
 * What is registered later is called earlier before a fork. So a program that takes its own locks
 * before that of the driver registers after it has loaded the driver.
 */
__attribute__((constructor)) static void at_fork(void)
{
    pthread_atfork(before_fork, after_fork_in_parent, NULL);
}

bool mock__is_child(void)
{
    return atomic_load_explicit(&forked, memory_order_relaxed);
}

/*
 * A thread that is cancelled while it waits under the lock would leave the lock taken for ever. So
 * driver functions are no cancellation points.
 */
static void take_lock(void)
{
    int before;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    pthread_mutex_lock(&lock);
    cancel_state = before;
}

static void release_lock(void)
{
    const int before = cancel_state;

    pthread_mutex_unlock(&lock);
    pthread_setcancelstate(before, NULL);
}

CUresult mock__enter_early(void)
{
    if (atomic_load_explicit(&half, memory_order_relaxed))
        return CUDA_ERROR_NOT_INITIALIZED;
    /*
     * This check comes before taking the lock: the thread of a kernel holds it already, and would
     * wait for itself.
     */
    if (in_callback)
        return CUDA_ERROR_NOT_PERMITTED;
    take_lock();
    if (mock__is_child())
        return CUDA_SUCCESS;
    while (process_state)
        mock__lock_wait(0);
    if (initialised)
        mock__upcalls.entered();
    return CUDA_SUCCESS;
}

CUresult mock__initialised(void)
{
    return initialised && !mock__is_child() ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult mock__inherited(void)
{
    return initialised ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

static CUresult enter_if(CUresult (*usable)(void))
{
    CUresult result;

    MOCK__TRY(mock__enter_early());
    result = usable();
    if (result != CUDA_SUCCESS)
        release_lock();
    return result;
}

CUresult mock__enter_inherited(void)
{
    return enter_if(mock__inherited);
}

CUresult mock__enter(void)
{
    return enter_if(mock__initialised);
}

bool mock__is_initialised(void)
{
    return initialised;
}

int mock__process_state(void)
{
    return process_state;
}

void mock__set_process_state(int state)
{
    process_state = state;
    mock__lock_changed();
}

void mock__leave(const CUresult *entered)
{
    if (*entered == CUDA_SUCCESS)
        release_lock();
}

void mock__lock(void)
{
    pthread_mutex_lock(&lock);
}

void mock__unlock(void)
{
    pthread_mutex_unlock(&lock);
}

void mock__helpers_lock(void)
{
    pthread_mutex_lock(&helpers);
}

void mock__helpers_unlock(void)
{
    pthread_mutex_unlock(&helpers);
}

/* Keeps the lock of the helpers if a replacement kernel runs. */
static bool lock_helpers(void)
{
    pthread_mutex_lock(&helpers);
    if (helped)
        return true;
    pthread_mutex_unlock(&helpers);
    return false;
}

/* Takes the lock if that is possible within a millisecond. */
static bool lock_soon(void)
{
    struct timespec until;

    if (!pthread_mutex_trylock(&lock))
        return true;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    return !pthread_mutex_timedlock(&lock, &until);
}

/*
 * A replacement kernel may begin at any time in the thread that holds the lock, and may wait for
 * this thread. So this thread never waits for the lock without also looking for a replacement
 * kernel.
 */
bool mock__control_possible(unsigned milliseconds)
{
    bool free = false;

    for (unsigned i = 0; !free && i < milliseconds; i++) {
        free = lock_helpers();
        if (free)
            pthread_mutex_unlock(&helpers);
        else if ((free = lock_soon()))
            pthread_mutex_unlock(&lock);
    }
    return free;
}

void mock__control_lock(void)
{
    /* Nothing changes in a child that has half of a state. */
    if (atomic_load_explicit(&half, memory_order_relaxed)) {
        held = NOTHING;
        return;
    }
    held = lock_helpers() ? HELPERS : NOTHING;
    while (!in_kernel && held == NOTHING) {
        if (lock_soon())
            held = LOCK;
        else if (lock_helpers())
            held = HELPERS;
    }
}

void mock__control_unlock(void)
{
    if (held == HELPERS)
        pthread_mutex_unlock(&helpers);
    if (held == LOCK)
        mock__unlock();
}

void mock__lock_changed(void)
{
    pthread_cond_broadcast(&changed);
}

/* Every change wakes all threads that wait. Each of them then checks its own condition again. */
bool mock__lock_wait(uint64_t nanoseconds)
{
    struct timespec until;

    if (!nanoseconds)
        return !pthread_cond_wait(&changed, &lock);
    clock_gettime(CLOCK_REALTIME, &until);
    nanoseconds += (uint64_t) until.tv_nsec;
    until.tv_sec += (time_t) (nanoseconds / 1000000000u);
    until.tv_nsec = (long) (nanoseconds % 1000000000u);
    return !pthread_cond_timedwait(&changed, &lock, &until);
}

static void set_helped(bool now)
{
    pthread_mutex_lock(&helpers);
    helped = now;
    pthread_mutex_unlock(&helpers);
}

void mock__kernel_begin(bool of_host)
{
    in_callback++;
    in_kernel = true;
    set_helped(of_host);
}

void mock__kernel_end(void)
{
    set_helped(false);
    in_kernel = false;
    in_callback--;
}

void mock__callback_begin(void)
{
    in_callback++;
}

void mock__callback_end(void)
{
    in_callback--;
}

void mock__unlock_for_callback(void)
{
    pthread_mutex_unlock(&lock);
    mock__callback_begin();
}

void mock__lock_after_callback(void)
{
    mock__callback_end();
    pthread_mutex_lock(&lock);
}

struct mock__device *mock__device_find(CUdevice device)
{
    return device >= 0 && device < n_devices ? &devices[device] : NULL;
}

struct mock__device *mock__device_by_uuid(const unsigned char uuid[16])
{
    for (int i = 0; i < n_devices; i++)
        if (!memcmp(devices[i].profile->uuid, uuid, sizeof(devices[i].profile->uuid)))
            return &devices[i];
    return NULL;
}

int mock__device_count(void)
{
    return n_devices;
}

/* Of all devices that have no more memory than the host. */
static uint64_t allocated_of_the_host(void)
{
    uint64_t bytes = 0;

    for (int i = 0; i < n_devices; i++)
        bytes += devices[i].profile->of_the_host ? devices[i].used_bytes : 0;
    return bytes;
}

bool mock__device_has_room(const struct mock__device *device, uint64_t bytes)
{
    return bytes <= device->profile->total_bytes - device->used_bytes &&
           (!device->profile->of_the_host || mock__host_room_for(allocated_of_the_host(), bytes));
}

uint64_t mock__device_free(const struct mock__device *device)
{
    const uint64_t own = device->profile->total_bytes - device->used_bytes;
    uint64_t of_host;

    if (!device->profile->of_the_host)
        return own;
    of_host = mock__host_room_left(allocated_of_the_host());
    return own < of_host ? own : of_host;
}

static void tell_of_dropped(const struct mock__config *config)
{
    if (!config->n_dropped)
        return;
    mock__hint(MOCK__HINT_TOO_NEW,
               "a driver of CUDA %d.%d has no %s any more, so %s; the last one that has it is of "
               "CUDA %d.%d: choose that (driver_version), or no driver",
               config->driver_version / 1000, config->driver_version % 1000 / 10,
               config->dropped.name,
               config->n_devices ? "it is not among the devices" : "there is no device",
               config->dropped.last_driver / 1000, config->dropped.last_driver % 1000 / 10);
}

/* Machines without a GPU often set it so for all programs. */
static void tell_of_hidden(const struct mock__config *config)
{
    const char *visible = secure_getenv("CUDA_VISIBLE_DEVICES");

    if (config->n_devices)
        mock__hint(MOCK__HINT_HIDDEN,
                   "there is no device, as CUDA_VISIBLE_DEVICES, which is '%s', hides %s: without "
                   "the variable all are visible",
                   visible ? visible : "", config->n_devices > 1 ? "all of them" : "it");
}

/*
 * Starts from the beginning each time, because the program may call cuInit() again after it failed.
 */
static CUresult add_devices(const struct mock__config **ret_config)
{
    SCOPED_STR error = {0};
    const struct mock__config *config = NULL;
    int visible[MOCK__MAX_DEVICES];

    *cushim__error() = (struct cushim__error){0};
    n_devices = 0;
    if (mock__environment_check(&error) && mock__config_fix(&config, visible, &n_devices, &error)) {
        for (int i = 0; i < n_devices; i++)
            devices[i] =
                (struct mock__device){.ordinal = i, .profile = &config->devices[visible[i]]};
        tell_of_dropped(config);
        *ret_config = config;
        return CUDA_SUCCESS;
    }
    if (n_devices == MOCK__VISIBLE_WRONG) {
        n_devices = 0;
        cushim__fail(CUDA_ERROR_INVALID_DEVICE,
                     "CUDA_VISIBLE_DEVICES names a device twice, or CUDA_DEVICE_ORDER is neither "
                     "PCI_BUS_ID nor FASTEST_FIRST");
        return CUDA_ERROR_INVALID_DEVICE;
    }
    if (!error.length) {
        tell_of_dropped(config);
        tell_of_hidden(config);
        cushim__fail(CUDA_ERROR_NO_DEVICE, "%s",
                     config->n_devices ? "CUDA_VISIBLE_DEVICES hides all devices"
                                       : "the driver is too new for all of the devices");
        return CUDA_ERROR_NO_DEVICE;
    }
    fprintf(stderr, "cushim mock: %s\n", cushim__str_get(&error));
    cushim__fail(CUDA_ERROR_INVALID_VALUE, "%s", cushim__str_get(&error));
    return CUDA_ERROR_INVALID_VALUE;
}

static CUresult initialise_locked(void)
{
    static bool registered;
    const struct mock__config *config = NULL;

    if (initialised)
        return CUDA_SUCCESS;
    MOCK__TRY(add_devices(&config));
    if (!registered && pthread_atfork(NULL, NULL, after_fork_in_child))
        return CUDA_ERROR_OUT_OF_MEMORY;
    registered = true;
    /*
     * This comes last: an attempt that fails has then not loaded plug-ins, which the next attempt
     * would load again.
     */
    mock__upcalls.start(config);
    initialised = true;
    return CUDA_SUCCESS;
}

CUresult mock__initialise(void)
{
    CUresult result;

    if (mock__is_child())
        return CUDA_ERROR_NOT_INITIALIZED;
    if (in_callback)
        return CUDA_ERROR_NOT_PERMITTED;
    pthread_mutex_lock(&lock);
    result = initialise_locked();
    pthread_mutex_unlock(&lock);
    return result;
}
