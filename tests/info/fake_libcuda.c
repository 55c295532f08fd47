/* SPDX-License-Identifier: MIT */
/*
 * A libcuda with just enough in it to be opened, for what a healthy driver never does: fail to
 * start, be a stub, lack most functions, have strange names. Environment:
 *
 *   FAKE_VERSION  what cuDriverGetVersion() tells (12040)
 *   FAKE_STUB     if set, cuDriverGetVersion() answers 34 as the toolkit's stub does
 *   FAKE_INIT     what cuInit() answers (0)
 *   FAKE_COUNT    how many devices there are (1)
 *   FAKE_NAME     the devices' name
 *   FAKE_FAIL     if set, every question about a device fails
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

int cuDriverGetVersion(int *version);
int cuInit(unsigned flags);
int cuDeviceGetCount(int *count);
int cuDeviceGet(int *device, int ordinal);
int cuDeviceGetName(char *name, int size, int device);
int cuDeviceTotalMem_v2(size_t *bytes, int device);
int cuDeviceGetAttribute(int *value, int attribute, int device);
int cuDeviceCanAccessPeer(int *can, int device, int peer);
int cuCtxGetCurrent(void **context);
int cuMemAlloc_v2(unsigned long long *pointer, size_t bytes);
int cuLaunchKernel(void);

enum { INVALID_VALUE = 1, STUB_LIBRARY = 34, INVALID_DEVICE = 101, NOT_SUPPORTED = 801 };

static int number(const char *variable, int otherwise)
{
    const char *value = getenv(variable);
    return value ? atoi(value) : otherwise;
}

static int device_result(int device)
{
    if (device < 0 || device >= number("FAKE_COUNT", 1))
        return INVALID_DEVICE;
    return getenv("FAKE_FAIL") ? NOT_SUPPORTED : 0;
}

int cuDriverGetVersion(int *version)
{
    if (getenv("FAKE_STUB"))
        return STUB_LIBRARY;
    *version = number("FAKE_VERSION", 12040);
    return 0;
}

int cuInit(unsigned flags)
{
    return flags ? INVALID_VALUE : number("FAKE_INIT", 0);
}

int cuDeviceGetCount(int *count)
{
    *count = number("FAKE_COUNT", 1);
    return 0;
}

int cuDeviceGet(int *device, int ordinal)
{
    *device = ordinal;
    return device_result(ordinal);
}

int cuDeviceGetName(char *name, int size, int device)
{
    const char *value = getenv("FAKE_NAME");
    if (size > 0)
        strncpy(name, value ? value : "Fake GPU", (size_t) size);
    return device_result(device);
}

int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    *bytes = (size_t) 512 << 20;
    return device_result(device);
}

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    enum { MULTIPROCESSORS = 16, COMPUTE_MODE = 20, MAJOR = 75, MINOR = 76, MEMORY_POOLS = 115 };
    *value = attribute == MULTIPROCESSORS ? 4
             : attribute == COMPUTE_MODE  ? device % 4
             : attribute == MAJOR         ? 8
             : attribute == MINOR         ? 6
                                          : 1;
    return attribute == MEMORY_POOLS ? INVALID_VALUE : device_result(device);
}

/* Nobody reaches the last device. */
int cuDeviceCanAccessPeer(int *can, int device, int peer)
{
    const int last = number("FAKE_COUNT", 1) - 1;
    *can = device != last && peer != last;
    return device_result(device);
}

int cuCtxGetCurrent(void **context)
{
    *context = NULL;
    return 0;
}

/* Looking must not use a device. */
int cuMemAlloc_v2(unsigned long long *pointer, size_t bytes)
{
    (void) pointer;
    (void) bytes;
    abort();
}

int cuLaunchKernel(void)
{
    abort();
}
