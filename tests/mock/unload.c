/* SPDX-License-Identifier: MIT */
/*
 * unload LIBRARY: opens the mock, and closes it while threads sleep that have worked for a kernel.
 * They wake up and end after that.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

/* Others: the mock's own thread, and one of a sanitizer. */
enum { WORKERS = 8, OTHERS = 2, PATIENCE_S = 60, TENTH = 100 * 1000 };

static const char text[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                           ".visible .entry k(.param .u32 n) {\n.reg .u32 %i, %n; .reg .pred %p;\n"
                           "ld.param.u32 %n, [n]; mov.u32 %i, 0;\n"
                           "L: add.u32 %i, %i, 1; setp.lt.u32 %p, %i, %n; @%p bra L; ret; }\n";

static void *library;

/* As a number, which a function's address may be made of. */
static uintptr_t find(const char *name)
{
    const uintptr_t function = (uintptr_t) dlsym(library, name);

    CHECK(!function);
    return function;
}

static int count_threads(void)
{
    DIR *folder = opendir("/proc/self/task");
    const struct dirent *entry;
    int n = 0;

    CHECK(!folder);
    while ((entry = readdir(folder)))
        n += entry->d_name[0] != '.';
    closedir(folder);
    return n;
}

/*
 * Launches a kernel that works longer and longer, until all its workers have come. Returns how many
 * threads there were before.
 */
static int launch_until_all_work(void)
{
    const uintptr_t launch = find("cuLaunchKernel"), wait = find("cuCtxSynchronize");
    unsigned n = 1000;
    void *context = NULL, *module = NULL, *kernel = NULL, *params[] = {&n};
    int before;

    CHECK(((int (*)(unsigned)) find("cuInit"))(0));
    CHECK(((int (*)(void **, int)) find("cuDevicePrimaryCtxRetain"))(&context, 0));
    CHECK(((int (*)(void *)) find("cuCtxSetCurrent"))(context));
    CHECK(((int (*)(void **, const void *)) find("cuModuleLoadData"))(&module, text));
    CHECK(((int (*)(void **, void *, const char *)) find("cuModuleGetFunction"))(&kernel, module,
                                                                                 "k"));
    before = count_threads();
    for (int i = 0; i < 100 && count_threads() < before + WORKERS - 1; i++) {
        CHECK(((int (*)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                        unsigned, void *, void **, void **)) launch)(kernel, 64, 1, 1, 128, 1, 1, 0,
                                                                     NULL, params, NULL));
        CHECK(((int (*)(void)) wait)());
        n += 1000;
    }
    return before;
}

int main(int argc, char **argv)
{
    int before;

    CHECK(argc != 2);
    setenv("CUSHIM_MOCK_PTX_WORKERS", "8", 1);
    setenv("CUSHIM_MOCK_PTX_COMPILE", "0", 1);
    library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fprintf(stderr, "%s\n", dlerror());
    CHECK(!library);
    before = launch_until_all_work();
    CHECK(count_threads() < before + WORKERS - 1);
    CHECK(dlclose(library));
    for (int i = 0; count_threads() > before + OTHERS; i++) {
        CHECK(i == PATIENCE_S * 10);
        usleep(TENTH);
    }
    return 0;
}
