// SPDX-License-Identifier: MIT
// build: compute_75 compute_100
// Surfaces: sizes of what is read and written, what is outside, formats, and updates.
#include <cuda_runtime.h>

// x is in bytes, and what is outside is clamped to the edge or is not there.
extern "C" __global__ void surface_plane(cudaSurfaceObject_t clamped, cudaSurfaceObject_t zero,
                                         const int *x, const int *y, unsigned *out)
{
    const int i = threadIdx.x;

    out[2 * i] = surf2Dread<unsigned>(clamped, 4 * x[i], y[i], cudaBoundaryModeClamp);
    out[2 * i + 1] = surf2Dread<unsigned>(zero, 4 * x[i], y[i], cudaBoundaryModeZero);
}

// Each thread has an element of its own but for those outside, which write to nowhere.
extern "C" __global__ void surface_write_zero(cudaSurfaceObject_t plane)
{
    const int x = (int) threadIdx.x - 2, y = (int) threadIdx.y - 2;

    surf2Dwrite((unsigned) (100 * threadIdx.y + threadIdx.x), plane, 4 * x, y,
                cudaBoundaryModeZero);
}

// All that write to the same edge write the same.
extern "C" __global__ void surface_write_clamp(cudaSurfaceObject_t plane)
{
    const int x = (int) threadIdx.x - 2, y = (int) threadIdx.y - 2;
    const int cx = min(max(x, 0), 7), cy = min(max(y, 0), 3);

    surf2Dwrite((unsigned) (100 * cy + cx), plane, 4 * x, y, cudaBoundaryModeClamp);
}

// A wide access near the edge is one that ends there.
extern "C" __global__ void surface_wide(cudaSurfaceObject_t line, const int *x, uint4 *out)
{
    const int i = threadIdx.x;

    out[2 * i] = surf1Dread<uint4>(line, 16 * x[i], cudaBoundaryModeClamp);
    out[2 * i + 1] = surf1Dread<uint4>(line, 16 * x[i], cudaBoundaryModeZero);
}

// Every size that a surface has.
extern "C" __global__ void surface_sizes(cudaSurfaceObject_t line, cudaSurfaceObject_t copy)
{
    const int i = threadIdx.x;

    switch (i) {
    case 0:
        surf1Dwrite(surf1Dread<unsigned char>(line, 0), copy, 0);
        break;
    case 1:
        surf1Dwrite(surf1Dread<uchar2>(line, 2), copy, 2);
        break;
    case 2:
        surf1Dwrite(surf1Dread<uchar4>(line, 4), copy, 4);
        break;
    case 3:
        surf1Dwrite(surf1Dread<unsigned short>(line, 8), copy, 8);
        break;
    case 4:
        surf1Dwrite(surf1Dread<ushort2>(line, 12), copy, 12);
        break;
    case 5:
        surf1Dwrite(surf1Dread<ushort4>(line, 16), copy, 16);
        break;
    case 6:
        surf1Dwrite(surf1Dread<uint2>(line, 24), copy, 24);
        break;
    case 7:
        surf1Dwrite(surf1Dread<uint4>(line, 32), copy, 32);
        break;
    case 8:
        surf1Dwrite(surf1Dread<unsigned long long>(line, 48), copy, 48);
        break;
    default:
        surf1Dwrite(surf1Dread<ulonglong2>(line, 64), copy, 64);
    }
}

extern "C" __global__ void surface_volume(cudaSurfaceObject_t volume, cudaSurfaceObject_t lines,
                                          cudaSurfaceObject_t planes, unsigned *out)
{
    const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z, i = (z * 4 + y) * 8 + x;

    out[i] = surf3Dread<unsigned>(volume, 4 * x, y, z);
    surf3Dwrite(out[i] + 1, volume, 4 * x, y, z);
    surf2DLayeredwrite(out[i] + 2, planes, 4 * x, y, z);
    if (y == 0)
        surf1DLayeredwrite(out[i] + 3, lines, 4 * x, z);
}

