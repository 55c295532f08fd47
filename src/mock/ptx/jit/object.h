/* SPDX-License-Identifier: MIT */
/*
 * Machine code in memory. It comes as an object file, which LLVM has made now or in another
 * process: one function and its constants, and names of addresses outside (see text.h).
 */
#ifndef CUSHIM_MOCK_PTX_JIT_OBJECT_H
#define CUSHIM_MOCK_PTX_JIT_OBJECT_H

#include <stddef.h>
#include <stdint.h>

struct ptx__machine_code;

/*
 * Loads an object file; addresses are those of @a0, @a1 and so on. Returns NULL if it has something
 * that is not expected, if this process cannot make memory executable, or if the host is out of
 * memory; a debug message says which. The bytes may be damaged: nothing outside of them is read.
 */
struct ptx__machine_code *ptx__object_load(const void *bytes, size_t n, const uint64_t *addresses,
                                           size_t n_addresses);

/* Returns the address of the function. */
void *ptx__object_function(const struct ptx__machine_code *code);

/* NULL is ignored. */
void ptx__object_free(struct ptx__machine_code *code);

#endif
