/* SPDX-License-Identifier: MIT */
#include <cushim/field.h>

#include "core/memory/copy.h"

/* --- parts --- */

/* Looks up a field. It is inside of its view, and has no 0 that stands for a default. */
static cushim_status resolve(cushim_field *field, const char *call, size_t *ret_element)
{
    struct cushim__resolved_view span;
    struct cushim__box box;
    cushim_status status;

    CUSHIM_TRY(cushim__span_pin(field->view, call, &span));
    status = cushim__box_make(&span, field, false, call, &box);
    if (!status) {
        field->pitch = box.rows.pitch;
        field->layer_rows = box.rows.layer_rows;
        *ret_element = span.element;
    }
    cushim__span_unpin(&span);
    return status;
}

static cushim_status check_part(const char *call, const char *what, size_t first, size_t n,
                                size_t all)
{
    if (first <= all && n <= all - first)
        return CUSHIM_OK;
    return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, NULL,
                           "%s: %zu %s from number %zu on, the field has %zu", call, n, what, first,
                           all);
}

/* Offsets of an empty part may be too large for anything; they are not used. */
cushim_status cushim_field_part(cushim_field field, size_t x, size_t y, size_t width, size_t height,
                                cushim_field *ret_field)
{
    size_t element = 0;

    CHECK_OUTPUT(ret_field);
    CUSHIM_TRY(resolve(&field, __func__, &element));
    CUSHIM_TRY(check_part(__func__, "elements of a row", x, width, field.width));
    CUSHIM_TRY(check_part(__func__, "rows", y, height, field.height));
    field.width = width;
    field.height = height;
    if (width && height && field.depth)
        field.offset += y * field.pitch + x * element;
    *ret_field = field;
    return CUSHIM_OK;
}

cushim_status cushim_field_layers(cushim_field field, size_t first, size_t depth,
                                  cushim_field *ret_field)
{
    size_t element = 0;

    CHECK_OUTPUT(ret_field);
    CUSHIM_TRY(resolve(&field, __func__, &element));
    CUSHIM_TRY(check_part(__func__, "layers", first, depth, field.depth));
    field.depth = depth;
    if (field.width && field.height && depth)
        field.offset += first * field.layer_rows * field.pitch;
    *ret_field = field;
    return CUSHIM_OK;
}

cushim_status cushim_field_view(cushim_field field, cushim_view *ret_view)
{
    struct cushim__resolved_view span;
    struct cushim__box box;
    cushim_status status;
    size_t bytes;

    CHECK_OUTPUT(ret_view);
    CUSHIM_TRY(cushim__span_pin(field.view, __func__, &span));
    status = cushim__box_make(&span, &field, false, __func__, &box);
    if (!status) {
        const bool whole = (box.access.end - box.access.begin) % span.element == 0;

        bytes = box.access.end - box.access.begin;
        *ret_view = (cushim_view){.object = span.id,
                                  .offset = box.access.begin - span.slice->begin,
                                  .length = whole ? bytes / span.element : bytes,
                                  .element = whole ? span.element : 1,
                                  .writable = span.writable,
                                  .type = whole ? span.type : CUSHIM_ELEMENT_ANY};
    }
    cushim__span_unpin(&span);
    return status;
}

/* --- allocating --- */

static cushim_status fail_size(const char *call, size_t width, size_t height, size_t depth)
{
    return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, NULL,
                           "%s: %zu layers of %zu rows of %zu elements are more than there can be",
                           call, depth, height, width);
}

/*
 * Computes the pitch, and how many elements the memory has. The last row may end within an element,
 * if the pitch is no multiple of it.
 */
static cushim_status layout(const struct cushim__scope *scope, size_t element,
                            const cushim_field *field, size_t *ret_pitch, size_t *ret_length)
{
    const size_t alignment = (size_t) scope->context->limits.row_alignment;
    size_t row = 0, pitch, bytes;

    CUSHIM_TRY(cushim__checked_size(scope->call, element, field->width, &row));
    pitch = row / alignment * alignment + (row % alignment ? alignment : 0);
    if (__builtin_mul_overflow(pitch, field->height, &bytes) ||
        __builtin_mul_overflow(bytes, field->depth, &bytes) || bytes > PTRDIFF_MAX - element)
        return fail_size(scope->call, field->width, field->height, field->depth);
    *ret_pitch = pitch;
    *ret_length = bytes / element + (bytes % element != 0);
    return CUSHIM_OK;
}

