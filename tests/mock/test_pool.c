/* SPDX-License-Identifier: MIT */
#include "watch.h"

#define BLOCK ((cuuint64_t) 32 << 20)

TestSuite(pool);

static CUmemPoolProps properties(int device)
{
    return (CUmemPoolProps){.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                            .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device}};
}

static CUmemoryPool create(void)
{
    const CUmemPoolProps props = properties(0);
    CUmemoryPool pool = NULL;

    OK(mock_cuMemPoolCreate(&pool, &props));
    return pool;
}

static cuuint64_t get(CUmemoryPool pool, CUmemPool_attribute attribute)
{
    cuuint64_t value = 0;

    OK(mock_cuMemPoolGetAttribute(pool, attribute, &value));
    return value;
}

static void set(CUmemoryPool pool, CUmemPool_attribute attribute, cuuint64_t value)
{
    OK(mock_cuMemPoolSetAttribute(pool, attribute, &value));
}

static CUdeviceptr take(CUmemoryPool pool, size_t bytes, CUstream stream)
{
    CUdeviceptr address = 0;

    OK(mock_cuMemAllocFromPoolAsync(&address, bytes, pool, stream));
    return address;
}

Test(pool, what_is_wrong_is_refused)
{
    CUmemPoolProps props = properties(0);
    CUmemoryPool pool = NULL;
    cuuint64_t one = 1;

    EXPECT(CUDA_ERROR_NOT_INITIALIZED, mock_cuMemPoolCreate(&pool, &props));
    start();
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemPoolCreate(NULL, &props));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemPoolCreate(&pool, NULL));
    props.location.id = 9;
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemPoolCreate(&pool, &props));
    props = properties(0);
    props.allocType = 0;
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemPoolCreate(&pool, &props));
    props = properties(0);
    props.handleTypes = CU_MEM_HANDLE_TYPE_WIN32;
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemPoolCreate(&pool, &props));
    props = properties(0);
    props.location.type = CU_MEM_LOCATION_TYPE_HOST;
    EXPECT(CUDA_ERROR_NOT_SUPPORTED, mock_cuMemPoolCreate(&pool, &props));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemPoolDestroy(GARBAGE));
    OK(mock_cuDeviceGetDefaultMemPool(&pool, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemPoolDestroy(pool));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &one));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &one));
}

Test(pool, memory_is_kept_as_the_threshold_says)
{
    CUmemoryPool pool;
    CUdeviceptr p, q;
    CUstream stream;
    size_t before = 0, after = 0;

    start();
    OK(mock_cuMemGetInfo_v2(&before, NULL));
    stream = a_stream();
    pool = create();
    p = take(pool, 1000, stream);
    cr_expect(eq(ulong, get(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), BLOCK));
    cr_expect(eq(ulong, get(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 1000));
    OK(mock_cuMemGetInfo_v2(&after, NULL));
    cr_expect(eq(sz, before - after, BLOCK));
    OK(mock_cuMemFreeAsync(p, stream));
    OK(mock_cuStreamSynchronize(stream));
    cr_expect(eq(ulong, get(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 0));
    cr_expect(eq(ulong, get(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH), BLOCK));

    set(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, UINT64_MAX);
    p = take(pool, 1000, stream);
    OK(mock_cuMemFreeAsync(p, stream));
    OK(mock_cuStreamSynchronize(stream));
    cr_expect(eq(ulong, get(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), BLOCK));
    cr_expect(eq(ulong, get(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 0));
    q = take(pool, 1000, stream);
    cr_expect(eq(ulong, q, p), "a pool uses its addresses again");
    OK(mock_cuMemFree_v2(q));
    OK(mock_cuMemPoolTrimTo(pool, 0));
    cr_expect(eq(ulong, get(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 0));
    set(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, 0);
    cr_expect(eq(ulong, get(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH), 0));
    OK(mock_cuMemGetInfo_v2(&after, NULL));
    cr_expect(eq(sz, after, before));
}

/* In its own stream memory can be had back before its free was done. */
Test(pool, a_stream_gets_back_what_it_frees)
{
    CUdeviceptr p = 0, q = 0, copy;
    CUstream stream;

    start_watched();
    stream = a_stream();
    copy = allocate(64);
    OK(mock_cuMemAllocAsync(&p, 64, stream));
    launch_fill(stream, p, 64);
    OK(mock_cuMemFreeAsync(p, stream));
    OK(mock_cuMemAllocAsync(&q, 64, stream));
    cr_expect(eq(ulong, q, p));
    launch_fill(stream, q, 64);
    launch_copy(stream, copy, q, 64);
    OK(mock_cuStreamSynchronize(stream));
    silent();
    /* A new allocation begins unwritten. */
    OK(mock_cuMemFreeAsync(q, stream));
    OK(mock_cuMemAllocAsync(&p, 64, stream));
    launch_copy(stream, copy, p, 64);
    OK(mock_cuStreamSynchronize(stream));
    found(CUSHIM_MOCK_UNINITIALISED_READ, "cuMemAllocAsync");
    OK(mock_cuMemFreeAsync(p, stream));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemFreeAsync(p, stream));
    found(CUSHIM_MOCK_DOUBLE_FREE, "cuMemAllocAsync");
}

/* What another stream still does with memory that is had back is not ordered with the free. */
Test(pool, an_unordered_use_is_found_though_the_address_is_used_again)
{
    CUdeviceptr p = 0, q = 0;
    CUstream one, two;

    start_watched();
    one = a_stream();
    two = a_stream();
    OK(mock_cuMemAllocAsync(&p, 64, one));
    OK(mock_cuStreamSynchronize(one));
    launch_fill(two, p, 64);
    OK(mock_cuMemFreeAsync(p, one));
    OK(mock_cuMemAllocAsync(&q, 64, one));
    OK(mock_cuCtxSynchronize());
    found(CUSHIM_MOCK_DATA_RACE, "kernel 'fill'");
}

Test(pool, another_stream_gets_other_memory)
{
    CUdeviceptr p = 0, q = 0;
    CUstream one;

    start();
    one = a_stream();
    OK(mock_cuMemAllocAsync(&p, 64, one));
    OK(mock_cuMemFreeAsync(p, one));
    OK(mock_cuMemAllocAsync(&q, 64, a_stream()));
    cr_expect(ne(ulong, q, p));
}

Test(pool, the_current_pool_is_the_one_that_was_set)
{
    CUmemoryPool pool, current = NULL, initial = NULL;
    CUdeviceptr p = 0;

    start();
    pool = create();
    OK(mock_cuDeviceGetMemPool(&initial, 0));
    OK(mock_cuDeviceSetMemPool(0, pool));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuDeviceSetMemPool(1, pool));
    OK(mock_cuDeviceGetMemPool(&current, 0));
    cr_expect(eq(ptr, current, pool));
    OK(mock_cuMemAllocAsync(&p, 64, NULL));
    OK(mock_cuPointerGetAttribute(&current, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, p));
    cr_expect(eq(ptr, current, pool));
    /* The pool, the allocation and the primary context. */
    cr_expect(eq(sz, cushim_mock_leaks(), 3));
    OK(mock_cuMemPoolDestroy(pool));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemPoolDestroy(pool));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemAllocFromPoolAsync(&p, 64, pool, NULL));
    OK(mock_cuDeviceGetMemPool(&current, 0));
    cr_expect(eq(ptr, current, initial));
    /* Its allocations live on. */
    OK(mock_cuMemsetD8_v2(p, 1, 64));
    OK(mock_cuMemFreeAsync(p, NULL));
    OK(mock_cuCtxSynchronize());
}

