/* SPDX-License-Identifier: MIT */
#include "core/memory/slice.h"
#include "core/order/wait.h"

#include <stdlib.h>

/*
 * Called with the last pin of the slice. The memory is freed only with the last reference to its
 * buffer, and after the work that uses it.
 */
static void destroy(void *object)
{
    struct cushim__slice *slice = object;
    struct cushim__context *context = slice->object.context;

    cushim__buffer_unref(slice->buffer, "cushim_slice_free", cushim__object_label(&slice->object));
    cushim__object_finish(&slice->object);
    free(slice);
    cushim__context_unref(context);
}

cushim_status cushim__slice_give(const struct cushim__scope *scope, enum cushim__handle_kind kind,
                                 struct cushim__part part, uint64_t *ret_id)
{
    struct cushim__buffer *buffer = part.buffer;
    struct cushim__slice *slice = cushim__zalloc_lines(sizeof(*slice));

    if (!slice) {
        /* The caller has passed its reference to this function, also if it fails. */
        cushim__buffer_unref(buffer, scope->call, NULL);
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, scope->call, NULL, "no memory for a %s",
                               cushim__handle_noun(kind));
    }
    /* The slice is used after its buffer is gone (destroy()), so it keeps the context itself. */
    cushim__context_ref(buffer->context);
    cushim__object_init(&slice->object, kind, buffer->context, destroy);
    slice->object.kept_by_parent = buffer->code; /* a variable, which its module frees */
    slice->buffer = buffer;
    slice->begin = part.begin;
    slice->element = part.element;
    slice->type = part.type;
    slice->length = part.length;
    return cushim__object_give(&slice->object, scope->call, ret_id);
}

/*
 * Fails if the driver knows memory at the address, and knows that it is shorter. Several mappings
 * in a row may be one piece of memory for the program. Memory that the driver does not know is the
 * caller's word.
 */
static cushim_status check_adopted(const struct cushim__scope *scope, uint64_t address,
                                   size_t bytes)
{
    enum { MOST_MAPPINGS = 65536 };
    size_t known = 0;

    for (unsigned i = 0; known < bytes && i < MOST_MAPPINGS; i++) {
        const uint64_t at = address + known;
        CUdeviceptr begin = 0;
        size_t length = 0;

        if (CU_FN(scope->table, cuMemGetAddressRange_v2)(&begin, &length, at) || begin > at ||
            at - begin >= length)
            break;
        known += length - (size_t) (at - begin);
    }
    if (!known || known >= bytes)
        return CUSHIM_OK;
    return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, scope->call, NULL,
                           "%s: at 0x%llx there are %zu bytes, and not %zu", scope->call,
                           (unsigned long long) address, known, bytes);
}

cushim_status cushim__slice_adopt(struct cushim__scope *scope, struct cushim__stream *stream,
                                  struct cushim__adopted adopted, uint64_t *ret_id)
{
    const size_t bytes = adopted.offset + adopted.element * adopted.length;
    struct cushim__buffer *buffer;
    cushim_status status;
    uint64_t id = 0;

    CUSHIM_TRY(check_adopted(scope, adopted.address, bytes));
    buffer = cushim__buffer_new(scope->context, CUSHIM__MEMORY_BORROWED, adopted.address, NULL,
                                bytes, stream->timeline, adopted.keep);
    if (!buffer)
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, scope->call, NULL, "no memory for a slice");
    status = cushim__submit_use(scope, stream->timeline, buffer);
    if (!status) {
        cushim__buffer_hold(buffer);
        status = cushim__slice_give(scope, CUSHIM__HANDLE_SLICE,
                                    (struct cushim__part){buffer, adopted.offset, adopted.element,
                                                          adopted.length, adopted.type},
                                    &id);
    }
    /* The memory stays the caller's on failure, so the buffer owns it only from here on. */
    if (!status) {
        buffer->memory = adopted.memory;
        *ret_id = id;
    }
    cushim__buffer_release(buffer, scope->call);
    return status;
}

