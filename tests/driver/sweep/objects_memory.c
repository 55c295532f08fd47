/* SPDX-License-Identifier: MIT */
/* Memory of devices and of the host. */
#include "make.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "world.h"

#define PAGE  4096
#define CHUNK (2 << 20)

DESTROY(destroy_memory, CUdeviceptr, cuMemFree_v2)
DESTROY(destroy_host, void *, cuMemFreeHost)
DESTROY(destroy_pool, CUmemoryPool, cuMemPoolDestroy)
DESTROY(destroy_memory_handle, CUmemGenericAllocationHandle, cuMemRelease)

void destroy_range(uint64_t handle)
{
    CALL(cuMemAddressFree, (handle, CHUNK));
}

static void destroy_mapping(uint64_t handle)
{
    CALL(cuMemUnmap, (handle, CHUNK));
}

static void destroy_registration(uint64_t handle)
{
    CALL(cuMemHostUnregister, ((void *) handle));
    free((void *) handle);
}

/* The question may have registered it. */
static void destroy_page(uint64_t handle)
{
    CALL(cuMemHostUnregister, ((void *) handle));
    free((void *) handle);
}

uint64_t make_memory(const struct param *param)
{
    (void) param;
    MAKE(CUdeviceptr, destroy_memory, cuMemAlloc_v2, (&object, MEMORY_BYTES));
}

/* What waits for a value finds it there. */
uint64_t make_zeroed(const struct param *param)
{
    uint64_t address = make_memory(param);

    made(CALL(cuMemsetD8_v2, (address, 0, MEMORY_BYTES)));
    made(CALL(cuStreamSynchronize, (NULL)));
    return address;
}

uint64_t make_odd_memory(const struct param *param)
{
    return make_memory(param) + 1;
}

uint64_t make_near_memory_end(const struct param *param)
{
    return make_memory(param) + MEMORY_BYTES - 4;
}

uint64_t make_memory_low(const struct param *param)
{
    return (uint32_t) make_memory(param);
}

uint64_t make_managed(const struct param *param)
{
    (void) param;
    MAKE(CUdeviceptr, destroy_memory, cuMemAllocManaged,
         (&object, MEMORY_BYTES, CU_MEM_ATTACH_GLOBAL));
}

uint64_t make_pool_memory(const struct param *param)
{
    CUdeviceptr address = 0;

    (void) param;
    if (made(CALL(cuMemAllocAsync, (&address, MEMORY_BYTES, NULL))))
        later(destroy_memory, address);
    made(CALL(cuStreamSynchronize, (NULL)));
    return address;
}

static CUmemAllocationProp on_device(void)
{
    CUdevice device = 0;

    CALL(cuCtxGetDevice, (&device));
    return (CUmemAllocationProp){.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                 .requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                                 .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device}};
}

uint64_t make_memory_handle(const struct param *param)
{
    CUmemAllocationProp prop = on_device();

    (void) param;
    MAKE(CUmemGenericAllocationHandle, destroy_memory_handle, cuMemCreate,
         (&object, CHUNK, &prop, 0));
}

uint64_t make_reserved(const struct param *param)
{
    (void) param;
    MAKE(CUdeviceptr, destroy_range, cuMemAddressReserve, (&object, CHUNK, 0, 0, 0));
}

/* Memory at reserved addresses, which its device may read and write. */
uint64_t make_mapped(const struct param *param)
{
    CUmemAllocationProp prop = on_device();
    CUmemAccessDesc access = {.location = prop.location,
                              .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUdeviceptr address = make_reserved(param);

    if (!made(CALL(cuMemMap, (address, CHUNK, 0, make_memory_handle(param), 0))))
        return 0;
    later(destroy_mapping, address);
    made(CALL(cuMemSetAccess, (address, CHUNK, &access, 1)));
    return address;
}

uint64_t make_host(const struct param *param)
{
    (void) param;
    return (uint64_t) scratch(MEMORY_BYTES);
}

uint64_t make_pinned(const struct param *param)
{
    (void) param;
    MAKE(void *, destroy_host, cuMemHostAlloc, (&object, MEMORY_BYTES, CU_MEMHOSTALLOC_DEVICEMAP));
}

uint64_t make_device_of_pinned(const struct param *param)
{
    CUdeviceptr address = 0;

    made(CALL(cuMemHostGetDevicePointer_v2, (&address, (void *) make_pinned(param), 0)));
    return address;
}

/* Two pages of their own. */
uint64_t make_page(const struct param *param)
{
    void *page = aligned_alloc(PAGE, 2 * PAGE);

    (void) param;
    memset(page, 0, 2 * PAGE);
    later(destroy_page, (uint64_t) page);
    return (uint64_t) page;
}

uint64_t make_registered(const struct param *param)
{
    void *page = aligned_alloc(PAGE, 2 * PAGE);

    (void) param;
    memset(page, 0, 2 * PAGE);
    if (made(CALL(cuMemHostRegister_v2, (page, 2 * PAGE, 0))))
        later(destroy_registration, (uint64_t) page);
    return (uint64_t) page;
}

/* An address that nobody may touch. */
uint64_t make_nowhere(const struct param *param)
{
    static void *nowhere;

    (void) param;
    if (!nowhere)
        nowhere = mmap(NULL, CHUNK, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return (uint64_t) nowhere;
}

uint64_t make_pool(const struct param *param)
{
    CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                            .handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                            .location = on_device().location};

    (void) param;
    MAKE(CUmemoryPool, destroy_pool, cuMemPoolCreate, (&object, &props));
}

/* Of a pool that other processes may open. */
uint64_t make_shared_memory(const struct param *param)
{
    CUdeviceptr address = 0;

    if (made(CALL(cuMemAllocFromPoolAsync,
                  (&address, MEMORY_BYTES, (CUmemoryPool) make_pool(param), NULL))))
        later(destroy_memory, address);
    made(CALL(cuStreamSynchronize, (NULL)));
    return address;
}
