/* SPDX-License-Identifier: MIT */
/*
 * What a program said about managed memory: where it should be, who uses it, where it was
 * prefetched to. It changes nothing but the answers to questions. Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_ALLOCATION_MEM_ADVISE_H
#define CUSHIM_MOCK_ALLOCATION_MEM_ADVISE_H

#include <stddef.h>

#include "mock/functions.h"

struct mock__memory;

/* CUmemLocation, which toolkits before 12.2 do not know for the host. */
struct mock__place {
    int type, id;
};

enum {
    MOCK__NO_PLACE = 0,
    MOCK__ON_DEVICE = 1,
    MOCK__ON_HOST = 2,
    MOCK__ON_HOST_NUMA = 3,
    MOCK__ON_HOST_NUMA_CURRENT = 4,
    MOCK__NO_DEVICE = -2, /* CU_DEVICE_INVALID */
};

/* A device by its ordinal, and -1 for the host, as older functions have it. */
struct mock__place mock__place_of(CUdevice device);

/* Is there such a place, and can it take managed memory? */
CUresult mock__place_check(struct mock__place place);

/* The managed memory that a whole range lies in. CUDA_ERROR_INVALID_VALUE if it is other. */
CUresult mock__managed_find(CUdeviceptr address, size_t bytes, struct mock__memory **ret_memory);

/* Remembers the last place that a range was prefetched to. */
CUresult mock__advice_prefetched(struct mock__memory *memory, CUdeviceptr address, size_t bytes,
                                 struct mock__place place);

/* Forgets it all. */
void mock__advice_forget(struct mock__memory *memory);

#endif
