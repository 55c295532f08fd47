/* SPDX-License-Identifier: MIT */
/*
 * A replacement kernel that waits for threads, and what these threads ask the mock: they get
 * answers while the function runs. A plain program, so that the thread sanitizer can watch it.
 */
#include <cushim/mock.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mock/functions.h"

enum { BYTES = 4096, HELPERS = 4, ROUNDS = 50 };

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry asks(.param .u64 p) { ret; }\n"
                          ".visible .entry plain(.param .u64 p) { ret; }\n";

static atomic_int turn;
static CUdeviceptr memory;

static void check(bool right, const char *what)
{
    if (right)
        return;
    fprintf(stderr, "wrong: %s\n", what);
    exit(1);
}

static bool has(const struct cushim_mock_finding *all, size_t n, const char *words)
{
    for (size_t i = 0; i < n; i++)
        if (strstr(all[i].text, words))
            return true;
    return false;
}

/* All that reads, and what changes no more than names. */
static void ask(void)
{
    const struct cushim_mock_finding *all = NULL;
    size_t n;

    check(cushim_mock_pointer(memory, BYTES) != NULL, "the memory's pointer");
    check(!cushim_mock_label(memory, "asked"), "a label");
    check(cushim_mock_stats().live_allocations == 1, "the count of allocations");
    check(!cushim_mock_pointer(1, 1), "a pointer to nowhere");
    n = cushim_mock_findings(&all);
    check(has(all, n, "kernel 'asks'"), "the finding of the kernel that runs");
    cushim_mock_leaks();
    n = cushim_mock_findings(&all);
    check(has(all, n, "'asked'"), "the leak of the memory, by its label");
}

static void *help(void *unused)
{
    for (int i = 0; i < ROUNDS; i++)
        ask();
    return unused;
}

/* The function and its threads ask at the same time, and it waits for them. */
static void asks(const struct cushim_mock_launch *launch, void *const *args)
{
    pthread_t threads[HELPERS];

    (void) launch;
    (void) args;
    for (int i = 0; i < HELPERS; i++)
        check(!pthread_create(&threads[i], NULL, help, NULL), "a thread");
    help(NULL);
    for (int i = 0; i < HELPERS; i++)
        pthread_join(threads[i], NULL);
    cushim_mock_findings_clear();
    check(!cushim_mock_findings(NULL), "no findings");
}

/* A thread that was there before the kernel, and is asking when it begins. */
static void *always(void *unused)
{
    while (atomic_load(&turn) < 2) {
        (void) cushim_mock_stats();
        (void) cushim_mock_findings(NULL);
        if (atomic_load(&turn) == 1)
            atomic_store(&turn, 2);
    }
    return unused;
}

static void plain(const struct cushim_mock_launch *launch, void *const *args)
{
    (void) launch;
    (void) args;
    atomic_store(&turn, 1);
    while (atomic_load(&turn) == 1)
        ;
}

static void launch(CUmodule module, const char *name, int result)
{
    CUfunction function = NULL;
    void *params[] = {&memory};

    check(!mock_cuModuleGetFunction(&function, module, name), name);
    check(!mock_cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL), name);
    check(mock_cuCtxSynchronize() == (CUresult) result, name);
}

int main(void)
{
    CUcontext context = NULL;
    CUmodule module = NULL;
    pthread_t thread;

    check(!mock_cuInit(0) && !mock_cuDevicePrimaryCtxRetain(&context, 0) &&
              !mock_cuCtxSetCurrent(context) && !mock_cuModuleLoadData(&module, ptx) &&
              !mock_cuMemAlloc_v2(&memory, BYTES),
          "beginning");
    CUSHIM_IGNORE(cushim_mock_register_kernel("asks", asks, NULL));
    CUSHIM_IGNORE(cushim_mock_register_kernel("plain", plain, NULL));
    for (int i = 0; i < ROUNDS; i++) {
        atomic_store(&turn, 0);
        check(!pthread_create(&thread, NULL, always, NULL), "a thread");
        launch(module, "plain", 0);
        pthread_join(thread, NULL);
    }
    launch(module, "asks", 700);
    check(cushim_mock_stats().launches == ROUNDS + 1, "the count of launches");
    return 0;
}