cushim_status cushim__checked_size(const char *call, size_t element, size_t length,
                                   size_t *ret_bytes)
{
    size_t bytes;

    if (!element)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, NULL,
                               "%s: an element of 0 bytes", call);
    /*
     * More than half of the address space is never memory, and differences must fit into ptrdiff_t.
     */
    if (__builtin_mul_overflow(element, length, &bytes) || bytes > PTRDIFF_MAX)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, NULL,
                               "%s: %zu elements of %zu bytes are more than there can be", call,
                               length, element);
    *ret_bytes = bytes;
    return CUSHIM_OK;
}

static bool is_memory(enum cushim__handle_kind kind)
{
    return kind == CUSHIM__HANDLE_SLICE || kind == CUSHIM__HANDLE_PINNED ||
           kind == CUSHIM__HANDLE_UNIFIED;
}

/*
 * Tells whether a view stands for a whole slice. Only cushim_slice_view() and the like make such
 * views.
 */
static bool is_whole(const cushim_view *view)
{
    return view->length == CUSHIM__WHOLE;
}

static cushim_status resolve(const cushim_view *view, const char *call,
                             struct cushim__resolved_view *span)
{
    const struct cushim__slice *slice = span->slice;
    const size_t all = slice->element * slice->length;
    cushim_status status;
    size_t bytes = 0;

    span->element = is_whole(view) ? slice->element : view->element;
    span->length = is_whole(view) ? slice->length : view->length;
    span->type = is_whole(view) ? slice->type : view->type;
    status = cushim__checked_size(call, span->element, span->length, &bytes);
    if (status)
        return status;
    /* The subtraction cannot overflow, because the offset is compared first. */
    if (view->offset > all || bytes > all - view->offset)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call,
                               cushim__object_label(&span->slice->object),
                               "%s: the view has bytes %zu to %zu of %zu", call, view->offset,
                               view->offset + bytes, all);
    span->begin = slice->begin + view->offset;
    span->end = span->begin + bytes;
    span->writable = view->writable;
    return CUSHIM_OK;
}

cushim_status cushim__span_pin(cushim_view view, const char *call,
                               struct cushim__resolved_view *ret_span)
{
    const enum cushim__handle_kind kind = cushim__handle_kind_of(view.object);
    struct cushim__resolved_view span = {.id = view.object};
    cushim_status status;

    /* For a handle of another kind, pinning as a slice sets the right error. */
    span.slice =
        cushim__handle_pin(view.object, is_memory(kind) ? kind : CUSHIM__HANDLE_SLICE, call);
    if (!span.slice)
        return cushim__error()->status;
    status = resolve(&view, call, &span);
    if (status)
        cushim__handle_unpin(view.object);
    else
        *ret_span = span;
    return status;
}

/* Pinned memory can be used in every context. */
static bool is_of(const struct cushim__context *context, const struct cushim__resolved_view *span)
{
    const struct cushim__buffer *buffer = span->slice->buffer;

    return buffer->context == context || buffer->memory == CUSHIM__MEMORY_PINNED;
}

cushim_status cushim__span_pin_here(struct cushim__scope *scope, cushim_view view, bool write,
                                    struct cushim__resolved_view *ret_span)
{
    cushim_status status = CUSHIM_OK;

    CUSHIM_TRY(cushim__span_pin(view, scope->call, ret_span));
    scope->label = cushim__span_label(ret_span);
    if (!is_of(scope->context, ret_span))
        status = cushim__fail_foreign(scope, "memory");
    else if (write)
        status = cushim__span_check_writable(ret_span, scope->call);
    if (status)
        cushim__span_unpin(ret_span);
    return status;
}

static const char *type_word(unsigned char type)
{
    static const char *const words[] = {"", " (integer)", " (floating point)"};

    return type <= CUSHIM_ELEMENT_FLOAT ? words[type] : "";
}

