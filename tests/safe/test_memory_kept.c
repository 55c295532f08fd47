/* SPDX-License-Identifier: MIT */
/* Freed memory that a context keeps for its next allocations (memory.h). The mock's checks are off.
 */
#include <stdlib.h>

#include "support.h"

TestSuite(memory_kept, .timeout = 60);

enum { N = 256, BYTES = 4 * N };

static struct kept {
    size_t bytes;
    uint64_t allocated, reused;
} kept(struct world *w)
{
    struct kept k = {0};

    assert_ok(cushim_memory_stats(w->context, &k.bytes, &k.allocated, &k.reused));
    return k;
}

static cushim_stream stream;

static void open_with_checks(struct world *w, const char *checks)
{
    setenv("CUSHIM_MOCK_CHECK", checks, 1);
    open_world_with(w, on_the_mock() ? "device.*.memory = 1GiB" : NULL);
    assert_ok(cushim_memory_set_limit(w->context, CUSHIM_MEMORY_LIMIT));
    assert_ok(cushim_stream_new(w->context, NULL, &stream));
}

static void open_unchecked(struct world *w)
{
    open_with_checks(w, "0");
}

static uint64_t address_of(cushim_stream on, cushim_slice slice)
{
    uint64_t address = 0;

    assert_ok(cushim_slice_use(on, slice, true, &address));
    return address;
}

static cushim_slice new_slice(cushim_stream on, size_t length)
{
    cushim_slice slice = CUSHIM_NONE;

    assert_ok(cushim_slice_alloc(on, 4, length, &slice));
    return slice;
}

/* On one stream it takes no call of the driver. */
Test(memory_kept, is_used_again_on_its_stream)
{
    struct world w;
    cushim_slice slice;
    uint64_t address, calls;

    open_unchecked(&w);
    slice = new_slice(stream, N);
    address = address_of(stream, slice);
    cushim_slice_free(&slice);
    cr_expect(eq(sz, kept(&w).bytes, BYTES));
    calls = count(&w, "cuMemAllocAsync");
    slice = new_slice(stream, N);
    cr_expect(eq(u64, address_of(stream, slice), address));
    cr_expect(eq(u64, count(&w, "cuMemAllocAsync"), calls));
    cr_expect(eq(u64, count(&w, "cuMemFreeAsync"), 0));
    cr_expect(eq(u64, count(&w, "cuStreamWaitEvent"), 0));
    cr_expect(eq(sz, kept(&w).bytes, 0));
    cr_expect(eq(u64, kept(&w).allocated, 2));
    cr_expect(eq(u64, kept(&w).reused, 1));
    /* Another size does not fit. */
    cushim_slice_free(&slice);
    slice = new_slice(stream, N + 1);
    cr_expect(ne(u64, address_of(stream, slice), address));
    cushim_slice_free(&slice);
    cushim_stream_free(&stream);
    close_world(&w);
}

/* Another stream waits for the work that used the memory last. */
Test(memory_kept, is_used_again_on_another_stream_after_a_wait)
{
    struct world w;
    cushim_stream other = CUSHIM_NONE;
    cushim_slice slice;
    uint64_t address;
    uint32_t values[N];

    open_unchecked(&w);
    assert_ok(cushim_stream_new(w.context, NULL, &other));
    slice = new_slice(stream, N);
    address = address_of(stream, slice);
    assert_ok(cushim_slice_fill(stream, slice, 1u));
    cushim_slice_free(&slice);
    slice = new_slice(other, N);
    cr_expect(eq(u64, address_of(other, slice), address));
    cr_expect(eq(u64, count(&w, "cuStreamWaitEvent"), 1));
    assert_ok(cushim_slice_fill(other, slice, 2u));
    assert_ok(cushim_slice_read(other, slice, values, N));
    cr_expect(eq(u32, values[N - 1], 2));
    cushim_slice_free(&slice);
    cushim_stream_free(&other);
    cushim_stream_free(&stream);
    close_world(&w);
}

Test(memory_kept, has_a_limit)
{
    struct world w;
    cushim_slice slices[3];

    open_unchecked(&w);
    assert_ok(cushim_memory_set_limit(w.context, 2 * BYTES));
    for (int i = 0; i < 3; i++)
        slices[i] = new_slice(stream, N);
    for (int i = 0; i < 3; i++)
        cushim_slice_free(&slices[i]);
    cr_expect(eq(sz, kept(&w).bytes, 2 * BYTES));
    cr_expect(eq(u64, count(&w, "cuMemFreeAsync"), 1));
    assert_ok(cushim_memory_trim(w.context, BYTES));
    cr_expect(eq(sz, kept(&w).bytes, BYTES));
    assert_ok(cushim_memory_set_limit(w.context, 0));
    cr_expect(eq(sz, kept(&w).bytes, 0));
    slices[0] = new_slice(stream, N);
    cushim_slice_free(&slices[0]);
    cr_expect(eq(sz, kept(&w).bytes, 0));
    cr_expect(eq(u64, count(&w, "cuMemFreeAsync"), 4));
    cushim_stream_free(&stream);
    close_world(&w);
}

