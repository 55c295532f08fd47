/* SPDX-License-Identifier: MIT */
/* Textures and surfaces in kernels: what is found when they are misused, and odd ways to read. */
#include <cushim/mock.h>
#include <stdio.h>
#include <string.h>

#include "support.h"

#define HEAD ".version 8.1\n.target sm_80\n.address_size 64\n"
#define BEGIN                                                                                      \
    ".visible .entry k(.param .u64 t, .param .u64 p) {\n.reg .u32 %t, %b, %r<9>; .reg .u64 "       \
    "%rd<9>; .reg .f32 %f<9>; .reg .pred %p<4>;\nmov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; "       \
    "ld.param.u64 %rd0, [t]; ld.param.u64 %rd1, [p]; mul.wide.u32 %rd2, %t, 4; add.u64 %rd1, "     \
    "%rd1, %rd2; cvt.rn.f32.u32 %f0, %t; mov.f32 %f1, 0f00000000;\n"
#define LINE       "tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd0, {%f0}];\n"
#define NORMALISED CU_TRSF_NORMALIZED_COORDINATES
#define STORE      "st.global.f32 [%rd1], %f1; ret; }\n"

enum { N = 32 };

static float out[N];
static CUdeviceptr results;
static CUmodule module;

TestSuite(sampling, .timeout = 100);

static void begin(void)
{
    start();
    results = allocate(sizeof(out));
    OK(mock_cuMemsetD32_v2(results, 0, N));
    cushim_mock_findings_clear();
}

static CUarray new_array(size_t width, size_t height, size_t depth, unsigned flags)
{
    const CUDA_ARRAY3D_DESCRIPTOR shape = {.Width = width,
                                           .Height = height,
                                           .Depth = depth,
                                           .Format = CU_AD_FORMAT_FLOAT,
                                           .NumChannels = 1,
                                           .Flags = flags};
    CUarray array = NULL;

    OK(mock_cuArray3DCreate_v2(&array, &shape));
    return array;
}

/* 1, 2, 3... in all of it. */
static void fill(CUarray array, size_t width, size_t height, size_t depth)
{
    float *values = calloc(width * height * depth, sizeof(*values));
    const CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                                .srcHost = values,
                                .srcPitch = width * sizeof(*values),
                                .srcHeight = height,
                                .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                                .dstArray = array,
                                .WidthInBytes = width * sizeof(*values),
                                .Height = height,
                                .Depth = depth};

    cr_assert(values != NULL);
    for (size_t i = 0; i < width * height * depth; i++)
        values[i] = (float) (i + 1);
    OK(mock_cuMemcpy3D_v2(&copy));
    free(values);
}

static CUarray filled(size_t width, size_t height, size_t depth, unsigned flags)
{
    CUarray array = new_array(width, height, depth, flags);

    fill(array, width, height ? height : 1, depth ? depth : 1);
    return array;
}

static CUDA_RESOURCE_DESC resource_of(CUarray array)
{
    return (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = array};
}

static CUtexObject texture_of(CUarray array, const CUDA_TEXTURE_DESC *how)
{
    const CUDA_RESOURCE_DESC resource = resource_of(array);
    const CUDA_TEXTURE_DESC plain = {.flags = 0};
    CUtexObject texture = 0;

    OK(mock_cuTexObjectCreate(&texture, &resource, how ? how : &plain, NULL));
    return texture;
}

static CUsurfObject surface_of(CUarray array)
{
    const CUDA_RESOURCE_DESC resource = resource_of(array);
    CUsurfObject surface = 0;

    OK(mock_cuSurfObjectCreate(&surface, &resource));
    return surface;
}

static CUfunction function_of(const char *head, const char *body)
{
    CUfunction function = NULL;
    char text[4096];

    snprintf(text, sizeof(text), "%s%s%s%s", head, BEGIN, body, STORE);
    OK(mock_cuModuleLoadData(&module, text));
    OK(mock_cuModuleGetFunction(&function, module, "k"));
    return function;
}

static void launch(CUfunction function, unsigned grid, uint64_t handle, CUstream stream)
{
    void *params[] = {&handle, &results};

    OK(mock_cuLaunchKernel(function, grid, 1, 1, N, 1, 1, 0, stream, params, NULL));
}

/* One block, and what it answers. */
static CUresult run(const char *head, const char *body, uint64_t handle)
{
    CUresult result;

    launch(function_of(head, body), 1, handle, NULL);
    result = mock_cuCtxSynchronize();
    if (result == CUDA_SUCCESS)
        OK(mock_cuMemcpyDtoH_v2(out, results, sizeof(out)));
    return result;
}

