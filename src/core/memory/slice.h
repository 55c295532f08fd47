/* SPDX-License-Identifier: MIT */
/*
 * Slices: the objects of the handles of device, page-locked and unified memory, and the conversion
 * of a view of them to a range of bytes.
 *
 * A span is a view that was looked up: a range of bytes of a buffer, whose slice is pinned. A
 * launch calls cushim__span_pin() for each argument, checks with cushim__find_overlap() that
 * written memory does not overlap other arguments, submits with the accesses of the spans
 * (core/order/submit.h), and unpins the spans.
 */
#ifndef CUSHIM_CORE_MEMORY_SLICE_H
#define CUSHIM_CORE_MEMORY_SLICE_H

#include <cushim/view.h>

#include "core/memory/memory.h"

struct cushim__slice {
    struct cushim__object object;
    /*
     * With a reference, and so the context, unless the block has it. Several slices may be parts of
     * one buffer, and of one block.
     */
    struct cushim__buffer *buffer;
    struct cushim__block *block; /* with a reference; or NULL */
    size_t begin;                /* bytes of the buffer */
    size_t element, length;      /* bytes, elements */
    unsigned char type;          /* enum cushim_element_type */
};

/* A span: a view that was looked up and checked. Its slice is pinned. */
struct cushim__resolved_view {
    uint64_t id;
    struct cushim__slice *slice;
    size_t begin, end; /* bytes of the buffer */
    size_t element, length;
    bool writable;
    unsigned char type;
};

/*
 * Makes a slice of a part of a buffer and gives it a handle. Takes over the reference of the part,
 * on failure too.
 */
cushim_status cushim__slice_give(const struct cushim__scope *scope, enum cushim__handle_kind kind,
                                 struct cushim__part part, uint64_t *ret_id);

/* Memory that the caller has. The size was checked by cushim__checked_size(). */
struct cushim__adopted {
    uint64_t address;
    size_t offset;               /* bytes before the slice */
    size_t element, length;      /* bytes, elements */
    enum cushim__memory memory;  /* tells how cushim frees it, from its address on */
    struct cushim__object *keep; /* what the memory comes from, or NULL */
    unsigned char type;          /* enum cushim_element_type */
};

/*
 * Makes a slice of a caller's memory. If this fails, the memory stays the caller's. It fails if the
 * driver knows that less memory is there.
 */
cushim_status cushim__slice_adopt(struct cushim__scope *scope, struct cushim__stream *stream,
                                  struct cushim__adopted adopted, uint64_t *ret_id);

/*
 * Makes the program the owner of a slice's memory, in the order of a stream, and claims the handle,
 * which the caller then closes. CUSHIM_ERROR_BUSY if others use the memory, and
 * CUSHIM_ERROR_INVALID_ARGUMENT if it can never be the program's.
 */
cushim_status cushim__slice_leak(struct cushim__scope *scope, struct cushim__stream *stream,
                                 const struct cushim__resolved_view *span, uint64_t *ret_address);

/*
 * Waits for devices until the host may read, or write, all of a slice, and returns the host's
 * pointer to it.
 */
cushim_status cushim__slice_host(uint64_t id, enum cushim__handle_kind kind, bool write,
                                 const char *call, void **ret_pointer);

enum { CUSHIM__TYPE_SHIFT = 56 }; /* of a type in CUSHIM_ELEMENT() */

/*
 * Takes the type out of the size of an element that a program gave, CUSHIM_ELEMENT(). A number that
 * has none is left as it is.
 */
static inline unsigned char cushim__take_type(size_t *element)
{
    const size_t type = *element >> CUSHIM__TYPE_SHIFT;

    if (!type || type > CUSHIM_ELEMENT_FLOAT)
        return CUSHIM_ELEMENT_ANY;
    *element -= type << CUSHIM__TYPE_SHIFT;
    return (unsigned char) type;
}

/*
 * Tells whether a number of bytes was computed with CUSHIM_ELEMENT(), such as four times that. Only
 * small ones: other large numbers are mistakes of another kind.
 */
static inline bool cushim__has_type(size_t bytes)
{
    return bytes >> 56 && !(bytes >> 32 & 0xffffff);
}

/* Computes element * length. CUSHIM_ERROR_INVALID_ARGUMENT if no memory can be that large. */
cushim_status cushim__checked_size(const char *call, size_t element, size_t length,
                                   size_t *ret_bytes);

/*
 * Checks a view like cushim__span_pin(), and fills in the elements of the view of a whole object.
 * Nothing stays pinned.
 */
cushim_status cushim__view_settle(const cushim_view *view, const char *call, cushim_view *ret_view);

/* CUSHIM_ERROR_INVALID_ARGUMENT if the view does not fit its slice. */
cushim_status cushim__span_pin(cushim_view view, const char *call,
                               struct cushim__resolved_view *ret_span);

/*
 * Pins a view that work in the scope's context will use, or write if write is true, and checks that
 * the work may do so. The label of its memory becomes the scope's.
 */
cushim_status cushim__span_pin_here(struct cushim__scope *scope, cushim_view view, bool write,
                                    struct cushim__resolved_view *ret_span);

/*
 * Fails for the handle of memory that is no slice. Functions that free a slice ask, because a view
 * may be of any memory.
 */
cushim_status cushim__slice_check(uint64_t id, const char *call);

static inline void cushim__span_unpin(const struct cushim__resolved_view *span)
{
    cushim__handle_unpin(span->id);
}

static inline CUdeviceptr cushim__span_address(const struct cushim__resolved_view *span)
{
    return span->slice->buffer->address + span->begin;
}

static inline struct cushim__access cushim__span_access(const struct cushim__resolved_view *span,
                                                        bool write)
{
    return (struct cushim__access){span->slice->buffer, span->begin, span->end, write};
}

/* Returns the label of the span's slice, or "". */
static inline const char *cushim__span_label(const struct cushim__resolved_view *span)
{
    return cushim__object_label(&span->slice->object);
}

/* Who says what elements a view has: a value that fills it, or a pointer of the host. */
enum cushim__teller {
    CUSHIM__TELLER_VALUE,
    CUSHIM__TELLER_POINTER,
};

/* CUSHIM_ERROR_INVALID_ARGUMENT if the view has other elements than a caller says. */
cushim_status cushim__span_check_element(const struct cushim__resolved_view *span, const char *call,
                                         size_t element, enum cushim__teller teller);

/* CUSHIM_ERROR_INVALID_ARGUMENT if the types of the elements are known, and differ. */
cushim_status cushim__span_check_types(const struct cushim__resolved_view *to,
                                       const struct cushim__resolved_view *from, const char *call);

/* Returns CUSHIM_ERROR_READ_ONLY if the view must not be written. */
cushim_status cushim__span_check_writable(const struct cushim__resolved_view *span,
                                          const char *call);

#endif
