/* SPDX-License-Identifier: MIT */
/*
 * The parameters of a kernel, read from its PTX. This is for drivers before CUDA 12.4, which cannot
 * be asked for them.
 */
#ifndef CUSHIM_CORE_CODE_PTX_PARAMS_H
#define CUSHIM_CORE_CODE_PTX_PARAMS_H

#include <stddef.h>
#include <stdint.h>

/* Where a parameter lies in the kernel's parameter memory, in bytes. */
struct cushim__param {
    uint32_t offset, size;
};

/*
 * Finds the entry with this name in a PTX text and returns how many parameters it has. Up to
 * capacity of them are written to params. -1 if there is no such entry, or if its declaration is
 * not understood.
 */
int cushim__ptx_params(const char *ptx, const char *entry, struct cushim__param *params,
                       size_t capacity);

#endif
