/* SPDX-License-Identifier: MIT */
#include "watch.h"

enum { WIDTH = 16, HEIGHT = 8, DEPTH = 4 };

TestSuite(array);

static CUarray make_flat(size_t width, size_t height)
{
    const CUDA_ARRAY_DESCRIPTOR descriptor = {width, height, CU_AD_FORMAT_UNSIGNED_INT32, 1};
    CUarray array = NULL;

    OK(mock_cuArrayCreate_v2(&array, &descriptor));
    return array;
}

static CUDA_ARRAY3D_DESCRIPTOR shape(size_t width, size_t height, size_t depth, unsigned flags)
{
    return (CUDA_ARRAY3D_DESCRIPTOR){width, height, depth, CU_AD_FORMAT_FLOAT, 4, flags};
}

static CUresult try(size_t width, size_t height, size_t depth, unsigned flags)
{
    const CUDA_ARRAY3D_DESCRIPTOR descriptor = shape(width, height, depth, flags);
    CUarray array = NULL;
    const CUresult result = mock_cuArray3DCreate_v2(&array, &descriptor);

    if (result == CUDA_SUCCESS)
        OK(mock_cuArrayDestroy(array));
    return result;
}

Test(array, which_there_can_be)
{
    CUDA_ARRAY_DESCRIPTOR descriptor = {16, 0, CU_AD_FORMAT_HALF, 3};
    CUarray array = NULL;

    EXPECT(CUDA_ERROR_NOT_INITIALIZED, mock_cuArrayCreate_v2(&array, &descriptor));
    start();
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuArrayCreate_v2(&array, &descriptor));
    descriptor.NumChannels = 4;
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuArrayCreate_v2(NULL, &descriptor));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuArrayCreate_v2(&array, NULL));
    descriptor.Format = 0x77;
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuArrayCreate_v2(&array, &descriptor));
    EXPECT(CUDA_SUCCESS, try(131072, 0, 0, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, try(131073, 0, 0, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, try(0, 4, 0, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, try(16, 0, 4, 0));
    EXPECT(CUDA_SUCCESS, try(16, 0, 4, CUDA_ARRAY3D_LAYERED));
    EXPECT(CUDA_ERROR_INVALID_VALUE, try(16, 0, 0, CUDA_ARRAY3D_LAYERED));
    EXPECT(CUDA_ERROR_INVALID_VALUE, try(16, 0, 2049, CUDA_ARRAY3D_LAYERED));
    EXPECT(CUDA_SUCCESS, try(16, 16, 6, CUDA_ARRAY3D_CUBEMAP));
    EXPECT(CUDA_ERROR_INVALID_VALUE, try(16, 8, 6, CUDA_ARRAY3D_CUBEMAP));
    EXPECT(CUDA_ERROR_INVALID_VALUE, try(16, 16, 12, CUDA_ARRAY3D_CUBEMAP));
    EXPECT(CUDA_SUCCESS, try(16, 16, 12, CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED));
    EXPECT(CUDA_SUCCESS, try(16, 16, 0, CUDA_ARRAY3D_TEXTURE_GATHER));
    EXPECT(CUDA_ERROR_INVALID_VALUE, try(16, 16, 16, CUDA_ARRAY3D_TEXTURE_GATHER));
    EXPECT(CUDA_ERROR_INVALID_VALUE, try(16, 16, 0, 0x8000));
    EXPECT(CUDA_ERROR_NOT_SUPPORTED, try(16, 16, 0, CUDA_ARRAY3D_SPARSE));
    EXPECT(CUDA_ERROR_OUT_OF_MEMORY, try(16384, 16384, 16384, 0));
}

Test(array, descriptors_come_back)
{
    CUDA_ARRAY3D_DESCRIPTOR wanted = shape(WIDTH, HEIGHT, DEPTH, CUDA_ARRAY3D_SURFACE_LDST), got;
    CUDA_ARRAY_DESCRIPTOR flat;
    CUDA_ARRAY3D_DESCRIPTOR_v1 old;
    CUarray array = NULL;

    start();
    OK(mock_cuArray3DCreate_v2(&array, &wanted));
    OK(mock_cuArray3DGetDescriptor_v2(&got, array));
    cr_expect(eq(sz, got.Depth, DEPTH));
    cr_expect(eq(uint, got.Flags, CUDA_ARRAY3D_SURFACE_LDST));
    OK(mock_cuArrayGetDescriptor_v2(&flat, array));
    cr_expect(eq(sz, flat.Height, HEIGHT));
    EXPECT(CUDA_ERROR_INVALID_CONTEXT, mock_cuArray3DGetDescriptor(&old, array));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuArray3DGetDescriptor(&old, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuArray3DGetDescriptor_v2(NULL, array));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuArray3DGetDescriptor_v2(&got, GARBAGE));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuArrayGetPlane(&array, array, 0));
    OK(mock_cuArrayDestroy(array));
    EXPECT(CUDA_ERROR_CONTEXT_IS_DESTROYED, mock_cuArrayDestroy(array));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuArrayDestroy(NULL));
}

