/* SPDX-License-Identifier: MIT */
/*
 * Findings: errors of the program, kept until the program asks for them or the process ends.
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

/* Adds a finding. If one with the same text exists, its count is increased instead. */
void mock__finding(enum cushim_mock_finding_kind kind, const char *format, ...) CUSHIM_PRINTF(2, 3);

/*
 * Adds a finding and also prints it to standard error at once, because the process may never end.
 */
void mock__finding_now(enum cushim_mock_finding_kind kind, const char *format, ...)
    CUSHIM_PRINTF(2, 3);

/* A text that names an object in findings. */
struct mock__words {
    char text[192];
};

/*
 * Returns such as "allocation 3 'weights' (256 bytes, made by cuMemAlloc, the program's 2nd)". In
 * allocation/label.c.
 */
struct mock__words mock__say_memory(const struct mock__memory *memory);
struct mock__words mock__say_freed(const struct mock__freed *freed);

/* "stream 0x200000000070 'upload', made by cuStreamCreate, the program's 1st" */
struct mock__words mock__say_object(const char *kind, const struct mock__object *object);

/* "stream 7 'upload'" */
struct mock__words mock__say_stream(const struct mock__queue *queue);

/* "kernel 'add' in stream 7 'upload'" */
struct mock__words mock__say_work(const struct mock__work *work);

/* Tells whether checks are on. CUSHIM_MOCK_CHECK=0 turns them off. */
bool mock__checking(void);

/* Reads the environment, for cuInit(). With CUSHIM_MOCK_CHECK=1 findings are printed at exit. */
void mock__findings_start(void);

/*
 * Tells whether the environment asks for findings. Then accesses of the host are watched as well.
 */
bool mock__findings_wanted(void);

/* Adds a finding for each object that still exists (exports/leaks.c). */
void mock__leaks_find(void);

#endif
