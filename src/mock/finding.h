/* SPDX-License-Identifier: MIT */
/*
 * Mistakes of the program that were found, kept until somebody asks or the process ends.
 * Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_FINDING_H
#define CUSHIM_MOCK_FINDING_H

#include <stdbool.h>

#include <cushim/mock.h>

/* Remembers a finding. One that is there already, word for word, is counted. */
void mock__finding(enum cushim_mock_finding_kind kind, const char *format, ...) CUSHIM_PRINTF(2, 3);

/* Is anything looked for at all? Off with CUSHIM_MOCK_CHECK=0. */
bool mock__checking(void);

/* Reads the environment; called by cuInit(). With CUSHIM_MOCK_CHECK=1 findings are printed at exit.
 */
void mock__findings_start(void);

/* Finds what is still there: leaks. (leaks.c) */
void mock__leaks_find(void);

#endif
