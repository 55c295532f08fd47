/* SPDX-License-Identifier: MIT */
#include "fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fake_seen *fake_seen(void)
{
    static _Thread_local struct fake_seen seen;

    return &seen;
}

static struct fake_seen *called(void)
{
    fake_seen()->calls++;
    return fake_seen();
}

static int version(int *ret_version)
{
    *ret_version = FAKE_VERSION;
    return 0;
}

static int init(unsigned flags)
{
    called()->init_flags = flags;
    return flags ? 1 : 0;
}

#define COUNT(n)                                                                                   \
    static int count##n(int *ret_count)                                                            \
    {                                                                                              \
        called();                                                                                  \
        *ret_count = FAKE_COUNT(n);                                                                \
        return 0;                                                                                  \
    }
COUNT(0)
COUNT(1)
COUNT(2)
COUNT(3)
COUNT(4)
COUNT(5)

static int device_get(int *ret_device, int ordinal)
{
    called();
    *ret_device = ordinal;
    return ordinal < 0 ? 101 : 0;
}

static int context(void **ret_context)
{
    called();
    *ret_context = NULL;
    return 0;
}

static int alloc(uint64_t *ret_pointer, size_t size)
{
    called()->alloc_size = size;
    if (!size)
        return 1;
    *ret_pointer = 0x7000000 + size;
    return 0;
}

static int release(uint64_t pointer)
{
    called()->free_pointer = pointer;
    return 0;
}

static int synchronize(void)
{
    called();
    return 0;
}

static int launch(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                  unsigned bz, unsigned shared, void *stream, void **params, void **extra)
{
    struct fake_seen *s = called();

    s->function = function;
    memcpy(s->grid, (unsigned[]){gx, gy, gz}, sizeof(s->grid));
    memcpy(s->block, (unsigned[]){bx, by, bz}, sizeof(s->block));
    s->shared = shared;
    s->stream = stream;
    s->params = params;
    s->extra = extra;
    return 0;
}

/* Those that take structures and small numbers by value. */

struct location {
    int type, id;
};

static int advise(uint64_t pointer, size_t size, int advice, struct location location)
{
    struct fake_seen *s = called();

    s->free_pointer = pointer;
    s->alloc_size = size;
    s->init_flags = (unsigned) advice;
    s->location.type = location.type;
    s->location.id = location.id;
    return 0;
}

struct ipc {
    uint64_t v[8];
};

static int ipc_open(uint64_t *ret_pointer, struct ipc handle, unsigned flags)
{
    struct fake_seen *s = called();

    *ret_pointer = 0x8000000;
    memcpy(s->ipc, handle.v, sizeof(s->ipc));
    s->init_flags = flags;
    return 0;
}

static int bias(void *texture, float value)
{
    called()->bias = value;
    fake_seen()->function = texture;
    return 0;
}

static int set16(uint64_t pointer, uint16_t value, size_t count)
{
    struct fake_seen *s = called();

    s->free_pointer = pointer;
    s->half = value;
    s->alloc_size = count;
    return 0;
}

static int set8(uint64_t pointer, uint8_t value, size_t count)
{
    struct fake_seen *s = called();

    s->free_pointer = pointer;
    s->byte = value;
    s->alloc_size = count;
    return 0;
}

/* --- NVRTC --- */

static int nvrtc_version(int *ret_major, int *ret_minor)
{
    called();
    *ret_major = FAKE_VERSION / 1000;
    *ret_minor = FAKE_VERSION % 1000 / 10;
    return 0;
}

static const char *nvrtc_text(int result)
{
    called()->init_flags = (unsigned) result;
    return "a text of the fake";
}

static int nvrtc_compile(void *program, int n, const char *const *options)
{
    (void) n;
    (void) options;
    called()->function = program;
    return 6;
}

static int nvrtc_any(void)
{
    called();
    return 0;
}

/* --- nvJitLink --- */

static int nvjitlink_version(unsigned *ret_major, unsigned *ret_minor)
{
    called();
    *ret_major = FAKE_VERSION / 1000;
    *ret_minor = FAKE_VERSION % 1000 / 10;
    return 0;
}

