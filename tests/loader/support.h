/* SPDX-License-Identifier: MIT */
/* For the tests of the loader that run under Criterion. */
#ifndef CUSHIM_TESTS_LOADER_SUPPORT_H
#define CUSHIM_TESTS_LOADER_SUPPORT_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include <cushim/cushim.h>

#include "../support/assertions.h"
#include "fake.h"

#if defined(__has_include)
#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#endif
#endif

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/* Libraries that were made for the tests, and files that are none. */
#define FAKE(name) FAKE_DIR "/fake-" name ".so"
#define BAD(name)  FAKE_DIR "/bad/" name ".so"

/* Criterion compares texts through char *. */
#define S(text) ((char *) (text))

#define assert_status(expression, wanted)                                                          \
    do {                                                                                           \
        const int got_ = (expression);                                                             \
        cr_assert(eq(int, got_, (wanted)), "%s: %s (%s)", #expression, cushim_status_name(got_),   \
                  cushim_error_text());                                                            \
    } while (0)
#define assert_ok(expression) assert_status(expression, CUSHIM_OK)

#define assert_text(got, wanted, name)                                                             \
    cr_assert(eq(str, S(got), S(wanted)), "%s: got '%s', not '%s'", name, got, wanted)

#define assert_true(condition, ...) cr_assert(eq(int, !!(condition), 1), __VA_ARGS__)

#define assert_contains(text, part, name)                                                          \
    assert_true(strstr(text, part), "%s: '%s' does not contain '%s'", name, text, part)

/* Criterion sees nothing after the body of a test but a signal. */
static inline void fail_on_valgrind_errors(void)
{
#ifdef VALGRIND_COUNT_ERRORS
    if (!RUNNING_ON_VALGRIND)
        return;
    VALGRIND_DO_LEAK_CHECK;
    if (VALGRIND_COUNT_ERRORS)
        abort();
#endif
}

/* Opens what the test expects to be there. */
static inline cushim_driver open_driver(const char *library)
{
    cushim_driver driver = CUSHIM_NONE;

    assert_ok(cushim_open(cushim_open_params(.library = library), &driver));
    return driver;
}

static inline const struct cushim_report *make_report(enum cushim_library library,
                                                      const struct cushim_open_params *params)
{
    const struct cushim_report *report = NULL;

    assert_ok(cushim_report_create(library, params, &report));
    return report;
}

/* Calls a row of a driver with the test's arguments. */
static inline int call_row(cushim_driver driver, unsigned row)
{
    return fake_call(CUSHIM_LIBRARY_CUDA, row,
                     cushim_driver_functions(driver, CUSHIM_CUDA_ROWS)[row]);
}

/* Is the file mapped into this process? */
static inline bool is_mapped(const char *path)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char *real = realpath(path, NULL);
    char line[4096];
    bool found = false;

    while (maps && real && fgets(line, sizeof(line), maps)) {
        const char *name = strchr(line, '/');

        /* The whole name: memory shared with children is called "/dev/zero (deleted)". */
        line[strcspn(line, "\n")] = '\0';
        found |= name && strcmp(name, real) == 0;
    }
    if (maps)
        fclose(maps);
    free(real);
    return found;
}

#endif
