/* SPDX-License-Identifier: MIT */
#include "mock/ptx/machine/zeros.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { MANY_BYTES = 1 << 17 };

void *ptx__zeros_new(size_t bytes)
{
    void *zeros;

    if (bytes < MANY_BYTES)
        return calloc(bytes, 1);
    zeros = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return zeros == MAP_FAILED ? NULL : zeros;
}

void ptx__zeros_free(void *zeros, size_t bytes)
{
    if (bytes < MANY_BYTES)
        free(zeros);
    else if (zeros)
        munmap(zeros, bytes);
}
