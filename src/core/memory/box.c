/* SPDX-License-Identifier: MIT */
#include "core/memory/box.h"

struct cushim__box cushim__box_part(const struct cushim__box *box, size_t x, size_t y, size_t z,
                                    const struct cushim__extent *extent)
{
    struct cushim__box part = *box;

    part.extent = *extent;
    part.access.begin += cushim__row_offset(&box->rows, y, z) + x;
    part.access.end = part.access.begin +
                      cushim__row_offset(&box->rows, extent->height - 1, extent->depth - 1) +
                      extent->width;
    return part;
}

/* Computes the number of bytes from the first to the last byte. False if it is too large. */
static bool span_of(const struct cushim__spacing *rows, const struct cushim__extent *extent,
                    size_t *ret_bytes)
{
    size_t n;

    return !__builtin_mul_overflow(extent->depth - 1, rows->layer_rows, &n) &&
           !__builtin_add_overflow(n, extent->height - 1, &n) &&
           !__builtin_mul_overflow(n, rows->pitch, &n) &&
           !__builtin_add_overflow(n, extent->width, &n) && n <= PTRDIFF_MAX && (*ret_bytes = n, 1);
}

#define FAIL(place, format, ...)                                                                   \
    cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, (place)->call, (place)->label,                  \
                    "%s: %s has " format, (place)->call, (place)->whose, __VA_ARGS__)

cushim_status cushim__spacing_settle(struct cushim__spacing *rows,
                                     const struct cushim__extent *extent,
                                     const struct cushim__spacing_place *place, size_t *ret_bytes)
{
    rows->pitch = rows->pitch ? rows->pitch : extent->width;
    rows->layer_rows = rows->layer_rows ? rows->layer_rows : extent->height;
    *ret_bytes = 0;
    if (cushim__extent_is_empty(extent))
        return CUSHIM_OK;
    if (rows->pitch < extent->width)
        return FAIL(place, "a pitch of %zu bytes for rows of %zu bytes; a pitch is in bytes",
                    rows->pitch, extent->width);
    if (cushim__has_type(rows->pitch))
        return FAIL(place,
                    "a pitch that was computed with CUSHIM_ELEMENT(), which says more than "
                    "the bytes; rows of %zu bytes take sizeof(element) * elements",
                    extent->width);
    if (rows->layer_rows < extent->height)
        return FAIL(place, "a layer_rows of %zu for layers of %zu rows", rows->layer_rows,
                    extent->height);
    if (!span_of(rows, extent, ret_bytes))
        return FAIL(place,
                    "%zu layers of %zu rows with a pitch of %zu bytes, more than there can "
                    "be",
                    extent->depth, rows->layer_rows, rows->pitch);
    return CUSHIM_OK;
}

cushim_status cushim__box_make(const struct cushim__resolved_view *span, const cushim_field *field,
                               bool write, const char *call, struct cushim__box *ret_box)
{
    const size_t all = span->end - span->begin;
    struct cushim__box box = {.rows = {field->pitch, field->layer_rows},
                              .extent = {0, field->height, field->depth}};
    const struct cushim__spacing_place place = {call, cushim__span_label(span), "the field"};
    size_t bytes = 0;

    CUSHIM_TRY(cushim__checked_size(call, span->element, field->width, &box.extent.width));
    CUSHIM_TRY(cushim__spacing_settle(&box.rows, &box.extent, &place, &bytes));
    /* The subtraction cannot overflow, because the offset is compared first. */
    if (field->offset > all || bytes > all - field->offset)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, cushim__span_label(span),
                               "%s: the field has %zu bytes from byte %zu on, its view has %zu",
                               call, bytes, field->offset, all);
    box.access = cushim__span_access(span, write);
    box.access.begin += field->offset;
    box.access.end = box.access.begin + bytes;
    *ret_box = box;
    return CUSHIM_OK;
}

/*
 * Two sets of intervals that repeat, in units: [k * period, k * period + first) for k below n, and
 * [distance + k * period, distance + k * period + second). Calls meet for each shift of k at which
 * an interval of the first set may meet one of the second.
 */
struct repeated {
    size_t distance, period;
    size_t first, second;
};

static bool meets_same(const struct repeated *r)
{
    return r->distance % r->period < r->first;
}

static bool meets_next(const struct repeated *r)
{
    return r->distance % r->period + r->second > r->period;
}

/* Tells whether rows from row number `distance` of the first box on are rows of both boxes. */
static bool rows_meet(const struct cushim__box *a, const struct cushim__box *b, size_t distance)
{
    const struct repeated rows = {distance, a->rows.layer_rows, a->extent.height, b->extent.height};
    const size_t layer = distance / rows.period;

    return (meets_same(&rows) && layer < a->extent.depth) ||
           (meets_next(&rows) && layer + 1 < a->extent.depth);
}

/* The first box begins first. Both have the same pitch, and the same rows in a layer. */
static bool same_grid_overlap(const struct cushim__box *a, const struct cushim__box *b)
{
    const struct repeated bytes = {b->access.begin - a->access.begin, a->rows.pitch,
                                   a->extent.width, b->extent.width};
    const size_t row = bytes.distance / bytes.period;

    return (meets_same(&bytes) && rows_meet(a, b, row)) ||
           (meets_next(&bytes) && rows_meet(a, b, row + 1));
}

bool cushim__boxes_overlap(const struct cushim__box *a, const struct cushim__box *b)
{
    const bool flat = a->extent.depth == 1 && b->extent.depth == 1;
    const struct cushim__access accesses[] = {a->access, b->access};
    struct cushim__box first = *a, second = *b;
    size_t i, k, bytes;

    if (!cushim__find_overlap(accesses, 2, &i, &k, &bytes))
        return false;
    if (a->rows.pitch != b->rows.pitch || (!flat && a->rows.layer_rows != b->rows.layer_rows))
        return true;
    /* In one layer, rows do not repeat. */
    if (flat)
        first.rows.layer_rows = second.rows.layer_rows = PTRDIFF_MAX;
    return a->access.begin <= b->access.begin ? same_grid_overlap(&first, &second)
                                              : same_grid_overlap(&second, &first);
}

/* Rows that follow each other on both sides are one row, or one layer. */
static void joined(struct cushim__spacing *rows, const struct cushim__extent *extent)
{
    rows->layer_rows = extent->height;
    if (extent->height == 1)
        rows->pitch = extent->width;
}

void cushim__box_join_rows(struct cushim__box *box, struct cushim__spacing *other)
{
    struct cushim__spacing *here = &box->rows, unused = *here;
    struct cushim__extent *e = &box->extent;

    other = other ? other : &unused;
    if (cushim__extent_is_empty(e) ||
        (e->depth > 1 && (here->layer_rows != e->height || other->layer_rows != e->height)))
        return;
    e->height *= e->depth;
    e->depth = 1;
    if (e->height == 1 || (here->pitch == e->width && other->pitch == e->width)) {
        e->width *= e->height;
        e->height = 1;
    }
    joined(here, e);
    joined(other, e);
}

struct cushim__cu_end cushim__box_end(const struct cushim__box *box)
{
    const struct cushim__buffer *buffer = box->access.buffer;
    struct cushim__cu_end end = {.pitch = box->rows.pitch, .layer_rows = box->rows.layer_rows};

    if (buffer->memory == CUSHIM__MEMORY_PINNED) {
        end.memory = CU_MEMORYTYPE_HOST;
        end.host = (const char *) buffer->host + box->access.begin;
    } else {
        end.memory = CU_MEMORYTYPE_DEVICE;
        end.device = buffer->address + box->access.begin;
    }
    return end;
}
