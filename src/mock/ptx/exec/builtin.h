/* SPDX-License-Identifier: MIT */
/*
 * The functions of the device's runtime: vprintf, __assertfail, malloc, free,
 * cudaGraphSetConditional, and those of children.h. They print, and ask for handles, under
 * grid->lock; the heap has a lock of its own.
 */
#ifndef CUSHIM_MOCK_PTX_EXEC_BUILTIN_H
#define CUSHIM_MOCK_PTX_EXEC_BUILTIN_H

#include "mock/ptx/machine/code.h"

/* Returns a function of the runtime, or NULL. */
ptx__builtin ptx__builtin_find(const char *name);

/* Tells whether a function of the program calls malloc(). */
bool ptx__uses_heap(const struct ptx__program *program);

/* Tells whether its kernels can launch kernels. */
bool ptx__uses_children(const struct ptx__program *program);

static inline bool ptx__builtin_known(const char *name)
{
    return ptx__builtin_find(name) != NULL;
}

#endif
