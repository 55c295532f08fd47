/* SPDX-License-Identifier: MIT */
/*
 * Fields. A field is a part of a view in two or three dimensions: elements in rows, and rows in
 * layers. There may be a gap after each row, and rows that do not belong to the field after each
 * layer. An image with a pitch is a field, and so is a rectangle of it.
 *
 *     cushim_slice pixels = CUSHIM_NONE;
 *     cushim_field image, part;
 *
 *     CUSHIM_TRY(cushim_field_alloc(stream, CUSHIM_ELEMENT(float), 640, 480, 1, &pixels, &image));
 *     CUSHIM_TRY(cushim_field_write(stream, image, host, 0, 0));
 *     CUSHIM_TRY(cushim_field_part(image, 10, 20, 64, 64, &part));
 *     CUSHIM_TRY(cushim_field_fill(stream, part, 0.0f));
 *
 * A field is a plain value. It owns nothing and is never freed. What is said of views (view.h)
 * holds for it: it names its memory by handle, and it is for reading and writing if its view is.
 *
 * Sizes and offsets are checked. If a field is not inside of its view, each function with it
 * changes nothing and returns CUSHIM_ERROR_INVALID_ARGUMENT, and the error text names what is
 * outside. A field with a width, a height or a depth of 0 is allowed, and every function does
 * nothing with it.
 *
 * Work on fields is ordered like all other work on their memory, with one difference: all bytes of
 * the view from the first to the last byte of the field count as used, those of the gaps as well.
 * So work on two fields whose rows take turns comes one after the other.
 *
 * The stream must belong to the same context as the memory; otherwise the result is
 * CUSHIM_ERROR_FOREIGN_CONTEXT. All functions are thread-safe.
 */
#ifndef CUSHIM_FIELD_H
#define CUSHIM_FIELD_H

#include <cushim/slice.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A field. cushim_field_2d(), cushim_field_3d() and cushim_field_alloc() make it. */
typedef struct cushim_field {
    CUSHIM__HANDLE_MARK
    cushim_view view;            /* the memory that the field is a part of, and its elements */
    size_t offset;               /* bytes of the view before the first element */
    size_t pitch;                /* bytes from one row to the next; 0: no gap after a row */
    size_t layer_rows;           /* rows from one layer to the next; 0: as many as height */
    size_t width, height, depth; /* elements of a row, rows of a layer, and layers */
} cushim_field;

/**
 * Returns the field of height rows with width elements each, which begins with the view. pitch is
 * the number of bytes from one row to the next; it need not be a multiple of the element size. With
 * 0, the rows follow each other without gaps. Nothing is checked before the field is used.
 */
static inline cushim_field cushim_field_2d(cushim_view view, size_t pitch, size_t width,
                                           size_t height)
{
    cushim_field field = {view, 0, pitch, 0, width, height, 1};

    return field;
}

/**
 * Returns the field of depth layers, each with height rows of width elements. pitch is that of
 * cushim_field_2d(). layer_rows is the number of rows from one layer to the next, or 0 if the
 * layers follow each other without gaps.
 */
static inline cushim_field cushim_field_3d(cushim_view view, size_t pitch, size_t layer_rows,
                                           size_t width, size_t height, size_t depth)
{
    cushim_field field = {view, 0, pitch, layer_rows, width, height, depth};

    return field;
}

