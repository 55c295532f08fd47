/* SPDX-License-Identifier: MIT */
/*
 * cuMemPrefetch*, cuMemDiscard*: managed memory is in one place here, so nothing moves. The
 * arguments are remembered for cuMemRangeGetAttribute().
 */
#include "mock/allocation/mem_advise.h"
#include "mock/allocation/memory.h"
#include "mock/base/context.h"
#include "mock/base/state.h"
#include "mock/stream/capture.h"
#include "mock/stream/stream.h"

static CUresult prefetch(CUdeviceptr address, size_t bytes, struct mock__place place,
                         CUstream hStream)
{
    struct mock__stream *stream = NULL;
    struct mock__managed_range managed;

    MOCK__ENTER();
    MOCK__TRY(mock__stream_find(hStream, &stream));
    MOCK__TRY(mock__managed_find(address, bytes, &managed));
    MOCK__TRY(mock__place_check(place));
    MOCK__TRY(mock__capture_refuse(stream));
    return mock__advice_prefetched(&managed, place);
}

CUresult mock_cuMemPrefetchAsync(CUdeviceptr devPtr, size_t count, CUdevice dstDevice,
                                 CUstream hStream)
{
    return prefetch(devPtr, count, mock__place_of(dstDevice), hStream);
}

#if CUDA_VERSION >= 12020
CUresult mock_cuMemPrefetchAsync_v2(CUdeviceptr devPtr, size_t count, CUmemLocation location,
                                    unsigned int flags, CUstream hStream)
{
    MOCK__REQUIRE(!flags, CUDA_ERROR_INVALID_VALUE);
    return prefetch(devPtr, count, (struct mock__place){(int) location.type, location.id}, hStream);
}

#endif

#if CUDA_VERSION >= 13000

struct batch {
    const CUdeviceptr *addresses;
    const size_t *sizes;
    size_t count;
    const CUmemLocation *places; /* NULL: nothing is prefetched */
    const size_t *firsts;        /* the first range that each place is for */
    size_t n_places;
};

/* Checks the list of places: firsts begins with 0, rises strictly, and stays below count. */
static bool places_cover(const struct batch *batch)
{
    if (!batch->places || !batch->firsts || !batch->n_places || batch->n_places > batch->count ||
        batch->firsts[0])
        return false;
    for (size_t i = 1; i < batch->n_places; i++)
        if (batch->firsts[i] <= batch->firsts[i - 1] || batch->firsts[i] >= batch->count)
            return false;
    return true;
}

static CUresult enter_batch(const struct batch *batch, unsigned long long flags, CUstream hStream)
{
    struct mock__stream *stream = NULL;
    struct mock__managed_range managed;

    MOCK__REQUIRE(batch->addresses && batch->sizes && batch->count && !flags &&
                      !mock__stream_is_legacy(hStream),
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__stream_find(hStream, &stream));
    for (size_t i = 0; i < batch->count; i++)
        MOCK__TRY(mock__managed_find(batch->addresses[i], batch->sizes[i], &managed));
    return mock__capture_refuse(stream);
}

static CUresult discard(const struct batch *batch, unsigned long long flags, CUstream hStream)
{
    MOCK__ENTER_EARLY();
    return enter_batch(batch, flags, hStream);
}

static CUresult prefetch_batch(const struct batch *batch, unsigned long long flags,
                               CUstream hStream)
{
    struct mock__managed_range managed;
    size_t place = 0;

    MOCK__ENTER_EARLY();
    MOCK__TRY(enter_batch(batch, flags, hStream));
    MOCK__TRY(mock__initialised());
    MOCK__REQUIRE(places_cover(batch), CUDA_ERROR_INVALID_VALUE);
    for (size_t i = 0; i < batch->n_places; i++)
        MOCK__REQUIRE(mock__place_check((struct mock__place){(int) batch->places[i].type,
                                                             batch->places[i].id}) == CUDA_SUCCESS,
                      CUDA_ERROR_INVALID_VALUE);
    for (size_t i = 0; i < batch->count; i++) {
        while (place + 1 < batch->n_places && batch->firsts[place + 1] <= i)
            place++;
        MOCK__TRY(mock__managed_find(batch->addresses[i], batch->sizes[i], &managed));
        MOCK__TRY(
            mock__advice_prefetched(&managed, (struct mock__place){(int) batch->places[place].type,
                                                                   batch->places[place].id}));
    }
    return CUDA_SUCCESS;
}

CUresult mock_cuMemPrefetchBatchAsync(CUdeviceptr *dptrs, size_t *sizes, size_t count,
                                      CUmemLocation *prefetchLocs, size_t *prefetchLocIdxs,
                                      size_t numPrefetchLocs, unsigned long long flags,
                                      CUstream hStream)
{
    return prefetch_batch(
        &(struct batch){dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs}, flags,
        hStream);
}

CUresult mock_cuMemDiscardBatchAsync(CUdeviceptr *dptrs, size_t *sizes, size_t count,
                                     unsigned long long flags, CUstream hStream)
{
    return discard(&(struct batch){.addresses = dptrs, .sizes = sizes, .count = count}, flags,
                   hStream);
}

CUresult mock_cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr *dptrs, size_t *sizes, size_t count,
                                                CUmemLocation *prefetchLocs,
                                                size_t *prefetchLocIdxs, size_t numPrefetchLocs,
                                                unsigned long long flags, CUstream hStream)
{
    return mock_cuMemPrefetchBatchAsync(dptrs, sizes, count, prefetchLocs, prefetchLocIdxs,
                                        numPrefetchLocs, flags, hStream);
}

#endif
