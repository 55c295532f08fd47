/* SPDX-License-Identifier: MIT */
/* The oldest driver that the safe layer is for: what works there, and what says that it does not.
 */
#include "modules.h"

SUITE(old_driver);

enum { N = 1000 };

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry increment(.param .u64 x, .param .u32 n)\n"
                          "{\n"
                          "  .reg .pred %p;\n"
                          "  .reg .b32 %r<6>;\n"
                          "  .reg .b64 %a<3>;\n"
                          "  ld.param.u64 %a0, [x];\n"
                          "  ld.param.u32 %r0, [n];\n"
                          "  mov.u32 %r1, %ctaid.x;\n"
                          "  mov.u32 %r2, %ntid.x;\n"
                          "  mov.u32 %r3, %tid.x;\n"
                          "  mad.lo.u32 %r4, %r1, %r2, %r3;\n"
                          "  setp.ge.u32 %p, %r4, %r0;\n"
                          "  @%p ret;\n"
                          "  mad.wide.u32 %a1, %r4, 4, %a0;\n"
                          "  ld.global.u32 %r5, [%a1];\n"
                          "  add.u32 %r5, %r5, 1;\n"
                          "  st.global.u32 [%a1], %r5;\n"
                          "  ret;\n"
                          "}\n";

static struct world w;
static cushim_stream a, b;

static void begin(const char *version)
{
    open_old_world(&w, version);
    assert_ok(cushim_stream_new(w.context, NULL, &a));
    assert_ok(cushim_stream_new(w.context, cushim_stream_params(.blocking = true), &b));
}

static void finish(void)
{
    cushim_stream_free(&a);
    cushim_stream_free(&b);
    close_world(&w);
}

/* Slices, copies, fills, order between streams, and a launch. */
static void use(void)
{
    cushim_slice x = CUSHIM_NONE, y = CUSHIM_NONE;
    cushim_pinned pinned = CUSHIM_NONE;
    cushim_module module = CUSHIM_NONE;
    cushim_function increment;
    const unsigned n = N;
    int values[N] = {0};

    for (int i = 0; i < N; i++)
        values[i] = i;
    assert_ok(cushim_module_load_text(w.context, ptx, NULL, &module));
    assert_ok(cushim_module_function(module, "increment", &increment));
    assert_ok(cushim_slice_from(a, values, N, &x));
    assert_ok(cushim_slice_zeros(b, sizeof(int), N, &y));
    assert_ok(
        cushim_launch(a, increment, cushim_for_elements(n), CUSHIM_INOUT(x), CUSHIM_VALUE(n)));
    assert_ok(cushim_slice_copy(b, y, x));
    cushim_slice_free(&x);
    assert_ok(cushim_pinned_alloc(w.context, sizeof(int), N, 0, &pinned));
    assert_ok(cushim_slice_copy(a, pinned, y));
    assert_ok(cushim_slice_fill(b, y, 5));
    assert_ok(cushim_slice_read(a, pinned, values, N));
    cr_expect(eq(int, values[N - 1], N));
    assert_ok(cushim_slice_read(b, y, values, N));
    cr_expect(eq(int, values[0], 5));
    cushim_slice_free(&y);
    cushim_pinned_free(&pinned);
    cushim_module_free(&module);
}

static void use_events(void)
{
    cushim_event event = CUSHIM_NONE;

    assert_ok(cushim_event_new(w.context, 0, &event));
    assert_ok(cushim_event_record(event, a));
    assert_ok(cushim_stream_wait(b, event));
    assert_ok(cushim_event_synchronize(event));
    assert_ok(cushim_stream_synchronize(b));
    assert_ok(cushim_context_synchronize(w.context));
    cushim_event_free(&event);
}

Test(old_driver, without_memory_pools)
{
    begin("11.0");
    use();
    use_events();
    finish();
}

Test(old_driver, names_the_driver_that_pools_need)
{
    cushim_pool pool = CUSHIM_NONE;

    begin("11.0");
    assert_refused(cushim_pool_new(w.context, NULL, &pool), 302, "cuMemPoolCreate needs CUDA 11.2");
    assert_refused(cushim_pool_default(w.context, &pool), 302,
                   "cuDeviceGetMemPool needs CUDA 11.2");
    finish();
}

