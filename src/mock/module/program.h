/* SPDX-License-Identifier: MIT */
/*
 * The code of a module as the engine of mock/ptx runs it. Callers hold the lock.
 */
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

/* What a module has besides its code: made when a launch needs it first. */
struct mock__program {
    struct ptx__program *code;
    struct mock__memory *heap_memory, *workspace;
    struct ptx__heap *heap;
    bool no_heap;  /* it is known that none of its functions allocates */
    bool messages; /* its kernels may exchange some with the host while they run */
};

/*
 * Lowers a module whose variables have their addresses. What is not executed is in the log; it
 * does not matter where host functions stand for all kernels.
 */
CUresult mock__program_make(struct mock__module *module, struct ptx__log *log);
void mock__program_free(struct mock__module *module);

/* May a kernel of the module exchange messages with the host while it runs? */
bool mock__program_messages(const struct mock__module *module);

#endif
