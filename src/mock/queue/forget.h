/* SPDX-License-Identifier: MIT */
/*
 * A child of fork() has the queues of its parent, and none of its threads. What its parent had
 * submitted counts as done there, so that nothing waits for it. What that work holds is never given
 * back, because the parent still uses it.
 */
#ifndef CUSHIM_MOCK_QUEUE_FORGET_H
#define CUSHIM_MOCK_QUEUE_FORGET_H

void mock__work_forget(void);

#endif
