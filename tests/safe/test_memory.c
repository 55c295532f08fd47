/* SPDX-License-Identifier: MIT */
/* Pinned and unified memory. */
#include <stdio.h>

#include "support.h"

SUITE(safe_memory);

enum { N = 64 };

Test(safe_memory, no_room_is_told_with_its_bytes)
{
    cushim_stream stream = CUSHIM_NONE;
    cushim_slice slice = CUSHIM_NONE;
    cushim_unified unified = CUSHIM_NONE;
    cushim_pinned pinned = CUSHIM_NONE;
    size_t available = 0, total = 0;
    char expected[100];
    struct world w;

    open_world(&w);
    assert_ok(cushim_stream_new(w.context, NULL, &stream));
    assert_ok(cushim_context_memory(w.context, &available, &total));
    snprintf(expected, sizeof(expected), "; %zu bytes were asked for, the device has ",
             (size_t) 1 << 50);
    assert_refused(cushim_slice_alloc(stream, 1, (size_t) 1 << 50, &slice), 2, expected);
    snprintf(expected, sizeof(expected), " free of %zu", total);
    assert_contains(cushim_error_text(), expected);
    inject(&w, "cuMemHostAlloc nth=1 result=2; cuMemAllocManaged nth=1 result=2");
    assert_refused(cushim_pinned_alloc(w.context, 4, 25, 0, &pinned), 2,
                   "; 100 bytes were asked for");
    assert_refused(cushim_unified_alloc(w.context, 4, 25, CUSHIM_ATTACH_GLOBAL, &unified), 2,
                   "; 100 bytes were asked for, the device has ");
    cushim_stream_free(&stream);
    close_world(&w);
}

Test(safe_memory, pinned_memory_is_copied_asynchronously_and_waited_for)
{
    cushim_stream a = CUSHIM_NONE, b = CUSHIM_NONE;
    cushim_pinned pinned = CUSHIM_NONE, other = CUSHIM_NONE;
    cushim_slice slice = CUSHIM_NONE;
    const void *read = NULL;
    void *write = NULL;
    struct world w;
    int *values;

    open_world(&w);
    assert_ok(cushim_stream_new(w.context, NULL, &a));
    assert_ok(cushim_stream_new(w.context, NULL, &b));
    assert_ok(cushim_pinned_alloc(w.context, sizeof(int), N, CUSHIM_PINNED_DEFAULT, &pinned));
    assert_ok(cushim_pinned_alloc(w.context, sizeof(int), N, CUSHIM_PINNED_WRITE_COMBINED, &other));
    assert_ok(cushim_slice_alloc(a, sizeof(int), N, &slice));
    for (int round = 0; round < 5; round++) {
        assert_ok(cushim_pinned_write(pinned, &write));
        values = write;
        for (int i = 0; i < N; i++)
            values[i] = round + i;
        forget_calls(&w);
        assert_ok(cushim_slice_copy(a, slice, pinned));
        cr_expect(eq(u64, count(&w, "cuMemcpyHtoDAsync_v2"), 1));
        cr_expect(eq(u64, count(&w, "cuEventSynchronize") + count(&w, "cuStreamSynchronize"), 0));
    }
    assert_ok(cushim_slice_copy(b, other, slice));
    assert_ok(cushim_slice_copy(a, pinned, other));
    assert_ok(cushim_pinned_read(pinned, &read));
    for (int i = 0; i < N; i++)
        cr_assert(eq(int, ((const int *) read)[i], 4 + i));
    /* Freed with a copy under way. */
    assert_ok(cushim_slice_copy(a, slice, pinned));
    cushim_pinned_free(&pinned);
    cushim_pinned_free(&other);
    cushim_slice_free(&slice);
    cushim_stream_free(&a);
    cushim_stream_free(&b);
    close_world(&w);
}

Test(safe_memory, unified_memory_is_shared_with_the_host)
{
    cushim_stream a = CUSHIM_NONE, b = CUSHIM_NONE;
    cushim_unified unified = CUSHIM_NONE;
    cushim_slice slice = CUSHIM_NONE;
    const void *read = NULL;
    struct world w;
    int values[N];

    open_world(&w);
    assert_ok(cushim_stream_new(w.context, NULL, &a));
    assert_ok(cushim_stream_new(w.context, NULL, &b));
    assert_ok(cushim_unified_alloc(w.context, sizeof(int), N, CUSHIM_ATTACH_GLOBAL, &unified));
    assert_ok(cushim_slice_fill(a, unified, 5));
    assert_ok(cushim_slice_zeros(b, sizeof(int), N, &slice));
    assert_ok(cushim_slice_copy(b, slice, unified));
    assert_ok(cushim_unified_read(unified, &read));
    cr_expect(eq(int, ((const int *) read)[N - 1], 5));
    assert_ok(cushim_slice_read(a, unified, values, N));
    cr_expect(eq(int, values[0], 5));
    assert_refused(cushim_unified_alloc(w.context, 4, N, CUSHIM_ATTACH_SINGLE, &unified),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "cushim_unified_attach() attaches it to one stream");
    cushim_unified_free(&unified);
    cushim_slice_free(&slice);
    cushim_stream_free(&a);
    cushim_stream_free(&b);
    close_world(&w);
}

