/* SPDX-License-Identifier: MIT */
/*
 * Findings: errors of the program, kept until the program asks for them or the process ends.
 * Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_BASE_FINDING_H
#define CUSHIM_MOCK_BASE_FINDING_H

#include <stdbool.h>

#include <cushim/mock.h>

/* Adds a finding. If one with the same text exists, its count is increased instead. */
void mock__finding(enum cushim_mock_finding_kind kind, const char *format, ...) CUSHIM_PRINTF(2, 3);

/*
 * Adds a finding and also prints it to standard error at once, because the process may never end.
 */
void mock__finding_now(enum cushim_mock_finding_kind kind, const char *format, ...)
    CUSHIM_PRINTF(2, 3);

/*
 * The text of the finding that was told last, "" if there is none, also where checks are off: the
 * reason of a fault that follows. mock__finding_recall() makes another text the last one.
 */
const char *mock__finding_last(void);
void mock__finding_recall(const char *text);

/* Tells whether checks are on. CUSHIM_MOCK_CHECK=0 turns them off. */
bool mock__checking(void);

/* Reads the environment, for cuInit(). With CUSHIM_MOCK_CHECK=1 findings are printed at exit. */
void mock__findings_start(void);

/*
 * Tells whether the environment asks for findings. Then accesses of the host are watched as well.
 */
bool mock__findings_wanted(void);

#endif