static void found(enum cushim_mock_finding_kind kind, const char *words)
{
    const struct cushim_mock_finding *all = NULL;

    cr_assert(gt(sz, cushim_mock_findings(&all), 0));
    cr_expect(eq(int, (int) all[0].kind, (int) kind), "%s", all[0].text);
    cr_expect(ne(ptr, (void *) strstr(all[0].text, words), NULL), "'%s' in: %s", words,
              all[0].text);
}

static void silent(void)
{
    const struct cushim_mock_finding *all = NULL;
    const size_t count = cushim_mock_findings(&all);

    cr_expect(eq(sz, count, 0), "%s", count ? all[0].text : "");
}

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

#define REFERENCE HEAD ".global .texref t1; .global .surfref s1; .global .u64 other;\n"

Test(sampling, references_of_a_module)
{
    CUtexref texture = NULL, again = NULL;
    CUsurfref surface = NULL;
    CUfunction function;
    CUarray array, got = NULL;

    begin();
    array = filled(N, 0, 0, CUDA_ARRAY3D_SURFACE_LDST);
    function = function_of(REFERENCE, "tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [t1, {%f0}];\n"
                                      "suld.b.1d.b32.trap %r1, [s1, {0}];\n");
    OK(mock_cuModuleGetTexRef(&texture, module, "t1"));
    OK(mock_cuModuleGetTexRef(&again, module, "t1"));
    cr_expect(eq(ptr, texture, again));
    OK(mock_cuModuleGetSurfRef(&surface, module, "s1"));
    EXPECT(CUDA_ERROR_NOT_FOUND, mock_cuModuleGetTexRef(&again, module, "s1"));
    EXPECT(CUDA_ERROR_NOT_FOUND, mock_cuModuleGetSurfRef(&surface, module, "other"));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuSurfRefGetArray(&got, surface));
    OK(mock_cuTexRefSetArray(texture, array, CU_TRSA_OVERRIDE_FORMAT));
    OK(mock_cuSurfRefSetArray(surface, array, 0));
    OK(mock_cuSurfRefGetArray(&got, surface));
    cr_expect(eq(ptr, got, array));
    launch(function, 1, 0, NULL);
    EXPECT(CUDA_SUCCESS, mock_cuCtxSynchronize());
    OK(mock_cuMemcpyDtoH_v2(out, results, sizeof(out)));
    cr_expect(eq(flt, out[9], 10));
    silent();
    OK(mock_cuModuleUnload(module));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuTexRefSetFlags(texture, 0));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuSurfRefSetArray(surface, array, 0));
}

Test(sampling, a_reference_that_is_bound_to_nothing)
{
    begin();
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS,
           run(REFERENCE, "tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [t1, {%f0}];\n", 0));
    found(CUSHIM_MOCK_KERNEL_FAULT, "is a reference that is bound to nothing");
}

/* The sampler of the module counts, and not that of the texture. */
Test(sampling, samplers_of_a_module)
{
    CUarray array;

    begin();
    array = filled(8, 0, 0, 0);
    EXPECT(CUDA_SUCCESS,
           run(".version 8.0\n.target sm_80, texmode_independent\n.address_size 64\n"
               ".global .samplerref s = {addr_mode_0 = clamp_to_border, filter_mode = linear, "
               "force_unnormalized_coords = 1};\n",
               "tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd0, s, {%f0}];\n"
               "txq.addr_mode_0.b32 %r1, [s]; txq.filter_mode.b32 %r2, [s]; mad.lo.u32 %r1, %r1, "
               "10, %r2; cvt.rn.f32.u32 %f2, %r1; setp.eq.u32 %p0, %t, 31; @%p0 mov.f32 %f1, "
               "%f2;\n",
               texture_of(array, NULL)));
    cr_expect(eq(flt, out[0], 0.5f)); /* half of the border, which is black */
    cr_expect(eq(flt, out[3], 3.5f));
    cr_expect(eq(flt, out[8], 4));
    cr_expect(eq(flt, out[9], 0));
    cr_expect(eq(flt, out[31], 41));
}

