/* SPDX-License-Identifier: MIT */
#include "mock/stream/per_thread.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "mock/stream/stream.h"

/* A host thread that has used its default stream. */
struct thread {
    atomic_bool ended;
    struct mock__stream *first; /* its streams, linked by next_of_thread */
    struct thread *next;
};

/* All of them. One whose thread has ended is freed when the next one is made. */
static struct thread *threads;

/* How many of them have ended. Only this and `ended` are changed without the lock. */
static atomic_size_t n_ended;

static _Thread_local struct thread *own;

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int no_key;

/*
 * This runs when a thread ends. It takes no lock: the lock may be held by a replacement kernel that
 * waits for this very thread, or, in the child of a fork, by a thread that does not exist.
 */
static void note_end(void *value)
{
    struct thread *thread = value;

    own = NULL; /* another thread may free it from now on, and code that runs later makes a new one */
    atomic_fetch_add(&n_ended, 1);
    atomic_store(&thread->ended, true);
}

/* Without a key no thread is seen to end, and its streams stay until their contexts go. */
static void make_key(void)
{
    no_key = pthread_key_create(&key, note_end);
}

static void free_thread(struct thread *thread)
{
    while (thread->first)
        mock__stream_free(thread->first);
    free(thread);
}

static void free_ended(void)
{
    struct thread *thread, **link = &threads;

    if (!atomic_load(&n_ended))
        return;
    while ((thread = *link)) {
        if (!atomic_load(&thread->ended)) {
            link = &thread->next;
            continue;
        }
        *link = thread->next;
        atomic_fetch_sub(&n_ended, 1);
        free_thread(thread);
    }
}

/* Makes the record of the calling thread. NULL when out of memory. */
static struct thread *thread_new(void)
{
    struct thread *thread = calloc(1, sizeof(*thread));

    pthread_once(&once, make_key);
    if (!thread || (!no_key && pthread_setspecific(key, thread))) {
        free(thread);
        return NULL;
    }
    thread->next = threads;
    threads = thread;
    return thread;
}

static struct mock__stream *make(struct mock__context *context)
{
    struct mock__stream *stream;

    free_ended();
    if (!own)
        own = thread_new();
    if (!own)
        return NULL;
    stream = mock__stream_new(context, 0);
    if (!stream)
        return NULL;
    stream->is_default = true;
    stream->next_of_thread = own->first;
    stream->link_of_thread = &own->first;
    if (own->first)
        own->first->link_of_thread = &stream->next_of_thread;
    own->first = stream;
    return stream;
}

struct mock__stream *mock__per_thread_stream(struct mock__context *context)
{
    struct mock__stream *stream = own ? own->first : NULL;

    while (stream && stream->context != context)
        stream = stream->next_of_thread;
    return stream ? stream : make(context);
}

void mock__per_thread_stream_leave(struct mock__stream *stream)
{
    if (!stream->link_of_thread)
        return;
    *stream->link_of_thread = stream->next_of_thread;
    if (stream->next_of_thread)
        stream->next_of_thread->link_of_thread = stream->link_of_thread;
}
