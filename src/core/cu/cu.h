/* SPDX-License-Identifier: MIT */
/*
 * The driver's functions, types and constants that the safe layer uses, declared with the same
 * binary layout. So cushim is built without CUDA's headers, and is the same whatever toolkit is
 * installed. tests/safe/cu.c compiles this header together with the real cuda.h and compares both.
 *
 * The names are those of CUDA. Handles have the same types as in cuda.h, and enumerations are int.
 * Other differences are written as CU_TYPE(CUDA's type, our type).
 */
#ifndef CUSHIM_CORE_CU_CU_H
#define CUSHIM_CORE_CU_CU_H

#include <stddef.h>
#include <stdint.h>

#include <cushim/rows.h>

#ifndef CUSHIM__CU_CHECK
#define CU_TYPE(real, ours) ours
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
#define CUDA_CB
#endif

#define CU_ENUM(real) CU_TYPE(real, int)

/* Has the layout of CUuuid. */
struct cushim__cu_uuid {
    char bytes[16];
};

/*
 * Has the layout of CUlaunchAttributeValue, a union of 64 bytes. CUstreamAttrValue is another name
 * for it; before CUDA 11.8 that union was smaller.
 */
union cushim__cu_attribute_value {
    char pad[64];
    int number;
    unsigned dimensions[3];
    struct {
        void *base;
        size_t bytes;
        float hit_ratio;
        int hit, miss;
    } window;
    struct {
        CUevent event;
        int flags, at_block_start;
    } event;
    struct {
        unsigned char local, remote;
    } domains;
    struct {
        int updatable;
        void *node;
    } node;
};

typedef void(CUDA_CB *cushim__cu_host_fn)(void *user);

