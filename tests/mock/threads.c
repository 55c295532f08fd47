/* SPDX-License-Identifier: MIT */
/*
 * Many threads on one device at once, each with a current context of its own. A plain
 * program, so that the thread sanitizer can watch it.
 */
#include <cushim/mock.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "mock/functions.h"

#define N_THREADS 8
#define ROUNDS    200

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry fill(.param .u64 p, .param .u32 v) { ret; }\n";

static void fill(const struct cushim_mock_launch *launch, void *const *args)
{
    unsigned *words = cushim_mock_pointer(*(uint64_t *) args[0], launch->grid[0] * 4);

    for (unsigned i = 0; words && i < launch->grid[0]; i++)
        words[i] = *(unsigned *) args[1];
}

static void CUDA_CB count(void *n)
{
    ++*(unsigned *) n;
}

static void one_round(CUstream stream, CUfunction f, unsigned value, unsigned *calls)
{
    unsigned words[64];
    CUdeviceptr p = 0;
    void *params[] = {&p, &value};

    CHECK(mock_cuMemAlloc_v2(&p, sizeof(words)));
    CHECK(mock_cuLaunchKernel(f, 64, 1, 1, 1, 1, 1, 0, stream, params, NULL));
    CHECK(mock_cuLaunchHostFunc(stream, count, calls));
    CHECK(mock_cuMemcpyDtoHAsync_v2(words, p, sizeof(words), stream));
    CHECK(mock_cuStreamSynchronize(stream));
    CHECK(mock_cuMemFree_v2(p));
    CHECK(words[0] != value || words[63] != value);
}

static void *work(void *number)
{
    const unsigned value = (unsigned) (uintptr_t) number;
    unsigned calls = 0;
    CUcontext context = NULL;
    CUmodule module = NULL;
    CUfunction f = NULL;
    CUstream stream = NULL;

    CHECK(cushim_mock_register_kernel("fill", fill, NULL));
    CHECK(mock_cuInit(0));
    CHECK(mock_cuDevicePrimaryCtxRetain(&context, 0));
    CHECK(mock_cuCtxSetCurrent(context));
    CHECK(mock_cuModuleLoadData(&module, ptx));
    CHECK(mock_cuModuleGetFunction(&f, module, "fill"));
    CHECK(mock_cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    for (unsigned round = 0; round < ROUNDS; round++)
        one_round(stream, f, value, &calls);
    CHECK(calls != ROUNDS);
    CHECK(mock_cuStreamDestroy_v2(stream));
    CHECK(mock_cuModuleUnload(module));
    return NULL;
}

int main(void)
{
    pthread_t threads[N_THREADS];

    for (uintptr_t i = 0; i < N_THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, work, (void *) (i + 1)));
    for (unsigned i = 0; i < N_THREADS; i++)
        CHECK(pthread_join(threads[i], NULL));
    for (unsigned i = 0; i < N_THREADS; i++)
        CHECK(mock_cuDevicePrimaryCtxRelease_v2(0));
    return 0;
}
