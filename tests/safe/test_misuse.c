/* SPDX-License-Identifier: MIT */
/* What a caller can do wrong, and the status and the sentence that each ends in. */
#include <stdio.h>

#include "misuse.h"

SUITE(safe_misuse);

Test(safe_misuse, stale_handles_of_every_kind)
{
    struct fixture f, copy;
    const void *pointer;
    int values[N];

    open_fixture(&f);
    copy = f;
    cushim_slice_free(&f.slice);
    cushim_pinned_free(&f.pinned);
    cushim_unified_free(&f.unified);
    cushim_event_free(&f.event);
    assert_refused(cushim_slice_read(f.stream, copy.slice, values, N), CUSHIM_ERROR_STALE_HANDLE,
                   "cushim_slice_read: the slice was freed by test_misuse.c:");
    assert_refused(cushim_pinned_read(copy.pinned, &pointer), CUSHIM_ERROR_STALE_HANDLE,
                   "the pinned memory was freed by test_misuse.c:");
    assert_refused(cushim_unified_read(copy.unified, &pointer), CUSHIM_ERROR_STALE_HANDLE,
                   "the unified memory was freed by test_misuse.c:");
    assert_refused(cushim_stream_wait(f.stream, copy.event), CUSHIM_ERROR_STALE_HANDLE,
                   "the event was freed by test_misuse.c:");
    cushim_stream_free(&f.stream);
    assert_refused(cushim_stream_synchronize(copy.stream), CUSHIM_ERROR_STALE_HANDLE,
                   "the stream was freed by test_misuse.c:");
    assert_refused(cushim_slice_alloc(copy.stream, 4, N, &f.slice), CUSHIM_ERROR_STALE_HANDLE,
                   "the stream was freed by");
    assert_refused(cushim_slice_fill(copy.stream, copy.slice, 1), CUSHIM_ERROR_STALE_HANDLE,
                   "freed by");
    assert_refused(cushim_slice_fill((cushim_stream){0}, copy.slice, 1), CUSHIM_ERROR_STALE_HANDLE,
                   "the stream handle is zero");
    close_fixture(&f);
}

static char logged[400];

static void keep_log(enum cushim_log_level level, const char *message, void *user)
{
    (void) user;
    (void) level;
    snprintf(logged, sizeof(logged), "%s", message);
}

Test(safe_misuse, freed_twice)
{
    struct fixture f, copy;
    const int line = __LINE__ + 5;
    char place[64];

    open_fixture(&f);
    copy = f;
    cushim_slice_free(&f.slice);
    forget_calls(&f.w);
    cushim_log_set(CUSHIM_LOG_ERROR, keep_log, NULL);
    cushim_slice_free(&copy.slice);
    cushim_log_set(CUSHIM_LOG_NONE, NULL, NULL);
    snprintf(place, sizeof(place), "cushim_slice_free: the slice was freed by test_misuse.c:%d",
             line);
    assert_contains(logged, place);
    cr_expect(eq(u64, count(&f.w, NULL), 0), "the driver hears nothing of it");
    cr_expect(eq(u64, copy.slice.id, 0));
    cushim_slice_free(&copy.slice);
    cushim_slice_free(NULL);
    cushim_stream_free(NULL);
    cushim_event_free(NULL);
    cushim_pinned_free(NULL);
    cushim_unified_free(NULL);
    cushim_context_free(NULL);
    close_fixture(&f);
}

