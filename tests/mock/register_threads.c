/* SPDX-License-Identifier: MIT */
/*
 * Registered memory that the program has protected or unmapped, and threads: those that do the
 * work use it, and the others fault as without the mock. A plain program, so that the thread
 * sanitizer can watch it.
 */
#include <cushim/mock.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mock/functions.h"

enum { PAGE = 4096, PAGES = 16, BYTES = PAGES * PAGE, HELPERS = 4, ROUNDS = 30 };

static const char ptx[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry sets(.param .u64 p) {\n.reg .u32 %r<5>; .reg .u64 %d<4>;\n"
    "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mad.lo.u32 %r3, %r1, %r2, "
    "%r0;\nld.param.u64 %d0, [p]; mul.wide.u32 %d1, %r3, 4; add.u64 %d2, %d0, %d1; "
    "st.global.u32 [%d2], 7; ret; }\n"
    ".visible .entry helped(.param .u64 p) { ret; }\n"
    ".visible .entry beside(.param .u64 p) { ret; }\n";

static CUmodule module;

static void check(bool right, const char *what)
{
    if (right)
        return;
    fprintf(stderr, "wrong: %s\n", what);
    exit(1);
}

static void begin(void)
{
    CUcontext context = NULL;

    mock_cuDevicePrimaryCtxReset(0);
    check(!mock_cuDevicePrimaryCtxRetain(&context, 0), "a context");
    check(!mock_cuCtxSetCurrent(context), "which is current");
    check(!mock_cuModuleLoadData(&module, ptx), "a module");
}

static unsigned char *map(void)
{
    static uintptr_t place = 0x7e8000000000;
    unsigned char *pages =
        mmap((void *) place, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    place += (uintptr_t) 1 << 24;
    check(pages != MAP_FAILED, "pages");
    check(!mock_cuMemHostRegister_v2(pages, BYTES, 0), "registered pages");
    return pages;
}

static CUresult run(const char *name, const void *p, unsigned blocks)
{
    CUdeviceptr address = (uintptr_t) p;
    void *params[] = {&address};
    CUfunction function = NULL;

    check(!mock_cuModuleGetFunction(&function, module, name), "a kernel");
    check(!mock_cuLaunchKernel(function, blocks, 1, 1, PAGE / 4, 1, 1, 0, NULL, params, NULL),
          "a launch");
    return mock_cuCtxSynchronize();
}

/* --- the threads of a launch --- */

static void workers(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        unsigned char *pages = map();

        for (int page = 0; page < PAGES; page += 2)
            mprotect(pages + page * PAGE, PAGE, i % 2 ? PROT_NONE : PROT_READ);
        check(!run("sets", pages, PAGES), "a kernel that uses protected pages");
        mprotect(pages, BYTES, PROT_READ);
        check(pages[0] == 7 && pages[BYTES - 4] == 7, "what it has written");
        munmap(pages + PAGE, BYTES - 2 * PAGE);
        check(run("sets", pages, PAGES) == CUDA_ERROR_ILLEGAL_ADDRESS, "unmapped pages");
        begin();
        munmap(pages, BYTES);
    }
}

/* --- the threads of a replacement kernel --- */

static void *help(void *data)
{
    const size_t address = (uintptr_t) data;
    volatile unsigned char *p = cushim_mock_output(address, PAGE);

    check(p, "a pointer for a helper");
    p[0] = 7;
    return NULL;
}

static void helped(const struct cushim_mock_launch *launch, void *const *args)
{
    const uint64_t pages = *(const uint64_t *) args[0];
    pthread_t threads[HELPERS];

    (void) launch;
    for (size_t i = 0; i < HELPERS; i++)
        pthread_create(&threads[i], NULL, help, (void *) (uintptr_t) (pages + i * PAGE));
    for (size_t i = 0; i < HELPERS; i++)
        pthread_join(threads[i], NULL);
}

static void helpers(void)
{
    unsigned char *pages = map();

    CUSHIM_IGNORE(cushim_mock_register_kernel("helped", helped, NULL));
    mprotect(pages, BYTES, PROT_NONE);
    check(!run("helped", pages, 1), "a kernel whose helpers use protected pages");
    mprotect(pages, BYTES, PROT_READ);
    for (size_t i = 0; i < HELPERS; i++)
        check(pages[i * PAGE] == 7, "what a helper has written");
}

/* --- other threads --- */

static atomic_int handled;

static void open_page(int number, siginfo_t *info, void *context)
{
    (void) number;
    (void) context;
    atomic_fetch_add(&handled, 1);
    mprotect((void *) ((uintptr_t) info->si_addr & ~(uintptr_t) (PAGE - 1)), PAGE,
             PROT_READ | PROT_WRITE);
}

static void *touch(void *data)
{
    *(volatile unsigned char *) data = 5;
    return NULL;
}

/* The kernel uses one page; meanwhile a thread that has nothing to do with it uses another one. */
static void beside(const struct cushim_mock_launch *launch, void *const *args)
{
    volatile unsigned char *pages =
        (volatile unsigned char *) (uintptr_t) * (const uint64_t *) args[0];
    pthread_t thread;

    (void) launch;
    pages[0] = 7;
    mprotect((void *) (uintptr_t) (pages + PAGE), PAGE, PROT_NONE);
    check(!atomic_load(&handled), "the kernel's access is not the program's");
    pthread_create(&thread, NULL, touch, (void *) (uintptr_t) (pages + PAGE));
    pthread_join(thread, NULL);
}

static void others(void)
{
    unsigned char *pages = map();

    CUSHIM_IGNORE(cushim_mock_register_kernel("beside", beside, NULL));
    mprotect(pages, BYTES, PROT_NONE);
    check(!run("beside", pages, 1), "a kernel beside another thread");
    check(atomic_load(&handled) == 1, "the program's handler, for its own thread");
    check(pages[PAGE] == 5, "what the program's thread has written, and may read");
}

int main(void)
{
    const struct sigaction action = {.sa_sigaction = open_page, .sa_flags = SA_SIGINFO};

    setenv("CUSHIM_MOCK_DEVICES", "h200", 1);
    setenv("CUSHIM_MOCK_PTX_WORKERS", "4", 1);
    check(!sigaction(SIGSEGV, &action, NULL), "a handler");
    check(!mock_cuInit(0), "the driver");
    begin();
    workers();
    helpers();
    others();
    return 0;
}
