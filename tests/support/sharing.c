/* SPDX-License-Identifier: MIT */
/* Tests that say in which process they are, for test_assertions.py: which of them may share one? */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "assertions.h"

static void *volatile kept;

static void say(const char *name)
{
    printf("%s is in %ld\n", name, (long) getpid());
    fflush(stdout);
}

#define ORDINARY(name)                                                                             \
    Test(sharing, name)                                                                            \
    {                                                                                              \
        say(#name);                                                                                \
    }

ORDINARY(a)
ORDINARY(b)

Test(sharing, begins_anew)
{
    run_in_new_process();
    say("begins_anew");
}

ORDINARY(c)

Test(sharing, alone)
{
    run_alone();
    say("alone");
}

ORDINARY(d)

Test(sharing, dies, .signal = SIGTERM)
{
    say("dies");
    raise(SIGTERM);
}

ORDINARY(e)

Test(sharing, is_skipped)
{
    say("is_skipped");
    cr_skip("it is");
}

ORDINARY(f)

Test(sharing, fails)
{
    say("fails");
    cr_expect(eq(int, 1, 2));
}

/* Of the two there is one that others come after, whatever their order. */
Test(sharing, leaks)
{
    say("leaks");
    if (getenv("LEAK"))
        kept = malloc(100);
    kept = NULL;
}

ORDINARY(g)
ORDINARY(h)
