/* SPDX-License-Identifier: MIT */
/*
 * Multicast objects: addresses that stand for memory of several devices at once, which kernels use
 * by multimem. An object has a handle like memory that was created, and is mapped like it; memory
 * of each of its devices is bound to it. What is bound gets an address of its own that the program
 * does not know, so that each access to it is one like others. Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_ALLOCATION_MULTICAST_H
#define CUSHIM_MOCK_ALLOCATION_MULTICAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mock/functions.h"

enum { MOCK__MOST_MEMBERS = 32 };

struct mock__context;
struct mock__device;
struct mock__memory;

/* Memory of a device that is bound, at an offset of the object. */
struct mock__binding {
    const struct mock__device *device;
    size_t offset;
    struct mock__memory *memory; /* its mapping */
    struct mock__binding *next;
};

struct mock__multicast {
    unsigned n_wanted, n_devices; /* those of the object, and how many were added */
    const struct mock__device *devices[MOCK__MOST_MEMBERS];
    struct mock__binding *bindings;
};

/* Tells whether a device is one of an object's. */
bool mock__multicast_has(const struct mock__multicast *multicast,
                         const struct mock__device *device);

/*
 * Waits until other threads have added all devices to the object of a handle, as a driver does; not
 * for ever. Other handles are fine.
 */
CUresult mock__multicast_await(CUmemGenericAllocationHandle handle);

/* Ends the bindings of an object that is not used any more, and frees it. */
void mock__multicast_free(struct mock__multicast *multicast);

/*
 * Finds the memory that an address stands for on the device with a number, in the order in which
 * they were added. Returns false if there are no more, if work of the context may not use the
 * address so, or if some device has no memory there.
 */
bool mock__multicast_member(const struct mock__context *context, uint64_t address, size_t bytes,
                            bool write, unsigned number, uint64_t *ret_address);

#endif
