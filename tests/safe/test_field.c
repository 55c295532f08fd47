/* SPDX-License-Identifier: MIT */
/* Fields: parts of them, what is asked of the driver, order, and what is refused. */
#include "two_streams.h"

SUITE(safe_field);

/* --- parts --- */

static cushim_field counting(cushim_stream stream, size_t width, size_t height, size_t depth,
                             cushim_slice *ret_slice)
{
    int32_t *values = malloc(width * height * depth * sizeof(*values));
    cushim_field field;

    for (size_t i = 0; i < width * height * depth; i++)
        values[i] = (int32_t) i;
    assert_ok(cushim_field_alloc(stream, sizeof(*values), width, height, depth, ret_slice, &field));
    assert_ok(cushim_field_write(stream, field, values, 0, 0));
    free(values);
    return field;
}

Test(safe_field, parts_and_layers)
{
    cushim_slice slice = CUSHIM_NONE, rest = CUSHIM_NONE;
    cushim_field field, part, layer;
    int32_t values[12];
    struct fixture f;

    open_fixture(&f);
    field = counting(f.a, 10, 8, 3, &slice);
    cr_expect(eq(sz, field.pitch, 512));
    assert_ok(cushim_field_layers(field, 1, 2, &layer));
    assert_ok(cushim_field_part(layer, 2, 3, 3, 2, &part));
    assert_ok(cushim_field_read(f.b, part, values, 0, 0));
    for (int i = 0; i < 12; i++)
        cr_expect(eq(int, values[i], 80 * (1 + i / 6) + 10 * (3 + i / 3 % 2) + 2 + i % 3));
    assert_ok(cushim_field_part(part, 1, 1, 2, 1, &part));
    assert_ok(cushim_field_layers(part, 1, 1, &part));
    assert_ok(cushim_field_read(f.b, part, values, 0, 0));
    cr_expect(eq(int, values[0], 80 * 2 + 10 * 4 + 3));
    assert_refused(cushim_field_part(field, 8, 0, 3, 1, &part), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "3 elements of a row from number 8 on, the field has 10");
    assert_refused(cushim_field_part(field, 0, 9, 1, 0, &part), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "0 rows from number 9 on, the field has 8");
    assert_refused(cushim_field_layers(field, SIZE_MAX, 2, &part), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "2 layers from number 18446744073709551615 on, the field has 3");
    assert_refused(cushim_field_part(field, 0, 0, 1, 1, NULL), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "ret_field is NULL");
    assert_refused(cushim_field_layers(field, 0, 1, NULL), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "ret_field is NULL");
    /* Rows without gaps, by the zeros that mean it. */
    assert_ok(cushim_slice_zeros(f.a, 4, 24, &rest));
    assert_ok(
        cushim_field_part(cushim_field_3d(CUSHIM_VIEW(rest), 0, 0, 4, 3, 2), 1, 1, 2, 2, &part));
    assert_ok(cushim_field_fill(f.a, part, 7));
    assert_ok(cushim_view_part(CUSHIM_VIEW(rest), 12, 12, &part.view));
    assert_ok(cushim_slice_read(f.a, part.view, values, 12));
    cr_expect(eq(int, values[4], 0));
    cr_expect(eq(int, values[5], 7));
    cr_expect(eq(int, values[10], 7));
    cr_expect(eq(int, values[11], 0));
    cushim_slice_free(&slice);
    cushim_slice_free(&rest);
    close_fixture(&f);
}

