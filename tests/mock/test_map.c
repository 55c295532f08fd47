/* SPDX-License-Identifier: MIT */
/* Memory and addresses apart: cuMemCreate, cuMemAddressReserve, cuMemMap. */
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "watch.h"

#define UNIT ((size_t) 2 << 20)

TestSuite(map);

static CUmemAllocationProp properties(int device)
{
    return (CUmemAllocationProp){
        .type = CU_MEM_ALLOCATION_TYPE_PINNED,
        .requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
        .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device},
    };
}

static CUmemGenericAllocationHandle create(size_t bytes)
{
    const CUmemAllocationProp prop = properties(0);
    CUmemGenericAllocationHandle handle = 0;

    OK(mock_cuMemCreate(&handle, bytes, &prop, 0));
    return handle;
}

static CUdeviceptr reserve(size_t bytes)
{
    CUdeviceptr address = 0;

    OK(mock_cuMemAddressReserve(&address, bytes, 0, 0, 0));
    return address;
}

static CUresult allow(CUdeviceptr address, size_t bytes, int device, CUmemAccess_flags flags)
{
    const CUmemAccessDesc access = {.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device},
                                    .flags = flags};

    return mock_cuMemSetAccess(address, bytes, &access, 1);
}

static CUdeviceptr map_new(size_t bytes, CUmemGenericAllocationHandle handle)
{
    const CUdeviceptr address = reserve(bytes);

    OK(mock_cuMemMap(address, bytes, 0, handle, 0));
    OK(allow(address, bytes, 0, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
    return address;
}

Test(map, what_is_wrong_is_refused)
{
    CUmemAllocationProp prop = properties(0);
    CUmemGenericAllocationHandle handle = 0;
    CUdeviceptr address = 0;
    size_t granularity = 0;

    EXPECT(CUDA_ERROR_NOT_INITIALIZED, mock_cuMemCreate(&handle, UNIT, &prop, 0));
    start();
    OK(mock_cuMemGetAllocationGranularity(&granularity, &prop,
                                          CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
    cr_expect(eq(sz, granularity, UNIT));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemCreate(&handle, UNIT - 1, &prop, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemCreate(&handle, 0, &prop, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemCreate(NULL, UNIT, &prop, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemCreate(&handle, UNIT, NULL, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemCreate(&handle, UNIT, &prop, 1));
    EXPECT(CUDA_ERROR_OUT_OF_MEMORY, mock_cuMemCreate(&handle, (size_t) 1 << 46, &prop, 0));
    prop.location.id = 7;
    EXPECT(CUDA_ERROR_INVALID_DEVICE, mock_cuMemCreate(&handle, UNIT, &prop, 0));
    prop = properties(0);
    prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_WIN32;
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemCreate(&handle, UNIT, &prop, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemAddressReserve(&address, 100, 0, 0, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemAddressReserve(&address, UNIT, 3, 0, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemAddressReserve(&address, 0, 0, 0, 0));
    EXPECT(CUDA_ERROR_OUT_OF_MEMORY, mock_cuMemAddressReserve(&address, 0 - UNIT, 0, 0, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemRelease(12345));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemUnmap(0x10000, UNIT));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemAddressFree(0x10000, UNIT));
}

/* A range may have more than mappings, but no part of one. */
Test(map, all_in_a_range_is_unmapped)
{
    const CUmemLocation host = {.type = CU_MEM_LOCATION_TYPE_HOST},
                        here = {.type = CU_MEM_LOCATION_TYPE_DEVICE};
    unsigned long long flags = 9;
    CUdeviceptr address;

    start();
    address = reserve(4 * UNIT);
    OK(mock_cuMemMap(address + UNIT, UNIT, 0, create(UNIT), 0));
    OK(mock_cuMemMap(address + 3 * UNIT, UNIT, 0, create(UNIT), 0));
    EXPECT(CUDA_ERROR_NOT_SUPPORTED, mock_cuMemMap(address, UNIT, UNIT, create(2 * UNIT), 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemUnmap(address + UNIT + UNIT / 2, UNIT));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemUnmap(address, UNIT + UNIT / 2));
    OK(mock_cuMemGetAccess(&flags, &host, address + UNIT));
    cr_expect(eq(ullong, flags, CU_MEM_ACCESS_FLAGS_PROT_NONE));
    OK(mock_cuMemUnmap(address, 64 * UNIT));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemGetAccess(&flags, &here, address + UNIT));
    OK(mock_cuMemAddressFree(address, 4 * UNIT));
}

Test(map, bytes_go_in_and_out)
{
    CUmemGenericAllocationHandle handle, again = 0;
    CUdeviceptr address, base = 0;
    size_t bytes = 0;
    int value = 7, back = 0;

    start_watched();
    handle = create(2 * UNIT);
    address = map_new(2 * UNIT, handle);
    OK(mock_cuMemcpyHtoD_v2(address + UNIT - 2, &value, 4));
    OK(mock_cuMemcpyDtoH_v2(&back, address + UNIT - 2, 4));
    cr_expect(eq(int, back, 7));
    OK(mock_cuMemGetAddressRange_v2(&base, &bytes, address + 5));
    cr_expect(eq(ulong, base, address));
    cr_expect(eq(sz, bytes, 2 * UNIT));
    OK(mock_cuMemRetainAllocationHandle(&again, (void *) (uintptr_t) address));
    cr_expect(eq(ullong, again, handle));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemFree_v2(address));
    OK(mock_cuMemRelease(again));
    OK(mock_cuMemRelease(handle));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemRelease(handle));
    /* The mapping keeps it. */
    OK(mock_cuMemcpyDtoH_v2(&back, address + UNIT - 2, 4));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemAddressFree(address, 2 * UNIT));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemUnmap(address, UNIT));
    OK(mock_cuMemUnmap(address, 2 * UNIT));
    OK(mock_cuMemUnmap(address, 2 * UNIT));
    OK(mock_cuMemAddressFree(address, 2 * UNIT));
    silent();
    cr_expect(eq(sz, cushim_mock_leaks(), 2), "the module and the primary context alone");
}

Test(map, the_host_cannot_touch_it, .signal = SIGSEGV)
{
    start();
    *(volatile char *) (uintptr_t) map_new(UNIT, create(UNIT)) = 1;
}

Test(map, mappings_that_follow_each_other_are_one_piece)
{
    CUdeviceptr address, copy;
    char back[8] = "";

    start_watched();
    address = reserve(3 * UNIT);
    OK(mock_cuMemMap(address, UNIT, 0, create(UNIT), 0));
    OK(mock_cuMemMap(address + UNIT, UNIT, 0, create(UNIT), 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemMap(address + UNIT, UNIT, 0, create(UNIT), 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemMap(address + 3 * UNIT, UNIT, 0, create(UNIT), 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, allow(address, 3 * UNIT, 0, 3));
    OK(allow(address, 2 * UNIT, 0, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
    OK(mock_cuMemsetD8_v2(address + UNIT - 4, 9, 8));
    OK(mock_cuMemcpyDtoH_v2(back, address + UNIT - 4, 8));
    cr_expect(eq(i8, back[7], 9));
    copy = allocate(2 * UNIT);
    launch_fill(NULL, address, 2 * UNIT);
    launch_copy(NULL, copy, address, 2 * UNIT);
    OK(mock_cuCtxSynchronize());
    silent();
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemsetD8_v2(address + UNIT, 9, UNIT + 1));
    found(CUSHIM_MOCK_OUT_OF_BOUNDS, "not all of it mapped");
    OK(mock_cuMemUnmap(address, 2 * UNIT));
}

Test(map, two_mappings_are_the_same_bytes)
{
    CUmemGenericAllocationHandle handle;
    CUdeviceptr one, other, copy;
    CUstream first, second;
    int back = 0;

    start_watched();
    handle = create(UNIT);
    one = map_new(UNIT, handle);
    other = map_new(UNIT, handle);
    copy = allocate(64);
    OK(mock_cuMemsetD32_v2(one, 5, 16));
    OK(mock_cuMemcpyDtoH_v2(&back, other + 60, 4));
    cr_expect(eq(int, back, 5));
    OK(mock_cuCtxSynchronize());
    silent();
    first = a_stream();
    second = a_stream();
    launch_fill(first, one, 64);
    launch_copy(second, copy, other, 64);
    OK(mock_cuCtxSynchronize());
    found(CUSHIM_MOCK_DATA_RACE, "cuMemCreate");
}

Test(map, what_nothing_has_written_is_found)
{
    CUdeviceptr address;
    int back;

    start_watched();
    address = map_new(UNIT, create(UNIT));
    OK(mock_cuMemcpyDtoH_v2(&back, address, 4));
    found(CUSHIM_MOCK_UNINITIALISED_READ, "cuMemCreate");
}

Test(map, access_is_not_there_before_it_is_given)
{
    const CUmemLocation location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0};
    unsigned long long flags = 9;
    CUdeviceptr address;

    start_watched();
    address = reserve(UNIT);
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemsetD8_v2(address, 1, 1));
    found(CUSHIM_MOCK_OUT_OF_BOUNDS, "reserved");
    OK(mock_cuMemMap(address, UNIT, 0, create(UNIT), 0));
    OK(mock_cuMemGetAccess(&flags, &location, address));
    cr_expect(eq(ullong, flags, CU_MEM_ACCESS_FLAGS_PROT_NONE));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemsetD8_v2(address, 1, 1));
    found(CUSHIM_MOCK_OUT_OF_BOUNDS, "cuMemSetAccess");
    EXPECT(CUDA_ERROR_INVALID_VALUE, allow(address, UNIT, 7, 3));
    EXPECT(CUDA_ERROR_INVALID_VALUE, allow(address, UNIT, 0, 2));
    OK(allow(address, UNIT, 1, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
    launch_fill(NULL, address, 1);
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, mock_cuCtxSynchronize());
}

Test(map, a_device_that_may_only_read_does_not_write)
{
    CUdeviceptr address, copy;

    start_watched();
    address = map_new(UNIT, create(UNIT));
    OK(mock_cuMemsetD8_v2(address, 1, UNIT));
    OK(allow(address, UNIT, 0, CU_MEM_ACCESS_FLAGS_PROT_READ));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemsetD8_v2(address, 2, 1));
    copy = allocate(64);
    launch_copy(NULL, copy, address, 64);
    OK(mock_cuCtxSynchronize());
    launch_fill(NULL, address, 1);
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, mock_cuCtxSynchronize());
}

/* The same by kernels from PTX, by a place of the program that only reads, or also writes. */
Test(map, a_kernel_from_ptx_that_may_only_read)
{
#define KERNEL(name, body)                                                                         \
    ".visible .entry " name "(.param .u64 p, .param .u64 q) {\n.reg .u32 %r<4>; .reg .u64 %d<4>; " \
    ".reg .pred %p<2>; ld.param.u64 %d0, [p]; ld.param.u64 %d1, [q];\n" body "\nret; }\n"
    static const char text[] = ".version 8.0\n.target sm_80\n.address_size 64\n" KERNEL(
        "reads", "ld.global.u32 %r0, [%d1]; st.global.u32 [%d0], %r0;")
        KERNEL("writes", "st.global.u32 [%d1], 7;")
            KERNEL("updates", "atom.global.add.u32 %r0, [%d1], 1;")
                KERNEL("both", "mov.u64 %d2, %d0; mov.u32 %r1, 0; L: ld.global.u32 %r0, "
                               "[%d2]; st.global.u32 [%d2], %r0; mov.u64 %d2, %d1; add.u32 "
                               "%r1, %r1, 1; setp.lt.u32 %p0, %r1, 2; @%p0 bra L;");
#undef KERNEL
    static const char *const names[] = {"reads", "writes", "updates", "both"};
    CUdeviceptr address, other;
    CUmodule module = NULL;
    CUfunction function = NULL;
    void *params[] = {&other, &address};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        mock_cuDevicePrimaryCtxReset(0);
        start_watched();
        address = map_new(UNIT, create(UNIT));
        other = allocate(64);
        OK(mock_cuMemsetD8_v2(address, 1, UNIT));
        OK(mock_cuMemsetD8_v2(other, 1, 64));
        OK(allow(address, UNIT, 0, CU_MEM_ACCESS_FLAGS_PROT_READ));
        OK(mock_cuModuleLoadData(&module, text));
        OK(mock_cuModuleGetFunction(&function, module, names[i]));
        OK(mock_cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, params, NULL));
        EXPECT(i ? CUDA_ERROR_ILLEGAL_ADDRESS : CUDA_SUCCESS, mock_cuCtxSynchronize());
        if (i)
            found(CUSHIM_MOCK_OUT_OF_BOUNDS, "cuMemSetAccess");
    }
}

Test(map, memory_and_its_pointer_say_what_they_are)
{
    CUmemAllocationProp prop = {0};
    CUmemGenericAllocationHandle handle;
    CUdeviceptr address, start_address = 0;
    uint64_t types = 0;
    int ordinal = -1;
    size_t bytes = 0, before = 0, after = 0;

    start();
    OK(mock_cuMemGetInfo_v2(&before, NULL));
    handle = create(UNIT);
    OK(mock_cuMemGetInfo_v2(&after, NULL));
    cr_expect(eq(sz, before - after, UNIT));
    OK(mock_cuMemGetAllocationPropertiesFromHandle(&prop, handle));
    cr_expect(eq(int, prop.location.id, 0));
    address = reserve(4 * UNIT);
    OK(mock_cuMemMap(address + UNIT, UNIT, 0, handle, 0));
    OK(mock_cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_MAPPED, address));
    cr_expect(eq(int, ordinal, 0));
    OK(mock_cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_MAPPED, address + UNIT));
    cr_expect(eq(int, ordinal, 1));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address));
    OK(mock_cuPointerGetAttribute(&start_address, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                                  address + UNIT));
    cr_expect(eq(ulong, start_address, address));
    OK(mock_cuPointerGetAttribute(&bytes, CU_POINTER_ATTRIBUTE_RANGE_SIZE, address + UNIT));
    cr_expect(eq(sz, bytes, 4 * UNIT));
    OK(mock_cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address + UNIT));
    cr_expect(eq(int, ordinal, 0));
    OK(mock_cuPointerGetAttribute(&types, CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES,
                                  address + UNIT));
    cr_expect(eq(ulong, types, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    OK(mock_cuMemUnmap(address + UNIT, UNIT));
    OK(mock_cuMemRelease(handle));
    OK(mock_cuMemGetInfo_v2(&after, NULL));
    cr_expect(eq(sz, after, before));
}

Test(map, leaks_are_named)
{
    const struct cushim_mock_finding *findings = NULL;
    size_t n;

    start();
    map_new(UNIT, create(UNIT));
    /* The range, the memory, the mapping, and the primary context. */
    cr_expect(eq(sz, cushim_mock_leaks(), 4));
    n = cushim_mock_findings(&findings);
    cr_assert(eq(sz, n, 4));
    cr_expect(ne(ptr, strstr(findings[0].text, "cuMemMap"), NULL), "%s", findings[0].text);
}

Test(map, use_after_unmap_is_found)
{
    CUdeviceptr address;

    start_watched();
    address = map_new(UNIT, create(UNIT));
    OK(mock_cuMemUnmap(address, UNIT));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemsetD8_v2(address, 1, 1));
    found(CUSHIM_MOCK_USE_AFTER_FREE, "cuMemMap");
}

