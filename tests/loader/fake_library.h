/* SPDX-License-Identifier: MIT */
/*
 * The inside of a library that tests open. A call with the test's arguments answers the
 * row; another one is answered as a driver would, where the loader needs that, and
 * otherwise with minus the number of the first wrong argument.
 *
 * Set when compiling:
 *
 *   FAKE_VERSION         CUDA version that it says it has
 *   FAKE_VERSION_RESULT  what asking for the version answers
 *   FAKE_VERSION_ROW     what asks for the version (fake_tool.c)
 *   FAKE_SLEEP_MS        how long its constructor takes
 */
#ifndef CUSHIM_TESTS_FAKE_LIBRARY_H
#define CUSHIM_TESTS_FAKE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include "fake.h"

#ifndef FAKE_VERSION
#define FAKE_VERSION 13000
#endif
#ifndef FAKE_VERSION_RESULT
#define FAKE_VERSION_RESULT 0
#endif
#ifndef FAKE_SLEEP_MS
#define FAKE_SLEEP_MS 0
#endif

#define FAKE_EXPORT __attribute__((visibility("default")))
#define FAKE_HIDDEN __attribute__((visibility("hidden")))

typedef void fake_function(void);

/* All functions, for cuGetProcAddress(). */
struct fake_served {
    const char *base;
    int since;
    bool per_thread;
    fake_function *function;
};

FAKE_HIDDEN extern const struct fake_served fake_served[];
FAKE_HIDDEN extern const size_t fake_n_served;

FAKE_HIDDEN int fake_answer(unsigned row, const char *signature, void *const *args);
FAKE_HIDDEN const char *fake_answer_string(unsigned row, const char *signature, void *const *args);

/* As a driver would. False where there is no such answer. */
FAKE_HIDDEN bool fake_behave(unsigned row, void *const *args, int *ret_result);

/* For tests: how often a row was called since the library was loaded. */
FAKE_EXPORT unsigned fake_count(unsigned row);

/* A test program that exports this hears of every library that is loaded. */
FAKE_EXPORT extern void fake_loaded(void) __attribute__((weak));

#endif
