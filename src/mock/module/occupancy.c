/* SPDX-License-Identifier: MIT */
/* cuOccupancy* */
#include "mock/module/occupancy.h"

#include "mock/base/green.h"
#include "mock/base/state.h"
#include "mock/module/module.h"
#include "mock/module/residency.h"

#define VALID_FLAGS 1u /* CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE */

static size_t limit(const struct mock__function *function, CUdevice_attribute attribute)
{
    return (size_t) mock__attribute(function->module->context->device, attribute);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static struct mock__residency_room room_of(const struct mock__function *function)
{
    return (struct mock__residency_room){
        .capability = mock__capability(function->module->context->device),
        .warp = limit(function, CU_DEVICE_ATTRIBUTE_WARP_SIZE),
        .threads = limit(function, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR),
        .blocks = limit(function, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR),
        .registers = limit(function, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR),
        .shared = limit(function, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR),
        .reserved_shared = limit(function, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK),
    };
}

static struct mock__residency_use use_of(const struct mock__function *function)
{
    const int *attributes = function->attributes;

    return (struct mock__residency_use){
        .registers = (size_t) attributes[CU_FUNC_ATTRIBUTE_NUM_REGS],
        .barriers = function->entry->barriers,
        .static_shared = (size_t) attributes[CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES],
        .most_dynamic = (size_t) attributes[CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES],
        .carveout = attributes[CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT],
        .cache = function->cache_config,
    };
}

static bool too_many_threads(const struct mock__function *function, size_t threads)
{
    return threads > (size_t) function->attributes[CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK];
}

/* A driver reads the dynamic shared memory as an int, and takes a negative one for none. */
static size_t dynamic_bytes(size_t bytes)
{
    const int read = (int) (unsigned) bytes;

    return read > 0 ? (size_t) read : 0;
}

static int at_most(const struct mock__function *function, size_t threads, size_t dynamic_shared)
{
    const struct mock__residency_room room = room_of(function);
    struct mock__residency_use use = use_of(function);

    use.registers = use.barriers = 0;
    use.carveout = -1;
    use.cache = 0;
    return (int) mock__residency_blocks(&room, &use, threads, dynamic_bytes(dynamic_shared));
}

int mock__occupancy_at_most(const struct mock__function *function, size_t threads,
                            size_t dynamic_shared)
{
    return too_many_threads(function, threads) ? 0 : at_most(function, threads, dynamic_shared);
}

int mock__occupancy_of_device(const struct mock__function *function, size_t threads,
                              size_t dynamic_shared)
{
    return threads > limit(function, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
               ? 0
               : at_most(function, threads, dynamic_shared);
}

int mock__occupancy(const struct mock__function *function, size_t threads, size_t dynamic_shared)
{
    const struct mock__residency_room room = room_of(function);
    const struct mock__residency_use use = use_of(function);
    const size_t blocks =
        mock__residency_blocks(&room, &use, threads, dynamic_bytes(dynamic_shared));

    if (too_many_threads(function, threads))
        return 0;
    return blocks ? (int) blocks : at_most(function, threads, dynamic_shared) > 0;
}

static CUresult active_blocks(int *numBlocks, CUfunction func, int blockSize,
                              size_t dynamicSMemSize, unsigned flags)
{
    struct mock__function *function = NULL;

    MOCK__ENTER_CONTEXT(context);
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
        return dynamic_bytes(shared.fixed);
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
    struct mock__residency_room room;
    struct mock__residency_use use;
    size_t most = 0, best = 0, largest;

    MOCK__ENTER_CONTEXT(context);
    MOCK__TRY(mock__function_find(func, &function));
    MOCK__REQUIRE(minGridSize && blockSize && blockSizeLimit >= 0 && !(flags & ~VALID_FLAGS),
                  CUDA_ERROR_INVALID_VALUE);
    room = room_of(function);
    use = use_of(function);
    largest = (size_t) function->attributes[CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK];
    if (blockSizeLimit)
        largest = least(largest, (size_t) blockSizeLimit);
    for (size_t warps = (largest + room.warp - 1) / room.warp; warps; warps--) {
        const size_t size = least(warps * room.warp, largest);
        const size_t blocks = mock__residency_blocks(&room, &use, size, shared_for(shared, size));

        if (blocks * size > most) {
            most = blocks * size;
            best = size;
        }
    }
    *blockSize = (int) best;
    *minGridSize = best ? (int) (most / best *
                                 mock__multiprocessors(mock__green_share(mock__green_current()),
                                                       function->module->context->device))
                        : 0;
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
    struct mock__residency_room room;
    struct mock__residency_use use;

    MOCK__ENTER_CONTEXT(context);
    MOCK__TRY(mock__function_find(func, &function));
    MOCK__REQUIRE(dynamicSmemSize && numBlocks > 0 && blockSize > 0 &&
                      !too_many_threads(function, (size_t) blockSize),
                  CUDA_ERROR_INVALID_VALUE);
    room = room_of(function);
    use = use_of(function);
    MOCK__REQUIRE(mock__residency_dynamic(&room, &use, (size_t) blockSize, (size_t) numBlocks,
                                          dynamicSmemSize),
                  CUDA_ERROR_INVALID_VALUE);
    return CUDA_SUCCESS;
}