/* An element that no pitch of the driver is a multiple of. */
/* What a kernel gets: the part's own first byte, and all up to its last one. */
Test(safe_field, views)
{
    cushim_slice slice = CUSHIM_NONE;
    cushim_field field, part;
    int32_t values[3];
    uint64_t all, begin;
    size_t length, element;
    cushim_view view;
    struct fixture f;

    open_fixture(&f);
    field = counting(f.a, 10, 8, 1, &slice);
    assert_ok(cushim_field_part(field, 2, 3, 3, 2, &part));
    assert_ok(cushim_field_view(part, &view));
    assert_ok(cushim_view_size(view, &length, NULL));
    cr_assert(eq(sz, length, 128 + 3), "a row's pitch, and three elements of the next row");
    assert_ok(cushim_slice_use(f.a, slice, false, &all));
    assert_ok(cushim_slice_use(f.a, view, false, &begin));
    cr_expect(eq(u64, begin - all, 3 * 512 + 2 * 4));
    assert_ok(cushim_view_part(view, 0, 3, &view));
    assert_ok(cushim_slice_read(f.a, view, values, 3));
    cr_expect(eq(int, values[2], 34));
    /* A pitch that is no multiple of the element. */
    assert_ok(cushim_view_reinterpret(CUSHIM_VIEW(slice), 1, 1, &view));
    field = cushim_field_2d(CUSHIM_VIEW(slice), 10, 2, 2);
    assert_ok(cushim_field_view(field, &view));
    assert_ok(cushim_view_size(view, &length, &element));
    cr_expect(eq(sz, length, 18));
    cr_expect(eq(sz, element, 1));
    field.width = SIZE_MAX;
    assert_refused(cushim_field_view(field, &view), CUSHIM_ERROR_INVALID_ARGUMENT, "more than");
    assert_refused(cushim_field_view(part, NULL), CUSHIM_ERROR_INVALID_ARGUMENT, "NULL");
    cushim_slice_free(&slice);
    assert_refused(cushim_field_view(part, &view), CUSHIM_ERROR_STALE_HANDLE, "freed");
    close_fixture(&f);
}

Test(safe_field, elements_of_any_size)
{
    struct triple {
        unsigned char r, g, b;
    } color = {1, 2, 3}, colors[5 * 37];
    cushim_slice slice = CUSHIM_NONE;
    cushim_field field;
    double doubles[30];
    size_t length = 0;
    struct fixture f;

    open_fixture(&f);
    assert_ok(cushim_field_alloc(f.a, sizeof(color), 5, 37, 1, &slice, &field));
    assert_ok(cushim_view_size(field.view, &length, NULL));
    cr_expect(eq(sz, length, (37 * 512 + 2) / 3));
    forget_calls(&f.w);
    assert_ok(cushim_field_fill(f.a, field, color));
    cr_expect(eq(u64, count(&f.w, "cuMemsetD2D8Async"), 3), "one for each byte of the first row");
    cr_expect(eq(u64, count(&f.w, "cuMemcpy3DAsync_v2"), 6), "1, 2, 4, 8, 16 and 5 rows");
    assert_ok(cushim_field_read(f.b, field, colors, 0, 0));
    for (int i = 0; i < 5 * 37; i++)
        cr_assert(eq(int, memcmp(&colors[i], &color, sizeof(color)), 0));
    cushim_slice_free(&slice);
    assert_ok(cushim_field_alloc(f.a, sizeof(double), 5, 3, 2, &slice, &field));
    assert_ok(cushim_field_fill(f.a, field, 0.1));
    assert_ok(cushim_field_read(f.a, field, doubles, 0, 0));
    for (int i = 0; i < 30; i++)
        cr_assert(eq(dbl, doubles[i], 0.1));
    cushim_slice_free(&slice);
    close_fixture(&f);
}

/* The device says where rows should begin. */
Test(safe_field, pitch)
{
    cushim_slice slice = CUSHIM_NONE;
    cushim_stream stream = CUSHIM_NONE;
    cushim_field field;
    struct world w;

    open_world_with(&w, "device.*.texture_alignment = 256");
    assert_ok(cushim_stream_new(w.context, NULL, &stream));
    for (size_t width = 255; width <= 257; width++) {
        assert_ok(cushim_field_alloc(stream, 1, width, 3, 2, &slice, &field));
        cr_expect(eq(sz, field.pitch, width > 256 ? 512 : 256));
        cr_expect(eq(sz, field.layer_rows, 3));
        assert_ok(cushim_field_fill(stream, field, (char) 1));
        cushim_slice_free(&slice);
    }
    cushim_stream_free(&stream);
    cushim_context_free(&w.context);
    inject(&w, "cuDeviceGetAttribute nth=19 result=1\n");
    assert_ok(cushim_context_primary(w.driver, 0, &w.context));
    assert_ok(cushim_stream_new(w.context, NULL, &stream));
    assert_ok(cushim_field_alloc(stream, 1, 1, 1, 1, &slice, &field));
    cr_expect(eq(sz, field.pitch, 512), "what the driver does not know");
    cushim_slice_free(&slice);
    cushim_stream_free(&stream);
    close_world(&w);
}

/* --- what is asked of the driver --- */