Test(safe_misuse, handles_of_another_kind)
{
    const void *pointer;
    struct fixture f;
    int values[N];

    open_fixture(&f);
    assert_refused(cushim_stream_synchronize((cushim_stream){f.slice.id}),
                   CUSHIM_ERROR_WRONG_HANDLE, "expected a stream, this is the handle of a slice");
    assert_refused(cushim_event_query((cushim_event){f.stream.id}), CUSHIM_ERROR_WRONG_HANDLE,
                   "expected an event, this is the handle of a stream");
    assert_refused(cushim_slice_read(f.stream, (cushim_slice){f.w.context.id}, values, N),
                   CUSHIM_ERROR_WRONG_HANDLE, "expected a slice, this is the handle of a context");
    assert_refused(cushim_pinned_read((cushim_pinned){f.unified.id}, &pointer),
                   CUSHIM_ERROR_WRONG_HANDLE,
                   "expected pinned memory, this is the handle of unified memory");
    assert_refused(cushim_unified_prefetch(f.stream, f.slice, 0), CUSHIM_ERROR_WRONG_HANDLE,
                   "expected unified memory, this is the handle of a slice");
    assert_refused(cushim_stream_new((cushim_context){f.stream.id}, NULL, &f.far),
                   CUSHIM_ERROR_WRONG_HANDLE, "expected a context");
    close_fixture(&f);
}

Test(safe_misuse, objects_of_another_context)
{
    cushim_slice third, twin = CUSHIM_NONE;
    cushim_stream stream = CUSHIM_NONE;
    cushim_context mine = CUSHIM_NONE;
    struct fixture f;
    int values[N];

    open_fixture(&f);
    assert_ok(cushim_label(f.far_slice, "far"));
    assert_refused(cushim_slice_fill(f.stream, f.far_slice, 1), CUSHIM_ERROR_FOREIGN_CONTEXT,
                   "the memory belongs to another context");
    cr_expect(eq(str, S(cushim_error_label()), S("far")));
    assert_refused(cushim_slice_read(f.stream, f.far_slice, values, N),
                   CUSHIM_ERROR_FOREIGN_CONTEXT, "another context");
    assert_refused(cushim_event_record(f.event, f.far), CUSHIM_ERROR_FOREIGN_CONTEXT, "event");
    assert_refused(cushim_unified_prefetch(f.far, f.unified, 1), CUSHIM_ERROR_FOREIGN_CONTEXT,
                   "memory");
    /* Another context of the same device is another context. */
    assert_ok(cushim_context_create(f.w.driver, 0, 0, &mine));
    assert_ok(cushim_stream_new(mine, NULL, &stream));
    third = filled(stream);
    assert_refused(cushim_slice_fill(stream, f.slice, 1), CUSHIM_ERROR_FOREIGN_CONTEXT, "memory");
    assert_refused(cushim_slice_copy(stream, f.slice, f.far_slice), CUSHIM_ERROR_FOREIGN_CONTEXT,
                   "memory on both sides");
    assert_ok(cushim_slice_copy(stream, third, f.slice));
    cushim_slice_free(&third);
    cushim_slice_free(&twin);
    cushim_stream_free(&stream);
    cushim_context_free(&mine);
    close_fixture(&f);
}

Test(safe_misuse, overlapping_views)
{
    cushim_view left, right, same;
    struct fixture f;

    open_fixture(&f);
    assert_ok(cushim_label(f.slice, "weights"));
    assert_ok(cushim_view_part(CUSHIM_VIEW(f.slice), 0, 40, &left));
    assert_ok(cushim_view_part(CUSHIM_VIEW(f.slice), 24, 40, &right));
    forget_calls(&f.w);
    assert_refused(cushim_slice_copy(f.stream, left, right), CUSHIM_ERROR_OVERLAP,
                   "overlap in 64 bytes of slice 'weights'");
    assert_refused(cushim_slice_copy(f.stream, f.slice, f.slice), CUSHIM_ERROR_OVERLAP,
                   "overlap in 256 bytes");
    cr_expect(eq(u64, count(&f.w, "cuMemcpyDtoDAsync_v2"), 0));
    /* Side by side is fine, and so is an empty one inside. */
    assert_ok(cushim_view_part(CUSHIM_VIEW(f.slice), 0, 32, &left));
    assert_ok(cushim_view_part(CUSHIM_VIEW(f.slice), 32, 32, &right));
    assert_ok(cushim_slice_copy(f.stream, left, right));
    assert_ok(cushim_view_part(CUSHIM_VIEW(f.slice), 8, 0, &same));
    assert_ok(cushim_slice_copy(f.stream, same, same));
    close_fixture(&f);
}

