// SPDX-License-Identifier: MIT
// build: compute_75 compute_100
// Textures, read by number and by place, and surfaces.
#include <cuda_runtime.h>

// By number an array has nothing to say, only linear memory has.
extern "C" __global__ void texture_fetch(cudaTextureObject_t a, const int *index, unsigned *out)
{
    const int i = threadIdx.x;

    out[i] = tex1Dfetch<unsigned>(a, index[i]);
}

// All four channels, whatever the texture has.
extern "C" __global__ void texture_memory(cudaTextureObject_t a, const int *index, uint4 *out)
{
    const int i = threadIdx.x;
    uint4 v;

    asm volatile("tex.1d.v4.u32.s32 {%0, %1, %2, %3}, [%4, {%5}];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(a), "r"(index[i]));
    out[i] = v;
}

// A point beyond the edge is the one at the edge.
extern "C" __global__ void texture_point(cudaTextureObject_t line, cudaTextureObject_t plane,
                                         const float *x, const float *y, float *out)
{
    const int i = threadIdx.x;

    out[2 * i] = tex1D<float>(line, x[i]);
    out[2 * i + 1] = tex2D<float>(plane, x[i], y[i]);
}

// Between points, in normalised coordinates that wrap around.
extern "C" __global__ void texture_linear(cudaTextureObject_t line, cudaTextureObject_t plane,
                                          const float *x, const float *y, float *out)
{
    const int i = threadIdx.x;

    out[2 * i] = tex1D<float>(line, x[i]);
    out[2 * i + 1] = tex2D<float>(plane, x[i], y[i]);
}

// One channel, in every kind of address mode and filter.
extern "C" __global__ void texture_plane(cudaTextureObject_t plane, const float *x, const float *y,
                                         float *out)
{
    const int i = threadIdx.x;

    out[i] = tex2D<float>(plane, x[i], y[i]);
}

extern "C" __global__ void texture_volume(cudaTextureObject_t volume, const float *x,
                                          const float *y, const float *z, float *out)
{
    const int i = threadIdx.x;

    out[i] = tex3D<float>(volume, x[i], y[i], z[i]);
}

// Layers beyond the last one are the last one.
extern "C" __global__ void texture_layers(cudaTextureObject_t lines, cudaTextureObject_t planes,
                                          const float *x, const float *y, const int *layer,
                                          float *out)
{
    const int i = threadIdx.x;

    out[2 * i] = tex1DLayered<float>(lines, x[i], layer[i]);
    out[2 * i + 1] = tex2DLayered<float>(planes, x[i], y[i], layer[i]);
}

extern "C" __global__ void texture_cube(cudaTextureObject_t cube, cudaTextureObject_t cubes,
                                        const float *x, const float *y, const float *z,
                                        const int *layer, float *out)
{
    const int i = threadIdx.x;

    out[2 * i] = texCubemap<float>(cube, x[i], y[i], z[i]);
    out[2 * i + 1] = texCubemapLayered<float>(cubes, x[i], y[i], z[i], layer[i]);
}

extern "C" __global__ void texture_level(cudaTextureObject_t plane, const float *x, const float *y,
                                         const float *level, float *out)
{
    const int i = threadIdx.x;

    out[i] = tex2DLod<float>(plane, x[i], y[i], level[i]);
}

extern "C" __global__ void texture_gradient(cudaTextureObject_t plane, const float *x,
                                            const float *y, const float *dx, const float *dy,
                                            float *out)
{
    const int i = threadIdx.x;

    out[i] = tex2DGrad<float>(plane, x[i], y[i], make_float2(dx[i], 0), make_float2(0, dy[i]));
}

// A block gathers one channel.
extern "C" __global__ void texture_gather(cudaTextureObject_t plane, const float *x, const float *y,
                                          float4 *out)
{
    const int i = threadIdx.x, at = blockIdx.x * blockDim.x + i;

    switch (blockIdx.x) {
    case 0:
        out[at] = tex2Dgather<float4>(plane, x[i], y[i], 0);
        break;
    case 1:
        out[at] = tex2Dgather<float4>(plane, x[i], y[i], 1);
        break;
    case 2:
        out[at] = tex2Dgather<float4>(plane, x[i], y[i], 2);
        break;
    default:
        out[at] = tex2Dgather<float4>(plane, x[i], y[i], 3);
    }
}

// The four channels as the hardware gives them.
extern "C" __global__ void texture_channels(cudaTextureObject_t line, const float *x, uint4 *out)
{
    const int i = threadIdx.x;
    uint4 v;

    asm volatile("tex.1d.v4.u32.f32 {%0, %1, %2, %3}, [%4, {%5}];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(line), "f"(x[i]));
    out[i] = v;
}

extern "C" __global__ void texture_halves(cudaTextureObject_t line, const float *x, uint2 *out)
{
    const int i = threadIdx.x;
    uint2 v;

    asm volatile("tex.1d.v2.f16x2.f32 {%0, %1}, [%2, {%3}];"
                 : "=r"(v.x), "=r"(v.y)
                 : "l"(line), "f"(x[i]));
    out[i] = v;
}

// By number in a plane and in a volume.
extern "C" __global__ void texture_whole(cudaTextureObject_t plane, cudaTextureObject_t volume,
                                         const int *x, const int *y, const int *z, unsigned *out)
{
    const int i = threadIdx.x;
    uint4 v, w;

    asm volatile("tex.2d.v4.u32.s32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(plane), "r"(x[i]), "r"(y[i]));
    asm volatile("tex.3d.v4.u32.s32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];"
                 : "=r"(w.x), "=r"(w.y), "=r"(w.z), "=r"(w.w)
                 : "l"(volume), "r"(x[i]), "r"(y[i]), "r"(z[i]));
    out[4 * i] = v.x;
    out[4 * i + 1] = v.w;
    out[4 * i + 2] = w.x;
    out[4 * i + 3] = w.w;
}

// Elements to the side of a place.
extern "C" __global__ void texture_offset(cudaTextureObject_t plane, const float *x, const float *y,
                                          float *out)
{
    const int i = threadIdx.x;
    float4 v;

    asm volatile("tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}], {2, -1};"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "l"(plane), "f"(x[i]), "f"(y[i]));
    out[i] = v.x;
}

extern "C" __global__ void texture_surface(cudaSurfaceObject_t plane, cudaSurfaceObject_t line,
                                           unsigned *out, int width, int height)
{
    const int x = threadIdx.x, y = threadIdx.y;
    unsigned value;

    surf2Dread(&value, plane, x * 4, y);
    out[y * width + x] = value;
    __syncthreads();
    surf2Dwrite(value * 2 + x, plane, (width - 1 - x) * 4, height - 1 - y);
    if (y == 0)
        surf1Dwrite((unsigned char) (x * 3), line, x);
}
