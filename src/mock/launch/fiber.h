/* SPDX-License-Identifier: MIT */
/*
 * Fibers: functions that can be left in the middle and continued in the same thread. The threads of
 * a block are fibers while they wait for each other. Sanitizers and valgrind are informed of each
 * switch. A fiber belongs to one thread, and nothing here is shared.
 */
#ifndef CUSHIM_MOCK_LAUNCH_FIBER_H
#define CUSHIM_MOCK_LAUNCH_FIBER_H

#include <stdbool.h>

struct mock__fiber;

/* Makes a fiber that runs run(user) when it is entered first. NULL when out of memory. */
struct mock__fiber *mock__fiber_new(void (*run)(void *user), void *user);

/* Frees a fiber that is not running. If its function has not returned, it never will. */
void mock__fiber_free(struct mock__fiber *fiber);

/* Continues the fiber until it leaves. Not allowed after its function has returned. */
void mock__fiber_enter(struct mock__fiber *fiber);

/* Returns from the running fiber to the code that has entered it. */
void mock__fiber_leave(void);

/* Returns the fiber that the calling thread runs, or NULL. */
struct mock__fiber *mock__fiber_current(void);

#endif