Test(safe_misuse, views_of_freed_slices)
{
    struct fixture f;
    cushim_view part;

    open_fixture(&f);
    assert_ok(cushim_view_part(CUSHIM_VIEW(f.slice), 0, 8, &part));
    cushim_slice_free(&f.slice);
    f.slice = filled(f.stream);
    assert_refused(cushim_slice_fill(f.stream, part, 1), CUSHIM_ERROR_STALE_HANDLE, "freed by");
    assert_refused(cushim_view_part(part, 0, 1, &part), CUSHIM_ERROR_STALE_HANDLE, "freed by");
    close_fixture(&f);
}

Test(safe_misuse, nulls)
{
    struct fixture f;
    int values[N];

    open_fixture(&f);
    assert_refused(cushim_slice_alloc(f.stream, 4, N, NULL), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "ret_slice is NULL");
    assert_refused(cushim_slice_alloc(f.stream, 0, N, &f.slice), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "an element of 0 bytes");
    assert_refused(cushim_slice_from_host(f.stream, NULL, 4, N, &f.slice),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "host is NULL");
    assert_refused(cushim_slice_read(f.stream, f.slice, (int *) NULL, N),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "host is NULL");
    assert_refused(cushim_slice_adopt(f.stream, 0, 4, N, CUSHIM_ADOPTED_PLAIN, &f.far_slice),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "no memory is at 0x0");
    assert_refused(cushim_stream_new(f.w.context, NULL, NULL), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "ret_stream is NULL");
    assert_refused(cushim_view_fill(f.stream, CUSHIM_VIEW(f.slice), NULL, 4),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "element is NULL");
    assert_refused(cushim_label(f.slice, NULL), CUSHIM_ERROR_INVALID_ARGUMENT, "label is NULL");
    assert_refused(cushim_context_adopt(f.w.driver, NULL, false, &f.other),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "cu_context is NULL");
    assert_ok(cushim_slice_read(f.stream, f.slice, values, N));
    close_fixture(&f);
}

Test(safe_misuse, memory_of_no_elements)
{
    cushim_slice none = CUSHIM_NONE, other = CUSHIM_NONE;
    cushim_pinned pinned = CUSHIM_NONE;
    cushim_view view, views[3];
    struct fixture f;

    open_fixture(&f);
    forget_calls(&f.w);
    assert_ok(cushim_slice_zeros(f.stream, 4, 0, &none));
    assert_ok(cushim_slice_from(f.stream, (const int *) NULL, 0, &other));
    assert_ok(cushim_slice_fill(f.stream, none, 1));
    assert_ok(cushim_slice_copy(f.stream, none, other));
    assert_ok(cushim_slice_read(f.stream, none, (int *) NULL, 0));
    assert_ok(cushim_slice_write(f.stream, none, (const int *) NULL, 0));
    assert_ok(cushim_view_partition(CUSHIM_VIEW(none), 3, views));
    assert_ok(CUSHIM_VIEW_AS(none, double, &view));
    assert_ok(cushim_pinned_alloc(f.w.context, 4, 0, 0, &pinned));
    cushim_slice_free(&none);
    cushim_slice_free(&other);
    cushim_pinned_free(&pinned);
    cr_expect(eq(u64, count_all(&f.w) - count(&f.w, "cuCtxSetCurrent"), 0));
    close_fixture(&f);
}

