/* SPDX-License-Identifier: MIT */
/*
 * Views. A view is a part of memory, seen as elements of some size.
 *
 * A view is a plain value. It owns nothing and is never freed. It names its memory by handle, so
 * using a view after its memory was freed results in CUSHIM_ERROR_STALE_HANDLE. Functions that work
 * on memory take views. The macros around them also take a slice, pinned memory or unified memory,
 * and use all of it.
 *
 * Work is ordered by single bytes: work on disjoint views of one slice can run at the same time. A
 * view is either for reading and writing, or only for reading. Memory that a call writes must not
 * overlap another argument of the same call.
 *
 * Sizes and offsets are checked: a view made by these functions is always inside its memory.
 * Lengths and offsets are in elements of the view, unless a comment names another unit. All
 * functions are thread-safe.
 */
#ifndef CUSHIM_VIEW_H
#define CUSHIM_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include <cushim/stream.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A slice: memory of a device, see slice.h. Freed by cushim_slice_free(), which does not wait: the
 * memory is freed after all work on it that was submitted before.
 */
CUSHIM__HANDLE(cushim_slice, cushim_slice_free)

/** Page-locked memory of the host, see pinned.h. Freed by cushim_pinned_free(). */
CUSHIM__HANDLE(cushim_pinned, cushim_pinned_free)

/** Memory that host and devices share, see unified.h. Freed by cushim_unified_free(). */
CUSHIM__HANDLE(cushim_unified, cushim_unified_free)

/**
 * What the elements of memory are, as far as cushim knows it. Elements of two types that are both
 * known, and differ, do not go together: filling memory for floats with the int 1 is a mistake.
 */
enum cushim_element_type {
    CUSHIM_ELEMENT_ANY = 0,     /* not known, such as structures */
    CUSHIM_ELEMENT_INTEGER = 1, /* an integer, with or without a sign */
    CUSHIM_ELEMENT_FLOAT = 2,   /* a float or a double */
};

/**
 * The size of an element of a type, for arguments called element_bytes, together with what elements
 * it is of. sizeof(type) alone means elements that are not known. It is sizeof(type) plus
 * 2 to the 56 times the number of the enum cushim_element_type, so it is not for calculating: an
 * element of four floats is CUSHIM_ELEMENT(struct four_floats) or sizeof(float) * 4, and a pitch,
 * which is in bytes, is computed with sizeof(float).
 */
#define CUSHIM_ELEMENT(type) CUSHIM__ELEMENT_OF((type *) 0)

/* The same for what a pointer points to. */
#ifdef __cplusplus
extern "C++" {
template <class T> struct cushim__type_of {
    static const size_t number = CUSHIM_ELEMENT_ANY;
};
#define CUSHIM__TYPE_IS(type, value)                                                               \
    template <> struct cushim__type_of<type> {                                                     \
        static const size_t number = value;                                                        \
    };
CUSHIM__TYPE_IS(float, CUSHIM_ELEMENT_FLOAT)
CUSHIM__TYPE_IS(double, CUSHIM_ELEMENT_FLOAT)
CUSHIM__TYPE_IS(bool, CUSHIM_ELEMENT_INTEGER)
CUSHIM__TYPE_IS(char, CUSHIM_ELEMENT_INTEGER)
CUSHIM__TYPE_IS(signed char, CUSHIM_ELEMENT_INTEGER)
CUSHIM__TYPE_IS(unsigned char, CUSHIM_ELEMENT_INTEGER)
CUSHIM__TYPE_IS(short, CUSHIM_ELEMENT_INTEGER)
CUSHIM__TYPE_IS(unsigned short, CUSHIM_ELEMENT_INTEGER)
CUSHIM__TYPE_IS(int, CUSHIM_ELEMENT_INTEGER)
CUSHIM__TYPE_IS(unsigned, CUSHIM_ELEMENT_INTEGER)
CUSHIM__TYPE_IS(long, CUSHIM_ELEMENT_INTEGER)
CUSHIM__TYPE_IS(unsigned long, CUSHIM_ELEMENT_INTEGER)
CUSHIM__TYPE_IS(long long, CUSHIM_ELEMENT_INTEGER)
CUSHIM__TYPE_IS(unsigned long long, CUSHIM_ELEMENT_INTEGER)
#undef CUSHIM__TYPE_IS
template <class T> struct cushim__type_of<const T> : cushim__type_of<T> {
};

template <class T> struct cushim__is_void {
    static const bool value = false;
};
template <> struct cushim__is_void<void> {
    static const bool value = true;
};
template <> struct cushim__is_void<const void> {
    static const bool value = true;
};

template <class T> static inline size_t cushim__element_of(T *)
{
    static_assert(
        !cushim__is_void<T>::value,
        "a void pointer says nothing of the elements: give one to their type, or call the "
        "function with an argument element_bytes");

    return sizeof(T) + (cushim__type_of<T>::number << 56);
}
}
#define CUSHIM__ELEMENT_OF(pointer) cushim__element_of(pointer)
#else
#define CUSHIM__ELEMENT_OF(pointer)                                                                \
    (sizeof(struct {                                                                               \
         _Static_assert(!__builtin_types_compatible_p(__typeof__(*(pointer)), void),               \
                        "a void pointer says nothing of the elements: give one to their type, or " \
                        "call the function with an argument element_bytes");                       \
         char unused;                                                                              \
     }) * sizeof(*(pointer)) +                                                                     \
     ((size_t) CUSHIM__TYPE_OF(*(pointer)) << 56))