extern "C" __global__ void surface_trap(cudaSurfaceObject_t plane, int x, int y)
{
    surf2Dwrite(1u, plane, 4 * x, y, cudaBoundaryModeTrap);
}

#define STORE(type, surface, x, a, b, c, d)                                                        \
    asm volatile("sust.p.1d.v4." type ".zero [%0, {%1}], {%2, %3, %4, %5};" ::"l"(surface),        \
                 "r"(x), "r"(a), "r"(b), "r"(c), "r"(d)                                            \
                 : "memory")

// By element, converted to what the surface has.
extern "C" __global__ void surface_formatted(cudaSurfaceObject_t bytes, cudaSurfaceObject_t words,
                                             cudaSurfaceObject_t halves, const int *values,
                                             const float *floats)
{
    const int i = threadIdx.x;
    const int *v = values + 4 * i;
    const float *f = floats + 4 * i;

    STORE("b32", bytes, i, v[0], v[1], v[2], v[3]);
    STORE("b32", words, i, v[0], v[1], v[2], v[3]);
    STORE("b32", halves, i, __float_as_int(f[0]), __float_as_int(f[1]), __float_as_int(f[2]),
          __float_as_int(f[3]));
}

#define UPDATE(what, surface, x, kind, value)                                                      \
    asm volatile("sured.b." what ".zero [%0, {%1}], %2;" ::"l"(surface), "r"(x), kind(value)       \
                 : "memory")

extern "C" __global__ void surface_update(cudaSurfaceObject_t line, cudaSurfaceObject_t wide,
                                          const unsigned *values)
{
    const int i = threadIdx.x;
    const unsigned v = values[i];

    UPDATE("add.1d.u32", line, 0, "r", v);
    UPDATE("min.1d.u32", line, 4, "r", v);
    UPDATE("max.1d.u32", line, 8, "r", v);
    UPDATE("min.1d.s32", line, 12, "r", v);
    UPDATE("max.1d.s32", line, 16, "r", v);
    UPDATE("and.1d.b32", line, 20, "r", v | 1u << i % 32);
    UPDATE("or.1d.b32", line, 24, "r", v & 1u << i % 32);
    UPDATE("add.1d.u32", line, 28 + 4 * i, "r", v); // most of them outside
    UPDATE("add.1d.u64", wide, 0, "l", (unsigned long long) v << 8);
    asm volatile("sured.p.add.1d.b32.zero [%0, {%1}], %2;" ::"l"(line), "r"(8 + i % 4), "r"(v)
                 : "memory");
}

// By element, where the surface says whether there is a sign; and the widest. By one thread alone:
// where threads of a warp update one place, an H200 takes their numbers to be without a sign.
extern "C" __global__ void surface_extremes(cudaSurfaceObject_t line, cudaSurfaceObject_t wide,
                                            const int *values)
{
    const int i = threadIdx.x, v = values[i];
    const long long w = (long long) v << 20;

    for (int k = 0; i == 0 && k < 64; k++) {
        asm volatile("sured.p.min.1d.b32.clamp [%0, {0}], %1;" ::"l"(line), "r"(values[k]) : "memory");
        asm volatile("sured.p.max.1d.b32.clamp [%0, {1}], %1;" ::"l"(line), "r"(values[k]) : "memory");
    }
    asm volatile("sured.b.min.1d.s64.clamp [%0, {0}], %1;" ::"l"(wide), "l"(w) : "memory");
    asm volatile("sured.b.max.1d.s64.clamp [%0, {8}], %1;" ::"l"(wide), "l"(w) : "memory");
    asm volatile("sured.b.min.1d.u64.clamp [%0, {16}], %1;" ::"l"(wide), "l"(w) : "memory");
    asm volatile("sured.b.max.1d.u64.clamp [%0, {24}], %1;" ::"l"(wide), "l"(w) : "memory");
}
