/* SPDX-License-Identifier: MIT */
#include "mock/queue/schedule.h"

#include "base/util.h"
#include "mock/base/context.h"
#include "mock/base/state.h"
#include "mock/base/upcalls.h"
#include "mock/queue/clock.h"
#include "mock/queue/own_thread.h"

/* The maximum number of pieces of work that run when one is submitted. */
enum { MOST_AT_ONCE = 4 };

/*
 * How long a wait for a host function delays other work. The delay keeps the order that the seed
 * has drawn; it is limited because the host function may itself wait for that work.
 */
#define CALL_PATIENCE_NS UINT64_C(10000000)

/*
 * How often work is checked that waits for a value in memory, because no call tells when the value
 * changes; and how long a wait may last without progress before it is reported as stuck.
 */
#define POLL_NS UINT64_C(1000000)
static uint64_t stuck_after_ns = UINT64_C(5000000000);

static uint64_t seed, state;

/* Work runs. What it submits waits until it has run. */
static bool doing;

void mock__schedule_seed(uint64_t new_seed)
{
    seed = state = new_seed;
}

/* splitmix64: small, fast, and good enough to mix orders. */
static uint64_t draw(void)
{
    uint64_t z = (state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/*
 * Chooses a ready queue. The queues are counted in the order of submission, so that the same seed
 * gives the same choice whatever the order of the lists is.
 */
static struct mock__queue *choose(void)
{
    const size_t ready = seed ? mock__ready_count() : 0;

    if (!seed)
        return mock__ready_first();
    return ready ? mock__ready_queue(draw() % ready) : NULL;
}

static CUresult state_of(const struct mock__queue *queue)
{
    return queue->context ? mock__context_usable(queue->context) : queue->ended;
}

/*
 * Runs the first work of a ready queue. A host function is passed to the mock's thread, because it
 * runs without the lock.
 */
static void do_first(struct mock__queue *queue)
{
    struct mock__work *work = mock__work_begin(queue);

    work->status = state_of(queue);
    if (work->type->host) {
        mock__own_thread_call(work);
        return;
    }
    /* In a broken context no work runs, but it still ends, so that other work can go on. */
    if (work->status == CUDA_SUCCESS) {
        mock__upcalls.guard_begin(work->type->any_memory);
        doing = true;
        work->type->run(work);
        doing = false;
        mock__upcalls.guard_end(work);
    }
    mock__work_end(work);
    mock__lock_changed();
}

bool mock__schedule_step(void)
{
    struct mock__queue *queue = choose();

    if (queue)
        do_first(queue);
    return queue;
}

void mock__schedule_trivial(struct mock__queue *queue, const struct mock__work *work)
{
    if (queue->first == work && mock__queue_ready(queue))
        do_first(queue);
}

void mock__schedule_submitted(void)
{
    mock__own_thread_wake();
    if (!seed || doing)
        return;
    for (int i = 0; i < MOST_AT_ONCE && draw() % 2; i++)
        if (!mock__schedule_step())
            return;
}

void mock__schedule_asked(void)
{
    mock__own_thread_wake();
    if (!seed || draw() % 2)
        mock__schedule_step();
}

/* Tells whether work waits for a change that no call announces, such as a value in memory. */
static bool polling(void)
{
    for (struct mock__queue *queue = mock__busy_queues(); queue; queue = queue->next_busy)
        if (queue->first->type->ready)
            return true;
    return false;
}

void mock__schedule_rest(uint64_t nanoseconds)
{
    mock__lock_wait(polling() ? POLL_NS : nanoseconds);
}

void mock__schedule_stuck_after(uint64_t nanoseconds)
{
    stuck_after_ns = nanoseconds;
}

/* Called while no work can run. *since is the time when that began, or 0 if it begins now. */
static void stand_still(uint64_t *since)
{
    const uint64_t now = cushim__now_ns();

    if (!*since)
        *since = now;
    if (now - *since >= stuck_after_ns)
        for (struct mock__queue *queue = mock__busy_queues(); queue; queue = queue->next_busy)
            if (queue->first->type->stuck && !mock__queue_ready(queue))
                queue->first->type->stuck(queue->first);
    mock__schedule_rest(0);
}

/*
 * Runs work until a point is reached. While a host function runs, it waits for that function first,
 * so that the order stays the drawn one. It does not wait for ever, because the function may itself
 * wait for work that runs next. told is true if the host learns that the point is reached.
 */
static CUresult finish(const struct mock__point *point, bool told)
{
    struct mock__point mine = mock__point_copy(point);
    CUresult result = CUDA_SUCCESS;
    uint64_t still_since = 0;

    while (!mock__point_reached(&mine)) {
        if (mock__own_thread_busy() && mock__lock_wait(CALL_PATIENCE_NS))
            continue;
        if (mock__point_reached(&mine) || mock__schedule_step())
            still_since = 0;
        else
            stand_still(&still_since);
    }
    if (told)
        mock__host_waited(mine.clock);
    if (mine.queue)
        result = state_of(mine.queue);
    mock__point_clear(&mine);
    mock__upcalls.idle();
    return result;
}

CUresult mock__wait(const struct mock__point *point)
{
    return finish(point, true);
}

static CUresult finish_queue(struct mock__queue *queue, bool told)
{
    struct mock__point end = mock__queue_end(queue);
    const CUresult result = finish(&end, told);

    mock__point_clear(&end);
    return result;
}

CUresult mock__wait_queue(struct mock__queue *queue)
{
    return finish_queue(queue, true);
}

/*
 * The context is looked up again each time: a wait releases the lock, and another thread may
 * destroy the context meanwhile.
 */
static struct mock__queue *busy_queue_in(CUcontext handle)
{
    const struct mock__context *context = mock__context_find(handle);

    return context ? mock__busy_queue_of(context) : NULL;
}

/*
 * The host also knows about work that was done before this call. That is noted at the end: work
 * runs during the wait, and other threads submit work that is not ordered after it.
 */
void mock__wait_context(const struct mock__context *context)
{
    struct mock__clock *known = mock__clock_ref(context->clock);
    const CUcontext handle = MOCK__HANDLE(context);
    struct mock__queue *queue;

    while ((queue = busy_queue_in(handle)))
        mock__wait_queue(queue);
    mock__host_waited(known);
    mock__clock_unref(known);
}

/* Work of other contexts may still run. */
void mock__finish_context(const struct mock__context *context)
{
    struct mock__clock *submitted = mock__clock_ref(context->clock);
    const CUcontext handle = MOCK__HANDLE(context);
    struct mock__queue *queue;

    while ((queue = busy_queue_in(handle)))
        finish_queue(queue, false);
    mock__work_settled_too(submitted);
    mock__clock_unref(submitted);
}

void mock__finish_all(void)
{
    const uint64_t last = mock__work_last();
    struct mock__queue *queue;

    while ((queue = mock__busy_queues()))
        finish_queue(queue, false);
    mock__work_settled(last);
}

/* Can somebody's waiting for the queue make it go on? */
static bool can_hurry(const struct mock__queue *queue)
{
    return queue->first && !queue->running && !queue->first->type->host;
}

/*
 * Runs one piece of work: the first of the queue, or what that waits for. Returns the queue to go
 * on with; NULL if a host function is involved. The way from the first queue is kept, as it may be
 * long.
 */
static struct mock__queue *advance(struct mock__queue *queue)
{
    struct mock__queue *behind;

    for (; can_hurry(queue) && queue->stopped_by; queue = queue->stopped_by)
        queue->stopped_by->hurries = queue;
    if (!can_hurry(queue) || !mock__queue_ready(queue))
        return NULL;
    behind = queue->hurries;
    do_first(queue);
    return behind && behind->stopped_by != queue ? behind : queue;
}

void mock__schedule_hurry(struct mock__queue *queue)
{
    struct mock__point end = mock__queue_end(queue);
    struct mock__queue *at = queue;

    queue->hurries = NULL;
    while (!doing && at && !mock__point_reached(&end))
        at = advance(at);
    mock__point_clear(&end);
}
