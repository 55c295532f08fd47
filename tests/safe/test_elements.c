/* SPDX-License-Identifier: MIT */
/* Elements: their types and sizes, and how many there are. Where two sides differ, a call is
 * refused. */
#include "misuse.h"

SUITE(safe_elements);

Test(safe_elements, elements_of_another_type)
{
    cushim_slice floats = CUSHIM_NONE, unknown = CUSHIM_NONE, clone = CUSHIM_NONE;
    cushim_slice left = CUSHIM_NONE, right = CUSHIM_NONE;
    cushim_view part, as_int, whole;
    const unsigned bits[4] = {0};
    float values[4] = {0};
    struct fixture f;
    int ints[4];

    open_fixture(&f);
    assert_ok(cushim_slice_from(f.stream, values, 4, &floats));
    assert_refused(cushim_slice_fill(f.stream, floats, 1), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "elements of 4 bytes (integer) here, of 4 (floating point) in the view; 1 is an "
                   "int, 1.0f a float");
    assert_refused(cushim_slice_read(f.stream, floats, ints, 4), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "(integer) here");
    assert_refused(cushim_slice_write(f.stream, floats, bits, 4), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "(integer) here");
    /* What is made of a slice keeps its type, but for a view as another type. */
    assert_ok(cushim_view_part(CUSHIM_VIEW(floats), 1, 2, &part));
    assert_refused(cushim_slice_fill(f.stream, part, 1), CUSHIM_ERROR_INVALID_ARGUMENT, "1.0f");
    assert_ok(cushim_slice_clone(f.stream, floats, &clone));
    assert_refused(cushim_slice_fill(f.stream, clone, 1), CUSHIM_ERROR_INVALID_ARGUMENT, "1.0f");
    assert_ok(cushim_slice_split(&clone, 2, &left, &right));
    assert_refused(cushim_slice_fill(f.stream, right, 1), CUSHIM_ERROR_INVALID_ARGUMENT, "1.0f");
    assert_ok(cushim_view_whole(floats.id, &whole));
    assert_refused(cushim_slice_fill(f.stream, whole, 1), CUSHIM_ERROR_INVALID_ARGUMENT, "1.0f");
    assert_ok(cushim_slice_fill(f.stream, whole, 1.0f));
    assert_ok(CUSHIM_VIEW_AS(floats, int, &as_int));
    assert_ok(cushim_slice_read(f.stream, as_int, ints, 4));
    cr_expect(eq(int, ints[3], 0x3f800000));
    /* Where the type is not known, only the size counts. */
    assert_ok(cushim_slice_alloc(f.stream, sizeof(float), 4, &unknown));
    assert_ok(cushim_slice_fill(f.stream, unknown, 1));
    assert_ok(cushim_slice_fill(f.stream, unknown, 1.0f));
    cushim_slice_free(&unknown);
    assert_ok(cushim_slice_alloc(f.stream, CUSHIM_ELEMENT(float), 4, &unknown));
    assert_refused(cushim_slice_fill(f.stream, unknown, 1), CUSHIM_ERROR_INVALID_ARGUMENT, "1.0f");
    assert_ok(cushim_view_fill(f.stream, CUSHIM_VIEW(unknown), ints, sizeof(int)));
    /* A number that no type has is a size, and too large. */
    assert_refused(cushim_slice_alloc(f.stream, (size_t) 100 << 56 | 4, 4, &clone),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "computed with CUSHIM_ELEMENT()");
    assert_refused(cushim_slice_alloc(f.stream, CUSHIM_ELEMENT(float) * 4, 4, &clone),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "or sizeof(float) * 4");
    assert_refused(cushim_view_fill(f.stream, CUSHIM_VIEW(unknown), ints, 3 * CUSHIM_ELEMENT(int)),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "computed with CUSHIM_ELEMENT()");
    assert_refused(cushim_slice_alloc(f.stream, SIZE_MAX, 4, &clone), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "more than there can be");
    cushim_slice_free(&unknown);
    cushim_slice_free(&left);
    cushim_slice_free(&right);
    cushim_slice_free(&floats);
    close_fixture(&f);
}

