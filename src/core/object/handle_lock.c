/* SPDX-License-Identifier: MIT */
/* Unused locks are kept in lists, because their memory is never freed. */
#include "core/object/handle_lock.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/util.h"

/* Protects the lists, which are valid at any moment. */
static struct cushim__mutex mutex;
static struct cushim__handle_lock *free_locks[CUSHIM__LOCK_KINDS];
static struct cushim__handle_lock *locks_of_parent[CUSHIM__LOCK_KINDS]; /* before a fork() */

/*
 * A thread of the parent with a stale handle may have had a lock that is not used. So a child makes
 * locks of its own.
 */
static void begin_in_child(void)
{
    atomic_store(&mutex.state, CUSHIM__MUTEX_FREE);
    for (int kind = 0; kind < CUSHIM__LOCK_KINDS; kind++) {
        locks_of_parent[kind] = free_locks[kind];
        free_locks[kind] = NULL;
    }
}

__attribute__((constructor)) static void at_fork(void)
{
    pthread_atfork(NULL, NULL, begin_in_child);
}

struct cushim__handle_lock *cushim__handle_lock_new(enum cushim__lock_kind kind)
{
    struct cushim__handle_lock *lock;

    cushim__mutex_lock(&mutex);
    lock = free_locks[kind];
    if (lock)
        free_locks[kind] = lock->next;
    cushim__mutex_unlock(&mutex);
    if (lock)
        return lock;
    lock = cushim__zalloc_lines(sizeof(*lock));
    if (!lock)
        return NULL;
    lock->kind = kind;
    return lock;
}

void cushim__handle_lock_free(struct cushim__handle_lock *lock)
{
    /*
     * The memory is never freed, because another thread may have read the pointer from a slot and
     * may take the lock only later.
     */
    if (!lock)
        return;
    cushim__mutex_lock(&mutex);
    lock->next = free_locks[lock->kind];
    free_locks[lock->kind] = lock;
    cushim__mutex_unlock(&mutex);
}
