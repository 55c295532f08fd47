/* SPDX-License-Identifier: MIT */
/* cuMemset* */
#include "mock/memory/memset.h"

#include <string.h>

#include "mock/allocation/mem_map.h"
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

static void fill_row(unsigned char *row, const struct mock__fill *fill)
{
    if (fill->element == 1) {
        memset(row, (int) fill->value, fill->width);
        return;
    }
    for (size_t i = 0; i < fill->width; i++) {
        /* The lowest bytes come first on every host that the driver runs on. */
        memcpy(row + i * fill->element, &fill->value, fill->element);
    }
}

static size_t row_bytes(const struct mock__fill *fill)
{
    return fill->width * fill->element;
}

/* How many bytes there are from the address to the last, modulo 2^64, as a driver computes it. */
static CUresult check(const struct mock__fill *fill, size_t *ret_bytes)
{
    const size_t row = row_bytes(fill);
    size_t bytes;

    MOCK__REQUIRE(fill->address % fill->element == 0, CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(fill->height == 1 || (fill->pitch >= row && fill->pitch % fill->element == 0),
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(!__builtin_mul_overflow(fill->pitch, fill->height - 1, &bytes),
                  CUDA_ERROR_INVALID_VALUE);
    *ret_bytes = bytes + row;
    return CUDA_SUCCESS;
}

struct fill_work {
    struct mock__work work;
    struct mock__fill fill;
    size_t bytes;
    uint64_t class; /* of the memory at the time of the check */
};

/* Where the rows are that run_fill() writes: the first one, NULL if the device faults. */
static unsigned char *first_row(const struct mock__context *context, const struct mock__fill *fill)
{
    const struct mock__rows rows = {row_bytes(fill), fill->height, 1, fill->pitch, 0};
    struct mock__stretch stretch = {0};
    unsigned char *lowest = NULL;
    uint64_t address = fill->address;

    if (mock__stretch_of(&rows, &stretch)) {
        address -= stretch.before;
        if (!mock__memory_read_only(address))
            lowest = mock__memory_bytes(address, stretch.bytes);
    }
    if (!lowest) {
        mock__report_bad_address("memset", address, stretch.bytes);
        lowest = mock__memory_stray(context, address, stretch.bytes, true);
    }
    return lowest ? lowest + stretch.before : NULL;
}

/* Looked up again: the memory may have been freed by work in between. */
static void run_fill(struct mock__work *work)
{
    const struct fill_work *fill_work = (const struct fill_work *) work;
    const struct mock__fill *fill = &fill_work->fill;
    unsigned char *row = first_row(work->queue->context, fill);

    if (!row)
        mock__context_break(work->queue->context, CUDA_ERROR_ILLEGAL_ADDRESS);
    mock__stats.memsets += row != NULL;
    if (row)
        mock__host_room_write(row, fill_work->bytes);
    for (size_t y = 0; row && y < fill->height; y++) {
        mock__access(work, fill->address + y * fill->pitch, row_bytes(fill), MOCK__WRITE);
        fill_row((unsigned char *) ((uintptr_t) row + y * fill->pitch), fill);
    }
}

/* A memset that the host does not wait for may be in its way. */
static void watch_host(struct mock__work *work)
{
    const struct fill_work *fill = (const struct fill_work *) work;

    if (fill->fill.height == 1)
        mock__host_watch(work, fill->fill.address, fill->bytes, MOCK__WRITE);
}

static struct mock__load load_of_fill(const struct mock__work *work)
{
    (void) work;
    return (struct mock__load){MOCK__COPIES_ON_DEVICE, MOCK__WHOLE_UNIT};
}

static CUresult copy_fill(const struct mock__work *work, struct mock__work **ret_copy)
{
    return mock__fill_work(mock__fill_of_work(work), ret_copy);
}

static const struct mock__work_type fill_type = {
    .name = "memset",
    .node = CU_GRAPH_NODE_TYPE_MEMSET,
    .run = run_fill,
    .load = load_of_fill,
    .watch = watch_host,
    .copy = copy_fill,
};

const struct mock__fill *mock__fill_of_work(const struct mock__work *work)
{
    return &((const struct fill_work *) work)->fill;
}

/* Tells whether the bytes can be there when the memset is done: a graph's memory comes and goes. */
static CUresult check_memory(const struct mock__fill *fill, size_t bytes)
{
    const bool around = fill->address + bytes < fill->address;

    /* What goes around the end of the address space is left for the device to find. */
    if (!mock__memory_contains(fill->address, around ? 1 : bytes)) {
        mock__report_bad_address("memset", fill->address, bytes);
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (mock__memory_being_freed(fill->address)) {
        mock__report_use_after_free("memset", fill->address);
        return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

bool mock__fill_replaces(const struct mock__work *work, const struct mock__work *old)
{
    const struct fill_work *now = (const struct fill_work *) work;
    const struct fill_work *before = (const struct fill_work *) old;
    const struct mock__fill *a = &now->fill, *b = &before->fill;

    /* Memory of one context is not replaced by that of another one; there is some of none. */
    if (MOCK__OWNER(now->class) && MOCK__OWNER(before->class) &&
        MOCK__OWNER(now->class) != MOCK__OWNER(before->class))
        return false;
    if (a->height != b->height)
        return false;
    return a->height == 1 ||
           (a->width == b->width && a->pitch == b->pitch && a->element == b->element);
}

CUresult mock__fill_work(const struct mock__fill *fill, struct mock__work **ret_work)
{
    struct fill_work *work;
    size_t bytes = 0;

    MOCK__TRY(check(fill, &bytes));
    MOCK__TRY(check_memory(fill, bytes));
    work = mock__work_new(&fill_type, sizeof(*work));
    MOCK__REQUIRE(work, CUDA_ERROR_OUT_OF_MEMORY);
    work->fill = *fill;
    work->bytes = bytes;
    work->class = mock__memory_class(fill->address);
    *ret_work = &work->work;
    return CUDA_SUCCESS;
}

/* Memory of another device, and what is mapped for reading alone. What is mapped for none comes
 * later. */
static bool may_fill(const struct mock__context *context, const struct mock__memory *memory)
{
    if (memory->mapping)
        return !mock__map_allows(memory->address, 1, context->device, false) ||
               mock__map_allows(memory->address, 1, context->device, true);
    return !mock__memory_of_stranger(context, memory);
}

/*
 * To the host a memset is asynchronous, whatever it is called; but it has written memory of
 * the host when a function without "Async" returns.
 */
static CUresult submit(struct mock__stream *stream, bool async, const struct mock__fill *fill)
{
    const struct mock__memory *memory = mock__memory_find(fill->address);
    const bool waits = !async && memory && memory->kind != MOCK__DEVICE_MEMORY;
    struct mock__work *work = NULL;

    if (!row_bytes(fill) || !fill->height)
        return CUDA_SUCCESS;
    if (!async)
        MOCK__TRY(mock__capture_refuse(stream));
    MOCK__REQUIRE(!memory || may_fill(stream->context, memory), CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__fill_work(fill, &work));
    work->waited = waits;
    MOCK__TRY(mock__stream_submit(stream, work));
    return waits ? mock__wait_queue(stream->queue) : CUDA_SUCCESS;
}

static CUresult fill_in(CUstream hStream, bool async, const struct mock__fill *fill)
{
    struct mock__stream *stream = NULL;

    MOCK__ENTER_INHERITED();
    MOCK__TRY(mock__stream_find(hStream, &stream));
    return submit(stream, async, fill);
}

static struct mock__fill line(CUdeviceptr address, unsigned value, size_t element, size_t n)
{
    return (struct mock__fill){address, 0, n, 1, value, element};
}

CUresult mock_cuMemsetD8_v2(CUdeviceptr dstDevice, unsigned char uc, size_t N)
{
    const struct mock__fill fill = line(dstDevice, uc, 1, N);

    return fill_in(MOCK__DEFAULT_STREAM, false, &fill);
}

CUresult mock_cuMemsetD8Async(CUdeviceptr dstDevice, unsigned char uc, size_t N, CUstream hStream)
{
    const struct mock__fill fill = line(dstDevice, uc, 1, N);

    return fill_in(hStream, true, &fill);
}

CUresult mock_cuMemsetD16_v2(CUdeviceptr dstDevice, unsigned short us, size_t N)
{
    const struct mock__fill fill = line(dstDevice, us, 2, N);

    return fill_in(MOCK__DEFAULT_STREAM, false, &fill);
}

CUresult mock_cuMemsetD16Async(CUdeviceptr dstDevice, unsigned short us, size_t N, CUstream hStream)
{
    const struct mock__fill fill = line(dstDevice, us, 2, N);

    return fill_in(hStream, true, &fill);
}

CUresult mock_cuMemsetD32_v2(CUdeviceptr dstDevice, unsigned int ui, size_t N)
{
    const struct mock__fill fill = line(dstDevice, ui, 4, N);

    return fill_in(MOCK__DEFAULT_STREAM, false, &fill);
}

CUresult mock_cuMemsetD32Async(CUdeviceptr dstDevice, unsigned int ui, size_t N, CUstream hStream)
{
    const struct mock__fill fill = line(dstDevice, ui, 4, N);

    return fill_in(hStream, true, &fill);
}

CUresult mock_cuMemsetD2D8_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc,
                              size_t Width, size_t Height)
{
    const struct mock__fill fill = {dstDevice, dstPitch, Width, Height, uc, 1};

    return fill_in(MOCK__DEFAULT_STREAM, false, &fill);
}

CUresult mock_cuMemsetD2D8Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc,
                                size_t Width, size_t Height, CUstream hStream)
{
    const struct mock__fill fill = {dstDevice, dstPitch, Width, Height, uc, 1};

    return fill_in(hStream, true, &fill);
}

CUresult mock_cuMemsetD2D16_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us,
                               size_t Width, size_t Height)
{
    const struct mock__fill fill = {dstDevice, dstPitch, Width, Height, us, 2};

    return fill_in(MOCK__DEFAULT_STREAM, false, &fill);
}

CUresult mock_cuMemsetD2D16Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us,
                                 size_t Width, size_t Height, CUstream hStream)
{
    const struct mock__fill fill = {dstDevice, dstPitch, Width, Height, us, 2};

    return fill_in(hStream, true, &fill);
}

CUresult mock_cuMemsetD2D32_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui,
                               size_t Width, size_t Height)
{
    const struct mock__fill fill = {dstDevice, dstPitch, Width, Height, ui, 4};

    return fill_in(MOCK__DEFAULT_STREAM, false, &fill);
}

CUresult mock_cuMemsetD2D32Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui,
                                 size_t Width, size_t Height, CUstream hStream)
{
    const struct mock__fill fill = {dstDevice, dstPitch, Width, Height, ui, 4};

    return fill_in(hStream, true, &fill);
}
