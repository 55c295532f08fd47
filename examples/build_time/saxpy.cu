// The kernel of build_time.c. Meson or CMake compiles it to saxpy.h when the program is built.
#include "element.cuh"

extern "C" __global__ void saxpy(element a, const element *x, element *y, size_t n)
{
    const size_t i = blockIdx.x * (size_t) blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = a * x[i] + y[i];
}
