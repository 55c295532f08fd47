/* SPDX-License-Identifier: MIT */
/*
 * The assertions of <criterion/new/assert.h> that the tests use, with the same spelling and the
 * same meaning: cr_assert() ends the test, cr_expect() goes on, and a failure prints both values.
 *
 *     cr_expect(eq(int, got, wanted));
 *     cr_assert(ne(ptr, stream, NULL), "stream %u of %s", i, name);
 *     cr_expect(not(found)); cr_expect(zero(sz, n)); cr_expect(n == 0 || n > 7);
 *
 * Criterion's own macros become some hundred lines of code at each place, which was half of the
 * time that it took to compile the tests. Here functions compare and print the values. The message
 * is evaluated after the values, and only when the assertion fails. all(), any() and none() are
 * absent.
 */
#ifndef CUSHIM_TESTS_SUPPORT_ASSERTIONS_H
#define CUSHIM_TESTS_SUPPORT_ASSERTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <criterion/criterion.h>

#include "run.h"

/* Test() calls these. */
#define criterion_internal_test_setup    run_test_setup
#define criterion_internal_test_main     run_test_main
#define criterion_internal_test_teardown run_test_teardown

/* The message may be left out. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wgnu-zero-variadic-macro-arguments"
#endif

enum check_relation {
    CHECK_EQ,
    CHECK_NE,
    CHECK_LT,
    CHECK_LE,
    CHECK_GT,
    CHECK_GE,
};

/* Criterion's tag for a type, the type, and how to print it. */
#define CHECK_TYPES(X)                                                                             \
    X(int, int, "%d")                                                                              \
    X(long, long, "%ld")                                                                           \
    X(llong, long long, "%lld")                                                                    \
    X(uint, unsigned int, "%u")                                                                    \
    X(ulong, unsigned long, "%lu")                                                                 \
    X(ullong, unsigned long long, "%llu")                                                          \
    X(i8, int8_t, "%" PRId8)                                                                       \
    X(i16, int16_t, "%" PRId16)                                                                    \
    X(i32, int32_t, "%" PRId32)                                                                    \
    X(i64, int64_t, "%" PRId64)                                                                    \
    X(u8, uint8_t, "%" PRIu8)                                                                      \
    X(u16, uint16_t, "%" PRIu16)                                                                   \
    X(u32, uint32_t, "%" PRIu32)                                                                   \
    X(u64, uint64_t, "%" PRIu64)                                                                   \
    X(sz, size_t, "%zu")                                                                           \
    X(ptr, void *, "%p")                                                                           \
    X(flt, float, "%.9g")                                                                          \
    X(dbl, double, "%.17g")

/* Each says whether the relation holds, and keeps both values for check_failed() if it does not. */
#define CHECK_DECLARE(tag, type, format)                                                           \
    bool check_##tag(enum check_relation relation, type got, type wanted);
CHECK_TYPES(CHECK_DECLARE)
bool check_chr(enum check_relation relation, char got, char wanted);
bool check_str(enum check_relation relation, const char *got, const char *wanted);
bool check_true(bool value);
bool check_false(bool value);

/* Tells Criterion of a failure: the condition, which may be NULL, the values and the message. */
void check_failed(const char *file, unsigned line, const char *condition, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The name before the parenthesis picks the function; any other condition is true or false. */
#define CHECK_IS_eq(tag, got, wanted) ~, check_##tag(CHECK_EQ, got, wanted)
#define CHECK_IS_ne(tag, got, other)  ~, check_##tag(CHECK_NE, got, other)
#define CHECK_IS_lt(tag, got, bound)  ~, check_##tag(CHECK_LT, got, bound)
#define CHECK_IS_le(tag, got, bound)  ~, check_##tag(CHECK_LE, got, bound)
#define CHECK_IS_gt(tag, got, bound)  ~, check_##tag(CHECK_GT, got, bound)
#define CHECK_IS_ge(tag, got, bound)  ~, check_##tag(CHECK_GE, got, bound)
#define CHECK_IS_zero(tag, got)       ~, check_##tag(CHECK_EQ, got, 0)
#define CHECK_IS_not(condition)       ~, check_false(condition)

#define CHECK_SECOND(first, second, ...) second
#define CHECK_PICK(...)                  CHECK_SECOND(__VA_ARGS__)

#define CHECK_OR(fail, holds, condition, ...)                                                      \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            check_failed(__FILE__, __LINE__, condition, __VA_ARGS__);                              \
            fail();                                                                                \
        }                                                                                          \
    } while (0)

/* Pasting takes the condition as it is written, so it cannot begin with an operator. */
#undef cr_assert
#define cr_assert(condition, ...)                                                                  \
    CHECK_OR(run_abort_test, CHECK_PICK(CHECK_IS_##condition, check_true(condition), ~),           \
             #condition, " " __VA_ARGS__)

#undef cr_expect
#define cr_expect(condition, ...)                                                                  \
    CHECK_OR(run_continue_test, CHECK_PICK(CHECK_IS_##condition, check_true(condition), ~),        \
             #condition, " " __VA_ARGS__)

/* All that was written since the redirection. */
#define cr_redirect_stdout run_redirect_stdout
#define cr_redirect_stderr run_redirect_stderr
#undef cr_expect_stderr_eq_str
#define cr_expect_stderr_eq_str(text) cr_expect(eq(str, run_redirected(), text))
#undef cr_expect_stderr_neq_str
#define cr_expect_stderr_neq_str(text) cr_expect(ne(str, run_redirected(), text))
#undef cr_assert_stderr_eq_str
#define cr_assert_stderr_eq_str(text) cr_assert(eq(str, run_redirected(), text))
#undef cr_expect_stdout_eq_str
#define cr_expect_stdout_eq_str(text) cr_expect(eq(str, run_redirected(), text))

#undef cr_skip
#define cr_skip(...) run_skip_test("" __VA_ARGS__)
#undef cr_skip_test
#define cr_skip_test(...) run_skip_test("" __VA_ARGS__)

#undef cr_fatal
#define cr_fatal(...) CHECK_OR(run_abort_test, false, NULL, " " __VA_ARGS__)

#endif
