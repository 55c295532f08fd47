// SPDX-License-Identifier: MIT
// build: compute_75 compute_100
// Textures, read by number and by place, and surfaces.
#include <cuda_runtime.h>

extern "C" __global__ void texture_fetch(cudaTextureObject_t a, const int *index, unsigned *out)
{
    const int i = threadIdx.x;

    out[i] = tex1Dfetch<unsigned>(a, index[i]);
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