static int nvjitlink_complete(void *linked)
{
    called()->free_pointer = (uintptr_t) linked;
    return FAKE_LINK_RESULT;
}

static int nvjitlink_any(void)
{
    return 0;
}

#define F(function) (cushim_entry)(function)

static const struct {
    const char *symbol;
    cushim_entry functions[FAKE_DRIVERS]; /* the first for all, if the others are NULL */
} functions[] = {
    {"cuDriverGetVersion", {F(version)}},
    {"cuInit", {F(init)}},
    {"cuDeviceGetCount", {F(count0), F(count1), F(count2), F(count3), F(count4), F(count5)}},
    {"cuDeviceGet", {F(device_get)}},
    {"cuCtxGetCurrent", {F(context)}},
    {"cuCtxSynchronize", {F(synchronize)}},
    {"cuMemAlloc_v2", {F(alloc)}},
    {"cuMemFree_v2", {F(release)}},
    {"cuLaunchKernel", {F(launch)}},
    {"cuMemAdvise_v2", {F(advise)}},
    {"cuIpcOpenMemHandle_v2", {F(ipc_open)}},
    {"cuTexRefSetMipmapLevelBias", {F(bias)}},
    {"cuMemsetD16_v2", {F(set16)}},
    {"cuMemsetD8_v2", {F(set8)}},
    {"nvrtcVersion", {F(nvrtc_version)}},
    {"nvrtcGetErrorString", {F(nvrtc_text)}},
    {"nvrtcCompileProgram", {F(nvrtc_compile)}},
    {"nvrtcCreateProgram", {F(nvrtc_any)}},
    {"nvrtcDestroyProgram", {F(nvrtc_any)}},
    {"nvrtcGetPTXSize", {F(nvrtc_any)}},
    {"nvrtcGetPTX", {F(nvrtc_any)}},
    {"nvrtcGetProgramLog", {F(nvrtc_any)}},
    {"nvJitLinkVersion", {F(nvjitlink_version)}},
    {"nvJitLinkComplete", {F(nvjitlink_complete)}},
    {"nvJitLinkCreate", {F(nvjitlink_any)}},
    {"nvJitLinkDestroy", {F(nvjitlink_any)}},
    {"nvJitLinkAddData", {F(nvjitlink_any)}},
    {"nvJitLinkGetLinkedCubin", {F(nvjitlink_any)}},
    {"nvJitLinkGetLinkedCubinSize", {F(nvjitlink_any)}},
    {"nvJitLinkGetErrorLog", {F(nvjitlink_any)}},
    {"nvJitLinkGetErrorLogSize", {F(nvjitlink_any)}},
};

void *fake_resolve(const char *symbol, void *number)
{
    const size_t n = (uintptr_t) number;

    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
        if (!strcmp(symbol, functions[i].symbol))
            return (void *) (intptr_t) (functions[i].functions[n] ? functions[i].functions[n]
                                                                  : functions[i].functions[0]);
    return NULL;
}

static void check(cushim_status status)
{
    if (!status)
        return;
    fprintf(stderr, "opening a fake: %s\n", cushim_error_text());
    abort();
}

cushim_driver fake_open(unsigned n)
{
    cushim_driver driver = CUSHIM_NONE;

    check(cushim_open(
        cushim_open_params(.resolver = fake_resolve, .resolver_user = (void *) (uintptr_t) n),
        &driver));
    return driver;
}

cushim_nvrtc fake_nvrtc_open(void)
{
    cushim_nvrtc nvrtc = CUSHIM_NONE;

    check(cushim_nvrtc_open(cushim_open_params(.resolver = fake_resolve), &nvrtc));
    return nvrtc;
}

cushim_nvjitlink fake_nvjitlink_open(void)
{
    cushim_nvjitlink nvjitlink = CUSHIM_NONE;

    check(cushim_nvjitlink_open(cushim_open_params(.resolver = fake_resolve), &nvjitlink));
    return nvjitlink;
}
