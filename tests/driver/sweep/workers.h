/* SPDX-License-Identifier: MIT */
#ifndef CUSHIM_TESTS_DRIVER_SWEEP_WORKERS_H
#define CUSHIM_TESTS_DRIVER_SWEEP_WORKERS_H

#include <time.h>

#include "question.h"

/*
 * Asks the questions in `n_workers` processes at a time. Where a process ends, the next one goes on
 * with the questions behind. An answer is "crash" or "hang" if the driver does that, "unmade" if
 * what the question needs could not be made, and empty if it was not asked.
 */
char (*ask_all(const char *library, const struct question *questions, unsigned n,
               unsigned n_workers, time_t deadline))[ANSWER_BYTES];

#endif
