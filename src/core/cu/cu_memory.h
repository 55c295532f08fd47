/* SPDX-License-Identifier: MIT */
/*
 * The part of cu.h for copies of rows and layers, for memory pools, and for memory and semaphores
 * of other processes and interfaces.
 */
#ifndef CUSHIM_CORE_CU_CU_MEMORY_H
#define CUSHIM_CORE_CU_CU_MEMORY_H

#include "core/cu/cu.h"

#ifndef CUSHIM__CU_CHECK
typedef struct CUmemPoolHandle_st *CUmemoryPool;
typedef struct CUextMemory_st *CUexternalMemory;
typedef struct CUextSemaphore_st *CUexternalSemaphore;
#endif

/* One end of a copy of rows and layers. */
struct cushim__cu_end {
    size_t x, y, z, level;
    int memory; /* CU_MEMORYTYPE_x */
    const void *host;
    CUdeviceptr device;
    void *array;
    CUcontext context; /* for copies between contexts, otherwise NULL */
    size_t pitch, layer_rows;
};

/* Has the layout of CUDA_MEMCPY3D and of CUDA_MEMCPY3D_PEER. */
struct cushim__cu_copy {
    struct cushim__cu_end from, to;
    size_t width, height, depth;
};

/* Has the layout of CUmemLocation. */
struct cushim__cu_location {
    int type; /* CU_MEM_LOCATION_TYPE_x */
    int id;
};

/* Has the layout of CUmemPoolProps. */
struct cushim__cu_pool {
    int type;    /* CU_MEM_ALLOCATION_TYPE_x */
    int handles; /* CU_MEM_HANDLE_TYPE_x */
    struct cushim__cu_location location;
    void *security;
    size_t max_bytes; /* drivers before CUDA 12.3 want 0 */
    unsigned char reserved[56];
};

/* Has the layout of CUmemAllocationProp. */
struct cushim__cu_physical {
    int type;    /* CU_MEM_ALLOCATION_TYPE_x */
    int handles; /* CU_MEM_HANDLE_TYPE_x */
    struct cushim__cu_location location;
    void *security;
    unsigned char flags[8];
};

/* Has the layout of CUmemAccessDesc. */
struct cushim__cu_access {
    struct cushim__cu_location location;
    int flags; /* CU_MEM_ACCESS_FLAGS_x */
};

/* Has the layout of CUipcMemHandle, CUipcEventHandle and CUmemPoolPtrExportData. */
struct cushim__cu_ipc {
    char bytes[64];
};

union cushim__cu_external_handle {
    int fd;
    struct {
        const void *handle, *name;
    } pointers;
};

/* Has the layout of CUDA_EXTERNAL_MEMORY_HANDLE_DESC. */
struct cushim__cu_external_memory {
    int type;
    union cushim__cu_external_handle handle;
    unsigned long long bytes;
    unsigned flags, reserved[16];
};

/* Has the layout of CUDA_EXTERNAL_MEMORY_BUFFER_DESC. */
struct cushim__cu_external_buffer {
    unsigned long long offset, bytes;
    unsigned flags, reserved[16];
};

/* Has the layout of CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC. */
struct cushim__cu_external_semaphore {
    int type;
    union cushim__cu_external_handle handle;
    unsigned flags, reserved[16];
};

/*
 * Has the layout of CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS and CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS,
 * of which only the value of a fence is used.
 */
struct cushim__cu_external_fence {
    unsigned long long value, unused[8];
    unsigned flags, reserved[16];
};

