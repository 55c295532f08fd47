/* SPDX-License-Identifier: MIT */
/*
 * The drivers of older versions, opened as a program opens its driver.
 *
 * front LIBRARY VERSION FUNCTIONS: the library is a driver of that version, such as 11040,
 * and has so many functions.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/rows.h"

#define FAILED(...) (fprintf(stderr, __VA_ARGS__), fputc('\n', stderr), 1)

static void *library;

static void *function(const char *name)
{
    return dlsym(library, name);
}

static int in_driver(const struct cushim__row *row, int version)
{
    return row->since <= version && (!row->until || row->until > version);
}

/* dlsym() finds what the version has, and nothing else. */
static int check_exports(int version, int expected)
{
    const struct cushim__rows *rows = &cushim__cuda_rows;
    int bad = 0, n = 0;

    for (size_t i = 0; i < rows->count; i++) {
        const char *name = cushim__row_symbol(rows, i);
        const int found = function(name) != NULL;

        n += found;
        if (found != in_driver(&rows->rows[i], version))
            bad += FAILED("%s: %s", name, found ? "found" : "not found");
    }
    if (n != expected)
        bad += FAILED("%d functions, expected %d", n, expected);
    return bad;
}

static int check_version(int version)
{
    int (*init)(unsigned) = NULL, (*get_version)(int *) = NULL, (*get_count)(int *) = NULL;
    int answer = 0, n = 0, result;

    *(void **) &init = function("cuInit");
    *(void **) &get_version = function("cuDriverGetVersion");
    *(void **) &get_count = function("cuDeviceGetCount");
    result = get_version(&answer);
    if (result || answer != version)
        return FAILED("cuDriverGetVersion: result %d, %d, expected %d", result, answer, version);
    result = init(0);
    if (result)
        return FAILED("cuInit: %d", result);
    result = get_count(&n);
    return result || n != 1 ? FAILED("cuDeviceGetCount: result %d, %d devices", result, n) : 0;
}

/* cuGetProcAddress() finds by base name, of the driver's version and no newer one. */
static int check_addresses(int version)
{
    static const struct {
        const char *name;
        int since;
    } some[] = {
        {"cuLaunchKernel", 4000},      {"cuMemAllocAsync", 11020}, {"cuLaunchKernelEx", 11060},
        {"cuLibraryLoadData", 12000},  {"cuGraphAddNode", 12020},  {"cuCtxRecordEvent", 12050},
        {"cuMemcpyBatchAsync", 12080}, {"cuNoSuchThing", 99990},
    };
    int (*get)(const char *, void **, int, uint64_t) = NULL;
    int bad = 0;

    *(void **) &get = function("cuGetProcAddress");
    /* It came with 11.3; that older drivers lack it is checked with the other exports. */
    if (!get)
        return 0;
    for (size_t i = 0; i < sizeof(some) / sizeof(*some); i++) {
        void *found = NULL;
        const int result = get(some[i].name, &found, version, 0);
        const int expected = some[i].since <= version ? 0 : 500;

        if (result != expected || !found != !!expected)
            bad += FAILED("%s: result %d, expected %d", some[i].name, result, expected);
    }
    return bad;
}

int main(int argc, char **argv)
{
    const int version = argc == 4 ? atoi(argv[2]) : 0;

    if (argc != 4)
        return FAILED("usage: front LIBRARY VERSION FUNCTIONS");
    library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return FAILED("%s", dlerror());
    return check_exports(version, atoi(argv[3])) + check_version(version) + check_addresses(version)
               ? 1
               : 0;
}
