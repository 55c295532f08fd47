/* SPDX-License-Identifier: MIT */
/*
 * The time at which a device would have done the work. The mock does one piece of work after
 * another, and late. For each piece it measures the duration, and it knows what the piece had to
 * wait for. From this it computes the times of events for a device that begins work as soon as
 * possible, and that runs work of different streams at the same time if it has room. Such times are
 * never later than the real ones. Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_QUEUE_DEVICE_TIME_H
#define CUSHIM_MOCK_QUEUE_DEVICE_TIME_H

#include <stdint.h>

/* The units of a device that work of different streams shares. */
enum mock__unit {
    MOCK__MULTIPROCESSORS,
    MOCK__COPIES_TO_DEVICE,
    MOCK__COPIES_TO_HOST,
    MOCK__COPIES_ON_DEVICE,
    MOCK__UNITS,
};

/* A whole unit. Work may use a smaller part of it. */
#define MOCK__WHOLE_UNIT 1024u

/* For the last pieces of work of a queue, the times at which they ended. */
enum { MOCK__ENDS = 32 };

struct mock__work;

/* The part of a unit that work uses while it runs. */
struct mock__load {
    enum mock__unit unit;
    unsigned part; /* of MOCK__WHOLE_UNIT; 0: it uses no unit of the device */
};

/*
 * Note that work was submitted, that it really begins, and that it has really ended as the queue's
 * next number.
 */
void mock__time_submitted(struct mock__work *work);
void mock__time_begin(struct mock__work *work);
void mock__time_end(struct mock__work *work);

/* Returns when the device would have begun the running work, in nanoseconds. */
uint64_t mock__time_of(const struct mock__work *work);

#endif
