/* SPDX-License-Identifier: MIT */
/*
 * When a device would have done the work. Here work is done one piece after another, and late;
 * but each says how long it took, and what it had to wait for, so the times of events are those of
 * a device that begins as soon as it can and does in different streams at once what it has room
 * for. Such times are never later than the real ones. Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_QUEUE_DEVICE_TIME_H
#define CUSHIM_MOCK_QUEUE_DEVICE_TIME_H

#include <stdint.h>

/* The parts of a device that work in different streams shares. */
enum mock__unit {
    MOCK__MULTIPROCESSORS,
    MOCK__COPIES_TO_DEVICE,
    MOCK__COPIES_TO_HOST,
    MOCK__COPIES_ON_DEVICE,
    MOCK__UNITS,
};

/* A whole unit, of which work may take less. */
#define MOCK__WHOLE_UNIT 1024u

/* The ends of the last pieces of work of a queue, by their numbers. */
enum { MOCK__ENDS = 32 };

struct mock__work;

/* What of a unit a piece of work takes while it is done. */
struct mock__load {
    enum mock__unit unit;
    unsigned part; /* of MOCK__WHOLE_UNIT; 0: it takes no time of the device */
};

/* The work was submitted; it begins, for real; and it is over, being the queue's next number. */
void mock__time_submitted(struct mock__work *work);
void mock__time_begin(struct mock__work *work);
void mock__time_end(struct mock__work *work);

/* When the work that is being done would have begun, in nanoseconds. */
uint64_t mock__time_of(const struct mock__work *work);

#endif
