/* SPDX-License-Identifier: MIT */
/* cuMipmappedArray* */
#include "mock/allocation/array.h"
#include "mock/base/state.h"
#include "mock/queue/schedule.h"
#include "mock/stream/capture.h"

static size_t halved(size_t n, unsigned times)
{
    return n && !(n >> times) ? 1 : n >> times;
}

/* Returns the shape of a level. All levels have the same number of layers or faces. */
static CUDA_ARRAY3D_DESCRIPTOR level_of(const CUDA_ARRAY3D_DESCRIPTOR *descriptor, unsigned level)
{
    CUDA_ARRAY3D_DESCRIPTOR result = *descriptor;

    result.Width = halved(result.Width, level);
    result.Height = halved(result.Height, level);
    if (!(result.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)))
        result.Depth = halved(result.Depth, level);
    return result;
}

/* Returns the number of levels: the wanted number, but at least one, and at most up to a level of
 * one element. */
static unsigned count_levels(const CUDA_ARRAY3D_DESCRIPTOR *descriptor, unsigned wanted)
{
    size_t longest =
        descriptor->Width > descriptor->Height ? descriptor->Width : descriptor->Height;
    unsigned n = 1;

    if (!(descriptor->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)) &&
        descriptor->Depth > longest)
        longest = descriptor->Depth;
    for (; n < wanted && n < MOCK__MOST_LEVELS && longest >> n; n++)
        ;
    return n;
}

static bool all_bytes(const CUDA_ARRAY3D_DESCRIPTOR *descriptor, unsigned n_levels,
                      size_t *ret_bytes)
{
    size_t sum = 0, bytes;

    for (unsigned i = 0; i < n_levels; i++) {
        const CUDA_ARRAY3D_DESCRIPTOR level = level_of(descriptor, i);

        if (!mock__array_bytes(&level, &bytes) || __builtin_add_overflow(sum, bytes, &sum))
            return false;
    }
    *ret_bytes = sum;
    return true;
}

static void free_objects(struct mock__mipmapped_array *mipmapped)
{
    for (unsigned i = 0; i < mipmapped->n_levels; i++)
        mock__object_free(mipmapped->levels[i]);
    mock__object_free(mipmapped);
}

/* Makes the levels, which are contiguous. */
static bool add_levels(struct mock__mipmapped_array *mipmapped, unsigned n)
{
    uint64_t address = mipmapped->address;

    for (unsigned i = 0; i < n; i++) {
        const CUDA_ARRAY3D_DESCRIPTOR level = level_of(&mipmapped->descriptor, i);
        struct mock__array *array = mock__array_over(mipmapped->context, &level, address);
        size_t bytes = 0;

        if (!array)
            return false;
        array->mipmapped = mipmapped;
        mipmapped->levels[mipmapped->n_levels++] = array;
        mock__array_bytes(&level, &bytes);
        address += bytes;
    }
    return true;
}

