/* SPDX-License-Identifier: MIT */
/* The handlers, which execute operations, for the best instruction set of the host. */
#ifndef CUSHIM_MOCK_PTX_EXEC_HANDLERS_H
#define CUSHIM_MOCK_PTX_EXEC_HANDLERS_H

#include "mock/ptx/machine/code.h"

/*
 * Returns a handler by its key, such as "add.u32" or "ld.global.u32": the instruction with the
 * modifiers that make a difference. NULL if there is none.
 */
ptx__handler ptx__handler_find(const char *key);

/* Returns a key of a handler, and what else is known of it. NULL: it has none. */
struct ptx__keyed;
const struct ptx__keyed *ptx__handler_keyed(ptx__handler run);

#endif
