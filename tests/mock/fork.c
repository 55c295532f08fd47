/* SPDX-License-Identifier: MIT */
/*
 * A child of a process that had initialised the driver cannot use its device, also if another
 * thread was inside the driver when it was forked; a child of one that had not can. Both can ask
 * for faults. child.c asks what it can do with objects.
 */
#include <cushim/mock.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mock/functions.h"

#ifndef __has_feature
#define __has_feature(feature) 0
#endif

/* Their allocators do not survive a fork during another thread's allocation. */
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer) ||                           \
    defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
enum { ASKING_CHILDREN = 0 };
#else
enum { ASKING_CHILDREN = 300 };
#endif

static atomic_bool stop;

static int expect(const char *call, int got, int expected)
{
    if (got == expected)
        return 0;
    fprintf(stderr, "%s answered %d, expected %d\n", call, got, expected);
    return 1;
}

#define EXPECT(expected, call) expect(#call, (int) (call), (int) (expected))

/* Runs a part in a child; what it returns, or 99 if it hangs or dies. */
static int in_child(int (*part)(void))
{
    int status = 0;
    const pid_t child = fork();

    if (child == 0) {
        alarm(20);
        _exit(part());
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status)
               ? WEXITSTATUS(status)
               : 99;
}

static int works(void)
{
    int n = 0;

    return EXPECT(0, mock_cuInit(0)) + EXPECT(0, mock_cuDeviceGetCount(&n));
}

static int is_refused(void)
{
    CUcontext context;
    const char *name;
    int n;

    return EXPECT(3, mock_cuInit(0)) + EXPECT(3, mock_cuDeviceGetCount(&n)) +
           EXPECT(3, mock_cuCtxGetCurrent(&context)) + EXPECT(3, mock_cuCtxSynchronize()) +
           EXPECT(3, mock_cuMemFree_v2(0)) + EXPECT(0, mock_cuDriverGetVersion(&n)) +
           EXPECT(0, mock_cuGetErrorName((CUresult) 3, &name));
}

static void *keep_busy(void *unused)
{
    int n;

    while (!atomic_load(&stop))
        mock_cuDeviceGetCount(&n);
    return unused;
}

/* --- faults that a program asks for --- */

static int ask_and_clear(void)
{
    const int failures =
        EXPECT(0, cushim_mock_fail("cuMemAlloc_v2", cushim_fault(.nth = 1, .result = 2)));

    cushim_mock_faults_clear();
    return failures;
}

static void *keep_asking(void *unused)
{
    while (!atomic_load(&stop))
        ask_and_clear();
    return unused;
}

/* Another thread may have had the lock of its set of faults. */
static int asks_for_faults(void)
{
    pthread_t threads[2];
    int failures = 0;

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, keep_asking, NULL);
    for (int i = 0; !failures && i < ASKING_CHILDREN; i++)
        failures += in_child(ask_and_clear);
    atomic_store(&stop, true);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    atomic_store(&stop, false);
    return failures;
}

int main(void)
{
    pthread_t thread;
    int failures = asks_for_faults() + in_child(works);

    failures += works();
    pthread_create(&thread, NULL, keep_busy, NULL);
    for (int i = 0; i < 20; i++)
        failures += in_child(is_refused);
    atomic_store(&stop, true);
    pthread_join(thread, NULL);
    return failures + works() ? 1 : 0;
}