Test(old_driver, without_attributes_of_streams)
{
    begin("11.4");
    assert_refused(cushim_stream_set_priority(a, -1), 1,
                   "; the priority of a stream that exists needs CUDA 11.8, this CUDA driver is "
                   "11.4");
    assert_refused(cushim_stream_set_sync_domain(a, CUSHIM_SYNC_DOMAIN_REMOTE), 1,
                   "; a synchronisation domain needs CUDA 12.0, this CUDA driver is 11.4");
    assert_ok(cushim_stream_set_wait_policy(a, CUSHIM_WAIT_SPIN));
    finish();
}

Test(old_driver, with_the_priority_of_streams_alone)
{
    begin("11.8");
    assert_ok(cushim_stream_set_priority(a, -1));
    assert_status(cushim_stream_set_sync_domain(a, CUSHIM_SYNC_DOMAIN_REMOTE), 1);
    assert_status(cushim_stream_set_sync_domain_map(a, 0, 1), 1);
    finish();
}

Test(old_driver, names_the_driver_that_the_limit_of_a_pool_needs)
{
    cushim_pool pool = CUSHIM_NONE;

    begin("12.2");
    assert_refused(cushim_pool_new(w.context, cushim_pool_params(.max_bytes = 1 << 20), &pool), 801,
                   "cushim_pool_new: the driver knows no limit of a pool; .max_bytes needs CUDA "
                   "12.3, this CUDA driver is 12.2");
    finish();
}

static void use_pool(void)
{
    cushim_pool pool = CUSHIM_NONE;
    cushim_slice x = CUSHIM_NONE;
    int value = 0;

    assert_ok(cushim_pool_new(w.context, NULL, &pool));
    assert_ok(cushim_slice_alloc_from(a, pool, sizeof(int), 1, &x));
    assert_ok(cushim_slice_fill(b, x, 5));
    assert_ok(cushim_slice_reclaim(a, &x, &value, 1));
    cr_expect(eq(int, value, 5));
    cushim_pool_free(&pool);
}

Test(old_driver, with_memory_pools)
{
    begin("11.2");
    use();
    use_pool();
    use_events();
    finish();
}

/* Answers that the device has memory pools. */
static bool pretend(struct cushim_call *call, void *user)
{
    enum { MEMORY_POOLS_SUPPORTED = 115 };

    (void) user;
    if (call->row != CUSHIM_ROW_cuDeviceGetAttribute ||
        *(const int *) call->args[1] != MEMORY_POOLS_SUPPORTED)
        return false;
    **(int **) call->args[0] = 1;
    call->result = 0;
    return true;
}

/* What the driver has counts, and not what it says. */
Test(old_driver, that_claims_memory_pools)
{
    const struct cushim_hooks hooks = {.before = pretend};
    cushim_driver pretender = CUSHIM_NONE;
    cushim_context context = CUSHIM_NONE;

    begin("11.0");
    assert_ok(cushim_interpose(w.driver, &hooks, 1, &pretender));
    assert_ok(cushim_context_primary(pretender, 0, &context));
    cushim_stream_free(&a);
    cushim_stream_free(&b);
    assert_ok(cushim_stream_new(context, NULL, &a));
    assert_ok(cushim_stream_new(context, NULL, &b));
    cushim_context_free(&w.context);
    w.context = context;
    use();
    finish();
    cushim_close(&pretender);
}

/* A graph is not made, and everything goes on. */
Test(old_driver, graphs_name_the_driver_that_they_need)
{
    cushim_stream recorder = CUSHIM_NONE;
    cushim_slice x = CUSHIM_NONE;

    begin("11.0");
    assert_ok(cushim_slice_zeros(a, sizeof(int), N, &x));
    assert_refused(cushim_capture_begin(w.context, &recorder), 302,
                   "cuStreamGetCaptureInfo_v2 needs CUDA 11.3");
    cr_expect(eq(u64, recorder.id, 0));
    cushim_slice_free(&x);
    use();
    finish();
}

/* An older driver in front of the mock says, too, that it looks for mistakes. */
Test(old_driver, no_memory_is_kept_where_the_mock_checks)
{
    cushim_slice slice = CUSHIM_NONE;
    size_t bytes = 1;

    begin("11.4");
    assert_ok(cushim_slice_alloc(a, 4, N, &slice));
    cushim_slice_free(&slice);
    assert_ok(cushim_memory_stats(w.context, &bytes, NULL, NULL));
    cr_expect(eq(sz, bytes, 0));
    finish();
}
