// SPDX-License-Identifier: MIT
// build: compute_75 compute_100
// Levels of mipmapped textures of every shape, given or by gradients; and what else has layers.
#include <cuda_runtime.h>

extern "C" __global__ void levels_line(cudaTextureObject_t line, cudaTextureObject_t lines,
                                       const float *x, const float *level, const int *layer,
                                       float *out)
{
    const int i = threadIdx.x;

    out[2 * i] = tex1DLod<float>(line, x[i], level[i]);
    out[2 * i + 1] = tex1DLayeredLod<float>(lines, x[i], layer[i], level[i]);
}

extern "C" __global__ void levels_plane(cudaTextureObject_t planes, cudaTextureObject_t volume,
                                        const float *x, const float *y, const float *z,
                                        const float *level, const int *layer, float *out)
{
    const int i = threadIdx.x;

    out[2 * i] = tex2DLayeredLod<float>(planes, x[i], y[i], layer[i], level[i]);
    out[2 * i + 1] = tex3DLod<float>(volume, x[i], y[i], z[i], level[i]);
}

extern "C" __global__ void levels_cube(cudaTextureObject_t cube, const float *x, const float *y,
                                       const float *z, const float *level, float *out)
{
    const int i = threadIdx.x;

    out[i] = texCubemapLod<float>(cube, x[i], y[i], z[i], level[i]);
}

// Steps of two elements: the second level.
extern "C" __global__ void levels_gradient(cudaTextureObject_t line, cudaTextureObject_t planes,
                                           cudaTextureObject_t volume, cudaTextureObject_t cube,
                                           const float *x, const float *y, const int *layer,
                                           float *out)
{
    const int i = threadIdx.x;
    const float one = 0.125f; // of 16 elements

    out[4 * i] = tex1DGrad<float>(line, x[i], one, 0);
    out[4 * i + 1] = tex2DLayeredGrad<float>(planes, x[i], y[i], layer[i], make_float2(one, 0),
                                             make_float2(0, one));
    out[4 * i + 2] = tex3DGrad<float>(volume, x[i], y[i], 0.5f, make_float4(0, 0, one, 0),
                                      make_float4(one, 0, 0, 0));
    out[4 * i + 3] = texCubemapGrad<float>(cube, x[i], y[i], 1, make_float4(2 * one, 0, 0, 0),
                                           make_float4(0, 2 * one, 0, 0));
}

// What C++ has no functions for.
extern "C" __global__ void levels_gather(cudaTextureObject_t planes, const float *x,
                                         const float *y, const int *layer, float4 *out)
{
    const int i = threadIdx.x;
    float4 v;

    asm volatile("tld4.r.a2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "l"(planes), "r"(layer[i]), "f"(x[i]), "f"(y[i]));
    out[i] = v;
}

// By number, the base level and another one.
extern "C" __global__ void levels_whole(cudaTextureObject_t plane, const int *x, const int *y,
                                        float *out)
{
    const int i = threadIdx.x;
    float4 v;

    asm volatile("tex.base.2d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "l"(plane), "r"(x[i]), "r"(y[i]));
    out[3 * i] = v.x;
    asm volatile("tex.level.2d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5, %6}], 1;"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "l"(plane), "r"(x[i]), "r"(y[i]));
    out[3 * i + 1] = v.x;
    asm volatile("tex.level.2d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5, %6}], 9;"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "l"(plane), "r"(x[i]), "r"(y[i]));
    out[3 * i + 2] = v.x;
}
