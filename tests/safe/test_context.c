/* SPDX-License-Identifier: MIT */
/* Contexts and devices. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support.h"

SUITE(safe_context);

Test(safe_context, primary_twice_is_one_context_with_one_retain)
{
    cushim_context again = CUSHIM_NONE;
    struct world w;
    bool active = true;
    unsigned flags;

    open_world(&w);
    assert_ok(cushim_context_primary(w.driver, 0, &again));
    cr_expect(eq(ptr, raw_context(again), raw_context(w.context)));
    cr_expect(ne(u64, again.id, w.context.id));
    cr_expect(eq(u64, count(&w, "cuDevicePrimaryCtxRetain"),
                 count(&w, "cuDevicePrimaryCtxRelease_v2") + 1));
    cushim_context_free(&w.context);
    assert_ok(cushim_context_primary_state(w.driver, 0, &flags, &active));
    cr_expect(eq(int, active, 1));
    assert_ok(cushim_context_synchronize(again));
    cushim_context_free(&again);
    assert_ok(cushim_context_primary_state(w.driver, 0, &flags, &active));
    cr_expect(eq(int, active, 0), "released with the last handle");
    close_world(&w);
}

Test(safe_context, a_call_leaves_the_callers_context_current)
{
    cushim_context mine = CUSHIM_NONE;
    struct world w;
    size_t value = 0;

    run_alone();
    open_world(&w);
    cr_expect(eq(ptr, current(&w), NULL), "nothing is made current by making a context");
    assert_ok(cushim_context_limit(w.context, CUSHIM_LIMIT_STACK_SIZE, &value));
    cr_expect(eq(ptr, current(&w), NULL));
    assert_ok(cushim_context_create(w.driver, other_device(&w), 0, &mine));
    cr_expect(eq(ptr, current(&w), NULL));
    assert_ok(cushim_context_push(mine));
    assert_ok(cushim_context_limit(w.context, CUSHIM_LIMIT_STACK_SIZE, &value));
    cr_expect(eq(ptr, current(&w), raw_context(mine)));
    cr_expect(gt(sz, value, 0));
    assert_ok(cushim_context_pop(w.driver, NULL));
    cr_expect(eq(ptr, current(&w), NULL));
    cushim_context_free(&mine);
    close_world(&w);
}

Test(safe_context, the_current_context_costs_one_question)
{
    struct world w;
    size_t value;

    open_world(&w);
    assert_ok(cushim_context_set_current(w.context));
    forget_calls(&w);
    assert_ok(cushim_context_limit(w.context, CUSHIM_LIMIT_STACK_SIZE, &value));
    cr_expect(eq(u64, count(&w, NULL), 2));
    cr_expect(eq(u64, count(&w, "cuCtxGetCurrent"), 1));
    cr_expect(eq(u64, count(&w, "cuCtxGetLimit"), 1));
    close_world(&w);
}

Test(safe_context, the_stack_is_last_in_first_out)
{
    cushim_context mine = CUSHIM_NONE, top = CUSHIM_NONE;
    struct world w;

    run_alone();
    open_world(&w);
    assert_refused(cushim_context_pop(w.driver, &top), 201, "cuCtxPopCurrent_v2");
    assert_ok(cushim_context_current(w.driver, &top));
    cr_expect(eq(u64, top.id, 0), "none is no error");
    assert_ok(cushim_context_create(w.driver, 0, CUSHIM_CONTEXT_BLOCKING_SYNC, &mine));
    assert_ok(cushim_context_push(w.context));
    assert_ok(cushim_context_push(mine));
    assert_ok(cushim_context_current(w.driver, &top));
    cr_expect(eq(ptr, raw_context(top), raw_context(mine)));
    cushim_context_free(&top);
    assert_ok(cushim_context_pop(w.driver, &top));
    cr_expect(eq(ptr, raw_context(top), raw_context(mine)));
    cushim_context_free(&top);
    assert_ok(cushim_context_set_current(mine));
    cr_expect(eq(ptr, current(&w), raw_context(mine)), "set_current replaces the top");
    assert_ok(cushim_context_pop(w.driver, NULL));
    cr_expect(eq(ptr, current(&w), NULL));
    cushim_context_free(&mine);
    close_world(&w);
}

Test(safe_context, freed_while_on_a_stack_it_lives_until_it_is_popped)
{
    cushim_context mine = CUSHIM_NONE;
    struct world w;

    open_world(&w);
    assert_ok(cushim_context_create(w.driver, 0, 0, &mine));
    assert_ok(cushim_context_push(mine));
    cushim_context_free(&mine);
    cr_expect(eq(u64, count(&w, "cuCtxDestroy_v2"), 0));
    assert_ok(cushim_context_pop(w.driver, NULL));
    cr_expect(eq(u64, count(&w, "cuCtxDestroy_v2"), 1));
    close_world(&w);
}

Test(safe_context, adopted_contexts_are_destroyed_only_if_owned)
{
    cushim_context borrowed = CUSHIM_NONE, owned = CUSHIM_NONE;
    struct world w;
    void *cu = NULL;

    open_world(&w);
    cr_assert(
        eq(int, RAW(&w, cuCtxCreate_v2, (void **, unsigned, int), &cu, 0, other_device(&w)), 0));
    assert_ok(cushim_context_adopt(w.driver, cu, false, &borrowed));
    assert_refused(cushim_context_adopt(w.driver, cu, true, &owned), CUSHIM_ERROR_BUSY, "already");
    cr_expect(eq(u64, owned.id, 0));
    cr_expect(eq(ptr, current(&w), cu), "adopting leaves the current context alone");
    cushim_context_free(&borrowed);
    cr_expect(eq(u64, count(&w, "cuCtxDestroy_v2"), 0));
    assert_ok(cushim_context_adopt(w.driver, cu, true, &owned));
    cushim_context_free(&owned);
    cr_expect(eq(u64, count(&w, "cuCtxDestroy_v2"), 1));
    close_world(&w);
}

/* What was found current, and borrowed, is retained once it is asked for as primary. */
Test(safe_context, a_borrowed_primary_context_becomes_retained)
{
    cushim_context borrowed = CUSHIM_NONE;
    unsigned flags = 0;
    bool active = false;
    struct world w;
    void *cu = NULL;

    open_world(&w);
    cushim_context_free(&w.context);
    cr_assert(eq(int, RAW(&w, cuDevicePrimaryCtxRetain, (void **, int), &cu, 0), 0));
    cr_assert(eq(int, RAW(&w, cuCtxSetCurrent, (void *), cu), 0));
    assert_ok(cushim_context_current(w.driver, &borrowed));
    assert_ok(cushim_context_is_primary(borrowed, &active));
    cr_expect(eq(int, active, 1));
    assert_ok(cushim_context_primary(w.driver, 0, &w.context));
    cushim_context_free(&borrowed);
    cr_assert(eq(int, RAW(&w, cuDevicePrimaryCtxRelease_v2, (int), 0), 0));
    assert_ok(cushim_context_primary_state(w.driver, 0, &flags, &active));
    cr_expect(eq(int, active, 1));
    assert_ok(cushim_context_synchronize(w.context));
    close_world(&w);
}

