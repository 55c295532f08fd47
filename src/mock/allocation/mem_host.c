/* SPDX-License-Identifier: MIT */
/* cuMemHost*, cuMemAllocHost, cuMemFreeHost */
#include <sys/mman.h>
#include <unistd.h>

#include "mock/allocation/host_pages.h"
#include "mock/allocation/memory.h"
#include "mock/base/state.h"
#include "mock/queue/schedule.h"
#include "mock/stream/capture.h"

#define ALLOC_FLAGS                                                                                \
    (CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED)
#define REGISTER_FLAGS                                                                             \
    (CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP | CU_MEMHOSTREGISTER_READ_ONLY)

static CUresult alloc(void **pp, size_t bytes, unsigned flags)
{
    struct mock__memory *memory = NULL;

    MOCK__ENTER_CONTEXT(context);
    MOCK__REQUIRE(pp && !(flags & ~(unsigned) ALLOC_FLAGS), CUDA_ERROR_INVALID_VALUE);
    if (!bytes) {
        *pp = NULL;
        return CUDA_SUCCESS;
    }
    /* Host memory is always mapped where addresses are unified. */
    flags |= CU_MEMHOSTALLOC_DEVICEMAP;
    MOCK__TRY(mock__capture_unsafe());
    MOCK__TRY(mock__memory_alloc_host(context, bytes, MOCK__HOST_MEMORY, flags, &memory));
    mock__made(&memory->made, "cuMemHostAlloc");
    *pp = (void *) (uintptr_t) memory->address;
    return CUDA_SUCCESS;
}

CUresult mock_cuMemAllocHost_v2(void **pp, size_t bytesize)
{
    return alloc(pp, bytesize, 0);
}

CUresult mock_cuMemHostAlloc(void **pp, size_t bytesize, unsigned int Flags)
{
    return alloc(pp, bytesize, Flags);
}

CUresult mock_cuMemFreeHost(void *p)
{
    struct mock__memory *memory;

    MOCK__ENTER();
    if (!p)
        return CUDA_SUCCESS;
    memory = mock__memory_at((uintptr_t) p);
    MOCK__REQUIRE(memory && memory->kind == MOCK__HOST_MEMORY, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__context_usable(memory->context));
    MOCK__TRY(mock__capture_unsafe());
    /* Freeing waits for everything that may use the memory. */
    mock__finish_all();
    memory = mock__memory_at((uintptr_t) p);
    MOCK__REQUIRE(memory && memory->kind == MOCK__HOST_MEMORY, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__context_usable(memory->context));
    mock__memory_free(memory);
    return CUDA_SUCCESS;
}

static const struct mock__memory *find_host(const void *p)
{
    const struct mock__memory *memory = mock__memory_find((uintptr_t) p);

    if (memory && (memory->kind == MOCK__HOST_MEMORY || memory->kind == MOCK__REGISTERED_MEMORY))
        return memory;
    return NULL;
}

CUresult mock_cuMemHostGetDevicePointer_v2(CUdeviceptr *pdptr, void *p, unsigned int Flags)
{
    MOCK__ENTER_CONTEXT(context);
    MOCK__REQUIRE(pdptr && !Flags && find_host(p), CUDA_ERROR_INVALID_VALUE);
    *pdptr = (uintptr_t) p;
    return CUDA_SUCCESS;
}

CUresult mock_cuMemHostGetFlags(unsigned int *pFlags, void *p)
{
    const struct mock__memory *memory;

    MOCK__ENTER_CONTEXT(context);
    memory = mock__memory_find((uintptr_t) p);
    MOCK__REQUIRE(pFlags && memory && memory->kind != MOCK__DEVICE_MEMORY,
                  CUDA_ERROR_INVALID_VALUE);
    *pFlags = memory->kind == MOCK__MANAGED_MEMORY ? CU_MEMHOSTALLOC_DEVICEMAP : memory->flags;
    return CUDA_SUCCESS;
}

/*
 * A driver pins the pages, so all of them have to be there, and those that devices may write have
 * to be writable. What is larger than the memory of the host is refused before that. The pages are
 * not touched: the host need not have memory for all that is registered.
 */
static CUresult check_pages(const struct mock__context *context, const void *p, size_t bytes,
                            unsigned flags)
{
    const bool read_only = flags & CU_MEMHOSTREGISTER_READ_ONLY;

    MOCK__REQUIRE(
        !read_only ||
            mock__attribute(context->device, CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED),
        CUDA_ERROR_NOT_SUPPORTED);
    MOCK__REQUIRE((bytes - 1) / (size_t) sysconf(_SC_PAGESIZE) < (size_t) sysconf(_SC_PHYS_PAGES),
                  CUDA_ERROR_OUT_OF_MEMORY);
    MOCK__REQUIRE(mock__host_pages_allow((uintptr_t) p, bytes, read_only ? PROT_READ : PROT_WRITE),
                  CUDA_ERROR_INVALID_VALUE);
    return CUDA_SUCCESS;
}

/* Tells whether the driver has made the memory at an address. */
static bool is_of_driver(const void *p)
{
    const struct mock__memory *memory = mock__memory_find((uintptr_t) p);

    return memory && memory->kind != MOCK__REGISTERED_MEMORY;
}

CUresult mock_cuMemHostRegister_v2(void *p, size_t bytesize, unsigned int Flags)
{
    struct mock__memory *memory = NULL;

    MOCK__ENTER_CONTEXT(context);
    MOCK__TRY(mock__capture_unsafe());
    MOCK__REQUIRE(p && bytesize && bytesize <= UINTPTR_MAX - (uintptr_t) p,
                  CUDA_ERROR_INVALID_VALUE);
    /* No memory of the program is that of another device. */
    MOCK__REQUIRE(!(Flags & ~(unsigned) REGISTER_FLAGS), CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(!mock__memory_reserved((uintptr_t) p) && !is_of_driver(p),
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(!mock__memory_overlaps((uintptr_t) p, bytesize),
                  CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    MOCK__TRY(check_pages(context, p, bytesize, Flags));
    Flags |= CU_MEMHOSTREGISTER_DEVICEMAP;
    MOCK__TRY(mock__memory_register(context, p, bytesize, Flags, &memory));
    mock__made(&memory->made, "cuMemHostRegister");
    return CUDA_SUCCESS;
}

/* The first version knows two flags, and looks at no other bits. */
CUresult mock_cuMemHostRegister(void *p, size_t bytesize, unsigned int Flags)
{
    return mock_cuMemHostRegister_v2(
        p, bytesize, Flags & (CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP));
}

CUresult mock_cuMemHostUnregister(void *p)
{
    struct mock__memory *memory;

    MOCK__ENTER();
    MOCK__TRY(mock__capture_unsafe());
    MOCK__REQUIRE(p && !is_of_driver(p), CUDA_ERROR_INVALID_VALUE);
    memory = mock__memory_at((uintptr_t) p);
    MOCK__REQUIRE(memory && memory->kind == MOCK__REGISTERED_MEMORY,
                  CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    MOCK__TRY(mock__context_usable(memory->context));
    mock__finish_all();
    memory = mock__memory_at((uintptr_t) p);
    MOCK__REQUIRE(memory && memory->kind == MOCK__REGISTERED_MEMORY,
                  CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    mock__memory_free(memory);
    return CUDA_SUCCESS;
}
