/* SPDX-License-Identifier: MIT */
/* The part of cu.h for copies of rows and layers. */
#ifndef CUSHIM_CORE_CU_CU_MEMORY_H
#define CUSHIM_CORE_CU_CU_MEMORY_H

#include "core/cu/cu.h"

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

/* X(exported name, parameters). */
#define CUSHIM__CU_MEMORY_MAP(X)                                                                   \
    X(cuMemcpy3DAsync_v2, (const CU_TYPE(CUDA_MEMCPY3D, struct cushim__cu_copy) *, CUstream))      \
    X(cuMemcpy3DPeerAsync, (const CU_TYPE(CUDA_MEMCPY3D_PEER, struct cushim__cu_copy) *, CUstream))

#define CUSHIM__CU_FN(name, parameters) typedef CU_ENUM(CUresult) cu_fn_##name parameters;
CUSHIM__CU_MEMORY_MAP(CUSHIM__CU_FN)
#undef CUSHIM__CU_FN

/* X(name, value). All of them are in the headers of CUDA 11.3. */
#define CUSHIM__CU_MEMORY_CONSTANT_MAP(X) X(CU_MEMORYTYPE_DEVICE, 2)

#ifndef CUSHIM__CU_CHECK
enum {
#define CUSHIM__CU_CONSTANT(name, value) name = (value),
    CUSHIM__CU_MEMORY_CONSTANT_MAP(CUSHIM__CU_CONSTANT)
#undef CUSHIM__CU_CONSTANT
};
#endif

#endif