/* X(exported name, parameters). */
#define CUSHIM__CU_MEMORY_MAP(X)                                                                   \
    X(cuMemcpy3DAsync_v2, (const CU_TYPE(CUDA_MEMCPY3D, struct cushim__cu_copy) *, CUstream))      \
    X(cuMemcpy3DPeerAsync,                                                                         \
      (const CU_TYPE(CUDA_MEMCPY3D_PEER, struct cushim__cu_copy) *, CUstream))                     \
    X(cuDeviceGetMemPool, (CUmemoryPool *, CUdevice))                                              \
    X(cuMemPoolCreate, (CUmemoryPool *, const CU_TYPE(CUmemPoolProps, struct cushim__cu_pool) *) ) \
    X(cuMemPoolDestroy, (CUmemoryPool))                                                            \
    X(cuMemPoolGetAttribute, (CUmemoryPool, CU_ENUM(CUmemPool_attribute), void *) )                \
    X(cuMemPoolSetAttribute, (CUmemoryPool, CU_ENUM(CUmemPool_attribute), void *) )                \
    X(cuMemPoolTrimTo, (CUmemoryPool, size_t))                                                     \
    X(cuMemPoolSetAccess,                                                                          \
      (CUmemoryPool, const CU_TYPE(CUmemAccessDesc, struct cushim__cu_access) *, size_t))          \
    X(cuMemPoolGetAccess, (CU_ENUM(CUmemAccess_flags) *, CUmemoryPool,                             \
                           CU_TYPE(CUmemLocation, struct cushim__cu_location) *) )                 \
    X(cuMemGetAllocationGranularity,                                                               \
      (size_t *, const CU_TYPE(CUmemAllocationProp, struct cushim__cu_physical) *,                 \
       CU_ENUM(CUmemAllocationGranularity_flags)))                                                 \
    X(cuMemAddressReserve, (CUdeviceptr *, size_t, size_t, CUdeviceptr, unsigned long long) )      \
    X(cuMemAddressFree, (CUdeviceptr, size_t))                                                     \
    X(cuMemCreate,                                                                                 \
      (unsigned long long *, size_t,                                                               \
       const CU_TYPE(CUmemAllocationProp, struct cushim__cu_physical) *, unsigned long long) )     \
    X(cuMemRelease, (unsigned long long) )                                                         \
    X(cuMemMap, (CUdeviceptr, size_t, size_t, unsigned long long, unsigned long long) )            \
    X(cuMemUnmap, (CUdeviceptr, size_t))                                                           \
    X(cuMemSetAccess,                                                                              \
      (CUdeviceptr, size_t, const CU_TYPE(CUmemAccessDesc, struct cushim__cu_access) *, size_t))   \
    X(cuMemAllocFromPoolAsync, (CUdeviceptr *, size_t, CUmemoryPool, CUstream))                    \
    X(cuMemPoolExportToShareableHandle,                                                            \
      (void *, CUmemoryPool, CU_ENUM(CUmemAllocationHandleType), unsigned long long) )             \
    X(cuMemPoolImportFromShareableHandle,                                                          \
      (CUmemoryPool *, void *, CU_ENUM(CUmemAllocationHandleType), unsigned long long) )           \
    X(cuMemPoolExportPointer,                                                                      \
      (CU_TYPE(CUmemPoolPtrExportData, struct cushim__cu_ipc) *, CUdeviceptr))                     \
    X(cuMemPoolImportPointer,                                                                      \
      (CUdeviceptr *, CUmemoryPool, CU_TYPE(CUmemPoolPtrExportData, struct cushim__cu_ipc) *) )    \
    X(cuIpcGetMemHandle, (CU_TYPE(CUipcMemHandle, struct cushim__cu_ipc) *, CUdeviceptr))          \
    X(cuIpcOpenMemHandle_v2,                                                                       \
      (CUdeviceptr *, CU_TYPE(CUipcMemHandle, struct cushim__cu_ipc), unsigned) )                  \
    X(cuIpcCloseMemHandle, (CUdeviceptr))                                                          \
    X(cuIpcGetEventHandle, (CU_TYPE(CUipcEventHandle, struct cushim__cu_ipc) *, CUevent))          \
    X(cuIpcOpenEventHandle, (CUevent *, CU_TYPE(CUipcEventHandle, struct cushim__cu_ipc)))         \
    X(cuImportExternalMemory,                                                                      \
      (CUexternalMemory *,                                                                         \
       const CU_TYPE(CUDA_EXTERNAL_MEMORY_HANDLE_DESC, struct cushim__cu_external_memory) *) )     \
    X(cuExternalMemoryGetMappedBuffer,                                                             \
      (CUdeviceptr *, CUexternalMemory,                                                            \
       const CU_TYPE(CUDA_EXTERNAL_MEMORY_BUFFER_DESC, struct cushim__cu_external_buffer) *) )     \
    X(cuDestroyExternalMemory, (CUexternalMemory))                                                 \
    X(cuImportExternalSemaphore,                                                                   \
      (CUexternalSemaphore *, const CU_TYPE(CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC,                   \
                                            struct cushim__cu_external_semaphore) *) )             \
    X(cuSignalExternalSemaphoresAsync,                                                             \
      (const CUexternalSemaphore *,                                                                \
       const CU_TYPE(CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS, struct cushim__cu_external_fence) *,   \
       unsigned, CUstream))                                                                        \
    X(cuWaitExternalSemaphoresAsync,                                                               \
      (const CUexternalSemaphore *,                                                                \
       const CU_TYPE(CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS, struct cushim__cu_external_fence) *,     \
       unsigned, CUstream))                                                                        \
    X(cuDestroyExternalSemaphore, (CUexternalSemaphore))

#define CUSHIM__CU_FN(name, parameters) typedef CU_ENUM(CUresult) cu_fn_##name parameters;
CUSHIM__CU_MEMORY_MAP(CUSHIM__CU_FN)
#undef CUSHIM__CU_FN

/* X(name, value). All of them are in the headers of CUDA 11.3. */
#define CUSHIM__CU_MEMORY_CONSTANT_MAP(X)                                                          \
    X(CU_MEMORYTYPE_DEVICE, 2)                                                                     \
    X(CU_MEM_ALLOCATION_TYPE_PINNED, 1)                                                            \
    X(CU_MEM_ALLOC_GRANULARITY_MINIMUM, 0)                                                         \
    X(CU_MEM_LOCATION_TYPE_DEVICE, 1)                                                              \
    X(CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 1)                                                 \
    X(CU_MEM_ACCESS_FLAGS_PROT_NONE, 0)                                                            \
    X(CU_MEM_ACCESS_FLAGS_PROT_READ, 1)                                                            \
    X(CU_MEM_ACCESS_FLAGS_PROT_READWRITE, 3)                                                       \
    X(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, 4)                                                        \
    X(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, 5)                                                     \
    X(CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, 6)                                                        \
    X(CU_MEMPOOL_ATTR_USED_MEM_CURRENT, 7)                                                         \
    X(CU_MEMPOOL_ATTR_USED_MEM_HIGH, 8)                                                            \
    X(CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS, 1)                                                       \
    X(CU_EVENT_INTERPROCESS, 4)                                                                    \
    X(CUDA_EXTERNAL_MEMORY_DEDICATED, 1)

#ifndef CUSHIM__CU_CHECK
enum {
#define CUSHIM__CU_CONSTANT(name, value) name = (value),
    CUSHIM__CU_MEMORY_CONSTANT_MAP(CUSHIM__CU_CONSTANT)
#undef CUSHIM__CU_CONSTANT
};
#endif

#endif
