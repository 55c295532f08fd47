/* SPDX-License-Identifier: MIT */
/*
 * Locks that several handles share: stream locks and context locks (docs/locking.md).
 *
 * The memory of a lock is never freed. So a thread that knows only a handle can take the lock of
 * the handle first, and check afterwards whether the handle is still open.
 */
#ifndef CUSHIM_CORE_OBJECT_HANDLE_LOCK_H
#define CUSHIM_CORE_OBJECT_HANDLE_LOCK_H

#include "base/mutex.h"

/* The thread sanitizer looks at the order in which these locks are taken, if it is told of them. */
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#else
#define __tsan_mutex_try_lock                       0
#define __tsan_mutex_try_lock_failed                0
#define __tsan_mutex_pre_lock(mutex, flags)         ((void) 0)
#define __tsan_mutex_post_lock(mutex, flags, times) ((void) 0)
#define __tsan_mutex_pre_unlock(mutex, flags)       ((void) 0)
#define __tsan_mutex_post_unlock(mutex, flags)      ((void) 0)
#endif

/* What a lock protects. A lock that is used again keeps its kind, and so its place in the order. */
enum cushim__lock_kind {
    CUSHIM__STREAM_LOCK,
    CUSHIM__CONTEXT_LOCK,
    CUSHIM__LOCK_KINDS,
};

struct cushim__handle_lock {
    struct cushim__mutex mutex;
    enum cushim__lock_kind kind;
    struct cushim__handle_lock *next; /* in the list of unused locks of its kind */
};

/* Returns a lock, or NULL when out of memory. */
struct cushim__handle_lock *cushim__handle_lock_new(enum cushim__lock_kind kind);
void cushim__handle_lock_free(struct cushim__handle_lock *lock);

static inline void cushim__handle_lock(struct cushim__handle_lock *lock)
{
    __tsan_mutex_pre_lock(lock, 0);
    cushim__mutex_lock(&lock->mutex);
    __tsan_mutex_post_lock(lock, 0, 0);
}

/* Takes the lock if it is free. */
static inline bool cushim__handle_trylock(struct cushim__handle_lock *lock)
{
    bool taken;

    __tsan_mutex_pre_lock(lock, __tsan_mutex_try_lock);
    taken = cushim__mutex_trylock(&lock->mutex);
    __tsan_mutex_post_lock(lock, __tsan_mutex_try_lock | (taken ? 0 : __tsan_mutex_try_lock_failed),
                           0);
    return taken;
}

static inline void cushim__handle_unlock(struct cushim__handle_lock *lock)
{
    __tsan_mutex_pre_unlock(lock, 0);
    cushim__mutex_unlock(&lock->mutex);
    __tsan_mutex_post_unlock(lock, 0);
}

#endif
