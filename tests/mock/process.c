/* SPDX-License-Identifier: MIT */
/*
 * What the mock does to the process that it runs in: its thread takes no signals, a thread that is
 * cancelled leaves no lock behind, and exit() does not wait for a kernel.
 */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mock/functions.h"

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

#define OK(call) CHECK((call) == CUDA_SUCCESS)

enum { PATIENCE_S = 60, STATUS = 3 };

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry endless()\n{\nL:\n    bra L;\n}\n";

static CUcontext context;
static CUstream stream;
static sem_t inside, go_on;

static void begin(void)
{
    OK(mock_cuInit(0));
    OK(mock_cuDevicePrimaryCtxRetain(&context, 0));
    OK(mock_cuCtxSetCurrent(context));
    OK(mock_cuStreamCreate(&stream, 0));
}

static sigset_t mask;

static void CUDA_CB note_mask(void *unused)
{
    (void) unused;
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
}

/* A host function runs in the mock's thread. */
static void signals(void)
{
    begin();
    OK(mock_cuLaunchHostFunc(stream, note_mask, NULL));
    OK(mock_cuStreamSynchronize(stream));
    CHECK(sigismember(&mask, SIGTERM) && sigismember(&mask, SIGINT) && sigismember(&mask, SIGCHLD));
    CHECK(!sigismember(&mask, SIGSEGV) && !sigismember(&mask, SIGABRT));
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    CHECK(!sigismember(&mask, SIGTERM));
}

static void CUDA_CB wait_inside(void *unused)
{
    (void) unused;
    sem_post(&inside);
    sem_wait(&go_on);
}

static void *synchronize(void *unused)
{
    (void) unused;
    OK(mock_cuCtxSetCurrent(context));
    mock_cuStreamSynchronize(stream);
    pthread_testcancel();
    return NULL;
}

/* The thread is cancelled while it waits; others go on. */
static void cancellation(void)
{
    pthread_t thread;
    void *result = NULL;

    begin();
    OK(mock_cuLaunchHostFunc(stream, wait_inside, NULL));
    pthread_create(&thread, NULL, synchronize, NULL);
    sem_wait(&inside);
    usleep(50000); /* so that it waits, most likely; the result does not depend on it */
    pthread_cancel(thread);
    CHECK(mock_cuStreamQuery(stream) == CUDA_ERROR_NOT_READY);
    sem_post(&go_on);
    pthread_join(thread, &result);
    CHECK(result == PTHREAD_CANCELED);
    OK(mock_cuCtxSynchronize());
}

static void *run_kernel(void *unused)
{
    CUfunction function = NULL;
    CUmodule module = NULL;

    OK(mock_cuCtxSetCurrent(context));
    OK(mock_cuModuleLoadData(&module, ptx));
    OK(mock_cuModuleGetFunction(&function, module, "endless"));
    OK(mock_cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL));
    sem_post(&inside);
    mock_cuStreamSynchronize(stream);
    return unused;
}

/* A watchdog ends the process, because a kernel does not end. */
static void leave_by_exit(void)
{
    pthread_t thread;

    setenv("CUSHIM_MOCK_CHECK", "1", 1);
    setenv("CUSHIM_MOCK_PTX_STEPS", "0", 1);
    begin();
    pthread_create(&thread, NULL, run_kernel, NULL);
    sem_wait(&inside);
    usleep(200000);
    exit(STATUS);
}

/* Runs a part in a child, which is ended if it hangs. */
static void in_child(const char *name, void (*part)(void), int expected)
{
    int status = 0;
    const pid_t child = fork();

    if (!child) {
        alarm(PATIENCE_S);
        sem_init(&inside, 0, 0);
        sem_init(&go_on, 0, 0);
        part();
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != expected) {
        fprintf(stderr, "%s: status 0x%x\n", name, (unsigned) status);
        exit(1);
    }
}

int main(void)
{
    in_child("signals", signals, 0);
    in_child("cancellation", cancellation, 0);
    in_child("exit", leave_by_exit, STATUS);
    return 0;
}