Test(array, first_versions)
{
    const CUDA_ARRAY3D_DESCRIPTOR wanted = shape(WIDTH, HEIGHT, DEPTH, 0);
    CUDA_ARRAY3D_DESCRIPTOR_v1 old;
    CUarray array = NULL;

    start_with_first_context();
    OK(mock_cuArray3DCreate_v2(&array, &wanted));
    OK(mock_cuArray3DGetDescriptor(&old, array));
    cr_expect(eq(uint, old.Width, WIDTH));
}

Test(array, bytes_in_a_row)
{
    unsigned from[WIDTH], to[WIDTH] = {0};
    CUarray array, other;
    CUdeviceptr p;

    for (unsigned i = 0; i < WIDTH; i++)
        from[i] = i + 1;
    start_watched();
    array = make_flat(WIDTH, 0);
    other = make_flat(WIDTH, 0);
    p = allocate(sizeof(to));
    OK(mock_cuMemcpyHtoA_v2(array, 0, from, sizeof(from)));
    OK(mock_cuMemcpyAtoA_v2(other, 4, array, 0, sizeof(from) - 4));
    OK(mock_cuMemcpyAtoD_v2(p, other, 8, 8));
    OK(mock_cuMemcpyDtoA_v2_ptds(other, 0, p, 4));
    OK(mock_cuMemcpyAtoHAsync_v2(to, other, 0, sizeof(to), NULL));
    OK(mock_cuCtxSynchronize());
    cr_expect(eq(uint, to[0], 2));
    cr_expect(eq(uint, to[1], 1));
    cr_expect(eq(uint, to[WIDTH - 1], WIDTH - 1));
    silent();
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpyHtoA_v2(array, 4, from, sizeof(from)));
    EXPECT(CUDA_SUCCESS, mock_cuMemcpyHtoA_v2(array, 2, from, 4)); /* parts of elements */
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpyHtoA_v2(NULL, 0, from, 4));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpyHtoA_v2(array, 0, NULL, 4));
}

/* A box goes from the host into the middle of an array, and from there to memory of the device. */
Test(array, boxes)
{
    unsigned from[HEIGHT][WIDTH], to[2][3] = {{0}};
    CUDA_MEMCPY2D in = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                        .srcHost = from,
                        .srcPitch = sizeof(from[0]),
                        .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                        .WidthInBytes = sizeof(from[0]),
                        .Height = HEIGHT};
    CUDA_MEMCPY2D out = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                         .srcXInBytes = 8,
                         .srcY = 3,
                         .dstMemoryType = CU_MEMORYTYPE_HOST,
                         .dstHost = to,
                         .dstPitch = sizeof(to[0]),
                         .WidthInBytes = sizeof(to[0]),
                         .Height = 2};

    for (unsigned y = 0; y < HEIGHT; y++)
        for (unsigned x = 0; x < WIDTH; x++)
            from[y][x] = 100 * y + x;
    start();
    in.dstArray = out.srcArray = make_flat(WIDTH, HEIGHT);
    OK(mock_cuMemcpy2D_v2(&in));
    OK(mock_cuMemcpy2D_v2(&out));
    cr_expect(eq(uint, to[0][0], 302));
    cr_expect(eq(uint, to[1][2], 404));
    out.srcY = HEIGHT - 1;
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpy2D_v2(&out));
    out.srcY = 0;
    out.srcXInBytes = sizeof(from[0]) - 8;
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpy2DUnaligned_v2(&out));
    out.srcArray = GARBAGE;
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpy2D_v2(&out));
}

Test(array, slices_and_layers)
{
    const CUDA_ARRAY3D_DESCRIPTOR descriptor = shape(WIDTH, HEIGHT, DEPTH, CUDA_ARRAY3D_LAYERED);
    float from[2][HEIGHT][WIDTH][4], to[HEIGHT][WIDTH][4] = {{{0}}};
    CUDA_MEMCPY3D in = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                        .srcHost = from,
                        .srcPitch = sizeof(from[0][0]),
                        .srcHeight = HEIGHT,
                        .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                        .dstZ = 2,
                        .WidthInBytes = sizeof(from[0][0]),
                        .Height = HEIGHT,
                        .Depth = 2};
    CUDA_MEMCPY3D out = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                         .srcZ = 3,
                         .dstMemoryType = CU_MEMORYTYPE_HOST,
                         .dstHost = to,
                         .dstPitch = sizeof(to[0]),
                         .dstHeight = HEIGHT,
                         .WidthInBytes = sizeof(to[0]),
                         .Height = HEIGHT,
                         .Depth = 1};
    CUarray array = NULL;

    memset(from, 0, sizeof(from));
    from[1][HEIGHT - 1][WIDTH - 1][3] = 2.5f;
    start_watched();
    OK(mock_cuArray3DCreate_v2(&array, &descriptor));
    in.dstArray = out.srcArray = array;
    OK(mock_cuMemcpy3D_v2(&in));
    OK(mock_cuMemcpy3D_v2(&out));
    cr_expect(eq(flt, to[HEIGHT - 1][WIDTH - 1][3], 2.5f));
    silent();
    out.srcZ = 0;
    OK(mock_cuMemcpy3D_v2(&out));
    found(CUSHIM_MOCK_UNINITIALISED_READ, "cuArray3DCreate");
    in.dstZ = 3;
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpy3D_v2(&in));
}

