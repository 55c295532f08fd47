/* SPDX-License-Identifier: MIT */
/* The programs that are run again and again, with something else failing each time. */
#ifndef CUSHIM_TESTS_SAFE_SWEEP_PROGRAMS_H
#define CUSHIM_TESTS_SAFE_SWEEP_PROGRAMS_H

#include <cushim/cushim.h>
#include <cushim/mock.h>

/* Frees all that it has made, whatever fails, and returns the first error. */
typedef cushim_status sweep_program(cushim_driver driver);

enum { SWEEP_PROGRAMS = 11 };
extern sweep_program *const sweep_programs[SWEEP_PROGRAMS];

/* In sweep_graphs.c. */
sweep_program sweep_updates, sweep_conditions;

/* How often a context was entered since the program's last step: the first time for the step. */
extern int sweep_entries;

#define STEP(call)                                                                                 \
    do {                                                                                           \
        cushim_status step;                                                                        \
                                                                                                   \
        sweep_entries = 0;                                                                         \
        step = (call);                                                                             \
        sweep_entries = 1; /* what comes now is freed at the end of the block */                   \
        CUSHIM_TRY(step);                                                                          \
    } while (0)

/*
 * A hook that answers what the mock does not have: memory and semaphores of other interfaces. user
 * is the number of imports that are not destroyed yet. sweep_prepare() comes first.
 */
bool sweep_answer(struct cushim_call *call, void *user);
void sweep_prepare(cushim_driver below);

/*
 * Gives the thread a last error, and tells whether it still is the last one. A program that
 * succeeds leaves it as it was, whatever has failed meanwhile.
 */
void sweep_error_set(void);
bool sweep_error_is_kept(const char *failed);

#endif
