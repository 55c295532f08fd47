/* SPDX-License-Identifier: MIT */
#include "mock/work.h"

#include <stdlib.h>

#include "mock/clock.h"
#include "mock/context.h"
#include "mock/memory/host_watch.h"
#include "mock/schedule.h"

static struct mock__lane *busy; /* lanes with work left */
static uint64_t tickets;
static uint64_t settled; /* what is submitted from now on comes after all up to this ticket */

struct mock__lane *mock__busy_lanes(void)
{
    return busy;
}

/* --- lanes and points --- */

struct mock__lane *mock__lane_new(struct mock__context *context, bool blocking, bool legacy)
{
    struct mock__lane *lane = calloc(1, sizeof(*lane));

    if (!lane || !mock__slot_take(mock__host_watches_slot, &lane->slot, &lane->submitted)) {
        free(lane);
        return NULL;
    }
    lane->done = lane->submitted;
    lane->context = context;
    lane->blocking = blocking;
    lane->legacy = legacy;
    lane->references = 1;
    lane->owned = true;
    return lane;
}

void mock__lane_unref(struct mock__lane *lane)
{
    if (!lane || --lane->references)
        return;
    mock__clock_unref(lane->clock);
    free(lane);
}

/* Points of the lane may outlive its work; they know by its count that they are reached. */
static void give_slot(const struct mock__lane *lane)
{
    if (!lane->owned && !lane->first)
        mock__slot_give(lane->slot, lane->submitted);
}

void mock__lane_leave(struct mock__lane *lane)
{
    if (!lane)
        return;
    lane->owned = false;
    give_slot(lane);
    mock__lane_unref(lane);
}

struct mock__point mock__lane_end(struct mock__lane *lane)
{
    lane->references++;
    return (struct mock__point){lane, lane->submitted, mock__clock_ref(lane->clock)};
}

struct mock__point mock__point_copy(const struct mock__point *point)
{
    if (point->lane)
        point->lane->references++;
    mock__clock_ref(point->clock);
    return *point;
}

void mock__point_clear(struct mock__point *point)
{
    mock__lane_unref(point->lane);
    mock__clock_unref(point->clock);
    *point = (struct mock__point){0};
}

bool mock__point_reached(const struct mock__point *point)
{
    return !point->lane || point->lane->done >= point->number;
}

/* --- work --- */

void *mock__work_new(const struct mock__work_type *type, size_t size)
{
    struct mock__work *work = calloc(1, size);

    if (work)
        work->type = type;
    return work;
}

void mock__work_free(void *pointer)
{
    struct mock__work *work = pointer;

    if (!work)
        return;
    if (work->watched)
        mock__host_watch_done(work);
    if (work->type->finish)
        work->type->finish(work);
    for (size_t i = 0; i < work->n_waits; i++)
        mock__point_clear(&work->waits[i]);
    mock__clock_unref(work->clock);
    free(work->waits);
    free(work);
}

static void do_nothing(struct mock__work *work)
{
    (void) work;
}