Test(safe_context, settings)
{
    enum cushim_cache_config cache = CUSHIM_CACHE_PREFER_NONE;
    size_t value = 0, free_bytes = 0, total = 0;
    int least = 9, greatest = 9, device = 9;
    unsigned flags = 0, version = 0;
    cushim_context mine = CUSHIM_NONE;
    bool primary = true;
    struct world w;

    open_world(&w);
    assert_ok(
        cushim_context_create(w.driver, other_device(&w), CUSHIM_CONTEXT_BLOCKING_SYNC, &mine));
    assert_ok(cushim_context_flags(mine, &flags));
    cr_expect(eq(uint, flags & 7, CUSHIM_CONTEXT_BLOCKING_SYNC));
    assert_ok(cushim_context_set_limit(mine, CUSHIM_LIMIT_STACK_SIZE, 4096));
    assert_ok(cushim_context_limit(mine, CUSHIM_LIMIT_STACK_SIZE, &value));
    cr_expect(ge(sz, value, 4096));
    assert_refused(cushim_context_limit(mine, (enum cushim_limit) 99, &value), 1, "cuCtxGetLimit");
    assert_ok(cushim_context_set_cache_config(mine, CUSHIM_CACHE_PREFER_L1));
    assert_ok(cushim_context_cache_config(mine, &cache));
    assert_ok(cushim_context_priority_range(mine, &least, &greatest));
    cr_expect(le(int, greatest, least));
    assert_ok(cushim_context_api_version(mine, &version));
    cr_expect(gt(uint, version, 0));
    assert_ok(cushim_context_memory(mine, &free_bytes, &total));
    cr_expect(le(sz, free_bytes, total));
    assert_ok(cushim_context_device(mine, &device));
    cr_expect(eq(int, device, other_device(&w)));
    assert_ok(cushim_context_is_primary(mine, &primary));
    cr_expect(eq(int, primary, 0));
    cushim_context_free(&mine);
    close_world(&w);
}

Test(safe_context, a_lost_one_is_told)
{
    struct world w;

    open_world(&w);
    inject(&w, "cuCtxSynchronize nth=1 result=700");
    assert_refused(
        cushim_context_synchronize(w.context), 700,
        "CUDA_ERROR_ILLEGAL_ADDRESS, an illegal memory access was encountered; work that "
        "was submitted before has failed, and the context is lost: all calls for it fail "
        "from now on, and a new process can use the device again");
    inject(&w, "cuCtxSynchronize nth=1 result=709");
    assert_refused(cushim_context_synchronize(w.context), 709,
                   "; other code of this process has destroyed or reset the context");
    close_world(&w);
}