/* A copy looks at the elements as a fill does. */
Test(safe_elements, copies_between_types)
{
    cushim_slice floats = CUSHIM_NONE, ints = CUSHIM_NONE, unknown = CUSHIM_NONE;
    cushim_field float_field, int_field;
    cushim_view as_int, doubles;
    struct fixture f;

    open_fixture(&f);
    assert_ok(cushim_slice_zeros(f.stream, CUSHIM_ELEMENT(float), 8, &floats));
    assert_ok(cushim_slice_zeros(f.stream, CUSHIM_ELEMENT(int), 8, &ints));
    assert_ok(cushim_slice_zeros(f.stream, sizeof(int), 8, &unknown));
    assert_ok(cushim_label(floats, "weights"));
    assert_refused(cushim_slice_copy(f.stream, floats, f.slice), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "from 256 bytes to 32");
    cr_expect(eq(str, S(cushim_error_label()), S("weights")));
    assert_refused(cushim_slice_copy(f.stream, floats, ints), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "cushim_slice_copy: from elements of 4 bytes (integer) to elements of 4 bytes "
                   "(floating point); CUSHIM_VIEW_AS() views");
    assert_refused(cushim_slice_copy(f.stream, ints, floats), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "from elements of 4 bytes (floating point) to");
    float_field = cushim_field_2d(CUSHIM_VIEW(floats), 0, 2, 4);
    int_field = cushim_field_2d(CUSHIM_VIEW(ints), 0, 2, 4);
    assert_refused(cushim_field_copy(f.stream, float_field, int_field),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "cushim_field_copy: from elements of 4 bytes");
    assert_ok(cushim_slice_copy(f.stream, unknown, floats));
    assert_ok(cushim_slice_copy(f.stream, ints, unknown));
    assert_ok(CUSHIM_VIEW_AS(floats, int, &as_int));
    assert_ok(cushim_slice_copy(f.stream, ints, as_int));
    assert_ok(CUSHIM_VIEW_AS(ints, double, &doubles));
    assert_ok(cushim_slice_copy(f.stream, floats, doubles));
    cushim_slice_free(&floats);
    cushim_slice_free(&ints);
    cushim_slice_free(&unknown);
    close_fixture(&f);
}

Test(safe_elements, whole_views)
{
    struct fixture f;
    cushim_view view;
    size_t length = 0, element = 0;

    open_fixture(&f);
    assert_ok(cushim_view_whole(f.slice.id, &view));
    assert_ok(cushim_view_size(view, &length, &element));
    cr_expect(eq(sz, length, N));
    cr_expect(eq(sz, element, sizeof(int)));
    assert_refused(cushim_view_whole(f.slice.id, NULL), CUSHIM_ERROR_INVALID_ARGUMENT, "NULL");
    assert_refused(cushim_view_whole(0, &view), CUSHIM_ERROR_STALE_HANDLE, "zero");
    assert_refused(cushim_view_whole(f.stream.id, &view), CUSHIM_ERROR_WRONG_HANDLE,
                   "this is the handle of a stream");
    close_fixture(&f);
}

Test(safe_elements, lengths_and_sizes_that_do_not_match)
{
    cushim_view part, cast;
    double doubles[N];
    struct fixture f;
    int values[N];

    open_fixture(&f);
    assert_refused(cushim_slice_read(f.stream, f.slice, values, N - 1),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "63 elements here, 64 in the view");
    assert_refused(cushim_slice_write(f.stream, f.slice, values, N + 1),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "65 elements here, 64 in the view");
    assert_refused(cushim_slice_read(f.stream, f.slice, doubles, N), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "elements of 8 bytes (floating point) here, of 4 in the view; the pointer's "
                   "type tells them");
    assert_ok(cushim_view_part(CUSHIM_VIEW(f.slice), 1, 2, &part));
    assert_refused(cushim_slice_copy(f.stream, part, f.slice), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "from 256 bytes to 8");
    assert_refused(cushim_slice_fill(f.stream, f.slice, 1.0), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "elements of 8 bytes (floating point) here, of 4 in the view; 1.5 is a double, "
                   "1.5f a float");
    assert_refused(cushim_view_part(CUSHIM_VIEW(f.slice), 60, 5, &part),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "5 elements from element 60 on, the view has 64");
    assert_refused(cushim_view_split(CUSHIM_VIEW(f.slice), 65, &part, NULL),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "at 65 of 64");
    assert_refused(cushim_view_partition(CUSHIM_VIEW(f.slice), 0, &part),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "0 parts");
    assert_refused(cushim_slice_split(&f.slice, 65, &f.slice, &f.far_slice),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "at 65 of 64");
    assert_ok(cushim_view_part(CUSHIM_VIEW(f.slice), 1, 63, &part));
    assert_refused(CUSHIM_VIEW_AS(part, double, &cast), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "252 bytes are no whole number of elements of 8 bytes");
    assert_ok(cushim_view_part(CUSHIM_VIEW(f.slice), 1, 62, &part));
    assert_refused(CUSHIM_VIEW_AS(part, double, &cast), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "not aligned to 8 bytes");
    assert_refused(cushim_view_reinterpret(part, 4, 3, &cast), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "aligned to 3");
    assert_refused(cushim_view_reinterpret(part, 0, 1, &cast), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "0 bytes");
    assert_ok(CUSHIM_VIEW_AS(part, char, &cast));
    close_fixture(&f);
}

/* A view of a slice that was freed, whose slot has another slice now. */