#define CUSHIM__TYPE_OF(x)                                                                         \
    _Generic((x), float                                                                            \
             : CUSHIM_ELEMENT_FLOAT, double                                                        \
             : CUSHIM_ELEMENT_FLOAT, _Bool                                                         \
             : CUSHIM_ELEMENT_INTEGER, char                                                        \
             : CUSHIM_ELEMENT_INTEGER, signed char                                                 \
             : CUSHIM_ELEMENT_INTEGER, unsigned char                                               \
             : CUSHIM_ELEMENT_INTEGER, short                                                       \
             : CUSHIM_ELEMENT_INTEGER, unsigned short                                              \
             : CUSHIM_ELEMENT_INTEGER, int                                                         \
             : CUSHIM_ELEMENT_INTEGER, unsigned                                                    \
             : CUSHIM_ELEMENT_INTEGER, long                                                        \
             : CUSHIM_ELEMENT_INTEGER, unsigned long                                               \
             : CUSHIM_ELEMENT_INTEGER, long long                                                   \
             : CUSHIM_ELEMENT_INTEGER, unsigned long long                                          \
             : CUSHIM_ELEMENT_INTEGER, default                                                     \
             : CUSHIM_ELEMENT_ANY)
#endif

/** A view. The functions below make it; a program must not change its fields. */
typedef struct cushim_view {
    CUSHIM__HANDLE_MARK
    uint64_t object; /* the handle's number */
    size_t offset;   /* bytes from the beginning of the object */
    size_t length;   /* elements; SIZE_MAX means all of the object */
    size_t element;  /* bytes of an element */
    bool writable;
    unsigned char type;        /* enum cushim_element_type */
    unsigned char reserved[6]; /* 0 */
} cushim_view;

#define CUSHIM__WHOLE ((size_t) -1)

/* One by one, which compilers join with the fields before. */
static inline void cushim__clear_reserved(cushim_view *view)
{
    view->reserved[0] = view->reserved[1] = view->reserved[2] = 0;
    view->reserved[3] = view->reserved[4] = view->reserved[5] = 0;
}

