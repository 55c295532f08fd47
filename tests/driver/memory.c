/* SPDX-License-Identifier: MIT */
/* Device memory: allocations, copies and memsets. Memory of the host is in memory_host.c. */
#include "memory.h"

#include <stdlib.h>
#include <string.h>

#define MANY ((size_t) 64 << 20)

static void ask_alloc_errors(void)
{
    CUdeviceptr p = 0;

    ASK("alloc0", cuMemAlloc_v2, (&p, 0));
    ASK("alloc_null", cuMemAlloc_v2, (NULL, 16));
    ASK("alloc_huge", cuMemAlloc_v2, (&p, (size_t) 1 << 46));
    ASK("alloc_max", cuMemAlloc_v2, (&p, ~(size_t) 0));
}

/* Two small allocations, of which one is freed. Answers the other. */
static CUdeviceptr ask_alloc(void)
{
    CUdeviceptr p = 0, q = 0, base = 0;
    size_t bytes = 0;

    ASK("alloc1", cuMemAlloc_v2, (&p, 1));
    report("align512", (long long) (p % 512));
    ASK("alloc2", cuMemAlloc_v2, (&q, 1));
    report("gap", (long long) (q > p ? q - p : p - q));
    ASK("range", cuMemGetAddressRange_v2, (&base, &bytes, p));
    report("range_base", base == p);
    report("range_size", (long long) bytes);
    ASK("range_past", cuMemGetAddressRange_v2, (&base, &bytes, p + 1));
    ASK("range_garbage", cuMemGetAddressRange_v2, (&base, &bytes, 0x10));
    ASK("free", cuMemFree_v2, (p));
    ASK("free_twice", cuMemFree_v2, (p));
    ASK("free0", cuMemFree_v2, (0));
    ASK("free_garbage", cuMemFree_v2, (0xdead000));
    return q;
}

static void ask_interior(CUdeviceptr p)
{
    CUdeviceptr base = 0;
    size_t bytes = 0;

    ASK("free_interior", cuMemFree_v2, (p + 16));
    ASK("range_interior", cuMemGetAddressRange_v2, (&base, &bytes, p + 100));
    report("range_interior_base", base == p);
    report("range_interior_size", (long long) bytes);
    ASK("range_nullout", cuMemGetAddressRange_v2, (NULL, NULL, p));
}

static void ask_copies_to_device(CUdeviceptr p, CUdeviceptr small, const char *buffer)
{
    ASK("htod", cuMemcpyHtoD_v2, (p, buffer, 64));
    ASK("htod0", cuMemcpyHtoD_v2, (p, buffer, 0));
    ASK("htod0_nulls", cuMemcpyHtoD_v2, (0, NULL, 0));
    ASK("htod_nullsrc", cuMemcpyHtoD_v2, (p, NULL, 16));
    ASK("htod_nulldst", cuMemcpyHtoD_v2, (0, buffer, 16));
    ASK("htod_garbage", cuMemcpyHtoD_v2, (0x1000, buffer, 16));
    /* The recorded key; what it asks about is still allocated. */
    ASK("htod_freed", cuMemcpyHtoD_v2, (small, buffer, 1));
}

static void ask_out_of_bounds(CUdeviceptr p)
{
    char *many = calloc(1, MANY);
    CUdeviceptr r = 0;

    if (!many)
        return;
    allocate(&r, 4096);
    ASK("htod_oob_64M", cuMemcpyHtoD_v2, (r, many, MANY));
    ASK("htod_interior_ok", cuMemcpyHtoD_v2, (r + 4000, many, 96));
    ASK("dtod_oob", cuMemcpyDtoD_v2, (r, p, MANY));
    CALL(cuMemFree_v2, (r));
    free(many);
}

static void ask_copies_from_device(CUdeviceptr p, char *buffer)
{
    ASK("dtoh", cuMemcpyDtoH_v2, (buffer, p, 64));
    report("dtoh_v", buffer[63]);
    ASK("dtod_self", cuMemcpyDtoD_v2, (p, p, 64));
    ASK("dtod_overlap", cuMemcpyDtoD_v2, (p + 8, p, 64));
    ASK("dtoh_host_as_dev", cuMemcpyDtoH_v2, (buffer, (uintptr_t) buffer, 8));
    ASK("generic_htod", cuMemcpy, (p, (uintptr_t) buffer, 64));
}

