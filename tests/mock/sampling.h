/* SPDX-License-Identifier: MIT */
/* Shared by the tests of textures and surfaces in kernels: arrays of numbers, and kernels. */
#ifndef CUSHIM_TESTS_MOCK_SAMPLING_H
#define CUSHIM_TESTS_MOCK_SAMPLING_H

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

static inline void begin(void)
{
    start();
    results = allocate(sizeof(out));
    OK(mock_cuMemsetD32_v2(results, 0, N));
    cushim_mock_findings_clear();
}

static inline CUarray new_array(size_t width, size_t height, size_t depth, unsigned flags)
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
static inline void fill(CUarray array, size_t width, size_t height, size_t depth)
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

static inline CUarray filled(size_t width, size_t height, size_t depth, unsigned flags)
{
    CUarray array = new_array(width, height, depth, flags);

    fill(array, width, height ? height : 1, depth ? depth : 1);
    return array;
}

static inline CUDA_RESOURCE_DESC resource_of(CUarray array)
{
    return (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = array};
}

static inline CUtexObject texture_of(CUarray array, const CUDA_TEXTURE_DESC *how)
{
    const CUDA_RESOURCE_DESC resource = resource_of(array);
    const CUDA_TEXTURE_DESC plain = {.flags = 0};
    CUtexObject texture = 0;

    OK(mock_cuTexObjectCreate(&texture, &resource, how ? how : &plain, NULL));
    return texture;
}

static inline CUsurfObject surface_of(CUarray array)
{
    const CUDA_RESOURCE_DESC resource = resource_of(array);
    CUsurfObject surface = 0;

    OK(mock_cuSurfObjectCreate(&surface, &resource));
    return surface;
}

static inline CUfunction function_of(const char *head, const char *body)
{
    CUfunction function = NULL;
    char text[4096];

    snprintf(text, sizeof(text), "%s%s%s%s", head, BEGIN, body, STORE);
    OK(mock_cuModuleLoadData(&module, text));
    OK(mock_cuModuleGetFunction(&function, module, "k"));
    return function;
}

static inline void launch(CUfunction function, unsigned grid, uint64_t handle, CUstream stream)
{
    void *params[] = {&handle, &results};

    OK(mock_cuLaunchKernel(function, grid, 1, 1, N, 1, 1, 0, stream, params, NULL));
}

/* One block, and what it answers. */
static inline CUresult run(const char *head, const char *body, uint64_t handle)
{
    CUresult result;

    launch(function_of(head, body), 1, handle, NULL);
    result = mock_cuCtxSynchronize();
    if (result == CUDA_SUCCESS)
        OK(mock_cuMemcpyDtoH_v2(out, results, sizeof(out)));
    return result;
}

static inline void found(enum cushim_mock_finding_kind kind, const char *words)
{
    const struct cushim_mock_finding *all = NULL;

    cr_assert(gt(sz, cushim_mock_findings(&all), 0));
    cr_expect(eq(int, (int) all[0].kind, (int) kind), "%s", all[0].text);
    cr_expect(ne(ptr, (void *) strstr(all[0].text, words), NULL), "'%s' in: %s", words,
              all[0].text);
}

static inline void silent(void)
{
    const struct cushim_mock_finding *all = NULL;
    const size_t count = cushim_mock_findings(&all);

    cr_expect(eq(sz, count, 0), "%s", count ? all[0].text : "");
}

#endif
