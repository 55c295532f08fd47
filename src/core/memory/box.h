/* SPDX-License-Identifier: MIT */
/*
 * Boxes. A box is a part of a buffer in rows and layers: a field (cushim/field.h) that was looked
 * up, in bytes. A range of bytes is a box of one row.
 */
#ifndef CUSHIM_CORE_MEMORY_BOX_H
#define CUSHIM_CORE_MEMORY_BOX_H

#include <cushim/field.h>

#include "core/cu/cu_memory.h"
#include "core/memory/slice.h"

/* How many bytes a row has, how many rows a layer, and how many layers there are. */
struct cushim__extent {
    size_t width, height, depth;
};

/* Where the rows are: bytes from one to the next, and rows from one layer to the next. */
struct cushim__spacing {
    size_t pitch, layer_rows;
};

struct cushim__box {
    struct cushim__access access; /* from the first to the last byte */
    struct cushim__spacing rows;
    struct cushim__extent extent;
};

/* Rows and layers of the host, with the extent of the box on the other side. */
struct cushim__host_box {
    char *first;
    struct cushim__spacing rows;
};

static inline bool cushim__extent_is_empty(const struct cushim__extent *extent)
{
    return !extent->width || !extent->height || !extent->depth;
}

/* Returns where a row begins, from the first one. */
static inline size_t cushim__row_offset(const struct cushim__spacing *rows, size_t y, size_t z)
{
    return (z * rows->layer_rows + y) * rows->pitch;
}

static inline struct cushim__box cushim__box_of_range(const struct cushim__access *access)
{
    const size_t bytes = access->end - access->begin;

    return (struct cushim__box){*access, {bytes, 1}, {bytes, bytes != 0, 1}};
}

/* Returns the box of height rows of layer z from row y on, each from byte x on. */
struct cushim__box cushim__box_part(const struct cushim__box *box, size_t x, size_t y, size_t z,
                                    const struct cushim__extent *extent);

/* What a message about rows says. label may be NULL. */
struct cushim__spacing_place {
    const char *call, *label;
    const char *whose; /* who has the rows: "the field" */
};

/*
 * Fills in what is 0 in rows, and computes the number of bytes from the first to the last byte.
 * CUSHIM_ERROR_INVALID_ARGUMENT if rows overlap, or if no memory can be that large.
 */
cushim_status cushim__spacing_settle(struct cushim__spacing *rows,
                                     const struct cushim__extent *extent,
                                     const struct cushim__spacing_place *place, size_t *ret_bytes);

/*
 * Makes the box of a field whose view is looked up. CUSHIM_ERROR_INVALID_ARGUMENT if the field is
 * not inside of the view.
 */
cushim_status cushim__box_make(const struct cushim__resolved_view *span, const cushim_field *field,
                               bool write, const char *call, struct cushim__box *ret_box);

/*
 * Tells whether two boxes of the same extent have bytes in common. Where their pitches differ, it
 * is enough that their ranges have.
 */
bool cushim__boxes_overlap(const struct cushim__box *a, const struct cushim__box *b);

/*
 * Joins rows of a box, and of what is on the other side of a copy, which follow each other on both
 * sides. other may be NULL.
 */
void cushim__box_join_rows(struct cushim__box *box, struct cushim__spacing *other);

/* Fills in one end of a copy of the driver. The context is set only for copies between contexts. */
struct cushim__cu_end cushim__box_end(const struct cushim__box *box);

#endif
