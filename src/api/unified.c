/* SPDX-License-Identifier: MIT */
#include <cushim/unified.h>

#include "core/memory/slice.h"

cushim_status cushim_unified_alloc(cushim_context context, size_t element, size_t length,
                                   enum cushim_attach attach, cushim_unified *ret_unified)
{
    struct cushim__buffer *buffer = NULL;
    struct cushim__scope scope;
    cushim_status status;
    unsigned char type;
    size_t bytes = 0;

    CHECK_OUTPUT(ret_unified);
    if (attach != CUSHIM_ATTACH_GLOBAL && attach != CUSHIM_ATTACH_HOST)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT,
                            attach == CUSHIM_ATTACH_SINGLE
                                ? "%s: new memory is attached to all streams or to the host, and "
                                  "cushim_unified_attach() attaches it to one stream"
                                : "%s: attach is %d, it must be CUSHIM_ATTACH_GLOBAL or "
                                  "CUSHIM_ATTACH_HOST",
                            __func__, (int) attach);
    type = cushim__take_type(&element);
    CUSHIM_TRY(cushim__checked_size(__func__, element, length, &bytes));
    CUSHIM_TRY(cushim__context_enter(context.id, __func__, &scope));
    status = cushim__memory_alloc_managed(&scope, bytes, attach, &buffer);
    if (!status)
        status = cushim__slice_give(&scope, CUSHIM__HANDLE_UNIFIED,
                                    (struct cushim__part){.buffer = buffer,
                                                          .element = element,
                                                          .length = length,
                                                          .type = type},
                                    &ret_unified->id);
    return cushim__scope_leave(&scope, status);
}

void cushim_unified_free(cushim_unified *unified)
{
    cushim__object_close(unified ? &unified->id : NULL, CUSHIM__HANDLE_UNIFIED, __func__);
}

/* Pins a view, which must be of unified memory. */
static cushim_status span_pin(cushim_view view, const char *call,
                              struct cushim__resolved_view *ret_span)
{
    if (cushim__handle_kind_of(view.object) == CUSHIM__HANDLE_UNIFIED)
        return cushim__span_pin(view, call, ret_span);
    /* This sets the error. */
    cushim__handle_pin(view.object, CUSHIM__HANDLE_UNIFIED, call);
    return cushim__error()->status;
}

/* Enters the stream's context with a view of unified memory of that context. */
static cushim_status enter(cushim_stream stream, cushim_view view, const char *call,
                           struct cushim__scope *scope, struct cushim__stream **ret_stream,
                           struct cushim__resolved_view *ret_span)
{
    cushim_status status;

    CUSHIM_TRY(cushim__object_enter(stream.id, CUSHIM__HANDLE_STREAM, call, scope, ret_stream));
    status = span_pin(view, call, ret_span);
    if (status)
        return cushim__scope_leave(scope, status);
    scope->label = cushim__span_label(ret_span);
    if (ret_span->slice->buffer->context == scope->context)
        return CUSHIM_OK;
    status = cushim__fail_foreign(scope, "memory");
    cushim__span_unpin(ret_span);
    return cushim__scope_leave(scope, status);
}

static cushim_status leave(struct cushim__scope *scope, const struct cushim__resolved_view *span,
                           cushim_status status)
{
    cushim__span_unpin(span);
    return cushim__scope_leave(scope, status);
}

/* Notes to what the memory is attached. Under the context lock. */
static void note_attached(struct cushim__buffer *buffer, struct cushim__timeline *timeline,
                          enum cushim_attach attach)
{
    cushim__timeline_unref(buffer->attached);
    buffer->attached = attach == CUSHIM_ATTACH_SINGLE ? cushim__timeline_ref(timeline) : NULL;
    buffer->host_only =
        attach == CUSHIM_ATTACH_HOST || (attach == CUSHIM_ATTACH_SINGLE && buffer->made_host_only);
    buffer->restricted = buffer->attached || buffer->host_only;
}

