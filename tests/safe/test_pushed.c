/* SPDX-License-Identifier: MIT */
/* What threads have pushed. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support.h"

SUITE(safe_pushed);

static atomic_int step;

static void wait_for_step(int wanted)
{
    while (step < wanted)
        usleep(1000);
}

static void *push_and_pop(void *user)
{
    struct world *world = user;

    assert_ok(cushim_context_push(world->context));
    step = 1;
    wait_for_step(2);
    cr_expect(eq(u64, count(world, "cuCtxDestroy_v2"), 0), "it is on this thread's stack");
    assert_ok(cushim_context_pop(world->driver, NULL));
    return NULL;
}

/* The other thread's push is not this one's: what this one pops it has pushed by the table. */
Test(safe_pushed, a_thread_pops_only_what_it_has_pushed)
{
    pthread_t thread;
    struct world world;
    void *cu;

    open_world(&world);
    cushim_context_free(&world.context);
    assert_ok(cushim_context_create(world.driver, 0, 0, &world.context));
    cu = raw_context(world.context);
    cr_assert(eq(int, pthread_create(&thread, NULL, push_and_pop, &world), 0));
    wait_for_step(1);
    cr_assert(eq(int, RAW(&world, cuCtxPushCurrent_v2, (void *), cu), 0));
    assert_ok(cushim_context_pop(world.driver, NULL));
    cushim_context_free(&world.context);
    step = 2;
    pthread_join(thread, NULL);
    cr_expect(eq(u64, count(&world, "cuCtxDestroy_v2"), 1));
    close_world(&world);
}

static void *push(void *user)
{
    struct world *world = user;

    assert_ok(cushim_context_push(world->context));
    assert_ok(cushim_context_push(world->context));
    cushim_context_free(&world->context);
    return NULL;
}

Test(safe_pushed, a_thread_that_ends_leaves_nothing_pushed)
{
    pthread_t thread;
    struct world world;

    open_world(&world);
    cushim_context_free(&world.context);
    assert_ok(cushim_context_create(world.driver, 0, 0, &world.context));
    cr_assert(eq(int, pthread_create(&thread, NULL, push, &world), 0));
    pthread_join(thread, NULL);
    cr_expect(eq(u64, count(&world, "cuCtxDestroy_v2"), 1));
    close_world(&world);
}

/* A driver has one stack for all of its tables. */
Test(safe_pushed, what_was_pushed_is_popped_by_another_table)
{
    cushim_driver again = CUSHIM_NONE;
    struct world world;

    open_world(&world);
    cushim_context_free(&world.context);
    assert_ok(cushim_interpose(world.driver, NULL, 0, &again));
    assert_ok(cushim_context_create(world.driver, 0, 0, &world.context));
    for (int set = 0; set < 2; set++) {
        cushim_context other = CUSHIM_NONE;

        assert_ok(cushim_context_push(world.context));
        if (set) {
            assert_ok(cushim_context_primary(again, 0, &other));
            assert_ok(cushim_context_set_current(other));
            cushim_context_free(&other);
        } else {
            assert_ok(cushim_context_pop(again, NULL));
        }
    }
    cushim_context_free(&world.context);
    cr_expect(eq(u64, count(&world, "cuCtxDestroy_v2"), 1));
    cushim_close(&again);
    close_world(&world);
}
