/* SPDX-License-Identifier: MIT */
/*
 * 16 threads create, share, use and free everything at the same time. What one thread uses another
 * may just have freed: that is a stale handle, and never more. Memory that only one
 * thread knows has what that thread put there. Plain, so that the thread sanitizer can watch.
 */
#include <stdatomic.h>

#include <cushim/cushim.h>
#include <cushim/mock.h>

#include "plain.h"

enum { THREADS = 16, ROUNDS = 150, SHARED = 8, N = 64 };

static cushim_driver driver;
static _Atomic uint64_t slices[SHARED], streams[SHARED], events[SHARED];
static atomic_int released, calls;

struct thread {
    uint32_t random;
    cushim_context contexts[2];
    cushim_stream own;
    cushim_slice mine;
    cushim_pinned pinned;
};

static uint32_t draw(struct thread *t, uint32_t below)
{
    t->random = t->random * 1664525u + 1013904223u;
    return (t->random >> 16) % below;
}

/* For calls that another thread may spoil by freeing, or by choosing the same memory. */
static bool fine(cushim_status status)
{
    if (status && status != CUSHIM_ERROR_STALE_HANDLE && status != CUSHIM_ERROR_OVERLAP &&
        status != CUSHIM_ERROR_FOREIGN_CONTEXT)
        fprintf(stderr, "%s\n", cushim_error_text());
    return !status || status == CUSHIM_ERROR_STALE_HANDLE || status == CUSHIM_ERROR_OVERLAP ||
           status == CUSHIM_ERROR_FOREIGN_CONTEXT;
}

#define OK(call)   CHECK_EQ(call, CUSHIM_OK)
#define FINE(call) CHECK_EQ(fine(call), true)

static cushim_slice any_slice(struct thread *t)
{
    return (cushim_slice){atomic_load(&slices[draw(t, SHARED)])};
}

static cushim_stream any_stream(struct thread *t)
{
    return (cushim_stream){atomic_load(&streams[draw(t, SHARED)])};
}

static void renew_slice(struct thread *t)
{
    cushim_slice slice = CUSHIM_NONE;
    cushim_status status = cushim_slice_zeros(any_stream(t), 4, N, &slice);

    FINE(status);
    if (!status)
        slice.id = atomic_exchange(&slices[draw(t, SHARED)], slice.id);
    cushim_slice_free(&slice);
}

static void renew_stream(struct thread *t)
{
    cushim_stream stream = CUSHIM_NONE;

    if (draw(t, 2))
        OK(cushim_stream_new(t->contexts[draw(t, 2)], NULL, &stream));
    else
        FINE(cushim_stream_fork(any_stream(t), &stream));
    if (stream.id)
        stream.id = atomic_exchange(&streams[draw(t, SHARED)], stream.id);
    cushim_stream_free(&stream);
}

static void renew_event(struct thread *t)
{
    cushim_event event = CUSHIM_NONE;

    OK(cushim_event_new(t->contexts[draw(t, 2)], CUSHIM_EVENT_DEFAULT, &event));
    FINE(cushim_event_record(event, any_stream(t)));
    event.id = atomic_exchange(&events[draw(t, SHARED)], event.id);
    cushim_event_free(&event);
}

static void use_event(struct thread *t)
{
    const cushim_event event = {atomic_load(&events[draw(t, SHARED)])};
    cushim_status status;

    FINE(cushim_stream_wait(any_stream(t), event));
    FINE(cushim_event_synchronize(event));
    status = cushim_event_query(event);
    FINE(status == 600 ? CUSHIM_OK : status);
    FINE(cushim_event_record(event, any_stream(t)));
}

static void use_slices(struct thread *t)
{
    const cushim_slice to = any_slice(t), from = any_slice(t);
    uint32_t values[N];

    FINE(cushim_slice_fill(any_stream(t), to, draw(t, 100)));
    FINE(cushim_slice_copy(any_stream(t), to, from));
    FINE(cushim_slice_copy(t->own, to, t->mine));
    FINE(cushim_slice_read(any_stream(t), from, values, N));
    FINE(cushim_slice_copy(any_stream(t), t->pinned, from));
}

