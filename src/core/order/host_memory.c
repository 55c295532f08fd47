/* SPDX-License-Identifier: MIT */
#include "core/order/host_memory.h"

#include <pthread.h>
#include <search.h>

/* A part of the host's memory. The tree has those of all buffers, which do not overlap. */
struct host_part {
    uintptr_t begin, end;
    struct cushim__buffer *buffer;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *parts;           /* of tsearch(); under the mutex */
static void *parts_of_parent; /* before a fork(): another thread may have been changing them */
static atomic_size_t n_parts; /* most programs have none, and take no lock then */

/* In a child no address is one of the parent's buffers: a child cannot use what they belong to. */
static void begin_in_child(void)
{
    pthread_mutex_init(&mutex, NULL);
    parts_of_parent = parts;
    parts = NULL;
    atomic_store(&n_parts, 0);
}

__attribute__((constructor)) static void at_fork(void)
{
    pthread_atfork(NULL, NULL, begin_in_child);
}

static int compare(const void *a, const void *b)
{
    const struct host_part *x = a, *y = b;

    if (x->end <= y->begin)
        return -1;
    return x->begin >= y->end;
}

bool cushim__host_memory_add(struct cushim__buffer *buffer)
{
    struct host_part *part = malloc(sizeof(*part));
    const uintptr_t begin = (uintptr_t) buffer->host;
    bool added;

    if (!part)
        return false;
    *part = (struct host_part){begin, begin + buffer->bytes, buffer};
    pthread_mutex_lock(&mutex);
    added = tsearch(part, &parts, compare);
    pthread_mutex_unlock(&mutex);
    if (added)
        atomic_fetch_add(&n_parts, 1);
    else
        free(part);
    return added;
}

void cushim__host_memory_remove(struct cushim__buffer *buffer)
{
    const uintptr_t begin = (uintptr_t) buffer->host;
    struct host_part key = {begin, begin + buffer->bytes, NULL}, **found, *part = NULL;

    if (!buffer->host || !buffer->bytes)
        return;
    pthread_mutex_lock(&mutex);
    found = tfind(&key, &parts, compare);
    if (found && (*found)->buffer == buffer) {
        part = *found;
        tdelete(part, &parts, compare);
    }
    pthread_mutex_unlock(&mutex);
    if (part)
        atomic_fetch_sub(&n_parts, 1);
    free(part);
}

/* A buffer without references is about to be freed by another thread: then nothing may use it. */
static bool ref_unless_zero(struct cushim__buffer *buffer)
{
    unsigned n = atomic_load(&buffer->references);

    while (n)
        if (atomic_compare_exchange_weak(&buffer->references, &n, n + 1))
            return true;
    return false;
}

bool cushim__host_memory_find(const void *host, size_t bytes, bool write,
                              struct cushim__access *ret_access)
{
    const uintptr_t begin = (uintptr_t) host;
    struct host_part key = {begin, begin + 1, NULL}, **found;
    struct cushim__buffer *buffer = NULL;

    if (!bytes || !atomic_load_explicit(&n_parts, memory_order_acquire))
        return false;
    pthread_mutex_lock(&mutex);
    found = tfind(&key, &parts, compare);
    if (found && ref_unless_zero((*found)->buffer))
        buffer = (*found)->buffer;
    pthread_mutex_unlock(&mutex);
    if (!buffer)
        return false;
    *ret_access = (struct cushim__access){.buffer = buffer, .write = write};
    ret_access->begin = begin - (uintptr_t) buffer->host;
    ret_access->end =
        bytes < buffer->bytes - ret_access->begin ? ret_access->begin + bytes : buffer->bytes;
    return true;
}
