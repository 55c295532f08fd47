/* SPDX-License-Identifier: MIT */
/*
 * vector_add [LIBRARY]: adds two vectors on the GPU, through the driver's table.
 *
 * LIBRARY is what to open: the path of a driver, "mock", "auto"; without it the
 * environment decides (CUSHIM_LIBCUDA), then the usual search.
 *
 * Exit status: 0 the sums are right, 1 there is no usable driver or a call failed, 2 wrong
 * usage.
 */
#include <stdio.h>
#include <stdlib.h>

#include <cushim/cushim.h>
#include <cushim/table.h>

#include "vector_add_ptx.h"

enum { N = 1 << 20, BLOCK = 256 };

/* Resources, in the order in which they are acquired. They are released in reverse order. */
struct work {
    const struct cushim_cuda_api *cu;
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUdeviceptr a, b, c;
};

/* Prints which call failed, and returns its result. */
static CUresult told(const char *call, CUresult result)
{
    if (result != CUDA_SUCCESS)
        fprintf(stderr, "%s: %d %s: %s\n", call, (int) result, cushim_status_name((int) result),
                cushim_status_text((int) result));
    return result;
}

#define TRY(call)                                                                                  \
    do {                                                                                           \
        CUresult try_result = told(#call, work->cu->call);                                         \
        if (try_result != CUDA_SUCCESS)                                                            \
            return try_result;                                                                     \
    } while (0)

static CUresult prepare(struct work *work, const float *a, const float *b)
{
    const size_t bytes = N * sizeof(float);

    TRY(cuDeviceGet(&work->device, 0));
    TRY(cuDevicePrimaryCtxRetain(&work->context, work->device));
    TRY(cuCtxPushCurrent(work->context));
    TRY(cuModuleLoadData(&work->module, vector_add_ptx));
    TRY(cuMemAlloc(&work->a, bytes));
    TRY(cuMemAlloc(&work->b, bytes));
    TRY(cuMemAlloc(&work->c, bytes));
    TRY(cuMemcpyHtoD(work->a, a, bytes));
    TRY(cuMemcpyHtoD(work->b, b, bytes));
    return CUDA_SUCCESS;
}

static CUresult compute(struct work *work, float *c)
{
    unsigned n = N;
    void *params[] = {&work->a, &work->b, &work->c, &n};
    CUfunction function;

    TRY(cuModuleGetFunction(&function, work->module, "vector_add"));
    TRY(cuLaunchKernel(function, (N + BLOCK - 1) / BLOCK, 1, 1, BLOCK, 1, 1, 0, NULL, params,
                       NULL));
    TRY(cuMemcpyDtoH(c, work->c, N * sizeof(float)));
    return CUDA_SUCCESS;
}

static void finish(struct work *work)
{
    const CUdeviceptr all[] = {work->a, work->b, work->c};
    CUcontext popped;

    for (int i = 0; i < 3; i++)
        if (all[i])
            told("cuMemFree", work->cu->cuMemFree(all[i]));
    if (work->module)
        told("cuModuleUnload", work->cu->cuModuleUnload(work->module));
    if (work->context) {
        told("cuCtxPopCurrent", work->cu->cuCtxPopCurrent(&popped));
        told("cuDevicePrimaryCtxRelease", work->cu->cuDevicePrimaryCtxRelease(work->device));
    }
}

static int wrong_sums(const float *a, const float *b, const float *c)
{
    int wrong = 0;

    for (int i = 0; i < N; i++)
        wrong += c[i] != a[i] + b[i];
    return wrong;
}

static int run(const struct cushim_cuda_api *cu, float *a, float *b, float *c)
{
    struct work work = {.cu = cu};
    CUresult result;
    int wrong;

    for (int i = 0; i < N; i++) {
        a[i] = (float) i;
        b[i] = 0.5f * (float) (i % 1000);
    }
    result = prepare(&work, a, b);
    if (result == CUDA_SUCCESS)
        result = compute(&work, c);
    finish(&work);
    if (result != CUDA_SUCCESS)
        return 1;
    wrong = wrong_sums(a, b, c);
    printf("%d sums, %d wrong\n", N, wrong);
    return wrong ? 1 : 0;
}

int main(int argc, char **argv)
{
    CUSHIM_SCOPED(cushim_driver) driver = CUSHIM_NONE;
    float *memory;
    int status;

    if (argc > 2) {
        fprintf(stderr, "usage: vector_add [LIBRARY]\n");
        return 2;
    }
    if (cushim_open(cushim_open_params(.library = argv[1]), &driver) != CUSHIM_OK) {
        fprintf(stderr, "vector_add: %s\n", cushim_error_text());
        return 1;
    }
    printf("on %s\n", cushim_driver_path(driver));
    memory = malloc(3 * N * sizeof(float));
    status = memory ? run(cushim_cuda(driver), memory, memory + N, memory + 2 * N) : 1;
    free(memory);
    return status;
}
