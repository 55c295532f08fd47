/* SPDX-License-Identifier: MIT */
#include "mock/memory/copy.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "mock/allocation/host_pages.h"
#include "mock/allocation/memory.h"
#include "mock/base/host_room.h"
#include "mock/base/state.h"
#include "mock/base/stats.h"
#include "mock/check/access.h"
#include "mock/check/host_watch.h"
#include "mock/check/stray.h"
#include "mock/memory/stretch.h"
#include "mock/queue/schedule.h"
#include "mock/stream/capture.h"
#include "mock/stream/stream.h"

#define HOST_PAGE 4096 /* of the host, or a part of one */

/* A range that the driver knows is checked, whatever kind of memory the caller calls it. */
static bool must_be_known(enum mock__side side, uint64_t address)
{
    const struct mock__memory *memory = mock__memory_find(address);

    return side == MOCK__DEVICE_SIDE || mock__memory_reserved(address) ||
           (memory && memory->kind != MOCK__REGISTERED_MEMORY);
}

/* Returns where the bytes of a range are, or NULL if this side has no such bytes. */
static unsigned char *resolve(enum mock__side side, uint64_t address, size_t bytes)
{
    if (must_be_known(side, address))
        return mock__memory_bytes(address, bytes);
    return (unsigned char *) (uintptr_t) address;
}

/*
 * Tells whether the bytes can exist when the copy runs. Memory of a graph is allocated and freed
 * while the graph runs.
 */
static bool reachable(enum mock__side side, uint64_t address, size_t bytes)
{
    return !must_be_known(side, address) || mock__memory_contains(address, bytes);
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
    MOCK__REQUIRE(end->pitch >= row && end->height >= rows, CUDA_ERROR_INVALID_VALUE);
    return CUDA_SUCCESS;
}

/* Modulo 2^64, as a driver computes it. */
static size_t offset_of(const struct mock__end *end, size_t y, size_t z)
{
    return (z * end->height + y) * end->pitch + end->x;
}

/* Returns the range from the first row, or what lies before it, to the last byte of a box. */
static bool range_of(const struct mock__end *end, const struct mock__copy *copy,
                     uint64_t *ret_address, struct mock__stretch *ret_stretch)
{
    const struct mock__rows rows = {copy->width, copy->height, copy->depth, end->pitch,
                                    end->height * end->pitch};

    if (!mock__stretch_of(&rows, ret_stretch))
        return false;
    *ret_address = end->address + offset_of(end, end->y, end->z) - ret_stretch->before;
    return ret_stretch->bytes <= UINT64_MAX - *ret_address;
}

/*
 * Finds the first row of the box. Memory that was freed since the copy was submitted is a finding.
 * It is a fault only if the device has no page there any more, or may not write it.
 */