Test(map, a_descriptor_leads_to_the_same_memory)
{
    CUmemGenericAllocationHandle handle, imported = 0;
    const CUmemAllocationProp plain = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                       .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    int fd = -1, null;

    start();
    handle = create(UNIT);
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuMemExportToShareableHandle(&fd, handle, CU_MEM_HANDLE_TYPE_WIN32, 0));
    OK(mock_cuMemExportToShareableHandle(&fd, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    OK(mock_cuMemImportFromShareableHandle(&imported, (void *) (intptr_t) fd,
                                           CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    cr_expect(eq(ullong, imported, handle));
    close(fd);
    null = open("/dev/null", O_RDONLY);
    EXPECT(CUDA_ERROR_UNKNOWN,
           mock_cuMemImportFromShareableHandle(&imported, (void *) (intptr_t) null,
                                               CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    EXPECT(CUDA_ERROR_UNKNOWN,
           mock_cuMemImportFromShareableHandle(&imported, (void *) (intptr_t) -1,
                                               CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    close(null);
    OK(mock_cuMemCreate(&handle, UNIT, &plain, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemExportToShareableHandle(
                                         &fd, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
}

/* Memory that nobody exports takes no descriptor each: there are only so many. */
Test(map, descriptors_do_not_run_out)
{
    const CUmemAllocationProp plain = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                       .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    const CUmemAllocationProp exportable = properties(0);
    struct rlimit limit, before;
    CUmemGenericAllocationHandle handle = 0;
    CUresult result = CUDA_SUCCESS;
    CUdeviceptr address;
    int value = 3;

    start();
    cr_assert(eq(int, getrlimit(RLIMIT_NOFILE, &before), 0));
    limit = before;
    limit.rlim_cur = 32;
    cr_assert(eq(int, setrlimit(RLIMIT_NOFILE, &limit), 0));
    address = reserve(100 * UNIT);
    for (size_t i = 0; i < 100; i++) {
        OK(mock_cuMemCreate(&handle, UNIT, &plain, 0));
        OK(mock_cuMemMap(address + i * UNIT, UNIT, 0, handle, 0));
        OK(mock_cuMemRelease(handle));
    }
    OK(allow(address, 100 * UNIT, 0, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
    OK(mock_cuMemcpyHtoD_v2(address + 99 * UNIT, &value, 4));
    OK(mock_cuMemsetD8_v2(address, 0, 100 * UNIT));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuMemExportToShareableHandle(&value, handle,
                                             CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    /* What is to be exported needs one, and says so when there is none. */
    for (size_t i = 0; i < 32 && result == CUDA_SUCCESS; i++)
        result = mock_cuMemCreate(&handle, UNIT, &exportable, 0);
    cr_expect(eq(int, (int) result, CUDA_ERROR_OUT_OF_MEMORY));
    OK(mock_cuMemUnmap(address, 100 * UNIT));
    cr_expect(eq(int, setrlimit(RLIMIT_NOFILE, &before), 0));
}
