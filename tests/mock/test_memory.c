/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <string.h>

#include "support.h"

TestSuite(memory);

Test(memory, alloc_and_free)
{
    CUdeviceptr p = 0, base = 0;
    size_t bytes = 0;

    start();
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemAlloc_v2(&p, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemAlloc_v2(NULL, 16));
    EXPECT(CUDA_ERROR_OUT_OF_MEMORY, mock_cuMemAlloc_v2(&p, (size_t) 1 << 46));
    EXPECT(CUDA_ERROR_OUT_OF_MEMORY, mock_cuMemAlloc_v2(&p, SIZE_MAX));
    p = allocate(4096);
    cr_expect(eq(ulong, p % 512, 0));
    OK(mock_cuMemGetAddressRange_v2(&base, &bytes, p + 100));
    cr_expect(eq(ulong, base, p));
    cr_expect(eq(sz, bytes, 4096));
    EXPECT(CUDA_ERROR_NOT_FOUND, mock_cuMemGetAddressRange_v2(&base, &bytes, p + 4096));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemFree_v2(p + 16));
    OK(mock_cuMemFree_v2(p));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemFree_v2(p));
    OK(mock_cuMemFree_v2(0));
}

Test(memory, freed_addresses_rest)
{
    CUdeviceptr a, b;

    start();
    a = allocate(4096);
    OK(mock_cuMemFree_v2(a));
    b = allocate(4096);
    cr_expect(ne(ulong, a, b), "an address was used again at once");
}

Test(memory, the_device_fills_up)
{
    CUdeviceptr p = 0;
    size_t free_before = 0, total = 0, free_after = 0;

    start();
    OK(mock_cuMemGetInfo_v2(&free_before, &total));
    cr_expect(lt(sz, free_before, total), "a context takes room");
    if (mock_cuMemAlloc_v2(&p, free_before - 512) == CUDA_ERROR_OUT_OF_MEMORY)
        cr_skip_test("this process cannot reserve as much address space as a device has memory");
    EXPECT(CUDA_ERROR_OUT_OF_MEMORY, mock_cuMemAlloc_v2(&(CUdeviceptr){0}, 1 << 20));
    OK(mock_cuMemFree_v2(p));
    OK(mock_cuMemGetInfo_v2(&free_after, NULL));
    cr_expect(eq(sz, free_after, free_before));
}

/* Sizes and order from a fixed sequence; every allocation keeps its own bytes. */
Test(memory, many_allocations_do_not_overlap)
{
    enum { COUNT = 500, ROUNDS = 4000 };
    static CUdeviceptr address[COUNT];
    static size_t bytes[COUNT];
    unsigned random = 12345;

    start();
    for (unsigned round = 0; round < ROUNDS; round++) {
        const unsigned i = (random = random * 1664525 + 1013904223) >> 8 & 0xffff;
        const unsigned slot = i % COUNT;
        unsigned char first = 0, last = 0;

        if (address[slot]) {
            OK(mock_cuMemcpyDtoH_v2(&first, address[slot], 1));
            OK(mock_cuMemcpyDtoH_v2(&last, address[slot] + bytes[slot] - 1, 1));
            cr_assert(eq(u8, first, slot & 0xff), "slot %u in round %u", slot, round);
            cr_assert(eq(u8, last, slot & 0xff), "slot %u in round %u", slot, round);
            OK(mock_cuMemFree_v2(address[slot]));
        }
        bytes[slot] = 1 + (size_t) i * i % 500000;
        address[slot] = allocate(bytes[slot]);
        OK(mock_cuMemsetD8_v2(address[slot], (unsigned char) slot, bytes[slot]));
    }
}

/* An H200 was asked. Taichi takes a buffer that it fills to the last byte from a page's begin on. */
Test(memory, what_is_larger_than_half_a_page_begins_one)
{
    static const size_t sizes[] = {(1 << 20) + 1, 3 << 19, 2 << 20, (2 << 20) + 1, 80 << 20};
    CUdeviceptr small, large[2];

    start();
    OK(mock_cuMemAlloc_v2(&small, 8));
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        for (size_t j = 0; j < 2; j++) {
            OK(mock_cuMemAlloc_v2(&large[j], sizes[i]));
            cr_expect(eq(u64, large[j] % (2 << 20), 0), "%zu bytes", sizes[i]);
            OK(mock_cuMemsetD8_v2(large[j], 1, sizes[i]));
            OK(mock_cuMemAlloc_v2(&small, 8));
        }
    }
    OK(mock_cuMemAlloc_v2(&small, 1 << 20));
    OK(mock_cuMemAllocAsync(&large[0], 3 << 20, NULL));
    OK(mock_cuMemAllocAsync(&large[1], 3 << 20, NULL));
    cr_expect(ne(u64, large[1] % (2 << 20), 0), "in a pool, they do not");
}

