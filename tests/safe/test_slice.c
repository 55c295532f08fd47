/* SPDX-License-Identifier: MIT */
/* Slices and views: what is in them, and what is asked of the driver. */
#include "two_streams.h"

SUITE(safe_slice);

enum { N = 100 };

static cushim_slice counting(cushim_stream stream)
{
    cushim_slice slice = CUSHIM_NONE;
    int32_t values[N];

    for (int i = 0; i < N; i++)
        values[i] = i;
    assert_ok(cushim_slice_from(stream, values, N, &slice));
    return slice;
}

Test(safe_slice, alloc_fill_and_free_are_three_calls)
{
    cushim_slice slice = CUSHIM_NONE;
    struct fixture f;

    open_fixture(&f);
    forget_calls(&f.w);
    assert_ok(cushim_slice_alloc(f.a, 4, N, &slice));
    assert_ok(cushim_slice_fill(f.a, slice, 1.5f));
    cushim_slice_free(&slice);
    cr_expect(eq(u64, count_all(&f.w), 3));
    cr_expect(eq(u64, count(&f.w, "cuMemAllocAsync"), 1));
    cr_expect(eq(u64, count(&f.w, "cuMemsetD32Async"), 1));
    cr_expect(eq(u64, count(&f.w, "cuMemFreeAsync"), 1));
    close_fixture(&f);
}

Test(safe_slice, values_go_there_and_back)
{
    cushim_slice slice, other = CUSHIM_NONE;
    int32_t values[N];
    struct fixture f;

    open_fixture(&f);
    slice = counting(f.a);
    assert_ok(cushim_slice_alloc(f.b, 4, N, &other));
    assert_ok(cushim_slice_copy(f.b, other, slice));
    assert_ok(cushim_slice_read(f.b, other, values, N));
    for (int i = 0; i < N; i++)
        cr_assert(eq(int, values[i], i));
    cushim_slice_free(&slice);
    cushim_slice_free(&other);
    close_fixture(&f);
}

/* The copy in b reads what a wrote, and the fill in a overwrites what b reads. */
Test(safe_slice, ping_pong_is_one_record_and_one_wait_a_hand_over)
{
    cushim_slice slice = CUSHIM_NONE;
    struct fixture f;

    open_fixture(&f);
    assert_ok(cushim_slice_zeros(f.a, 4, N, &slice));
    for (int i = 0; i < 20; i++) {
        forget_calls(&f.w);
        assert_ok(cushim_slice_fill(i % 2 ? f.a : f.b, slice, i));
        cr_expect(eq(u64, count(&f.w, "cuEventRecord"), 1));
        cr_expect(eq(u64, count(&f.w, "cuStreamWaitEvent"), 1));
        cr_expect(eq(u64, count_all(&f.w) - count(&f.w, "cuEventCreate"), 3));
        cr_expect(eq(u64, count(&f.w, "cuEventCreate"), i < 8), "marks are used again");
    }
    cushim_slice_free(&slice);
    close_fixture(&f);
}

Test(safe_slice, one_stream_needs_no_events)
{
    cushim_slice x, y = CUSHIM_NONE;
    int32_t values[N];
    struct fixture f;

    open_fixture(&f);
    x = counting(f.a);
    assert_ok(cushim_slice_alloc(f.a, 4, N, &y));
    for (int i = 0; i < 10; i++) {
        assert_ok(cushim_slice_copy(f.a, y, x));
        assert_ok(cushim_slice_fill(f.a, y, i));
        assert_ok(cushim_slice_read(f.a, y, values, N));
    }
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    cr_expect(eq(u64,
                 count(&f.w, "cuEventCreate") + count(&f.w, "cuEventRecord") +
                     count(&f.w, "cuStreamWaitEvent"),
                 0));
    close_fixture(&f);
}

