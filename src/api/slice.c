/* SPDX-License-Identifier: MIT */
#include <cushim/slice.h>

#include "core/memory/copy.h"

/* --- making slices, and giving memory away --- */

/* The elements of the part are set. */
static cushim_status alloc(struct cushim__scope *scope, struct cushim__stream *stream,
                           struct cushim__part *part)
{
    size_t bytes = 0;

    CUSHIM_TRY(cushim__checked_size(scope->call, part->element, part->length, &bytes));
    return cushim__memory_alloc(scope, stream, NULL, bytes, part);
}

static struct cushim__access all_of(const struct cushim__part *part)
{
    return (struct cushim__access){part->buffer, part->begin,
                                   part->begin + part->element * part->length, true};
}

/* Initialises new memory; a NULL pointer instead of a function leaves the contents undefined. */
typedef cushim__copy_host_fn init_fn;

static cushim_status make(cushim_stream stream, size_t element, size_t length, init_fn *init,
                          const void *host, const char *call, uint64_t *ret_id)
{
    struct cushim__part part = {.type = cushim__take_type(&element), .length = length};
    struct cushim__stream *object;
    struct cushim__scope scope;
    cushim_status status;

    part.element = element;
    CUSHIM_TRY(cushim__stream_enter(stream.id, call, &scope, &object));
    status = alloc(&scope, object, &part);
    if (!status && init) {
        const struct cushim__access access = all_of(&part);
        const struct cushim__box box = cushim__box_of_range(&access);

        status = init(&scope, object, &box,
                      &(struct cushim__host_box){.first = (char *) (uintptr_t) host});
        if (status)
            cushim__part_drop(&part, call, NULL);
    }
    if (!status)
        status = cushim__slice_give(&scope, CUSHIM__HANDLE_SLICE, part, ret_id);
    return cushim__scope_leave(&scope, status);
}

cushim_status cushim_slice_alloc(cushim_stream stream, size_t element, size_t length,
                                 cushim_slice *ret_slice)
{
    CHECK_OUTPUT(ret_slice);
    return make(stream, element, length, NULL, NULL, __func__, &ret_slice->id);
}

static cushim_status zero(struct cushim__scope *scope, struct cushim__stream *stream,
                          const struct cushim__box *box, const struct cushim__host_box *host)
{
    (void) host;
    return cushim__fill(scope, stream, box, "", 1);
}

cushim_status cushim_slice_zeros(cushim_stream stream, size_t element, size_t length,
                                 cushim_slice *ret_slice)
{
    CHECK_OUTPUT(ret_slice);
    return make(stream, element, length, zero, NULL, __func__, &ret_slice->id);
}

cushim_status cushim_slice_from_host(cushim_stream stream, const void *host, size_t element,
                                     size_t length, cushim_slice *ret_slice)
{
    const char *call = "cushim_slice_from";

    CHECK_OUTPUT_OF(call, ret_slice);
    if (!host && length)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, NULL, "%s: host is NULL", call);
    return make(stream, element, length, cushim__copy_host, host, call, &ret_slice->id);
}

static enum cushim__memory memory_of(enum cushim_adopted how)
{
    return how == CUSHIM_ADOPTED_ASYNC   ? CUSHIM__MEMORY_ASYNC
           : how == CUSHIM_ADOPTED_PLAIN ? CUSHIM__MEMORY_PLAIN
                                         : CUSHIM__MEMORY_BORROWED;
}

cushim_status cushim_slice_adopt(cushim_stream stream, uint64_t address, size_t element,
                                 size_t length, enum cushim_adopted how, cushim_slice *ret_slice)
{
    const unsigned char type = cushim__take_type(&element);
    struct cushim__stream *object;
    struct cushim__scope scope;
    cushim_status status;
    size_t bytes = 0;

    CHECK_OUTPUT(ret_slice);
    if ((unsigned) how > CUSHIM_ADOPTED_PLAIN)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "%s: how is %d, it must be from 0 to %d",
                            __func__, (int) how, CUSHIM_ADOPTED_PLAIN);
    CUSHIM_TRY(cushim__stream_enter(stream.id, __func__, &scope, &object));
    status = cushim__checked_size(__func__, element, length, &bytes);
    if (!status && (!address || address + bytes < address))
        status = cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "%s: no memory is at 0x%llx", __func__,
                              (unsigned long long) address);
    if (!status)
        status = cushim__slice_adopt(&scope, object,
                                     (struct cushim__adopted){.address = address,
                                                              .element = element,
                                                              .length = length,
                                                              .memory = memory_of(how),
                                                              .type = type},
                                     &ret_slice->id);
    return cushim__scope_leave(&scope, status);
}