Test(memory, the_host_cannot_touch_it, .signal = SIGSEGV)
{
    start();
    *(volatile char *) (uintptr_t) allocate(16) = 1;
}

Test(memory, pitch)
{
    CUdeviceptr p = 0;
    size_t pitch = 0;

    start();
    OK(mock_cuMemAllocPitch_v2(&p, &pitch, 100, 10, 4));
    cr_expect(eq(sz, pitch, 512));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemAllocPitch_v2(&p, &pitch, 100, 10, 3));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemAllocPitch_v2(&p, &pitch, 0, 10, 4));
}

Test(memory, copies_stay_inside)
{
    char buffer[64], back[64] = "";
    CUdeviceptr p;

    start();
    p = allocate(64);
    memset(buffer, 5, sizeof(buffer));
    OK(mock_cuMemcpyHtoD_v2(p, buffer, 64));
    OK(mock_cuMemcpyDtoH_v2(back, p, 64));
    cr_expect(eq(int, memcmp(buffer, back, 64), 0));
    OK(mock_cuMemcpyHtoD_v2(0, NULL, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpyHtoD_v2(p, NULL, 16));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpyHtoD_v2(0, buffer, 16));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpyHtoD_v2(0x1000, buffer, 16));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpyHtoD_v2(p + 60, buffer, 5));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpyDtoH_v2(buffer, (uintptr_t) back, 8));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpyDtoD_v2(p, p + 1, 64));
    OK(mock_cuMemcpyDtoD_v2(p + 8, p, 56));
    OK(mock_cuMemcpy(p, (uintptr_t) buffer, 64));
    OK(mock_cuMemFree_v2(p));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpyHtoD_v2(p, buffer, 1));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpy((uintptr_t) buffer, p, 1));
}

Test(memory, variants_differ_in_stream_0_alone)
{
    int value = 7, back = 0;
    CUdeviceptr p;

    start();
    p = allocate(4);
    OK(mock_cuMemcpyHtoD_v2_ptds(p, &value, 4));
    OK(mock_cuMemcpyDtoHAsync_v2_ptsz(&back, p, 4, NULL));
    cr_expect(eq(int, back, 7));
    OK(mock_cuMemsetD32Async_ptsz(p, 9, 1, CU_STREAM_LEGACY));
    OK(mock_cuMemcpyDtoHAsync_v2(&back, p, 4, CU_STREAM_PER_THREAD));
    cr_expect(eq(int, back, 9));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuMemcpyDtoHAsync_v2(&back, p, 4, GARBAGE));
}

Test(memory, copies_of_two_dimensions)
{
    unsigned char from[32], to[64];
    CUdeviceptr p;
    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = from,
                          .srcPitch = 8,
                          .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                          .dstPitch = 16,
                          .WidthInBytes = 8,
                          .Height = 4};

    start();
    p = copy.dstDevice = allocate(64);
    for (unsigned char i = 0; i < 32; i++)
        from[i] = i;
    OK(mock_cuMemsetD8_v2(p, 0xff, 64));
    OK(mock_cuMemcpy2D_v2(&copy));
    OK(mock_cuMemcpyDtoH_v2(to, p, 64));
    cr_expect(eq(u8, to[7], 7));
    cr_expect(eq(u8, to[8], 0xff));
    cr_expect(eq(u8, to[16], 8));
    cr_expect(eq(u8, to[48 + 7], 31));
    copy.Height = 5;
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpy2D_v2(&copy));
    copy.Height = 4;
    copy.WidthInBytes = 9;
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpy2D_v2(&copy));
    copy.WidthInBytes = 8;
    copy.dstY = SIZE_MAX / 16 + 2; /* the offset wraps */
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpy2D_v2(&copy));
    copy.dstY = 0;
    copy.srcMemoryType = (CUmemorytype) 77;
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpy2D_v2(&copy));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpy2D_v2(NULL));
}

Test(memory, copies_of_three_dimensions)
{
    unsigned char from[2 * 3 * 4], to[24] = {0};
    CUdeviceptr p;
    CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                          .srcPitch = 4,
                          .srcHeight = 3,
                          .srcXInBytes = 1,
                          .srcY = 1,
                          .srcZ = 0,
                          .dstMemoryType = CU_MEMORYTYPE_HOST,
                          .dstHost = to,
                          .dstPitch = 2,
                          .dstHeight = 2,
                          .WidthInBytes = 2,
                          .Height = 2,
                          .Depth = 2};

    start();
    p = copy.srcDevice = allocate(sizeof(from));
    for (unsigned char i = 0; i < sizeof(from); i++)
        from[i] = i;
    OK(mock_cuMemcpyHtoD_v2(p, from, sizeof(from)));
    OK(mock_cuMemcpy3D_v2(&copy));
    cr_expect(eq(u8, to[0], 1 * 4 + 1));
    cr_expect(eq(u8, to[3], 2 * 4 + 2));
    cr_expect(eq(u8, to[4], (3 + 1) * 4 + 1));
    copy.srcZ = 1;
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpy3D_v2(&copy));
}

