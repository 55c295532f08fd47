/* SPDX-License-Identifier: MIT */
/* The part of cu.h for modules, functions, libraries, the linker and launches. */
#ifndef CUSHIM_CORE_CU_CU_MODULE_H
#define CUSHIM_CORE_CU_CU_MODULE_H

#include "core/cu/cu.h"

#ifndef CUSHIM__CU_CHECK
typedef struct CUlib_st *CUlibrary;
typedef struct CUkern_st *CUkernel;
typedef struct CUlinkState_st *CUlinkState;
#endif

/* Has the layout of CUlaunchAttribute. */
struct cushim__cu_attribute {
    int id;
    char pad[8 - sizeof(int)];
    union cushim__cu_attribute_value value;
};

/* Has the layout of CUlaunchConfig. */
struct cushim__cu_launch {
    unsigned grid[3], block[3], shared_bytes;
    CUstream stream;
    struct cushim__cu_attribute *attributes;
    unsigned n_attributes;
};

typedef size_t(CUDA_CB *cushim__cu_block_to_shared)(int block);

/* X(exported name, parameters). */
#define CUSHIM__CU_MODULE_MAP(X)                                                                   \
    X(cuModuleLoadDataEx,                                                                          \
      (CUmodule *, const void *, unsigned, CU_TYPE(CUjit_option, int) *, void **) )                \
    X(cuModuleUnload, (CUmodule))                                                                  \
    X(cuModuleGetFunction, (CUfunction *, CUmodule, const char *) )                                \
    X(cuModuleGetGlobal_v2, (CUdeviceptr *, size_t *, CUmodule, const char *) )                    \
    X(cuModuleGetFunctionCount, (unsigned *, CUmodule))                                            \
    X(cuModuleEnumerateFunctions, (CUfunction *, unsigned, CUmodule))                              \
    X(cuFuncGetName, (const char **, CUfunction))                                                  \
    X(cuFuncGetParamInfo, (CUfunction, size_t, size_t *, size_t *) )                               \
    X(cuFuncGetAttribute, (int *, CU_ENUM(CUfunction_attribute), CUfunction))                      \
    X(cuFuncSetAttribute, (CUfunction, CU_ENUM(CUfunction_attribute), int) )                       \
    X(cuFuncSetCacheConfig, (CUfunction, CU_ENUM(CUfunc_cache)))                                   \
    X(cuFuncSetSharedMemConfig, (CUfunction, CU_ENUM(CUsharedconfig)))                             \
    X(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,                                        \
      (int *, CUfunction, int, size_t, unsigned) )                                                 \
    X(cuOccupancyMaxPotentialBlockSizeWithFlags,                                                   \
      (int *, int *, CUfunction, cushim__cu_block_to_shared, size_t, int, unsigned) )              \
    X(cuOccupancyAvailableDynamicSMemPerBlock, (size_t *, CUfunction, int, int) )                  \
    X(cuOccupancyMaxActiveClusters,                                                                \
      (int *, CUfunction, const CU_TYPE(CUlaunchConfig, struct cushim__cu_launch) *) )             \
    X(cuOccupancyMaxPotentialClusterSize,                                                          \
      (int *, CUfunction, const CU_TYPE(CUlaunchConfig, struct cushim__cu_launch) *) )             \
    X(cuLinkCreate_v2, (unsigned, CU_TYPE(CUjit_option, int) *, void **, CUlinkState *) )          \
    X(cuLinkAddData_v2, (CUlinkState, CU_ENUM(CUjitInputType), void *, size_t, const char *,       \
                         unsigned, CU_TYPE(CUjit_option, int) *, void **) )                        \
    X(cuLinkComplete, (CUlinkState, void **, size_t *) )                                           \
    X(cuLinkDestroy, (CUlinkState))                                                                \
    X(cuLibraryLoadData, (CUlibrary *, const void *, CU_TYPE(CUjit_option, int) *, void **,        \
                          unsigned, CU_TYPE(CUlibraryOption, int) *, void **, unsigned) )          \
    X(cuLibraryUnload, (CUlibrary))                                                                \
    X(cuLibraryGetModule, (CUmodule *, CUlibrary))                                                 \
    X(cuLibraryGetKernel, (CUkernel *, CUlibrary, const char *) )                                  \
    X(cuLibraryGetKernelCount, (unsigned *, CUlibrary))                                            \
    X(cuLibraryEnumerateKernels, (CUkernel *, unsigned, CUlibrary))                                \
    X(cuKernelGetName, (const char **, CUkernel))                                                  \
    X(cuKernelGetFunction, (CUfunction *, CUkernel))                                               \
    X(cuKernelGetAttribute, (int *, CU_ENUM(CUfunction_attribute), CUkernel, CUdevice))            \
    X(cuKernelSetAttribute, (CU_ENUM(CUfunction_attribute), int, CUkernel, CUdevice))              \
    X(cuKernelSetCacheConfig, (CUkernel, CU_ENUM(CUfunc_cache), CUdevice))                         \
    X(cuLaunchKernel, (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,     \
                       unsigned, CUstream, void **, void **) )                                     \
    X(cuLaunchCooperativeKernel, (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned,    \
                                  unsigned, unsigned, CUstream, void **) )                         \
    X(cuLaunchKernelEx,                                                                            \
      (const CU_TYPE(CUlaunchConfig, struct cushim__cu_launch) *, CUfunction, void **, void **) )

