/* SPDX-License-Identifier: MIT */
/* The parts of host_region.c that host_watch.c uses. Callers hold the lock, but for the handler. */
#ifndef CUSHIM_MOCK_CHECK_HOST_REGION_H
#define CUSHIM_MOCK_CHECK_HOST_REGION_H

#include <stdbool.h>
#include <stdint.h>

struct mock__memory;

/* From now on memory of the host is mapped twice. */
void mock__host_regions_start(void);

/* Tells whether the address lies in such memory. For a signal handler. */
bool mock__host_in_region(uintptr_t address);

bool mock__host_mapped_twice(const struct mock__memory *memory);

/* The memory goes: ends the watches of work that wants it. (host_watch.c) */
void mock__host_watch_unmapped(const struct mock__memory *memory);

#endif