/* Beyond the edge of a face is the next one. */
Test(sampling, cubes_without_seams)
{
    const CUDA_TEXTURE_DESC seamless = {.filterMode = CU_TR_FILTER_MODE_LINEAR,
                                        .flags = NORMALISED | 0x40};
    const CUDA_TEXTURE_DESC plain = {.filterMode = CU_TR_FILTER_MODE_LINEAR, .flags = NORMALISED};
    const char *const edge = "mov.f32 %f2, 0f3f800000; mov.f32 %f3, 0fbf7fffff;\n"
                             "tex.cube.v4.f32.f32 {%f1, %f4, %f5, %f6}, [%rd0, {%f2, %f1, %f3, "
                             "%f1}];\n";
    CUarray array;

    begin();
    array = filled(1, 1, 6, CUDA_ARRAY3D_CUBEMAP);
    EXPECT(CUDA_SUCCESS, run(HEAD, edge, texture_of(array, &plain)));
    cr_expect(eq(flt, out[0], 1));
    EXPECT(CUDA_SUCCESS, run(HEAD, edge, texture_of(array, &seamless)));
    cr_expect(eq(flt, out[0], 3.5f)); /* half of +x, which is 1, and half of -z, which is 6 */
}

/* Another level, and bits read as another format. */
Test(sampling, views)
{
    const CUDA_ARRAY3D_DESCRIPTOR shape = {
        .Width = 8, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};
    const CUDA_TEXTURE_DESC how = {.flags = CU_TRSF_READ_AS_INTEGER | NORMALISED,
                                   .maxMipmapLevelClamp = 9};
    const CUDA_RESOURCE_VIEW_DESC view = {.format = CU_RES_VIEW_FORMAT_UINT_2X16,
                                          .width = 4,
                                          .firstMipmapLevel = 1,
                                          .lastMipmapLevel = 1};
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY};
    CUmipmappedArray levels = NULL;
    CUtexObject texture = 0;
    CUarray array = NULL;

    begin();
    OK(mock_cuMipmappedArrayCreate(&levels, &shape, 2));
    OK(mock_cuMipmappedArrayGetLevel(&array, levels, 1));
    fill(array, 4, 1, 1);
    resource.res.mipmap.hMipmappedArray = levels;
    OK(mock_cuTexObjectCreate(&texture, &resource, &how, &view));
    EXPECT(CUDA_SUCCESS,
           run(HEAD,
               "fma.rn.f32 %f0, %f0, 0.25, 0.125;\ntex.1d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%rd0, "
               "{%f0}]; shl.b32 %r2, %r2, 16; or.b32 %r1, %r1, %r2; mov.b32 %f1, %r1;\n",
               texture));
    for (unsigned i = 0; i < 4; i++)
        cr_expect(eq(flt, out[i], (float) (i + 1)));
    silent();
    OK(mock_cuMemcpyHtoA_v2(array, 0, ((const uint32_t[]){0x8001, 0xfffe, 0x7fff, 3}), 16));
    EXPECT(CUDA_SUCCESS,
           run(HEAD,
               "fma.rn.f32 %f0, %f0, 0.25, 0.125;\ntex.1d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%rd0, "
               "{%f0}]; cvt.rn.f32.u32 %f1, %r1;\n",
               texture));
    for (unsigned i = 0; i < 4; i++)
        cr_expect(eq(flt, out[i], ((const float[]){0x8001, 0xfffe, 0x7fff, 3})[i]));
}

/* No array has several samples, and all of an array is there. Constants, vectors in registers. */
Test(sampling, odd_operands)
{
    CUarray array;

    begin();
    array = filled(8, 4, 0, 0);
    EXPECT(CUDA_SUCCESS,
           run(HEAD,
               ".reg .v4 .f32 %v; tex.2dms.v4.f32.s32 %v|%p1, [%rd0, {3, %t, 2, 0}];\n"
               "tex.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%rd0, {2.5, 0f3f800000}];\n"
               "setp.ge.u32 %p0, %t, 9; selp.f32 %f1, %f2, %v.x, %p0; @!%p1 mov.f32 %f1, %f0;\n",
               texture_of(array, NULL)));
    cr_expect(eq(flt, out[5], 22));
    cr_expect(eq(flt, out[8], 0));
    cr_expect(eq(flt, out[9], 11));
}

Test(sampling, a_comparison_is_refused)
{
    char text[2048], log[512] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *) sizeof(log)};

    begin();
    snprintf(text, sizeof(text), "%s%s%s%s", HEAD, BEGIN,
             "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd0, {%f0, %f0}], {0, 0}, %f0;\n", STORE);
    EXPECT(CUDA_ERROR_NOT_SUPPORTED, mock_cuModuleLoadDataEx(&module, text, 2, options, values));
    cr_expect(ne(ptr,
                 (void *) strstr(log, "is not executed by this device: comparing with a depth"),
                 NULL),
              "%s", log);
}