static cushim_status alloc(struct cushim__scope *scope, struct cushim__stream *stream,
                           size_t element, cushim_field *field)
{
    const unsigned char type = cushim__take_type(&element);
    struct cushim__part part = {.element = element, .type = type};

    CUSHIM_TRY(layout(scope, element, field, &field->pitch, &part.length));
    CUSHIM_TRY(cushim__memory_alloc(scope, stream, NULL, element * part.length, &part));
    return cushim__slice_give(scope, CUSHIM__HANDLE_SLICE, part, &field->view.object);
}

cushim_status cushim_field_alloc(cushim_stream stream, size_t element, size_t width, size_t height,
                                 size_t depth, cushim_slice *ret_slice, cushim_field *ret_field)
{
    cushim_field field = cushim_field_3d(cushim__whole(0), 0, height, width, height, depth);
    struct cushim__stream *object;
    struct cushim__scope scope;
    cushim_status status;

    CHECK_OUTPUT(ret_slice);
    CHECK_OUTPUT(ret_field);
    CUSHIM_TRY(cushim__stream_enter(stream.id, __func__, &scope, &object));
    status = alloc(&scope, object, element, &field);
    if (!status) {
        ret_slice->id = field.view.object;
        *ret_field = field;
    }
    return cushim__scope_leave(&scope, status);
}

/* --- copying and filling --- */

/* A copy between a field and memory of the host, or a fill, and the element size of the call. */
struct job {
    const char *call;
    bool writes;                /* the field */
    cushim__copy_host_fn *copy; /* NULL for a fill */
    const void *host;           /* the memory of the host, or the element */
    size_t element;
    struct cushim__spacing rows; /* of the host */
};

static cushim_status run(struct cushim__scope *scope, struct cushim__stream *stream,
                         const struct job *job, const struct cushim__resolved_view *span,
                         const struct cushim__box *box)
{
    const struct cushim__spacing_place place = {job->call, scope->label, "the host's memory"};
    struct cushim__host_box host = {(char *) (uintptr_t) job->host, job->rows};
    size_t bytes = 0;

    if (!job->copy)
        return cushim__fill(scope, stream, box, job->host, span->element);
    CUSHIM_TRY(cushim__spacing_settle(&host.rows, &box->extent, &place, &bytes));
    return job->copy(scope, stream, box, &host);
}

static cushim_status start(cushim_stream stream, cushim_field field, const struct job *job)
{
    struct cushim__resolved_view span;
    struct cushim__stream *object;
    struct cushim__scope scope;
    struct cushim__box box;
    cushim_status status;

    CUSHIM_TRY(cushim__stream_enter(stream.id, job->call, &scope, &object));
    status = cushim__span_pin_here(&scope, field.view, job->writes, &span);
    if (status)
        return cushim__scope_leave(&scope, status);
    status = cushim__span_check_element(&span, job->call, job->element,
                                        job->copy ? CUSHIM__TELLER_POINTER : CUSHIM__TELLER_VALUE);
    if (!status)
        status = cushim__box_make(&span, &field, job->writes, job->call, &box);
    if (!status && !job->host && !cushim__extent_is_empty(&box.extent))
        status = cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, job->call, scope.label,
                                 "%s: host is NULL", job->call);
    if (!status)
        status = run(&scope, object, job, &span, &box);
    cushim__span_unpin(&span);
    return cushim__scope_leave(&scope, status);
}

cushim_status cushim_field_to_host(cushim_stream stream, cushim_field field, void *host,
                                   size_t element, size_t pitch, size_t layer_rows)
{
    const struct job job = {"cushim_field_read", false, cushim__copy_host, host, element,
                            {pitch, layer_rows}};

    return start(stream, field, &job);
}

