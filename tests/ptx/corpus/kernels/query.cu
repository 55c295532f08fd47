// SPDX-License-Identifier: MIT
// build: compute_75 compute_100
// What kernels ask a texture or a surface about itself. CUDA's own driver loads no module that does.
#include <cuda_runtime.h>

#define TEXTURE_QUERY(n, what) asm volatile("txq." what ".b32 %0, [%1];" : "=r"(out[n]) : "l"(a))

extern "C" __global__ void query_texture(cudaTextureObject_t a, unsigned *out)
{
    TEXTURE_QUERY(0, "width");
    TEXTURE_QUERY(1, "height");
    TEXTURE_QUERY(2, "depth");
    TEXTURE_QUERY(3, "array_size");
    TEXTURE_QUERY(4, "num_mipmap_levels");
}

extern "C" __global__ void query_texture_kind(cudaTextureObject_t a, unsigned *out)
{
    TEXTURE_QUERY(0, "channel_data_type");
    TEXTURE_QUERY(1, "channel_order");
    TEXTURE_QUERY(2, "normalized_coords");
    TEXTURE_QUERY(3, "filter_mode");
    TEXTURE_QUERY(4, "addr_mode_0");
    TEXTURE_QUERY(5, "addr_mode_1");
    TEXTURE_QUERY(6, "addr_mode_2");
    TEXTURE_QUERY(7, "num_samples");
}

#define SURFACE_QUERY(n, what) asm volatile("suq." what ".b32 %0, [%1];" : "=r"(out[n]) : "l"(a))

extern "C" __global__ void query_surface(cudaSurfaceObject_t a, unsigned *out)
{
    SURFACE_QUERY(0, "width");
    SURFACE_QUERY(1, "height");
    SURFACE_QUERY(2, "depth");
    SURFACE_QUERY(3, "array_size");
}

extern "C" __global__ void query_surface_kind(cudaSurfaceObject_t a, unsigned *out)
{
    SURFACE_QUERY(0, "channel_data_type");
    SURFACE_QUERY(1, "channel_order");
    SURFACE_QUERY(2, "memory_layout");
}
