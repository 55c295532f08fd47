/* SPDX-License-Identifier: MIT */
/* Textures and surfaces in kernels: what the mock finds when a program misuses them. */
#include "sampling.h"

TestSuite(sampling, .timeout = 100);

Test(sampling, what_is_read_from_an_array)
{
    CUarray array;

    begin();
    array = filled(N, 0, 0, 0);
    EXPECT(CUDA_SUCCESS, run(HEAD, LINE, texture_of(array, NULL)));
    for (unsigned i = 0; i < N; i++)
        cr_expect(eq(flt, out[i], (float) (i + 1)));
    silent();
}

Test(sampling, lanes_that_do_not_take_part)
{
    CUarray array;

    begin();
    array = filled(N, 0, 0, 0);
    EXPECT(CUDA_SUCCESS, run(HEAD, "setp.lt.u32 %p0, %t, 3; @!%p0 mov.u64 %rd0, 1; @%p0 " LINE,
                             texture_of(array, NULL)));
    for (unsigned i = 0; i < N; i++)
        cr_expect(eq(flt, out[i], i < 3 ? (float) (i + 1) : 0));
    silent();
}

Test(sampling, a_texture_that_was_destroyed)
{
    CUarray array;
    CUtexObject texture;

    begin();
    array = filled(N, 0, 0, 0);
    texture = texture_of(array, NULL);
    OK(mock_cuTexObjectDestroy(texture));
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, run(HEAD, LINE, texture));
    found(CUSHIM_MOCK_KERNEL_FAULT, "is no texture or surface, or is one no more");
}

Test(sampling, an_array_that_was_destroyed)
{
    CUarray array;
    CUtexObject texture;

    begin();
    array = filled(N, 0, 0, 0);
    texture = texture_of(array, NULL);
    OK(mock_cuArrayDestroy(array));
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, run(HEAD, LINE, texture));
    found(CUSHIM_MOCK_KERNEL_FAULT, "is of an array that was destroyed");
}

Test(sampling, memory_that_was_freed)
{
    const CUDA_TEXTURE_DESC how = {.flags = 0};
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_LINEAR};
    CUtexObject texture = 0;
    const CUdeviceptr memory = (begin(), allocate(4 * N));

    OK(mock_cuMemsetD32_v2(memory, 0x3f800000, N));
    resource.res.linear.devPtr = memory;
    resource.res.linear.format = CU_AD_FORMAT_FLOAT;
    resource.res.linear.numChannels = 1;
    resource.res.linear.sizeInBytes = 4 * N;
    OK(mock_cuTexObjectCreate(&texture, &resource, &how, NULL));
    OK(mock_cuMemFree_v2(memory));
    OK(run(HEAD, "tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd0, {%t}];\n", texture));
    found(CUSHIM_MOCK_USE_AFTER_FREE, "reads");
}

Test(sampling, what_nothing_has_written)
{
    begin();
    EXPECT(CUDA_SUCCESS, run(HEAD, LINE, texture_of(new_array(N, 0, 0, 0), NULL)));
    found(CUSHIM_MOCK_UNINITIALISED_READ, "it reads what nothing has written");
}

/* A weight of zero reads nothing. */
Test(sampling, elements_without_weight)
{
    const CUDA_TEXTURE_DESC how = {.addressMode = {CU_TR_ADDRESS_MODE_CLAMP},
                                   .filterMode = CU_TR_FILTER_MODE_LINEAR};
    CUarray array;
    CUdeviceptr one;
    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                          .WidthInBytes = 4,
                          .Height = 1};

    begin();
    array = new_array(N, 0, 0, 0);
    one = allocate(4);
    OK(mock_cuMemsetD32_v2(one, 0x3f800000, 1));
    copy.srcDevice = one;
    copy.dstArray = array;
    OK(mock_cuMemcpy2D_v2(&copy));
    EXPECT(CUDA_SUCCESS, run(HEAD, "mov.f32 %f0, 0f3f000000;\n" LINE, texture_of(array, &how)));
    cr_expect(eq(flt, out[5], 1));
    silent();
}