void cushim_slice_free(cushim_slice *slice)
{
    cushim__object_close(slice ? &slice->id : NULL, CUSHIM__HANDLE_SLICE, __func__);
}

cushim_status cushim_slice_leak(cushim_stream stream, cushim_slice *slice, uint64_t *ret_address)
{
    struct cushim__stream *object;
    struct cushim__scope scope;
    struct cushim__resolved_view span;
    cushim_status status;

    CHECK_OUTPUT(slice);
    CHECK_OUTPUT(ret_address);
    CUSHIM_TRY(cushim__slice_check(slice->id, __func__));
    CUSHIM_TRY(cushim__stream_enter(stream.id, __func__, &scope, &object));
    status = cushim__span_pin_here(&scope, cushim__slice_view(*slice), true, &span);
    if (!status) {
        status = cushim__slice_leak(&scope, object, &span, ret_address);
        if (!status)
            cushim_slice_free(slice);
        scope.label = NULL;
        cushim__span_unpin(&span);
    }
    return cushim__scope_leave(&scope, status);
}

/* Makes a slice for some elements of a span. It gets its own reference on the memory. */
static cushim_status give_part(const struct cushim__scope *scope,
                               const struct cushim__resolved_view *span, size_t first,
                               size_t length, uint64_t *ret_id)
{
    struct cushim__buffer *buffer = span->slice->buffer;
    struct cushim__block *block = span->slice->block;
    bool leaked;

    cushim__lock(buffer->context);
    leaked = buffer->leaked;
    if (block)
        cushim__block_ref(block);
    else if (!leaked)
        atomic_fetch_add(&buffer->references, 1);
    cushim__unlock(buffer->context);
    if (leaked)
        return cushim__fail_leaked(scope);
    return cushim__slice_give(scope, CUSHIM__HANDLE_SLICE,
                              (struct cushim__part){.buffer = buffer,
                                                    .block = block,
                                                    .begin = span->begin + first * span->element,
                                                    .element = span->element,
                                                    .length = length,
                                                    .type = span->type},
                              ret_id);
}

cushim_status cushim_slice_split(cushim_slice *slice, size_t at, cushim_slice *ret_left,
                                 cushim_slice *ret_right)
{
    const struct cushim__scope scope = {.call = __func__};
    cushim_slice left = CUSHIM_NONE, right = CUSHIM_NONE;
    struct cushim__resolved_view span;
    cushim_status status = CUSHIM_OK;
    const char *place;

    CHECK_OUTPUT(slice);
    CHECK_OUTPUT(ret_left);
    CHECK_OUTPUT(ret_right);
    CUSHIM_TRY(cushim__check_no_callback(__func__));
    CUSHIM_TRY(cushim__slice_check(slice->id, __func__));
    CUSHIM_TRY(cushim__span_pin(cushim__slice_view(*slice), __func__, &span));
    if (at > span.length)
        status = cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "%s: at %zu of %zu elements", __func__,
                              at, span.length);
    /* Both parts are made at this place. */
    place = cushim__handle_source_location(NULL);
    cushim__handle_source_location(place);
    if (!status)
        status = give_part(&scope, &span, 0, at, &left.id);
    cushim__handle_source_location(place);
    if (!status)
        status = give_part(&scope, &span, at, span.length - at, &right.id);
    if (status) {
        cushim_slice_free(&left);
    } else {
        cushim__handle_source_location(place);
        cushim_slice_free(slice);
        *ret_left = left;
        *ret_right = right;
    }
    cushim__span_unpin(&span);
    return status;
}

/* --- copying and filling --- */

/* Compares the elements that the caller gave with those of the view. */
static cushim_status check_elements(const struct cushim__resolved_view *span, const char *call,
                                    size_t element, size_t length)
{
    const char *label = cushim__span_label(span);

    CUSHIM_TRY(cushim__span_check_element(span, call, element, CUSHIM__TELLER_POINTER));
    if (span->length != length)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, label,
                               "%s: %zu elements here, %zu in the view%s%s%s", call, length,
                               span->length, *label ? " of '" : "", label, *label ? "'" : "");
    return CUSHIM_OK;
}

/* A copy between host memory and a view. */
struct host_copy {
    const char *call;
    cushim__copy_host_fn *copy;
    bool writes; /* the view */
};

