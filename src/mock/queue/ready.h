/* SPDX-License-Identifier: MIT */
/*
 * Which queues are ready. A queue that is not is kept with the queue that it waits for, and looked
 * at again when that one has done so much. So what one piece of work costs does not depend on how
 * many queues there are. For work.c. Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_QUEUE_READY_H
#define CUSHIM_MOCK_QUEUE_READY_H

struct mock__queue;

/* The queue has another first work, or that is to be done again: puts it where it belongs. */
void mock__queue_look(struct mock__queue *queue);

/* The first work of the queue begins. */
void mock__queue_run(struct mock__queue *queue);

/* Work of the queue was done: looks at the queues that have waited for it. */
void mock__queue_release(struct mock__queue *queue);

#endif
