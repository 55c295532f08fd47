/* SPDX-License-Identifier: MIT */
#include "mock/queue/work.h"

#include <stdlib.h>

#include "mock/base/green.h"
#include "mock/base/context.h"
#include "mock/base/state.h"
#include "mock/base/upcalls.h"
#include "mock/queue/clock.h"
#include "mock/queue/held.h"
#include "mock/queue/ready.h"
#include "mock/queue/schedule.h"

static struct mock__queue *busy; /* queues with work left */
static uint64_t n_busy;          /* how often a queue came to have work */
static uint64_t tickets;
/* Later submissions come after all work up to this ticket, and after what the clock has reached. */
static uint64_t settled;
static struct mock__clock *settled_too;

struct mock__queue *mock__busy_queues(void)
{
    return busy;
}

struct mock__queue *mock__busy_queue_of(const struct mock__context *context)
{
    struct mock__queue *other = context->busy[false], *blocking = context->busy[true];

    if (!other || !blocking)
        return other ? other : blocking;
    return other->busy_since > blocking->busy_since ? other : blocking;
}

/* --- queues and points --- */

struct mock__queue *mock__queue_new(struct mock__context *context, bool blocking, bool legacy)
{
    struct mock__queue *queue = calloc(1, sizeof(*queue));

    if (!queue || !mock__slot_take(mock__upcalls.slot_watched, &queue->slot, &queue->submitted)) {
        free(queue);
        return NULL;
    }
    queue->done = queue->submitted;
    queue->context = context;
    queue->blocking = blocking;
    queue->legacy = legacy;
    queue->references = 1;
    queue->owned = true;
    return queue;
}

void mock__queue_unref(struct mock__queue *queue)
{
    if (!queue || --queue->references)
        return;
    mock__clock_unref(queue->clock);
    mock__clock_unref(queue->own_then);
    mock__clock_unref(queue->host_then);
    mock__clock_unref(queue->other_then);
    free(queue);
}

/*
 * Returns the slot of a queue that gets no more work. Points of the queue may still exist: the
 * count of the slot tells them that they are reached. From now on the context does not know the
 * queue any more, and may be destroyed before those who wait for such a point go on.
 */
static void give_slot(struct mock__queue *queue)
{
    if (queue->owned || queue->first)
        return;
    mock__slot_give(queue->slot, queue->submitted);
    if (queue->context)
        queue->ended = mock__context_usable(queue->context);
    queue->context = NULL;
}

void mock__queue_leave(struct mock__queue *queue)
{
    if (!queue)
        return;
    queue->owned = false;
    give_slot(queue);
    mock__queue_unref(queue);
}

struct mock__point mock__queue_end(struct mock__queue *queue)
{
    queue->references++;
    return (struct mock__point){queue, queue->submitted, mock__clock_ref(queue->clock)};
}

struct mock__point mock__point_copy(const struct mock__point *point)
{
    if (point->queue)
        point->queue->references++;
    mock__clock_ref(point->clock);
    return *point;
}

void mock__point_clear(struct mock__point *point)
{
    mock__queue_unref(point->queue);
    mock__clock_unref(point->clock);
    *point = (struct mock__point){0};
}

bool mock__point_reached(const struct mock__point *point)
{
    return !point->queue || point->queue->done >= point->number;
}

/* --- work --- */

void *mock__work_new(const struct mock__work_type *type, size_t size)
{
    struct mock__work *work = calloc(1, size);

    if (work)
        work->type = type;
    return work;
}

void mock__work_waited(struct mock__work *work)
{
    while (work->n_waits)
        mock__point_clear(&work->waits[--work->n_waits]);
    work->n_reached = 0;
}

void mock__work_free(void *pointer)
{
    struct mock__work *work = pointer;

    if (!work)
        return;
    if (work->watched)
        mock__upcalls.watch_end(work);
    if (work->type->finish)
        work->type->finish(work);
    mock__work_waited(work);
    mock__clock_unref(work->clock);
    mock__clock_unref(work->behind_too);
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
    const struct mock__clock *last = work->n_waits ? work->waits[work->n_waits - 1].clock : NULL;
    struct mock__point *waits;

    mock__clock_join_known(&work->clock, point->clock, &(struct mock__known){NULL, {last}});
    if (mock__point_reached(point))
        return true;
    waits = work->waits;
    /* Room for 1, 2, 4, 8 and so on. */
    if (!(work->n_waits & (work->n_waits - 1)))
        waits = realloc(waits, (work->n_waits ? 2 * work->n_waits : 1) * sizeof(*waits));
    if (!waits)
        return false;
    work->waits = waits;
    waits[work->n_waits++] = mock__point_copy(point);
    return true;
}

