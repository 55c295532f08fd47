/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "core/memory/memory.h"

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

static cushim_status fill_row(const struct cushim__scope *scope, CUstream stream, CUdeviceptr to,
                              size_t unit, unsigned value, size_t n)
{
    if (unit == 4)
        return CU_CALL(scope, cuMemsetD32Async, (to, value, n, stream));
    if (unit == 2)
        return CU_CALL(scope, cuMemsetD16Async, (to, (unsigned short) value, n, stream));
    return CU_CALL(scope, cuMemsetD8Async, (to, (unsigned char) value, n, stream));
}

/* One unit in each of n elements: a column of the matrix whose rows are the elements. */
struct column {
    CUdeviceptr to;
    size_t unit, element; /* bytes */
    size_t n;
    unsigned value;
};

static cushim_status fill_column(const struct cushim__scope *scope, CUstream stream,
                                 const struct column *c)
{
    if (c->unit == 4)
        return CU_CALL(scope, cuMemsetD2D32Async, (c->to, c->element, c->value, 1, c->n, stream));
    if (c->unit == 2)
        return CU_CALL(scope, cuMemsetD2D16Async,
                       (c->to, c->element, (unsigned short) c->value, 1, c->n, stream));
    return CU_CALL(scope, cuMemsetD2D8Async,
                   (c->to, c->element, (unsigned char) c->value, 1, c->n, stream));
}

/*
 * Fills with one call if all units of the element are equal. Otherwise it treats the range as a
 * matrix with one element in each row, and fills it column by column.
 */
static cushim_status fill(const struct cushim__scope *scope, CUstream stream,
                          const struct cushim__access *to, const char *element, size_t bytes)
{
    const CUdeviceptr address = to->buffer->address + to->begin;
    const size_t length = to->end - to->begin, unit = unit_of(address, bytes);
    cushim_status status = CUSHIM_OK;

    if (is_uniform(element, bytes, unit))
        return fill_row(scope, stream, address, unit, unit_at(element, unit), length / unit);
    for (size_t i = 0; !status && i < bytes; i += unit)
        status = fill_column(scope, stream,
                             &(struct column){.to = address + i,
                                              .unit = unit,
                                              .element = bytes,
                                              .n = length / bytes,
                                              .value = unit_at(element + i, unit)});
    return status;
}

cushim_status cushim__memory_fill(struct cushim__scope *scope, struct cushim__stream *stream,
                                  const struct cushim__access *to, const void *element,
                                  size_t bytes)
{
    struct cushim__submission s = {
        .scope = scope, .timeline = stream->timeline, .accesses = to, .n = 1, .recordable = true};
    cushim_status status;

    if (to->begin == to->end)
        return CUSHIM_OK;
    status = cushim__submit_begin(&s);
    if (status)
        return status;
    status = fill(scope, stream->cu, to, element, bytes);
    cushim__submit_end(&s);
    return status;
}
