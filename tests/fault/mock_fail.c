/* SPDX-License-Identifier: MIT */
/*
 * mock_fail [RESULT]: faults that a program asks of the mock by cushim_mock_fail(), met by whoever
 * calls the driver. RESULT is what cuCtxGetLimit answers, as the environment has it; else 0. A
 * plain program, so that the thread sanitizer can watch it.
 */
#include <cuda.h>
#include <cushim/mock.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, CALLS = 2000 };

#define EXPECT(expected, call)                                                                     \
    do {                                                                                           \
        const int expect = (int) (call);                                                           \
        if (expect != (int) (expected)) {                                                          \
            fprintf(stderr, "%s:%d: %s answered %d, expected %d\n", __FILE__, __LINE__, #call,     \
                    expect, (int) (expected));                                                     \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static int limit_answer;

static CUresult get_limit(void)
{
    size_t value;

    return cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE);
}

/* What a user's test has: the second allocation fails, and nothing is left behind. */
static void the_second_allocation_fails(void)
{
    CUdeviceptr p = 0, q = 0;

    EXPECT(CUSHIM_OK, cushim_mock_fail("cuMemAllocAsync", cushim_fault(.nth = 2, .result = 2)));
    EXPECT(CUDA_SUCCESS, cuMemAllocAsync(&p, 64, NULL));
    EXPECT(CUDA_ERROR_OUT_OF_MEMORY, cuMemAllocAsync(&q, 64, NULL));
    EXPECT(CUDA_SUCCESS, cuMemAllocAsync(&q, 64, NULL));
    EXPECT(CUDA_SUCCESS, cuMemFreeAsync(p, NULL));
    EXPECT(CUDA_SUCCESS, cuMemFreeAsync(q, NULL));
    EXPECT(CUDA_SUCCESS, cuCtxSynchronize());
    EXPECT(0, cushim_mock_stats().live_bytes);
    cushim_mock_faults_clear();
}

static void rules_add_up_and_go_together(void)
{
    CUdeviceptr p = 0;

    EXPECT(CUSHIM_OK, cushim_mock_fail("cuMemAlloc", cushim_fault(.nth = 1, .result = 2)));
    EXPECT(CUSHIM_OK,
           cushim_mock_fail("cuCtxSynchronize", cushim_fault(.result = 719, .sticky = 1)));
    EXPECT(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(&p, 64));
    EXPECT(CUDA_ERROR_LAUNCH_FAILED, cuCtxSynchronize());
    EXPECT(CUDA_ERROR_LAUNCH_FAILED, cuMemAlloc(&p, 64));
    cushim_mock_faults_clear();
    EXPECT(CUDA_SUCCESS, cuCtxSynchronize());
    EXPECT(CUDA_SUCCESS, cuMemAlloc(&p, 64));
    EXPECT(CUDA_SUCCESS, cuMemFree(p));
    /* The same rule counts anew. */
    EXPECT(CUSHIM_OK, cushim_mock_fail("cuMemAlloc", cushim_fault(.nth = 1, .result = 2)));
    EXPECT(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(&p, 64));
    cushim_mock_faults_clear();
    cushim_mock_faults_clear();
}

static void misuse(void)
{
    EXPECT(CUSHIM_ERROR_INVALID_ARGUMENT, cushim_mock_fail(NULL, cushim_fault(.result = 2)));
    EXPECT(CUSHIM_ERROR_INVALID_ARGUMENT, cushim_mock_fail("cuMemAlloc", NULL));
    EXPECT(CUSHIM_ERROR_INVALID_ARGUMENT, cushim_mock_fail("cuMemAlloc", cushim_fault(.nth = 2)));
    EXPECT(CUSHIM_ERROR_UNKNOWN_SYMBOL, cushim_mock_fail("cuMemAlok", cushim_fault(.result = 2)));
    EXPECT(0, strstr(cushim_mock_error_text(), "cuMemAlok") == NULL);
    EXPECT(CUSHIM_ERROR_INVALID_ARGUMENT,
           cushim_mock_fail("nvrtcCompileProgram", cushim_fault(.result = 6)));
    EXPECT(0, strstr(cushim_mock_error_text(), "the mock has no NVRTC") == NULL);
    EXPECT(CUSHIM_ERROR_INVALID_ARGUMENT, cushim_mock_fail("nvrtc*", cushim_fault(.result = 6)));
    EXPECT(CUSHIM_ERROR_INVALID_ARGUMENT, cushim_mock_fail("nvJit*", cushim_fault(.result = 6)));
    for (int i = 0; i < CUSHIM_FAULTS_MAX; i++)
        EXPECT(CUSHIM_OK, cushim_mock_fail("cuMemAlloc", cushim_fault(.nth = 9, .result = 2)));
    EXPECT(CUSHIM_ERROR_LIMIT, cushim_mock_fail("cuMemAlloc", cushim_fault(.result = 2)));
    cushim_mock_faults_clear();
    EXPECT(CUDA_SUCCESS, cuCtxSynchronize());
}

static atomic_bool over;

static void *call(void *unused)
{
    int version;

    (void) unused;
    for (int i = 0; i < CALLS; i++) {
        const CUresult result = cuDriverGetVersion(&version);

        if (result != CUDA_SUCCESS && result != CUDA_ERROR_UNKNOWN) {
            fprintf(stderr, "cuDriverGetVersion answered %d\n", (int) result);
            exit(1);
        }
    }
    return NULL;
}

static void *fail_and_clear(void *unused)
{
    (void) unused;
    while (!atomic_load(&over)) {
        EXPECT(CUSHIM_OK,
               cushim_mock_fail("cuDriverGetVersion", cushim_fault(.every = 3, .result = 999)));
        cushim_mock_faults_clear();
    }
    return NULL;
}

static void rules_come_and_go_while_threads_call(void)
{
    pthread_t threads[THREADS], other;

    EXPECT(0, pthread_create(&other, NULL, fail_and_clear, NULL));
    for (int i = 0; i < THREADS; i++)
        EXPECT(0, pthread_create(&threads[i], NULL, call, NULL));
    for (int i = 0; i < THREADS; i++)
        EXPECT(0, pthread_join(threads[i], NULL));
    atomic_store(&over, true);
    EXPECT(0, pthread_join(other, NULL));
}

int main(int argc, char **argv)
{
    CUcontext context;

    limit_answer = argc > 1 ? atoi(argv[1]) : 0;
    EXPECT(CUSHIM_OK, cushim_mock_fail("cuInit", cushim_fault(.nth = 1, .result = 100)));
    EXPECT(CUDA_ERROR_NO_DEVICE, cuInit(0));
    EXPECT(CUDA_SUCCESS, cuInit(0));
    EXPECT(CUDA_SUCCESS, cuDevicePrimaryCtxRetain(&context, 0));
    EXPECT(CUDA_SUCCESS, cuCtxSetCurrent(context));
    the_second_allocation_fails();
    rules_add_up_and_go_together();
    misuse();
    rules_come_and_go_while_threads_call();
    EXPECT(limit_answer, get_limit());
    EXPECT(CUDA_SUCCESS, cuDevicePrimaryCtxRelease(0));
    return 0;
}
