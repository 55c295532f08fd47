/* SPDX-License-Identifier: MIT */
#include <cushim/view.h>

#include "core/memory/slice.h"
#include "core/order/wait.h"

/* Returns some elements of a settled view. */
static cushim_view part_of(const cushim_view *view, size_t first, size_t length)
{
    cushim_view part = *view;

    part.offset += first * view->element;
    part.length = length;
    return part;
}

cushim_status cushim_view_whole(uint64_t object, cushim_view *ret_view)
{
    const cushim_view whole = cushim__whole(object);

    CHECK_OUTPUT(ret_view);
    return cushim__view_settle(&whole, __func__, ret_view);
}

cushim_status cushim_view_size(cushim_view view, size_t *ret_length, size_t *ret_element)
{
    CUSHIM_TRY(cushim__view_settle(&view, __func__, &view));
    if (ret_length)
        *ret_length = view.length;
    if (ret_element)
        *ret_element = view.element;
    return CUSHIM_OK;
}

static cushim_status fail_range(const cushim_view *view, const char *call, size_t first,
                                size_t length)
{
    struct cushim__resolved_view span;
    cushim_status status;

    CUSHIM_TRY(cushim__span_pin(*view, call, &span));
    status = cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, cushim__span_label(&span),
                             "%s: %zu elements from element %zu on, the view has %zu", call, length,
                             first, span.length);
    cushim__span_unpin(&span);
    return status;
}

cushim_status cushim_view_part(cushim_view view, size_t first, size_t length, cushim_view *ret_view)
{
    CHECK_OUTPUT(ret_view);
    CUSHIM_TRY(cushim__view_settle(&view, __func__, &view));
    if (first > view.length || length > view.length - first)
        return fail_range(&view, __func__, first, length);
    *ret_view = part_of(&view, first, length);
    return CUSHIM_OK;
}

static cushim_status fail_split(const cushim_view *view, const char *call, size_t at)
{
    struct cushim__resolved_view span;
    cushim_status status;

    CUSHIM_TRY(cushim__span_pin(*view, call, &span));
    status = cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, cushim__span_label(&span),
                             "%s: at %zu of %zu elements", call, at, span.length);
    cushim__span_unpin(&span);
    return status;
}

cushim_status cushim_view_split(cushim_view view, size_t at, cushim_view *ret_left,
                                cushim_view *ret_right)
{
    CUSHIM_TRY(cushim__view_settle(&view, __func__, &view));
    if (at > view.length)
        return fail_split(&view, __func__, at);
    if (ret_left)
        *ret_left = part_of(&view, 0, at);
    if (ret_right)
        *ret_right = part_of(&view, at, view.length - at);
    return CUSHIM_OK;
}

cushim_status cushim_view_partition(cushim_view view, size_t n, cushim_view *ret_views)
{
    size_t first = 0;

    CHECK_OUTPUT(ret_views);
    if (!n)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "%s: into 0 parts", __func__);
    if (n > PTRDIFF_MAX / sizeof(*ret_views))
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT,
                            "%s: into %zu parts, which are more than an array can have", __func__,
                            n);
    CUSHIM_TRY(cushim__view_settle(&view, __func__, &view));
    for (size_t i = 0; i < n; i++) {
        const size_t length = view.length / n + (i < view.length % n);

        ret_views[i] = part_of(&view, first, length);
        first += length;
    }
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
        view.length = (span.end - span.begin) / element;
        view.element = element;
        view.type = type;
        *ret_view = view;
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