Test(safe_field, rows_that_follow_each_other_are_one)
{
    cushim_slice x = CUSHIM_NONE, y = CUSHIM_NONE;
    cushim_field from, to;
    struct fixture f;

    open_fixture(&f);
    assert_ok(cushim_slice_zeros(f.a, 4, 120, &x));
    assert_ok(cushim_slice_zeros(f.a, 4, 120, &y));
    from = cushim_field_3d(CUSHIM_VIEW(x), 0, 0, 10, 4, 3);
    to = cushim_field_3d(CUSHIM_VIEW(y), 0, 0, 10, 4, 3);
    forget_calls(&f.w);
    assert_ok(cushim_field_copy(f.a, to, from));
    assert_ok(cushim_field_fill(f.a, to, 1));
    cr_expect(eq(u64, count(&f.w, "cuMemcpyDtoDAsync_v2"), 1));
    cr_expect(eq(u64, count(&f.w, "cuMemsetD32Async"), 1));
    /* Layers that follow each other, of rows with gaps, take one fill. */
    to = cushim_field_3d(CUSHIM_VIEW(y), 40, 0, 9, 4, 3);
    assert_ok(cushim_field_fill(f.a, to, 1));
    cr_expect(eq(u64, count(&f.w, "cuMemsetD2D32Async"), 1));
    to = cushim_field_3d(CUSHIM_VIEW(y), 40, 4, 9, 3, 3);
    assert_ok(cushim_field_fill(f.a, to, 1));
    cr_expect(eq(u64, count(&f.w, "cuMemsetD2D32Async"), 4));
    /* A pitch that 4 does not divide. */
    assert_ok(CUSHIM_VIEW_AS(y, uint16_t, &to.view));
    to = cushim_field_2d(to.view, 10, 4, 3);
    assert_ok(cushim_field_fill(f.a, to, (uint16_t) 0x101));
    cr_expect(eq(u64, count(&f.w, "cuMemsetD2D16Async"), 1));
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    close_fixture(&f);
}

/* All bytes from the first to the last one count as used. */
Test(safe_field, order)
{
    cushim_field field, left, right, top, bottom;
    cushim_slice slice = CUSHIM_NONE;
    int32_t values[64];
    struct fixture f;

    open_fixture(&f);
    field = counting(f.a, 8, 8, 1, &slice);
    assert_ok(cushim_field_part(field, 0, 0, 8, 4, &top));
    assert_ok(cushim_field_part(field, 0, 4, 8, 4, &bottom));
    assert_ok(cushim_field_part(field, 0, 0, 4, 8, &left));
    assert_ok(cushim_field_part(field, 4, 0, 4, 8, &right));
    assert_ok(cushim_field_fill(f.a, top, 1));
    assert_ok(cushim_field_fill(f.b, bottom, 2));
    forget_calls(&f.w);
    assert_ok(cushim_field_fill(f.a, top, 1));
    assert_ok(cushim_field_fill(f.b, bottom, 2));
    cr_expect(eq(u64, count(&f.w, "cuStreamWaitEvent"), 0));
    assert_ok(cushim_field_fill(f.a, left, 3));
    cr_expect(eq(u64, count(&f.w, "cuStreamWaitEvent"), 1));
    assert_ok(cushim_field_fill(f.b, right, 4));
    cr_expect(eq(u64, count(&f.w, "cuStreamWaitEvent"), 2));
    assert_ok(cushim_field_copy(f.a, left, right));
    assert_ok(cushim_field_read(f.b, field, values, 0, 0));
    for (int i = 0; i < 64; i++)
        cr_expect(eq(int, values[i], 4));
    cushim_slice_free(&slice);
    close_fixture(&f);
}

/* Pageable memory goes through blocks of a megabyte: many rows in one, or one row in many. */
static void check_pieces(struct fixture *f, size_t width, size_t height, size_t gap)
{
    const size_t pitch = width + gap, bytes = pitch * height;
    unsigned char *there = malloc(bytes), *back = calloc(1, bytes);
    cushim_slice slice = CUSHIM_NONE;
    cushim_field field;

    for (size_t i = 0; i < bytes; i++)
        there[i] = (unsigned char) (i * 2654435761u >> 13);
    assert_ok(cushim_field_alloc(f->a, 1, width, height / 2, 2, &slice, &field));
    assert_ok(cushim_field_write(f->a, field, there, pitch, 0));
    assert_ok(cushim_field_read(f->b, field, back, pitch, 0));
    for (size_t y = 0; y < height; y++)
        cr_expect(eq(int, memcmp(there + y * pitch, back + y * pitch, width), 0), "row %zu", y);
    cr_expect(eq(int, back[bytes - 1], gap ? 0 : there[bytes - 1]), "what is no part of the rows");
    cushim_slice_free(&slice);
    free(there);
    free(back);
}

