/* SPDX-License-Identifier: MIT */
/*
 * The work that the host has in its hands: it calls a function of the program, or waits for a
 * change that no call announces. mock__work_holding() looks for it. For work.c. Callers hold the
 * lock.
 */
#ifndef CUSHIM_MOCK_QUEUE_HELD_H
#define CUSHIM_MOCK_QUEUE_HELD_H

struct mock__queue;
struct mock__work;

/* The work is the queue's last one now; and it is done. These do nothing if it is other work. */
void mock__held_add(struct mock__queue *queue, struct mock__work *work);
void mock__held_remove(struct mock__queue *queue, struct mock__work *work);

#endif