/* X(exported name, parameters). Each function returns a CUresult. */
#define CUSHIM__CU_MAP(X)                                                                          \
    X(cuDeviceGet, (CUdevice *, int) )                                                             \
    X(cuDeviceGetCount, (int *) )                                                                  \
    X(cuDeviceGetName, (char *, int, CUdevice))                                                    \
    X(cuDeviceGetUuid, (CU_TYPE(CUuuid, struct cushim__cu_uuid) *, CUdevice))                      \
    X(cuDeviceTotalMem_v2, (size_t *, CUdevice))                                                   \
    X(cuDeviceGetAttribute, (int *, CU_ENUM(CUdevice_attribute), CUdevice))                        \
    X(cuDeviceGetPCIBusId, (char *, int, CUdevice))                                                \
    X(cuDeviceGetByPCIBusId, (CUdevice *, const char *) )                                          \
    X(cuDeviceCanAccessPeer, (int *, CUdevice, CUdevice))                                          \
    X(cuDevicePrimaryCtxRetain, (CUcontext *, CUdevice))                                           \
    X(cuDevicePrimaryCtxRelease_v2, (CUdevice))                                                    \
    X(cuDevicePrimaryCtxReset_v2, (CUdevice))                                                      \
    X(cuDevicePrimaryCtxSetFlags_v2, (CUdevice, unsigned) )                                        \
    X(cuDevicePrimaryCtxGetState, (CUdevice, unsigned *, int *) )                                  \
    X(cuCtxCreate_v2, (CUcontext *, unsigned, CUdevice))                                           \
    X(cuCtxDestroy_v2, (CUcontext))                                                                \
    X(cuCtxGetCurrent, (CUcontext *) )                                                             \
    X(cuCtxSetCurrent, (CUcontext))                                                                \
    X(cuCtxPushCurrent_v2, (CUcontext))                                                            \
    X(cuCtxPopCurrent_v2, (CUcontext *) )                                                          \
    X(cuCtxGetDevice, (CUdevice *) )                                                               \
    X(cuCtxGetFlags, (unsigned *) )                                                                \
    X(cuCtxSetFlags, (unsigned) )                                                                  \
    X(cuCtxGetApiVersion, (CUcontext, unsigned *) )                                                \
    X(cuCtxGetLimit, (size_t *, CU_ENUM(CUlimit)))                                                 \
    X(cuCtxSetLimit, (CU_ENUM(CUlimit), size_t))                                                   \
    X(cuCtxGetCacheConfig, (CU_ENUM(CUfunc_cache) *) )                                             \
    X(cuCtxSetCacheConfig, (CU_ENUM(CUfunc_cache)))                                                \
    X(cuCtxGetSharedMemConfig, (CU_ENUM(CUsharedconfig) *) )                                       \
    X(cuCtxSetSharedMemConfig, (CU_ENUM(CUsharedconfig)))                                          \
    X(cuCtxGetStreamPriorityRange, (int *, int *) )                                                \
    X(cuCtxResetPersistingL2Cache, (void) )                                                        \
    X(cuCtxSynchronize, (void) )                                                                   \
    X(cuCtxEnablePeerAccess, (CUcontext, unsigned) )                                               \
    X(cuCtxDisablePeerAccess, (CUcontext))                                                         \
    X(cuMemGetInfo_v2, (size_t *, size_t *) )                                                      \
    X(cuMemGetAddressRange_v2, (CUdeviceptr *, size_t *, CUdeviceptr))                             \
    X(cuStreamCreateWithPriority, (CUstream *, unsigned, int) )                                    \
    X(cuStreamSetAttribute,                                                                        \
      (CUstream, CU_ENUM(CUstreamAttrID),                                                          \
       const CU_TYPE(CUstreamAttrValue, union cushim__cu_attribute_value) *) )                     \
    X(cuStreamGetAttribute, (CUstream, CU_ENUM(CUstreamAttrID),                                    \
                             CU_TYPE(CUstreamAttrValue, union cushim__cu_attribute_value) *) )     \
    X(cuStreamCopyAttributes, (CUstream, CUstream))                                                \
    X(cuStreamDestroy_v2, (CUstream))                                                              \
    X(cuStreamGetCtx, (CUstream, CUcontext *) )                                                    \
    X(cuStreamGetFlags, (CUstream, unsigned *) )                                                   \
    X(cuStreamGetPriority, (CUstream, int *) )                                                     \
    X(cuStreamIsCapturing, (CUstream, CU_ENUM(CUstreamCaptureStatus) *) )                          \
    X(cuStreamQuery, (CUstream))                                                                   \
    X(cuStreamSynchronize, (CUstream))                                                             \
    X(cuStreamWaitEvent, (CUstream, CUevent, unsigned) )                                           \
    X(cuStreamAttachMemAsync, (CUstream, CUdeviceptr, size_t, unsigned) )                          \
    X(cuLaunchHostFunc, (CUstream, cushim__cu_host_fn, void *) )                                   \
    X(cuEventCreate, (CUevent *, unsigned) )                                                       \
    X(cuEventDestroy_v2, (CUevent))                                                                \
    X(cuEventRecord, (CUevent, CUstream))                                                          \
    X(cuEventQuery, (CUevent))                                                                     \
    X(cuEventSynchronize, (CUevent))                                                               \
    X(cuEventElapsedTime, (float *, CUevent, CUevent))                                             \
    X(cuMemAlloc_v2, (CUdeviceptr *, size_t))                                                      \
    X(cuMemFree_v2, (CUdeviceptr))                                                                 \
    X(cuMemAllocAsync, (CUdeviceptr *, size_t, CUstream))                                          \
    X(cuMemFreeAsync, (CUdeviceptr, CUstream))                                                     \
    X(cuMemAllocManaged, (CUdeviceptr *, size_t, unsigned) )                                       \
    X(cuMemHostAlloc, (void **, size_t, unsigned) )                                                \
    X(cuMemFreeHost, (void *) )                                                                    \
    X(cuMemHostGetDevicePointer_v2, (CUdeviceptr *, void *, unsigned) )                            \
    X(cuMemPrefetchAsync, (CUdeviceptr, size_t, CUdevice, CUstream))                               \
    X(cuMemAdvise, (CUdeviceptr, size_t, CU_ENUM(CUmem_advise), CUdevice))                         \
    X(cuPointerGetAttribute, (void *, CU_ENUM(CUpointer_attribute), CUdeviceptr))                  \
    X(cuMemcpyAsync, (CUdeviceptr, CUdeviceptr, size_t, CUstream))                                 \
    X(cuMemcpyHtoDAsync_v2, (CUdeviceptr, const void *, size_t, CUstream))                         \
    X(cuMemcpyDtoHAsync_v2, (void *, CUdeviceptr, size_t, CUstream))                               \
    X(cuMemcpyDtoDAsync_v2, (CUdeviceptr, CUdeviceptr, size_t, CUstream))                          \
    X(cuMemcpyPeerAsync, (CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, size_t, CUstream))       \
    X(cuMemsetD8Async, (CUdeviceptr, unsigned char, size_t, CUstream))                             \
    X(cuMemsetD16Async, (CUdeviceptr, unsigned short, size_t, CUstream))                           \
    X(cuMemsetD32Async, (CUdeviceptr, unsigned, size_t, CUstream))                                 \
    X(cuMemsetD2D8Async, (CUdeviceptr, size_t, unsigned char, size_t, size_t, CUstream))           \
    X(cuMemsetD2D16Async, (CUdeviceptr, size_t, unsigned short, size_t, size_t, CUstream))         \
    X(cuMemsetD2D32Async, (CUdeviceptr, size_t, unsigned, size_t, size_t, CUstream))

/* Declares the type of each function: cu_fn_cuCtxSynchronize is that of cuCtxSynchronize(). */
#define CUSHIM__CU_FN(name, parameters) typedef CU_ENUM(CUresult) cu_fn_##name parameters;
CUSHIM__CU_MAP(CUSHIM__CU_FN)
#undef CUSHIM__CU_FN

