/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <stdlib.h>

#include "tensors.h"

#define DEFINE(name, arguments) CUresult(*tensors_##name) arguments;
TENSORS_FUNCTIONS(DEFINE)

static void *find(void *library, const char *name)
{
    void *function = dlsym(library, name);

    if (function)
        return function;
    fprintf(stderr, "the driver has no %s\n", name);
    exit(77);
}

void tensors_open(const char *path)
{
    void *library = dlopen(path, RTLD_NOW);

    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        exit(77);
    }
#define FIND(name, arguments) *(void **) &tensors_##name = find(library, #name);
    TENSORS_FUNCTIONS(FIND)
}

CUresult tensors_begin(void)
{
    CUcontext context;
    CUresult result = CU(cuInit)(0);

    if (result == CUDA_SUCCESS)
        result = CU(cuDevicePrimaryCtxRetain)(&context, 0);
    return result == CUDA_SUCCESS ? CU(cuCtxSetCurrent)(context) : result;
}
