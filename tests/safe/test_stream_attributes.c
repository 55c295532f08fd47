/* SPDX-License-Identifier: MIT */
/* Attributes of streams: set, read back, copied, and refused. */
#include "support.h"

SUITE(safe_stream_attributes);

struct fixture {
    struct world w;
    cushim_context far;
    cushim_stream a, b, remote;
    cushim_slice slice;
};

static void open_fixture(struct fixture *f)
{
    open_world(&f->w);
    assert_ok(cushim_context_primary(f->w.driver, 1, &f->far));
    assert_ok(cushim_stream_new(f->w.context, NULL, &f->a));
    assert_ok(cushim_stream_new(f->w.context, NULL, &f->b));
    assert_ok(cushim_stream_new(f->far, NULL, &f->remote));
    assert_ok(cushim_slice_zeros(f->a, 4, 100, &f->slice));
}

static void close_fixture(struct fixture *f)
{
    cushim_slice_free(&f->slice);
    cushim_stream_free(&f->a);
    cushim_stream_free(&f->b);
    cushim_stream_free(&f->remote);
    cushim_context_free(&f->far);
    close_world(&f->w);
}

struct window {
    uint64_t address;
    size_t bytes;
    float hit_ratio;
    int hit, miss;
};

static struct window window_of(cushim_stream stream)
{
    struct window w = {1, 1, 1, 1, 1};

    assert_ok(
        cushim_stream_access_window(stream, &w.address, &w.bytes, &w.hit_ratio, &w.hit, &w.miss));
    return w;
}

Test(safe_stream_attributes, window)
{
    struct cushim_access_window window = {
        .hit_ratio = 0.5f, .hit = CUSHIM_ACCESS_PERSISTING, .miss = CUSHIM_ACCESS_STREAMING};
    uint64_t address = 0;
    struct fixture f;
    struct window got;

    open_fixture(&f);
    got = window_of(f.a);
    cr_expect(eq(sz, got.bytes, 0));
    assert_ok(cushim_slice_use(f.a, f.slice, false, &address));
    assert_ok(cushim_view_part(CUSHIM_VIEW(f.slice), 10, 20, &window.view));
    assert_ok(cushim_stream_set_access_window(f.a, &window));
    got = window_of(f.a);
    cr_expect(eq(u64, got.address, address + 40));
    cr_expect(eq(sz, got.bytes, 80));
    cr_expect(eq(flt, got.hit_ratio, 0.5f));
    cr_expect(eq(int, got.hit, CUSHIM_ACCESS_PERSISTING));
    cr_expect(eq(int, got.miss, CUSHIM_ACCESS_STREAMING));
    assert_ok(cushim_stream_access_window(f.a, NULL, NULL, NULL, NULL, NULL));
    cr_expect(eq(sz, window_of(f.b).bytes, 0));
    assert_ok(cushim_stream_set_access_window(f.a, NULL));
    got = window_of(f.a);
    cr_expect(eq(sz, got.bytes, 0));
    cr_expect(eq(u64, got.address, 0));
    /* A view of nothing is no window either. */
    assert_ok(cushim_stream_set_access_window(f.a, &window));
    assert_ok(cushim_view_part(CUSHIM_VIEW(f.slice), 10, 0, &window.view));
    assert_ok(cushim_stream_set_access_window(f.a, &window));
    cr_expect(eq(u64, window_of(f.a).address, 0));
    close_fixture(&f);
}

