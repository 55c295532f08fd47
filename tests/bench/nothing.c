/* SPDX-License-Identifier: MIT */
#include "nothing.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cushim/cushim.h>

static int fake_ok(void)
{
    return 0;
}

static int fake_version(int *ret_version)
{
    *ret_version = 13000;
    return 0;
}

static int fake_attribute(int *ret_value, int attribute, int device)
{
    (void) device;
    *ret_value = attribute <= 10 ? 1 << 20 : 1;
    return 0;
}

static int fake_pointer(void **ret_pointer)
{
    *ret_pointer = (void *) 0x1000;
    return 0;
}

static int fake_number(int *ret_number)
{
    *ret_number = 1;
    return 0;
}

static int fake_alloc(uint64_t *ret_address)
{
    static uint64_t next = 1 << 20;

    *ret_address = next;
    next += 1 << 16;
    return 0;
}

static int fake_stream(void **ret_stream)
{
    static uintptr_t next = 0x2000;

    *ret_stream = (void *) next;
    next += 16;
    return 0;
}

static int fake_host_alloc(void **ret_memory, size_t bytes)
{
    *ret_memory = malloc(bytes);
    return *ret_memory ? 0 : 2;
}

static int fake_host_free(void *memory)
{
    free(memory);
    return 0;
}

/* The kernel "touch" has one parameter, and every other kernel has three pointers and an int. */
static char touch, other;

static int fake_function(void **ret_function, void *module, const char *name)
{
    (void) module;
    *ret_function = strcmp(name, "touch") ? &other : &touch;
    return 0;
}

static int fake_param(void *function, size_t i, size_t *ret_offset, size_t *ret_size)
{
    *ret_offset = 8 * i;
    *ret_size = i < 3 ? 8 : 4;
    return i < (function == &touch ? 1 : 4) ? 0 : 1;
}

static int fake_function_attribute(int *ret_value, int attribute, void *function)
{
    (void) function;
    *ret_value = attribute == 0 ? 1024 : attribute < 10 ? 49152 : 0; /* no clusters */
    return 0;
}

void *nothing_resolve(const char *symbol, void *user)
{
    static const struct {
        const char *name;
        cushim_entry function;
    } special[] = {
#define F(name, function) {#name, (cushim_entry) (function)}
        F(cuDriverGetVersion, fake_version),
        F(cuDeviceGetAttribute, fake_attribute),
        F(cuDevicePrimaryCtxRetain, fake_pointer),
        F(cuCtxGetCurrent, fake_pointer),
        F(cuDeviceGetCount, fake_number),
        F(cuModuleLoadDataEx, fake_pointer),
        F(cuModuleGetFunction, fake_function),
        F(cuFuncGetAttribute, fake_function_attribute),
        F(cuFuncGetParamInfo, fake_param),
        F(cuMemAlloc_v2, fake_alloc),
        F(cuMemAllocAsync, fake_alloc),
        F(cuMemHostAlloc, fake_host_alloc),
        F(cuMemFreeHost, fake_host_free),
        F(cuStreamCreateWithPriority, fake_stream),
        F(cuEventCreate, fake_stream),
#undef F
    };

    (void) user;
    for (size_t i = 0; i < sizeof(special) / sizeof(special[0]); i++)
        if (!strcmp(symbol, special[i].name))
            return (void *) (intptr_t) special[i].function;
    return (void *) (intptr_t) fake_ok;
}
