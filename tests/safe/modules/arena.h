/* SPDX-License-Identifier: MIT */
/* What the tests of arenas share. */
#ifndef CUSHIM_TESTS_ARENA_H
#define CUSHIM_TESTS_ARENA_H

#include "recording.h"

enum { UNIT = 512 };

static inline cushim_slice alloc_on(cushim_stream recorder)
{
    cushim_slice slice = CUSHIM_NONE;

    assert_ok(cushim_slice_alloc(recorder, CUSHIM_ELEMENT(float), N, &slice));
    return slice;
}

static inline uint64_t address_of(cushim_stream recorder, cushim_slice slice)
{
    uint64_t address = 0;

    assert_ok(cushim_slice_use(recorder, slice, true, &address));
    return address;
}

static inline size_t used_of(cushim_arena arena)
{
    size_t used = 0;

    assert_ok(cushim_arena_stats(arena, NULL, NULL, &used, NULL));
    return used;
}

static inline size_t peak_of(cushim_arena arena)
{
    size_t peak = 0;

    assert_ok(cushim_arena_stats(arena, NULL, NULL, NULL, &peak));
    return peak;
}

static inline size_t bytes_of(cushim_arena arena)
{
    size_t bytes = 0;

    assert_ok(cushim_arena_stats(arena, NULL, &bytes, NULL, NULL));
    return bytes;
}

static inline cushim_stream begin_in(cushim_arena arena)
{
    cushim_stream recorder = CUSHIM_NONE;

    assert_ok(
        cushim_capture_begin_with(w.context, cushim_capture_params(.arena = arena), &recorder));
    return recorder;
}

static inline cushim_view part_of(cushim_slice slice, size_t first, size_t length)
{
    cushim_view view;

    assert_ok(cushim_view_part(CUSHIM_VIEW(slice), first, length, &view));
    return view;
}

static inline void expect_byte(cushim_slice slice, char wanted)
{
    char value = -1;

    assert_ok(cushim_slice_read(stream, part_of(slice, 0, 1), &value, 1));
    cr_assert(eq(int, value, wanted));
}

/* y = 2 x + value, by way of two slices that are allocated */
static inline void record_twice(cushim_stream recorder, cushim_slice x, cushim_slice y, float value)
{
    cushim_slice a = alloc_on(recorder), b = CUSHIM_NONE;

    record_sum(recorder, a, x, x);
    assert_ok(cushim_slice_clone(recorder, a, &b));
    cushim_slice_free(&a);
    record_add(recorder, b, value);
    assert_ok(cushim_slice_copy(recorder, y, b));
    cushim_slice_free(&b);
}

#endif