Test(safe_stream_attributes, numbers)
{
    enum cushim_sync_domain domain = CUSHIM_SYNC_DOMAIN_UNSET;
    enum cushim_wait_policy policy = CUSHIM_WAIT_SPIN;
    int least = 0, greatest = 0, priority = 7;
    unsigned char local = 9, remote = 9;
    struct fixture f;

    open_fixture(&f);
    assert_ok(cushim_stream_wait_policy(f.a, &policy));
    cr_expect(eq(int, (int) policy, CUSHIM_WAIT_UNSET));
    for (int i = CUSHIM_WAIT_AUTO; i <= CUSHIM_WAIT_BLOCKING; i++) {
        assert_ok(cushim_stream_set_wait_policy(f.a, (enum cushim_wait_policy) i));
        assert_ok(cushim_stream_wait_policy(f.a, &policy));
        cr_expect(eq(int, (int) policy, i));
    }
    assert_ok(cushim_context_priority_range(f.w.context, &least, &greatest));
    assert_ok(cushim_stream_set_priority(f.a, greatest - 10));
    assert_ok(cushim_stream_priority(f.a, &priority));
    cr_expect(eq(int, priority, greatest));
    assert_ok(cushim_stream_set_priority(f.a, least));
    assert_ok(cushim_stream_priority(f.a, &priority));
    cr_expect(eq(int, priority, least));
    assert_ok(cushim_stream_sync_domain(f.a, &domain));
    cr_expect(eq(int, (int) domain, CUSHIM_SYNC_DOMAIN_DEFAULT));
    assert_ok(cushim_stream_set_sync_domain(f.a, CUSHIM_SYNC_DOMAIN_REMOTE));
    assert_ok(cushim_stream_sync_domain(f.a, &domain));
    cr_expect(eq(int, (int) domain, CUSHIM_SYNC_DOMAIN_REMOTE));
    assert_ok(cushim_stream_set_sync_domain(f.a, CUSHIM_SYNC_DOMAIN_DEFAULT));
    assert_ok(cushim_stream_sync_domain(f.a, &domain));
    cr_expect(eq(int, (int) domain, CUSHIM_SYNC_DOMAIN_DEFAULT));
    assert_ok(cushim_stream_set_sync_domain_map(f.a, 2, 3));
    assert_ok(cushim_stream_sync_domain_map(f.a, &local, NULL));
    assert_ok(cushim_stream_sync_domain_map(f.a, NULL, &remote));
    cr_expect(eq(int, local, 2));
    cr_expect(eq(int, remote, 3));
    close_fixture(&f);
}

Test(safe_stream_attributes, are_copied)
{
    const struct cushim_access_window none = {.hit_ratio = 0};
    struct cushim_access_window window = {.hit_ratio = 1, .hit = CUSHIM_ACCESS_STREAMING};
    enum cushim_wait_policy policy = CUSHIM_WAIT_UNSET;
    unsigned char local = 0, remote = 0;
    struct fixture f;

    open_fixture(&f);
    window.view = CUSHIM_VIEW(f.slice);
    assert_ok(cushim_stream_set_access_window(f.a, &window));
    assert_ok(cushim_stream_set_wait_policy(f.a, CUSHIM_WAIT_YIELD));
    assert_ok(cushim_stream_set_sync_domain_map(f.a, 1, 2));
    assert_ok(cushim_stream_copy_attributes(f.b, f.a));
    cr_expect(eq(sz, window_of(f.b).bytes, 400));
    assert_ok(cushim_stream_wait_policy(f.b, &policy));
    cr_expect(eq(int, (int) policy, CUSHIM_WAIT_YIELD));
    assert_ok(cushim_stream_sync_domain_map(f.b, &local, &remote));
    cr_expect(eq(int, local, 1));
    cr_expect(eq(int, remote, 2));
    assert_ok(cushim_stream_copy_attributes(f.b, f.b));
    assert_refused(cushim_stream_copy_attributes(f.remote, f.a), CUSHIM_ERROR_FOREIGN_CONTEXT,
                   "cushim_stream_copy_attributes: the stream belongs to another context");
    /* The memory may go; then only addresses are left. */
    cushim_slice_free(&f.slice);
    assert_ok(cushim_stream_copy_attributes(f.a, f.b));
    assert_refused(cushim_stream_set_access_window(f.a, &window), CUSHIM_ERROR_STALE_HANDLE,
                   "freed by");
    assert_refused(cushim_stream_set_access_window(f.a, &none), CUSHIM_ERROR_STALE_HANDLE,
                   "the slice handle is zero");
    close_fixture(&f);
}

#define assert_wrong(expr, part) assert_refused(expr, CUSHIM_ERROR_INVALID_ARGUMENT, part)

