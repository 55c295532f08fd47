/* SPDX-License-Identifier: MIT */
/* Threads that allocate from one pool, map one piece of memory, and make arrays, all at once. */
#include <cushim/mock.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "mock/functions.h"

enum { THREADS = 8, ROUNDS = 60, N = 256 };

#define UNIT ((size_t) 2 << 20)
#define OK(call)                                                                                   \
    do {                                                                                           \
        const int status = (int) (call);                                                           \
        if (status) {                                                                              \
            fprintf(stderr, "%s:%d: %s answers %d\n", __FILE__, __LINE__, #call, status);          \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static CUcontext context;
static CUmemoryPool pool;
static CUmemGenericAllocationHandle shared;

static void check(const unsigned *values, unsigned wanted, const char *what)
{
    for (int i = 0; i < N; i++) {
        if (values[i] == wanted)
            continue;
        fprintf(stderr, "%s: element %d is %u, not %u\n", what, i, values[i], wanted);
        exit(1);
    }
}

static void use_pool(CUstream stream, unsigned value)
{
    unsigned back[N] = {0};
    CUdeviceptr p = 0;

    OK(mock_cuMemAllocFromPoolAsync(&p, sizeof(back), pool, stream));
    OK(mock_cuMemsetD32Async(p, value, N, stream));
    OK(mock_cuMemcpyDtoHAsync_v2(back, p, sizeof(back), stream));
    OK(mock_cuMemFreeAsync(p, stream));
    OK(mock_cuStreamSynchronize(stream));
    check(back, value, "pool");
}

/* Each thread has its own part of the memory that they all map. */
static void use_mapping(CUstream stream, unsigned thread, unsigned value)
{
    const CUmemAccessDesc access = {.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE},
                                    .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    unsigned back[N] = {0};
    CUdeviceptr p = 0, part;

    OK(mock_cuMemAddressReserve(&p, UNIT, 0, 0, 0));
    OK(mock_cuMemMap(p, UNIT, 0, shared, 0));
    OK(mock_cuMemSetAccess(p, UNIT, &access, 1));
    part = p + thread * sizeof(back);
    OK(mock_cuMemsetD32Async(part, value, N, stream));
    OK(mock_cuMemcpyDtoHAsync_v2(back, part, sizeof(back), stream));
    OK(mock_cuStreamSynchronize(stream));
    OK(mock_cuMemUnmap(p, UNIT));
    OK(mock_cuMemAddressFree(p, UNIT));
    check(back, value, "mapping");
}

static void use_array(CUstream stream, unsigned value)
{
    const CUDA_ARRAY_DESCRIPTOR descriptor = {N, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1};
    unsigned there[N], back[N] = {0};
    CUarray array = NULL;

    for (int i = 0; i < N; i++)
        there[i] = value;
    OK(mock_cuArrayCreate_v2(&array, &descriptor));
    OK(mock_cuMemcpyHtoAAsync_v2(array, 0, there, sizeof(there), stream));
    OK(mock_cuMemcpyAtoHAsync_v2(back, array, 0, sizeof(back), stream));
    OK(mock_cuStreamSynchronize(stream));
    OK(mock_cuArrayDestroy(array));
    check(back, value, "array");
}

static void *run(void *number)
{
    const unsigned thread = (unsigned) (uintptr_t) number;
    CUstream stream = NULL;

    OK(mock_cuCtxSetCurrent(context));
    OK(mock_cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    for (unsigned round = 0; round < ROUNDS; round++) {
        use_pool(stream, 1000 * thread + round);
        use_mapping(stream, thread, 1000 * thread + round);
        use_array(stream, 1000 * thread + round);
    }
    OK(mock_cuStreamDestroy_v2(stream));
    return NULL;
}

static void set_up(void)
{
    const CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                  .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    const CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};

    OK(mock_cuInit(0));
    OK(mock_cuDevicePrimaryCtxRetain(&context, 0));
    OK(mock_cuCtxSetCurrent(context));
    OK(mock_cuMemPoolCreate(&pool, &props));
    OK(mock_cuMemCreate(&shared, UNIT, &prop, 0));
}

static size_t what_was_found(void)
{
    const struct cushim_mock_finding *findings = NULL;
    size_t n;

    cushim_mock_leaks();
    n = cushim_mock_findings(&findings);
    for (size_t i = 0; i < n; i++)
        fprintf(stderr, "%s\n", findings[i].text);
    return n;
}

int main(void)
{
    pthread_t threads[THREADS];

    set_up();
    for (uintptr_t i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, run, (void *) i))
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    OK(mock_cuMemRelease(shared));
    OK(mock_cuMemPoolDestroy(pool));
    OK(mock_cuDevicePrimaryCtxRelease_v2(0));
    return what_was_found() ? 1 : 0;
}
