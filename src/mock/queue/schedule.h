/* SPDX-License-Identifier: MIT */
/*
 * Scheduling: when work runs, and in which order.
 *
 * Work runs inside of the program's calls: when the program waits for work, when it queries work,
 * and, if the seed decides so, when it submits more work. So the same seed and the same calls give
 * the same order. With seed 0, work runs as late as possible and in the order of submission. Every
 * other seed selects one of the orders that the rules of streams allow. If a program polls its own
 * memory without calling the driver, the mock's thread runs the work after a while.
 *
 * Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_QUEUE_SCHEDULE_H
#define CUSHIM_MOCK_QUEUE_SCHEDULE_H

#include "mock/queue/work.h"

/* Restarts the random numbers with a seed. cuInit() calls it. */
void mock__schedule_seed(uint64_t seed);

/* Called when work was submitted. Runs some work now, if the seed decides so. */
void mock__schedule_submitted(void);

/*
 * Runs work at once if nothing is before it. So an event that is recorded in an idle stream is
 * reached immediately.
 */
void mock__schedule_trivial(struct mock__queue *queue, const struct mock__work *work);

/* Called when the program queries work. Runs some more work, so that a loop of queries ends. */
void mock__schedule_asked(void);

/*
 * Runs work until the point is reached. The host then knows that the work before it is done.
 * Returns the error of the queue's context, if there is one.
 */
CUresult mock__wait(const struct mock__point *point);

/*
 * Run work until everything that a queue or a context has now is done. The host then knows that it
 * is done.
 */
CUresult mock__wait_queue(struct mock__queue *queue);
void mock__wait_context(const struct mock__context *context);

/*
 * Run all work of a context, or of the process, before the driver destroys something. The program
 * did not ask for this wait, so the host does not count as having waited.
 */
void mock__finish_context(const struct mock__context *context);
void mock__finish_all(void);

/* Runs the work of a queue now, up to the first work that must wait for a host function. */
void mock__schedule_hurry(struct mock__queue *queue);

/* Releases the lock until something changes or the time is over. 0 means no time limit. */
void mock__schedule_rest(uint64_t nanoseconds);

/* For tests: sets how long a wait may last without any progress before it becomes a finding. */
void mock__schedule_stuck_after(uint64_t nanoseconds);

/*
 * Runs one piece of work that is ready. Returns false if there is none. The mock's thread calls it,
 * too.
 */
bool mock__schedule_step(void);

#endif
