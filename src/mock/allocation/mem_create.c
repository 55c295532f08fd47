/* SPDX-License-Identifier: MIT */
/*
 * cuMemCreate, cuMemRelease, cuMemRetainAllocationHandle, cuMemGetAllocation*,
 * cuMemExportToShareableHandle, cuMemImportFromShareableHandle
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "mock/allocation/mem_file.h"
#include "mock/allocation/mem_map.h"
#include "mock/allocation/multicast.h"
#include "mock/base/device_room.h"
#include "mock/base/state.h"
#include "mock/base/stats.h"
#include "mock/base/upcalls.h"

/* The numbers are written here, because older toolkits lack some of the names. */
enum { NO_HANDLE = 0, FILE_DESCRIPTOR = 1, WINDOWS = 6, FABRIC = 8, HOST_NUMA = 3 };

struct mock__physical *mock__physical_find(CUmemGenericAllocationHandle handle)
{
    struct mock__physical *physical =
        mock__object_find(MOCK__PHYSICAL, (const void *) (uintptr_t) handle);

    return physical && physical->handles ? physical : NULL;
}

struct mock__physical *mock__physical_new(struct mock__device *device, size_t bytes)
{
    struct mock__physical *physical = mock__object_new(MOCK__PHYSICAL, sizeof(*physical));

    if (!physical)
        return NULL;
    physical->device = device;
    physical->bytes = bytes;
    physical->handles = 1;
    physical->checked = (struct mock__memory){
        .bytes = bytes, .kind = MOCK__DEVICE_MEMORY, .device = device, .id = mock__memory_new_id()};
    return physical;
}

/*
 * Finds bytes for the memory. Memory that may be exported has its own file, because another process
 * can see the whole file.
 */
static bool find_bytes(struct mock__physical *physical)
{
    physical->own_file = physical->handle_types != NO_HANDLE ||
                         !mock__file_piece(physical->bytes, &physical->fd, &physical->file_offset);
    if (physical->own_file)
        physical->fd = mock__file_new(physical->bytes, physical->device->profile->uuid);
    return physical->fd >= 0;
}

static void return_bytes(struct mock__physical *physical)
{
    if (!physical->imported) {
        physical->device->used_bytes -= physical->bytes;
        mock__stats_went(physical->bytes);
    }
    mock__upcalls.memory_forget(&physical->checked);
    if (physical->own_file)
        close(physical->fd);
    else
        mock__file_return(physical->fd, physical->file_offset, physical->bytes);
}

void mock__physical_settle(struct mock__physical *physical)
{
    if (physical->handles || physical->mappings)
        return;
    if (physical->multicast)
        mock__multicast_free(physical->multicast);
    else
        return_bytes(physical);
    mock__object_free(physical);
}

/* Unknown types count for nothing. */
static CUresult check_handle_types(unsigned types)
{
    MOCK__REQUIRE(!(types & WINDOWS), CUDA_ERROR_INVALID_VALUE);
    /* They need a service of the driver. */
    MOCK__REQUIRE(!(types & FABRIC), CUDA_ERROR_NOT_PERMITTED);
    return CUDA_SUCCESS;
}

static bool are_flags_valid(const CUmemAllocationProp *properties)
{
    const unsigned char *const reserved = properties->allocFlags.reserved;

    return properties->allocFlags.compressionType <= CU_MEM_ALLOCATION_COMP_GENERIC &&
           !reserved[0] && !reserved[1] && !reserved[2] && !reserved[3];
}

/* Checks the properties, and returns the device. Memory of the host is not made this way. */
static CUresult check_properties(const CUmemAllocationProp *properties,
                                 struct mock__device **ret_device)
{
    MOCK__REQUIRE(properties && properties->type == CU_MEM_ALLOCATION_TYPE_PINNED &&
                      !properties->win32HandleMetaData && are_flags_valid(properties),
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE((int) properties->location.type > 0 &&
                      (int) properties->location.type <= HOST_NUMA,
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(properties->location.type == CU_MEM_LOCATION_TYPE_DEVICE,
                  CUDA_ERROR_NOT_SUPPORTED);
    *ret_device = mock__device_find(properties->location.id);
    MOCK__REQUIRE(*ret_device, CUDA_ERROR_INVALID_DEVICE);
    return CUDA_SUCCESS;
}

CUresult mock_cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size,
                          const CUmemAllocationProp *prop, unsigned long long flags)
{
    struct mock__physical *physical;
    struct mock__device *device = NULL;

    MOCK__ENTER();
    MOCK__REQUIRE(handle && size && size % MOCK__MAP_UNIT == 0 && !flags, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(check_properties(prop, &device));
    MOCK__TRY(check_handle_types((unsigned) prop->requestedHandleTypes));
    MOCK__REQUIRE(mock__device_wants_room(device, size), CUDA_ERROR_OUT_OF_MEMORY);
    physical = mock__physical_new(device, size);
    MOCK__REQUIRE(physical, CUDA_ERROR_OUT_OF_MEMORY);
    physical->handle_types = (unsigned) prop->requestedHandleTypes & FILE_DESCRIPTOR;
    if (!find_bytes(physical)) {
        mock__object_free(physical);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    physical->properties = *prop;
    /* Compression may be asked for, but the mock does not have it. */
    physical->properties.allocFlags.compressionType = 0;
    mock__made(&physical->checked.made, "cuMemCreate");
    device->used_bytes += size;
    mock__stats_came(size);
    *handle = physical->object.handle;
    return CUDA_SUCCESS;
}

CUresult mock_cuMemRelease(CUmemGenericAllocationHandle handle)
{
    struct mock__physical *physical;

    MOCK__ENTER();
    physical = mock__physical_find(handle);
    MOCK__REQUIRE(physical, CUDA_ERROR_INVALID_VALUE);
    physical->handles--;
    mock__physical_settle(physical);
    return CUDA_SUCCESS;
}

CUresult mock_cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *addr)
{
    const struct mock__memory *memory;

    MOCK__ENTER();
    memory = mock__memory_find((uintptr_t) addr);
    MOCK__REQUIRE(handle && memory && memory->mapping, CUDA_ERROR_INVALID_VALUE);
    memory->mapping->physical->handles++;
    *handle = memory->mapping->physical->object.handle;
    return CUDA_SUCCESS;
}

CUresult mock_cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *prop,
                                            CUmemAllocationGranularity_flags option)
{
    MOCK__ENTER();
    MOCK__REQUIRE(granularity && prop &&
                      (option == CU_MEM_ALLOC_GRANULARITY_MINIMUM ||
                       option == CU_MEM_ALLOC_GRANULARITY_RECOMMENDED),
                  CUDA_ERROR_INVALID_VALUE);
    *granularity = MOCK__MAP_UNIT;
    return CUDA_SUCCESS;
}

CUresult mock_cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop,
                                                     CUmemGenericAllocationHandle handle)
{
    const struct mock__physical *physical;

    MOCK__ENTER();
    physical = mock__physical_find(handle);
    MOCK__REQUIRE(prop && physical && !physical->multicast, CUDA_ERROR_INVALID_VALUE);
    *prop = physical->properties;
    return CUDA_SUCCESS;
}