/* The memory of the device is full of kept memory of another size. */
Test(memory_kept, is_freed_when_there_is_no_other)
{
    struct world w;
    cushim_slice slice;
    size_t total = 0, free_bytes = 0;

    MOCK_ONLY("it fills the memory of the device");
    open_unchecked(&w);
    assert_ok(cushim_context_memory(w.context, &free_bytes, &total));
    assert_ok(cushim_memory_set_limit(w.context, total));
    slice = new_slice(stream, free_bytes / 8 * 3 / 2);
    cushim_slice_free(&slice);
    assert_refused(cushim_slice_alloc(stream, 0, 1, &slice), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "an element of 0 bytes");
    slice = new_slice(stream, free_bytes / 8 * 5 / 3);
    cr_expect(eq(sz, kept(&w).bytes, 0));
    assert_text("an element of 0 bytes");
    cushim_slice_free(&slice);
    cushim_stream_free(&stream);
    close_world(&w);
}

Test(memory_kept, is_freed_with_the_last_handle)
{
    struct world w;
    cushim_slice slice, late;

    open_unchecked(&w);
    slice = new_slice(stream, N);
    late = new_slice(stream, N);
    cushim_slice_free(&slice);
    cr_expect(eq(sz, kept(&w).bytes, BYTES));
    cushim_stream_free(&stream);
    cushim_context_free(&w.context);
    cr_expect(eq(u64, count(&w, "cuMemFreeAsync"), 1));
    cushim_slice_free(&late);
    cr_expect(eq(u64, count(&w, "cuMemFreeAsync"), 2));
    cushim_stream_free(&stream);
    close_world(&w);
}

/* Memory that cushim has not allocated is freed as its owner asked. */
Test(memory_kept, is_not_what_was_adopted)
{
    struct world w;
    cushim_slice slice;
    uint64_t address = 0;

    open_unchecked(&w);
    slice = new_slice(stream, N);
    assert_ok(cushim_slice_leak(stream, &slice, &address));
    assert_ok(cushim_slice_adopt(stream, address, 4, N, CUSHIM_ADOPTED_ASYNC, &slice));
    cushim_slice_free(&slice);
    cr_expect(eq(sz, kept(&w).bytes, 0));
    cr_expect(eq(u64, count(&w, "cuMemFreeAsync"), 1));
    cushim_stream_free(&stream);
    close_world(&w);
}

/* Where the mock looks for mistakes, it sees the use of freed memory as before. */
Test(memory_kept, is_nothing_where_the_mock_checks)
{
    struct world w;
    cushim_slice slice;

    MOCK_ONLY("it turns the mock's checks on");
    run_alone();
    open_with_checks(&w, "");
    assert_ok(cushim_memory_set_limit(w.context, 1 << 20));
    slice = new_slice(stream, N);
    cushim_slice_free(&slice);
    cr_expect(eq(sz, kept(&w).bytes, 0));
    cr_expect(eq(u64, count(&w, "cuMemFreeAsync"), 1));
    cushim_stream_free(&stream);
    close_world(&w);
}

/* What nobody asks for any more does not fill the room for good. */
Test(memory_kept, other_sizes_make_room)
{
    cushim_slice old[4], slice;
    uint64_t reused;
    struct world w;

    open_unchecked(&w);
    assert_ok(cushim_memory_set_limit(w.context, 4 * BYTES));
    for (int i = 0; i < 4; i++)
        old[i] = new_slice(stream, N);
    for (int i = 0; i < 4; i++)
        cushim_slice_free(&old[i]);
    cr_assert(eq(sz, kept(&w).bytes, 4 * BYTES));
    slice = new_slice(stream, 2 * N);
    cushim_slice_free(&slice);
    cr_expect(eq(sz, kept(&w).bytes, 4 * BYTES), "two old ones were freed");
    reused = kept(&w).reused;
    slice = new_slice(stream, 2 * N);
    cr_expect(eq(u64, kept(&w).reused, reused + 1));
    cushim_slice_free(&slice);
    /* One of its own size is no reason to free another one. */
    assert_ok(cushim_memory_trim(w.context, 0));
    for (int i = 0; i < 4; i++)
        old[i] = new_slice(stream, N);
    slice = new_slice(stream, N);
    for (int i = 0; i < 4; i++)
        cushim_slice_free(&old[i]);
    forget_calls(&w);
    cushim_slice_free(&slice);
    cr_expect(eq(u64, count(&w, "cuMemFreeAsync"), 1));
    cr_expect(eq(sz, kept(&w).bytes, 4 * BYTES));
    cushim_stream_free(&stream);
    close_world(&w);
}