Test(memory, fills)
{
    unsigned words[4] = {0};
    unsigned char bytes[64];
    CUdeviceptr p;

    start();
    p = allocate(64);
    OK(mock_cuMemsetD32_v2(p, 0x01020304, 4));
    OK(mock_cuMemsetD16_v2(p + 4, 0xabcd, 1));
    OK(mock_cuMemcpyDtoH_v2(words, p, 16));
    cr_expect(eq(u32, words[0], 0x01020304));
    cr_expect(eq(u32, words[1], 0x0102abcd));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemsetD16_v2(p + 1, 1, 4));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemsetD32_v2(p + 2, 1, 4));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemsetD8_v2(p, 1, 65));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemsetD32_v2(p, 1, SIZE_MAX / 8));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemsetD8Async(p, 1, 65, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemsetD16Async(p, 1, 33, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemsetD32Async(p, 1, 17, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemsetD2D16_v2(p, 64, 1, 33, 1));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemsetD2D32_v2(p, 64, 1, 17, 1));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemsetD2D8Async(p, 64, 1, 65, 1, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemsetD2D16Async(p, 64, 1, 33, 1, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemsetD2D32Async(p, 64, 1, 17, 1, NULL));
    OK(mock_cuMemsetD8_v2(p, 5, 64));
    OK(mock_cuMemsetD2D8_v2(p, 16, 9, 4, 4));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemsetD2D8_v2(p, 3, 9, 4, 4));
    OK(mock_cuMemcpyDtoH_v2(bytes, p, 64));
    cr_expect(eq(u8, bytes[3], 9));
    cr_expect(eq(u8, bytes[4], 5));
    cr_expect(eq(u8, bytes[48], 9));
}

/* A driver computes modulo 2^64, and looks at the last byte alone. */
Test(memory, numbers_that_wrap_around)
{
    const uint64_t half = 1ull << 63;
    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                          .WidthInBytes = 4,
                          .Height = 3};
    unsigned char from[16], back[16];
    CUdeviceptr p;

    start();
    p = allocate(64);
    for (unsigned i = 0; i < sizeof(from); i++)
        from[i] = (unsigned char) i;
    OK(mock_cuMemsetD8_v2(p, 99, 64));
    copy.dstDevice = p + 8;
    copy.dstPitch = SIZE_MAX; /* each row a byte before the last */
    copy.srcHost = from;
    OK(mock_cuMemcpy2D_v2(&copy));
    OK(mock_cuMemcpyDtoH_v2(back, p, 16));
    cr_expect(eq(u8, back[5], 99));
    cr_expect(eq(u8, back[6], 8));
    cr_expect(eq(u8, back[9], 11));
    cr_expect(eq(u8, back[10], 7));
    cr_expect(eq(u8, back[11], 3));
    cr_expect(eq(u8, back[12], 99));
    copy.dstDevice = p + 24;
    copy.dstPitch = 0 - (size_t) 8; /* backwards */
    OK(mock_cuMemcpy2D_v2(&copy));
    copy.dstDevice = p + 8;
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpy2D_v2(&copy));
    OK(mock_cuMemcpyDtoH_v2(back, p + 8, 16));
    cr_expect(eq(u8, back[0], 8));
    cr_expect(eq(u8, back[8], 4));
    copy.dstPitch = 4;
    copy.dstY = half; /* is a step of zero bytes */
    OK(mock_cuMemcpy2D_v2(&copy));
    OK(mock_cuMemsetD2D8_v2(p + 2, SIZE_MAX, 7, 1, 2));
    OK(mock_cuMemcpyDtoH_v2(back, p, 16));
    cr_expect(eq(u8, back[12], 4));
    cr_expect(eq(u8, back[0], 99));
    cr_expect(eq(u8, back[1], 7));
    cr_expect(eq(u8, back[2], 7));
    cr_expect(eq(u8, back[3], 99));
    EXPECT(CUDA_SUCCESS, mock_cuMemsetD16_v2(p, 1, half)); /* no bytes */
    copy.dstY = SIZE_MAX;
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpy2D_v2(&copy));
    EXPECT(CUDA_SUCCESS, mock_cuMemsetD8_v2(p, 1, SIZE_MAX));
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, mock_cuCtxSynchronize());
}