static cushim_status copy_host(cushim_stream stream, cushim_view view, const void *host,
                               size_t element, size_t length, const struct host_copy *copy)
{
    const struct cushim__host_box host_box = {.first = (char *) (uintptr_t) host};
    struct cushim__stream *object;
    struct cushim__scope scope;
    struct cushim__resolved_view span;
    cushim_status status;

    if (length && !host)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, copy->call, NULL, "%s: host is NULL",
                               copy->call);
    CUSHIM_TRY(cushim__stream_enter(stream.id, copy->call, &scope, &object));
    status = cushim__span_pin_here(&scope, view, copy->writes, &span);
    if (!status) {
        const struct cushim__access access = cushim__span_access(&span, copy->writes);
        const struct cushim__box box = cushim__box_of_range(&access);

        status = check_elements(&span, copy->call, element, length);
        if (!status)
            status = copy->copy(&scope, object, &box, &host_box);
        cushim__span_unpin(&span);
    }
    return cushim__scope_leave(&scope, status);
}

cushim_status cushim_view_read(cushim_stream stream, cushim_view view, void *host, size_t element,
                               size_t length)
{
    static const struct host_copy copy = {"cushim_slice_read", cushim__copy_host, false};

    return copy_host(stream, view, host, element, length, &copy);
}

cushim_status cushim_view_read_async(cushim_stream stream, cushim_view view, void *host,
                                     size_t element, size_t length)
{
    static const struct host_copy copy = {"cushim_slice_read_async", cushim__copy_host_async,
                                          false};

    return copy_host(stream, view, host, element, length, &copy);
}

cushim_status cushim_view_write(cushim_stream stream, cushim_view view, const void *host,
                                size_t element, size_t length)
{
    static const struct host_copy copy = {"cushim_slice_write", cushim__copy_host, true};

    return copy_host(stream, view, host, element, length, &copy);
}

cushim_status cushim_view_write_async(cushim_stream stream, cushim_view view, const void *host,
                                      size_t element, size_t length)
{
    static const struct host_copy copy = {"cushim_slice_write_async", cushim__copy_host_async,
                                          true};

    return copy_host(stream, view, host, element, length, &copy);
}

static cushim_status fail_overlap(const struct cushim__scope *scope,
                                  const struct cushim__resolved_view *to, size_t bytes)
{
    const char *label = cushim__span_label(to);

    return cushim__fail_at(CUSHIM_ERROR_OVERLAP, scope->call, scope->label,
                           "%s: source and destination overlap in %zu bytes%s%s%s", scope->call,
                           bytes, *label ? " of slice '" : "", label, *label ? "'" : "");
}

static cushim_status check_copy(const struct cushim__scope *scope,
                                const struct cushim__resolved_view *to,
                                const struct cushim__resolved_view *from)
{
    const struct cushim__access accesses[] = {cushim__span_access(to, true),
                                              cushim__span_access(from, false)};
    const size_t there = to->end - to->begin, here = from->end - from->begin;
    size_t first, second, bytes;

    if (to->slice->buffer->context != scope->context &&
        from->slice->buffer->context != scope->context)
        return cushim__fail_foreign(scope, "memory on both sides");
    if (there != here)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, scope->call, scope->label,
                               "%s: from %zu bytes to %zu", scope->call, here, there);
    CUSHIM_TRY(cushim__span_check_types(to, from, scope->call));
    if (cushim__find_overlap(accesses, 2, &first, &second, &bytes))
        return fail_overlap(scope, to, bytes);
    return cushim__span_check_writable(to, scope->call);
}

cushim_status cushim_slice_from_view(cushim_stream stream, cushim_view view,
                                     cushim_slice *ret_slice)
{
    const char *call = "cushim_slice_clone";
    cushim_slice made = CUSHIM_NONE;
    struct cushim__resolved_view span;
    cushim_status status;

    CHECK_OUTPUT_OF(call, ret_slice);
    CUSHIM_TRY(cushim__span_pin(view, call, &span));
    cushim__span_unpin(&span);
    CUSHIM_TRY(make(stream, span.element | (size_t) span.type << 56, span.length, NULL, NULL, call,
                    &made.id));
    status = cushim_view_copy(stream, cushim__slice_view(made), view);
    if (!status) {
        *ret_slice = made;
        return CUSHIM_OK;
    }
    cushim__error_as(call);
    cushim_slice_free(&made);
    return status;
}

