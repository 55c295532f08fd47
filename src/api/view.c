/* SPDX-License-Identifier: MIT */
#include <cushim/view.h>

#include "core/memory/slice.h"
#include "core/order/wait.h"

/*
 * Makes a view of some elements of a span. The view's offset counts from the beginning of the
 * slice.
 */
static cushim_view view_of(const struct cushim__resolved_view *span, size_t first, size_t length)
{
    return (cushim_view){.object = span->id,
                         .offset = span->begin - span->slice->begin + first * span->element,
                         .length = length,
                         .element = span->element,
                         .writable = span->writable,
                         .type = span->type};
}

cushim_status cushim_view_whole(uint64_t object, cushim_view *ret_view)
{
    struct cushim__resolved_view span;

    CHECK_OUTPUT(ret_view);
    CUSHIM_TRY(cushim__span_pin(cushim__whole(object), __func__, &span));
    *ret_view = view_of(&span, 0, span.length);
    cushim__span_unpin(&span);
    return CUSHIM_OK;
}

cushim_status cushim_view_size(cushim_view view, size_t *ret_length, size_t *ret_element)
{
    struct cushim__resolved_view span;

    CUSHIM_TRY(cushim__span_pin(view, __func__, &span));
    if (ret_length)
        *ret_length = span.length;
    if (ret_element)
        *ret_element = span.element;
    cushim__span_unpin(&span);
    return CUSHIM_OK;
}

static cushim_status fail_range(const struct cushim__resolved_view *span, const char *call,
                                size_t first, size_t length)
{
    return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, cushim__span_label(span),
                           "%s: %zu elements from element %zu on, the view has %zu", call, length,
                           first, span->length);
}

cushim_status cushim_view_part(cushim_view view, size_t first, size_t length, cushim_view *ret_view)
{
    struct cushim__resolved_view span;
    cushim_status status = CUSHIM_OK;

    CHECK_OUTPUT(ret_view);
    CUSHIM_TRY(cushim__span_pin(view, __func__, &span));
    if (first > span.length || length > span.length - first)
        status = fail_range(&span, __func__, first, length);
    else
        *ret_view = view_of(&span, first, length);
    cushim__span_unpin(&span);
    return status;
}

cushim_status cushim_view_split(cushim_view view, size_t at, cushim_view *ret_left,
                                cushim_view *ret_right)
{
    struct cushim__resolved_view span;
    cushim_status status = CUSHIM_OK;

    CUSHIM_TRY(cushim__span_pin(view, __func__, &span));
    if (at > span.length) {
        status = cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, __func__, cushim__span_label(&span),
                                 "%s: at %zu of %zu elements", __func__, at, span.length);
    } else {
        if (ret_left)
            *ret_left = view_of(&span, 0, at);
        if (ret_right)
            *ret_right = view_of(&span, at, span.length - at);
    }
    cushim__span_unpin(&span);
    return status;
}

cushim_status cushim_view_partition(cushim_view view, size_t n, cushim_view *ret_views)
{
    struct cushim__resolved_view span;
    size_t first = 0;

    CHECK_OUTPUT(ret_views);
    if (!n)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "%s: into 0 parts", __func__);
    if (n > PTRDIFF_MAX / sizeof(*ret_views))
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT,
                            "%s: into %zu parts, which are more than an array can have", __func__,
                            n);
    CUSHIM_TRY(cushim__span_pin(view, __func__, &span));
    for (size_t i = 0; i < n; i++) {
        const size_t length = span.length / n + (i < span.length % n);

        ret_views[i] = view_of(&span, first, length);
        first += length;
    }
    cushim__span_unpin(&span);
    return CUSHIM_OK;
}

static cushim_status check_cast(const struct cushim__resolved_view *span, size_t element,
                                size_t alignment, const char *call)
{
    const size_t bytes = span->end - span->begin;

    if (!element || !alignment || alignment & (alignment - 1))
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, cushim__span_label(span),
                               "%s: elements of %zu bytes, aligned to %zu", call, element,
                               alignment);
    if (bytes % element)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, cushim__span_label(span),
                               "%s: %zu bytes are no whole number of elements of %zu bytes", call,
                               bytes, element);
    if (bytes && cushim__span_address(span) % alignment)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, cushim__span_label(span),
                               "%s: 0x%llx is not aligned to %zu bytes", call,
                               cushim__span_address(span), alignment);
    return CUSHIM_OK;
}

cushim_status cushim_view_reinterpret(cushim_view view, size_t element, size_t alignment,
                                      cushim_view *ret_view)
{
    const unsigned char type = cushim__take_type(&element);
    struct cushim__resolved_view span;
    cushim_status status;

    CHECK_OUTPUT(ret_view);
    CUSHIM_TRY(cushim__span_pin(view, __func__, &span));
    status = check_cast(&span, element, alignment, __func__);
    if (!status) {
        span.length = (span.end - span.begin) / element;
        span.element = element;
        span.type = type;
        *ret_view = view_of(&span, 0, span.length);
    }
    cushim__span_unpin(&span);
    return status;
}

cushim_status cushim_view_query(cushim_view view, bool write)
{
    struct cushim__resolved_view span;
    struct cushim__scope scope;
    cushim_status status;

    CUSHIM_TRY(cushim__span_pin(view, "cushim_slice_query", &span));
    status = cushim__scope_enter(span.slice->object.context, "cushim_slice_query",
                                 cushim__span_label(&span), &scope);
    if (!status) {
        const struct cushim__access access = cushim__span_access(&span, write);

        status = cushim__scope_leave(&scope, cushim__buffer_query(&scope, &access));
    }
    cushim__span_unpin(&span);
    return status;
}
