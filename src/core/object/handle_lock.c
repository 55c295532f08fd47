/* SPDX-License-Identifier: MIT */
/* The locks that handles share. Unused ones are kept in lists, because their memory is never freed.
 */
#include <stdlib.h>

#include "base/fork.h"
#include "base/util.h"
#include "core/object/handle.h"

/* Protects the lists, which are valid at any moment. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct cushim__handle_lock *free_locks[CUSHIM__LOCK_KINDS];

CUSHIM__OPEN_IN_CHILD(mutex);

struct cushim__handle_lock *cushim__handle_lock_new(enum cushim__lock_kind kind)
{
    struct cushim__handle_lock *lock;

    pthread_mutex_lock(&mutex);
    lock = free_locks[kind];
    if (lock)
        free_locks[kind] = lock->next;
    pthread_mutex_unlock(&mutex);
    if (lock)
        return lock;
    lock = cushim__zalloc_lines(sizeof(*lock));
    if (!lock)
        return NULL;
    pthread_mutex_init(&lock->mutex, NULL);
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
    pthread_mutex_lock(&mutex);
    lock->next = free_locks[lock->kind];
    free_locks[lock->kind] = lock;
    pthread_mutex_unlock(&mutex);
}
