/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "core/memory/copy.h"
#include "core/memory/fast.h"

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

/* Returns the driver's result. */
static int call_row(cushim__entry *const *table, CUstream stream, const struct units *u,
                    const char **ret_name)
{
    if (u->unit == 4) {
        *ret_name = "cuMemsetD32Async";
        return CU_FN(table, cuMemsetD32Async)(u->to, u->value, u->width, stream);
    }
    if (u->unit == 2) {
        *ret_name = "cuMemsetD16Async";
        return CU_FN(table, cuMemsetD16Async)(u->to, (unsigned short) u->value, u->width, stream);
    }
    *ret_name = "cuMemsetD8Async";
    return CU_FN(table, cuMemsetD8Async)(u->to, (unsigned char) u->value, u->width, stream);
}

static cushim_status fill_one_row(const struct cushim__scope *scope, CUstream stream,
                                  const struct units *u)
{
    const char *name;
    const int result = call_row(scope->table, stream, u, &name);

    return cushim__check_result(scope, result, name);
}

/* A fill of a box, which has no rows that could be joined. */
struct filling {
    struct cushim__scope *scope;
    CUstream stream;
    struct cushim__box box;
    const char *element;
    size_t bytes, unit; /* of the element, and of the unit that divides all of it */
    cushim_status (*fill)(const struct filling *f);
    bool several; /* calls of the driver */
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

/* Decides how the box is filled. */
static void choose(struct filling *f)
{
    const size_t unit = unit_of(address_of(f) | f->box.rows.pitch, f->bytes);

    f->unit = unit_of(address_of(f), f->bytes);
    if (f->box.extent.height == 1 && f->box.extent.depth == 1) {
        f->fill = fill_row;
        f->several = !is_uniform(f->element, f->bytes, f->unit);
    } else if (!is_uniform(f->element, f->bytes, unit)) {
        f->fill = fill_and_repeat;
        f->several = true;
    } else {
        f->unit = unit;
        f->fill = fill_layers;
        f->several = f->box.extent.depth > 1;
    }
}

cushim_status cushim__fill(struct cushim__scope *scope, struct cushim__stream *stream,
                           const struct cushim__box *to, const void *element, size_t bytes)
{
    const struct cushim__extent *extent = &to->extent;
    const struct cushim__about about = {.several = true,
                                        .filled = extent->width * extent->height * extent->depth};
    struct cushim__submission s = {.scope = scope,
                                   .timeline = stream->timeline,
                                   .accesses = &to->access,
                                   .n = 1,
                                   .recordable = true};
    struct filling filling = {
        .scope = scope, .stream = stream->cu, .box = *to, .element = element, .bytes = bytes};
    cushim_status status;

    if (cushim__extent_is_empty(extent))
        return CUSHIM_OK;
    cushim__box_join_rows(&filling.box, NULL);
    choose(&filling);
    s.about = filling.several ? &about : NULL;
    CUSHIM_TRY(cushim__submit_begin(&s));
    status = filling.fill(&filling);
    cushim__submit_end(&s);
    return status;
}

/* --- the fast path: one unit, with which a plain range is filled --- */

/* Compares elements like cushim__span_check_element(). The view was found. */
static bool has_elements(const cushim_view *view, size_t bytes, unsigned char type)
{
    const bool is_whole = view->length == CUSHIM__WHOLE;
    size_t element =
        is_whole ? cushim__slot_at(cushim__handle_index(view->object))->element : view->element;
    const unsigned char is = is_whole ? cushim__take_type(&element) : view->type;

    return element == bytes && (!type || !is || type == is);
}

/*
 * Returns false if another context is current, and the driver minds. result is that of a fill
 * without asking, or 0.
 */
static bool fill_asking(struct cushim__fast *fast, const struct units *units, uint64_t object,
                        int result, const char *name)
{
    cushim__entry *const *table = fast->context->table;
    const bool asks = !result || cushim__fast_asks(result);
    CUcontext now = NULL;
    const int asked = asks ? CU_FN(table, cuCtxGetCurrent)(&now) : 0;

    if (asked) {
        result = asked;
        name = "cuCtxGetCurrent";
    } else if (asks && now != fast->context->cu) {
        return false;
    } else if (!result) {
        result = call_row(table, fast->stream->cu, units, &name);
    }
    if (result)
        fast->status = cushim__fast_fail(fast, object, result, name);
    return true;
}

/* Fills under the stream lock alone. A driver that objects has filled nothing. */
static bool fill_units_fast(struct cushim__fast *fast, const struct units *units, uint64_t object)
{
    const bool must_ask = cushim__fast_must_ask(fast);
    const char *name = NULL;
    const int result =
        must_ask ? 0 : call_row(fast->context->table, fast->stream->cu, units, &name);

    return (!must_ask && !result) || fill_asking(fast, units, object, result, name);
}

/* Under the locks of the fast path. */
static bool take(struct cushim__fast *fast, const cushim_view *view, unsigned char type,
                 struct units *units)
{
    struct cushim__fast_part part;

    if (!cushim__fast_find(fast, view, true, &part) || !has_elements(view, units->unit, type))
        return false;
    units->to = part.buffer->address + part.begin;
    units->width = (part.end - part.begin) / units->unit;
    return unit_of(units->to, units->unit) == units->unit && cushim__fast_use(fast, &part, true);
}

bool cushim__fill_fast(uint64_t stream, const cushim_view *view, const void *element, size_t bytes,
                       const char *call, cushim_status *ret_status)
{
    const unsigned char type = cushim__take_type(&bytes);
    struct units units = {.unit = bytes};
    struct cushim__fast fast;
    bool taken;

    if ((bytes != 4 && bytes != 2 && bytes != 1) || !cushim__fast_begin(&fast, stream, call))
        return false;
    taken = take(&fast, view, type, &units);
    cushim__fast_noted(&fast);
    units.value = unit_at(element, bytes);
    taken = taken && fill_units_fast(&fast, &units, view->object);
    cushim__fast_end(&fast);
    *ret_status = fast.status;
    return taken || fast.status;
}
