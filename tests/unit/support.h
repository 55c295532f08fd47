/* SPDX-License-Identifier: MIT */
/* What the unit tests have in common. */
#ifndef CUSHIM_TESTS_UNIT_SUPPORT_H
#define CUSHIM_TESTS_UNIT_SUPPORT_H

#include <stdlib.h>
#include <string.h>

#include <cushim/status.h>

#include "../support/assertions.h"

#ifdef HAVE_VALGRIND
#include <valgrind/memcheck.h>
#endif

/* Criterion's eq(str, ...) takes char *. */
#define S(text) ((char *) (text))

/*
 * valgrind's errors fail the test in which they are, and not only its process at its end, which
 * finds what leaked. After the body of a test, a signal is the only thing that Criterion notices.
 */
static inline void fail_on_valgrind_errors(void)
{
#ifdef HAVE_VALGRIND
    if (VALGRIND_COUNT_ERRORS)
        abort();
#endif
}

/* Every file has one suite, declared with this. */
#define SUITE(name) TestSuite(name, .fini = fail_on_valgrind_errors)

/* Both statuses and the error text are in the message of a failure. */
#define assert_status(expr, wanted)                                                                \
    do {                                                                                           \
        const cushim_status got_ = (expr);                                                         \
        cr_assert(eq(int, got_, (wanted)), "%s is %d %s (%s), not %d %s", #expr, got_,             \
                  cushim_status_name(got_), cushim_error_text(), (wanted),                         \
                  cushim_status_name(wanted));                                                     \
    } while (0)

#define assert_ok(expr) assert_status(expr, CUSHIM_OK)

/* A text must have a part; the message shows both. */
#define assert_contains(text, part)                                                                \
    do {                                                                                           \
        const char *text_ = (text), *part_ = (part);                                               \
        cr_assert(ne(ptr, strstr(text_, part_), NULL), "'%s' does not contain '%s'", text_,        \
                  part_);                                                                          \
    } while (0)

#endif
