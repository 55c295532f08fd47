/* SPDX-License-Identifier: MIT */
/*
 * Plugs: mappings without access that reserve addresses where the program has unmapped registered
 * memory. They map a file without a name that nothing else maps, so that a plug can be told from
 * whatever the program maps in its place. Addresses are multiples of a page.
 */
#ifndef CUSHIM_MOCK_CHECK_HOST_PLUGS_H
#define CUSHIM_MOCK_CHECK_HOST_PLUGS_H

#include <stdbool.h>
#include <stdint.h>

#include "mock/allocation/host_pages.h"

/* Makes the file and holds it open. Callers hold the lock. */
void mock__host_plugs_start(void);

/*
 * Plugs all holes of [begin, end), and replaces nothing. Where there is none, this is one system
 * call. A signal handler may call this, and the next function.
 */
void mock__host_plug(uintptr_t begin, uintptr_t end);

bool mock__host_is_plug(const struct mock__host_pages *pages);

/* Removes the plugs from [begin, end), and nothing else. Callers hold the lock. */
void mock__host_unplug(uintptr_t begin, uintptr_t end);

#endif
