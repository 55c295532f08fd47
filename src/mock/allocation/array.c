/* SPDX-License-Identifier: MIT */
/*
 * cuArray*. array_shape.c checks which arrays are possible, and mipmapped.c has mipmapped arrays.
 */
#include "mock/allocation/array.h"

#include <string.h>

#include "mock/allocation/memory.h"
#include "mock/base/state.h"
#include "mock/queue/schedule.h"
#include "mock/stream/capture.h"

CUresult mock__array_alloc(struct mock__context *context, size_t bytes, const char *made_by,
                           uint64_t *ret_address)
{
    struct mock__memory *memory = NULL;

    MOCK__TRY(mock__memory_alloc(context, bytes, &memory));
    mock__made(&memory->made, made_by);
    memory->owned = true;
    *ret_address = memory->address;
    return CUDA_SUCCESS;
}

void mock__array_release(uint64_t address)
{
    mock__memory_free(mock__memory_at(address));
}

static size_t at_least_one(size_t n)
{
    return n ? n : 1;
}

struct mock__array *mock__array_over(struct mock__context *context,
                                     const CUDA_ARRAY3D_DESCRIPTOR *descriptor, uint64_t address)
{
    struct mock__array *array = mock__object_new(MOCK__ARRAY, sizeof(*array));

    if (!array)
        return NULL;
    array->context = context;
    mock__object_own(context, array);
    array->descriptor = *descriptor;
    array->address = address;
    array->element = mock__array_element(descriptor->Format, descriptor->NumChannels);
    array->pitch = descriptor->Width * array->element;
    array->rows = at_least_one(descriptor->Height);
    array->slices = at_least_one(descriptor->Depth);
    return array;
}

static CUresult create(CUarray *ret_array, const CUDA_ARRAY3D_DESCRIPTOR *given,
                       const char *made_by)
{
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    struct mock__array *array;
    uint64_t address = 0;
    size_t bytes = 0;

    MOCK__ENTER_CONTEXT(context);
    MOCK__TRY(mock__capture_unsafe());
    MOCK__REQUIRE(ret_array && given, CUDA_ERROR_INVALID_VALUE);
    descriptor = mock__array_read(given);
    MOCK__TRY(mock__array_check(context->device, &descriptor, false));
    MOCK__REQUIRE(mock__array_bytes(&descriptor, &bytes), CUDA_ERROR_OUT_OF_MEMORY);
    MOCK__TRY(mock__array_alloc(context, bytes, made_by, &address));
    array = mock__array_over(context, &descriptor, address);
    if (!array) {
        mock__array_release(address);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *ret_array = MOCK__HANDLE(array);
    return CUDA_SUCCESS;
}

CUresult mock_cuArray3DCreate_v2(CUarray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR *pAllocateArray)
{
    return create(pHandle, pAllocateArray, "cuArray3DCreate");
}

CUresult mock_cuArrayCreate_v2(CUarray *pHandle, const CUDA_ARRAY_DESCRIPTOR *pAllocateArray)
{
    const CUDA_ARRAY_DESCRIPTOR *const flat = pAllocateArray;
    CUDA_ARRAY3D_DESCRIPTOR descriptor = {0};

    if (flat)
        descriptor = (CUDA_ARRAY3D_DESCRIPTOR){.Width = flat->Width,
                                               .Height = flat->Height,
                                               .Format = flat->Format,
                                               .NumChannels = flat->NumChannels};
    return create(pHandle, flat ? &descriptor : NULL, "cuArrayCreate");
}

/* The first versions have sizes of 32 bits. */
CUresult mock_cuArray3DCreate(CUarray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR_v1 *pAllocateArray)
{
    const CUDA_ARRAY3D_DESCRIPTOR_v1 *const given = pAllocateArray;
    CUDA_ARRAY3D_DESCRIPTOR descriptor = {0};

    if (given)
        descriptor = (CUDA_ARRAY3D_DESCRIPTOR){given->Width,  given->Height,      given->Depth,
                                               given->Format, given->NumChannels, given->Flags};
    return create(pHandle, given ? &descriptor : NULL, "cuArray3DCreate");
}

CUresult mock_cuArrayCreate(CUarray *pHandle, const CUDA_ARRAY_DESCRIPTOR_v1 *pAllocateArray)
{
    const CUDA_ARRAY_DESCRIPTOR_v1 *const given = pAllocateArray;
    CUDA_ARRAY3D_DESCRIPTOR descriptor = {0};

    if (given)
        descriptor = (CUDA_ARRAY3D_DESCRIPTOR){.Width = given->Width,
                                               .Height = given->Height,
                                               .Format = given->Format,
                                               .NumChannels = given->NumChannels};
    return create(pHandle, given ? &descriptor : NULL, "cuArrayCreate");
}

CUresult mock__array_stranger(const void *handle)
{
    if (mock__object_any((uintptr_t) handle))
        return CUDA_ERROR_INVALID_VALUE;
    return mock__object_is_gone(handle) ? CUDA_ERROR_CONTEXT_IS_DESTROYED
                                        : CUDA_ERROR_INVALID_HANDLE;
}

static CUresult get_descriptor(CUDA_ARRAY3D_DESCRIPTOR *ret_descriptor, CUarray handle, bool wanted)
{
    const struct mock__array *array;

    MOCK__ENTER_EARLY();
    array = mock__object_find(MOCK__ARRAY, handle);
    MOCK__REQUIRE(array, mock__array_stranger(handle));
    MOCK__TRY(mock__context_usable(array->context));
    MOCK__REQUIRE(wanted, CUDA_ERROR_INVALID_VALUE);
    *ret_descriptor = array->descriptor;
    return CUDA_SUCCESS;
}

CUresult mock_cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *pArrayDescriptor, CUarray hArray)
{
    CUDA_ARRAY3D_DESCRIPTOR descriptor = {0};

    MOCK__TRY(get_descriptor(&descriptor, hArray, pArrayDescriptor));
    /* Not the padding at its end. */
    memcpy(pArrayDescriptor, &descriptor,
           offsetof(CUDA_ARRAY3D_DESCRIPTOR, Flags) + sizeof(descriptor.Flags));
    return CUDA_SUCCESS;
}

