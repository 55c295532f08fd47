/* SPDX-License-Identifier: MIT */
/* Each thread's own default stream: whose it is, and what is left of it when the thread ends. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "support.h"

SUITE(safe_per_thread);

enum { N = 64 };

static void expect_all(cushim_stream stream, cushim_slice slice, int wanted)
{
    int values[N] = {0};

    assert_ok(cushim_slice_read(stream, slice, values, N));
    for (int i = 0; i < N; i++)
        cr_assert(eq(int, values[i], wanted), "element %d", i);
}

struct shared {
    cushim_context context;
    cushim_slice x;
    cushim_stream foreign; /* the main thread's */
};

static void *second_thread(void *user)
{
    struct shared *s = user;
    cushim_stream mine = CUSHIM_NONE;

    assert_ok(cushim_stream_per_thread(s->context, &mine));
    assert_ok(cushim_slice_fill(mine, s->x, 2));
    assert_refused(cushim_slice_fill(s->foreign, s->x, 3), CUSHIM_ERROR_WRONG_THREAD,
                   "another thread");
    assert_refused(cushim_stream_synchronize(s->foreign), CUSHIM_ERROR_WRONG_THREAD,
                   "another thread");
    cushim_stream_free(&mine);
    return NULL;
}

Test(safe_per_thread, per_thread_streams_of_two_threads_are_two_streams)
{
    struct shared s = {0};
    cushim_stream other = CUSHIM_NONE;
    struct world w;
    pthread_t thread;

    open_world(&w);
    s.context = w.context;
    assert_ok(cushim_stream_per_thread(s.context, &s.foreign));
    assert_ok(cushim_stream_new(s.context, NULL, &other));
    assert_ok(cushim_slice_alloc(s.foreign, sizeof(int), N, &s.x));
    assert_ok(cushim_slice_fill(s.foreign, s.x, 1));
    cr_assert(eq(int, pthread_create(&thread, NULL, second_thread, &s), 0));
    cr_assert(eq(int, pthread_join(thread, NULL), 0));
    /* The other thread's stream has its mark, although the thread is gone. */
    expect_all(other, s.x, 2);
    assert_ok(cushim_slice_fill(s.foreign, s.x, 4));
    expect_all(s.foreign, s.x, 4);
    cushim_slice_free(&s.x);
    cushim_stream_free(&other);
    cushim_stream_free(&s.foreign);
    close_world(&w);
}

static void note_done(void *user)
{
    atomic_store((atomic_int *) user, 1);
}

struct ending {
    cushim_context context;
    atomic_int *done; /* NULL: only the handle is made */
};

static void *thread_that_ends(void *user)
{
    const struct ending *e = user;
    cushim_stream mine = CUSHIM_NONE;

    assert_ok(cushim_stream_per_thread(e->context, &mine));
    if (e->done)
        assert_ok(cushim_stream_host_function(mine, note_done, e->done, NULL));
    cushim_stream_free(&mine);
    return NULL;
}

/* libcuda may never come back from the end of a thread whose own stream still has work. */
Test(safe_per_thread, a_thread_waits_at_its_end_for_its_per_thread_stream)
{
    struct world w;
    pthread_t thread;

    open_world(&w);
    for (int i = 0; i < 100; i++) {
        atomic_int done = 0;
        struct ending e = {w.context, &done};

        cr_assert(eq(int, pthread_create(&thread, NULL, thread_that_ends, &e), 0));
        cr_assert(eq(int, pthread_join(thread, NULL), 0));
        cr_assert(eq(int, atomic_load(&done), 1), "thread %d", i);
    }
    close_world(&w);
}

struct outliving {
    struct ending ending;
    sem_t made, freed;
};

static void *thread_that_outlives(void *user)
{
    struct outliving *o = user;

    thread_that_ends(&o->ending);
    sem_post(&o->made);
    sem_wait(&o->freed);
    return NULL;
}

/* A thread does not keep a context that it has had a stream of. */
Test(safe_per_thread, a_thread_may_outlive_the_context_of_its_per_thread_stream)
{
    struct outliving o = {0};
    cushim_context second = CUSHIM_NONE;
    struct world w;
    pthread_t thread;

    open_world(&w);
    assert_ok(cushim_context_create(w.driver, 0, 0, &second));
    o.ending.context = second;
    sem_init(&o.made, 0, 0);
    sem_init(&o.freed, 0, 0);
    cr_assert(eq(int, pthread_create(&thread, NULL, thread_that_outlives, &o), 0));
    sem_wait(&o.made);
    cushim_context_free(&second);
    sem_post(&o.freed);
    cr_assert(eq(int, pthread_join(thread, NULL), 0));
    close_world(&w);
}