static inline cushim_view cushim__whole(uint64_t object)
{
    cushim_view view;

    view.object = object;
    view.offset = 0;
    view.length = CUSHIM__WHOLE;
    view.element = 0;
    view.writable = true;
    view.type = CUSHIM_ELEMENT_ANY;
    cushim__clear_reserved(&view);
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
 * CUSHIM_VIEW(x) is the view of all the memory of a cushim_slice, cushim_pinned or cushim_unified.
 * For a cushim_view it is that view. It makes no call, so a handle that is not valid is detected
 * only when the view is used.
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
template <class T> static inline cushim_view cushim__view_of(T *)
{
    static_assert(sizeof(T *) == 0,
                  "a pointer is no memory of a device: write the slice, pinned or "
                  "unified memory, or the view, and not its address; for an operation there "
                  "are CUSHIM_OP_IN() and its like");
    return cushim_view();
}
extern "C" {
#define CUSHIM_VIEW(x) cushim__view_of(x)
#else
/* Not defined: its name is what the compiler says of an x that is no memory, such as a pointer. */
struct cushim__no_memory {
    char unused;
};
cushim_view cushim__write_the_slice_pinned_unified_or_view__CUSHIM_OP_IN_for_an_operation(
    struct cushim__no_memory memory);
#define CUSHIM_VIEW(x)                                                                             \
    _Generic((x), cushim_slice                                                                     \
             : cushim__slice_view, cushim_pinned                                                   \
             : cushim__pinned_view, cushim_unified                                                 \
             : cushim__unified_view, cushim_view                                                   \
             : cushim__view_view, default                                                          \
             : cushim__write_the_slice_pinned_unified_or_view__CUSHIM_OP_IN_for_an_operation)(x)
#endif

/**
 * Returns the view of all the memory of a slice, or of pinned or unified memory. object is the
 * number in its handle. CUSHIM_VIEW() is the same without a call; this is for other languages,
 * which have no macros.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_view_whole(uint64_t object, cushim_view *ret_view);

/**
 * Returns the number of elements of a view, and the size of one element in bytes. Either output may
 * be NULL.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_view_size(cushim_view view, size_t *ret_length,
                                                         size_t *ret_element);

/**
 * Returns the part of a view that begins at element first and has length elements. The part is
 * writable if the view is. The result is CUSHIM_ERROR_INVALID_ARGUMENT if the view has fewer
 * elements.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_view_part(cushim_view view, size_t first,
                                                         size_t length, cushim_view *ret_view);

/**
 * Splits a view into two parts: the elements before index at, and the others. Either output may be
 * NULL. The result is CUSHIM_ERROR_INVALID_ARGUMENT if the view has fewer than at elements.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_view_split(cushim_view view, size_t at,
                                                          cushim_view *ret_left,
                                                          cushim_view *ret_right);

/**
 * Splits a view into n disjoint parts, and writes them in order to an array of n views. Each part
 * has length / n elements, and each of the first length % n parts has one more.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_view_partition(cushim_view view, size_t n,
                                                              cushim_view *ret_views);

/**
 * Returns a view of the same bytes as elements of another size. alignment is the alignment in bytes
 * that the new type needs (_Alignof), a power of two. The result is CUSHIM_ERROR_INVALID_ARGUMENT
 * if the bytes are not a whole number of new elements, or if the first one is not aligned.
 * CUSHIM_VIEW_AS() takes the two sizes from a type.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_view_reinterpret(cushim_view view,
                                                                size_t element_bytes,
                                                                size_t alignment,
                                                                cushim_view *ret_view);

/**
 * Views all of a slice, or a view, as elements of a type: CUSHIM_VIEW_AS(slice, double, &view). See
 * cushim_view_reinterpret().
 */
#ifdef __cplusplus
#define CUSHIM_VIEW_AS(x, type, ret_view)                                                          \
    cushim_view_reinterpret(CUSHIM_VIEW(x), CUSHIM_ELEMENT(type), alignof(type), ret_view)
#else
#define CUSHIM_VIEW_AS(x, type, ret_view)                                                          \
    cushim_view_reinterpret(CUSHIM_VIEW(x), CUSHIM_ELEMENT(type), _Alignof(type), ret_view)
#endif

/** Returns the same view, but only for reading. */
static inline cushim_view cushim_view_const(cushim_view view)
{
    view.writable = false;
    return view;
}

/**
 * Tells whether the work on the memory is done, without waiting: CUSHIM_OK if the host, or a
 * program by other means, could read it now, or write it if write is true; and 600
 * CUDA_ERROR_NOT_READY if work that must come before is not done. CUDA_ERROR_NOT_READY does not
 * change the thread's last error. Any other result is an error: a loop that polls must end on it.
 * Thread-safe.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_view_query(cushim_view view, bool write);

/** Calls cushim_view_query() for a slice or a view: cushim_slice_query(x, false). */
#define cushim_slice_query(x, write) cushim_view_query(CUSHIM_VIEW(x), write)

#ifdef __cplusplus
}
#endif

#endif
