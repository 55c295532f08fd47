/* SPDX-License-Identifier: MIT */
/*
 * The only file of the command that calls the driver. It uses row numbers and its own types, so the
 * command needs no CUDA headers: a CUdevice and a CUresult are ints. A function that the driver
 * lacks returns 302 and leaves its output unknown.
 */
#include "devices.h"

#include <stdio.h>
#include <stdlib.h>

#include <cushim/rows.h>

#include "util.h"

typedef int (*get_count_fn)(int *count);
typedef int (*get_device_fn)(int *device, int ordinal);
typedef int (*get_name_fn)(char *name, int size, int device);
typedef int (*get_memory_fn)(size_t *bytes, int device);
typedef int (*get_uuid_fn)(unsigned char *uuid, int device);
typedef int (*get_attribute_fn)(int *value, int attribute, int device);
typedef int (*can_access_fn)(int *can, int device, int peer);

enum {
    RESULT_OK = 0,
    RESULT_NONSENSE = 999, /* CUDA_ERROR_UNKNOWN */
    MAX_DEVICES = 4096,    /* a driver that reports more devices is broken */
};

/* Returns a function of a table, converted to the given type. */
#define FUNCTION(type, functions, symbol) ((type) (functions)[CUSHIM_ROW_##symbol])

static const int attribute_numbers[N_ATTRIBUTES] = {
#define ATTRIBUTE_ROW(name, number, kind, key) [ATTRIBUTE_##name] = (number),
    ATTRIBUTE_MAP(ATTRIBUTE_ROW)
#undef ATTRIBUTE_ROW
};

static void ask_name(struct device *device, const cushim_entry *functions, int number)
{
    const get_name_fn get_name = FUNCTION(get_name_fn, functions, cuDeviceGetName);
    if (get_name(device->name, sizeof(device->name) - 1, number) != RESULT_OK)
        device->name[0] = '\0';
    device->name[sizeof(device->name) - 1] = '\0';
}

static void ask_memory(struct device *device, const cushim_entry *functions, int number)
{
    size_t bytes = 0;
    const get_memory_fn get_memory = FUNCTION(get_memory_fn, functions, cuDeviceTotalMem_v2);
    if (get_memory(&bytes, number) == RESULT_OK)
        device->memory_bytes = (struct maybe){.known = true, .value = bytes};
}

/*
 * The second version of the function distinguishes the instances of a partitioned GPU. Older
 * drivers only have the first one.
 */
static void ask_uuid(struct device *device, const cushim_entry *functions, int number)
{
    unsigned char uuid[16] = {0};
    if (FUNCTION(get_uuid_fn, functions, cuDeviceGetUuid_v2)(uuid, number) != RESULT_OK &&
        FUNCTION(get_uuid_fn, functions, cuDeviceGetUuid)(uuid, number) != RESULT_OK)
        return;

    char *end = device->uuid;
    for (int i = 0; i < 16; i++)
        end += sprintf(end, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
}

static void ask_attributes(struct device *device, const cushim_entry *functions, int number)
{
    const get_attribute_fn get = FUNCTION(get_attribute_fn, functions, cuDeviceGetAttribute);
    for (int i = 0; i < N_ATTRIBUTES; i++) {
        int value = 0;
        if (get(&value, attribute_numbers[i], number) == RESULT_OK && value >= 0)
            device->attributes[i] = (struct maybe){.known = true, .value = (uint64_t) value};
    }
}

static void ask_peers(struct device *device, const cushim_entry *functions, const int *numbers,
                      size_t self, size_t n)
{
    const can_access_fn can_access = FUNCTION(can_access_fn, functions, cuDeviceCanAccessPeer);
    device->peers = must_calloc(n, sizeof(*device->peers));
    for (size_t i = 0; i < n; i++) {
        int can = 0;
        if (i != self && can_access(&can, numbers[self], numbers[i]) == RESULT_OK)
            device->peers[i] = (struct maybe){.known = true, .value = can != 0};
    }
}

static void ask_device(struct device *device, const cushim_entry *functions, int number)
{
    ask_name(device, functions, number);
    ask_memory(device, functions, number);
    ask_uuid(device, functions, number);
    ask_attributes(device, functions, number);
}

static int count_devices(const cushim_entry *functions, size_t *ret_n)
{
    int count = -1;
    const int result = FUNCTION(get_count_fn, functions, cuDeviceGetCount)(&count);
    if (result != RESULT_OK)
        return result;
    if (count < 0 || count > MAX_DEVICES)
        return RESULT_NONSENSE;
    *ret_n = (size_t) count;
    return RESULT_OK;
}

/*
 * A device that cannot be opened keeps the number -1, which no driver accepts, so all its
 * properties stay unknown.
 */
static int *get_numbers(const cushim_entry *functions, size_t n)
{
    const get_device_fn get_device = FUNCTION(get_device_fn, functions, cuDeviceGet);
    int *numbers = must_calloc(n, sizeof(*numbers));
    for (size_t i = 0; i < n; i++)
        if (get_device(&numbers[i], (int) i) != RESULT_OK)
            numbers[i] = -1;
    return numbers;
}

void devices_init(struct devices *devices, cushim_driver driver)
{
    const cushim_entry *functions = cushim_driver_functions(driver, CUSHIM_CUDA_ROWS);

    *devices = (struct devices){.asked = true};
    devices->result = count_devices(functions, &devices->n);
    devices->list = must_calloc(devices->n, sizeof(*devices->list));

    int *numbers = get_numbers(functions, devices->n);
    for (size_t i = 0; i < devices->n; i++) {
        ask_device(&devices->list[i], functions, numbers[i]);
        ask_peers(&devices->list[i], functions, numbers, i, devices->n);
    }
    free(numbers);
}

void devices_finish(struct devices *devices)
{
    for (size_t i = 0; i < devices->n; i++)
        free(devices->list[i].peers);
    free(devices->list);
    *devices = (struct devices){0};
}