#define CUSHIM__CU_FN(name, parameters) typedef CU_ENUM(CUresult) cu_fn_##name parameters;
CUSHIM__CU_MODULE_MAP(CUSHIM__CU_FN)
#undef CUSHIM__CU_FN

/* X(name, value). All of them are in the headers of CUDA 11.3. */
#define CUSHIM__CU_MODULE_CONSTANT_MAP(X)                                                          \
    X(CUDA_ERROR_INVALID_IMAGE, 200)                                                               \
    X(CUDA_ERROR_NOT_FOUND, 500)                                                                   \
    X(CU_JIT_MAX_REGISTERS, 0)                                                                     \
    X(CU_JIT_THREADS_PER_BLOCK, 1)                                                                 \
    X(CU_JIT_WALL_TIME, 2)                                                                         \
    X(CU_JIT_INFO_LOG_BUFFER, 3)                                                                   \
    X(CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, 4)                                                        \
    X(CU_JIT_ERROR_LOG_BUFFER, 5)                                                                  \
    X(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, 6)                                                       \
    X(CU_JIT_OPTIMIZATION_LEVEL, 7)                                                                \
    X(CU_JIT_TARGET, 9)                                                                            \
    X(CU_JIT_FALLBACK_STRATEGY, 10)                                                                \
    X(CU_JIT_GENERATE_DEBUG_INFO, 11)                                                              \
    X(CU_JIT_LOG_VERBOSE, 12)                                                                      \
    X(CU_JIT_GENERATE_LINE_INFO, 13)                                                               \
    X(CU_JIT_CACHE_MODE, 14)                                                                       \
    X(CU_JIT_INPUT_CUBIN, 0)                                                                       \
    X(CU_JIT_INPUT_PTX, 1)                                                                         \
    X(CU_JIT_INPUT_FATBINARY, 2)                                                                   \
    X(CU_JIT_INPUT_OBJECT, 3)                                                                      \
    X(CU_JIT_INPUT_LIBRARY, 4)                                                                     \
    X(CU_JIT_INPUT_NVVM, 5)                                                                        \
    X(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 0)                                                  \
    X(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 1)                                                      \
    X(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, 2)                                                       \
    X(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, 3)                                                       \
    X(CU_FUNC_ATTRIBUTE_NUM_REGS, 4)                                                               \
    X(CU_FUNC_ATTRIBUTE_PTX_VERSION, 5)                                                            \
    X(CU_FUNC_ATTRIBUTE_BINARY_VERSION, 6)                                                         \
    X(CU_FUNC_ATTRIBUTE_CACHE_MODE_CA, 7)                                                          \
    X(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 8)                                          \
    X(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 9)

#ifndef CUSHIM__CU_CHECK
enum {
#define CUSHIM__CU_CONSTANT(name, value) name = (value),
    CUSHIM__CU_MODULE_CONSTANT_MAP(CUSHIM__CU_CONSTANT)
#undef CUSHIM__CU_CONSTANT
};
#endif

/* X(name, value, the first CUDA version whose headers have it). */
#define CUSHIM__CU_LATER_CONSTANT_MAP(X)                                                           \
    X(CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, 1, 11080)                                          \
    X(CU_LAUNCH_ATTRIBUTE_COOPERATIVE, 2, 11080)                                                   \
    X(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, 4, 11080)                                             \
    X(CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, 5, 11080)                          \
    X(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, 6, 11080)                             \
    X(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT, 7, 11080)                                            \
    X(CU_LAUNCH_ATTRIBUTE_PRIORITY, 8, 11080)                                                      \
    X(CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, 9, 12000)                                           \
    X(CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN, 10, 12000)                                              \
    X(CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION, 11, 12080)                                  \
    X(CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT, 12, 12030)                                      \
    X(CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, 13, 12040)                                 \
    X(CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 14, 12050)                             \
    X(CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING, 16, 13000)                               \
    X(CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET, 10, 11080)                                       \
    X(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, 11, 11080)                                         \
    X(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, 12, 11080)                                        \
    X(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH, 13, 11080)                                         \
    X(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 14, 11080)                              \
    X(CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, 15, 11080)                           \
    X(CU_JIT_POSITION_INDEPENDENT_CODE, 30, 12000)                                                 \
    X(CU_JIT_MIN_CTA_PER_SM, 31, 12030)                                                            \
    X(CU_JIT_MAX_THREADS_PER_BLOCK, 32, 12030)                                                     \
    X(CU_JIT_OVERRIDE_DIRECTIVE_VALUES, 33, 12030)                                                 \
    X(CU_JIT_SPLIT_COMPILE, 34, 13000)

#ifndef CUSHIM__CU_CHECK
enum {
#define CUSHIM__CU_CONSTANT(name, value, version) name = (value),
    CUSHIM__CU_LATER_CONSTANT_MAP(CUSHIM__CU_CONSTANT)
#undef CUSHIM__CU_CONSTANT
};
#endif

#endif
