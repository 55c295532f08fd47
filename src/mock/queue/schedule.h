/* SPDX-License-Identifier: MIT */
/*
 * When work is done, and in which order.
 *
 * Nothing is done behind a program's back: work is done when somebody waits for it, when
 * somebody asks whether it is done, and, drawn from the seed, when more is submitted. So
 * the same seed and the same calls give the same order. With seed 0 work is done as
 * late as it can be, in the order of submission; any other seed draws among the orders that
 * the rules of streams allow. A program that waits without calling the driver, for a
 * flag in its own memory, is served after a while by the host thread's thread.
 *
 * Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_QUEUE_SCHEDULE_H
#define CUSHIM_MOCK_QUEUE_SCHEDULE_H

#include "mock/queue/work.h"

/* Begins anew with a seed; called by cuInit(). */
void mock__schedule_seed(uint64_t seed);

/* Work was submitted: perhaps some is done now. */
void mock__schedule_submitted(void);

/*
 * Does work that has nothing to wait for at once: an event that is recorded where everything is
 * done is reached.
 */
void mock__schedule_trivial(struct mock__queue *queue, const struct mock__work *work);

/* Somebody asked whether work is done: some more is done, so that asking again will end. */
void mock__schedule_asked(void);

/*
 * Does work until the point is reached, which the host then knows. Says what is wrong
 * with its context, if anything.
 */
CUresult mock__wait(const struct mock__point *point);

/* Until everything that a queue or a context has now is done. */
CUresult mock__wait_queue(struct mock__queue *queue);
void mock__wait_context(const struct mock__context *context);

/*
 * The same of a context, or of the process, for what the driver does before it takes something
 * away. The program has not asked, so it does not count as a wait of the host.
 */
void mock__finish_context(const struct mock__context *context);
void mock__finish_all(void);

/* Does what the queue has at once, as far as nothing of the host's lies before it. */
void mock__schedule_hurry(struct mock__queue *queue);

/* Gives up the lock until something changes, or the time is over; 0 is no time. */
void mock__schedule_rest(uint64_t nanoseconds);

/* For tests: how long somebody waits, with nothing to do, until that is a finding. */
void mock__schedule_stuck_after(uint64_t nanoseconds);

/* Does one piece of work that is ready; false if there is none. For the host thread. */
bool mock__schedule_step(void);

#endif