Test(sampling, a_surface_that_two_blocks_write)
{
    CUsurfObject surface;
    CUfunction function;

    begin();
    surface = surface_of(new_array(N, 0, 0, CUDA_ARRAY3D_SURFACE_LDST));
    function =
        function_of(HEAD, "shl.b32 %r1, %t, 2; sust.b.1d.b32.trap [%rd0, {%r1}], %b; ret;\n");
    launch(function, 1, surface, NULL);
    OK(mock_cuCtxSynchronize());
    silent();
    launch(function, 2, surface, NULL);
    OK(mock_cuCtxSynchronize());
    found(CUSHIM_MOCK_DATA_RACE, "blocks are in no order");
}

/* Updates are ordered by themselves. */
Test(sampling, a_surface_that_blocks_update)
{
    CUarray array;
    CUsurfObject surface;
    CUDA_MEMCPY2D back = {.dstMemoryType = CU_MEMORYTYPE_HOST,
                          .dstHost = out,
                          .srcMemoryType = CU_MEMORYTYPE_ARRAY,
                          .WidthInBytes = 4,
                          .Height = 1};
    uint32_t sum;

    begin();
    array = filled(N, 0, 0, CUDA_ARRAY3D_SURFACE_LDST);
    surface = surface_of(array);
    launch(function_of(HEAD, "sured.b.add.1d.u32.trap [%rd0, {0}], %t; ret;\n"), 4, surface, NULL);
    OK(mock_cuCtxSynchronize());
    silent();
    back.srcArray = array;
    OK(mock_cuMemcpy2D_v2(&back));
    memcpy(&sum, out, sizeof(sum));
    cr_expect(eq(u32, sum, 0x3f800000 + 4 * N * (N - 1) / 2));
}

Test(sampling, a_copy_that_nothing_orders)
{
    static float host[N];
    CUarray array;
    CUstream one = NULL, two = NULL;
    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = host,
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                          .WidthInBytes = sizeof(host),
                          .Height = 1};

    begin();
    array = filled(N, 0, 0, 0);
    OK(mock_cuCtxSynchronize());
    copy.dstArray = array;
    OK(mock_cuStreamCreate(&one, CU_STREAM_NON_BLOCKING));
    OK(mock_cuStreamCreate(&two, CU_STREAM_NON_BLOCKING));
    launch(function_of(HEAD, LINE), 1, texture_of(array, NULL), one);
    OK(mock_cuMemcpy2DAsync_v2(&copy, two));
    OK(mock_cuCtxSynchronize());
    found(CUSHIM_MOCK_DATA_RACE, "");
}

Test(sampling, beside_a_surface)
{
    CUarray array;

    begin();
    array = filled(N - 1, 0, 0, CUDA_ARRAY3D_SURFACE_LDST);
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS,
           run(HEAD, "shl.b32 %r1, %t, 2; suld.b.1d.b32.trap %r2, [%rd0, {%r1}];\n",
               surface_of(array)));
    found(CUSHIM_MOCK_OUT_OF_BOUNDS, "thread (31,0,0): x is 124, and the surface has 124 there");
}

Test(sampling, between_two_elements_of_a_surface)
{
    CUarray array;

    begin();
    array = filled(N, 0, 0, CUDA_ARRAY3D_SURFACE_LDST);
    EXPECT(CUDA_ERROR_MISALIGNED_ADDRESS,
           run(HEAD, "suld.b.1d.b32.zero %r2, [%rd0, {%t}];\n", surface_of(array)));
    found(CUSHIM_MOCK_MISALIGNED_ACCESS, "4 bytes");
}

Test(sampling, a_texture_is_no_surface)
{
    CUarray array;

    begin();
    array = filled(N, 0, 0, CUDA_ARRAY3D_SURFACE_LDST);
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS,
           run(HEAD, "suld.b.1d.b32.zero %r2, [%rd0, {0}];\n", texture_of(array, NULL)));
    found(CUSHIM_MOCK_KERNEL_FAULT, "is no surface");
}
