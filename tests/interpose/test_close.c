/* SPDX-License-Identifier: MIT */
/* Closing an interposed handle while it is in use. */
#include <cushim/interpose.h>

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <unistd.h>

#include <cushim/log.h>

#include "fake.h"
#include "support.h"

SUITE(closing);

/* A hook that stays until it is told to leave. */
static struct {
    sem_t entered, leave;
    cushim_driver driver;
    fake_table table;
    atomic_bool closed;
    atomic_int version; /* what the hook was told of its driver */
} slow;

static bool stay(struct cushim_call *call, void *user)
{
    int version = 0;

    (void) call;
    (void) user;
    sem_post(&slow.entered);
    sem_wait(&slow.leave);
    /* The handle is closed by now, or not; asking must not wait for it. */
    CUSHIM_IGNORE(cushim_driver_version(slow.driver, &version));
    slow.version = version;
    return false;
}

static void stay_after(struct cushim_call *call, void *user)
{
    stay(call, user);
}

static void *call_slowly(void *ret)
{
    *(int *) ret = fake_count(slow.table);
    return NULL;
}

static void *close_it(void *driver)
{
    cushim_close(driver);
    slow.closed = true;
    return NULL;
}

/* Closes the handle while a thread is inside a hook, which is then let go. */
static void close_while_inside(cushim_driver *driver, fake_table table)
{
    pthread_t caller, closer;
    int count = 0;

    sem_init(&slow.entered, 0, 0);
    sem_init(&slow.leave, 0, 0);
    slow.driver = *driver;
    slow.table = table;
    cr_assert(zero(int, pthread_create(&caller, NULL, call_slowly, &count)));
    sem_wait(&slow.entered);
    cr_assert(zero(int, pthread_create(&closer, NULL, close_it, driver)));
    /* Time enough to go wrong in; a slow machine only makes this test weaker. */
    usleep(30000);
    cr_expect(not(slow.closed));
    sem_post(&slow.leave);
    pthread_join(closer, NULL);
    pthread_join(caller, NULL);
    cr_expect(slow.closed);
    cr_expect(eq(int, count, FAKE_COUNT(0)));
    cr_expect(eq(u64, driver->id, 0));
    /* Calls no longer see the hook: nobody would let this one go. */
    cr_expect(eq(int, fake_count(table), FAKE_COUNT(0)));
}

Test(closing, waits_for_a_hook_before)
{
    const struct cushim_hooks hooks = {.before = stay};
    cushim_driver below = fake_open(0), driver = CUSHIM_NONE;

    assert_ok(cushim_interpose(below, &hooks, 1, &driver));
    close_while_inside(&driver, fake_functions(driver));
    cushim_close(&below);
}

Test(closing, waits_for_a_hook_after)
{
    const struct cushim_hooks hooks = {.after = stay_after};
    cushim_driver below = fake_open(0), driver = CUSHIM_NONE;

    assert_ok(cushim_interpose(below, &hooks, 1, &driver));
    close_while_inside(&driver, fake_functions(driver));
    cushim_close(&below);
}

/* What the hook uses may be freed after closing, even if another table stands in front. */
Test(closing, waits_for_calls_from_a_table_in_front)
{
    const struct cushim_hooks hooks = {.before = stay};
    cushim_driver below = fake_open(0), driver = CUSHIM_NONE, front = CUSHIM_NONE;

    assert_ok(cushim_interpose(below, &hooks, 1, &driver));
    assert_ok(cushim_interpose(driver, NULL, 0, &front));
    close_while_inside(&driver, fake_functions(front));
    cushim_close(&front);
    cushim_close(&below);
}

static struct {
    cushim_driver driver, other;
} from_inside;

static char logged[1024];

static void collect(enum cushim_log_level level, const char *message, void *user)
{
    (void) user;
    cr_expect(eq(int, level, CUSHIM_LOG_ERROR));
    strncat(logged, message, sizeof(logged) - strlen(logged) - 1);
}

static bool close_from_inside(struct cushim_call *call, void *user)
{
    (void) call;
    (void) user;
    cushim_close(&from_inside.driver);
    cushim_close(&from_inside.other);
    return false;
}

Test(closing, from_inside_a_hook_is_refused)
{
    const struct cushim_hooks hooks = {.before = close_from_inside};
    cushim_driver driver = CUSHIM_NONE, other = fake_open(0);
    fake_table table;

    assert_ok(cushim_interpose(other, &hooks, 1, &driver));
    from_inside.driver = driver;
    from_inside.other = other;
    table = fake_functions(driver);
    cushim_log_set(CUSHIM_LOG_ERROR, collect, NULL);
    cr_expect(eq(int, fake_count(table), FAKE_COUNT(0)));
    assert_contains(logged, "hook");
    cr_expect(eq(int, cushim_error_status(), CUSHIM_OK)); /* frees leave the last error */
    cr_expect(eq(u64, from_inside.driver.id, driver.id));
    cr_expect(eq(u64, from_inside.other.id, other.id));
    cr_expect(eq(ptr, (void *) fake_functions(driver), (void *) table));
    logged[0] = '\0';
    cushim_close(&driver);
    cushim_close(&other);
    cushim_log_set(CUSHIM_LOG_NONE, NULL, NULL);
    cr_expect(eq(str, logged, S("")));
    cr_expect(eq(int, fake_count(table), FAKE_COUNT(0)));
}

Test(closing, twice_is_logged)
{
    cushim_driver below = fake_open(0), driver = CUSHIM_NONE, copy;

    assert_ok(cushim_interpose(below, NULL, 0, &driver));
    copy = driver;
    cushim_log_set(CUSHIM_LOG_ERROR, collect, NULL);
    cushim_close(&driver);
    cushim_close(&driver);
    cr_expect(eq(str, logged, S("")));
    cushim_close(&copy);
    cr_expect(eq(u64, copy.id, 0));
    cr_expect(eq(int, cushim_error_status(), CUSHIM_OK));
    cr_expect(eq(str, logged, S("cushim_close: this driver was freed, or the handle is not one")));
    cushim_log_set(CUSHIM_LOG_NONE, NULL, NULL);
    cushim_close(&below);
}

/* One of them does, the other is told that the handle is stale. */
static void *close_copy(void *id)
{
    cushim_driver copy = {*(const uint64_t *) id};

    cushim_close(&copy);
    return NULL;
}

Test(closing, by_two_threads_at_once)
{
    cushim_driver below = fake_open(0);

    for (int i = 0; i < 200; i++) {
        cushim_driver driver = CUSHIM_NONE;
        pthread_t threads[2];

        assert_ok(cushim_interpose(below, NULL, 0, &driver));
        for (int t = 0; t < 2; t++)
            cr_assert(zero(int, pthread_create(&threads[t], NULL, close_copy, &driver.id)));
        for (int t = 0; t < 2; t++)
            pthread_join(threads[t], NULL);
    }
    cushim_close(&below);
}

Test(closing, a_handle_that_is_none)
{
    cushim_driver none = CUSHIM_NONE;

    cushim_log_set(CUSHIM_LOG_ERROR, collect, NULL);
    cushim_close(NULL);
    cushim_close(&none);
    cushim_log_set(CUSHIM_LOG_NONE, NULL, NULL);
    cr_expect(eq(str, logged, S("")));
}