Test(safe_slice, fills_of_every_size)
{
    struct triple {
        char r, g, b;
    } color = {1, 2, 3}, colors[N];
    double doubles[N];
    struct fixture f;
    cushim_slice slice = CUSHIM_NONE;
    uint16_t halves[N];

    open_fixture(&f);
    assert_ok(cushim_slice_alloc(f.a, sizeof(double), N, &slice));
    assert_ok(cushim_slice_fill(f.a, slice, 0.1));
    assert_ok(cushim_slice_read(f.a, slice, doubles, N));
    for (int i = 0; i < N; i++)
        cr_assert(eq(dbl, doubles[i], 0.1));
    cushim_slice_free(&slice);
    assert_ok(cushim_slice_alloc(f.a, sizeof(color), N, &slice));
    assert_ok(cushim_slice_fill(f.a, slice, color));
    assert_ok(cushim_slice_read(f.a, slice, colors, N));
    for (int i = 0; i < N; i++)
        cr_assert(eq(int, memcmp(&colors[i], &color, sizeof(color)), 0));
    cushim_slice_free(&slice);
    assert_ok(cushim_slice_zeros(f.a, 2, N, &slice));
    assert_ok(cushim_slice_fill(f.a, slice, (uint16_t) 0x3c00));
    assert_ok(cushim_slice_read(f.a, slice, halves, N));
    cr_expect(eq(uint, halves[N - 1], 0x3c00));
    assert_refused(cushim_slice_fill(f.a, slice, 1.5f), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "4 bytes (floating point) here, of 2 in the view");
    cushim_slice_free(&slice);
    close_fixture(&f);
}

Test(safe_slice, big_copies_go_in_pieces)
{
    const size_t n = (3u << 20) / 4 + 7;
    uint32_t *values = malloc(n * 4), *back = malloc(n * 4);
    cushim_slice slice = CUSHIM_NONE;
    struct fixture f;

    open_fixture(&f);
    for (size_t i = 0; i < n; i++)
        values[i] = (uint32_t) i * 2654435761u;
    assert_ok(cushim_slice_from(f.a, values, n, &slice));
    assert_ok(cushim_slice_read(f.b, slice, back, n));
    cr_expect(eq(int, memcmp(values, back, n * 4), 0));
    cushim_slice_free(&slice);
    free(values);
    free(back);
    close_fixture(&f);
}

Test(safe_slice, parts)
{
    cushim_view left, right, part, parts[3], words;
    size_t length = 0, element = 0;
    cushim_slice slice;
    int32_t values[N];
    struct fixture f;

    open_fixture(&f);
    slice = counting(f.a);
    assert_ok(cushim_view_split(CUSHIM_VIEW(slice), 10, &left, &right));
    assert_ok(cushim_view_size(right, &length, NULL));
    cr_expect(eq(sz, length, N - 10));
    assert_ok(cushim_view_part(right, 5, 3, &part));
    assert_ok(cushim_slice_read(f.a, part, values, 3));
    cr_expect(eq(int, values[0], 15));
    assert_ok(cushim_slice_fill(f.b, part, -1));
    assert_ok(cushim_slice_read(f.a, slice, values, N));
    cr_expect(eq(int, values[14], 14));
    cr_expect(eq(int, values[15], -1));
    cr_expect(eq(int, values[18], 18));
    assert_ok(cushim_view_partition(CUSHIM_VIEW(slice), 3, parts));
    for (int i = 0; i < 3; i++) {
        assert_ok(cushim_view_size(parts[i], &length, &element));
        cr_expect(eq(sz, length, i ? 33 : 34));
        assert_ok(cushim_slice_fill(i % 2 ? f.a : f.b, parts[i], i));
    }
    assert_ok(cushim_slice_read(f.a, slice, values, N));
    cr_expect(eq(int, values[33], 0));
    cr_expect(eq(int, values[34], 1));
    cr_expect(eq(int, values[67], 2));
    assert_ok(CUSHIM_VIEW_AS(slice, uint64_t, &words));
    assert_ok(cushim_view_size(words, &length, &element));
    cr_expect(eq(sz, length, N / 2));
    cr_expect(eq(sz, element, 8));
    cushim_slice_free(&slice);
    close_fixture(&f);
}