static cushim_status copy(struct cushim__scope *scope, struct cushim__stream *stream,
                          const struct cushim__resolved_view *to,
                          const struct cushim__resolved_view *from)
{
    const struct cushim__access write = cushim__span_access(to, true),
                                read = cushim__span_access(from, false);
    const struct cushim__box target = cushim__box_of_range(&write),
                             source = cushim__box_of_range(&read);
    const cushim_status status = check_copy(scope, to, from);

    return status ? status : cushim__copy(scope, stream, &target, &source);
}

cushim_status cushim_view_copy(cushim_stream stream, cushim_view to, cushim_view from)
{
    struct cushim__resolved_view to_span, from_span;
    struct cushim__stream *object;
    struct cushim__scope scope;
    cushim_status status;

    CUSHIM_TRY(cushim__stream_enter(stream.id, "cushim_slice_copy", &scope, &object));
    status = cushim__span_pin(to, scope.call, &to_span);
    if (status)
        return cushim__scope_leave(&scope, status);
    scope.label = cushim__span_label(&to_span); /* and not that of the stream */
    status = cushim__span_pin(from, scope.call, &from_span);
    if (!status) {
        status = copy(&scope, object, &to_span, &from_span);
        cushim__span_unpin(&from_span);
    }
    scope.label = NULL;
    cushim__span_unpin(&to_span);
    return cushim__scope_leave(&scope, status);
}

cushim_status cushim_view_fill(cushim_stream stream, cushim_view view, const void *element,
                               size_t bytes)
{
    struct cushim__stream *object;
    struct cushim__scope scope;
    struct cushim__resolved_view span;
    cushim_status status;

    const char *call = "cushim_slice_fill";

    CHECK_OUTPUT_OF(call, element);
    if (cushim__fill_fast(stream.id, &view, element, bytes, call, &status))
        return status;
    CUSHIM_TRY(cushim__stream_enter(stream.id, call, &scope, &object));
    status = cushim__span_pin_here(&scope, view, true, &span);
    if (!status) {
        const struct cushim__access access = cushim__span_access(&span, true);
        const struct cushim__box box = cushim__box_of_range(&access);

        status = cushim__span_check_element(&span, scope.call, bytes, CUSHIM__TELLER_VALUE);
        if (!status)
            status = cushim__fill(&scope, object, &box, element, span.element);
        cushim__span_unpin(&span);
    }
    return cushim__scope_leave(&scope, status);
}

/*
 * Orders work that cushim does not submit itself. Before that work this is a submission that only
 * waits; after it, a submission that only notes the use.
 */
static cushim_status use(cushim_stream stream, cushim_view view, bool write, bool is_done,
                         const char *call, uint64_t *ret_address)
{
    struct cushim__stream *object;
    struct cushim__scope scope;
    struct cushim__resolved_view span;
    cushim_status status;

    CUSHIM_TRY(cushim__stream_enter(stream.id, call, &scope, &object));
    status = cushim__span_pin_here(&scope, view, write, &span);
    if (!status) {
        const struct cushim__access access = cushim__span_access(&span, write);
        struct cushim__submission s = {.scope = &scope,
                                       .timeline = object->timeline,
                                       .accesses = &access,
                                       .n = 1,
                                       .recordable = true,
                                       .waits_only = !is_done};

        status = cushim__submit_begin(&s);
        if (!status && is_done)
            cushim__submit_end(&s);
        else if (!status)
            cushim__submit_abandon(&s);
        if (!status && ret_address)
            *ret_address = cushim__span_address(&span);
        cushim__span_unpin(&span);
    }
    return cushim__scope_leave(&scope, status);
}

cushim_status cushim_view_use(cushim_stream stream, cushim_view view, bool write,
                              uint64_t *ret_address)
{
    const char *call = "cushim_slice_use";

    CHECK_OUTPUT_OF(call, ret_address);
    return use(stream, view, write, false, call, ret_address);
}

cushim_status cushim_view_used(cushim_stream stream, cushim_view view, bool write)
{
    return use(stream, view, write, true, "cushim_slice_used", NULL);
}

cushim_status cushim_slice_reclaim_to_host(cushim_stream stream, cushim_slice *slice, void *host,
                                           size_t element, size_t length)
{
    static const struct host_copy copy = {"cushim_slice_reclaim", cushim__copy_host, false};

    if (!slice)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, copy.call, NULL, "%s: slice is NULL",
                               copy.call);
    CUSHIM_TRY(cushim__slice_check(slice->id, copy.call));
    CUSHIM_TRY(copy_host(stream, CUSHIM_VIEW(*slice), host, element, length, &copy));
    cushim_slice_free(slice);
    return CUSHIM_OK;
}
