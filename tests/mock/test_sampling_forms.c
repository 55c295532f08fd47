/* SPDX-License-Identifier: MIT */
/* Other ways to read textures: references, samplers, seamless cubes, views, and rare operands. */
#include "sampling.h"

#define REFERENCE HEAD ".global .texref t1; .global .surfref s1; .global .u64 other;\n"

TestSuite(sampling_forms, .timeout = 100);

Test(sampling_forms, references_of_a_module)
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

Test(sampling_forms, a_reference_that_is_bound_to_nothing)
{
    begin();
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS,
           run(REFERENCE, "tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [t1, {%f0}];\n", 0));
    found(CUSHIM_MOCK_KERNEL_FAULT, "is a reference that is bound to nothing");
}

/* The sampler of the module counts, and not that of the texture. */
Test(sampling_forms, samplers_of_a_module)
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
Test(sampling_forms, cubes_without_seams)
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
Test(sampling_forms, views)
{
    const CUDA_ARRAY3D_DESCRIPTOR shape = {
        .Width = 8, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};
    const CUDA_TEXTURE_DESC how = {.flags = CU_TRSF_READ_AS_INTEGER | NORMALISED,
                                   .maxMipmapLevelClamp = 9};
    const CUDA_RESOURCE_VIEW_DESC view = {.format = CU_RES_VIEW_FORMAT_UINT_2X16,
                                          .width = 8,
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
Test(sampling_forms, odd_operands)
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

Test(sampling_forms, a_comparison_is_refused)
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
