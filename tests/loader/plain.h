/* SPDX-License-Identifier: MIT */
/* For tests that are plain programs: those with threads, forks, or an environment of their own. */
#ifndef CUSHIM_TESTS_LOADER_PLAIN_H
#define CUSHIM_TESTS_LOADER_PLAIN_H

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cushim/cushim.h>

#include "fake.h"

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define FAKE(name)        FAKE_DIR "/fake-" name ".so"

/* What Meson takes for "could not be tested here". */
enum { SKIP = 77 };

/* A program returns failures() from main(): checks go on after one that failed. */
static atomic_int failed_checks;

static inline int failures(void)
{
    return atomic_load(&failed_checks) ? 1 : 0;
}

/* One more failure. True while there are few enough to print. */
static inline int note_failure(void)
{
    return atomic_fetch_add(&failed_checks, 1) < 20;
}

static inline void check_int(long long got, long long wanted, const char *what, int line)
{
    if (got != wanted && note_failure())
        fprintf(stderr, "line %d: %s is %lld, not %lld (last error: %s)\n", line, what, got, wanted,
                cushim_error_text());
}

static inline void check_text(const char *got, const char *wanted, const char *what, int line)
{
    if ((!got || strcmp(got, wanted) != 0) && note_failure())
        fprintf(stderr, "line %d: %s is '%s', not '%s' (last error: %s)\n", line, what,
                got ? got : "(null)", wanted, cushim_error_text());
}

static inline void check_contains(const char *text, const char *part, const char *what, int line)
{
    if ((!text || !strstr(text, part)) && note_failure())
        fprintf(stderr, "line %d: %s is '%s', without '%s'\n", line, what, text ? text : "(null)",
                part);
}

#define CHECK_INT(got, wanted)    check_int((long long) (got), (long long) (wanted), #got, __LINE__)
#define CHECK_TEXT(got, wanted)   check_text(got, wanted, #got, __LINE__)
#define CHECK_CONTAINS(got, part) check_contains(got, part, #got, __LINE__)

/* Calls a row of a driver with the test's arguments. */
static inline int call_row(cushim_driver driver, unsigned row)
{
    return fake_call(CUSHIM_LIBRARY_CUDA, row,
                     cushim_driver_functions(driver, CUSHIM_CUDA_ROWS)[row]);
}

#endif
