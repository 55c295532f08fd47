/* SPDX-License-Identifier: MIT */
/* The offsets of the .shared variables of functions and of the module. */
#ifndef CUSHIM_MOCK_PTX_LINK_SHARED_H
#define CUSHIM_MOCK_PTX_LINK_SHARED_H

#include <stdbool.h>
#include <stdint.h>

#include "mock/ptx/link/calls.h"

/*
 * Places the variables, and sets how much shared memory each function needs together with the
 * functions that it calls. For a kernel this does not include its own variables. All elements of
 * marks are false before and after the call. marks and marked have one element more than there are
 * functions. Returns false when out of memory.
 */
bool ptx__place_shared(const struct ptx__calls *calls, bool *marks, uint32_t *marked);

#endif