Test(memory, managed_memory_is_both)
{
    CUdeviceptr p = 0;

    start();
    OK(mock_cuMemAllocManaged(&p, 4096, CU_MEM_ATTACH_GLOBAL));
    OK(mock_cuMemsetD8_v2(p, 6, 4096));
    cr_expect(eq(chr, *(char *) (uintptr_t) p, 6));
    OK(mock_cuMemFree_v2(p));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemAllocManaged(&p, 4096, 0));
}

Test(memory, stream_ordered)
{
    CUdeviceptr p = 1;
    CUmemoryPool pool = NULL;
    cuuint64_t used = 9;
    CUstream stream = NULL;

    start();
    OK(mock_cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(mock_cuMemAllocAsync(&p, 0, stream));
    cr_expect(eq(ulong, p, 0));
    OK(mock_cuMemAllocAsync(&p, 100, stream));
    OK(mock_cuDeviceGetMemPool(&pool, 0));
    OK(mock_cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    cr_expect(eq(u64, used, 100));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemFreeAsync(p + 8, stream));
    OK(mock_cuMemFreeAsync(p, stream));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemFreeAsync(p, stream));
    OK(mock_cuMemFreeAsync(0, stream));
    OK(mock_cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    cr_expect(eq(u64, used, 100), "the free is in stream order");
    OK(mock_cuStreamSynchronize(stream));
    OK(mock_cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    cr_expect(eq(u64, used, 0));
    EXPECT(CUDA_ERROR_OUT_OF_MEMORY, mock_cuMemAllocAsync(&p, (size_t) 1 << 46, stream));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemAllocAsync(NULL, 8, stream));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuMemPoolGetAttribute(pool, (CUmemPool_attribute) 99, &used));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemPoolTrimTo(GARBAGE, 0));
}

Test(memory, between_devices)
{
    CUcontext a = start(), b = NULL;
    CUdeviceptr p, q;
    char value = 4, back = 0;

    p = allocate(16);
    OK(mock_cuMemcpyHtoD_v2(p, &value, 1));
    OK(mock_cuDevicePrimaryCtxRetain(&b, 1));
    OK(mock_cuCtxSetCurrent(b));
    q = allocate(16);
    OK(mock_cuMemcpyPeer(q, b, p, a, 16));
    OK(mock_cuMemcpyDtoH_v2(&back, q, 1));
    cr_expect(eq(chr, back, 4));
    EXPECT(CUDA_ERROR_INVALID_CONTEXT, mock_cuMemcpyPeer(q, GARBAGE, p, a, 16));
    /* Other work than copies needs access to the memory. */
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemsetD8_v2(p, 1, 16));
    EXPECT(CUDA_ERROR_NOT_FOUND, mock_cuMemGetAddressRange_v2(NULL, NULL, p));
    OK(mock_cuCtxEnablePeerAccess(a, 0));
    OK(mock_cuMemsetD8_v2(p, 1, 16));
    OK(mock_cuMemGetAddressRange_v2(NULL, NULL, p));
    OK(mock_cuMemFree_v2(p)); /* from the other device's context */
}

Test(memory, pointer_attributes)
{
    CUcontext context = start();
    CUdeviceptr p = allocate(64), word = 0;
    int number = 0;
    CUpointer_attribute wanted[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                    CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
    int type = 9, ordinal = 9;
    void *data[] = {&type, &ordinal};

    OK(mock_cuPointerGetAttribute(&number, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p + 5));
    cr_expect(eq(int, number, CU_MEMORYTYPE_DEVICE));
    OK(mock_cuPointerGetAttribute(&word, CU_POINTER_ATTRIBUTE_CONTEXT, p));
    cr_expect(eq(ulong, word, (uintptr_t) context));
    OK(mock_cuPointerGetAttribute(&word, CU_POINTER_ATTRIBUTE_RANGE_SIZE, p));
    cr_expect(eq(ulong, word, 64));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuPointerGetAttribute(&word, CU_POINTER_ATTRIBUTE_HOST_POINTER, p));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuPointerGetAttribute(&number, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p + 64));
    /* Asked for several at once, memory of the program's own is no error. */
    OK(mock_cuPointerGetAttributes(2, wanted, data, (uintptr_t) &number));
    cr_expect(eq(int, type, 0));
    cr_expect(eq(int, ordinal, -2));
    OK(mock_cuPointerGetAttributes(2, wanted, data, p));
    cr_expect(eq(int, type, CU_MEMORYTYPE_DEVICE));
    cr_expect(eq(int, ordinal, 0));
}
