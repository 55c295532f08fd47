/* SPDX-License-Identifier: MIT */
/* The heap of kernels. Thread-safe. */
#ifndef CUSHIM_MOCK_PTX_MACHINE_HEAP_H
#define CUSHIM_MOCK_PTX_MACHINE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ptx__heap;

/* Returns the address of so many bytes of the heap, or 0 if there is no room. */
uint64_t ptx__heap_take(struct ptx__heap *heap, uint64_t bytes);

/* Frees what ptx__heap_take() returned. False if no part in use begins at the address. */
bool ptx__heap_give(struct ptx__heap *heap, uint64_t address);

/*
 * The heap for malloc() in kernels. It uses one range of the caller, which must exist as long as
 * the heap.
 */
struct ptx__heap *ptx__heap_new(uint64_t address, size_t bytes);
void ptx__heap_free(struct ptx__heap *heap);

#endif
