/* SPDX-License-Identifier: MIT */
/*
 * The driver that a test runs against: what the environment names in CUSHIM_TEST_LIBRARY, spelled
 * as in cushim_open_params, such as "auto" or a path; the mock, MOCK, where it names nothing.
 */
#ifndef CUSHIM_TESTS_SUPPORT_DRIVER_H
#define CUSHIM_TESTS_SUPPORT_DRIVER_H

#include <stdbool.h>
#include <stdlib.h>

#include "assertions.h"

static inline bool on_the_mock(void)
{
    const char *library = getenv("CUSHIM_TEST_LIBRARY");

    return !library || !*library;
}

static inline const char *test_library(void)
{
    return on_the_mock() ? MOCK : getenv("CUSHIM_TEST_LIBRARY");
}

/* The rest of the test needs the functions of mock.h. On another driver it is skipped. */
#define MOCK_ONLY(reason)                                                                          \
    do {                                                                                           \
        if (!on_the_mock())                                                                        \
            cr_skip("only on the mock: " reason);                                                  \
    } while (0)

#endif