Test(safe_field, big_copies_go_in_pieces)
{
    struct fixture f;

    open_fixture(&f);
    check_pieces(&f, 3000, 900, 5);
    check_pieces(&f, (1 << 20) + 77, 4, 3);
    check_pieces(&f, 1 << 20, 2, 0);
    close_fixture(&f);
}

/* Without waiting; memory of cushim's is found by its address. */
Test(safe_field, asynchronous_copies)
{
    cushim_pinned pinned = CUSHIM_NONE;
    cushim_slice slice = CUSHIM_NONE;
    const int32_t four[] = {5, 6, 7, 8};
    const void *read = NULL;
    cushim_field field;
    struct fixture f;
    void *write = NULL;
    int32_t *values;

    open_fixture(&f);
    field = counting(f.a, 4, 4, 1, &slice);
    assert_ok(cushim_pinned_alloc(f.w.context, 4, 32, 0, &pinned));
    assert_ok(cushim_pinned_write(pinned, &write));
    values = write;
    memset(values, 0, 128);
    forget_calls(&f.w);
    assert_ok(cushim_field_read_async(f.b, field, values, 32, 0));
    cr_expect(eq(u64, count(&f.w, "cuMemcpy3DAsync_v2"), 1));
    cr_expect(eq(u64, count(&f.w, "cuStreamSynchronize"), 0));
    assert_ok(cushim_pinned_read(pinned, &read));
    cr_expect(eq(int, values[3 * 8 + 3], 15));
    cr_expect(eq(int, values[7], 0));
    assert_ok(cushim_field_write_async(f.a, field, values + 1, 32, 0));
    assert_ok(cushim_pinned_write(pinned, &write));
    values[1] = 99;
    assert_ok(cushim_field_read(f.b, field, values, 0, 0));
    cr_expect(eq(int, values[0], 1));
    /* A field of pinned memory: the host copies. */
    field = cushim_field_2d(CUSHIM_VIEW(pinned), 32, 2, 2);
    assert_ok(cushim_field_write_async(f.a, field, four, 0, 0));
    cr_expect(eq(int, values[9], 8));
    cushim_pinned_free(&pinned);
    cushim_slice_free(&slice);
    close_fixture(&f);
}

Test(safe_field, is_recorded)
{
    cushim_stream recorder = CUSHIM_NONE;
    cushim_slice x = CUSHIM_NONE, y = CUSHIM_NONE, z = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;
    cushim_field from, to, made;
    double values[12];
    struct fixture f;

    open_fixture(&f);
    assert_ok(cushim_field_alloc(f.a, 8, 4, 3, 1, &x, &from));
    assert_ok(cushim_field_alloc(f.a, 8, 4, 3, 1, &y, &to));
    assert_ok(cushim_capture_begin(f.w.context, &recorder));
    assert_ok(cushim_field_fill(recorder, from, 0.3));
    assert_ok(cushim_field_copy(recorder, to, from));
    assert_refused(cushim_field_read(recorder, to, values, 0, 0), CUSHIM_ERROR_CAPTURING,
                   "records for a graph");
    assert_refused(cushim_field_write_async(recorder, to, values, 0, 0), CUSHIM_ERROR_CAPTURING,
                   "records for a graph");
    assert_ok(cushim_field_alloc(recorder, 8, 4, 3, 1, &z, &made)); /* of an arena */
    assert_ok(cushim_field_copy(recorder, made, to));
    assert_ok(cushim_capture_end(&recorder, &graph));
    assert_ok(cushim_graph_launch(graph, f.a));
    assert_ok(cushim_field_read(f.b, to, values, 0, 0));
    for (int i = 0; i < 12; i++)
        cr_expect(eq(dbl, values[i], 0.3));
    assert_ok(cushim_field_read(f.b, made, values, 0, 0));
    for (int i = 0; i < 12; i++)
        cr_expect(eq(dbl, values[i], 0.3));
    cushim_graph_free(&graph);
    cushim_slice_free(&z);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    close_fixture(&f);
}

/* --- what is refused --- */

