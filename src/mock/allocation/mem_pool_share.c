/* SPDX-License-Identifier: MIT */
/*
 * cuMemPoolExport*, cuMemPoolImport*. The descriptor of a pool tells which pool it is, and the name
 * of an allocation (ipc.h) tells where its bytes are.
 */
#include <string.h>

#include "mock/allocation/ipc.h"
#include "mock/allocation/mem_file.h"
#include "mock/allocation/mem_pool.h"
#include "mock/allocation/memory.h"
#include "mock/base/state.h"
#include "mock/stream/capture.h"

enum { FILE_DESCRIPTOR = 1 };

CUresult mock_cuMemPoolExportToShareableHandle(void *handle_out, CUmemoryPool pool,
                                               CUmemAllocationHandleType handleType,
                                               unsigned long long flags)
{
    struct mock__pool *found;
    int fd;

    MOCK__ENTER();
    MOCK__TRY(mock__capture_unsafe());
    found = mock__pool_find(pool);
    MOCK__REQUIRE(handle_out && found && !flags && !found->imported &&
                      (unsigned) handleType == FILE_DESCRIPTOR &&
                      found->handle_types & FILE_DESCRIPTOR,
                  CUDA_ERROR_INVALID_VALUE);
    fd = mock__file_new(0, found->device->profile->uuid);
    MOCK__REQUIRE(fd >= 0, CUDA_ERROR_OPERATING_SYSTEM);
    memcpy(handle_out, &fd, sizeof(fd));
    found->exported = true;
    return CUDA_SUCCESS;
}

CUresult mock_cuMemPoolImportFromShareableHandle(CUmemoryPool *pool_out, void *handle,
                                                 CUmemAllocationHandleType handleType,
                                                 unsigned long long flags)
{
    struct mock__file_label label;
    struct mock__device *device;
    struct mock__pool *pool;

    MOCK__ENTER();
    MOCK__TRY(mock__capture_unsafe());
    MOCK__REQUIRE(pool_out && !flags && (unsigned) handleType == FILE_DESCRIPTOR && handle,
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(mock__file_read_label((int) (intptr_t) handle, &label), CUDA_ERROR_UNKNOWN);
    MOCK__REQUIRE(!label.bytes, CUDA_ERROR_NOT_SUPPORTED);
    device = mock__device_by_uuid(label.uuid);
    MOCK__REQUIRE(device, CUDA_ERROR_INVALID_DEVICE);
    pool = mock__pool_new(device);
    MOCK__REQUIRE(pool, CUDA_ERROR_OUT_OF_MEMORY);
    pool->imported = true;
    pool->handle_types = FILE_DESCRIPTOR;
    mock__made(&pool->object.made, "cuMemPoolImportFromShareableHandle");
    *pool_out = MOCK__HANDLE(pool);
    return CUDA_SUCCESS;
}

/* The pool is exported before its memory is. */
CUresult mock_cuMemPoolExportPointer(CUmemPoolPtrExportData *shareData_out, CUdeviceptr ptr)
{
    const struct mock__memory *memory;
    struct mock__name name;

    MOCK__ENTER();
    MOCK__TRY(mock__capture_unsafe());
    memory = mock__memory_at(ptr);
    MOCK__REQUIRE(shareData_out && memory && memory->pool && !memory->being_freed &&
                      memory->pool->exported,
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__name_of(memory, &name));
    memcpy(shareData_out, &name, sizeof(name));
    return CUDA_SUCCESS;
}

/*
 * The memory is freed like other memory. It must be freed before the process that made it frees it.
 */
CUresult mock_cuMemPoolImportPointer(CUdeviceptr *ptr_out, CUmemoryPool pool,
                                     CUmemPoolPtrExportData *shareData)
{
    struct mock__memory *memory = NULL;
    struct mock__pool *found;
    struct mock__context *context = NULL;
    struct mock__name name;

    MOCK__ENTER();
    MOCK__TRY(mock__capture_unsafe());
    found = mock__pool_find(pool);
    MOCK__REQUIRE(ptr_out && shareData && found && found->imported, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__context_current(&context));
    memcpy(&name, shareData, sizeof(name));
    MOCK__TRY(mock__name_open(context, &name, &memory));
    if (!memory->pool) {
        mock__made(&memory->made, "cuMemPoolImportPointer");
        memory->owned = false;
        mock__pool_charge(found, memory);
    }
    *ptr_out = memory->address;
    return CUDA_SUCCESS;
}
