/* SPDX-License-Identifier: MIT */
/* cuOccupancy* */
#include "mock/module/occupancy.h"

#include "mock/base/state.h"
#include "mock/module/module.h"

#define VALID_FLAGS 1u /* CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE */

static size_t limit(const struct mock__function *function, CUdevice_attribute attribute)
{
    return (size_t) mock__attribute(function->module->context->device, attribute);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/*
 * Returns the shared memory of a block. From compute capability 8.0 on, the system reserves a part
 * of it.
 */
static size_t shared_of_block(const struct mock__function *function, size_t dynamic_shared)
{
    return (size_t) function->attributes[CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES] + dynamic_shared +
           limit(function, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
}

int mock__occupancy(const struct mock__function *function, size_t threads, size_t dynamic_shared)
{
    const size_t warp = limit(function, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
    const size_t taken = (threads + warp - 1) / warp * warp;
    const size_t shared = shared_of_block(function, dynamic_shared);
    size_t blocks = limit(function, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);

    if (!threads ||
        threads > (size_t) function->attributes[CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK] ||
        dynamic_shared >
            (size_t) function->attributes[CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES])
        return 0;
    blocks =
        least(blocks, limit(function, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR) / taken);
    if (shared)
        blocks = least(blocks,
                       limit(function, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR) /
                           shared);
    return (int) blocks;
}

static CUresult active_blocks(int *numBlocks, CUfunction func, int blockSize,
                              size_t dynamicSMemSize, unsigned flags)
{
    struct mock__function *function = NULL;

    MOCK__ENTER();
    MOCK__TRY(mock__function_find(func, &function));
    MOCK__REQUIRE(numBlocks && blockSize > 0 && !(flags & ~VALID_FLAGS), CUDA_ERROR_INVALID_VALUE);
    *numBlocks = mock__occupancy(function, (size_t) blockSize, dynamicSMemSize);
    return CUDA_SUCCESS;
}

CUresult mock_cuOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, CUfunction func,
                                                          int blockSize, size_t dynamicSMemSize)
{
    return active_blocks(numBlocks, func, blockSize, dynamicSMemSize, 0);
}

CUresult mock_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, CUfunction func,
                                                                   int blockSize,
                                                                   size_t dynamicSMemSize,
                                                                   unsigned int flags)
{
    return active_blocks(numBlocks, func, blockSize, dynamicSMemSize, flags);
}

/* The dynamic shared memory of a block: the program's function tells it, or it is fixed. */
struct dynamic_shared {
    CUoccupancyB2DSize of_threads; /* or NULL */
    size_t fixed;
};

/*
 * Returns the shared memory of a block of so many threads. The program's function must not call the
 * driver.
 */
static size_t shared_for(struct dynamic_shared shared, size_t threads)
{
    size_t bytes;

    if (!shared.of_threads)
        return shared.fixed;
    mock__callback_begin();
    bytes = shared.of_threads((int) threads);
    mock__callback_end();
    return bytes;
}

/*
 * Finds the block size with the most resident threads, and the largest of several; it is a multiple
 * of a warp.
 */
static CUresult best_block(int *minGridSize, int *blockSize, CUfunction func,
                           struct dynamic_shared shared, int blockSizeLimit, unsigned flags)
{
    struct mock__function *function = NULL;
    size_t warp, most = 0, best = 0, largest;

    MOCK__ENTER();
    MOCK__TRY(mock__function_find(func, &function));
    MOCK__REQUIRE(minGridSize && blockSize && blockSizeLimit >= 0 && !(flags & ~VALID_FLAGS),
                  CUDA_ERROR_INVALID_VALUE);
    warp = limit(function, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
    largest = (size_t) function->attributes[CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK];
    if (blockSizeLimit)
        largest = least(largest, (size_t) blockSizeLimit);
    for (size_t threads = (largest + warp - 1) / warp * warp; threads; threads -= warp) {
        const size_t size = least(threads, largest);
        const size_t blocks = (size_t) mock__occupancy(function, size, shared_for(shared, size));

        if (blocks * size > most) {
            most = blocks * size;
            best = size;
        }
    }
    *blockSize = (int) best;
    *minGridSize =
        best ? (int) (most / best * limit(function, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)) : 0;
    return CUDA_SUCCESS;
}

CUresult mock_cuOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize, CUfunction func,
                                               CUoccupancyB2DSize blockSizeToDynamicSMemSize,
                                               size_t dynamicSMemSize, int blockSizeLimit)
{
    return best_block(minGridSize, blockSize, func,
                      (struct dynamic_shared){blockSizeToDynamicSMemSize, dynamicSMemSize},
                      blockSizeLimit, 0);
}

CUresult
mock_cuOccupancyMaxPotentialBlockSizeWithFlags(int *minGridSize, int *blockSize, CUfunction func,
                                               CUoccupancyB2DSize blockSizeToDynamicSMemSize,
                                               size_t dynamicSMemSize, int blockSizeLimit,
                                               unsigned int flags)
{
    return best_block(minGridSize, blockSize, func,
                      (struct dynamic_shared){blockSizeToDynamicSMemSize, dynamicSMemSize},
                      blockSizeLimit, flags);
}

CUresult mock_cuOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, CUfunction func,
                                                      int numBlocks, int blockSize)
{
    struct mock__function *function = NULL;
    size_t share, taken;

    MOCK__ENTER();
    MOCK__TRY(mock__function_find(func, &function));
    MOCK__REQUIRE(dynamicSmemSize && numBlocks > 0 && blockSize > 0, CUDA_ERROR_INVALID_VALUE);
    share = limit(function, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR) /
            (size_t) numBlocks;
    taken = shared_of_block(function, 0);
    *dynamicSmemSize =
        least(share > taken ? share - taken : 0,
              (size_t) function->attributes[CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES]);
    return CUDA_SUCCESS;
}
