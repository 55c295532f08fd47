/* SPDX-License-Identifier: MIT */
#include "core/memory/slice.h"
#include "core/object/handle_words.h"
#include "core/object/slot.h"
#include "core/order/wait.h"

#include <stdlib.h>

/*
 * Called with the last pin of the slice. The memory is freed only with the last reference to its
 * buffer, and after the work that uses it. The buffer may be kept, and then keeps the memory of the
 * slice object, too: it is not touched after that.
 */
static void destroy(void *object)
{
    struct cushim__slice *slice = object;
    struct cushim__buffer *buffer = slice->buffer;
    SCOPED_FREE char *label = atomic_load(&slice->object.label);

    if (slice->block) {
        cushim__block_unref(slice->block, "cushim_slice_free", label ? label : "");
        free(slice);
        return;
    }
    /* Without other slices nobody else touches it. */
    if (atomic_load_explicit(&buffer->references, memory_order_acquire) == 1 && !buffer->spare)
        atomic_store_explicit(&buffer->spare, slice, memory_order_relaxed);
    else
        free(atomic_exchange(&buffer->spare, slice));
    cushim__buffer_unref(buffer, "cushim_slice_free", label ? label : "");
}

static struct cushim__slice *allocate(const struct cushim__part *part)
{
    struct cushim__buffer *buffer = part->buffer;
    struct cushim__slice *spare = part->block ? NULL : buffer->spare;

    if (spare && atomic_load_explicit(&buffer->references, memory_order_acquire) == 1)
        atomic_store_explicit(&buffer->spare, NULL, memory_order_relaxed);
    else if (spare)
        spare = atomic_exchange(&buffer->spare, NULL);
    return spare ? spare : cushim__zalloc_lines(sizeof(*spare));
}

cushim_status cushim__slice_give(const struct cushim__scope *scope, enum cushim__handle_kind kind,
                                 struct cushim__part part, uint64_t *ret_id)
{
    struct cushim__buffer *buffer = part.buffer;
    struct cushim__slice *slice = allocate(&part);
    uint64_t id = 0;

    if (!slice) {
        /* The caller has passed its reference to this function, also if it fails. */
        cushim__part_drop(&part, scope->call, NULL);
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, scope->call, NULL, "no memory for %s",
                               cushim__handle_a(kind));
    }
    *slice = (struct cushim__slice){.buffer = buffer,
                                    .block = part.block,
                                    .begin = part.begin,
                                    .element = part.element,
                                    .type = part.type,
                                    .length = part.length};
    /* The buffer or the block keeps the context. */
    cushim__object_init(&slice->object, kind, buffer->context, destroy);
    slice->object.kept_by_parent = buffer->code; /* a variable, which its module frees */
    CUSHIM_TRY(cushim__object_give(&slice->object, scope->call, &id));
    cushim__handle_set_memory(id, buffer, part.begin,
                              part.element | (size_t) part.type << CUSHIM__TYPE_SHIFT, part.length);
    *ret_id = id;
    return CUSHIM_OK;
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
                                    (struct cushim__part){.buffer = buffer,
                                                          .begin = adopted.offset,
                                                          .element = adopted.element,
                                                          .length = adopted.length,
                                                          .type = adopted.type},
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

/* The size is wrong in a way that its number would not tell. */
static cushim_status fail_computed(const char *call)
{
    return cushim__fail_at(
        CUSHIM_ERROR_INVALID_ARGUMENT, call, NULL,
        "%s: the size of an element was computed with CUSHIM_ELEMENT(), which says more than the "
        "bytes; four floats are CUSHIM_ELEMENT(struct four_floats), or sizeof(float) * 4",
        call);
}

cushim_status cushim__checked_size(const char *call, size_t element, size_t length,
                                   size_t *ret_bytes)
{
    size_t bytes;

    if (!element)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, NULL,
                               "%s: an element of 0 bytes", call);
    if (cushim__has_type(element))
        return fail_computed(call);
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
 * Tells whether a view stands for a whole slice. Only cushim__slice_view() and the like make such
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

/* Settles a view without pinning its memory. Returns false if there is an error to explain. */
static bool settle(cushim_view *view)
{
    struct cushim__handle_slot *slot = cushim__slot_at(cushim__handle_index(view->object));
    size_t element, length, all, bytes;
    unsigned char type;

    if (!slot || cushim__attention_needed() ||
        !cushim__slot_elements(slot, view->object, &element, &length))
        return false;
    type = cushim__take_type(&element);
    all = element * length;
    if (is_whole(view)) {
        view->element = element;
        view->length = length;
        view->type = type;
    }
    return view->element && !__builtin_mul_overflow(view->element, view->length, &bytes) &&
           view->offset <= all && bytes <= all - view->offset;
}

