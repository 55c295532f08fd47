/* SPDX-License-Identifier: MIT */
#include "mock/schedule.h"

#include "base/util.h"
#include "mock/context.h"
#include "mock/engine.h"
#include "mock/memory/mem_pool.h"
#include "mock/state.h"

/* How many pieces of work one submission can set going at most. */
enum { MOST_AT_ONCE = 4 };

/* How long a wait leaves other work alone while a function of the program is being called. */
#define CALL_PATIENCE_NS UINT64_C(10000000)

/* How often what nobody tells of is looked at, and when a wait is held to be stuck. */
#define POLL_NS UINT64_C(1000000)
static uint64_t stuck_after_ns = UINT64_C(5000000000);

static uint64_t seed, state;

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

/* The ready lane whose work was submitted first, among those submitted after the ticket. */
static struct mock__lane *next_ready(uint64_t after)
{
    struct mock__lane *best = NULL;

    for (struct mock__lane *lane = mock__busy_lanes(); lane; lane = lane->next_busy)
        if (mock__lane_ready(lane) && lane->first->ticket > after &&
            (!best || lane->first->ticket < best->first->ticket))
            best = lane;
    return best;
}

/* Counted in order of submission, so that the draw does not depend on how lanes are kept. */
static struct mock__lane *choose(void)
{
    struct mock__lane *lane = next_ready(0);
    uint64_t ready = 0;

    if (!seed || !lane)
        return lane;
    for (struct mock__lane *l = lane; l; l = next_ready(l->first->ticket))
        ready++;
    for (uint64_t skip = draw() % ready; skip; skip--)
        lane = next_ready(lane->first->ticket);
    return lane;
}

static CUresult state_of(const struct mock__lane *lane)
{
    return lane->context ? mock__context_usable(lane->context) : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

/* Does, or hands over, the first work of a lane that is ready. */
static void do_first(struct mock__lane *lane)
{
    struct mock__work *work = mock__work_begin(lane);

    work->status = state_of(lane);
    if (work->type->host) {
        mock__engine_call(work);
        return;
    }
    /* Nothing more is done in a context that is broken; what waits for it goes on. */
    if (work->status == CUDA_SUCCESS)
        work->type->run(work);
    mock__work_end(work);
    mock__lock_changed();
}

bool mock__schedule_step(void)
{
    struct mock__lane *lane = choose();

    if (lane)
        do_first(lane);
    return lane;
}

void mock__schedule_trivial(struct mock__lane *lane, const struct mock__work *work)
{
    if (lane->first == work && mock__lane_ready(lane))
        do_first(lane);
}

void mock__schedule_submitted(void)
{
    mock__engine_wake();
    if (!seed)
        return;
    for (int i = 0; i < MOST_AT_ONCE && draw() % 2; i++)
        if (!mock__schedule_step())
            return;
}

void mock__schedule_asked(void)
{
    mock__engine_wake();
    if (!seed || draw() % 2)
        mock__schedule_step();
}

/* Does work wait for something that nobody tells of, such as a value in memory? */
static bool polling(void)
{
    for (struct mock__lane *lane = mock__busy_lanes(); lane; lane = lane->next_busy)
        if (lane->first->type->ready)
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

/* Nothing can be done. *since is when that began, 0 when it begins now. */
static void stand_still(uint64_t *since)
{
    const uint64_t now = cushim__now_ns();

    if (!*since)
        *since = now;
    if (now - *since >= stuck_after_ns)
        for (struct mock__lane *lane = mock__busy_lanes(); lane; lane = lane->next_busy)
            if (lane->first->type->stuck && !mock__lane_ready(lane))
                lane->first->type->stuck(lane->first);
    mock__schedule_rest(0);
}

/*
 * A function of the program that is being called is waited for, so that the order stays the
 * drawn one; but not for ever, as it may itself wait for what is done next.
 */
static CUresult finish(const struct mock__point *point, bool told)
{
    struct mock__point mine = mock__point_copy(point);
    CUresult result = CUDA_SUCCESS;
    uint64_t still_since = 0;

    while (!mock__point_reached(&mine)) {
        if (mock__engine_busy() && mock__lock_wait(CALL_PATIENCE_NS))
            continue;
        if (mock__point_reached(&mine) || mock__schedule_step())
            still_since = 0;
        else
            stand_still(&still_since);
    }
    if (told)
        mock__host_waited(mine.clock);
    if (mine.lane)
        result = state_of(mine.lane);
    mock__point_clear(&mine);
    mock__pools_settle();
    return result;
}

CUresult mock__wait(const struct mock__point *point)
{
    return finish(point, true);
}

static CUresult finish_lane(struct mock__lane *lane, bool told)
{
    struct mock__point end = mock__lane_end(lane);
    const CUresult result = finish(&end, told);

    mock__point_clear(&end);
    return result;
}

CUresult mock__wait_lane(struct mock__lane *lane)
{
    return finish_lane(lane, true);
}

static struct mock__lane *busy_lane_of(const struct mock__context *context)
{
    for (struct mock__lane *lane = mock__busy_lanes(); lane; lane = lane->next_busy)
        if (!context || lane->context == context)
            return lane;
    return NULL;
}

static void know(const struct mock__context *context)
{
    const struct mock__context *one;

    for (size_t cursor = 0; (one = mock__object_next(MOCK__CONTEXT, &cursor));)
        if (!context || one == context)
            mock__host_waited(one->clock);
}

void mock__wait_context(const struct mock__context *context)
{
    struct mock__lane *lane;

    /* What was done before this call began is known from now on, too. */
    know(context);
    while ((lane = busy_lane_of(context)))
        mock__wait_lane(lane);
}

void mock__finish_context(const struct mock__context *context)
{
    const uint64_t last = mock__work_last();
    struct mock__lane *lane;

    while ((lane = busy_lane_of(context)))
        finish_lane(lane, false);
    mock__work_settled(last);
}

void mock__finish_all(void)
{
    mock__finish_context(NULL);
}

/* Does what has to come before the lane's first work, or that. False: the host has a part in it. */
static bool advance(struct mock__lane *lane)
{
    const struct mock__work *work = lane->first;

    if (!work || lane->running || work->type->host)
        return false;
    for (size_t i = 0; i < work->n_waits; i++)
        if (!mock__point_reached(&work->waits[i]))
            return advance(work->waits[i].lane);
    if (!mock__lane_ready(lane))
        return false;
    do_first(lane);
    return true;
}

void mock__schedule_hurry(struct mock__lane *lane)
{
    struct mock__point end = mock__lane_end(lane);

    while (!mock__point_reached(&end) && advance(lane))
        ;
    mock__point_clear(&end);
}