Test(safe_field, what_is_outside_is_named)
{
    cushim_slice slice = CUSHIM_NONE;
    cushim_field field;
    struct fixture f;
    cushim_view view;

    open_fixture(&f);
    assert_ok(cushim_slice_zeros(f.a, 4, 100, &slice));
    assert_ok(cushim_label(slice, "image"));
    view = CUSHIM_VIEW(slice);
    forget_calls(&f.w);
#define assert_outside(part, ...)                                                                  \
    do {                                                                                           \
        field = __VA_ARGS__;                                                                       \
        assert_refused(cushim_field_fill(f.a, field, 1), CUSHIM_ERROR_INVALID_ARGUMENT,            \
                       "cushim_field_fill: " part);                                                \
        cr_expect(eq(str, S(cushim_error_label()), S("image")));                                   \
    } while (0)
    assert_outside("the field has 404 bytes from byte 0 on, its view has 400",
                   cushim_field_2d(view, 0, 101, 1));
    assert_outside("the field has 420 bytes from byte 0 on", cushim_field_2d(view, 100, 5, 5));
    assert_outside("the field has a pitch of 19 bytes for rows of 20 bytes",
                   cushim_field_2d(view, 19, 5, 5));
    assert_outside("the field has a layer_rows of 4 for layers of 5 rows",
                   cushim_field_3d(view, 20, 4, 5, 5, 1));
    assert_outside(
        "the field has 3 layers of 9223372036854775807 rows with a pitch of 20 bytes, more than",
        cushim_field_3d(view, 20, SIZE_MAX / 2, 5, 5, 3));
    assert_outside(
        "the field has 1 layers of 5 rows with a pitch of 18446744073709551615 bytes, more than",
        cushim_field_2d(view, SIZE_MAX, 5, 5));
    field = cushim_field_2d(view, 20, 5, 20);
    field.offset = 4;
    assert_outside("the field has 400 bytes from byte 4 on", field);
    field.offset = SIZE_MAX;
    assert_outside("the field has 400 bytes from byte 18446744073709551615 on", field);
    assert_refused(cushim_field_fill(f.a, cushim_field_2d(view, 0, SIZE_MAX / 4 + 1, 1), 1),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "elements of 4 bytes are more than there can be");
    cr_expect(eq(u64, count_all(&f.w), 0), "the driver hears nothing of it");
    /* The last row needs no gap. */
    assert_ok(cushim_field_fill(f.a, cushim_field_2d(view, 95 * 4, 5, 2), 1));
    cushim_slice_free(&slice);
    close_fixture(&f);
}

