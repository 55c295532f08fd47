/* SPDX-License-Identifier: MIT */
/*
 * Work that waits for the host: a call of a function of the program, or a wait for a value.
 * mock__work_holding() looks for it. For work.c. Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_QUEUE_HELD_H
#define CUSHIM_MOCK_QUEUE_HELD_H

struct mock__queue;
struct mock__work;

/* This work is now the queue's last of that kind. Other work is ignored. */
void mock__held_add(struct mock__queue *queue, struct mock__work *work);

/* This work is done. Other work is ignored. */
void mock__held_remove(struct mock__queue *queue, struct mock__work *work);

#endif
