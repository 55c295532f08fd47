/* SPDX-License-Identifier: MIT */
/* What the mock's tests share. They call its implementations, without a library between. */
#ifndef CUSHIM_TESTS_MOCK_SUPPORT_H
#define CUSHIM_TESTS_MOCK_SUPPORT_H

#include <stdlib.h>

#include "../support/assertions.h"
#include "mock/functions.h"

/* The words for devices, as messages list them. */
#define KINDS "h200, a100, t4, rtx4090, l4, l40s, a10, v100, rtx5090, b200, orin and ci"

/* Goes on after a wrong answer; says which call it was and both results. */
#define EXPECT(expected, call) cr_expect(eq(int, (int) (call), (int) (expected)), "%s", #call)

/* For a call that the rest of the test stands on. */
#define OK(call) cr_assert(eq(int, (int) (call), CUDA_SUCCESS), "%s", #call)

/* A handle that was never given out. */
#define GARBAGE ((void *) 0x5eed5eed5ee0)

/* An initialised driver with two devices and the first one's primary context current. */
static inline CUcontext start(void)
{
    CUcontext context = NULL;

    setenv("CUSHIM_MOCK_DEVICES", "h200,h200", 1);
    OK(mock_cuInit(0));
    OK(mock_cuDevicePrimaryCtxRetain(&context, 0));
    OK(mock_cuCtxSetCurrent(context));
    return context;
}

/* The same with a context of the first cuCtxCreate(), beside which there is no other. */
static inline void start_with_first_context(void)
{
    CUcontext context = start();

    EXPECT(CUDA_ERROR_OUT_OF_MEMORY, mock_cuCtxCreate(&context, 0, 0));
    while (mock_cuDevicePrimaryCtxRelease_v2(0) == CUDA_SUCCESS)
        ;
    OK(mock_cuCtxCreate(&context, 0, 0));
    EXPECT(CUDA_ERROR_OUT_OF_MEMORY, mock_cuDevicePrimaryCtxRetain(&context, 1));
}

static inline CUdeviceptr allocate(size_t bytes)
{
    CUdeviceptr address = 0;

    OK(mock_cuMemAlloc_v2(&address, bytes));
    return address;
}

#endif
