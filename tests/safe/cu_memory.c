/* SPDX-License-Identifier: MIT */
/* core/cu/cu_memory.h against the real cuda.h: compiling this is the test. */
#include <cushim/table.h>
#include <stddef.h>
#include <stdio.h>

#define CUSHIM__CU_CHECK
#define CU_TYPE(real, ours) real
#include "core/cu/cu_memory.h"

/* An entry has the type of the function, or none where the headers are too old for it. */
#define ENTRY(name) __typeof__(((struct cushim_cuda_api *) 0)->name)
#define SAME_FUNCTION(name, parameters)                                                            \
    _Static_assert(__builtin_types_compatible_p(ENTRY(name), cu_fn_##name *) ||                    \
                       __builtin_types_compatible_p(ENTRY(name), cushim_entry),                    \
                   #name);
CUSHIM__CU_MEMORY_MAP(SAME_FUNCTION)

#define SAME_VALUE(name, value) _Static_assert((int) (name) == (value), #name);
CUSHIM__CU_MEMORY_CONSTANT_MAP(SAME_VALUE)

#define SAME_PLACE(ours, our_field, theirs, their_field)                                           \
    _Static_assert(offsetof(struct ours, our_field) == offsetof(theirs, their_field), #their_field)
#define SAME_SIZE(ours, theirs) _Static_assert(sizeof(struct ours) == sizeof(theirs), #theirs)

#define SAME_COPY(theirs)                                                                          \
    SAME_SIZE(cushim__cu_copy, theirs);                                                            \
    SAME_PLACE(cushim__cu_copy, from.x, theirs, srcXInBytes);                                      \
    SAME_PLACE(cushim__cu_copy, from.y, theirs, srcY);                                             \
    SAME_PLACE(cushim__cu_copy, from.z, theirs, srcZ);                                             \
    SAME_PLACE(cushim__cu_copy, from.level, theirs, srcLOD);                                       \
    SAME_PLACE(cushim__cu_copy, from.memory, theirs, srcMemoryType);                               \
    SAME_PLACE(cushim__cu_copy, from.host, theirs, srcHost);                                       \
    SAME_PLACE(cushim__cu_copy, from.device, theirs, srcDevice);                                   \
    SAME_PLACE(cushim__cu_copy, from.array, theirs, srcArray);                                     \
    SAME_PLACE(cushim__cu_copy, from.pitch, theirs, srcPitch);                                     \
    SAME_PLACE(cushim__cu_copy, from.layer_rows, theirs, srcHeight);                               \
    SAME_PLACE(cushim__cu_copy, to.x, theirs, dstXInBytes);                                        \
    SAME_PLACE(cushim__cu_copy, to.memory, theirs, dstMemoryType);                                 \
    SAME_PLACE(cushim__cu_copy, to.host, theirs, dstHost);                                         \
    SAME_PLACE(cushim__cu_copy, to.device, theirs, dstDevice);                                     \
    SAME_PLACE(cushim__cu_copy, to.pitch, theirs, dstPitch);                                       \
    SAME_PLACE(cushim__cu_copy, to.layer_rows, theirs, dstHeight);                                 \
    SAME_PLACE(cushim__cu_copy, width, theirs, WidthInBytes);                                      \
    SAME_PLACE(cushim__cu_copy, height, theirs, Height);                                           \
    SAME_PLACE(cushim__cu_copy, depth, theirs, Depth)
SAME_COPY(CUDA_MEMCPY3D);
SAME_COPY(CUDA_MEMCPY3D_PEER);
SAME_PLACE(cushim__cu_copy, from.context, CUDA_MEMCPY3D, reserved0);
SAME_PLACE(cushim__cu_copy, from.context, CUDA_MEMCPY3D_PEER, srcContext);
SAME_PLACE(cushim__cu_copy, to.context, CUDA_MEMCPY3D, reserved1);
SAME_PLACE(cushim__cu_copy, to.context, CUDA_MEMCPY3D_PEER, dstContext);

SAME_SIZE(cushim__cu_location, CUmemLocation);
SAME_PLACE(cushim__cu_location, type, CUmemLocation, type);
SAME_PLACE(cushim__cu_location, id, CUmemLocation, id);
SAME_SIZE(cushim__cu_physical, CUmemAllocationProp);
SAME_PLACE(cushim__cu_physical, type, CUmemAllocationProp, type);
SAME_PLACE(cushim__cu_physical, handles, CUmemAllocationProp, requestedHandleTypes);
SAME_PLACE(cushim__cu_physical, location, CUmemAllocationProp, location);
SAME_PLACE(cushim__cu_physical, security, CUmemAllocationProp, win32HandleMetaData);
SAME_PLACE(cushim__cu_physical, flags, CUmemAllocationProp, allocFlags);
SAME_SIZE(cushim__cu_pool, CUmemPoolProps);
SAME_PLACE(cushim__cu_pool, type, CUmemPoolProps, allocType);
SAME_PLACE(cushim__cu_pool, handles, CUmemPoolProps, handleTypes);
SAME_PLACE(cushim__cu_pool, location, CUmemPoolProps, location);
SAME_PLACE(cushim__cu_pool, security, CUmemPoolProps, win32SecurityAttributes);
#if CUDA_VERSION >= 12030
SAME_PLACE(cushim__cu_pool, max_bytes, CUmemPoolProps, maxSize);
#endif
SAME_SIZE(cushim__cu_access, CUmemAccessDesc);
SAME_PLACE(cushim__cu_access, location, CUmemAccessDesc, location);
SAME_PLACE(cushim__cu_access, flags, CUmemAccessDesc, flags);
SAME_SIZE(cushim__cu_ipc, CUipcMemHandle);
SAME_SIZE(cushim__cu_ipc, CUipcEventHandle);
SAME_SIZE(cushim__cu_ipc, CUmemPoolPtrExportData);
SAME_SIZE(cushim__cu_external_memory, CUDA_EXTERNAL_MEMORY_HANDLE_DESC);
SAME_PLACE(cushim__cu_external_memory, type, CUDA_EXTERNAL_MEMORY_HANDLE_DESC, type);
SAME_PLACE(cushim__cu_external_memory, handle.fd, CUDA_EXTERNAL_MEMORY_HANDLE_DESC, handle.fd);
SAME_PLACE(cushim__cu_external_memory, handle.pointers.handle, CUDA_EXTERNAL_MEMORY_HANDLE_DESC,
           handle.win32.handle);
SAME_PLACE(cushim__cu_external_memory, handle.pointers.handle, CUDA_EXTERNAL_MEMORY_HANDLE_DESC,
           handle.nvSciBufObject);
SAME_PLACE(cushim__cu_external_memory, handle.pointers.name, CUDA_EXTERNAL_MEMORY_HANDLE_DESC,
           handle.win32.name);
SAME_PLACE(cushim__cu_external_memory, bytes, CUDA_EXTERNAL_MEMORY_HANDLE_DESC, size);
SAME_PLACE(cushim__cu_external_memory, flags, CUDA_EXTERNAL_MEMORY_HANDLE_DESC, flags);
SAME_SIZE(cushim__cu_external_buffer, CUDA_EXTERNAL_MEMORY_BUFFER_DESC);
SAME_PLACE(cushim__cu_external_buffer, offset, CUDA_EXTERNAL_MEMORY_BUFFER_DESC, offset);
SAME_PLACE(cushim__cu_external_buffer, bytes, CUDA_EXTERNAL_MEMORY_BUFFER_DESC, size);
SAME_PLACE(cushim__cu_external_buffer, flags, CUDA_EXTERNAL_MEMORY_BUFFER_DESC, flags);
SAME_SIZE(cushim__cu_external_semaphore, CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC);
SAME_PLACE(cushim__cu_external_semaphore, handle.fd, CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC,
           handle.fd);
SAME_PLACE(cushim__cu_external_semaphore, flags, CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC, flags);
SAME_SIZE(cushim__cu_external_fence, CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS);
SAME_SIZE(cushim__cu_external_fence, CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS);
SAME_PLACE(cushim__cu_external_fence, value, CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS,
           params.fence.value);
SAME_PLACE(cushim__cu_external_fence, value, CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS,
           params.fence.value);
SAME_PLACE(cushim__cu_external_fence, flags, CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS, flags);
SAME_PLACE(cushim__cu_external_fence, flags, CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS, flags);

int main(void)
{
    const int checked = 0
#define COUNT(name, parameters) +1
        CUSHIM__CU_MEMORY_MAP(COUNT);

    printf("%d functions are as CUDA %d declares them\n", checked, CUDA_VERSION);
    return checked > 0 ? 0 : 1;
}