static void ask_memsets(CUdeviceptr p, char *buffer)
{
    ASK("set8", cuMemsetD8_v2, (p, 0xab, 10));
    ASK("set8_0", cuMemsetD8_v2, (p, 0xab, 0));
    ASK("set16_mis", cuMemsetD16_v2, (p + 1, 1, 4));
    ASK("set32_mis", cuMemsetD32_v2, (p + 2, 1, 4));
    ASK("set32", cuMemsetD32_v2, (p, 0x01020304, 4));
    ASK("set8_oob", cuMemsetD8_v2, (p, 1, (size_t) 1 << 32));
    ASK("set2d", cuMemsetD2D8_v2, (p, 64, 9, 16, 4));
    ASK("set2d_badpitch", cuMemsetD2D8_v2, (p, 8, 9, 16, 4));
    CALL(cuMemcpyDtoH_v2, (buffer, p, 64));
    report("set2d_v0", buffer[0]);
    report("set2d_v16", buffer[16]);
}

static void ask_info(void)
{
    size_t free_bytes = 1, total_bytes = 0;

    ASK("getinfo", cuMemGetInfo_v2, (&free_bytes, &total_bytes));
    report("free_le_total", free_bytes <= total_bytes);
    ASK("getinfo_null", cuMemGetInfo_v2, (NULL, NULL));
}

static void ask_pitch(void)
{
    size_t pitch = 0;
    CUdeviceptr q;

    ASK("pitch", cuMemAllocPitch_v2, (&q, &pitch, 100, 10, 4));
    report("pitch_v", (long long) pitch);
    ASK("pitch_badelem", cuMemAllocPitch_v2, (&q, &pitch, 100, 10, 3));
    ASK("pitch0", cuMemAllocPitch_v2, (&q, &pitch, 0, 10, 4));
}

static void ask_managed(void)
{
    CUdeviceptr q = 0;

    ASK("managed", cuMemAllocManaged, (&q, 4096, CU_MEM_ATTACH_GLOBAL));
    if (q)
        *(volatile char *) q = 3;
    ASK("managed_free", cuMemFree_v2, (q));
    ASK("managed_badflags", cuMemAllocManaged, (&q, 4096, 0));
}

static void ask_rectangles(CUdeviceptr p, const char *buffer)
{
    CUDA_MEMCPY2D copy = {
        .srcMemoryType = CU_MEMORYTYPE_HOST,
        .srcHost = buffer,
        .srcPitch = 8,
        .dstMemoryType = CU_MEMORYTYPE_DEVICE,
        .dstDevice = p,
        .dstPitch = 16,
        .WidthInBytes = 8,
        .Height = 4,
    };

    ASK("cpy2d", cuMemcpy2D_v2, (&copy));
    copy.WidthInBytes = 9;
    ASK("cpy2d_badpitch", cuMemcpy2D_v2, (&copy));
    copy.WidthInBytes = 8;
    copy.srcMemoryType = 77;
    ASK("cpy2d_badtype", cuMemcpy2D_v2, (&copy));
    ASK("cpy2d_null", cuMemcpy2D_v2, (NULL));
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.Height = 0;
    ASK("cpy2d_h0", cuMemcpy2D_v2, (&copy));
}

void ask_memory(void)
{
    CUdeviceptr p = 0, small, base;
    char buffer[64];
    size_t bytes;

    begin();
    ask_alloc_errors();
    small = ask_alloc();
    allocate(&p, 4096);
    ask_interior(p);
    memset(buffer, 5, sizeof(buffer));
    ask_copies_to_device(p, small, buffer);
    ask_out_of_bounds(p);
    ask_copies_from_device(p, buffer);
    ask_memsets(p, buffer);
    ask_info();
    ask_host_memory(p, buffer);
    ASK("freed_range", cuMemGetAddressRange_v2, (&base, &bytes, 0x700000000000u));
    ask_pitch();
    ask_managed();
    ask_rectangles(p, buffer);
    ASK("free_last", cuMemFree_v2, (p));
}