/* Says what differs, and what to write instead where a literal may have another type. */
static cushim_status fail_elements(const struct cushim__resolved_view *span, const char *call,
                                   size_t element, unsigned char type)
{
    const char *advice = "";

    if (type == CUSHIM_ELEMENT_FLOAT && element == sizeof(double))
        advice = "; 1.5 is a double, 1.5f a float";
    else if (type == CUSHIM_ELEMENT_INTEGER && span->type == CUSHIM_ELEMENT_FLOAT)
        advice = "; 1 is an int, 1.0f a float";
    else if (type == CUSHIM_ELEMENT_INTEGER && element == sizeof(int))
        advice = span->element == 8   ? "; 1 is an int, (size_t) 1 has 8 bytes"
                 : span->element == 2 ? "; 1 is an int, (short) 1 has 2 bytes"
                 : span->element == 1 ? "; 1 is an int, (char) 1 has 1 byte"
                                      : "";
    return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, cushim__span_label(span),
                           "%s: elements of %zu bytes%s here, of %zu%s in the view%s", call,
                           element, type_word(type), span->element, type_word(span->type), advice);
}

cushim_status cushim__span_check_element(const struct cushim__resolved_view *span, const char *call,
                                         size_t element)
{
    const unsigned char type = cushim__take_type(&element);

    if (span->element != element || (type && span->type && type != span->type))
        return fail_elements(span, call, element, type);
    return CUSHIM_OK;
}

cushim_status cushim__slice_check(uint64_t id, const char *call)
{
    if (!cushim__handle_pin(id, CUSHIM__HANDLE_SLICE, call))
        return cushim__error()->status;
    cushim__handle_unpin(id);
    return CUSHIM_OK;
}

cushim_status cushim__span_check_writable(const struct cushim__resolved_view *span,
                                          const char *call)
{
    if (span->writable)
        return CUSHIM_OK;
    return cushim__fail_at(CUSHIM_ERROR_READ_ONLY, call, cushim__span_label(span),
                           "%s: the view is for reading only", call);
}

/*
 * Waits until the host may use managed memory that a device cannot share with it: for the stream to
 * which the memory is attached, or else for the whole context, unless the memory is attached to the
 * host.
 */
static cushim_status wait_for_device(struct cushim__scope *scope, struct cushim__buffer *buffer)
{
    struct cushim__timeline *attached = NULL;
    bool host_only;
    cushim_status status;

    if (buffer->memory != CUSHIM__MEMORY_MANAGED || buffer->context->limits.concurrent_managed)
        return CUSHIM_OK;
    /*
     * The lock protects both fields. The wait below holds no lock, so that other threads can go on
     * submitting; the reference keeps the timeline alive until then.
     */
    cushim__lock(buffer->context);
    host_only = buffer->host_only;
    if (buffer->attached && !buffer->attached->retired)
        attached = cushim__timeline_ref(buffer->attached);
    cushim__unlock(buffer->context);
    if (attached)
        status = cushim__timeline_settle(scope, attached);
    else
        status = host_only ? CUSHIM_OK : cushim__synchronize_context(scope);
    cushim__timeline_unref(attached);
    return status;
}

cushim_status cushim__slice_host(uint64_t id, enum cushim__handle_kind kind, bool write,
                                 const char *call, void **ret_pointer)
{
    struct cushim__access access;
    struct cushim__slice *slice;
    struct cushim__scope scope;
    cushim_status status = cushim__object_enter(id, kind, call, &scope, &slice);

    if (status)
        return status;
    /* The host may use all of the memory after this call, so it waits for the work on all of it. */
    access = (struct cushim__access){slice->buffer, 0, slice->buffer->bytes, write};
    status = cushim__buffer_synchronize(&scope, &access);
    if (!status)
        status = wait_for_device(&scope, slice->buffer);
    if (!status)
        *ret_pointer = slice->buffer->host;
    return cushim__scope_leave(&scope, status);
}
