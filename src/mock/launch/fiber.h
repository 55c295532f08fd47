/* SPDX-License-Identifier: MIT */
/*
 * Functions that can be left in their midst and entered again, in the same thread: what the
 * threads of a block are while they wait for each other. The sanitizers and valgrind are told.
 * A fiber is one thread's: nothing here is shared between threads.
 */
#ifndef CUSHIM_MOCK_LAUNCH_FIBER_H
#define CUSHIM_MOCK_LAUNCH_FIBER_H

#include <stdbool.h>

struct mock__fiber;

/* Runs run(user) when it is entered first. NULL if there is no memory. */
struct mock__fiber *mock__fiber_new(void (*run)(void *user), void *user);

/* Of a fiber that is not running. What was left in its midst is never ended. */
void mock__fiber_free(struct mock__fiber *fiber);

/* Goes on with the fiber until it leaves. Not once its function has returned. */
void mock__fiber_enter(struct mock__fiber *fiber);

/* Goes back to who entered the fiber that runs, which is the caller's. */
void mock__fiber_leave(void);

/* The fiber that the calling thread runs, or NULL. */
struct mock__fiber *mock__fiber_current(void);

#endif
