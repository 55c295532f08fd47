/* SPDX-License-Identifier: MIT */
/*
 * Machine code that outlives the process, in the folder that CUSHIM_CACHE names. An entry is named
 * by all that it depends on: the text, which is made of the kernel, this library, the LLVM that is
 * found here, and the processor.
 */
#ifndef CUSHIM_MOCK_PTX_JIT_KEEP_H
#define CUSHIM_MOCK_PTX_JIT_KEEP_H

#include "base/cache_folder.h"

struct ptx__kept {
    int folder; /* -1: nothing is kept */
    uint64_t limit;
    struct cushim__cache_key key;
};

void ptx__keep_open(struct ptx__kept *ret_kept, const char *text, size_t length);
void ptx__keep_close(struct ptx__kept *kept);

/* Returns the object file of an earlier process, or NULL. The caller frees it. */
void *ptx__keep_find(const struct ptx__kept *kept, size_t *ret_bytes);

void ptx__keep_add(const struct ptx__kept *kept, const void *bytes, size_t n);

#endif