static CUresult create(struct mock__context *context, const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
                       unsigned n_levels, struct mock__mipmapped_array **ret_mipmapped)
{
    struct mock__mipmapped_array *mipmapped;
    size_t bytes = 0;

    MOCK__REQUIRE(all_bytes(descriptor, n_levels, &bytes), CUDA_ERROR_OUT_OF_MEMORY);
    mipmapped = mock__object_new(MOCK__MIPMAPPED_ARRAY, sizeof(*mipmapped));
    MOCK__REQUIRE(mipmapped, CUDA_ERROR_OUT_OF_MEMORY);
    mipmapped->context = context;
    mock__object_own(context, mipmapped);
    mipmapped->descriptor = *descriptor;
    if (mock__array_alloc(context, bytes, "cuMipmappedArrayCreate", &mipmapped->address)) {
        mock__object_free(mipmapped);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (!add_levels(mipmapped, n_levels)) {
        mock__array_release(mipmapped->address);
        free_objects(mipmapped);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *ret_mipmapped = mipmapped;
    return CUDA_SUCCESS;
}

CUresult mock_cuMipmappedArrayCreate(CUmipmappedArray *pHandle,
                                     const CUDA_ARRAY3D_DESCRIPTOR *pMipmappedArrayDesc,
                                     unsigned int numMipmapLevels)
{
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    struct mock__mipmapped_array *mipmapped = NULL;

    MOCK__ENTER_CONTEXT(context);
    MOCK__TRY(mock__capture_unsafe());
    MOCK__REQUIRE(pHandle && pMipmappedArrayDesc, CUDA_ERROR_INVALID_VALUE);
    descriptor = mock__array_read(pMipmappedArrayDesc);
    MOCK__TRY(mock__array_check(context->device, &descriptor, true));
    MOCK__TRY(create(context, &descriptor, count_levels(&descriptor, numMipmapLevels), &mipmapped));
    *pHandle = MOCK__HANDLE(mipmapped);
    return CUDA_SUCCESS;
}

CUresult mock_cuMipmappedArrayGetLevel(CUarray *pLevelArray, CUmipmappedArray hMipmappedArray,
                                       unsigned int level)
{
    const struct mock__mipmapped_array *mipmapped;

    MOCK__ENTER_EARLY();
    mipmapped = mock__object_find(MOCK__MIPMAPPED_ARRAY, hMipmappedArray);
    MOCK__REQUIRE(mipmapped, mock__array_stranger(hMipmappedArray));
    MOCK__TRY(mock__context_usable(mipmapped->context));
    MOCK__REQUIRE(pLevelArray && level < mipmapped->n_levels, CUDA_ERROR_INVALID_VALUE);
    *pLevelArray = MOCK__HANDLE(mipmapped->levels[level]);
    return CUDA_SUCCESS;
}

CUresult mock_cuMipmappedArrayDestroy(CUmipmappedArray hMipmappedArray)
{
    struct mock__mipmapped_array *mipmapped;

    MOCK__ENTER_INHERITED();
    MOCK__TRY(mock__capture_unsafe());
    mipmapped = mock__object_find(MOCK__MIPMAPPED_ARRAY, hMipmappedArray);
    MOCK__REQUIRE(mipmapped, mock__array_stranger(hMipmappedArray));
    MOCK__TRY(mock__context_usable(mipmapped->context));
    mock__finish_all();
    mipmapped = mock__object_find(MOCK__MIPMAPPED_ARRAY, hMipmappedArray);
    MOCK__REQUIRE(mipmapped, mock__array_stranger(hMipmappedArray));
    mock__array_release(mipmapped->address);
    free_objects(mipmapped);
    return CUDA_SUCCESS;
}

CUresult mock_cuMipmappedArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *sparseProperties,
                                                  CUmipmappedArray mipmap)
{
    (void) sparseProperties, (void) mipmap;
    MOCK__ENTER_EARLY();
    return CUDA_ERROR_INVALID_VALUE;
}

#if CUDA_VERSION >= 11060
CUresult
mock_cuMipmappedArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *memoryRequirements,
                                           CUmipmappedArray mipmap, CUdevice device)
{
    (void) memoryRequirements, (void) mipmap, (void) device;
    MOCK__ENTER_EARLY();
    return CUDA_ERROR_INVALID_VALUE;
}
#endif

/* Destroys the arrays of a context. Their memory is freed with the context's memory. */
void mock__arrays_destroy(const struct mock__context *context)
{
    struct mock__mipmapped_array *mipmapped;
    struct mock__array *array;

    for (size_t cursor = 0;
         (mipmapped = mock__object_next_of(context, MOCK__MIPMAPPED_ARRAY, &cursor));)
        free_objects(mipmapped);
    for (size_t cursor = 0; (array = mock__object_next_of(context, MOCK__ARRAY, &cursor));)
        mock__object_free(array);
}
