/* SPDX-License-Identifier: MIT */
/*
 * The queues that are ready. A queue that is not ready is kept in a tree of the queue that it waits
 * for, and is examined again when that queue has done the work that it waits for. So the time for
 * one piece of work does not depend on the number of queues. For work.c. Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_QUEUE_READY_H
#define CUSHIM_MOCK_QUEUE_READY_H

struct mock__queue;

/*
 * Puts the queue among the ready queues or among those that wait for another queue. Called when the
 * queue has a new first work, or when its first work is to be done again.
 */
void mock__queue_look(struct mock__queue *queue);

/* Removes the queue from the ready queues, because its first work begins. */
void mock__queue_run(struct mock__queue *queue);

/* Removes the queue from wherever it waits. */
void mock__queue_forget(struct mock__queue *queue);

/* Examines the queues that have waited for this queue. Called when work of the queue is done. */
void mock__queue_release(struct mock__queue *queue);

#endif