/*
 * The legacy stream and the blocking streams of a context wait for each other: work in the legacy
 * stream waits for all work in the blocking streams, and the other way round.
 */
static bool wait_for_end(struct mock__work *work, struct mock__queue *other)
{
    return mock__work_wait_for(work, &(struct mock__point){other, other->submitted, NULL});
}

static bool wait_for_turn(struct mock__work *work, const struct mock__queue *queue)
{
    struct mock__queue *legacy = queue->context->legacy_queue;

    if (queue->blocking && legacy)
        return wait_for_end(work, legacy);
    for (struct mock__queue *other = queue->legacy ? queue->context->turns : NULL; other;
         other = other->next_turn)
        if (!wait_for_end(work, other))
            return false;
    return true;
}

static void leave_turns(struct mock__queue *queue)
{
    if (!queue->link_turn)
        return;
    *queue->link_turn = queue->next_turn;
    if (queue->next_turn)
        queue->next_turn->link_turn = queue->link_turn;
    queue->link_turn = NULL;
}

/*
 * Updates the list of turns. After a legacy submission the blocking queues leave the list: later
 * legacy work comes after that submission, and so after them as well.
 */
static void take_turn(struct mock__queue *queue)
{
    struct mock__queue **turns = &queue->context->turns;

    while (queue->legacy && *turns)
        leave_turns(*turns);
    if (!queue->blocking || queue->link_turn)
        return;
    queue->next_turn = *turns;
    queue->link_turn = turns;
    if (*turns)
        (*turns)->link_turn = &queue->next_turn;
    *turns = queue;
}

static bool wait_for_events(struct mock__work *work, const struct mock__queue *queue,
                            struct mock__queue *events)
{
    return !events || queue == events ||
           mock__work_wait_for(work,
                               &(struct mock__point){events, events->submitted, events->clock});
}

/*
 * Makes work wait for the events that the whole context must wait for (cuCtxWaitEvent), or its green
 * one. Those queues themselves are not ordered with the legacy stream.
 */
static bool wait_for_context_events(struct mock__work *work, const struct mock__queue *queue)
{
    const struct mock__green *green = mock__green_find((void *) queue->green);

    return wait_for_events(work, queue, queue->context->wait_queue) &&
           (!green || wait_for_events(work, queue, green->wait_queue));
}

static void come_in(struct mock__queue *queue)
{
    struct mock__queue **list = &queue->context->busy[queue->blocking];

    queue->next_busy = busy;
    queue->link_busy = &busy;
    if (busy)
        busy->link_busy = &queue->next_busy;
    busy = queue;
    queue->next_in_context = *list;
    queue->link_in_context = list;
    if (*list)
        (*list)->link_in_context = &queue->next_in_context;
    *list = queue;
    queue->busy_since = ++n_busy;
}

static void leave_context(struct mock__queue *queue)
{
    leave_turns(queue);
    if (!queue->link_in_context)
        return;
    *queue->link_in_context = queue->next_in_context;
    if (queue->next_in_context)
        queue->next_in_context->link_in_context = queue->link_in_context;
    queue->link_in_context = NULL;
}

