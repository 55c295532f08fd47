/* SPDX-License-Identifier: MIT */
/*
 * Mistakes of the program that were found, kept until somebody asks or the process ends.
 * Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_BASE_FINDING_H
#define CUSHIM_MOCK_BASE_FINDING_H

#include <stdbool.h>

#include <cushim/mock.h>

struct mock__freed;
struct mock__queue;
struct mock__memory;
struct mock__object;
struct mock__work;

/* Remembers a finding. One that is there already, word for word, is counted. */
void mock__finding(enum cushim_mock_finding_kind kind, const char *format, ...) CUSHIM_PRINTF(2, 3);

/* The same, and says so at once on standard error: the process may never come to its end. */
void mock__finding_now(enum cushim_mock_finding_kind kind, const char *format, ...)
    CUSHIM_PRINTF(2, 3);

/* How findings name what they are about. */
struct mock__words {
    char text[192];
};

/* "allocation 3 'weights' (256 bytes, made by cuMemAlloc, the program's 2nd)" (label.c) */
struct mock__words mock__say_memory(const struct mock__memory *memory);
struct mock__words mock__say_freed(const struct mock__freed *freed);

/* "stream 0x200000000070 'upload', made by cuStreamCreate, the program's 1st" */
struct mock__words mock__say_object(const char *kind, const struct mock__object *object);

/* "stream 7 'upload'" */
struct mock__words mock__say_stream(const struct mock__queue *queue);

/* "kernel 'add' in stream 7 'upload'" */
struct mock__words mock__say_work(const struct mock__work *work);

/* Is anything looked for at all? Off with CUSHIM_MOCK_CHECK=0. */
bool mock__checking(void);

/* Reads the environment, for cuInit(). With CUSHIM_MOCK_CHECK=1 findings are printed at exit. */
void mock__findings_start(void);

/* Does the environment ask for findings? Then the host's own accesses are watched, too. */
bool mock__findings_wanted(void);

/* Finds what is still there: leaks. (leaks.c) */
void mock__leaks_find(void);

#endif