Test(safe_context, peers)
{
    enum cushim_pool_access access = CUSHIM_POOL_ACCESS_NONE;
    cushim_context mine = CUSHIM_NONE;
    cushim_pool pool = CUSHIM_NONE;
    struct world w;
    bool can = false;

    open_world(&w);
    NEEDS_TWO_DEVICES(&w);
    assert_ok(cushim_device_can_access_peer(w.driver, 1, 0, &can));
    if (!can)
        cr_skip("device 1 cannot access the memory of device 0");
    assert_ok(cushim_context_create(w.driver, 1, 0, &mine));
    inject(&w, "cuMemPoolSetAccess nth=1 result=1");
    assert_refused(cushim_context_enable_peer(mine, w.context), 1, "cuMemPoolSetAccess");
    assert_ok(cushim_context_enable_peer(mine, w.context));
    assert_ok(cushim_pool_default(w.context, &pool));
    assert_ok(cushim_pool_access(pool, mine, &access));
    cr_expect(eq(int, access, CUSHIM_POOL_ACCESS_READ_WRITE));
    cushim_pool_free(&pool);
    assert_refused(cushim_context_enable_peer(mine, w.context), 704, "cuCtxEnablePeerAccess");
    assert_ok(cushim_context_disable_peer(mine, w.context));
    cushim_context_free(&mine);
    close_world(&w);
}

Test(safe_context, a_primary_context_in_use_is_not_reset)
{
    struct world w;

    open_world(&w);
    assert_refused(cushim_context_primary_reset(w.driver, 0), CUSHIM_ERROR_BUSY, "device 0");
    cushim_context_free(&w.context);
    assert_ok(cushim_context_primary_reset(w.driver, 0));
    close_world(&w);
}

Test(safe_context, stale_handles_say_who_freed_them)
{
    cushim_context copy;
    struct world w;
    void *cu;

    open_world(&w);
    copy = w.context;
    cushim_context_free(&w.context);
    assert_refused(cushim_context_synchronize(copy), CUSHIM_ERROR_STALE_HANDLE,
                   "the context was freed by test_context.c:");
    assert_refused(cushim_context_raw(copy, &cu), CUSHIM_ERROR_STALE_HANDLE, "freed by");
    (cushim_context_free)(&copy);
    cr_expect(eq(u64, copy.id, 0));
    (cushim_context_free)(&copy);
    assert_refused(cushim_context_synchronize((cushim_context){w.driver.id}),
                   CUSHIM_ERROR_WRONG_HANDLE, "expected a context, this is the handle of a driver");
    assert_refused(cushim_context_synchronize((cushim_context){0}), CUSHIM_ERROR_STALE_HANDLE,
                   "zero");
    close_world(&w);
}

Test(safe_context, labels_are_in_messages)
{
    struct world w;
    size_t value;

    open_world(&w);
    assert_ok(cushim_label(w.context, "gpu 0"));
    assert_refused(cushim_label(w.context, "other"), CUSHIM_ERROR_BUSY, "'gpu 0'");
    assert_refused(cushim_label(w.driver, "driver"), CUSHIM_ERROR_WRONG_HANDLE, "context");
    assert_refused(cushim_context_limit(w.context, (enum cushim_limit) 99, &value), 1, "'gpu 0'");
    cr_expect(eq(str, S(cushim_error_label()), S("gpu 0")));
    cr_expect(eq(str, S(cushim_error_call()), S("cuCtxGetLimit")));
    close_world(&w);
}

Test(safe_context, failures_leave_nothing_behind)
{
    cushim_context context = CUSHIM_NONE;
    struct world w;
    int device;

    open_world(&w);
    device = other_device(&w);
    inject(&w, "cuDevicePrimaryCtxRetain nth=1 result=out_of_memory\n"
               "cuCtxCreate_v2 nth=1 result=out_of_memory");
    assert_refused(cushim_context_primary(w.driver, device, &context), 2,
                   "cuDevicePrimaryCtxRetain");
    assert_refused(cushim_context_create(w.driver, device, 0, &context), 2, "cuCtxCreate_v2");
    assert_refused(cushim_context_primary(w.driver, 1000, &context), 101, "cuDeviceGet");
    assert_refused(cushim_context_primary(w.driver, 0, NULL), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "ret_context is NULL");
    cr_expect(eq(u64, context.id, 0));
    close_world(&w);
}

Test(safe_context, works_after_its_driver_was_closed)
{
    cushim_context other = CUSHIM_NONE;
    cushim_driver copy;
    struct world w;

    open_world(&w);
    copy = w.driver;
    cushim_close(&w.driver);
    assert_ok(cushim_context_synchronize(w.context));
    assert_refused(cushim_context_primary(copy, 0, &other), CUSHIM_ERROR_STALE_HANDLE, "driver");
    close_world(&w);
}

static void *use_from_thread(void *context)
{
    size_t value = 0;

    return (void *) (intptr_t) cushim_context_limit(*(cushim_context *) context,
                                                    CUSHIM_LIMIT_STACK_SIZE, &value);
}

Test(safe_context, a_new_thread_needs_no_setup)
{
    void *status = (void *) 1;
    pthread_t thread;
    struct world w;

    open_world(&w);
    cr_assert(eq(int, pthread_create(&thread, NULL, use_from_thread, &w.context), 0));
    pthread_join(thread, &status);
    cr_expect(eq(ptr, status, NULL));
    close_world(&w);
}
