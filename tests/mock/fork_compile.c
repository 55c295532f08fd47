/* SPDX-License-Identifier: MIT */
/*
 * A fork while kernels are compiled in the background: it waits until LLVM is at rest, but not
 * until all that is wanted is compiled. Who asks for LLVM meanwhile waits for the fork. The linker
 * leads calls of LLVM here: nothing is compiled, slowly.
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
#include "mock/ptx/jit/llvm.h"

enum { FUNCTIONS = 30, ALL = FUNCTIONS + 1, TENTH = 100 * 1000, MOST_TENTHS = 600 };

static atomic_int n_begun, n_done;
static atomic_bool forks; /* the program does, now */

void *__wrap_ptx__llvm_compile(const char *text, size_t length, size_t *ret_bytes);

void *__wrap_ptx__llvm_compile(const char *text, size_t length, size_t *ret_bytes)
{
    (void) text;
    (void) length;
    (void) ret_bytes;
    atomic_fetch_add(&n_begun, 1);
    for (int i = 0; i < MOST_TENTHS && !atomic_load(&forks); i++)
        usleep(TENTH);
    usleep(TENTH);
    atomic_fetch_add(&n_done, 1);
    return NULL;
}

static void check(bool right, const char *what)
{
    if (right)
        return;
    fprintf(stderr, "wrong: %s; %d of %d functions are done, %d begun\n", what,
            atomic_load(&n_done), ALL, atomic_load(&n_begun));
    exit(1);
}

static void wait_for(const atomic_int *number, int least, const char *what)
{
    for (int i = 0; atomic_load(number) < least; i++) {
        check(i < MOST_TENTHS, what);
        usleep(TENTH);
    }
}

/* --- a thread that asks how kernels are compiled, at the last moment before a fork --- */

static atomic_bool loads;
static bool asks;
static pthread_t asking;

unsigned __real_ptx__llvm_version(void);
unsigned __wrap_ptx__llvm_version(void);

unsigned __wrap_ptx__llvm_version(void)
{
    unsigned version;

    atomic_store(&loads, true);
    usleep(3 * TENTH);
    version = __real_ptx__llvm_version();
    atomic_store(&loads, false);
    return version;
}

static void *ask(void *unused)
{
    check(cushim_mock_kernels_text(), "who asks has no answer");
    return unused;
}

static void ask_before_fork(void)
{
    if (!asks)
        return;
    pthread_create(&asking, NULL, ask, NULL);
    usleep(TENTH);
}

/* What is registered first is called last. */
__attribute__((constructor(101))) static void register_first(void)
{
    pthread_atfork(ask_before_fork, NULL, NULL);
}

/* --- forks --- */

/* A kernel that works long enough to be compiled, with functions that are compiled with it. */
static void launch(void)
{
    static char text[16384];
    int used = snprintf(text, sizeof(text), ".version 7.0\n.target sm_70\n.address_size 64\n");
    CUcontext context = NULL;
    CUmodule module = NULL;
    CUfunction kernel = NULL;

    for (int i = 0; i < FUNCTIONS; i++)
        used += snprintf(text + used, sizeof(text) - (size_t) used, ".func f%d() { ret; }\n", i);
    used += snprintf(text + used, sizeof(text) - (size_t) used,
                     ".visible .entry k() { .reg .b32 %%i; .reg .pred %%p; mov.u32 %%i, 0;\n");
    for (int i = 0; i < FUNCTIONS; i++)
        used += snprintf(text + used, sizeof(text) - (size_t) used, "call f%d, ();\n", i);
    snprintf(text + used, sizeof(text) - (size_t) used,
             "L: add.u32 %%i, %%i, 1; setp.lt.u32 %%p, %%i, 600000; @%%p bra L; ret; }\n");
    check(!mock_cuInit(0) && !mock_cuDevicePrimaryCtxRetain(&context, 0) &&
              !mock_cuCtxSetCurrent(context) && !mock_cuModuleLoadData(&module, text) &&
              !mock_cuModuleGetFunction(&kernel, module, "k") &&
              !mock_cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL) &&
              !mock_cuCtxSynchronize(),
          "the kernel does not run");
}

static bool is_compiled_here(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return true;
#endif
}

static void fork_while_somebody_asks(void)
{
    int status = -1;
    pid_t child;

    asks = true;
    child = fork();
    if (!child)
        _exit(atomic_load(&loads));
    check(waitpid(child, &status, 0) == child && !status, "LLVM was being loaded during the fork");
    check(!pthread_join(asking, NULL), "who asks cannot be joined");
}

int main(void)
{
    enum { SKIP = 77 };
    int status = -1;
    pid_t child;

    if (!is_compiled_here())
        return SKIP;
    setenv("CUSHIM_MOCK_PTX_COMPILE", "1", 1);
    launch();
    wait_for(&n_begun, 1, "nothing is compiled");
    atomic_store(&forks, true);
    child = fork();
    if (!child)
        _exit(atomic_load(&n_done) == atomic_load(&n_begun) ? 0 : 1);
    check(atomic_load(&n_done) < ALL, "the fork waited for all functions");
    check(waitpid(child, &status, 0) == child && !status, "LLVM was at work during the fork");
    wait_for(&n_done, ALL, "after the fork, not all is compiled");
    fork_while_somebody_asks();
    return 0;
}