CUresult mock_cuMemExportToShareableHandle(void *shareableHandle,
                                           CUmemGenericAllocationHandle handle,
                                           CUmemAllocationHandleType handleType,
                                           unsigned long long flags)
{
    const struct mock__physical *physical;
    int fd;

    MOCK__ENTER();
    physical = mock__physical_find(handle);
    MOCK__REQUIRE(shareableHandle && physical && !flags, CUDA_ERROR_INVALID_VALUE);
    /* Its devices are those of one process here. */
    MOCK__REQUIRE(!physical->multicast, CUDA_ERROR_NOT_SUPPORTED);
    MOCK__REQUIRE((unsigned) handleType == FILE_DESCRIPTOR &&
                      physical->handle_types == FILE_DESCRIPTOR,
                  CUDA_ERROR_INVALID_VALUE);
    fd = fcntl(physical->fd, F_DUPFD_CLOEXEC, 0);
    MOCK__REQUIRE(fd >= 0, CUDA_ERROR_OPERATING_SYSTEM);
    memcpy(shareableHandle, &fd, sizeof(fd));
    return CUDA_SUCCESS;
}

/*
 * Returns memory of this process whose file has this descriptor, so that it is checked as the same
 * memory.
 */
static struct mock__physical *known_file(int fd)
{
    struct mock__physical *physical;

    for (size_t cursor = 0; (physical = mock__object_next(MOCK__PHYSICAL, &cursor));)
        if (physical->own_file && mock__file_same(physical->fd, fd))
            return physical;
    return NULL;
}

static CUresult import_file(int fd, struct mock__physical **ret_physical)
{
    struct mock__file_label label;
    struct mock__device *device;

    MOCK__REQUIRE(mock__file_read_label(fd, &label), CUDA_ERROR_UNKNOWN);
    MOCK__REQUIRE(label.bytes, CUDA_ERROR_NOT_SUPPORTED); /* it is that of a pool */
    device = mock__device_by_uuid(label.uuid);
    MOCK__REQUIRE(device, CUDA_ERROR_INVALID_DEVICE);
    *ret_physical = mock__physical_new(device, label.bytes);
    MOCK__REQUIRE(*ret_physical, CUDA_ERROR_OUT_OF_MEMORY);
    (*ret_physical)->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if ((*ret_physical)->fd < 0) {
        mock__object_free(*ret_physical);
        return CUDA_ERROR_OPERATING_SYSTEM;
    }
    (*ret_physical)->own_file = true;
    (*ret_physical)->imported = true;
    (*ret_physical)->handle_types = FILE_DESCRIPTOR;
    (*ret_physical)->properties = (CUmemAllocationProp){
        .type = CU_MEM_ALLOCATION_TYPE_PINNED,
        .requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
        .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device->ordinal},
    };
    (*ret_physical)->checked.begins_written = true;
    mock__made(&(*ret_physical)->checked.made, "cuMemImportFromShareableHandle");
    return CUDA_SUCCESS;
}

CUresult mock_cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *osHandle,
                                             CUmemAllocationHandleType shHandleType)
{
    const int fd = (int) (intptr_t) osHandle;
    struct mock__physical *physical;

    MOCK__ENTER();
    MOCK__REQUIRE(handle && osHandle && (unsigned) shHandleType == FILE_DESCRIPTOR,
                  CUDA_ERROR_INVALID_VALUE);
    physical = known_file(fd);
    if (physical)
        physical->handles++;
    else
        MOCK__TRY(import_file(fd, &physical));
    *handle = physical->object.handle;
    return CUDA_SUCCESS;
}