Test(safe_slice, disjoint_parts_do_not_wait_for_each_other)
{
    cushim_view left, right;
    cushim_slice slice;
    struct fixture f;

    open_fixture(&f);
    slice = counting(f.a);
    assert_ok(cushim_view_split(CUSHIM_VIEW(slice), 50, &left, &right));
    assert_ok(cushim_slice_fill(f.a, left, 1));
    assert_ok(cushim_slice_fill(f.b, right, 2));
    forget_calls(&f.w);
    for (int i = 0; i < 5; i++) {
        assert_ok(cushim_slice_fill(f.a, left, i));
        assert_ok(cushim_slice_fill(f.b, right, i));
    }
    cr_expect(eq(u64, count_all(&f.w), 10));
    cushim_slice_free(&slice);
    close_fixture(&f);
}

Test(safe_slice, cloned_and_reclaimed)
{
    cushim_slice slice, clone = CUSHIM_NONE;
    struct fixture f;
    int32_t values[N];

    open_fixture(&f);
    slice = counting(f.a);
    assert_ok(cushim_slice_clone(f.b, slice, &clone));
    assert_ok(cushim_slice_fill(f.a, slice, 0));
    assert_refused(cushim_slice_reclaim(f.a, &clone, values, N - 1), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "99 elements here");
    assert_ok(cushim_slice_reclaim(f.a, &clone, values, N));
    cr_expect(eq(u64, clone.id, 0));
    cr_expect(eq(int, values[N - 1], N - 1));
    assert_ok(cushim_slice_reclaim(f.b, &slice, values, N));
    cr_expect(eq(int, values[N - 1], 0));
    assert_refused(cushim_slice_clone(f.b, slice, &clone), CUSHIM_ERROR_STALE_HANDLE, "zero");
    close_fixture(&f);
}

/* The program's own page-locked memory, which it sees to itself. */
Test(safe_slice, asynchronous_copies_of_the_hosts_memory)
{
    void *pinned = NULL;
    cushim_slice slice;
    struct fixture f;
    int32_t *values;

    open_fixture(&f);
    cr_assert(
        eq(int, RAW(&f.w, cuMemHostAlloc, (void **, size_t, unsigned), &pinned, N * sizeof(int), 0),
           0));
    values = pinned;
    memset(values, 0, N * sizeof(int));
    slice = counting(f.a);
    forget_calls(&f.w);
    assert_ok(cushim_slice_read_async(f.b, slice, values, N));
    cr_expect(eq(u64, count(&f.w, "cuMemcpyDtoHAsync_v2"), 1));
    cr_expect(eq(u64, count(&f.w, "cuStreamSynchronize"), 0));
    assert_ok(cushim_stream_synchronize(f.b));
    cr_expect(eq(int, values[N - 1], N - 1));
    for (int i = 0; i < N; i++)
        values[i] = 3 * i;
    forget_calls(&f.w);
    assert_ok(cushim_slice_write_async(f.b, slice, values, N));
    cr_expect(eq(u64, count(&f.w, "cuMemcpyHtoDAsync_v2"), 1));
    cr_expect(eq(u64, count(&f.w, "cuStreamSynchronize"), 0));
    assert_ok(cushim_stream_synchronize(f.b));
    memset(values, 0, N * sizeof(int));
    assert_ok(cushim_slice_read(f.a, slice, values, N));
    for (int i = 0; i < N; i++)
        cr_expect(eq(int, values[i], 3 * i));
    cr_assert(eq(int, RAW(&f.w, cuMemFreeHost, (void *), pinned), 0));
    cushim_slice_free(&slice);
    close_fixture(&f);
}