static void use_streams(struct thread *t)
{
    FINE(cushim_stream_join(any_stream(t), any_stream(t)));
    FINE(cushim_stream_synchronize(any_stream(t)));
    if (draw(t, 4) == 0)
        OK(cushim_context_synchronize(t->contexts[draw(t, 2)]));
}

static void call(void *user)
{
    atomic_fetch_add((atomic_int *) user, 1);
}

static void release(void *user)
{
    (void) user;
    atomic_fetch_add(&released, 1);
}

static void call_host(struct thread *t)
{
    FINE(cushim_stream_host_function(any_stream(t), call, &calls, release));
}

/* Handles come and go; what they lead to stays. */
static void renew_context(struct thread *t)
{
    const uint32_t i = draw(t, 2);

    cushim_context_free(&t->contexts[i]);
    OK(cushim_context_primary(driver, (int) i, &t->contexts[i]));
}

static void use_mine(struct thread *t)
{
    const uint32_t value = draw(t, 1000);
    const void *pointer = NULL;
    uint32_t values[N];

    OK(cushim_slice_fill(t->own, t->mine, value));
    OK(cushim_slice_copy(t->own, t->pinned, t->mine));
    OK(cushim_pinned_read(t->pinned, &pointer));
    CHECK_EQ(((const uint32_t *) pointer)[N - 1], value);
    OK(cushim_slice_read(t->own, t->mine, values, N));
    CHECK_EQ(values[0], value);
}

static void *body(void *number)
{
    static void (*const steps[])(struct thread *) = {
        renew_slice, renew_stream, renew_event,   use_event, use_slices,
        use_streams, call_host,    renew_context, use_mine,  use_slices};
    struct thread t = {.random = (uint32_t) (uintptr_t) number * 7919 + 1};

    for (int i = 0; i < 2; i++)
        OK(cushim_context_primary(driver, i, &t.contexts[i]));
    OK((uintptr_t) number % 2 ? cushim_stream_per_thread(t.contexts[0], &t.own)
                              : cushim_stream_new(t.contexts[0], NULL, &t.own));
    OK(cushim_slice_zeros(t.own, 4, N, &t.mine));
    OK(cushim_pinned_alloc(t.contexts[0], 4, N, 0, &t.pinned));
    for (int i = 0; i < ROUNDS; i++)
        steps[draw(&t, sizeof(steps) / sizeof(steps[0]))](&t);
    cushim_stream_free(&t.own);
    cushim_context_free(&t.contexts[0]);
    cushim_slice_free(&t.mine);
    cushim_pinned_free(&t.pinned);
    cushim_context_free(&t.contexts[1]);
    return NULL;
}

static void free_shared(void)
{
    for (int i = 0; i < SHARED; i++) {
        cushim_stream_free(&(cushim_stream){atomic_load(&streams[i])});
        cushim_event_free(&(cushim_event){atomic_load(&events[i])});
        cushim_slice_free(&(cushim_slice){atomic_load(&slices[i])});
    }
}

static int wrong(void)
{
    const struct cushim_mock_finding *findings = NULL;
    const size_t n = cushim_mock_findings(&findings);

    for (size_t i = 0; i < n; i++)
        fprintf(stderr, "the mock found: %s\n", findings[i].text);
    return (int) n;
}

int main(void)
{
    const struct cushim_mock_config *config = cushim_mock_config(.devices = "h200,h200");
    pthread_t threads[THREADS];

    OK(cushim_mock_configure(config));
    OK(cushim_open(cushim_open_params(.library = MOCK), &driver));
    start_threads(threads, THREADS, body);
    join_threads(threads, THREADS);
    free_shared();
    cushim_close(&driver);
    cushim_mock_leaks();
    CHECK_EQ(wrong(), 0);
    printf("%d calls of host functions, %d released\n", atomic_load(&calls),
           atomic_load(&released));
    return 0;
}
