/* SPDX-License-Identifier: MIT */
/*
 * A stream has two handles, and another thread frees the one that owns it while a call uses the
 * other one: before the call has the lock of the stream, or while the driver works on the call.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "support.h"

SUITE(safe_freed_meanwhile);

enum { N = 64 };

struct fixture {
    struct world w;
    cushim_driver driver; /* above that of the world, with the hook below */
    cushim_context context;
    cushim_stream owner, adopted, other;
    cushim_slice slice;
    pthread_t thread;
    const char *stop_at; /* the first call of this function stops; or NULL */
    atomic_int go;       /* the thread begins to free */
    atomic_int stopped;  /* the call has come to the stop */
    atomic_int freed;
    bool for_the_thread; /* that stops: it goes on after a moment. Else the stop is until it is done
                          */
};

static void wait_for(const atomic_int *n)
{
    for (int i = 0; i < 5000 && !*n; i++)
        usleep(1000);
}

static bool stop(struct cushim_call *call, void *user)
{
    struct fixture *f = user;

    if (!f->stop_at || strcmp(call->name, f->stop_at) != 0 || f->stopped)
        return false;
    f->stopped = 1;
    if (f->for_the_thread) {
        usleep(100000);
    } else {
        f->go = 1;
        wait_for(&f->freed);
    }
    return false;
}

static void *free_owner(void *user)
{
    struct fixture *f = user;

    wait_for(&f->go);
    cushim_stream_free(&f->owner);
    f->freed = 1;
    return NULL;
}

static void open_fixture(struct fixture *f)
{
    const struct cushim_hooks hooks = {.before = stop, .user = f};
    void *cu = NULL;

    *f = (struct fixture){.driver = CUSHIM_NONE};
    open_world(&f->w);
    assert_ok(cushim_interpose(f->w.driver, &hooks, 1, &f->driver));
    assert_ok(cushim_context_primary(f->driver, 0, &f->context));
    assert_ok(cushim_stream_new(f->context, NULL, &f->owner));
    assert_ok(cushim_stream_new(f->context, NULL, &f->other));
    assert_ok(cushim_stream_raw(f->owner, &cu));
    assert_ok(cushim_stream_adopt(f->context, cu, &f->adopted));
    assert_ok(cushim_slice_zeros(f->owner, sizeof(int), N, &f->slice));
    cr_assert(eq(int, pthread_create(&f->thread, NULL, free_owner, f), 0));
}

static void close_fixture(struct fixture *f)
{
    pthread_join(f->thread, NULL);
    cr_expect(eq(u64, count(&f->w, "cuStreamDestroy_v2"), 1));
    cushim_slice_free(&f->slice);
    cushim_stream_free(&f->adopted);
    cushim_stream_free(&f->other);
    cushim_context_free(&f->context);
    cushim_close(&f->driver);
    close_world(&f->w);
}

/* The other thread has the stream's lock, records the last event, and then destroys the stream. */
static void let_it_be_freed(struct fixture *f)
{
    f->for_the_thread = true;
    f->stop_at = "cuEventRecord";
    f->go = 1;
    wait_for(&f->stopped);
}

Test(safe_freed_meanwhile, a_join_of_a_freed_stream_is_refused)
{
    struct fixture f;

    open_fixture(&f);
    let_it_be_freed(&f);
    assert_refused(cushim_stream_join(f.adopted, f.other), CUSHIM_ERROR_STALE_HANDLE,
                   "the stream was freed");
    close_fixture(&f);
}

Test(safe_freed_meanwhile, a_join_with_a_freed_stream_is_refused)
{
    struct fixture f;

    open_fixture(&f);
    let_it_be_freed(&f);
    assert_refused(cushim_stream_join(f.other, f.adopted), CUSHIM_ERROR_STALE_HANDLE,
                   "the stream was freed");
    close_fixture(&f);
}

Test(safe_freed_meanwhile, a_wait_of_a_freed_stream_is_refused)
{
    cushim_event event = CUSHIM_NONE;
    struct fixture f;

    open_fixture(&f);
    assert_ok(cushim_event_new(f.context, 0, &event));
    assert_ok(cushim_event_record(event, f.other));
    let_it_be_freed(&f);
    assert_refused(cushim_stream_wait(f.adopted, event), CUSHIM_ERROR_STALE_HANDLE,
                   "the stream was freed");
    cushim_event_free(&event);
    close_fixture(&f);
}

/* A call about a stream keeps it: it is destroyed afterwards. */
#define KEPT(name, function, expr)                                                                 \
    Test(safe_freed_meanwhile, a_stream_is_kept_##name)                                            \
    {                                                                                              \
        struct fixture f;                                                                          \
                                                                                                   \
        open_fixture(&f);                                                                          \
        f.stop_at = (function);                                                                    \
        assert_ok(expr);                                                                           \
        cr_expect(eq(int, f.freed, 1));                                                            \
        close_fixture(&f);                                                                         \
    }

static enum cushim_wait_policy policy;
static enum cushim_capture capture;
static int values[N], number;
static bool blocking;

static cushim_status ask(struct fixture *f)
{
    assert_ok(cushim_stream_synchronize(f->adopted));
    return cushim_stream_query(f->adopted);
}

KEPT(that_is_waited_for, "cuStreamSynchronize", cushim_stream_synchronize(f.adopted))
KEPT(that_is_asked, "cuStreamQuery", ask(&f))
KEPT(with_a_status, "cuStreamIsCapturing", cushim_stream_capture_status(f.adopted, &capture))
KEPT(with_a_priority, "cuStreamGetPriority", cushim_stream_priority(f.adopted, &number))
KEPT(with_flags, "cuStreamGetFlags", cushim_stream_is_blocking(f.adopted, &blocking))
KEPT(with_a_policy, "cuStreamGetAttribute", cushim_stream_wait_policy(f.adopted, &policy))
KEPT(that_gets_a_policy, "cuStreamSetAttribute",
     cushim_stream_set_wait_policy(f.adopted, CUSHIM_WAIT_AUTO))
KEPT(that_gets_a_window, "cuStreamSetAttribute", cushim_stream_set_access_window(f.adopted, NULL))
KEPT(that_gets_attributes, "cuStreamCopyAttributes",
     cushim_stream_copy_attributes(f.adopted, f.other))
KEPT(that_gives_attributes, "cuStreamCopyAttributes",
     cushim_stream_copy_attributes(f.other, f.adopted))
/* The host copies pageable memory in pieces, and waits for each of them. */
KEPT(during_a_copy, "cuStreamSynchronize", cushim_slice_read(f.adopted, f.slice, values, N))

Test(safe_freed_meanwhile, a_freed_stream_has_no_raw_handle)
{
    struct fixture f;
    void *cu = NULL;

    open_fixture(&f);
    f.go = 1;
    wait_for(&f.freed);
    assert_refused(cushim_stream_raw(f.adopted, &cu), CUSHIM_ERROR_STALE_HANDLE,
                   "the stream was freed");
    close_fixture(&f);
}
