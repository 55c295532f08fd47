/* SPDX-License-Identifier: MIT */
/*
 * exit_leaks MOCK LATE FIRST: opens the mock, and a library that frees when it is unloaded, one
 * before the other, and ends with memory that a handler of atexit(), a destructor of the program
 * and that library give back, and with some that nobody does. What is reported of it is for
 * the caller to read.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int (*init_function)(unsigned);
typedef int (*retain_function)(void **, int);
typedef int (*set_function)(void *);
typedef int (*alloc_function)(uint64_t *, size_t);
typedef int (*free_function)(uint64_t);

static free_function give_back;
static uint64_t by_handler, by_destructor, by_library;

static void *open_library(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        exit(2);
    }
    return library;
}

/* As a number, which a function's address may be made of. */
static uintptr_t find(void *library, const char *name)
{
    void *function = dlsym(library, name);

    if (!function)
        exit(2);
    return (uintptr_t) function;
}

static void in_handler(void)
{
    if (give_back(by_handler))
        fprintf(stderr, "the handler could not free\n");
}

static void in_library(void)
{
    if (give_back(by_library))
        fprintf(stderr, "the library could not free\n");
}

static __attribute__((destructor)) void in_destructor(void)
{
    if (by_destructor && give_back(by_destructor))
        fprintf(stderr, "the destructor could not free\n");
}

static uint64_t allocate(void *mock, size_t bytes)
{
    uint64_t address = 0;

    if (((alloc_function) find(mock, "cuMemAlloc_v2"))(&address, bytes))
        exit(2);
    return address;
}

int main(int argc, char **argv)
{
    const int late_first = argc > 3 && !strcmp(argv[3], "late");
    void *late = late_first ? open_library(argv[2]) : NULL, *mock, *context = NULL;

    if (argc < 4 || atexit(in_handler))
        return 2;
    mock = open_library(argv[1]);
    late = late ? late : open_library(argv[2]);
    give_back = (free_function) find(mock, "cuMemFree_v2");
    if (((init_function) find(mock, "cuInit"))(0) ||
        ((retain_function) find(mock, "cuDevicePrimaryCtxRetain"))(&context, 0) ||
        ((set_function) find(mock, "cuCtxSetCurrent"))(context))
        return 2;
    by_handler = allocate(mock, 111);
    by_destructor = allocate(mock, 222);
    by_library = allocate(mock, 333);
    allocate(mock, 444);
    *(void (**)(void)) find(late, "exit_late") = in_library;
    dlclose(mock); /* it stays: somebody has to report */
    return 0;
}