/* A device that cannot share memory with the host: there it matters who has it. */
static const char no_sharing[] = "device.*.concurrent_managed_access = 0";

struct fixture {
    struct world w;
    cushim_stream a, b;
    cushim_unified unified;
    uint64_t address;
};

static void open_fixture(struct fixture *f, const char *settings)
{
    open_world_with(&f->w, settings);
    f->a = f->b = (cushim_stream){0};
    assert_ok(cushim_stream_new(f->w.context, NULL, &f->a));
    assert_ok(cushim_stream_new(f->w.context, NULL, &f->b));
    assert_ok(
        cushim_unified_alloc(f->w.context, sizeof(int), N, CUSHIM_ATTACH_GLOBAL, &f->unified));
    assert_ok(cushim_slice_use(f->a, f->unified, false, &f->address));
}

static void close_fixture(struct fixture *f)
{
    cushim_unified_free(&f->unified);
    cushim_stream_free(&f->a);
    cushim_stream_free(&f->b);
    close_world(&f->w);
}

/* Does the device object to a stream's use of the memory, when nothing stands before it? */
static bool device_objects(struct fixture *f, cushim_stream stream)
{
    const struct cushim_mock_finding *findings = NULL;
    void *cu = NULL;
    size_t n;

    assert_ok(cushim_context_synchronize(f->w.context));
    assert_ok(cushim_stream_raw(stream, &cu));
    assert_ok(cushim_context_push(f->w.context));
    cr_assert(eq(int,
                 RAW(&f->w, cuMemsetD8Async, (uint64_t, unsigned char, size_t, void *), f->address,
                     0, sizeof(int) * N, cu),
                 0));
    assert_ok(cushim_context_pop(f->w.driver, NULL));
    assert_ok(cushim_context_synchronize(f->w.context));
    n = cushim_mock_findings(&findings);
    for (size_t i = 0; i < n; i++)
        cr_expect(eq(int, (int) findings[i].kind, CUSHIM_MOCK_ATTACHMENT), "%s", findings[i].text);
    cushim_mock_findings_clear();
    return n > 0;
}

Test(safe_memory, attached_to_one_stream_it_is_refused_on_others)
{
    struct fixture f;

    open_fixture(&f, no_sharing);
    assert_ok(cushim_slice_fill(f.b, f.unified, 1));
    assert_ok(cushim_unified_attach(f.a, f.unified, CUSHIM_ATTACH_SINGLE));
    cr_expect(eq(u64, count(&f.w, "cuStreamWaitEvent"), 1), "after b's fill");
    assert_ok(cushim_slice_fill(f.a, f.unified, 2));
    assert_refused(cushim_slice_fill(f.b, f.unified, 3), CUSHIM_ERROR_NOT_ATTACHED,
                   "attached to another stream");
    cr_expect(device_objects(&f, f.b));
    cr_expect(not(device_objects(&f, f.a)));
    assert_ok(cushim_unified_attach(f.b, f.unified, CUSHIM_ATTACH_SINGLE));
    assert_ok(cushim_slice_fill(f.b, f.unified, 3));
    cr_expect(device_objects(&f, f.a));
    assert_ok(cushim_unified_attach(f.b, f.unified, CUSHIM_ATTACH_GLOBAL));
    assert_ok(cushim_slice_fill(f.a, f.unified, 3));
    cr_expect(not(device_objects(&f, f.a)));
    assert_refused(cushim_unified_attach(f.a, f.unified, (enum cushim_attach) 3),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "attach is 3, it must be one of enum");
    close_fixture(&f);
}

/* With the stream goes its hold on the memory. */
Test(safe_memory, attached_to_a_stream_that_is_gone)
{
    cushim_unified host = CUSHIM_NONE;
    struct fixture f;

    open_fixture(&f, no_sharing);
    assert_ok(cushim_unified_alloc(f.w.context, sizeof(int), N, CUSHIM_ATTACH_HOST, &host));
    assert_ok(cushim_unified_attach(f.a, f.unified, CUSHIM_ATTACH_SINGLE));
    assert_ok(cushim_unified_attach(f.a, host, CUSHIM_ATTACH_SINGLE));
    assert_ok(cushim_slice_fill(f.a, f.unified, 1));
    assert_ok(cushim_slice_fill(f.a, host, 1));
    cushim_stream_free(&f.a);
    assert_ok(cushim_slice_fill(f.b, f.unified, 2));
    cr_expect(not(device_objects(&f, f.b)));
    assert_refused(cushim_slice_fill(f.b, host, 2), CUSHIM_ERROR_NOT_ATTACHED,
                   "attached to the host");
    cushim_unified_free(&host);
    close_fixture(&f);
}