Test(array, two_streams_without_an_event)
{
    unsigned *from = NULL;
    CUarray array;
    CUdeviceptr p;

    start_watched();
    OK(mock_cuMemHostAlloc((void **) &from, WIDTH * 4, 0));
    memset(from, 0, WIDTH * 4);
    array = make_flat(WIDTH, 0);
    p = allocate(WIDTH * 4);
    OK(mock_cuMemcpyHtoAAsync_v2(array, 0, from, WIDTH * 4, a_stream()));
    OK(mock_cuMemcpyAtoD_v2_ptds(p, array, 0, 16));
    OK(mock_cuCtxSynchronize());
    found(CUSHIM_MOCK_DATA_RACE, "cuArrayCreate");
}

Test(array, memory_is_counted_and_leaks_are_named)
{
    const struct cushim_mock_finding *findings = NULL;
    size_t before = 0, after = 0, n;
    CUarray array;

    start();
    OK(mock_cuMemGetInfo_v2(&before, NULL));
    array = make_flat(1024, 1024);
    OK(mock_cuMemGetInfo_v2(&after, NULL));
    cr_expect(eq(sz, before - after, (size_t) 4 << 20));
    n = cushim_mock_leaks();
    cushim_mock_findings(&findings);
    cr_assert(eq(sz, n, 2));
    cr_expect(ne(ptr, strstr(findings[0].text, "cuArrayCreate"), NULL), "%s", findings[0].text);
    OK(mock_cuArrayDestroy(array));
    OK(mock_cuMemGetInfo_v2(&after, NULL));
    cr_expect(eq(sz, after, before));
}

Test(array, levels)
{
    const CUDA_ARRAY3D_DESCRIPTOR descriptor = shape(WIDTH, HEIGHT, 0, 0);
    CUDA_ARRAY3D_DESCRIPTOR level;
    CUmipmappedArray mipmapped = NULL;
    CUarray array = NULL, same = NULL;
    float element[4] = {1, 2, 3, 4}, back[4] = {0};

    start();
    OK(mock_cuMipmappedArrayCreate(&mipmapped, &descriptor, 0));
    OK(mock_cuMipmappedArrayGetLevel(&array, mipmapped, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMipmappedArrayGetLevel(&array, mipmapped, 1));
    OK(mock_cuMipmappedArrayCreate(&mipmapped, &descriptor, 99));
    OK(mock_cuMipmappedArrayGetLevel(&array, mipmapped, 4));
    OK(mock_cuArray3DGetDescriptor_v2(&level, array));
    cr_expect(eq(sz, level.Width, 1));
    cr_expect(eq(sz, level.Height, 1));
    OK(mock_cuMemcpyHtoA_v2(array, 0, element, sizeof(element)));
    OK(mock_cuMipmappedArrayGetLevel(&same, mipmapped, 4));
    OK(mock_cuMemcpyAtoH_v2(back, same, 0, sizeof(back)));
    cr_expect(eq(flt, back[3], 4));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMipmappedArrayGetLevel(&array, mipmapped, 5));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuArrayDestroy(array));
    OK(mock_cuMipmappedArrayDestroy(mipmapped));
    EXPECT(CUDA_ERROR_CONTEXT_IS_DESTROYED, mock_cuMipmappedArrayDestroy(mipmapped));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpyAtoH_v2(back, array, 0, sizeof(back)));
}

/* What lives in a context goes with it, and says so when it is used. */
Test(array, a_context_takes_its_arrays_along)
{
    CUcontext context = NULL;
    CUmipmappedArray mipmapped = NULL;
    const CUDA_ARRAY3D_DESCRIPTOR descriptor = shape(WIDTH, HEIGHT, 0, 0);
    CUarray array;

    start();
    OK(mock_cuCtxCreate_v2(&context, 0, 0));
    array = make_flat(WIDTH, HEIGHT);
    OK(mock_cuMipmappedArrayCreate(&mipmapped, &descriptor, 3));
    OK(mock_cuCtxDestroy_v2(context));
    EXPECT(CUDA_ERROR_CONTEXT_IS_DESTROYED, mock_cuArrayDestroy(array));
    EXPECT(CUDA_ERROR_CONTEXT_IS_DESTROYED, mock_cuMipmappedArrayDestroy(mipmapped));
}
