/* SPDX-License-Identifier: MIT */
/*
 * Threads that load modules, run kernels that are worth a compiler, and unload them or destroy
 * their contexts while LLVM compiles them in the background; the process ends in the middle of
 * that. A plain program, so that the thread sanitizer can watch it.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "mock/functions.h"
#include "mock/ptx/jit/block.h"
#include "mock/ptx/jit/llvm.h"
#include "mock/ptx/jit/setting.h"

enum { LANES = 32, TURNS = 30000, MOST_RUNS = 10000, MOST_WAITS = 10000 };

static atomic_int n_begun, n_done; /* functions, by LLVM */
static atomic_int n_gone;
static atomic_int n_meanwhile; /* modules that went away while LLVM was at work */
static atomic_int n_stops;     /* warps that compiled code has done */

void *__real_ptx__llvm_compile(const char *text, size_t length, size_t *ret_bytes);
void *__wrap_ptx__llvm_compile(const char *text, size_t length, size_t *ret_bytes);

/* It waits until a module has gone away, or a thread says that it need not. */
void *__wrap_ptx__llvm_compile(const char *text, size_t length, size_t *ret_bytes)
{
    const int gone = atomic_load(&n_gone);
    void *bytes;

    atomic_fetch_add(&n_begun, 1);
    for (int i = 0; i < MOST_WAITS && atomic_load(&n_gone) == gone; i++)
        usleep(1000);
    bytes = __real_ptx__llvm_compile(text, length, ret_bytes);
    atomic_fetch_add(&n_done, 1);
    return bytes;
}

uint64_t __real_ptx__jit_stop(struct ptx__warp *warp, const struct ptx__op *op, uint64_t is_barrier,
                              uint64_t kept);
uint64_t __wrap_ptx__jit_stop(struct ptx__warp *warp, const struct ptx__op *op, uint64_t is_barrier,
                              uint64_t kept);

uint64_t __wrap_ptx__jit_stop(struct ptx__warp *warp, const struct ptx__op *op, uint64_t is_barrier,
                              uint64_t kept)
{
    atomic_fetch_add(&n_stops, 1);
    return __real_ptx__jit_stop(warp, op, is_barrier, kept);
}

static bool is_at_work(void)
{
    return atomic_load(&n_begun) > atomic_load(&n_done);
}

/* Each module is another one: a is multiplied by a factor, and a number is added, time and again.
 */
static CUfunction load(CUmodule *ret_module, unsigned factor)
{
    CUfunction kernel = NULL;
    char text[1024];

    snprintf(text, sizeof(text),
             ".version 7.0\n.target sm_70\n.address_size 64\n"
             ".visible .entry k(.param .u64 p, .param .u32 turns) { .reg .b64 %%p, %%a;\n"
             ".reg .b32 %%t, %%v, %%i, %%n; .reg .pred %%q; ld.param.u64 %%p, [p];\n"
             "mov.u32 %%t, %%tid.x; mad.wide.u32 %%a, %%t, 4, %%p; ld.param.u32 %%n, [turns];\n"
             "mov.u32 %%v, %%t; mov.u32 %%i, 0; red.global.add.u32 [%%a], %%t;\n"
             "L: mad.lo.u32 %%v, %%v, %u, %%i; add.u32 %%i, %%i, 1; setp.lt.u32 %%q, %%i, %%n;\n"
             "@%%q bra L; red.global.add.u32 [%%a], %%v; ret; }\n",
             factor);
    CHECK(mock_cuModuleLoadData(ret_module, text));
    CHECK(mock_cuModuleGetFunction(&kernel, *ret_module, "k"));
    return kernel;
}

static unsigned expected(unsigned lane, unsigned factor, unsigned turns)
{
    unsigned v = lane;

    for (unsigned i = 0; i < turns; i++)
        v = v * factor + i;
    return v + lane;
}