static CUresult copy_nothing(const struct mock__work *work, struct mock__work **ret_copy)
{
    (void) work;
    *ret_copy = mock__work_nothing();
    return *ret_copy ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static const struct mock__work_type nothing_type = {
    .name = "wait", .node = CU_GRAPH_NODE_TYPE_EMPTY, .run = do_nothing, .copy = copy_nothing};

struct mock__work *mock__work_nothing(void)
{
    return mock__work_new(&nothing_type, sizeof(struct mock__work));
}

bool mock__work_wait_for(struct mock__work *work, const struct mock__point *point)
{
    struct mock__point *waits;

    mock__clock_join(&work->clock, point->clock);
    if (mock__point_reached(point))
        return true;
    waits = realloc(work->waits, (work->n_waits + 1) * sizeof(*waits));
    if (!waits)
        return false;
    work->waits = waits;
    waits[work->n_waits++] = mock__point_copy(point);
    return true;
}

/*
 * The legacy stream and the blocking streams of a context take turns: work in it waits for
 * everything that they have, and their work waits for everything that it has.
 */
static bool takes_turns(const struct mock__lane *lane, const struct mock__lane *other)
{
    return lane != other && lane->context == other->context &&
           ((lane->legacy && other->blocking) || (lane->blocking && other->legacy));
}

static bool wait_for_turn(struct mock__work *work, const struct mock__lane *lane)
{
    for (struct mock__lane *other = busy; other; other = other->next_busy) {
        const struct mock__point end = {other, other->submitted, NULL};

        if (takes_turns(lane, other) && !mock__work_wait_for(work, &end))
            return false;
    }
    return true;
}

/* What the whole context was told to wait for. The gate is no part of the turns. */
static bool wait_for_gate(struct mock__work *work, const struct mock__lane *lane)
{
    struct mock__lane *gate = lane->context->gate;

    return !gate || lane == gate ||
           mock__work_wait_for(work, &(struct mock__point){gate, gate->submitted, gate->clock});
}

static void become_busy(struct mock__lane *lane)
{
    lane->references++;
    lane->next_busy = busy;
    lane->link_busy = &busy;
    if (busy)
        busy->link_busy = &lane->next_busy;
    busy = lane;
}

static void become_idle(struct mock__lane *lane)
{
    *lane->link_busy = lane->next_busy;
    if (lane->next_busy)
        lane->next_busy->link_busy = lane->link_busy;
    give_slot(lane);
    mock__lane_unref(lane);
}

/* In a lane, what comes later lies behind what comes first. */
static bool behind_all(unsigned slot, uint64_t number)
{
    if (mock__host_watches_slot(slot))
        return false;
    for (const struct mock__lane *lane = busy; lane; lane = lane->next_busy)
        if (!mock__clock_reached(lane->first->clock, slot, number))
            return false;
    return true;
}

uint64_t mock__work_last(void)
{
    return tickets;
}

void mock__work_settled(uint64_t ticket)
{
    if (ticket > settled)
        settled = ticket;
}

void mock__host_waited(const struct mock__clock *clock)
{
    mock__clock_join(mock__clock_of_host(), clock);
    mock__host_watch_behind(*mock__clock_of_host());
    mock__clocks_shrink(behind_all, !busy);
}

void mock__lane_follow(struct mock__lane *lane, const struct mock__clock *clock)
{
    mock__clock_join(&lane->clock, clock);
}

/*
 * The work comes after what is before it in its lane, after the points that it waits for, after
 * its turn's other side, whether that is done or not, and after what its submitter knows.
 */
static void set_clock(struct mock__work *work, struct mock__lane *lane)
{
    struct mock__context *context = lane->context;

    mock__clock_join(&work->clock, lane->clock);
    mock__clock_join(&work->clock, *mock__clock_of_host());
    if (lane->legacy)
        mock__clock_join(&work->clock, context->blocking_clock);
    if (lane->blocking)
        mock__clock_join(&work->clock, context->legacy_clock);
    mock__clock_advance(&work->clock, lane->slot, lane->submitted);
    mock__clock_unref(lane->clock);
    lane->clock = mock__clock_ref(work->clock);
    if (lane->legacy)
        mock__clock_join(&context->legacy_clock, work->clock);
    if (lane->blocking)
        mock__clock_join(&context->blocking_clock, work->clock);
    mock__clock_join(&context->clock, work->clock);
}

CUresult mock__work_submit(struct mock__lane *lane, void *pointer)
{
    struct mock__work *work = pointer;

    if (!wait_for_turn(work, lane) || !wait_for_gate(work, lane))
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (work->type->watch && !work->waited)
        work->type->watch(work);
    work->lane = lane;
    work->ticket = ++tickets;
    work->behind = settled;
    mock__time_submitted(work);
    lane->submitted++;
    set_clock(work, lane);
    if (lane->first)
        lane->last->next = work;
    else
        lane->first = work;
    lane->last = work;
    if (lane->first == work)
        become_busy(lane);
    if (work->watched)
        mock__host_watch_submitted(work);
    if (work->hurried)
        mock__schedule_hurry(lane);
    mock__schedule_submitted();
    return CUDA_SUCCESS;
}

CUresult mock__work_give(struct mock__lane *lane, void *pointer)
{
    struct mock__work *work = pointer;
    const CUresult result =
        work->type->submit ? work->type->submit(lane, work) : mock__work_submit(lane, work);

    if (result != CUDA_SUCCESS)
        mock__work_free(work);
    return result;
}

bool mock__lane_ready(const struct mock__lane *lane)
{
    const struct mock__work *work = lane->first;

    if (!work || lane->running)
        return false;
    for (size_t i = 0; i < work->n_waits; i++)
        if (!mock__point_reached(&work->waits[i]))
            return false;
    return !work->type->ready || work->type->ready(lane->first);
}

struct mock__work *mock__work_begin(struct mock__lane *lane)
{
    lane->running = true;
    lane->first->unfinished = false;
    mock__time_begin(lane->first);
    return lane->first;
}

void mock__work_end(struct mock__work *work)
{
    struct mock__lane *lane = work->lane;
    const bool held = work->type->host || work->type->ready;

    lane->running = false;
    if (work->unfinished)
        return;
    mock__time_end(work);
    mock__slot_done(lane->slot, ++lane->done);
    lane->first = work->next;
    mock__work_free(work);
    if (held)
        mock__host_watch_arm();
    if (lane->first)
        return;
    lane->last = NULL;
    become_idle(lane); /* perhaps the last reference */
}
