/* SPDX-License-Identifier: MIT */
#include "base/env.h"
#include "support.h"

SUITE(env);

static const char name[] = "CUSHIM_TEST_VARIABLE";

Test(env, a_variable_that_is_unset_or_empty_is_none)
{
    unsetenv(name);
    cr_expect(eq(ptr, S(cushim__env(name)), NULL));
    setenv(name, "", 1);
    cr_expect(eq(ptr, S(cushim__env(name)), NULL));
}

Test(env, gives_the_value)
{
    setenv(name, "a value", 1);
    cr_assert(ne(ptr, S(cushim__env(name)), NULL));
    cr_expect(eq(str, S(cushim__env(name)), S("a value")));
}
