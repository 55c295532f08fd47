/* SPDX-License-Identifier: MIT */
/* Where the .shared variables of functions and of the module lie. */
#ifndef CUSHIM_MOCK_PTX_LINK_SHARED_H
#define CUSHIM_MOCK_PTX_LINK_SHARED_H

#include <stdbool.h>
#include <stdint.h>

#include "mock/ptx/link/calls.h"

/*
 * Places the variables, and says how much shared memory each function needs with all that it calls;
 * a kernel, without what it has itself. marks is false for all functions, before and afterwards;
 * it and marked have room for one more than there are. False if there is no memory.
 */
bool ptx__place_shared(const struct ptx__calls *calls, bool *marks, uint32_t *marked);

#endif