Test(safe_misuse, parents_freed_first)
{
    unsigned flags = 0;
    bool active = true;
    struct fixture f;
    int values[N];

    open_fixture(&f);
    cushim_context_free(&f.w.context);
    cushim_context_free(&f.other);
    cushim_stream_free(&f.far);
    assert_ok(cushim_slice_fill(f.stream, f.slice, 3));
    assert_ok(cushim_slice_copy(f.stream, f.slice, f.far_slice));
    assert_ok(cushim_slice_read(f.stream, f.slice, values, N));
    cushim_stream_free(&f.stream);
    cushim_event_free(&f.event);
    cushim_pinned_free(&f.pinned);
    cushim_unified_free(&f.unified);
    cushim_slice_free(&f.slice);
    assert_ok(cushim_context_primary_state(f.w.driver, 0, &flags, &active));
    cr_expect(eq(int, active, 1), "the other context's memory was used from here");
    cushim_slice_free(&f.far_slice);
    for (int i = 0; i <= other_device(&f.w); i++) {
        assert_ok(cushim_context_primary_state(f.w.driver, i, &flags, &active));
        cr_expect(eq(int, active, 0), "device %d", i);
    }
    close_fixture(&f);
}

/* A slice that is freed by a call is a slice: other memory would lose its handle. */
Test(safe_misuse, other_memory_where_a_slice_is_freed)
{
    cushim_slice pinned, unified, left = CUSHIM_NONE, right = CUSHIM_NONE;
    uint64_t address = 0;
    int values[N];
    struct fixture f;

    open_fixture(&f);
    pinned.id = f.pinned.id;
    unified.id = f.unified.id;
    assert_refused(cushim_slice_split(&pinned, N / 2, &left, &right), CUSHIM_ERROR_WRONG_HANDLE,
                   "cushim_slice_split: expected a slice, this is the handle of pinned memory");
    assert_refused(cushim_slice_reclaim(f.stream, &unified, values, N), CUSHIM_ERROR_WRONG_HANDLE,
                   "cushim_slice_reclaim: expected a slice, this is the handle of unified memory");
    assert_refused(cushim_slice_leak(f.stream, &pinned, &address), CUSHIM_ERROR_WRONG_HANDLE,
                   "cushim_slice_leak: expected a slice");
    cr_expect(eq(u64, pinned.id, f.pinned.id));
    cr_expect(eq(u64, unified.id, f.unified.id));
    cr_expect(eq(u64, left.id, 0));
    close_fixture(&f);
}

Test(safe_misuse, numbers_that_nothing_has)
{
    const enum cushim_adopted how = (enum cushim_adopted) 3;
    cushim_slice slice = CUSHIM_NONE;
    uint64_t address = 0;
    cushim_view view;
    struct fixture f;

    open_fixture(&f);
    assert_ok(cushim_slice_use(f.stream, f.slice, false, &address));
    assert_ok(cushim_slice_used(f.stream, f.slice, false));
    assert_refused(cushim_slice_adopt(f.stream, address, 4, N, how, &slice),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "how is 3, it must be from 0 to 2");
    assert_refused(cushim_view_partition(CUSHIM_VIEW(f.slice), SIZE_MAX, &view),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "more than an array can have");
    close_fixture(&f);
}

Test(safe_misuse, a_sentence_names_the_call_and_is_one_line)
{
    cushim_image image;
    cushim_stream stream;
    cushim_event event;
    struct fixture f;

    open_fixture(&f);
    stream.id = event.id = image.id = f.slice.id;
    assert_refused(cushim_stream_synchronize_for(stream, 1), CUSHIM_ERROR_WRONG_HANDLE,
                   "cushim_stream_synchronize_for: ");
    assert_refused(cushim_event_synchronize_for(event, 1), CUSHIM_ERROR_WRONG_HANDLE,
                   "cushim_event_synchronize_for: ");
    cushim_error_clear();
    cushim_image_free(&image);
    cr_expect(eq(int, cushim_error_status(), CUSHIM_OK), "freeing sets no error");
    cr_expect(eq(u64, image.id, 0));
    cr_expect(not(cushim_driver_has(f.w.driver, "a\nb\x1b[31m")));
    assert_text("'a?b?[31m'");
    close_fixture(&f);
}
