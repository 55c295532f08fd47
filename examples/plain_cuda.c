/* SPDX-License-Identifier: MIT */
/*
 * plain_cuda: a program that does not use cushim's functions. It was written for -lcuda. Linked
 * with -lcushim-cuda instead, it also starts on machines without a driver.
 *
 * Exit status: 0 the sums are right, 1 there is no usable driver or a call failed.
 */
#include <stdio.h>

#include <cuda.h>

#include "vector_add_ptx.h"

enum { N = 1000 };

static float a[N], b[N], c[N];

#define TRY(call)                                                                                  \
    do {                                                                                           \
        CUresult try_result = (call);                                                              \
        if (try_result != CUDA_SUCCESS) {                                                          \
            const char *try_text = "";                                                             \
            cuGetErrorString(try_result, &try_text);                                               \
            fprintf(stderr, "plain_cuda: %s: %d %s\n", #call, (int) try_result, try_text);         \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

static int run(CUcontext context)
{
    CUdeviceptr da, db, dc;
    CUfunction function;
    CUmodule module;
    unsigned n = N;
    void *params[] = {&da, &db, &dc, &n};

    TRY(cuCtxSetCurrent(context));
    TRY(cuModuleLoadData(&module, vector_add_ptx));
    TRY(cuModuleGetFunction(&function, module, "vector_add"));
    TRY(cuMemAlloc(&da, sizeof(a)));
    TRY(cuMemAlloc(&db, sizeof(b)));
    TRY(cuMemAlloc(&dc, sizeof(c)));
    TRY(cuMemcpyHtoD(da, a, sizeof(a)));
    TRY(cuMemcpyHtoD(db, b, sizeof(b)));
    TRY(cuLaunchKernel(function, (N + 127) / 128, 1, 1, 128, 1, 1, 0, NULL, params, NULL));
    TRY(cuMemcpyDtoH(c, dc, sizeof(c)));
    TRY(cuMemFree(da));
    TRY(cuMemFree(db));
    TRY(cuMemFree(dc));
    TRY(cuModuleUnload(module));
    return 0;
}

int main(void)
{
    CUcontext context;
    CUdevice device;
    int wrong = 0;

    for (int i = 0; i < N; i++) {
        a[i] = (float) i;
        b[i] = (float) (2 * i);
    }
    TRY(cuInit(0));
    TRY(cuDeviceGet(&device, 0));
    TRY(cuDevicePrimaryCtxRetain(&context, device));
    if (run(context))
        return 1;
    TRY(cuDevicePrimaryCtxRelease(device));
    for (int i = 0; i < N; i++)
        wrong += c[i] != a[i] + b[i];
    printf("%d sums, %d wrong\n", N, wrong);
    return wrong ? 1 : 0;
}