static bool is_found(const char *part)
{
    const struct cushim_mock_finding *findings = NULL;
    const size_t n = cushim_mock_findings(&findings);

    for (size_t i = 0; i < n; i++)
        if (strstr(findings[i].text, part))
            return true;
    return false;
}

/* What cushim makes for itself is called so, and what the program has labelled has its label. */
Test(safe_memory_kept, leaks_say_whose_they_are)
{
    cushim_stream a = CUSHIM_NONE, b = CUSHIM_NONE;
    cushim_slice slice = CUSHIM_NONE;
    int values[4] = {1, 2, 3, 4};
    struct world w;

    MOCK_ONLY("it looks at the mock's findings");
    open_world(&w);
    assert_ok(cushim_stream_new(w.context, NULL, &a));
    assert_ok(cushim_stream_new(w.context, NULL, &b));
    assert_ok(cushim_slice_from(a, values, 4, &slice));
    assert_ok(cushim_label(slice, "weights"));
    assert_ok(cushim_label(b, "upload"));
    assert_ok(cushim_slice_fill(a, slice, 1));
    assert_ok(cushim_slice_fill(b, slice, 2));
    cushim_mock_leaks();
    cr_expect(is_found("'weights' (16 bytes"));
    cr_expect(is_found("'upload', made by cuStreamCreate"));
    cr_expect(is_found("'cushim's own, for copies'"));
    cr_expect(is_found("'cushim's own, for order', made by cuEventCreate"));
    cushim_mock_findings_clear();
    cushim_slice_free(&slice);
    cushim_stream_free(&a);
    cushim_stream_free(&b);
    close_world(&w);
}

/* The program destroys such a stream after the slices are freed, and cushim does not know when. */
Test(memory_kept, what_a_stream_of_the_program_has_used_is_not_kept)
{
    cushim_stream adopted;
    cushim_slice slices[3];
    struct world w;
    void *raw;

    open_unchecked(&w);
    assert_ok(cushim_context_push(w.context));
    cr_assert(eq(int, RAW(&w, cuStreamCreate, (void **, unsigned), &raw, 1), 0));
    assert_ok(cushim_stream_adopt(w.context, raw, &adopted));
    slices[0] = new_slice(adopted, N);
    slices[1] = new_slice(stream, N);
    slices[2] = new_slice(stream, N);
    assert_ok(cushim_slice_fill(adopted, slices[1], 1));
    assert_ok(cushim_slice_fill(stream, slices[1], 2));
    assert_ok(cushim_slice_copy(adopted, slices[0], slices[2]));
    forget_calls(&w);
    cushim_slice_free(&slices[0]);
    cushim_slice_free(&slices[2]);
    cr_assert(eq(u64, count(&w, "cuMemFreeAsync"), 2));
    cr_assert(eq(sz, kept(&w).bytes, 0));
    /* Here the last use is that of another stream, which has waited. */
    cushim_slice_free(&slices[1]);
    cushim_stream_free(&adopted);
    cr_assert(eq(int, RAW(&w, cuStreamSynchronize, (void *), raw), 0));
    cr_assert(eq(int, RAW(&w, cuStreamDestroy_v2, (void *), raw), 0));
    slices[1] = new_slice(stream, N);
    assert_ok(cushim_slice_fill(stream, slices[1], 3));
    assert_ok(cushim_stream_synchronize(stream));
    cushim_slice_free(&slices[1]);
    assert_ok(cushim_context_pop(w.driver, NULL));
    cushim_stream_free(&stream);
    close_world(&w);
}

/* A device without pools has the memory again as soon as it is freed. */
Test(memory_kept, an_arena_gets_what_is_kept)
{
    const size_t large = (size_t) 2500 << 20;
    cushim_slice slice = CUSHIM_NONE;
    cushim_stream recorder;
    struct world w;

    MOCK_ONLY("it needs a device of 4 GiB without memory pools");
    run_alone();
    setenv("CUSHIM_MOCK_CHECK", "0", 1);
    open_world_with(&w, "device.*.memory = 4GiB\ndevice.*.memory_pools_supported = 0");
    assert_ok(cushim_memory_set_limit(w.context, large));
    assert_ok(cushim_stream_new(w.context, NULL, &stream));
    assert_ok(cushim_slice_alloc(stream, 1, large, &slice));
    assert_ok(cushim_slice_fill(stream, slice, (char) 1));
    cushim_slice_free(&slice);
    cr_assert(eq(sz, kept(&w).bytes, large));
    assert_ok(cushim_capture_begin(w.context, &recorder));
    cushim_error_clear();
    assert_ok(cushim_slice_alloc(recorder, 1, large, &slice));
    cr_assert(eq(sz, kept(&w).bytes, 0));
    cr_assert(eq(int, cushim_error_status(), CUSHIM_OK)); /* the first answer is forgotten */
    cushim_slice_free(&slice);
    cushim_stream_free(&recorder);
    cushim_stream_free(&stream);
    close_world(&w);
}