CUresult mock_cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *pArrayDescriptor, CUarray hArray)
{
    CUDA_ARRAY3D_DESCRIPTOR d = {0};

    MOCK__TRY(get_descriptor(&d, hArray, pArrayDescriptor));
    *pArrayDescriptor = (CUDA_ARRAY_DESCRIPTOR){d.Width, d.Height, d.Format, d.NumChannels};
    return CUDA_SUCCESS;
}

/* The first versions look at the handle before they look at the context. */
static CUresult refuse_narrow(CUarray handle)
{
    MOCK__ENTER_EARLY();
    MOCK__REQUIRE(mock__object_any((uintptr_t) handle), mock__array_stranger(handle));
    return mock__context_narrow();
}

CUresult mock_cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR_v1 *pArrayDescriptor, CUarray hArray)
{
    CUDA_ARRAY3D_DESCRIPTOR d = {0};

    MOCK__TRY(refuse_narrow(hArray));
    MOCK__TRY(get_descriptor(&d, hArray, pArrayDescriptor));
    *pArrayDescriptor =
        (CUDA_ARRAY3D_DESCRIPTOR_v1){(unsigned) d.Width, (unsigned) d.Height, (unsigned) d.Depth,
                                     d.Format,           d.NumChannels,       d.Flags};
    return CUDA_SUCCESS;
}

CUresult mock_cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR_v1 *pArrayDescriptor, CUarray hArray)
{
    CUDA_ARRAY3D_DESCRIPTOR d = {0};

    MOCK__TRY(refuse_narrow(hArray));
    MOCK__TRY(get_descriptor(&d, hArray, pArrayDescriptor));
    *pArrayDescriptor = (CUDA_ARRAY_DESCRIPTOR_v1){(unsigned) d.Width, (unsigned) d.Height,
                                                   d.Format, d.NumChannels};
    return CUDA_SUCCESS;
}

/* Finds an array that can be destroyed. A level is destroyed with its mipmapped array. */
static CUresult find_destroyable(CUarray handle, struct mock__array **ret_array)
{
    struct mock__array *array = mock__object_find(MOCK__ARRAY, handle);

    MOCK__REQUIRE(array, mock__array_stranger(handle));
    MOCK__REQUIRE(!array->mipmapped, CUDA_ERROR_INVALID_HANDLE);
    *ret_array = array;
    return CUDA_SUCCESS;
}

CUresult mock_cuArrayDestroy(CUarray hArray)
{
    struct mock__array *array = NULL;

    MOCK__ENTER_INHERITED();
    MOCK__TRY(mock__capture_unsafe());
    MOCK__TRY(find_destroyable(hArray, &array));
    MOCK__TRY(mock__context_usable(array->context));
    /*
     * Waits for work that may use the array. The wait releases the lock, so the array is looked up
     * again.
     */
    mock__finish_all();
    MOCK__TRY(find_destroyable(hArray, &array));
    mock__array_release(array->address);
    mock__object_free(array);
    return CUDA_SUCCESS;
}

/* No format of the mock's arrays has its channels in planes. */
CUresult mock_cuArrayGetPlane(CUarray *pPlaneArray, CUarray hArray, unsigned int planeIdx)
{
    const struct mock__array *array;

    (void) planeIdx;
    MOCK__ENTER_EARLY();
    array = mock__object_find(MOCK__ARRAY, hArray);
    MOCK__REQUIRE(array, mock__array_stranger(hArray));
    MOCK__TRY(mock__context_usable(array->context));
    (void) pPlaneArray;
    return CUDA_ERROR_INVALID_VALUE;
}

/*
 * For sparse arrays, and arrays whose memory is mapped later, which cannot be created here; what
 * else is wrong, drivers do not tell apart.
 */
CUresult mock_cuArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *sparseProperties,
                                         CUarray array)
{
    (void) sparseProperties, (void) array;
    MOCK__ENTER_EARLY();
    return CUDA_ERROR_INVALID_VALUE;
}

#if CUDA_VERSION >= 11060
CUresult mock_cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *memoryRequirements,
                                           CUarray array, CUdevice device)
{
    (void) memoryRequirements, (void) array, (void) device;
    MOCK__ENTER_EARLY();
    return CUDA_ERROR_INVALID_VALUE;
}
#endif

/* A driver refuses what it cannot map even before it is initialised. */
CUresult mock_cuMemMapArrayAsync(CUarrayMapInfo *mapInfoList, unsigned int count, CUstream hStream)
{
    (void) mapInfoList, (void) count, (void) hStream;
    return CUDA_ERROR_INVALID_VALUE;
}