static CUresult locate(const struct mock__context *context, const struct mock__end *end,
                       const struct mock__copy *copy, unsigned char **ret_first)
{
    const bool write = end == &copy->dst;
    struct mock__stretch stretch = {0};
    unsigned char *lowest = NULL;
    uint64_t address = end->address;

    if (range_of(end, copy, &address, &stretch) && !(write && mock__memory_read_only(address)))
        lowest = resolve(end->side, address, stretch.bytes);
    if (!lowest) {
        mock__report_bad_address("copy", address, stretch.bytes);
        lowest = mock__memory_stray(context, address, stretch.bytes, write);
    }
    *ret_first = lowest ? lowest + stretch.before : NULL;
    return lowest ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult refuse_being_freed(const struct mock__end *end)
{
    if (!mock__memory_being_freed(end->address))
        return CUDA_SUCCESS;
    mock__report_use_after_free("copy", end->address);
    return CUDA_ERROR_INVALID_VALUE;
}

/*
 * Tells whether this is memory that the driver does not know. Such memory cannot be read or written
 * later.
 */
static bool pageable(const struct mock__end *end)
{
    return end->side != MOCK__DEVICE_SIDE && !mock__memory_find(end->address);
}

/*
 * Checks, when the copy is submitted, that all of an end can exist. A driver looks at the bytes
 * from the address to the last one, which may lie before it, and at no more.
 */
static CUresult check(const struct mock__end *end, const struct mock__copy *copy)
{
    const uint64_t last = end->address +
                          offset_of(end, end->y + copy->height - 1, end->z + copy->depth - 1) +
                          copy->width - 1;
    const uint64_t low = last < end->address ? last : end->address;
    const size_t bytes = (last < end->address ? end->address : last) - low + 1;

    MOCK__REQUIRE(end->address && bytes, CUDA_ERROR_INVALID_VALUE);
    if (!reachable(end->side, low, bytes)) {
        mock__report_bad_address("copy", low, bytes);
        return CUDA_ERROR_INVALID_VALUE;
    }
    return refuse_being_freed(end);
}

/* Rows may lie before the first one. */
static unsigned char *behind(const unsigned char *first, size_t offset)
{
    return (unsigned char *) ((uintptr_t) first + offset);
}

static void copy_rows(const struct mock__copy *copy, unsigned char *to, const unsigned char *from)
{
    for (size_t z = 0; z < copy->depth; z++) {
        for (size_t y = 0; y < copy->height; y++)
            memmove(behind(to, (z * copy->dst.height + y) * copy->dst.pitch),
                    behind(from, (z * copy->src.height + y) * copy->src.pitch), copy->width);
    }
}

struct copy_work {
    struct mock__work work;
    struct mock__copy copy;
    unsigned char *staged;         /* the source's bytes when the copy was submitted, or NULL */
    unsigned char *staged_first;   /* the first row of them */
    uint64_t to_class, from_class; /* of the memory at the time of the check */
    const struct mock__device *to_device;
};

/* Reports the access of each row alone, because the bytes between the rows are not touched. */
static void access_rows(const struct mock__work *work, const struct mock__copy *copy,
                        const struct mock__end *end, enum mock__access access)
{
    for (size_t z = 0; z < copy->depth; z++)
        for (size_t y = 0; y < copy->height; y++)
            mock__access(work, end->address + offset_of(end, end->y + y, end->z + z), copy->width,
                         access);
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

static void do_copy(const struct copy_work *copy, unsigned char *to, const unsigned char *from)
{
    count(&copy->copy);
    if (!copy->staged)
        access_rows(&copy->work, &copy->copy, &copy->copy.src, MOCK__READ);
    access_rows(&copy->work, &copy->copy, &copy->copy.dst, MOCK__WRITE);
    mock__host_room_write(to, copy->copy.width * copy->copy.height * copy->copy.depth);
    copy_rows(&copy->copy, to, from);
}

static bool is_empty(const struct mock__copy *copy)
{
    return !copy->width || !copy->height || !copy->depth;
}

/* Looks up the memory again, because work since the submission may have freed it. */
static void run_copy(struct mock__work *work)
{
    const struct copy_work *copy = (const struct copy_work *) work;
    unsigned char *to = NULL, *from = copy->staged_first;

    if (is_empty(&copy->copy))
        return;
    if (locate(work->queue->context, &copy->copy.dst, &copy->copy, &to) ||
        (!from && locate(work->queue->context, &copy->copy.src, &copy->copy, &from)))
        mock__context_break(work->queue->context, CUDA_ERROR_ILLEGAL_ADDRESS);
    else
        do_copy(copy, to, from);
}

static void finish_copy(struct mock__work *work)
{
    free(((struct copy_work *) work)->staged);
}

/*
 * Watches the pages of a copy whose rows follow each other without gaps. With gaps, a page may
 * contain other data.
 */
static void watch_host(struct copy_work *work, const struct mock__end *end,
                       enum mock__access access)
{
    const struct mock__copy *copy = &work->copy;

    if ((copy->height == 1 || end->pitch == copy->width) &&
        (copy->depth == 1 || end->height == copy->height))
        mock__host_watch(&work->work, end->address + offset_of(end, end->y, end->z),
                         copy->width * copy->height * copy->depth, access);
}

static void watch_ends(struct mock__work *work)
{
    struct copy_work *copy = (struct copy_work *) work;

    watch_host(copy, &copy->copy.dst, MOCK__WRITE);
    if (!copy->staged)
        watch_host(copy, &copy->copy.src, MOCK__READ);
}

/* A device makes one copy at a time in each direction. */
static struct mock__load load_of_copy(const struct mock__work *work)
{
    const struct mock__copy *copy = mock__copy_of_work(work);
    const bool to = on_device(&copy->dst), from = on_device(&copy->src);

    return (struct mock__load){to && from ? MOCK__COPIES_ON_DEVICE
                               : to       ? MOCK__COPIES_TO_DEVICE
                                          : MOCK__COPIES_TO_HOST,
                               MOCK__WHOLE_UNIT};
}

static CUresult copy_copy(const struct mock__work *work, struct mock__work **ret_copy)
{
    return mock__copy_work(mock__copy_of_work(work), ret_copy);
}

static const struct mock__work_type copy_type = {
    .name = "copy",
    .node = CU_GRAPH_NODE_TYPE_MEMCPY,
    .run = run_copy,
    .load = load_of_copy,
    .watch = watch_ends,
    .finish = finish_copy,
    .copy = copy_copy,
};

const struct mock__copy *mock__copy_of_work(const struct mock__work *work)
{
    return &((const struct copy_work *) work)->copy;
}

/* The device takes 32 bits of the rows of a slice, where the check has looked at all. */
static void cut_height(struct mock__end *end)
{
    if (end->side == MOCK__DEVICE_SIDE)
        end->height = (uint32_t) end->height;
}

static const struct mock__device *device_of(uint64_t address)
{
    const struct mock__memory *memory = mock__memory_find(address);

    return memory ? memory->device : NULL;
}

static CUresult new_copy(const struct mock__copy *given, struct copy_work **ret_work)
{
    struct mock__copy copy = *given;
    struct copy_work *work;

    if (!is_empty(&copy)) {
        MOCK__TRY(settle(&copy.dst, &copy));
        MOCK__TRY(settle(&copy.src, &copy));
        MOCK__TRY(check(&copy.dst, &copy));
        MOCK__TRY(check(&copy.src, &copy));
        cut_height(&copy.dst);
        cut_height(&copy.src);
    }
    work = mock__work_new(&copy_type, sizeof(*work));
    MOCK__REQUIRE(work, CUDA_ERROR_OUT_OF_MEMORY);
    work->copy = copy;
    work->to_class = mock__memory_class(copy.dst.address);
    work->to_device = device_of(copy.dst.address);
    work->from_class = mock__memory_class(copy.src.address);
    *ret_work = work;
    return CUDA_SUCCESS;
}

static bool same_way(const struct mock__end *end, const struct mock__end *old)
{
    return end->side == old->side && !end->array == !old->array;
}

/* Of a device's memory it counts only whether it is a context's. */
static bool same_memory(const struct mock__end *end, uint64_t class, uint64_t old)
{
    return end->side == MOCK__DEVICE_SIDE ? !MOCK__OWNER(class) == !MOCK__OWNER(old) : class == old;
}

bool mock__copy_replaces(const struct mock__work *work, const struct mock__work *old)
{
    const struct copy_work *now = (const struct copy_work *) work;
    const struct copy_work *before = (const struct copy_work *) old;

    return same_way(&now->copy.dst, &before->copy.dst) &&
           same_way(&now->copy.src, &before->copy.src) &&
           same_memory(&now->copy.dst, now->to_class, before->to_class) &&
           now->to_device == before->to_device &&
           same_memory(&now->copy.src, now->from_class, before->from_class) &&
           (now->copy.src.side != MOCK__DEVICE_SIDE ||
            MOCK__OWNER(now->from_class) == MOCK__OWNER(before->from_class));
}

CUresult mock__copy_work(const struct mock__copy *copy, struct mock__work **ret_work)
{
    struct copy_work *work = NULL;

    MOCK__TRY(new_copy(copy, &work));
    *ret_work = &work->work;
    return CUDA_SUCCESS;
}

static bool host_allows(uint64_t address, uint64_t bytes, int protection)
{
    const uint64_t page = HOST_PAGE;

    return address + bytes <= UINT64_MAX - page &&
           mock__host_pages_there(address & ~(page - 1),
                                  (address + bytes + page - 1) & ~(page - 1)) &&
           (mock__is_child() || mock__host_watch_is_on() ||
            !mock__host_pages_refuse(address, bytes, protection));
}

/* Has the program memory there, and may it be used? A driver would crash. */
static CUresult check_host(const struct mock__end *end, const struct mock__copy *copy)
{
    struct mock__stretch stretch = {0};
    uint64_t address = end->address;

    if (!pageable(end) ||
        (range_of(end, copy, &address, &stretch) &&
         host_allows(address, stretch.bytes, end == &copy->dst ? PROT_WRITE : PROT_READ)))
        return CUDA_SUCCESS;
    mock__report_bad_address("copy", address, stretch.bytes);
    return CUDA_ERROR_INVALID_VALUE;
}

static CUresult check_host_ends(const struct mock__copy *copy)
{
    MOCK__TRY(check_host(&copy->dst, copy));
    return check_host(&copy->src, copy);
}

static bool host_waits(const struct mock__copy *copy, bool async)
{
    return async ? pageable(&copy->dst) : !on_device(&copy->dst) || !on_device(&copy->src);
}

/* Reads the source of a copy now, while it certainly contains what the caller wants to copy. */
static CUresult stage(struct copy_work *work)
{
    struct mock__stretch stretch = {0};
    uint64_t address = 0;

    MOCK__REQUIRE(range_of(&work->copy.src, &work->copy, &address, &stretch),
                  CUDA_ERROR_INVALID_VALUE);
    work->staged = malloc(stretch.bytes);
    MOCK__REQUIRE(work->staged, CUDA_ERROR_OUT_OF_MEMORY);
    memcpy(work->staged, (const void *) (uintptr_t) address, stretch.bytes);
    work->staged_first = work->staged + stretch.before;
    return CUDA_SUCCESS;
}

static CUresult submit(struct mock__stream *stream, bool async, struct copy_work *work)
{
    const bool waits = host_waits(&work->copy, async);
    CUresult result = stream->capture ? CUDA_SUCCESS : check_host_ends(&work->copy);

    if (result == CUDA_SUCCESS && pageable(&work->copy.src) && !waits && !stream->capture)
        result = stage(work);
    if (result != CUDA_SUCCESS) {
        mock__work_free(work);
        return result;
    }
    work->work.waited = waits;
    MOCK__TRY(mock__stream_submit(stream, work));
    return waits && !stream->capture ? mock__wait_queue(stream->queue) : CUDA_SUCCESS;
}

CUresult mock__copy(struct mock__stream *stream, bool async, const struct mock__copy *copy)
{
    struct copy_work *work = NULL;

    if (is_empty(copy))
        return CUDA_SUCCESS;
    if (!async)
        MOCK__TRY(mock__capture_refuse(stream));
    MOCK__TRY(new_copy(copy, &work));
    return submit(stream, async, work);
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
