/* SPDX-License-Identifier: MIT */
/* cuMem*, except what memcpy.c, memset.c, allocation/mem_host.c and allocation/mem_pool.c have. */
#include "mock/allocation/memory.h"

#include "mock/allocation/label.h"
#include "mock/allocation/mem_pool.h"
#include "mock/base/finding.h"
#include "mock/base/state.h"
#include "mock/check/access.h"
#include "mock/queue/schedule.h"
#include "mock/stream/capture.h"
#include "mock/stream/stream.h"

#define PITCH 512

CUresult mock_cuMemGetInfo_v2(size_t *free, size_t *total)
{
    MOCK__ENTER_CONTEXT(context);
    if (free)
        *free = mock__device_free(context->device);
    if (total)
        *total = context->device->profile->total_bytes;
    return CUDA_SUCCESS;
}

CUresult mock_cuMemAlloc_v2(CUdeviceptr *dptr, size_t bytesize)
{
    struct mock__memory *memory = NULL;

    MOCK__ENTER_CONTEXT(context);
    MOCK__REQUIRE(dptr && bytesize, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__capture_unsafe());
    MOCK__TRY(mock__memory_alloc(context, bytesize, &memory));
    mock__made(&memory->made, "cuMemAlloc");
    *dptr = memory->address;
    return CUDA_SUCCESS;
}

static bool element_size_valid(unsigned bytes)
{
    return bytes == 4 || bytes == 8 || bytes == 16;
}

