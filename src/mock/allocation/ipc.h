/* SPDX-License-Identifier: MIT */
/*
 * Memory of another process. A name tells which file of which process holds the memory. A process
 * that may look into that process opens the file through /proc and maps it. Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_ALLOCATION_IPC_H
#define CUSHIM_MOCK_ALLOCATION_IPC_H

#include <stdint.h>

#include "mock/functions.h"

struct mock__context;
struct mock__memory;
struct mock__opened;

/* The name that one process passes to another, in the 64 bytes of a handle. */
struct mock__name {
    uint32_t magic;
    int32_t process, fd;
    uint32_t reserved;
    uint64_t offset, bytes; /* in the file */
    uint64_t id;            /* of the allocation */
    unsigned char uuid[16]; /* of the device */
    uint64_t zero;
};

/*
 * Makes the name of memory. Fails with CUDA_ERROR_INVALID_VALUE if it is not memory of this process
 * that can be shared.
 */
CUresult mock__name_of(const struct mock__memory *memory, struct mock__name *ret_name);

/*
 * Maps the memory of a name. If it is opened twice, the result is the same range with one more
 * user.
 */
CUresult mock__name_open(struct mock__context *context, const struct mock__name *name,
                         struct mock__memory **ret_memory);

/* Unmaps memory that was opened. It is called when its range is freed. */
void mock__opened_finish(struct mock__opened *opened);

#endif
