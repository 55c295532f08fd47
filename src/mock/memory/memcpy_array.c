/* SPDX-License-Identifier: MIT */
/* cuMemcpyAtoD and similar functions: copies of contiguous bytes to and from arrays. */
#include "mock/allocation/array.h"
#include "mock/base/state.h"
#include "mock/memory/copy.h"
#include "mock/stream/stream.h"

static bool inside(size_t at, size_t length, size_t all)
{
    return at <= all && length <= all - at;
}

CUresult mock__array_end(CUarray handle, const struct mock__copy *copy, struct mock__end *end)
{
    const struct mock__array *array = mock__object_find(MOCK__ARRAY, handle);

    MOCK__REQUIRE(array, CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(inside(end->x, copy->width, array->pitch) &&
                      inside(end->y, copy->height, array->rows) &&
                      inside(end->z, copy->depth, array->slices),
                  CUDA_ERROR_INVALID_VALUE);
    end->side = MOCK__DEVICE_SIDE;
    end->array = handle;
    end->address = array->address;
    end->pitch = array->pitch;
    end->height = array->rows;
    return CUDA_SUCCESS;
}

/* One end: an array if that is not NULL, or an address of the given side. */
struct place {
    CUarray array;
    bool in_array;
    enum mock__side side;
    uint64_t at; /* the address, or the offset in the array */
};

static struct place in_array(CUarray array, size_t offset)
{
    return (struct place){.array = array, .in_array = true, .at = offset};
}

static struct place in_device(CUdeviceptr address)
{
    return (struct place){.side = MOCK__DEVICE_SIDE, .at = address};
}

static struct place in_host(const void *host)
{
    return (struct place){.side = MOCK__HOST_SIDE, .at = (uintptr_t) host};
}

/* These functions know arrays of one dimension alone; a box inside has a single row. */
static CUresult resolve(const struct place *place, const struct mock__copy *copy,
                        struct mock__end *end)
{
    if (!place->in_array) {
        *end = (struct mock__end){.side = place->side, .address = place->at};
        return CUDA_SUCCESS;
    }
    *end = (struct mock__end){.x = place->at};
    return mock__array_end(place->array, copy, end);
}

static CUresult copy_in(CUstream hStream, bool async, struct place dst, struct place src,
                        size_t bytes)
{
    struct mock__copy copy = {.width = bytes, .height = 1, .depth = 1};
    struct mock__stream *stream = NULL;

    MOCK__ENTER();
    MOCK__TRY(mock__stream_find(hStream, &stream));
    MOCK__TRY(resolve(&dst, &copy, &copy.dst));
    MOCK__TRY(resolve(&src, &copy, &copy.src));
    return mock__copy(stream, async, &copy);
}

CUresult mock_cuMemcpyDtoA_v2(CUarray dstArray, size_t dstOffset, CUdeviceptr srcDevice,
                              size_t ByteCount)
{
    return copy_in(MOCK__DEFAULT_STREAM, false, in_array(dstArray, dstOffset), in_device(srcDevice),
                   ByteCount);
}

CUresult mock_cuMemcpyAtoD_v2(CUdeviceptr dstDevice, CUarray srcArray, size_t srcOffset,
                              size_t ByteCount)
{
    return copy_in(MOCK__DEFAULT_STREAM, false, in_device(dstDevice), in_array(srcArray, srcOffset),
                   ByteCount);
}

CUresult mock_cuMemcpyHtoA_v2(CUarray dstArray, size_t dstOffset, const void *srcHost,
                              size_t ByteCount)
{
    return copy_in(MOCK__DEFAULT_STREAM, false, in_array(dstArray, dstOffset), in_host(srcHost),
                   ByteCount);
}

CUresult mock_cuMemcpyAtoH_v2(void *dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount)
{
    return copy_in(MOCK__DEFAULT_STREAM, false, in_host(dstHost), in_array(srcArray, srcOffset),
                   ByteCount);
}

CUresult mock_cuMemcpyAtoA_v2(CUarray dstArray, size_t dstOffset, CUarray srcArray,
                              size_t srcOffset, size_t ByteCount)
{
    return copy_in(MOCK__DEFAULT_STREAM, false, in_array(dstArray, dstOffset),
                   in_array(srcArray, srcOffset), ByteCount);
}

CUresult mock_cuMemcpyHtoAAsync_v2(CUarray dstArray, size_t dstOffset, const void *srcHost,
                                   size_t ByteCount, CUstream hStream)
{
    return copy_in(hStream, true, in_array(dstArray, dstOffset), in_host(srcHost), ByteCount);
}

CUresult mock_cuMemcpyAtoHAsync_v2(void *dstHost, CUarray srcArray, size_t srcOffset,
                                   size_t ByteCount, CUstream hStream)
{
    return copy_in(hStream, true, in_host(dstHost), in_array(srcArray, srcOffset), ByteCount);
}
