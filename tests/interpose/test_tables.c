/* SPDX-License-Identifier: MIT */
/* Several interposed tables: in front of each other, beside each other, and outlived. */
#include <cushim/interpose.h>

#include <cushim/log.h>

#include "base/util.h"
#include "fake.h"
#include "support.h"

SUITE(tables);

static char seen[512];

static bool before(struct cushim_call *call, void *user)
{
    (void) call;
    strcat(seen, "<");
    strcat(seen, user);
    return false;
}

static void after(struct cushim_call *call, void *user)
{
    (void) call;
    strcat(seen, user);
    strcat(seen, ">");
}

/* Interposes hooks that write their name around every call. */
static cushim_driver named(cushim_driver driver, const char *name)
{
    const struct cushim_hooks hooks = {before, after, S(name)};
    cushim_driver ret = CUSHIM_NONE;

    assert_ok(cushim_interpose(driver, &hooks, 1, &ret));
    return ret;
}

/* The names that a call through the table passes, and that it reaches the n-th driver. */
#define PASSES(table, n, names)                                                                    \
    do {                                                                                           \
        seen[0] = '\0';                                                                            \
        cr_expect(eq(int, fake_count(table), FAKE_COUNT(n)), "driver of %s", #table);              \
        cr_expect(eq(str, seen, S(names)), "hooks of %s", #table);                                 \
    } while (0)

Test(tables, in_front_of_each_other)
{
    cushim_driver driver = fake_open(0), a = named(driver, "a"), b = named(a, "b"),
                  c = named(b, "c");

    PASSES(fake_functions(driver), 0, "");
    PASSES(fake_functions(a), 0, "<aa>");
    PASSES(fake_functions(b), 0, "<b<aa>b>");
    PASSES(fake_functions(c), 0, "<c<b<aa>b>c>");
    cushim_close(&c);
    PASSES(fake_functions(b), 0, "<b<aa>b>");
    cushim_close(&b);
    cushim_close(&a);
    cushim_close(&driver);
}

/* A hook in front that answers is all there is to see. */
static bool answer(struct cushim_call *call, void *user)
{
    (void) user;
    call->result = 2;
    return true;
}

Test(tables, one_in_front_answers_for_those_behind)
{
    const struct cushim_hooks hooks = {.before = answer};
    cushim_driver driver = fake_open(0), a = named(driver, "a"), b = CUSHIM_NONE;

    assert_ok(cushim_interpose(a, &hooks, 1, &b));
    cr_expect(eq(int, fake_count(fake_functions(b)), -2));
    cr_expect(eq(str, seen, S("")));
    cushim_close(&b);
    cushim_close(&a);
    cushim_close(&driver);
}

Test(tables, beside_each_other_lead_to_their_own_drivers)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    static const char *const passed[] = {"<aa>", "<bb>", "<cc>", "<dd>"};
    cushim_driver drivers[CUSHIM_INTERPOSE_MAX], wrapped[CUSHIM_INTERPOSE_MAX];

    for (unsigned i = 0; i < CUSHIM_INTERPOSE_MAX; i++) {
        drivers[i] = fake_open(i);
        wrapped[i] = named(drivers[i], names[i]);
    }
    for (unsigned i = 0; i < CUSHIM_INTERPOSE_MAX; i++) {
        PASSES(fake_functions(wrapped[i]), i, passed[i]);
        PASSES(fake_functions(drivers[i]), i, "");
    }
    for (unsigned i = 0; i < CUSHIM_INTERPOSE_MAX; i++) {
        cushim_close(&wrapped[i]);
        cushim_close(&drivers[i]);
    }
}

Test(tables, there_is_a_limit)
{
    cushim_driver driver = fake_open(0), wrapped[CUSHIM_INTERPOSE_MAX], more = {7};
    cushim_nvrtc below = fake_nvrtc_open(), nvrtc = CUSHIM_NONE;
    cushim_nvjitlink linker = fake_nvjitlink_open(), linkers[CUSHIM_INTERPOSE_MAX], none = {7};

    for (unsigned i = 0; i < CUSHIM_INTERPOSE_MAX; i++)
        wrapped[i] = named(driver, "x");
    assert_status(cushim_interpose(driver, NULL, 0, &more), CUSHIM_ERROR_LIMIT);
    assert_contains(cushim_error_text(), "4");
    assert_status(cushim_interpose(wrapped[0], NULL, 0, &more), CUSHIM_ERROR_LIMIT);
    cr_expect(eq(u64, more.id, 7));
    /* The other libraries have places of their own. */
    assert_ok(cushim_interpose_nvrtc(below, NULL, 0, &nvrtc));
    for (unsigned i = 0; i < CUSHIM_INTERPOSE_MAX; i++)
        assert_ok(cushim_interpose_nvjitlink(linker, NULL, 0, &linkers[i]));
    assert_status(cushim_interpose_nvjitlink(linker, NULL, 0, &none), CUSHIM_ERROR_LIMIT);
    cr_expect(eq(u64, none.id, 7));
    cushim_close(&wrapped[1]);
    more = named(driver, "y");
    PASSES(fake_functions(more), 0, "<yy>");
    PASSES(fake_functions(wrapped[2]), 0, "<xx>");
    cushim_close(&more);
    wrapped[1] = named(driver, "x");
    for (unsigned i = 0; i < CUSHIM_INTERPOSE_MAX; i++)
        cushim_close(&wrapped[i]);
    for (unsigned i = 0; i < CUSHIM_INTERPOSE_MAX; i++)
        cushim_nvjitlink_close(&linkers[i]);
    cushim_nvjitlink_close(&linker);
    cushim_nvrtc_close(&nvrtc);
    cushim_nvrtc_close(&below);
    cushim_close(&driver);
}

/* A failed attempt must not keep the driver below in use, or a place. */
Test(tables, places_are_given_back)
{
    cushim_driver driver = fake_open(0);

    for (int i = 0; i < 1000; i++) {
        cushim_driver wrapped = named(driver, "a");

        PASSES(fake_functions(wrapped), 0, "<aa>");
        cushim_close(&wrapped);
    }
    cushim_close(&driver);
}

Test(tables, a_stale_one_passes_calls_on)
{
    cushim_driver driver = fake_open(3), a = named(driver, "a");
    const fake_table table = fake_functions(a);

    PASSES(table, 3, "<aa>");
    cushim_close(&a);
    PASSES(table, 3, "");
    cushim_close(&driver);
    PASSES(table, 3, "");
}

/* While there are places that were never used, a stale table keeps its driver. */
Test(tables, a_stale_one_does_not_lead_to_a_later_driver)
{
    cushim_driver first = fake_open(0), second = fake_open(1), a = named(first, "a"), b, c;
    const fake_table stale = fake_functions(a);

    cushim_close(&a);
    b = named(second, "b");
    PASSES(stale, 0, "");
    PASSES(fake_functions(b), 1, "<bb>");
    /* The driver that it leads to may have it again. */
    c = named(first, "c");
    PASSES(fake_functions(c), 0, "<cc>");
    cr_expect(eq(ptr, (void *) fake_functions(c), (void *) stale));
    cushim_close(&c);
    cushim_close(&b);
    cushim_close(&second);
    cushim_close(&first);
}

Test(tables, the_driver_may_be_closed_first)
{
    cushim_driver driver = fake_open(0), a = named(driver, "a");

    cushim_close(&driver);
    PASSES(fake_functions(a), 0, "<aa>");
    cushim_close(&a);
}

/* Its hooks go, for what they use may be gone; calls from above still pass through its table. */
Test(tables, one_behind_another_may_be_closed_first)
{
    cushim_driver driver = fake_open(0), other = fake_open(1), a = named(driver, "a"),
                  b = named(a, "b"), c;
    const fake_table table = fake_functions(b);

    cushim_close(&a);
    PASSES(table, 0, "<bb>");
    c = named(other, "c");
    PASSES(table, 0, "<bb>");
    PASSES(fake_functions(c), 1, "<cc>");
    cushim_close(&c);
    cushim_close(&b);
    PASSES(table, 0, "");
    cushim_close(&other);
    cushim_close(&driver);
}

/* After that, every place is free again. */
Test(tables, closing_in_any_order_gives_all_places_back)
{
    cushim_driver driver = fake_open(0), chain[CUSHIM_INTERPOSE_MAX];
    static const unsigned orders[][4] = {{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 3, 0, 2}, {2, 0, 3, 1}};

    for (size_t o = 0; o < ARRAY_SIZE(orders); o++) {
        for (unsigned i = 0; i < CUSHIM_INTERPOSE_MAX; i++)
            chain[i] = named(i ? chain[i - 1] : driver, "x");
        for (unsigned i = 0; i < CUSHIM_INTERPOSE_MAX; i++)
            cushim_close(&chain[orders[o][i]]);
    }
    cushim_close(&driver);
}

Test(tables, an_interposed_driver_is_the_driver_otherwise)
{
    cushim_driver driver = fake_open(0), a = named(driver, "a");
    int version = 0;

    assert_ok(cushim_driver_version(a, &version));
    cr_expect(eq(int, version, FAKE_VERSION));
    cr_expect(eq(str, S(cushim_driver_path(a)), S(cushim_driver_path(driver))));
    cr_expect(cushim_driver_has(a, "cuMemAlloc_v2"));
    cr_expect(not(cushim_driver_has(a, "cuStreamSynchronize")));
    cr_expect(eq(int, cushim_error_status(), CUSHIM_ERROR_MISSING_SYMBOL));
    cr_expect(eq(str, seen, S("")));
    cushim_close(&a);
    cushim_close(&driver);
}

/* A program of a later time gets a table that is long enough, without hooks. */
Test(tables, rows_of_a_later_time)
{
    typedef int any(void);
    cushim_driver driver = fake_open(0), a = named(driver, "a");
    const cushim_entry *table = cushim_driver_functions(a, CUSHIM_CUDA_ROWS + 10);

    cr_expect(eq(int, ((any *) table[CUSHIM_CUDA_ROWS + 9])(), 302));
    PASSES(table, 0, "");
    cushim_close(&a);
    cushim_close(&driver);
}

Test(tables, of_a_closed_handle_answer_303)
{
    cushim_driver driver = fake_open(0), a = named(driver, "a"), copy = a;

    cushim_close(&a);
    cr_expect(eq(int, fake_init(fake_functions(copy), 0), 303));
    cr_expect(eq(str, seen, S("")));
    cushim_close(&driver);
}