/**
 * Returns the part of a field that has width elements of height rows, from element x of row y on,
 * in each layer. The result is CUSHIM_ERROR_INVALID_ARGUMENT if the field has fewer.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_field_part(cushim_field field, size_t x, size_t y,
                                                          size_t width, size_t height,
                                                          cushim_field *ret_field);

/**
 * Returns the part of a field that has depth layers from layer first on. The result is
 * CUSHIM_ERROR_INVALID_ARGUMENT if the field has fewer.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_field_layers(cushim_field field, size_t first,
                                                            size_t depth, cushim_field *ret_field);

/**
 * Returns the view of all bytes from the first to the last one of a field, which a launch needs for
 * a kernel that works on the field. The kernel's parameter then is the address of the field's first
 * element; pitch and sizes are arguments of their own. (field.view is not moved by
 * cushim_field_part().) The elements are those of the field if the bytes are a whole number of
 * them, and single bytes otherwise.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_field_view(cushim_field field,
                                                          cushim_view *ret_view);

/**
 * Allocates a slice for depth layers of height rows with width elements, each of element_bytes
 * bytes, and returns the field of them. Each row begins where the device accesses it fastest; the
 * pitch that follows from this is ret_field->pitch, which a kernel needs as an argument. It is the
 * pitch of cuMemAllocPitch(), and it suits textures. The contents are undefined. The caller frees
 * the slice with cushim_slice_free(); errors are those of cushim_slice_alloc().
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_field_alloc(cushim_stream stream,
                                                           size_t element_bytes, size_t width,
                                                           size_t height, size_t depth,
                                                           cushim_slice *ret_slice,
                                                           cushim_field *ret_field);

/**
 * Copies one field to another in the order of the stream. Each field is of a slice, of pinned
 * memory or of unified memory. Both must have rows of the same number of bytes, and the same height
 * and depth; pitches may differ. Integers are not copied to floating-point numbers, nor the other
 * way round, as by cushim_view_copy(). They may belong to different contexts of a driver, one of
 * which must be the context of the stream.
 *
 * The result is CUSHIM_ERROR_OVERLAP if the fields have bytes in common. Two fields of the same
 * memory with different pitches must not lie between each other's rows either.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_field_copy(cushim_stream stream, cushim_field to,
                                                          cushim_field from);

/**
 * Copies the elements of a field to host memory, and returns when the copy is complete.
 * element_bytes must be that of the view. host is where the first element goes; pitch and
 * layer_rows describe the host's memory as those of a field do, and may be 0. Bytes of the host
 * between the rows are not changed.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_field_to_host(cushim_stream stream,
                                                             cushim_field field, void *host,
                                                             size_t element_bytes, size_t pitch,
                                                             size_t layer_rows);

/**
 * Copies elements from host memory to a field. The host memory may be used again when the call
 * returns. The arguments are those of cushim_field_to_host().
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_field_from_host(cushim_stream stream,
                                                               cushim_field field, const void *host,
                                                               size_t element_bytes, size_t pitch,
                                                               size_t layer_rows);

/**
 * Copies the elements of a field to host memory, and returns when the copy is queued. The arguments
 * are those of cushim_field_to_host(); what cushim_view_read_async() says of the host memory holds
 * here.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_field_to_host_async(cushim_stream stream,
                                                                   cushim_field field, void *host,
                                                                   size_t element_bytes,
                                                                   size_t pitch, size_t layer_rows);

/**
 * Copies elements from host memory to a field, and returns when the copy is queued. The arguments
 * are those of cushim_field_to_host(); what cushim_view_write_async() says of the host memory holds
 * here.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status
cushim_field_from_host_async(cushim_stream stream, cushim_field field, const void *host,
                             size_t element_bytes, size_t pitch, size_t layer_rows);

/**
 * Call the four functions above with the element size of a pointer: cushim_field_read(stream,
 * field, pointer, pitch, layer_rows).
 */
#define cushim_field_read(stream, field, pointer, pitch, layer_rows)                               \
    cushim_field_to_host(stream, field, pointer, CUSHIM__ELEMENT_OF(pointer), pitch, layer_rows)
#define cushim_field_write(stream, field, pointer, pitch, layer_rows)                              \
    cushim_field_from_host(stream, field, pointer, CUSHIM__ELEMENT_OF(pointer), pitch, layer_rows)
#define cushim_field_read_async(stream, field, pointer, pitch, layer_rows)                         \
    cushim_field_to_host_async(stream, field, pointer, CUSHIM__ELEMENT_OF(pointer), pitch,         \
                               layer_rows)
#define cushim_field_write_async(stream, field, pointer, pitch, layer_rows)                        \
    cushim_field_from_host_async(stream, field, pointer, CUSHIM__ELEMENT_OF(pointer), pitch,       \
                                 layer_rows)

/**
 * Fills a field with copies of one element, in the order of the stream. element_bytes
 * must be the element size of the view. If the element consists of equal parts of 4, 2
 * or 1 bytes that rows and pitch are multiples of, this takes one call of the driver for each
 * layer, or one for all if the layers follow each other. Otherwise the first row is filled as by
 * cushim_view_fill() and copied to the others, which takes a number of calls that grows with the
 * logarithm of the height and the depth.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_field_fill_with(cushim_stream stream,
                                                               cushim_field field,
                                                               const void *element,
                                                               size_t element_bytes);

/**
 * Fills a field with a value: cushim_field_fill(stream, field, 1.5f). The value must have the type
 * of the elements, see cushim_slice_fill().
 */
#ifdef __cplusplus
#define cushim_field_fill(stream, field, ...) cushim__field_fill((stream), (field), __VA_ARGS__)
#else
#define cushim_field_fill(stream, field, ...)                                                      \
    cushim_field_fill_with((stream), (field), (const __typeof__(__VA_ARGS__)[1]){__VA_ARGS__},     \
                           CUSHIM__ELEMENT_OF((__typeof__(__VA_ARGS__) *) 0))
#endif

#ifndef CUSHIM_NO_SOURCE_LOCATIONS
#define cushim_field_alloc(...)                                                                    \
    (cushim_source_location(CUSHIM_HERE), cushim_field_alloc(__VA_ARGS__))
#endif

#ifdef __cplusplus
}

template <class T>
static inline CUSHIM_CHECKED cushim_status cushim__field_fill(cushim_stream stream,
                                                              cushim_field field, const T &value)
{
    return cushim_field_fill_with(stream, field, &value, CUSHIM__ELEMENT_OF(&value));
}
#endif

#endif