enum { PREFERRED_LOCATION = 2, LAST_PREFETCH_LOCATION = 4 };

/* What the driver says of a range of the memory: -1 is the host, -2 none. */
static int location(struct fixture *f, int attribute, uint64_t address, size_t bytes)
{
    int32_t where = -3;

    assert_ok(cushim_context_synchronize(f->w.context));
    assert_ok(cushim_context_push(f->w.context));
    cr_expect(eq(int,
                 RAW(&f->w, cuMemRangeGetAttribute, (void *, size_t, int, uint64_t, size_t), &where,
                     sizeof(where), attribute, address, bytes),
                 0));
    assert_ok(cushim_context_pop(f->w.driver, NULL));
    return where;
}

Test(safe_memory, prefetch_and_advice)
{
    struct fixture f;
    cushim_view part;
    int device;

    open_fixture(&f, NULL);
    device = other_device(&f.w);
    assert_ok(cushim_slice_fill(f.b, f.unified, 1));
    assert_ok(cushim_view_part(CUSHIM_VIEW(f.unified), 8, 8, &part));
    cr_expect(eq(int, location(&f, LAST_PREFETCH_LOCATION, f.address + 32, 32), -2));
    assert_ok(cushim_slice_fill(f.b, f.unified, 1));
    assert_ok(cushim_unified_prefetch(f.a, part, CUSHIM_DEVICE_HOST));
    cr_expect(eq(u64, count(&f.w, "cuStreamWaitEvent"), 1), "after b's fill");
    cr_expect(eq(int, location(&f, LAST_PREFETCH_LOCATION, f.address + 32, 32), -1));
    assert_ok(cushim_unified_prefetch(f.a, part, 0));
    cr_expect(eq(int, location(&f, LAST_PREFETCH_LOCATION, f.address + 32, 32), 0));
    assert_ok(cushim_unified_advise(f.unified, CUSHIM_ADVICE_PREFERRED_LOCATION, device));
    cr_expect(eq(int, location(&f, PREFERRED_LOCATION, f.address, sizeof(int) * N), device));
    assert_refused(cushim_unified_advise((cushim_unified){f.a.id}, CUSHIM_ADVICE_READ_MOSTLY, 0),
                   CUSHIM_ERROR_WRONG_HANDLE, "this is the handle of a stream");
    close_fixture(&f);
}

/* The device has to be idle before the host may look. */
Test(safe_memory, a_device_that_cannot_share_is_waited_for)
{
    cushim_unified all = CUSHIM_NONE, host = CUSHIM_NONE;
    cushim_stream stream = CUSHIM_NONE;
    void *pointer;
    struct world w;

    open_world_with(&w, no_sharing);
    assert_ok(cushim_stream_new(w.context, NULL, &stream));
    assert_ok(cushim_unified_alloc(w.context, 4, N, CUSHIM_ATTACH_GLOBAL, &all));
    assert_ok(cushim_unified_alloc(w.context, 4, N, CUSHIM_ATTACH_HOST, &host));
    assert_ok(cushim_unified_write(all, &pointer));
    cr_expect(eq(u64, count(&w, "cuCtxSynchronize"), 1));
    assert_ok(cushim_unified_write(host, &pointer));
    cr_expect(eq(u64, count(&w, "cuCtxSynchronize"), 1));
    assert_refused(cushim_slice_fill(stream, host, 1), CUSHIM_ERROR_NOT_ATTACHED,
                   "attached to the host");
    cushim_unified_free(&all);
    cushim_unified_free(&host);
    cushim_stream_free(&stream);
    close_world(&w);
}

/* A device without memory pools: the same meaning, by cuMemAlloc() and cuMemFree(). */
Test(safe_memory, without_memory_pools)
{
    cushim_stream a = CUSHIM_NONE, b = CUSHIM_NONE;
    cushim_slice x = CUSHIM_NONE, y = CUSHIM_NONE;
    struct world w;
    int values[N];

    open_world_with(&w, "device.*.memory_pools_supported = 0");
    assert_ok(cushim_stream_new(w.context, NULL, &a));
    assert_ok(cushim_stream_new(w.context, NULL, &b));
    assert_ok(cushim_slice_zeros(a, 4, N, &x));
    assert_ok(cushim_slice_alloc(b, 4, N, &y));
    assert_ok(cushim_slice_fill(a, x, 8));
    assert_ok(cushim_slice_copy(b, y, x));
    cushim_slice_free(&x);
    assert_ok(cushim_slice_read(b, y, values, N));
    cr_expect(eq(int, values[5], 8));
    cushim_slice_free(&y);
    cr_expect(eq(u64, count(&w, "cuMemAlloc_v2"), 2));
    cr_expect(eq(u64, count(&w, "cuMemFree_v2"), 2));
    cr_expect(eq(u64, count(&w, "cuMemAllocAsync") + count(&w, "cuMemFreeAsync"), 0));
    cushim_stream_free(&a);
    cushim_stream_free(&b);
    close_world(&w);
}
