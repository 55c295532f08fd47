/* SPDX-License-Identifier: MIT */
#include "world.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "objects.h"

#define MAX_LATER     512
#define N_LIMITS      7
#define SCRATCH_BYTES (1 << 20)

static void *library;
static bool begun, failed;
static int devices;
static CUcontext contexts[3];

/* As they were. */
static size_t limits[N_LIMITS];
static unsigned context_flags;
static CUmemoryPool default_pool;

static struct {
    void (*destroy)(uint64_t);
    uint64_t handle;
} laters[MAX_LATER];
static unsigned n_laters;

/* 64 bytes behind a multiple of 512, as when the answers were recorded: textures ask for that. */
static _Alignas(512) char scratch_room[64 + SCRATCH_BYTES];
static char *const scratch_bytes = scratch_room + 64;
static size_t scratch_used;

/* What is loaded by its name. Another process may load it at this moment, so it is never half
 * there. */
void world_write_file(void)
{
    char name[64];
    FILE *file;

    snprintf(name, sizeof(name), "%s.%d", IMAGE_FILE, (int) getpid());
    file = fopen(name, "w");
    if (!file)
        return;
    fputs(".version 6.4\n.target sm_52\n.address_size 64\n.visible .entry alone(){ ret; }\n", file);
    fclose(file);
    rename(name, IMAGE_FILE);
}

bool world_open(const char *name)
{
    library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fprintf(stderr, "%s\n", dlerror());
    return library;
}

driver_function *find(const char *name)
{
    return (driver_function *) (intptr_t) dlsym(library, name);
}

static void keep_limits(void)
{
    for (unsigned i = 0; i < N_LIMITS; i++)
        CALL(cuCtxGetLimit, (&limits[i], (CUlimit) i));
    CALL(cuCtxGetFlags, (&context_flags));
    CALL(cuDeviceGetDefaultMemPool, (&default_pool, 0));
}

bool world_begin(void)
{
    if (CALL(cuInit, (0)) || CALL(cuDevicePrimaryCtxRetain, (&contexts[0], 0)) ||
        CALL(cuCtxSetCurrent, (contexts[0])))
        return false;
    CALL(cuDeviceGetCount, (&devices));
    /* So that releasing it does not end it, however often that is asked. */
    for (unsigned i = 0; i < 64; i++)
        CALL(cuDevicePrimaryCtxRetain, (&contexts[0], 0));
    keep_limits();
    begun = true;
    /* Some answers depend on whether the other device has a context: it always has. */
    if (devices > 1)
        world_other_device();
    return true;
}

bool world_begun(void)
{
    return begun;
}

bool world_has_two_devices(void)
{
    return devices > 1;
}

CUcontext world_context(void)
{
    return contexts[0];
}

CUcontext world_other_context(void)
{
    CUcontext popped;

    if (!contexts[1] && made(CALL(cuCtxCreate_v2, (&contexts[1], 0, 0))))
        CALL(cuCtxPopCurrent_v2, (&popped));
    return contexts[1];
}

CUcontext world_other_device(void)
{
    if (!contexts[2])
        made(CALL(cuDevicePrimaryCtxRetain, (&contexts[2], 1)));
    return contexts[2];
}

static void settle_current(void)
{
    CUcontext popped;

    for (unsigned i = 0; i < 8 && !CALL(cuCtxPopCurrent_v2, (&popped)) && popped; i++)
        ;
    CALL(cuCtxSetCurrent, (contexts[0]));
    if (contexts[2])
        CALL(cuCtxDisablePeerAccess, (contexts[2]));
}

void world_settle(void)
{
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

    settle_current();
    for (unsigned i = 0; i < N_LIMITS; i++)
        CALL(cuCtxSetLimit, ((CUlimit) i, limits[i]));
    CALL(cuDevicePrimaryCtxSetFlags_v2, (0, 0));
    CALL(cuCtxSetFlags, (context_flags));
    CALL(cuCtxSetCacheConfig, (CU_FUNC_CACHE_PREFER_NONE));
    CALL(cuCtxSetSharedMemConfig, (CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE));
    CALL(cuDeviceSetMemPool, (0, default_pool));
    CALL(cuThreadExchangeStreamCaptureMode, (&mode));
}

bool world_is_sound(void)
{
    CUcontext current = NULL;

    return !CALL(cuCtxGetCurrent, (&current)) && current == contexts[0] &&
           !CALL(cuCtxSynchronize, ()) &&
           (!contexts[1] || !CALL(cuCtxSynchronize_v2, (contexts[1]))) &&
           (!contexts[2] || !CALL(cuCtxSynchronize_v2, (contexts[2])));
}

void later(void (*destroy)(uint64_t), uint64_t handle)
{
    if (n_laters == MAX_LATER || !destroy)
        return;
    laters[n_laters].destroy = destroy;
    laters[n_laters++].handle = handle;
}

unsigned later_depth(void)
{
    return n_laters;
}

void clean_up_to(unsigned depth)
{
    while (n_laters > depth) {
        n_laters--;
        if (laters[n_laters].destroy)
            laters[n_laters].destroy(laters[n_laters].handle);
    }
}

void clean_up_those_with(void (*destroy)(uint64_t))
{
    for (unsigned i = n_laters; i-- > 0;)
        if (laters[i].destroy == destroy) {
            laters[i].destroy = NULL;
            destroy(laters[i].handle);
        }
}

void forget(uint64_t handle)
{
    for (unsigned i = 0; i < n_laters; i++)
        if (laters[i].handle == handle)
            laters[i].destroy = NULL;
}

void *scratch(size_t bytes)
{
    void *result = scratch_bytes + scratch_used;

    scratch_used += (bytes + 63) & ~(size_t) 63;
    return memset(result, 0, bytes);
}

void scratch_reset(void)
{
    scratch_used = 0;
}

bool made(int result)
{
    if (result)
        failed = true;
    return !result;
}

bool making_failed(void)
{
    return failed;
}

void making_begins(void)
{
    failed = false;
}

bool break_context(void)
{
    uint64_t nowhere = 8;
    CUstream stream = new_stream();

    launch(make_kernel_named("oob"), 1, 1, stream, (void *[]){&nowhere});
    return CALL(cuStreamSynchronize, (stream)) == CUDA_ERROR_ILLEGAL_ADDRESS;
}

CUstream new_stream(void)
{
    CUstream stream = NULL;

    CALL(cuStreamCreate, (&stream, CU_STREAM_NON_BLOCKING));
    return stream;
}

int launch(CUfunction function, unsigned grid, unsigned block, CUstream stream, void **params)
{
    return CALL(cuLaunchKernel, (function, grid, 1, 1, block, 1, 1, 0, stream, params, NULL));
}
