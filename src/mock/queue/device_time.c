/* SPDX-License-Identifier: MIT */
#include "mock/queue/device_time.h"

#include "base/util.h"
#include "mock/base/context.h"
#include "mock/base/state.h"
#include "mock/queue/work.h"

/*
 * The latest spans of time in which a unit of a device was used. New work may begin between them,
 * or beside them if the unit has room.
 */
struct mock__span {
    uint64_t begin, end;
    unsigned part;
};

enum { SPANS = 32, DEVICES = 16 };

static struct unit {
    struct mock__span spans[SPANS];
    unsigned next; /* index of the oldest span, which is replaced next */
} units[DEVICES][MOCK__UNITS];

static unsigned taken_at(const struct unit *unit, uint64_t moment)
{
    unsigned sum = 0;

    for (unsigned i = 0; i < SPANS; i++)
        if (unit->spans[i].begin <= moment && unit->spans[i].end > moment)
            sum += unit->spans[i].part;
    return sum;
}

/*
 * Returns the largest part of the unit that is used at one moment of [begin, end). It suffices to
 * look at begin and at the beginnings of spans.
 */
static unsigned taken(const struct unit *unit, uint64_t begin, uint64_t end)
{
    unsigned most = begin < end ? taken_at(unit, begin) : 0;

    for (unsigned i = 0; i < SPANS; i++) {
        const uint64_t moment = unit->spans[i].begin;
        const unsigned sum = moment > begin && moment < end ? taken_at(unit, moment) : 0;

        most = sum > most ? sum : most;
    }
    return most;
}

/* Returns the earliest end of a span after a moment, or the moment if there is none. */
static uint64_t next_end(const struct unit *unit, uint64_t after)
{
    uint64_t next = UINT64_MAX;

    for (unsigned i = 0; i < SPANS; i++)
        if (unit->spans[i].end > after && unit->spans[i].end < next)
            next = unit->spans[i].end;
    return next == UINT64_MAX ? after : next;
}

/*
 * Finds the earliest moment from begin on at which the unit has room for this duration, and
 * reserves it.
 */
static uint64_t place(struct unit *unit, uint64_t begin, uint64_t duration, unsigned part)
{
    while (taken(unit, begin, begin + duration) + part > MOCK__WHOLE_UNIT) {
        const uint64_t next = next_end(unit, begin);

        if (next == begin)
            break;
        begin = next;
    }
    unit->spans[unit->next] = (struct mock__span){begin, begin + duration, part};
    unit->next = (unit->next + 1) % SPANS;
    return begin;
}

/* The ends of old work are overwritten; then the result is the end of later work of the queue. */
static uint64_t end_of(const struct mock__queue *queue, uint64_t number)
{
    return queue ? queue->ends[number % MOCK__ENDS] : 0;
}

uint64_t mock__time_of(const struct mock__work *work)
{
    uint64_t begin = work->submitted_ns, end = end_of(work->queue, work->queue->done);

    begin = end > begin ? end : begin;
    for (size_t i = 0; i < work->n_waits; i++) {
        end = end_of(work->waits[i].queue, work->waits[i].number);
        begin = end > begin ? end : begin;
    }
    return begin;
}

void mock__time_submitted(struct mock__work *work)
{
    work->submitted_ns = cushim__now_ns();
}

void mock__time_begin(struct mock__work *work)
{
    work->begun_ns = cushim__now_ns();
}

static uint64_t take_time(const struct mock__work *work, uint64_t begin, uint64_t duration)
{
    const struct mock__context *context = work->queue->context;
    struct mock__load load = {0};

    if (context && work->type->load && work->status == CUDA_SUCCESS)
        load = work->type->load(work);
    if (!load.part || context->device->ordinal >= DEVICES)
        return begin;
    return place(&units[context->device->ordinal][load.unit], begin, duration, load.part);
}

/*
 * Computes when the device would have ended the work. Work that waited for a value in memory
 * (type->ready) ends now, because another thread or program has decided when. The result is never
 * later than now.
 */
void mock__time_end(struct mock__work *work)
{
    const uint64_t now = cushim__now_ns(), duration = now - work->begun_ns;
    uint64_t end = now;

    if (!work->type->ready)
        end = work->type->load || work->type->host
                  ? take_time(work, mock__time_of(work), duration) + duration
                  : mock__time_of(work);
    work->queue->ends[(work->queue->done + 1) % MOCK__ENDS] = end < now ? end : now;
}
