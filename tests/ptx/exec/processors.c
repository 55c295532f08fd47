/* SPDX-License-Identifier: MIT */
/*
 * How many threads run a kernel: as many as there are processors that the program may use, not as
 * the machine has. A plain program, because it counts the threads of the process.
 */
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "mock/functions.h"

static const char text[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry k(.param .u32 n) {\n.reg .u32 %i, %n; .reg .pred %p;\n"
    "ld.param.u32 %n, [n]; mov.u32 %i, 0;\n"
    "next: add.u32 %i, %i, 1; setp.lt.u32 %p, %i, %n; @%p bra next; ret; }\n";

static void check(bool right, const char *what)
{
    if (right)
        return;
    fprintf(stderr, "wrong: %s\n", what);
    exit(1);
}

static unsigned count_threads(void)
{
    DIR *tasks = opendir("/proc/self/task");
    unsigned n = 0;

    check(tasks, "the threads cannot be counted");
    while (readdir(tasks))
        n++;
    closedir(tasks);
    return n - 2; /* "." and ".." */
}

static atomic_bool running;

/* Returns the most threads that there are as long as a kernel runs. */
static void *look(void *unused)
{
    uintptr_t most = 0;

    (void) unused;
    do {
        const uintptr_t n = count_threads();

        most = n > most ? n : most;
    } while (atomic_load(&running));
    return (void *) most;
}

static unsigned run(CUfunction function, unsigned blocks, unsigned turns)
{
    void *params[] = {&turns}, *most = NULL;
    pthread_t looker;

    atomic_store(&running, true);
    check(!pthread_create(&looker, NULL, look, NULL), "a thread");
    check(!mock_cuLaunchKernel(function, blocks, 1, 1, 128, 1, 1, 0, NULL, params, NULL), "launch");
    check(!mock_cuCtxSynchronize(), "the kernel");
    atomic_store(&running, false);
    pthread_join(looker, &most);
    return (unsigned) (uintptr_t) most;
}

/* Returns how many threads a large launch has, and a small one has not: the most in some attempts.
 */
static unsigned count_further(void)
{
    enum { MOST_ATTEMPTS = 5 };

    CUmodule module = NULL;
    CUfunction function = NULL;
    CUcontext context = NULL;
    unsigned small, large = 0;

    check(!mock_cuInit(0) && !mock_cuDevicePrimaryCtxRetain(&context, 0) &&
              !mock_cuCtxSetCurrent(context) && !mock_cuModuleLoadData(&module, text) &&
              !mock_cuModuleGetFunction(&function, module, "k"),
          "to begin");
    small = run(function, 1, 50000);
    for (int i = 0; i < MOST_ATTEMPTS && large <= small; i++)
        large = run(function, 32, 2500 << i);
    check(!mock_cuDevicePrimaryCtxRelease_v2(0), "to end");
    check(large >= small, "the kernel was too short to be looked at");
    return large - small;
}

int main(int argc, char **argv)
{
    cpu_set_t processors, one;

    (void) argv;
    setenv("CUSHIM_MOCK_PTX_COMPILE", "0", 1); /* another thread would compile it */
    check(!sched_getaffinity(0, sizeof(processors), &processors), "no processors");
    if (CPU_COUNT(&processors) < 2) {
        puts("skipped: this machine has one processor");
        return 77;
    }
    if (argc > 1) {
        CPU_ZERO(&one);
        for (int i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++) {
            if (CPU_ISSET(i, &processors))
                CPU_SET(i, &one);
        }
        check(!sched_setaffinity(0, sizeof(one), &one), "one processor");
    }
    check(argc > 1 ? !count_further() : count_further() > 0, "the number of threads");
    return 0;
}