Test(safe_slice, split_leak_and_adopt)
{
    cushim_slice slice, left = CUSHIM_NONE, right = CUSHIM_NONE;
    uint64_t address = 0;
    int32_t values[N];
    struct fixture f;

    open_fixture(&f);
    slice = counting(f.a);
    assert_ok(cushim_slice_split(&slice, 40, &left, &right));
    cr_expect(eq(u64, slice.id, 0));
    assert_ok(cushim_slice_read(f.b, right, values, 60));
    cr_expect(eq(int, values[0], 40));
    assert_refused(cushim_slice_leak(f.a, &left, &address), CUSHIM_ERROR_BUSY,
                   "other slices or graphs have parts");
    cushim_slice_free(&left);
    cr_expect(eq(u64, count(&f.w, "cuMemFreeAsync"), 0), "the other half is in use");
    cushim_slice_free(&right);
    cr_expect(eq(u64, count(&f.w, "cuMemFreeAsync"), 1));

    slice = counting(f.a);
    assert_ok(cushim_slice_fill(f.b, slice, 7));
    assert_ok(cushim_slice_leak(f.a, &slice, &address));
    cr_expect(eq(u64, slice.id, 0));
    cr_expect(eq(u64, count(&f.w, "cuMemFreeAsync"), 1));
    assert_ok(cushim_slice_adopt(f.a, address, 4, N / 2, CUSHIM_ADOPTED_BORROWED, &slice));
    assert_ok(cushim_slice_read(f.b, slice, values, N / 2));
    cr_expect(eq(int, values[49], 7));
    cushim_slice_free(&slice);
    assert_ok(cushim_slice_adopt(f.a, address, 4, N, CUSHIM_ADOPTED_ASYNC, &slice));
    assert_ok(cushim_slice_read(f.b, slice, values, N));
    cr_expect(eq(int, values[N - 1], 7));
    cushim_slice_free(&slice);
    close_fixture(&f);
}

/* The last part is all that is left of the allocation, which begins where the first part was. */
Test(safe_slice, the_last_part_is_leaked)
{
    cushim_slice slice, left = CUSHIM_NONE, right = CUSHIM_NONE;
    uint64_t begin = 0, address = 0;
    struct fixture f;

    open_fixture(&f);
    for (int first = 0; first < 2; first++) {
        slice = counting(f.a);
        assert_ok(cushim_slice_use(f.a, slice, true, &begin));
        assert_ok(cushim_slice_split(&slice, 40, &left, &right));
        cushim_slice_free(first ? &right : &left);
        assert_ok(cushim_slice_leak(f.a, first ? &left : &right, &address));
        cr_expect(eq(u64, address, begin));
        assert_ok(cushim_slice_adopt(f.a, address, 4, N, CUSHIM_ADOPTED_BORROWED, &slice));
        assert_refused(cushim_slice_leak(f.a, &slice, &address), CUSHIM_ERROR_INVALID_ARGUMENT,
                       "cushim does not own the memory");
        cushim_slice_free(&slice);
        assert_ok(cushim_slice_adopt(f.a, address, 4, N, CUSHIM_ADOPTED_ASYNC, &slice));
        cushim_slice_free(&slice);
    }
    close_fixture(&f);
}

/* Work with no bytes comes after nothing, whichever stream had the memory before. */
Test(safe_slice, of_no_elements_is_used_and_adopted)
{
    cushim_slice slice = CUSHIM_NONE, adopted = CUSHIM_NONE;
    uint64_t address = 0;
    struct fixture f;

    open_fixture(&f);
    slice = counting(f.a);
    assert_ok(cushim_slice_use(f.a, slice, false, &address));
    assert_ok(cushim_slice_used(f.a, slice, false));
    assert_ok(cushim_slice_adopt(f.a, address, 4, 0, CUSHIM_ADOPTED_BORROWED, &adopted));
    cushim_slice_free(&slice);
    assert_ok(cushim_slice_alloc(f.a, 4, 0, &slice));
    for (int i = 0; i < 2; i++) {
        assert_ok(cushim_slice_use(i ? f.b : f.a, slice, true, &address));
        assert_ok(cushim_slice_used(i ? f.b : f.a, slice, true));
        assert_ok(cushim_slice_use(i ? f.b : f.a, adopted, false, &address));
    }
    assert_refused(cushim_slice_leak(f.a, &slice, &address), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "it has no memory");
    cushim_slice_free(&adopted);
    cushim_slice_free(&slice);
    close_fixture(&f);
}
