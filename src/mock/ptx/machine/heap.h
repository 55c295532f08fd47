/* SPDX-License-Identifier: MIT */
/* What the engine itself does with the heap of kernels. Thread-safe. */
#ifndef CUSHIM_MOCK_PTX_MACHINE_HEAP_H
#define CUSHIM_MOCK_PTX_MACHINE_HEAP_H

#include <stdbool.h>
#include <stdint.h>

struct ptx__heap;

/* 0 if there is no room. */
uint64_t ptx__heap_take(struct ptx__heap *heap, uint64_t bytes);

/* False if nothing that is in use begins there. */
bool ptx__heap_give(struct ptx__heap *heap, uint64_t address);

#endif
