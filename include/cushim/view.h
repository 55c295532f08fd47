/* SPDX-License-Identifier: MIT */
/*
 * Views: parts of memory, seen as elements of some size.
 *
 * A view is a plain value. It owns nothing and is never freed; it names its slice by handle, so
 * using one after its slice was freed is CUSHIM_ERROR_STALE_HANDLE. Functions that work on
 * memory take views, and the macros around them take a slice for a view of all of it.
 *
 * Order is kept by the byte: work on disjoint views of one slice does not wait for each other. A
 * view is for reading and writing, or for reading only; what is written may not overlap another
 * argument of the same call.
 *
 * Sizes and offsets are checked: nothing here can name bytes outside of the slice. Lengths and
 * offsets are in elements of the view, unless said otherwise. Thread-safe.
 */
#ifndef CUSHIM_VIEW_H
#define CUSHIM_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include <cushim/stream.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Device memory, see slice.h. Freed by cushim_slice_free(). */
CUSHIM__HANDLE(cushim_slice, cushim_slice_free)

/** Page-locked memory of the host, see pinned.h. Freed by cushim_pinned_free(). */
CUSHIM__HANDLE(cushim_pinned, cushim_pinned_free)

/** Memory that host and devices share, see unified.h. Freed by cushim_unified_free(). */
CUSHIM__HANDLE(cushim_unified, cushim_unified_free)

/** A view. Made by the functions below; its fields are theirs. */
typedef struct cushim_view {
    uint64_t object; /* the handle's number */
    size_t offset;   /* bytes from where the object begins */
    size_t length;   /* elements; or all, with an element of 0 */
    size_t element;  /* bytes of an element */
    bool writable;
} cushim_view;

#define CUSHIM__WHOLE ((size_t) -1)

static inline cushim_view cushim__whole(uint64_t object)
{
    cushim_view view = {object, 0, CUSHIM__WHOLE, 0, true};

    return view;
}

static inline cushim_view cushim__slice_view(cushim_slice slice)
{
    return cushim__whole(slice.id);
}

static inline cushim_view cushim__pinned_view(cushim_pinned pinned)
{
    return cushim__whole(pinned.id);
}

static inline cushim_view cushim__unified_view(cushim_unified unified)
{
    return cushim__whole(unified.id);
}

static inline cushim_view cushim__view_view(cushim_view view)
{
    return view;
}

/**
 * CUSHIM_VIEW(x) is the view of all of a cushim_slice, cushim_pinned or cushim_unified; a
 * cushim_view is itself. No call is made: a handle that is not valid shows when the view is used.
 */
#ifdef __cplusplus
} /* the overloads have C++ names */
static inline cushim_view cushim__view_of(cushim_slice x)
{
    return cushim__slice_view(x);
}
static inline cushim_view cushim__view_of(cushim_pinned x)
{
    return cushim__pinned_view(x);
}
static inline cushim_view cushim__view_of(cushim_unified x)
{
    return cushim__unified_view(x);
}
static inline cushim_view cushim__view_of(cushim_view x)
{
    return x;
}
extern "C" {
#define CUSHIM_VIEW(x) cushim__view_of(x)
#else
#define CUSHIM_VIEW(x)                                                                             \
    _Generic((x), cushim_slice                                                                     \
             : cushim__slice_view, cushim_pinned                                                   \
             : cushim__pinned_view, cushim_unified                                                 \
             : cushim__unified_view, cushim_view                                                   \
             : cushim__view_view)(x)
#endif

/** How many elements a view has, and the bytes of one. Either output may be NULL. */
CUSHIM_API cushim_status cushim_view_size(cushim_view view, size_t *ret_length,
                                          size_t *ret_element);

/**
 * length elements of a view from the first-th on, as writable as the view.
 * CUSHIM_ERROR_INVALID_ARGUMENT if it has not so many.
 */
CUSHIM_API cushim_status cushim_view_part(cushim_view view, size_t first, size_t length,
                                          cushim_view *ret_view);

/** Two parts: what lies before the at-th element, and the rest. Either output may be NULL. */
CUSHIM_API cushim_status cushim_view_split(cushim_view view, size_t at, cushim_view *ret_left,
                                           cushim_view *ret_right);

/**
 * n disjoint parts that together are the view, in order, into an array of n. They have
 * length / n elements each, and the first length % n of them one more.
 */
CUSHIM_API cushim_status cushim_view_partition(cushim_view view, size_t n, cushim_view *ret_views);

/**
 * The same bytes as elements of another size. CUSHIM_ERROR_INVALID_ARGUMENT if they are not a whole
 * number of those, or if the first is not aligned to alignment bytes, a power of two: what
 * _Alignof says of the type. See CUSHIM_VIEW_AS().
 */
CUSHIM_API cushim_status cushim_view_reinterpret(cushim_view view, size_t element, size_t alignment,
                                                 cushim_view *ret_view);

/** CUSHIM_VIEW_AS(slice, double, &view): all of a slice, or a view, as elements of a type. */
#ifdef __cplusplus
#define CUSHIM_VIEW_AS(x, type, ret_view)                                                          \
    cushim_view_reinterpret(CUSHIM_VIEW(x), sizeof(type), alignof(type), ret_view)
#else
#define CUSHIM_VIEW_AS(x, type, ret_view)                                                          \
    cushim_view_reinterpret(CUSHIM_VIEW(x), sizeof(type), _Alignof(type), ret_view)
#endif

/** The same view, for reading only. */
static inline cushim_view cushim_view_const(cushim_view view)
{
    view.writable = false;
    return view;
}

#ifdef __cplusplus
}
#endif

#endif
