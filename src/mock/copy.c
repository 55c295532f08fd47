/* SPDX-License-Identifier: MIT */
#include "mock/copy.h"

#include <stdlib.h>
#include <string.h>

#include "mock/access.h"
#include "mock/host_watch.h"
#include "mock/memory.h"
#include "mock/schedule.h"
#include "mock/state.h"
#include "mock/stats.h"
#include "mock/stream.h"

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
                       unsigned char **ret_first, size_t *ret_bytes)
{
    size_t first, last;

    MOCK__REQUIRE(offset_of(end, end->y, end->z, &first), CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(offset_of(end, end->y + copy->height - 1, end->z + copy->depth - 1, &last) &&
                      last <= SIZE_MAX - copy->width && last >= first &&
                      last + copy->width <= UINT64_MAX - end->address,
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(end->address, CUDA_ERROR_INVALID_VALUE);
    *ret_bytes = last - first + copy->width;
    *ret_first = resolve(end->side, end->address + first, *ret_bytes);
    if (!*ret_first)
        mock__access_nowhere("copy", end->address + first, *ret_bytes);
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

/* Both ends, found and checked. */
struct box {
    unsigned char *to, *from;
    size_t from_bytes; /* from the first to the last byte that is read */
};

static CUresult locate_both(const struct mock__copy *copy, struct box *box)
{
    size_t unused;

    MOCK__TRY(locate(&copy->dst, copy, &box->to, &unused));
    return locate(&copy->src, copy, &box->from, &box->from_bytes);
}

struct copy_work {
    struct mock__work work;
    struct mock__copy copy;
    unsigned char *staged; /* what the source held when the copy was submitted, or NULL */
};

/* Row by row: what is between the rows is not touched. */
static void watch(const struct mock__work *work, const struct mock__copy *copy,
                  const struct mock__end *end, enum mock__access access)
{
    size_t offset;

    for (size_t z = 0; z < copy->depth; z++)
        for (size_t y = 0; y < copy->height; y++)
            if (offset_of(end, end->y + y, end->z + z, &offset))
                mock__access(work, end->address + offset, copy->width, access);
}

static bool on_device(const struct mock__end *end)
{
    const struct mock__memory *memory = mock__memory_find(end->address);

    return memory && memory->kind == MOCK__DEVICE_MEMORY;
}

static void count(const struct mock__copy *copy)
{
    const bool to = on_device(&copy->dst), from = on_device(&copy->src);
    uint64_t *const bytes = to && from ? &mock__stats.bytes_on_device
                            : to       ? &mock__stats.bytes_to_device
                            : from     ? &mock__stats.bytes_to_host
                                       : &mock__stats.bytes_on_host;

    mock__stats.copies++;
    *bytes += copy->width * copy->height * copy->depth;
}

static void do_copy(const struct copy_work *copy, const struct box *box)
{
    count(&copy->copy);
    if (!copy->staged)
        watch(&copy->work, &copy->copy, &copy->copy.src, MOCK__READ);
    watch(&copy->work, &copy->copy, &copy->copy.dst, MOCK__WRITE);
    copy_rows(&copy->copy, box->to, copy->staged ? copy->staged : box->from);
}

/* Looked up again: what was there at submission may have been freed by work in between. */
static void run_copy(struct mock__work *work)
{
    const struct copy_work *copy = (const struct copy_work *) work;
    struct box box;
    size_t unused;

    if (locate(&copy->copy.dst, &copy->copy, &box.to, &unused) ||
        (!copy->staged && locate(&copy->copy.src, &copy->copy, &box.from, &unused)))
        work->lane->context->fault = CUDA_ERROR_ILLEGAL_ADDRESS;
    else
        do_copy(copy, &box);
}

static void finish_copy(struct mock__work *work)
{
    free(((struct copy_work *) work)->staged);
}

static const struct mock__work_type copy_type = {
    .name = "copy", .run = run_copy, .finish = finish_copy};

/* Memory that the driver does not know: it cannot be read or written later. */
static bool pageable(const struct mock__end *end)
{
    return end->side != MOCK__DEVICE_SIDE && !mock__memory_find(end->address);
}

static CUresult refuse_dying(const struct mock__end *end)
{
    if (!mock__memory_being_freed(end->address))
        return CUDA_SUCCESS;
    mock__access_dying("copy", end->address);
    return CUDA_ERROR_INVALID_VALUE;
}

static bool host_waits(const struct mock__copy *copy, bool async)
{
    return async ? pageable(&copy->dst) : !on_device(&copy->dst) || !on_device(&copy->src);
}

/* Copies whose rows follow each other: of others, no page may be theirs alone. */
static void watch_host(struct copy_work *work, const struct mock__end *end,
                       enum mock__access access)
{
    const struct mock__copy *copy = &work->copy;
    size_t offset;

    if ((copy->height == 1 || end->pitch == copy->width) &&
        (copy->depth == 1 || end->height == copy->height) &&
        offset_of(end, end->y, end->z, &offset))
        mock__host_watch(&work->work, end->address + offset,
                         copy->width * copy->height * copy->depth, access);
}

static struct copy_work *new_copy(const struct mock__copy *copy, const struct box *box, bool stage)
{
    struct copy_work *work = mock__work_new(&copy_type, sizeof(*work));

    if (!work)
        return NULL;
    work->copy = *copy;
    if (!stage)
        return work;
    work->staged = malloc(box->from_bytes);
    if (work->staged)
        memcpy(work->staged, box->from, box->from_bytes);
    else
        mock__work_free(work);
    return work->staged ? work : NULL;
}

CUresult mock__copy(struct mock__stream *stream, bool async, const struct mock__copy *given)
{
    struct mock__copy copy = *given;
    struct copy_work *work;
    struct box box;
    bool waits;

    if (!copy.width || !copy.height || !copy.depth)
        return CUDA_SUCCESS;
    MOCK__TRY(settle(&copy.dst, &copy));
    MOCK__TRY(settle(&copy.src, &copy));
    MOCK__TRY(locate_both(&copy, &box));
    MOCK__TRY(refuse_dying(&copy.dst));
    MOCK__TRY(refuse_dying(&copy.src));
    waits = host_waits(&copy, async);
    work = new_copy(&copy, &box, pageable(&copy.src) && !waits);
    MOCK__REQUIRE(work, CUDA_ERROR_OUT_OF_MEMORY);
    if (!waits)
        watch_host(work, &copy.dst, MOCK__WRITE);
    if (!waits && !work->staged)
        watch_host(work, &copy.src, MOCK__READ);
    if (mock__work_submit(stream->lane, work) != CUDA_SUCCESS) {
        mock__work_free(work);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    return waits ? mock__wait_lane(stream->lane) : CUDA_SUCCESS;
}

struct mock__copy mock__copy_line(enum mock__side dst_side, uint64_t dst, enum mock__side src_side,
                                  uint64_t src, size_t bytes)
{
    return (struct mock__copy){
        .dst = {.side = dst_side, .address = dst},
        .src = {.side = src_side, .address = src},
        .width = bytes,
        .height = 1,
        .depth = 1,
    };
}
