/* SPDX-License-Identifier: MIT */
#include "faulty.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int called(size_t bytes)
{
    fake_seen()->calls++;
    fake_seen()->alloc_size = bytes;
    return 0;
}

static int alloc_old(uint32_t *ret_pointer, uint32_t bytes)
{
    *ret_pointer = 1;
    return called(bytes);
}

static int alloc_pitch(uint64_t *ret_pointer, size_t *ret_pitch, size_t width, size_t height,
                       unsigned element)
{
    (void) element;
    *ret_pointer = 1;
    *ret_pitch = width;
    return called(width * height);
}

static int alloc_async(uint64_t *ret_pointer, size_t bytes, void *stream)
{
    (void) stream;
    *ret_pointer = 1;
    return called(bytes);
}

static int alloc_from_pool(uint64_t *ret_pointer, size_t bytes, void *pool, void *stream)
{
    (void) pool;
    return alloc_async(ret_pointer, bytes, stream);
}

static int alloc_host(void **ret_pointer, size_t bytes)
{
    *ret_pointer = NULL;
    return called(bytes);
}

static int alloc_managed(uint64_t *ret_pointer, size_t bytes, unsigned flags)
{
    (void) flags;
    *ret_pointer = 1;
    return called(bytes);
}

static int create(uint64_t *ret_handle, size_t bytes, const void *properties, uint64_t flags)
{
    (void) properties;
    (void) flags;
    *ret_handle = 1;
    return called(bytes);
}

static int upload(uint64_t to, const void *from, size_t bytes)
{
    (void) to;
    (void) from;
    return called(bytes);
}

static int download(void *to, uint64_t from, size_t bytes)
{
    (void) to;
    (void) from;
    return called(bytes);
}

static int one_pointer(void *pointer)
{
    (void) pointer;
    return called(0);
}

static int two_pointers(void *a, void *b)
{
    (void) a;
    (void) b;
    return called(0);
}

static int host_function(void *stream, void *function, void *user)
{
    (void) stream;
    (void) function;
    (void) user;
    return called(0);
}

static int error_name(int result, const char **ret_name)
{
    (void) result;
    *ret_name = "a name";
    return called(0);
}

#define F(function) (cushim_entry)(function)

static const struct {
    const char *symbol;
    cushim_entry function;
} functions[] = {
    {"cuMemAlloc", F(alloc_old)},
    {"cuMemAllocPitch_v2", F(alloc_pitch)},
    {"cuMemAllocAsync", F(alloc_async)},
    {"cuMemAllocAsync_ptsz", F(alloc_async)},
    {"cuMemAllocFromPoolAsync", F(alloc_from_pool)},
    {"cuMemAllocFromPoolAsync_ptsz", F(alloc_from_pool)},
    {"cuMemAllocHost_v2", F(alloc_host)},
    {"cuMemHostAlloc", F(alloc_managed)},
    {"cuMemAllocManaged", F(alloc_managed)},
    {"cuMemCreate", F(create)},
    {"cuMemcpyHtoD_v2", F(upload)},
    {"cuMemcpyHtoD_v2_ptds", F(upload)},
    {"cuMemcpyDtoH_v2", F(download)},
    {"cuStreamQuery", F(one_pointer)},
    {"cuStreamSynchronize", F(one_pointer)},
    {"cuCtxSetCurrent", F(one_pointer)},
    {"cuCtxDestroy_v2", F(one_pointer)},
    {"cuGraphLaunch", F(two_pointers)},
    {"cuLaunchHostFunc", F(host_function)},
    {"cuGetErrorName", F(error_name)},
};

static void *resolve(const char *symbol, void *user)
{
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
        if (!strcmp(symbol, functions[i].symbol))
            return (void *) (intptr_t) functions[i].function;
    return fake_resolve(symbol, user);
}

static void check(cushim_status status)
{
    if (!status)
        return;
    fprintf(stderr, "opening a driver with faults: %s\n", cushim_error_text());
    abort();
}

cushim_driver faulty_below(void)
{
    cushim_driver driver = CUSHIM_NONE;

    check(cushim_open(cushim_open_params(.resolver = resolve), &driver));
    return driver;
}

void faulty_open(struct faulty *f, uint64_t seed)
{
    struct cushim_hooks hooks;

    *f = (struct faulty){.below = faulty_below()};
    check(cushim_faults_create(cushim_faults_params(.seed = seed), &f->faults));
    hooks = cushim_faults_hooks(f->faults);
    check(cushim_interpose(f->below, &hooks, 1, &f->driver));
    f->table = fake_functions(f->driver);
}

void faulty_close(struct faulty *f)
{
    cushim_faults_free(&f->faults);
    cushim_close(&f->driver);
    cushim_close(&f->below);
}
