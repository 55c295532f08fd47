/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "core/memory/copy.h"

/*
 * Returns the unit of the driver's memsets: 4, 2 or 1 bytes. It must divide the address and the
 * element.
 */
static size_t unit_of(CUdeviceptr address, size_t element)
{
    return !((address | element) & 3) ? 4 : !((address | element) & 1) ? 2 : 1;
}

static unsigned unit_at(const char *bytes, size_t unit)
{
    uint32_t four;
    uint16_t two;

    if (unit == 1)
        return (unsigned char) *bytes;
    if (unit == 2) {
        memcpy(&two, bytes, 2);
        return two;
    }
    memcpy(&four, bytes, 4);
    return four;
}

static bool is_uniform(const char *element, size_t bytes, size_t unit)
{
    for (size_t i = unit; i < bytes; i += unit)
        if (memcmp(element, element + i, unit) != 0)
            return false;
    return true;
}

/* Units that are all set to one value: n rows of width units each. */
struct units {
    CUdeviceptr to;
    size_t unit, pitch; /* bytes */
    size_t width, n;
    unsigned value;
};

static cushim_status fill_units(const struct cushim__scope *scope, CUstream stream,
                                const struct units *u)
{
    if (u->unit == 4)
        return CU_CALL(scope, cuMemsetD2D32Async,
                       (u->to, u->pitch, u->value, u->width, u->n, stream));
    if (u->unit == 2)
        return CU_CALL(scope, cuMemsetD2D16Async,
                       (u->to, u->pitch, (unsigned short) u->value, u->width, u->n, stream));
    return CU_CALL(scope, cuMemsetD2D8Async,
                   (u->to, u->pitch, (unsigned char) u->value, u->width, u->n, stream));
}

static cushim_status fill_one_row(const struct cushim__scope *scope, CUstream stream,
                                  const struct units *u)
{
    if (u->unit == 4)
        return CU_CALL(scope, cuMemsetD32Async, (u->to, u->value, u->width, stream));
    if (u->unit == 2)
        return CU_CALL(scope, cuMemsetD16Async,
                       (u->to, (unsigned short) u->value, u->width, stream));
    return CU_CALL(scope, cuMemsetD8Async, (u->to, (unsigned char) u->value, u->width, stream));
}

/* A fill of a box, which has no rows that could be joined. */
struct filling {
    struct cushim__scope *scope;
    CUstream stream;
    struct cushim__box box;
    const char *element;
    size_t bytes, unit; /* of the element, and of the unit that divides all of it */
};

static CUdeviceptr address_of(const struct filling *f)
{
    return f->box.access.buffer->address + f->box.access.begin;
}

/*
 * Fills one row with one call if all units of the element are equal. Otherwise it treats the row as
 * a matrix with one element in each row, and fills it column by column.
 */
static cushim_status fill_row(const struct filling *f)
{
    struct units units = {.to = address_of(f),
                          .unit = f->unit,
                          .pitch = f->bytes,
                          .width = f->box.extent.width / f->unit,
                          .value = unit_at(f->element, f->unit)};

    if (is_uniform(f->element, f->bytes, f->unit))
        return fill_one_row(f->scope, f->stream, &units);
    units.n = f->box.extent.width / f->bytes;
    units.width = 1;
    for (size_t i = 0; i < f->bytes; i += f->unit) {
        units.to = address_of(f) + i;
        units.value = unit_at(f->element + i, f->unit);
        CUSHIM_TRY(fill_units(f->scope, f->stream, &units));
    }
    return CUSHIM_OK;
}

/* Fills each layer with one call. */
static cushim_status fill_layers(const struct filling *f)
{
    const struct cushim__extent *extent = &f->box.extent;
    struct units units = {.unit = f->unit,
                          .pitch = f->box.rows.pitch,
                          .width = extent->width / f->unit,
                          .n = extent->height,
                          .value = unit_at(f->element, f->unit)};

    for (size_t z = 0; z < extent->depth; z++) {
        units.to = address_of(f) + cushim__row_offset(&f->box.rows, 0, z);
        CUSHIM_TRY(fill_units(f->scope, f->stream, &units));
    }
    return CUSHIM_OK;
}

/* Copies the first rows, or layers, of the box to those that begin at row y of layer z. */
static cushim_status repeat(const struct filling *f, const struct cushim__extent *extent, size_t y,
                            size_t z)
{
    const struct cushim__box from = cushim__box_part(&f->box, 0, 0, 0, extent),
                             to = cushim__box_part(&f->box, 0, y, z, extent);
    const struct cushim__cu_copy copy = {.from = cushim__box_end(&from),
                                         .to = cushim__box_end(&to),
                                         .width = extent->width,
                                         .height = extent->height,
                                         .depth = extent->depth};

    return CU_CALL(f->scope, cuMemcpy3DAsync_v2, (&copy, f->stream));
}

/* Fills the first row, and copies what is filled to as many rows or layers again. */
static cushim_status fill_and_repeat(const struct filling *f)
{
    struct cushim__extent extent = f->box.extent;
    const size_t height = extent.height, depth = extent.depth;

    CUSHIM_TRY(fill_row(f));
    extent.depth = 1;
    for (size_t done = 1; done < height; done += extent.height) {
        extent.height = done < height - done ? done : height - done;
        CUSHIM_TRY(repeat(f, &extent, done, 0));
    }
    extent.height = height;
    for (size_t done = 1; done < depth; done += extent.depth) {
        extent.depth = done < depth - done ? done : depth - done;
        CUSHIM_TRY(repeat(f, &extent, 0, done));
    }
    return CUSHIM_OK;
}

static cushim_status fill(struct filling *f)
{
    const size_t unit = unit_of(address_of(f) | f->box.rows.pitch, f->bytes);

    f->unit = unit_of(address_of(f), f->bytes);
    if (f->box.extent.height == 1 && f->box.extent.depth == 1)
        return fill_row(f);
    if (!is_uniform(f->element, f->bytes, unit))
        return fill_and_repeat(f);
    f->unit = unit;
    return fill_layers(f);
}

cushim_status cushim__fill(struct cushim__scope *scope, struct cushim__stream *stream,
                           const struct cushim__box *to, const void *element, size_t bytes)
{
    struct cushim__submission s = {.scope = scope,
                                   .timeline = stream->timeline,
                                   .accesses = &to->access,
                                   .n = 1,
                                   .recordable = true};
    struct filling filling = {
        .scope = scope, .stream = stream->cu, .box = *to, .element = element, .bytes = bytes};
    cushim_status status;

    if (cushim__extent_is_empty(&to->extent))
        return CUSHIM_OK;
    cushim__box_join_rows(&filling.box, NULL);
    CUSHIM_TRY(cushim__submit_begin(&s));
    status = fill(&filling);
    cushim__submit_end(&s);
    return status;
}