Test(safe_stream_attributes, wrong_values_are_named)
{
    struct cushim_access_window window = {.hit_ratio = 1.5f};
    struct fixture f;

    open_fixture(&f);
    window.view = CUSHIM_VIEW(f.slice);
    forget_calls(&f.w);
    assert_wrong(cushim_stream_set_wait_policy(f.a, CUSHIM_WAIT_UNSET),
                 "cushim_stream_set_wait_policy: policy is 0, it must be from 1 to 4");
    assert_wrong(cushim_stream_set_wait_policy(f.a, (enum cushim_wait_policy) 5), "policy is 5");
    assert_wrong(cushim_stream_set_sync_domain(f.a, CUSHIM_SYNC_DOMAIN_UNSET),
                 "cushim_stream_set_sync_domain: domain is 0, it must be from 1 to 2");
    assert_wrong(cushim_stream_set_sync_domain(f.a, (enum cushim_sync_domain) 3), "domain is 3");
    assert_wrong(cushim_stream_set_access_window(f.a, &window),
                 "cushim_stream_set_access_window: window has a hit_ratio of 1.5, it must be");
    window.hit_ratio = __builtin_nanf("");
    assert_wrong(cushim_stream_set_access_window(f.a, &window), "window has a hit_ratio of");
    window = (struct cushim_access_window){window.view, 1, .miss = CUSHIM_ACCESS_PERSISTING};
    assert_wrong(cushim_stream_set_access_window(f.a, &window),
                 "window->miss is 2, it must be from 0 to 1");
    cr_expect(eq(u64, count_all(&f.w), 0), "the driver hears nothing of it");
    window.miss = CUSHIM_ACCESS_NORMAL;
    assert_refused(cushim_stream_set_access_window(f.remote, &window), CUSHIM_ERROR_FOREIGN_CONTEXT,
                   "the access window belongs to another context");
    assert_refused(cushim_stream_set_sync_domain_map(f.a, 0, 4), 1, "cuStreamSetAttribute");
    close_fixture(&f);
}

Test(safe_stream_attributes, misuse)
{
    enum cushim_sync_domain domain;
    enum cushim_wait_policy policy;
    struct fixture f;
    cushim_stream copy;

    open_fixture(&f);
    assert_wrong(cushim_stream_wait_policy(f.a, NULL), "ret_policy is NULL");
    assert_wrong(cushim_stream_sync_domain(f.a, NULL), "ret_domain is NULL");
    assert_refused(cushim_stream_set_priority((cushim_stream){f.slice.id}, 0),
                   CUSHIM_ERROR_WRONG_HANDLE, "expected a stream, this is the handle of a slice");
    assert_refused(cushim_stream_copy_attributes(f.a, (cushim_stream){0}),
                   CUSHIM_ERROR_STALE_HANDLE, "the stream handle is zero");
    copy = f.b;
    cushim_stream_free(&f.b);
#define assert_stale(expr) assert_refused(expr, CUSHIM_ERROR_STALE_HANDLE, "the stream was freed")
    assert_stale(cushim_stream_copy_attributes(f.a, copy));
    assert_stale(cushim_stream_copy_attributes(copy, f.a));
    assert_stale(cushim_stream_set_access_window(copy, NULL));
    assert_stale(cushim_stream_access_window(copy, NULL, NULL, NULL, NULL, NULL));
    assert_stale(cushim_stream_set_wait_policy(copy, CUSHIM_WAIT_AUTO));
    assert_stale(cushim_stream_wait_policy(copy, &policy));
    assert_stale(cushim_stream_set_priority(copy, 0));
    assert_stale(cushim_stream_set_sync_domain(copy, CUSHIM_SYNC_DOMAIN_DEFAULT));
    assert_stale(cushim_stream_sync_domain(copy, &domain));
    assert_stale(cushim_stream_set_sync_domain_map(copy, 0, 0));
    assert_stale(cushim_stream_sync_domain_map(copy, NULL, NULL));
    close_fixture(&f);
}

/* Default streams have attributes, too, and a stream that records. */
Test(safe_stream_attributes, of_all_kinds_of_streams)
{
    enum cushim_wait_policy policy = CUSHIM_WAIT_UNSET;
    cushim_stream legacy, own = CUSHIM_NONE, recorder = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;
    struct fixture f;

    open_fixture(&f);
    assert_ok(cushim_stream_default(f.w.context, &legacy));
    assert_ok(cushim_stream_per_thread(f.w.context, &own));
    assert_ok(cushim_capture_begin(f.w.context, &recorder));
    assert_ok(cushim_stream_set_wait_policy(legacy, CUSHIM_WAIT_SPIN));
    assert_ok(cushim_stream_copy_attributes(own, legacy));
    assert_ok(cushim_stream_copy_attributes(recorder, own));
    assert_ok(cushim_stream_wait_policy(recorder, &policy));
    cr_expect(eq(int, (int) policy, CUSHIM_WAIT_SPIN));
    assert_ok(cushim_capture_end(&recorder, &graph));
    cushim_graph_free(&graph);
    cushim_stream_free(&own);
    close_fixture(&f);
}
