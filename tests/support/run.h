/* SPDX-License-Identifier: MIT */
/* How a test ends, under Criterion or as a fork of its program: see run.c. */
#ifndef CUSHIM_TESTS_SUPPORT_RUN_H
#define CUSHIM_TESTS_SUPPORT_RUN_H

#include <stdbool.h>

struct criterion_assert_stats;

/* Prints a failure if this is a fork. False if Criterion is to be told instead. */
bool run_note_failure(const struct criterion_assert_stats *failure);

/* What Criterion's Test() calls around a test, and for it. */
void run_test_setup(void);
void run_test_main(void (*test)(void));
void run_test_teardown(void);

/*
 * Under valgrind tests share processes. What follows needs one that no other test has used, such as
 * one where the mock is not configured yet. Stands before the test has done anything.
 */
void run_in_new_process(void);

/* The same, and no other test uses the process: this one changes the environment, or leaves things
 * behind. */
void run_alone(void);

/* Keeps what the test writes from now on. A test redirects one of the two. */
void run_redirect_stdout(void);
void run_redirect_stderr(void);

/* What it has written; the text is valid until the next call. */
const char *run_redirected(void);

void run_abort_test(void) __attribute__((noreturn));
void run_continue_test(void);
void run_skip_test(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

#endif