/* X(name, value). All of them are in the headers of CUDA 11.3. */
#define CUSHIM__CU_CONSTANT_MAP(X)                                                                 \
    X(CUDA_ERROR_INVALID_VALUE, 1)                                                                 \
    X(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, 901)                                                  \
    X(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, 910)                                                   \
    X(CUDA_ERROR_OUT_OF_MEMORY, 2)                                                                 \
    X(CUDA_ERROR_DEINITIALIZED, 4)                                                                 \
    X(CUDA_ERROR_INVALID_DEVICE, 101)                                                              \
    X(CUDA_ERROR_INVALID_CONTEXT, 201)                                                             \
    X(CUDA_ERROR_ECC_UNCORRECTABLE, 214)                                                           \
    X(CUDA_ERROR_INVALID_HANDLE, 400)                                                              \
    X(CUDA_ERROR_NOT_READY, 600)                                                                   \
    X(CUDA_ERROR_ILLEGAL_ADDRESS, 700)                                                             \
    X(CUDA_ERROR_LAUNCH_TIMEOUT, 702)                                                              \
    X(CUDA_ERROR_CONTEXT_IS_DESTROYED, 709)                                                        \
    X(CUDA_ERROR_ASSERT, 710)                                                                      \
    X(CUDA_ERROR_HARDWARE_STACK_ERROR, 714)                                                        \
    X(CUDA_ERROR_ILLEGAL_INSTRUCTION, 715)                                                         \
    X(CUDA_ERROR_MISALIGNED_ADDRESS, 716)                                                          \
    X(CUDA_ERROR_INVALID_ADDRESS_SPACE, 717)                                                       \
    X(CUDA_ERROR_INVALID_PC, 718)                                                                  \
    X(CUDA_ERROR_LAUNCH_FAILED, 719)                                                               \
    X(CUDA_ERROR_NOT_PERMITTED, 800)                                                               \
    X(CUDA_ERROR_NOT_SUPPORTED, 801)                                                               \
    X(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, 900)                                                  \
    X(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1)                                                \
    X(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 2)                                                      \
    X(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 3)                                                      \
    X(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 4)                                                      \
    X(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 5)                                                       \
    X(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 6)                                                       \
    X(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 7)                                                       \
    X(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 8)                                          \
    X(CU_DEVICE_ATTRIBUTE_WARP_SIZE, 10)                                                           \
    X(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, 14)                                                   \
    X(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 16)                                                \
    X(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 75)                                            \
    X(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 76)                                            \
    X(CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 83)                                                      \
    X(CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 89)                                           \
    X(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 95)                                                  \
    X(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 97)                                   \
    X(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 102)                                \
    X(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 115)                                             \
    X(CU_STREAM_NON_BLOCKING, 1)                                                                   \
    X(CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, 1)                                                 \
    X(CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, 3)                                               \
    X(CU_EVENT_BLOCKING_SYNC, 1)                                                                   \
    X(CU_EVENT_DISABLE_TIMING, 2)                                                                  \
    X(CU_STREAM_CAPTURE_STATUS_NONE, 0)                                                            \
    X(CU_STREAM_CAPTURE_STATUS_ACTIVE, 1)                                                          \
    X(CU_STREAM_CAPTURE_STATUS_INVALIDATED, 2)                                                     \
    X(CU_MEMHOSTALLOC_PORTABLE, 1)                                                                 \
    X(CU_MEMHOSTALLOC_DEVICEMAP, 2)                                                                \
    X(CU_MEMHOSTALLOC_WRITECOMBINED, 4)                                                            \
    X(CU_MEM_ATTACH_GLOBAL, 1)                                                                     \
    X(CU_MEM_ATTACH_HOST, 2)                                                                       \
    X(CU_MEM_ATTACH_SINGLE, 4)                                                                     \
    X(CU_POINTER_ATTRIBUTE_CONTEXT, 1)                                                             \
    X(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 2)                                                         \
    X(CU_MEMORYTYPE_HOST, 1)

#ifndef CUSHIM__CU_CHECK
enum {
#define CUSHIM__CU_CONSTANT(name, value) name = (value),
    CUSHIM__CU_CONSTANT_MAP(CUSHIM__CU_CONSTANT)
#undef CUSHIM__CU_CONSTANT
};
#define CU_STREAM_PER_THREAD ((CUstream) 2)
#define CU_STREAM_LEGACY     ((CUstream) 1)
#endif

/* Attributes of streams that came with CUDA 11.8 and 12.0. */
enum {
    CUSHIM__CU_STREAM_ATTRIBUTE_PRIORITY = 8,
    CUSHIM__CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP = 9,
    CUSHIM__CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN = 10,
};

/* An attribute of cuDeviceGetAttribute(), and a result, that came with CUDA 11.8. */
enum { CUSHIM__CU_ATTRIBUTE_CLUSTER_LAUNCH = 120, CUSHIM__CU_INVALID_CLUSTER_SIZE = 912 };

/* A function of a table, converted to its type. */
#define CU_FN(table, name) ((cu_fn_##name *) (table)[CUSHIM_ROW_##name])

#endif