Test(safe_field, misuse)
{
    cushim_slice slice = CUSHIM_NONE, far_slice = CUSHIM_NONE, freed;
    cushim_field field, small, far_field, constant, gone;
    cushim_context far = CUSHIM_NONE;
    cushim_stream stream = CUSHIM_NONE;
    int32_t values[16] = {0};
    struct fixture f;

    open_fixture(&f);
    assert_ok(cushim_context_primary(f.w.driver, 1, &far));
    assert_ok(cushim_stream_new(far, NULL, &stream));
    field = counting(f.a, 4, 4, 1, &slice);
    far_field = counting(stream, 4, 4, 1, &far_slice);
    gone = counting(f.a, 4, 4, 1, &freed);
    cushim_slice_free(&freed);
    assert_ok(cushim_field_part(field, 0, 0, 4, 3, &small));
    constant = field;
    constant.view = cushim_view_const(field.view);
    assert_refused(cushim_field_fill(f.a, constant, 1), CUSHIM_ERROR_READ_ONLY, "reading only");
    assert_refused(cushim_field_copy(f.a, constant, small), CUSHIM_ERROR_READ_ONLY, "reading only");
    assert_refused(cushim_field_write(f.a, constant, values, 0, 0), CUSHIM_ERROR_READ_ONLY,
                   "cushim_field_write: the view is for reading only");
    assert_refused(cushim_field_fill(f.a, far_field, 1), CUSHIM_ERROR_FOREIGN_CONTEXT, "memory");
    assert_refused(cushim_field_read(f.a, far_field, values, 0, 0), CUSHIM_ERROR_FOREIGN_CONTEXT,
                   "memory");
    assert_refused(cushim_field_copy(stream, field, small), CUSHIM_ERROR_FOREIGN_CONTEXT,
                   "memory on both sides");
    assert_refused(cushim_field_copy(f.a, field, small), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "from 1 layers of 3 rows of 16 bytes to 1 layers of 4 rows of 16 bytes");
    assert_refused(cushim_field_fill(f.a, gone, 1), CUSHIM_ERROR_STALE_HANDLE, "freed by");
    assert_refused(cushim_field_copy(f.a, field, gone), CUSHIM_ERROR_STALE_HANDLE, "freed by");
    assert_refused(cushim_field_copy(f.a, gone, field), CUSHIM_ERROR_STALE_HANDLE, "freed by");
    assert_refused(cushim_field_part(gone, 0, 0, 1, 1, &gone), CUSHIM_ERROR_STALE_HANDLE, "freed");
    assert_refused(cushim_field_fill((cushim_stream){0}, field, 1), CUSHIM_ERROR_STALE_HANDLE,
                   "the stream handle is zero");
    assert_refused(cushim_field_fill((cushim_stream){slice.id}, field, 1),
                   CUSHIM_ERROR_WRONG_HANDLE, "expected a stream");
    gone.view.object = f.a.id;
    assert_refused(cushim_field_fill(f.a, gone, 1), CUSHIM_ERROR_WRONG_HANDLE, "expected a slice");
    assert_refused(cushim_field_fill(f.a, field, 1.0), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "elements of 8 bytes");
    assert_refused(cushim_field_fill_with(f.a, field, NULL, 4), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "element is NULL");
    assert_refused(cushim_field_read(f.a, field, (int32_t *) NULL, 0, 0),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "cushim_field_read: host is NULL");
    assert_refused(cushim_field_write_async(f.a, field, values, 15, 0),
                   CUSHIM_ERROR_INVALID_ARGUMENT,
                   "the host's memory has a pitch of 15 bytes for rows of 16");
    assert_refused(cushim_field_read_async(f.a, field, values, 16, 3),
                   CUSHIM_ERROR_INVALID_ARGUMENT,
                   "the host's memory has a layer_rows of 3 for layers of 4");
    assert_refused(cushim_field_read(f.a, field, values, SIZE_MAX / 5, 0),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "more than there can be");
    assert_refused(cushim_field_read(f.a, field, values, 4 * CUSHIM_ELEMENT(int32_t), 0),
                   CUSHIM_ERROR_INVALID_ARGUMENT,
                   "the host's memory has a pitch that was computed with CUSHIM_ELEMENT()");
    assert_refused(cushim_field_alloc(f.a, 4, SIZE_MAX / 8, SIZE_MAX / 8, 1, &freed, &gone),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "are more than there can be");
    assert_refused(cushim_field_alloc(f.a, 4, SIZE_MAX / 8 + 1, 1, 1, &freed, &gone),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "are more than there can be");
    assert_refused(cushim_field_alloc(f.a, 0, 1, 1, 1, &freed, &gone),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "an element of 0 bytes");
    assert_refused(cushim_field_alloc(f.a, 4, 1, 1, 1, NULL, &gone), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "ret_slice is NULL");
    assert_refused(cushim_field_alloc(f.a, 4, 1, 1, 1, &freed, NULL), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "ret_field is NULL");
    cushim_slice_free(&slice);
    cushim_slice_free(&far_slice);
    cushim_stream_free(&stream);
    cushim_context_free(&far);
    close_fixture(&f);
}

Test(safe_field, of_nothing)
{
    cushim_slice slice = CUSHIM_NONE, none = CUSHIM_NONE;
    cushim_field field, part;
    struct fixture f;

    open_fixture(&f);
    field = counting(f.a, 4, 4, 1, &slice);
    forget_calls(&f.w);
    for (int i = 0; i < 3; i++) {
        part = field;
        *(i == 0 ? &part.width : i == 1 ? &part.height : &part.depth) = 0;
        assert_ok(cushim_field_fill(f.a, part, 1));
        assert_ok(cushim_field_copy(f.a, part, part));
        assert_ok(cushim_field_read(f.a, part, (int32_t *) NULL, 0, 0));
        assert_ok(cushim_field_write_async(f.a, part, (int32_t *) NULL, 0, 0));
        assert_ok(cushim_field_part(part, 0, 0, 0, 0, &part));
    }
    assert_ok(cushim_field_alloc(f.a, 4, 0, 5, 1, &none, &part));
    assert_ok(cushim_field_fill(f.a, part, 1));
    cushim_slice_free(&none);
    assert_ok(cushim_field_alloc(f.a, 4, 5, 5, 0, &none, &part));
    assert_ok(cushim_field_fill(f.a, part, 1));
    cushim_slice_free(&none);
    cr_expect(eq(u64, count_all(&f.w), 0));
    cushim_slice_free(&slice);
    close_fixture(&f);
}