cushim_status cushim__view_settle(const cushim_view *view, const char *call, cushim_view *ret_view)
{
    cushim_view settled = *view;
    struct cushim__resolved_view span;

    if (__builtin_expect(!settle(&settled), 0)) {
        CUSHIM_TRY(cushim__span_pin(*view, call, &span));
        settled.element = span.element;
        settled.length = span.length;
        settled.type = span.type;
        cushim__span_unpin(&span);
    }
    *ret_view = settled;
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

/* What to write instead where a literal may have another type. */
static const char *advice_on_value(const struct cushim__resolved_view *span, size_t element,
                                   unsigned char type)
{
    if (type == CUSHIM_ELEMENT_FLOAT && element == sizeof(double))
        return "; 1.5 is a double, 1.5f a float";
    if (type == CUSHIM_ELEMENT_INTEGER && span->type == CUSHIM_ELEMENT_FLOAT)
        return "; 1 is an int, 1.0f a float";
    if (type != CUSHIM_ELEMENT_INTEGER || element != sizeof(int))
        return "";
    return span->element == 8   ? "; 1 is an int, (size_t) 1 has 8 bytes"
           : span->element == 2 ? "; 1 is an int, (short) 1 has 2 bytes"
           : span->element == 1 ? "; 1 is an int, (char) 1 has 1 byte"
                                : "";
}

cushim_status cushim__span_check_element(const struct cushim__resolved_view *span, const char *call,
                                         size_t element, enum cushim__teller teller)
{
    const unsigned char type = cushim__take_type(&element);

    if (span->element == element && (!type || !span->type || type == span->type))
        return CUSHIM_OK;
    if (cushim__has_type(element))
        return fail_computed(call);
    return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, cushim__span_label(span),
                           "%s: elements of %zu bytes%s here, of %zu%s in the view%s", call,
                           element, type_word(type), span->element, type_word(span->type),
                           teller == CUSHIM__TELLER_VALUE ? advice_on_value(span, element, type)
                                                          : "; the pointer's type tells them");
}

cushim_status cushim__span_check_types(const struct cushim__resolved_view *to,
                                       const struct cushim__resolved_view *from, const char *call)
{
    if (!to->type || !from->type || to->type == from->type)
        return CUSHIM_OK;
    return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, cushim__span_label(to),
                           "%s: from elements of %zu bytes%s to elements of %zu bytes%s; "
                           "CUSHIM_VIEW_AS() views the bytes of one as the other",
                           call, from->element, type_word(from->type), to->element,
                           type_word(to->type));
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
    const char *label = cushim__span_label(span);

    if (span->writable)
        return CUSHIM_OK;
    return cushim__fail_at(CUSHIM_ERROR_READ_ONLY, call, label,
                           "%s: the view%s%s%s is for reading only", call, *label ? " of '" : "",
                           label, *label ? "'" : "");
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

/* --- memory that the program takes over --- */

/* Returns why memory can never be given to the program, or NULL. */
static const char *is_not_to_free(const struct cushim__buffer *buffer)
{
    if (buffer->memory == CUSHIM__MEMORY_IPC)
        return "the memory is another process's";
    if (buffer->memory == CUSHIM__MEMORY_PLAIN && buffer->keep)
        return "the memory is another interface's";
    if (buffer->memory == CUSHIM__MEMORY_ARENA)
        return "it is a part of an arena";
    if (buffer->memory == CUSHIM__MEMORY_NODE)
        return "it is memory of a graph";
    if (buffer->memory != CUSHIM__MEMORY_BORROWED)
        return NULL;
    if (!buffer->bytes)
        return "it has no memory";
    return buffer->code ? "it is a variable of a module" : "cushim does not own the memory";
}

/*
 * Makes the caller the owner of the memory of a slice, unless another slice has a part of it, or
 * another handle names it. The lock is for two threads that try this with one slice. The claim
 * comes last: no thread retains the handle after it. Work of a thread that has the slice pinned
 * comes after the caller's, which has the stream lock, and is refused because the memory is leaked.
 */
static bool disown(struct cushim__buffer *buffer, uint64_t id)
{
    bool is_sole_owner;

    cushim__lock(buffer->context);
    is_sole_owner = atomic_load(&buffer->references) == 1 && !is_not_to_free(buffer) &&
                    cushim__handle_claim(id);
    if (is_sole_owner) {
        buffer->memory = CUSHIM__MEMORY_BORROWED;
        buffer->leaked = buffer->restricted = true;
    }
    cushim__unlock(buffer->context);
    return is_sole_owner;
}

static cushim_status fail_leak(const struct cushim__scope *scope, uint64_t id)
{
    return cushim__fail_at(CUSHIM_ERROR_BUSY, scope->call, scope->label,
                           cushim__handle_is_shared(id)
                               ? "%s: the slice has another handle, by cushim_slice_retain()"
                               : "%s: other slices or graphs have parts of the same allocation",
                           scope->call);
}

cushim_status cushim__slice_leak(struct cushim__scope *scope, struct cushim__stream *stream,
                                 const struct cushim__resolved_view *span, uint64_t *ret_address)
{
    struct cushim__buffer *buffer = span->slice->buffer;
    const struct cushim__access access = {buffer, 0, buffer->bytes, true};
    struct cushim__submission s = {
        .scope = scope, .timeline = stream->timeline, .accesses = &access, .n = 1};
    const char *why = is_not_to_free(buffer);

    if (why)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, scope->call, scope->label,
                               "%s: the slice cannot be given away: %s", scope->call, why);
    CUSHIM_TRY(cushim__submit_begin(&s));
    if (!disown(buffer, span->id)) {
        cushim__submit_abandon(&s);
        return fail_leak(scope, span->id);
    }
    *ret_address = buffer->address;
    cushim__submit_end(&s);
    return CUSHIM_OK;
}
