/* SPDX-License-Identifier: MIT */
#include "mock/copy.h"

#include <string.h>

#include "mock/memory.h"
#include "mock/state.h"

/* Where the bytes of a range are, NULL if there are none of that side. */
static unsigned char *resolve(enum mock__side side, uint64_t address, size_t bytes)
{
    const struct mock__memory *memory = mock__memory_find(address);

    /* A range that the driver knows is checked, whatever the caller calls it. */
    if (memory && memory->kind != MOCK__REGISTERED_MEMORY)
        return mock__memory_bytes(address, bytes);
    if (side == MOCK__DEVICE_SIDE)
        return mock__memory_bytes(address, bytes);
    if (mock__memory_reserved(address))
        return NULL;
    return (unsigned char *) (uintptr_t) address;
}

CUresult mock__copy(enum mock__side dst_side, uint64_t dst, enum mock__side src_side, uint64_t src,
                    size_t bytes)
{
    unsigned char *to, *from;

    if (!bytes)
        return CUDA_SUCCESS;
    to = resolve(dst_side, dst, bytes);
    from = resolve(src_side, src, bytes);
    MOCK__REQUIRE(to && from, CUDA_ERROR_INVALID_VALUE);
    /* Overlap is not an error for the driver, so it must not be one here. */
    memmove(to, from, bytes);
    return CUDA_SUCCESS;
}

/* Fills in the defaults of an end, and checks it against the size of the copy. */
static CUresult settle(struct mock__end *end, const struct mock__copy *copy)
{
    size_t row, rows;

    MOCK__REQUIRE(!__builtin_add_overflow(end->x, copy->width, &row), CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(!__builtin_add_overflow(end->y, copy->height, &rows), CUDA_ERROR_INVALID_VALUE);
    if (!end->pitch)
        end->pitch = row;
    if (!end->height)
        end->height = rows;
    MOCK__REQUIRE(end->pitch >= row, CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(copy->depth == 1 || end->height >= rows, CUDA_ERROR_INVALID_VALUE);
    return CUDA_SUCCESS;
}

/* offset = (z * height + y) * pitch + x; false if that is more than fits. */
static bool offset_of(const struct mock__end *end, size_t y, size_t z, size_t *ret_offset)
{
    size_t offset;

    return !__builtin_mul_overflow(z, end->height, &offset) &&
           !__builtin_add_overflow(offset, y, &offset) &&
           !__builtin_mul_overflow(offset, end->pitch, &offset) &&
           !__builtin_add_overflow(offset, end->x, ret_offset);
}

/* Where the first byte of the box is; checks that all of it is there. */
static CUresult locate(const struct mock__end *end, const struct mock__copy *copy,
                       unsigned char **ret_first)
{
    size_t first, last;

    MOCK__REQUIRE(offset_of(end, end->y, end->z, &first), CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(offset_of(end, end->y + copy->height - 1, end->z + copy->depth - 1, &last) &&
                      last <= SIZE_MAX - copy->width && last >= first &&
                      last + copy->width <= UINT64_MAX - end->address,
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(end->address, CUDA_ERROR_INVALID_VALUE);
    *ret_first = resolve(end->side, end->address + first, last - first + copy->width);
    return *ret_first ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static void copy_rows(const struct mock__copy *copy, unsigned char *to, const unsigned char *from)
{
    for (size_t z = 0; z < copy->depth; z++) {
        for (size_t y = 0; y < copy->height; y++)
            memmove(to + (z * copy->dst.height + y) * copy->dst.pitch,
                    from + (z * copy->src.height + y) * copy->src.pitch, copy->width);
    }
}

CUresult mock__copy_box(const struct mock__copy *given)
{
    struct mock__copy copy = *given;
    unsigned char *to = NULL, *from = NULL;

    if (!copy.width || !copy.height || !copy.depth)
        return CUDA_SUCCESS;
    MOCK__TRY(settle(&copy.dst, &copy));
    MOCK__TRY(settle(&copy.src, &copy));
    MOCK__TRY(locate(&copy.dst, &copy, &to));
    MOCK__TRY(locate(&copy.src, &copy, &from));
    copy_rows(&copy, to, from);
    return CUDA_SUCCESS;
}
