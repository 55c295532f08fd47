/* SPDX-License-Identifier: MIT */
/* What the tests of faults have in common. */
#ifndef CUSHIM_TESTS_FAULT_SUPPORT_FAULTS_H
#define CUSHIM_TESTS_FAULT_SUPPORT_FAULTS_H

#include "base/util.h"
#include "faulty.h"
#include "support.h"

/* Adds a rule: ADD(f, "cuMemAlloc", .nth = 2, .result = 2). */
#define ADD(f, function, ...)                                                                      \
    assert_ok(cushim_faults_add((f).faults, function, cushim_fault(__VA_ARGS__)))

#define READ(f, text) assert_ok(cushim_faults_read((f).faults, text))

typedef int some_call(fake_table table);

/* What n calls answer: a '.' for success, an 'X' for an error. In a buffer of its own. */
static inline char *calls(fake_table table, some_call *call, size_t n)
{
    static char text[512];

    cr_assert(lt(sz, n, sizeof(text)));
    for (size_t i = 0; i < n; i++)
        text[i] = call(table) ? 'X' : '.';
    text[n] = '\0';
    return text;
}

#define expect_calls(f, call, wanted)                                                              \
    do {                                                                                           \
        const char *wanted_ = (wanted), *got_ = calls((f).table, call, strlen(wanted_));           \
        cr_expect(eq(str, S(got_), S(wanted_)), "%s", #call);                                      \
    } while (0)

#define expect_injected(f, function, wanted)                                                       \
    do {                                                                                           \
        const char *function_ = (function);                                                        \
        uint64_t n_ = 12345;                                                                       \
        assert_ok(cushim_faults_injected((f).faults, function_, &n_));                             \
        cr_expect(eq(u64, n_, (wanted)), "injected in %s", function_ ? function_ : "all");         \
    } while (0)

#endif
