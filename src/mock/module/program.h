/* SPDX-License-Identifier: MIT */
/* The code of a module for the engine in mock/ptx. Callers hold the lock. */
#ifndef CUSHIM_MOCK_MODULE_PROGRAM_H
#define CUSHIM_MOCK_MODULE_PROGRAM_H

#include <stdbool.h>

#include <cushim/mock.h>

#include "mock/functions.h"
#include "mock/ptx/link/read.h"

struct mock__memory;
struct mock__module;
struct ptx__heap;
struct ptx__program;

/* Data of a module besides its code. They are made when a launch needs them for the first time. */
struct mock__program {
    struct ptx__program *code;
    struct mock__memory *heap_memory, *workspace, *launch_memory;
    struct ptx__heap *heap, *launch_heap; /* the second is for parameters of kernels' launches */
    bool no_heap;  /* it is known that none of its functions allocates, */
    bool no_launches; /* or launches a kernel */
    bool messages; /* its kernels may exchange messages with the host while they run */
};

/*
 * Lowers a module whose variables have their addresses. Instructions that are not executed are in
 * the log. They do not matter if all kernels have replacement kernels.
 */
CUresult mock__program_make(struct mock__module *module, struct ptx__log *log);
void mock__program_free(struct mock__module *module);

/* Tells whether a kernel of the module may exchange messages with the host while it runs. */
bool mock__program_messages(const struct mock__module *module);

#endif