cushim_status cushim_field_from_host(cushim_stream stream, cushim_field field, const void *host,
                                     size_t element, size_t pitch, size_t layer_rows)
{
    const struct job job = {"cushim_field_write", true, cushim__copy_host, host, element,
                            {pitch, layer_rows}};

    return start(stream, field, &job);
}

cushim_status cushim_field_to_host_async(cushim_stream stream, cushim_field field, void *host,
                                         size_t element, size_t pitch, size_t layer_rows)
{
    const struct job job = {
        "cushim_field_read_async", false, cushim__copy_host_async, host, element,
        {pitch, layer_rows}};

    return start(stream, field, &job);
}

cushim_status cushim_field_from_host_async(cushim_stream stream, cushim_field field,
                                           const void *host, size_t element, size_t pitch,
                                           size_t layer_rows)
{
    const struct job job = {
        "cushim_field_write_async", true, cushim__copy_host_async, host, element,
        {pitch, layer_rows}};

    return start(stream, field, &job);
}

cushim_status cushim_field_fill_with(cushim_stream stream, cushim_field field, const void *element,
                                     size_t bytes)
{
    const struct job job = {"cushim_field_fill", true, NULL, element, bytes, {0, 0}};

    CHECK_OUTPUT(element);
    return start(stream, field, &job);
}

static cushim_status check_extents(const struct cushim__scope *scope, const struct cushim__box *to,
                                   const struct cushim__box *from)
{
    const struct cushim__extent *there = &to->extent, *here = &from->extent;

    if (there->width == here->width && there->height == here->height && there->depth == here->depth)
        return CUSHIM_OK;
    return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, scope->call, scope->label,
                           "%s: from %zu layers of %zu rows of %zu bytes to %zu layers of %zu rows "
                           "of %zu bytes",
                           scope->call, here->depth, here->height, here->width, there->depth,
                           there->height, there->width);
}

static cushim_status copy(struct cushim__scope *scope, struct cushim__stream *stream,
                          const struct cushim__box *to, const struct cushim__box *from)
{
    if (to->access.buffer->context != scope->context &&
        from->access.buffer->context != scope->context)
        return cushim__fail_foreign(scope, "memory on both sides");
    CUSHIM_TRY(check_extents(scope, to, from));
    if (!cushim__extent_is_empty(&to->extent) && cushim__boxes_overlap(to, from))
        return cushim__fail_at(CUSHIM_ERROR_OVERLAP, scope->call, scope->label,
                               "%s: source and destination overlap", scope->call);
    return cushim__copy(scope, stream, to, from);
}

static cushim_status copy_spans(struct cushim__scope *scope, struct cushim__stream *stream,
                                const struct cushim__resolved_view *spans,
                                const cushim_field *fields)
{
    struct cushim__box boxes[2];

    scope->label = cushim__span_label(&spans[0]);
    CUSHIM_TRY(cushim__span_check_writable(&spans[0], scope->call));
    CUSHIM_TRY(cushim__span_check_types(&spans[0], &spans[1], scope->call));
    for (int i = 0; i < 2; i++)
        CUSHIM_TRY(cushim__box_make(&spans[i], &fields[i], i == 0, scope->call, &boxes[i]));
    return copy(scope, stream, &boxes[0], &boxes[1]);
}

cushim_status cushim_field_copy(cushim_stream stream, cushim_field to, cushim_field from)
{
    const cushim_field fields[] = {to, from};
    struct cushim__resolved_view spans[2];
    struct cushim__stream *object;
    struct cushim__scope scope;
    cushim_status status;

    CUSHIM_TRY(cushim__stream_enter(stream.id, __func__, &scope, &object));
    status = cushim__span_pin(to.view, scope.call, &spans[0]);
    if (status)
        return cushim__scope_leave(&scope, status);
    status = cushim__span_pin(from.view, scope.call, &spans[1]);
    if (!status) {
        status = copy_spans(&scope, object, spans, fields);
        cushim__span_unpin(&spans[1]);
    }
    scope.label = NULL;
    cushim__span_unpin(&spans[0]);
    return cushim__scope_leave(&scope, status);
}