Test(pool, other_devices_have_access_when_it_was_given)
{
    CUmemAccessDesc access = {.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 1},
                              .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemAccess_flags flags = 9;
    CUmemoryPool pool;

    start();
    pool = create();
    OK(mock_cuMemPoolGetAccess(&flags, pool, &access.location));
    cr_expect(eq(int, (int) flags, CU_MEM_ACCESS_FLAGS_PROT_NONE));
    OK(mock_cuMemPoolSetAccess(pool, &access, 1));
    OK(mock_cuMemPoolGetAccess(&flags, pool, &access.location));
    cr_expect(eq(int, (int) flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READ;
    EXPECT(CUDA_ERROR_NOT_SUPPORTED, mock_cuMemPoolSetAccess(pool, &access, 1));
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    access.location.id = 0;
    EXPECT(CUDA_ERROR_INVALID_DEVICE, mock_cuMemPoolSetAccess(pool, &access, 1));
    access.location.id = 5;
    EXPECT(CUDA_ERROR_INVALID_DEVICE, mock_cuMemPoolSetAccess(pool, &access, 1));
}

Test(pool, what_is_kept_gives_way)
{
    size_t free_bytes = 0;
    CUmemoryPool pool;
    CUdeviceptr p = 0;

    start();
    pool = create();
    set(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, UINT64_MAX);
    p = take(pool, BLOCK, NULL);
    OK(mock_cuMemFree_v2(p));
    OK(mock_cuMemGetInfo_v2(&free_bytes, NULL));
    EXPECT(CUDA_ERROR_OUT_OF_MEMORY,
           mock_cuMemAllocFromPoolAsync(&p, free_bytes + 2 * BLOCK, pool, NULL));
    cr_expect(eq(ulong, get(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 0));
}

#if CUDA_VERSION >= 12030
Test(pool, a_pool_can_have_a_largest_size)
{
    CUmemPoolProps props = properties(0);
    CUmemoryPool pool = NULL;
    CUdeviceptr p = 0;

    props.maxSize = 2 * BLOCK;
    start();
    OK(mock_cuMemPoolCreate(&pool, &props));
    take(pool, BLOCK, NULL);
    take(pool, BLOCK, NULL);
    EXPECT(CUDA_ERROR_OUT_OF_MEMORY, mock_cuMemAllocFromPoolAsync(&p, 1, pool, NULL));
}
#endif

#if CUDA_VERSION >= 13000
Test(pool, by_place)
{
    CUmemLocation location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 1};
    CUmemoryPool pool = NULL, same = NULL;

    start();
    OK(mock_cuMemGetDefaultMemPool(&pool, &location, CU_MEM_ALLOCATION_TYPE_PINNED));
    OK(mock_cuDeviceGetDefaultMemPool(&same, 1));
    cr_expect(eq(ptr, pool, same));
    OK(mock_cuMemSetMemPool(&location, CU_MEM_ALLOCATION_TYPE_PINNED, pool));
    OK(mock_cuMemGetMemPool(&same, &location, CU_MEM_ALLOCATION_TYPE_PINNED));
    cr_expect(eq(ptr, pool, same));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemGetMemPool(&same, NULL, 1));
    location.type = CU_MEM_LOCATION_TYPE_HOST;
    EXPECT(CUDA_ERROR_NOT_SUPPORTED, mock_cuMemGetMemPool(&same, &location, 1));
}
#endif