static void run(CUfunction kernel, unsigned factor, unsigned turns)
{
    unsigned found[LANES];
    CUdeviceptr p = 0;
    void *params[] = {&p, &turns};

    CHECK(mock_cuMemAlloc_v2(&p, sizeof(found)));
    CHECK(mock_cuMemsetD32_v2(p, 0, LANES));
    CHECK(mock_cuLaunchKernel(kernel, 1, 1, 1, LANES, 1, 1, 0, NULL, params, NULL));
    CHECK(mock_cuMemcpyDtoH_v2(found, p, sizeof(found)));
    CHECK(mock_cuMemFree_v2(p));
    for (unsigned lane = 0; lane < LANES; lane += LANES - 1) {
        if (found[lane] == expected(lane, factor, turns))
            continue;
        fprintf(stderr, "factor %u, lane %u: %u, expected %u\n", factor, lane, found[lane],
                expected(lane, factor, turns));
        exit(1);
    }
}

enum way { UNLOAD, USE, DESTROY, WAYS };

/*
 * Runs a kernel until LLVM begins to compile it, or another one meanwhile; or until a warp has run
 * compiled.
 */
static void use(CUfunction kernel, unsigned factor, bool compiled)
{
    const int stops = atomic_load(&n_stops), begun = atomic_load(&n_begun);

    for (int i = 0; atomic_load(&n_begun) == begun; i++) {
        CHECK(i == MOST_RUNS);
        run(kernel, factor, TURNS);
    }
    for (int i = 0; compiled && atomic_load(&n_stops) == stops; i++) {
        CHECK(i == MOST_RUNS);
        atomic_fetch_add(&n_gone, 1);
        run(kernel, factor, TURNS / 2);
        usleep(10000);
    }
}

/* The module goes away while LLVM is at work, or its kernel is used until it is compiled. */
static void *work(void *number)
{
    const enum way way = (enum way)(uintptr_t) number;
    const unsigned factor = 2 * way + 3;
    CUcontext context = NULL;
    CUmodule module = NULL;
    CUfunction kernel;

    CHECK(mock_cuCtxCreate_v2(&context, 0, 0));
    kernel = load(&module, factor);
    use(kernel, factor, way == USE);
    atomic_fetch_add(&n_meanwhile, is_at_work());
    if (way == UNLOAD)
        CHECK(mock_cuModuleUnload(module));
    CHECK(mock_cuCtxDestroy_v2(context));
    atomic_fetch_add(&n_gone, 1);
    return NULL;
}

/* A child of this process has nothing of all that, and ends. */
static void *fork_often(void *stop)
{
    while (!atomic_load((atomic_bool *) stop)) {
        int status = -1;
        const pid_t child = fork();

        if (!child)
            _exit(is_at_work());
        CHECK(child < 0 || waitpid(child, &status, 0) != child || status);
        usleep(300000);
    }
    return stop;
}

int main(void)
{
    enum { SKIP = 77 };
    pthread_t threads[WAYS], forks;
    static atomic_bool stop;
    char path[512];

    setenv("CUSHIM_MOCK_PTX_COMPILE", "1", 1);
    setenv("CUSHIM_CACHE", "", 1);
    if (ptx__jit_mode() == PTX__JIT_OFF || !ptx__llvm_find(path, sizeof(path)))
        return SKIP;
    CHECK(mock_cuInit(0));
    CHECK(pthread_create(&forks, NULL, fork_often, &stop));
    for (uintptr_t i = 0; i < WAYS; i++)
        CHECK(pthread_create(&threads[i], NULL, work, (void *) i));
    for (unsigned i = 0; i < WAYS; i++)
        CHECK(pthread_join(threads[i], NULL));
    atomic_store(&stop, true);
    CHECK(pthread_join(forks, NULL));
    /* With no other thread, LLVM waits for this one. */
    atomic_store(&n_meanwhile, 0);
    work((void *) (uintptr_t) DESTROY);
    CHECK(atomic_load(&n_meanwhile) != 1);
    return 0;
}
