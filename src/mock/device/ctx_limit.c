/* SPDX-License-Identifier: MIT */
/* cuCtxGetLimit, cuCtxSetLimit */
#include "mock/base/state.h"
#include "mock/stream/capture.h"

/*
 * The numbers are written here, because a caller's toolkit may know more limits than the one of
 * this build.
 */
enum {
    STACK_SIZE = 0,
    PRINTF_FIFO_SIZE = 1,
    MALLOC_HEAP_SIZE = 2,
    SYNC_DEPTH = 3,
    PENDING_LAUNCHES = 4,
    L2_FETCH_GRANULARITY = 5,
    PERSISTING_L2_CACHE_SIZE = 6,
    SHARED_MEMORY_SIZE = 7,
    CIG_ENABLED = 8,
    CIG_SHARED_MEMORY_FALLBACK = 9,
};

#define LARGEST_STACK         ((size_t) 512 << 10)
#define LEAST_HEAP            ((size_t) 4 << 20) /* an H200 takes it for 0 (driver 580.159.04) */
#define LARGEST_FETCH         128u
#define LARGEST_PENDING_COUNT ((size_t) 1 << 24)

CUresult mock_cuCtxGetLimit(size_t *pvalue, CUlimit limit)
{
    MOCK__ENTER_CONTEXT(context);
    MOCK__REQUIRE(pvalue, CUDA_ERROR_INVALID_VALUE);
    switch ((int) limit) {
    case STACK_SIZE:
    case PRINTF_FIFO_SIZE:
    case MALLOC_HEAP_SIZE:
    case PENDING_LAUNCHES:
    case L2_FETCH_GRANULARITY:
    case PERSISTING_L2_CACHE_SIZE:
        *pvalue = context->limits[limit];
        return CUDA_SUCCESS;
    case SHARED_MEMORY_SIZE:
        *pvalue = (size_t) mock__attribute(context->device,
                                           CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
        return CUDA_SUCCESS;
    case CIG_ENABLED:
        *pvalue = 0;
        return CUDA_SUCCESS;
    case SYNC_DEPTH:
    case CIG_SHARED_MEMORY_FALLBACK:
        return CUDA_ERROR_UNSUPPORTED_LIMIT;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

static CUresult set_at_most(size_t *limit, size_t value, size_t largest)
{
    MOCK__REQUIRE(value <= largest, CUDA_ERROR_INVALID_VALUE);
    *limit = value;
    return CUDA_SUCCESS;
}

/* Sets a limit that is a hint: a value that is too large becomes the maximum. */
static CUresult set_clamped(size_t *limit, size_t value, size_t largest)
{
    *limit = value < largest ? value : largest;
    return CUDA_SUCCESS;
}

static CUresult set_limit(struct mock__context *context, int limit, size_t value)
{
    const struct mock__device *device = context->device;

    switch (limit) {
    case STACK_SIZE:
        return set_at_most(&context->limits[limit], value, LARGEST_STACK);
    case MALLOC_HEAP_SIZE:
        value = value > LEAST_HEAP ? value : LEAST_HEAP;
        return set_at_most(&context->limits[limit], value, device->profile->total_bytes);
    case PRINTF_FIFO_SIZE:
        return set_clamped(&context->limits[limit], value, device->profile->total_bytes);
    case PENDING_LAUNCHES:
        return set_at_most(&context->limits[limit], value, LARGEST_PENDING_COUNT);
    case L2_FETCH_GRANULARITY:
        return set_at_most(&context->limits[limit], value, LARGEST_FETCH);
    case PERSISTING_L2_CACHE_SIZE:
        return set_clamped(
            &context->limits[limit], value,
            (size_t) mock__attribute(device, CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE));
    case SHARED_MEMORY_SIZE:
    case CIG_ENABLED:
        return CUDA_ERROR_NOT_PERMITTED;
    case SYNC_DEPTH:
    case CIG_SHARED_MEMORY_FALLBACK:
        return CUDA_ERROR_UNSUPPORTED_LIMIT;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult mock_cuCtxSetLimit(CUlimit limit, size_t value)
{
    MOCK__ENTER_CONTEXT(context);
    MOCK__TRY(mock__capture_unsafe());
    return set_limit(context, (int) limit, value);
}