CUresult mock_cuMemAllocPitch_v2(CUdeviceptr *dptr, size_t *pPitch, size_t WidthInBytes,
                                 size_t Height, unsigned int ElementSizeBytes)
{
    struct mock__memory *memory = NULL;
    size_t pitch, bytes;

    MOCK__ENTER_CONTEXT(context);
    MOCK__REQUIRE(dptr && pPitch && WidthInBytes && Height, CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(element_size_valid(ElementSizeBytes), CUDA_ERROR_INVALID_VALUE);
    /* Modulo 2^64, as a driver computes it. */
    pitch = (WidthInBytes + PITCH - 1) / PITCH * PITCH;
    bytes = pitch * Height;
    MOCK__REQUIRE(bytes, CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(bytes / Height == pitch, CUDA_ERROR_OUT_OF_MEMORY);
    MOCK__TRY(mock__capture_unsafe());
    MOCK__TRY(mock__memory_alloc(context, bytes, &memory));
    mock__made(&memory->made, "cuMemAllocPitch");
    *dptr = memory->address;
    *pPitch = pitch;
    return CUDA_SUCCESS;
}

CUresult mock_cuMemAllocManaged(CUdeviceptr *dptr, size_t bytesize, unsigned int flags)
{
    struct mock__memory *memory = NULL;

    MOCK__ENTER_CONTEXT(context);
    MOCK__REQUIRE(dptr && bytesize, CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST,
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__capture_unsafe());
    MOCK__TRY(mock__memory_alloc_host(context, bytesize, MOCK__MANAGED_MEMORY, flags, &memory));
    mock__made(&memory->made, "cuMemAllocManaged");
    *dptr = memory->address;
    return CUDA_SUCCESS;
}

static bool device_can_free(const struct mock__memory *memory)
{
    return memory && !memory->in_module && !memory->owned && !memory->being_freed &&
           (!memory->holds || memory->promised) &&
           (memory->kind == MOCK__DEVICE_MEMORY || memory->kind == MOCK__MANAGED_MEMORY);
}

/* Says what is wrong with freeing an address, and answers as the driver does. */
static CUresult cannot_free(CUdeviceptr address, const struct mock__memory *memory)
{
    const struct mock__freed *freed = mock__memory_freed(address);

    if (memory && memory->being_freed)
        mock__finding(CUSHIM_MOCK_DOUBLE_FREE, "%s is freed in a stream already",
                      mock__text_of_memory(memory).text);
    else if (!memory && freed && freed->address == address)
        mock__finding(CUSHIM_MOCK_DOUBLE_FREE, "%s", mock__text_of_freed(freed).text);
    return CUDA_ERROR_INVALID_VALUE;
}

static CUresult free_at(CUdeviceptr address)
{
    struct mock__memory *memory = mock__memory_at(address);

    if (!address)
        return CUDA_SUCCESS;
    if (!device_can_free(memory))
        return cannot_free(address, memory);
    MOCK__TRY(mock__context_usable(memory->context));
    MOCK__TRY(mock__capture_unsafe());
    /* Freeing waits for everything that may use the memory, in whatever stream. */
    mock__finish_all();
    memory = mock__memory_at(address);
    MOCK__REQUIRE(device_can_free(memory), CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__context_usable(memory->context));
    memory->promised = false;
    mock__access_waited(memory);
    mock__memory_free(memory);
    return CUDA_SUCCESS;
}

CUresult mock_cuMemFree_v2(CUdeviceptr dptr)
{
    struct mock__context *context = NULL;

    MOCK__ENTER();
    /* Needs no current context; but one that is current must not be a broken one. */
    if (mock__current_handle())
        MOCK__TRY(mock__context_current(&context));
    return free_at(dptr);
}

CUresult mock_cuMemGetAddressRange_v2(CUdeviceptr *pbase, size_t *psize, CUdeviceptr dptr)
{
    const struct mock__memory *memory;

    MOCK__ENTER_CONTEXT(context);
    memory = mock__memory_find(dptr);
    MOCK__REQUIRE(memory && !mock__memory_of_stranger(context, memory), CUDA_ERROR_NOT_FOUND);
    if (pbase)
        *pbase = memory->address;
    if (psize)
        *psize = memory->bytes;
    return CUDA_SUCCESS;
}

struct range_work {
    struct mock__work work;
    uint64_t address, id; /* not a pointer: the memory's context may go before */
};

/* The range that the work was submitted for, if it is still that. */
static struct mock__memory *range_of(const struct range_work *work)
{
    struct mock__memory *memory = mock__memory_at(work->address);

    return memory && memory->id == work->id ? memory : NULL;
}

static CUresult submit_range_work(const struct mock__work_type *type, struct mock__stream *stream,
                                  const struct mock__memory *memory)
{
    struct range_work *work = mock__work_new(type, sizeof(*work));

    MOCK__REQUIRE(work, CUDA_ERROR_OUT_OF_MEMORY);
    work->address = memory->address;
    work->id = memory->id;
    return mock__stream_submit(stream, work);
}

static void run_renew(struct mock__work *work)
{
    struct mock__memory *memory = range_of((const struct range_work *) work);

    if (memory)
        mock__access_renew(work, memory);
}

static const struct mock__work_type renew_type = {.name = "allocation", .run = run_renew};

/* A stream can get memory back at once that it has freed itself; otherwise the pool allocates. */
static CUresult take_from_pool(struct mock__stream *stream, struct mock__pool *pool, size_t bytes,
                               struct mock__memory **ret_memory)
{
    *ret_memory = mock__memory_reuse(pool, bytes, stream->id);
    if (!*ret_memory)
        return mock__memory_alloc_pool(stream->context, pool, bytes, ret_memory);
    if (submit_range_work(&renew_type, stream, *ret_memory) == CUDA_SUCCESS)
        return CUDA_SUCCESS;
    /* The caller does not get the memory, so nothing else would free it. */
    mock__memory_free(*ret_memory);
    return CUDA_ERROR_OUT_OF_MEMORY;
}

/* Without a pool, of the pool that the device has now, if any will do. */
static CUresult alloc_async(CUdeviceptr *dptr, size_t bytes, bool any, CUmemoryPool pool_handle,
                            CUstream hStream)
{
    struct mock__stream *stream = NULL;
    struct mock__memory *memory = NULL;
    struct mock__pool *pool;

    MOCK__ENTER_INHERITED();
    MOCK__REQUIRE(any || pool_handle, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__stream_find(hStream, &stream));
    pool =
        pool_handle ? mock__pool_find(pool_handle) : mock__pool_of(stream->context->device, false);
    MOCK__REQUIRE(dptr && pool && !pool->imported, CUDA_ERROR_INVALID_VALUE);
    if (!bytes) {
        *dptr = 0;
        return CUDA_SUCCESS;
    }
    MOCK__TRY(mock__capture_check(stream));
    /* Memory of a graph is for this process alone. */
    MOCK__REQUIRE(!stream->capture || !pool->handle_types, CUDA_ERROR_NOT_SUPPORTED);
    if (stream->capture)
        return mock__capture_alloc(stream, bytes, dptr);
    MOCK__TRY(mock__capture_unsafe());
    MOCK__REQUIRE(!mock__is_child(), CUDA_ERROR_OUT_OF_MEMORY);
    MOCK__TRY(take_from_pool(stream, pool, bytes, &memory));
    mock__made(&memory->made, pool_handle ? "cuMemAllocFromPoolAsync" : "cuMemAllocAsync");
    *dptr = memory->address;
    return CUDA_SUCCESS;
}

CUresult mock_cuMemAllocAsync(CUdeviceptr *dptr, size_t bytesize, CUstream hStream)
{
    return alloc_async(dptr, bytesize, true, NULL, hStream);
}

CUresult mock_cuMemAllocFromPoolAsync(CUdeviceptr *dptr, size_t bytesize, CUmemoryPool pool,
                                      CUstream hStream)
{
    return alloc_async(dptr, bytesize, false, pool, hStream);
}

static void run_nothing(struct mock__work *work)
{
    (void) work;
}

/* In a broken context, too: the memory is given back whatever became of the work before. */
static void finish_free(struct mock__work *work)
{
    struct mock__memory *memory = range_of((const struct range_work *) work);

    if (!work->queue || !memory || (!memory->being_freed && !memory->holds))
        return; /* it was not submitted, or there is nothing to free */
    if (work->status == CUDA_SUCCESS)
        mock__access_free(work, memory);
    mock__memory_free(memory);
}

static const struct mock__work_type free_type = {
    .name = "free", .run = run_nothing, .finish = finish_free};

/* Marked first: the work may be done by the time that it is submitted. */
static CUresult submit_free(struct mock__stream *stream, struct mock__memory *memory)
{
    /* Memory that a graph holds may be allocated again before this free is done. */
    memory->being_freed = !memory->holds;
    memory->promised = false;
    mock__memory_free_submitted(memory, stream->id);
    if (submit_range_work(&free_type, stream, memory) == CUDA_SUCCESS)
        return CUDA_SUCCESS;
    mock__memory_free_withdrawn(memory);
    memory->promised = memory->holds;
    return CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult mock_cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream)
{
    struct mock__memory *memory;
    struct mock__stream *stream = NULL;

    MOCK__ENTER_INHERITED();
    MOCK__TRY(mock__stream_find(hStream, &stream));
    memory = mock__memory_at(dptr);
    if (!dptr)
        return CUDA_SUCCESS;
    MOCK__TRY(mock__capture_check(stream));
    if (stream->capture)
        return mock__capture_free(stream, dptr);
    if (!device_can_free(memory))
        return cannot_free(dptr, memory);
    MOCK__REQUIRE(memory->kind == MOCK__DEVICE_MEMORY, CUDA_ERROR_NOT_SUPPORTED);
    MOCK__TRY(mock__context_usable(memory->context));
    MOCK__TRY(mock__capture_unsafe());
    return submit_free(stream, memory);
}
