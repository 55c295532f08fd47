/* SPDX-License-Identifier: MIT */
/* Assertions that fail, for test_assertions.py. */
#include "assertions.h"

static int calls;

/* Every value is taken once. */
static int next(void)
{
    return ++calls;
}

Test(assertions, values)
{
    cr_expect(eq(int, next() + 6, 8));
    cr_expect(eq(int, calls, 1), "calls, the %s of them", "number");
    cr_expect(eq(int, calls, 2), "calls, the %s of them", "number");
    cr_expect(ne(ptr, NULL, (void *) 0));
    cr_expect(eq(str, "a\tb\n", "a \"b\""));
    cr_expect(eq(str, NULL, "text"));
    cr_expect(lt(u64, UINT64_MAX, 4));
    cr_expect(le(i64, INT64_MIN + 1, INT64_MIN));
    cr_expect(gt(sz, 5, 5));
    cr_expect(ge(u8, (uint8_t) 0xff04, 5));
    cr_expect(eq(flt, 0.1f, 0.3f - 0.2f));
    cr_expect(eq(chr, 'x', 'y'));
    cr_expect(zero(uint, 3));
    cr_expect(not(calls), "not after %d", calls);
    cr_expect(calls > 7 && calls < 9, "%d is outside", calls);
}

Test(assertions, stop_at_an_assertion)
{
    cr_assert(eq(int, 10, 11), "the last word");
    cr_expect(eq(int, 12, 13), "never reached");
}

Test(assertions, stop_at_a_fatal_failure)
{
    cr_fatal("nothing holds %s", "here");
    cr_expect(eq(int, 12, 13), "never reached");
}

Test(assertions, hold)
{
    cr_expect(eq(int, -1, (int) 0xffffffffu));
    cr_expect(ne(str, "a", "b"));
    cr_expect(eq(str, NULL, NULL));
    cr_expect(lt(flt, -1, 0));
    cr_assert(le(u64, 4, 4));
    cr_assert(ge(dbl, 0.5, 0.5));
    cr_assert(zero(ptr, NULL));
    cr_assert(not(false));
    cr_assert(true);
}