static cushim_status attach_to(struct cushim__scope *scope, struct cushim__stream *stream,
                               const struct cushim__resolved_view *span, enum cushim_attach attach)
{
    const struct cushim__access access = cushim__span_access(span, true);
    struct cushim__submission s = {.scope = scope,
                                   .timeline = stream->timeline,
                                   .accesses = &access,
                                   .n = 1,
                                   .attaching = true};
    cushim_status status = CUSHIM_OK;

    if (access.begin == access.end)
        return CUSHIM_OK;
    CUSHIM_TRY(cushim__submit_begin(&s));
    cushim__lock(access.buffer->context);
    status = CU_CALL(scope, cuStreamAttachMemAsync,
                     (stream->cu, access.buffer->address, access.buffer->bytes, attach));
    if (!status)
        note_attached(access.buffer, stream->timeline, attach);
    cushim__unlock(access.buffer->context);
    cushim__submit_end(&s);
    return status;
}

static bool is_default(const struct cushim__stream *stream)
{
    return !stream->cu || stream->cu == CU_STREAM_LEGACY;
}

cushim_status cushim_unified_attach(cushim_stream stream, cushim_unified unified,
                                    enum cushim_attach attach)
{
    struct cushim__stream *object;
    struct cushim__scope scope;
    struct cushim__resolved_view span;
    cushim_status status;

    CUSHIM_TRY(enter(stream, cushim__unified_view(unified), __func__, &scope, &object, &span));
    if (attach == CUSHIM_ATTACH_SINGLE && is_default(object))
        status = cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT,
                              "%s: the default stream stands for all streams, and memory is "
                              "attached to one: take a stream of cushim_stream_new()",
                              __func__);
    else if (attach == CUSHIM_ATTACH_GLOBAL || attach == CUSHIM_ATTACH_HOST ||
             attach == CUSHIM_ATTACH_SINGLE)
        status = attach_to(&scope, object, &span, attach);
    else
        status = cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT,
                              "%s: attach is %d, it must be one of enum cushim_attach", __func__,
                              (int) attach);
    return leave(&scope, &span, status);
}

cushim_status cushim_unified_read(cushim_unified unified, const void **ret_pointer)
{
    void *pointer = NULL;
    cushim_status status;

    CHECK_OUTPUT(ret_pointer);
    status = cushim__slice_host(unified.id, CUSHIM__HANDLE_UNIFIED, false, __func__, &pointer);
    if (!status)
        *ret_pointer = pointer;
    return status;
}

cushim_status cushim_unified_write(cushim_unified unified, void **ret_pointer)
{
    CHECK_OUTPUT(ret_pointer);
    return cushim__slice_host(unified.id, CUSHIM__HANDLE_UNIFIED, true, __func__, ret_pointer);
}

/*
 * A prefetch moves pages but does not change the data. So it is submitted as a read: it comes after
 * earlier writes, and other streams may read at the same time.
 */
cushim_status cushim_view_prefetch(cushim_stream stream, cushim_view view, int device)
{
    struct cushim__stream *object;
    struct cushim__scope scope;
    struct cushim__resolved_view span;
    cushim_status status = CUSHIM_OK;

    CUSHIM_TRY(enter(stream, view, "cushim_unified_prefetch", &scope, &object, &span));
    if (span.begin != span.end) {
        const struct cushim__access access = cushim__span_access(&span, false);
        struct cushim__submission s = {
            .scope = &scope, .timeline = object->timeline, .accesses = &access, .n = 1};

        status = cushim__submit_begin(&s);
        if (!status) {
            status =
                CU_CALL(&scope, cuMemPrefetchAsync,
                        (cushim__span_address(&span), span.end - span.begin, device, object->cu));
            cushim__submit_end(&s);
        }
    }
    return leave(&scope, &span, status);
}

cushim_status cushim_view_advise(cushim_view view, enum cushim_advice advice, int device)
{
    const char *call = "cushim_unified_advise";
    struct cushim__scope scope;
    struct cushim__resolved_view span;
    cushim_status status;

    if (advice < CUSHIM_ADVICE_READ_MOSTLY || advice > CUSHIM_ADVICE_UNSET_ACCESSED_BY)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, NULL,
                               "%s: advice is %d, it must be one of enum cushim_advice", call,
                               (int) advice);
    CUSHIM_TRY(span_pin(view, call, &span));
    status =
        cushim__scope_enter(span.slice->object.context, call, cushim__span_label(&span), &scope);
    if (status) {
        cushim__span_unpin(&span);
        return status;
    }
    if (span.begin != span.end)
        status = CU_CALL(&scope, cuMemAdvise,
                         (cushim__span_address(&span), span.end - span.begin, advice, device));
    return leave(&scope, &span, status);
}
