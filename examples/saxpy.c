/* SPDX-License-Identifier: MIT */
/*
 * saxpy: y = a * x + y, on the GPU where there is one, and on the CPU where there is not. The
 * kernel is CUDA C++ in this file, compiled while the program runs.
 *
 * This file needs no header of CUDA, and the program no library of CUDA.
 *
 * Exit status: 0 the result is right, wherever it was computed; 1 it is wrong.
 */
#include <stdio.h>
#include <stdlib.h>

#include <cushim/cushim.h>

static const char source[] =
    "extern \"C\" __global__ void saxpy(float a, const float *x, float *y, size_t n) {"
    "    size_t i = blockIdx.x * (size_t) blockDim.x + threadIdx.x;"
    "    if (i < n) y[i] = a * x[i] + y[i];"
    "}";

static cushim_status gpu_saxpy(float a, const float *x, float *y, size_t n)
{
    CUSHIM_SCOPED(cushim_driver) driver = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_context) context = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_module) module = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_slice) dx = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_slice) dy = CUSHIM_NONE;
    cushim_stream stream;
    cushim_function saxpy;

    CUSHIM_TRY(cushim_open(NULL, &driver));
    printf("driver: %s\n", cushim_driver_path(driver));
    CUSHIM_TRY(cushim_context_primary(driver, 0, &context));
    CUSHIM_TRY(cushim_stream_default(context, &stream));
    CUSHIM_TRY(cushim_module_compile(context, source, NULL, &module));
    CUSHIM_TRY(cushim_module_function(module, "saxpy", &saxpy));

    CUSHIM_TRY(cushim_slice_from(stream, x, n, &dx));
    CUSHIM_TRY(cushim_slice_from(stream, y, n, &dy));
    CUSHIM_TRY(cushim_launch(stream, saxpy, cushim_for_elements(n), CUSHIM_VALUE(a), CUSHIM_IN(dx),
                             CUSHIM_INOUT(dy), CUSHIM_VALUE(n)));
    return cushim_slice_read(stream, dy, y, n);
}

static void cpu_saxpy(float a, const float *x, float *y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}

int main(void)
{
    enum { N = 100000 };
    static float x[N], y[N];
    int wrong = 0;

    for (int i = 0; i < N; i++) {
        x[i] = (float) i;
        y[i] = 1;
    }
    if (gpu_saxpy(2, x, y, N) == CUSHIM_OK) {
        printf("on the device: ");
    } else {
        printf("no GPU path: %s\n", cushim_error_text());
        cpu_saxpy(2, x, y, N);
        printf("on the CPU: ");
    }
    for (int i = 0; i < N; i++)
        wrong += y[i] != 2 * (float) i + 1;
    printf("%d results, %d wrong\n", N, wrong);
    return wrong ? 1 : 0;
}