void mock__queue_detach(struct mock__queue *queue)
{
    leave_context(queue);
    queue->context = NULL;
    queue->ended = CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

static void become_busy(struct mock__queue *queue)
{
    queue->references++;
    come_in(queue);
    mock__queue_look(queue);
}

void mock__queue_idle(struct mock__queue *queue)
{
    leave_context(queue);
    *queue->link_busy = queue->next_busy;
    if (queue->next_busy)
        queue->next_busy->link_busy = queue->link_busy;
    give_slot(queue);
    mock__queue_unref(queue);
}

/*
 * It suffices to check the first work of each queue, because later work of a queue comes after it.
 */
static bool behind_all(unsigned slot, uint64_t number)
{
    if (mock__upcalls.slot_watched(slot))
        return false;
    for (const struct mock__queue *queue = busy; queue; queue = queue->next_busy)
        if (!mock__clock_reached(queue->first->clock, slot, number))
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

void mock__work_settled_too(const struct mock__clock *clock)
{
    mock__clock_join(&settled_too, clock);
}

static void set_to(struct mock__clock **clock, const struct mock__clock *other)
{
    struct mock__clock *const old = *clock;

    *clock = mock__clock_ref((struct mock__clock *) (uintptr_t) other);
    mock__clock_unref(old);
}

void mock__host_waited(const struct mock__clock *clock)
{
    static struct mock__clock *last;
    struct mock__clock **host = mock__clock_of_host(), *before = mock__clock_ref(*host);

    mock__clock_join_known(host, clock, &(struct mock__known){.in_first = {last}});
    set_to(&last, clock);
    mock__upcalls.host_knows(*host, before);
    mock__clock_unref(before);
    mock__clocks_shrink(behind_all, !busy);
}

void mock__queue_follow(struct mock__queue *queue, const struct mock__clock *clock)
{
    mock__clock_join(&queue->clock, clock);
}

/* What the queues have done that the queue takes turns with. */
static void join_others(struct mock__work *work, struct mock__queue *queue,
                        const struct mock__clock *clock)
{
    mock__clock_join_known(&work->clock, clock, &(struct mock__known){queue->other_then, {NULL}});
    set_to(&queue->other_then, clock);
}

/* To a clock of all submissions: it has what it was joined with last, and the queue's last one. */
static void add_to(struct mock__clock **all, struct mock__clock **last,
                   const struct mock__clock *clock, const struct mock__clock *before)
{
    mock__clock_join_known(all, clock, &(struct mock__known){NULL, {*last, before}});
    set_to(last, clock);
}

/*
 * Sets the clock of new work. The work comes after earlier work of its queue, after the points that
 * it waits for, after the legacy or blocking streams with which its queue is ordered, and after
 * everything that the host knows to be done.
 */
static void set_clock(struct mock__work *work, struct mock__queue *queue)
{
    struct mock__context *context = queue->context;
    const struct mock__clock *host = queue->outer ? queue->host_then : *mock__clock_of_host();

    mock__clock_join(&work->clock, queue->clock);
    mock__clock_join_known(&work->clock, host, &(struct mock__known){queue->host_then, {NULL}});
    set_to(&queue->host_then, host);
    if (queue->legacy)
        join_others(work, queue, context->blocking_clock);
    if (queue->blocking)
        join_others(work, queue, context->legacy_clock);
    mock__clock_advance(&work->clock, queue->slot, queue->submitted);
    set_to(&queue->clock, work->clock);
    if (queue->legacy)
        mock__clock_join(&context->legacy_clock, work->clock);
    if (queue->blocking)
        add_to(&context->blocking_clock, &context->last_blocking, work->clock, queue->own_then);
    add_to(&context->clock, &context->last, work->clock, queue->own_then);
    set_to(&queue->own_then, work->clock);
}

CUresult mock__work_submit(struct mock__queue *queue, void *pointer)
{
    struct mock__work *work = pointer;

    if (!queue->outer && (!wait_for_turn(work, queue) || !wait_for_context_events(work, queue)))
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (work->type->watch && !work->waited)
        work->type->watch(work);
    work->queue = queue;
    work->ticket = ++tickets;
    work->behind = queue->outer ? queue->outer->behind : settled;
    work->behind_too = mock__clock_ref(queue->outer ? queue->outer->behind_too : settled_too);
    mock__time_submitted(work);
    queue->submitted++;
    mock__held_add(queue, work);
    set_clock(work, queue);
    if (queue->first)
        queue->last->next = work;
    else
        queue->first = work;
    queue->last = work;
    if (queue->first == work)
        become_busy(queue);
    take_turn(queue);
    if (work->watched)
        mock__upcalls.watch_submitted(work);
    if (work->hurried)
        mock__schedule_hurry(queue);
    mock__schedule_submitted();
    return CUDA_SUCCESS;
}

static CUresult submit(struct mock__queue *queue, struct mock__work *work)
{
    return work->type->submit ? work->type->submit(queue, work) : mock__work_submit(queue, work);
}

CUresult mock__work_give(struct mock__queue *queue, void *pointer)
{
    struct mock__work *work = pointer;
    const bool dropped = mock__is_child();
    const CUresult result = dropped ? CUDA_SUCCESS : submit(queue, work);

    if (result != CUDA_SUCCESS || dropped)
        mock__work_free(work);
    return result;
}

struct mock__work *mock__work_begin(struct mock__queue *queue)
{
    mock__queue_run(queue);
    queue->first->unfinished = false;
    mock__time_begin(queue->first);
    return queue->first;
}

void mock__work_end(struct mock__work *work)
{
    struct mock__queue *queue = work->queue;
    const bool held = work->by_number.inside;
    const uintptr_t ended = (uintptr_t) work;

    queue->running = false;
    if (work->unfinished) {
        mock__queue_look(queue);
        return;
    }
    mock__time_end(work);
    mock__held_remove(queue, work);
    mock__slot_done(queue->slot, ++queue->done);
    queue->first = work->next;
    mock__queue_release(queue);
    mock__work_free(work);
    if (held)
        mock__upcalls.watch(ended);
    if (queue->first) {
        mock__queue_look(queue);
        return;
    }
    queue->last = NULL;
    mock__queue_idle(queue); /* may drop the last reference */
}
