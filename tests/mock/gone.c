/* SPDX-License-Identifier: MIT */
/*
 * Threads wait for an event or for the context, and meanwhile another one destroys the stream, and
 * then its context, which waits for the same work. Whichever of them wakes up first, the wait says
 * that the work is done, or that something is gone, and nothing that is gone is read.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "mock/functions.h"

enum { ROUNDS = 100, WAITERS = 4 };

static CUcontext context;
static CUstream stream;
static CUevent event;
static atomic_int waiting, go;

static void CUDA_CB hold(void *user)
{
    (void) user;
    while (!go)
        usleep(100);
    usleep(1000);
}

static void *wait_for_work(void *user)
{
    CUresult result;

    CHECK(mock_cuCtxSetCurrent(context));
    waiting++;
    result = user ? mock_cuEventSynchronize(event) : mock_cuCtxSynchronize();
    if (result != CUDA_ERROR_INVALID_HANDLE && result != CUDA_ERROR_CONTEXT_IS_DESTROYED)
        CHECK(result);
    return user;
}

static void one_round(void)
{
    pthread_t threads[WAITERS];

    waiting = go = 0;
    CHECK(mock_cuCtxCreate_v2(&context, 0, 0));
    CHECK(mock_cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CHECK(mock_cuEventCreate(&event, 0));
    CHECK(mock_cuLaunchHostFunc(stream, hold, NULL));
    CHECK(mock_cuEventRecord(event, stream));
    for (int i = 0; i < WAITERS; i++)
        CHECK(pthread_create(&threads[i], NULL, wait_for_work, i % 2 ? &event : NULL));
    while (waiting < WAITERS)
        usleep(100);
    usleep(2000); /* they are in their waits */
    CHECK(mock_cuStreamDestroy_v2(stream));
    go = 1;
    CHECK(mock_cuCtxDestroy_v2(context));
    for (int i = 0; i < WAITERS; i++)
        CHECK(pthread_join(threads[i], NULL));
}

int main(void)
{
    CHECK(mock_cuInit(0));
    for (int i = 0; i < ROUNDS; i++)
        one_round();
    return 0;
}
