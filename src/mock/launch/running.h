/* SPDX-License-Identifier: MIT */
/*
 * A kernel that the engine runs: the memory that it may use, and what it did to it. Callers hold
 * the lock.
 */
#ifndef CUSHIM_MOCK_LAUNCH_RUNNING_H
#define CUSHIM_MOCK_LAUNCH_RUNNING_H

#include "base/tree.h"
#include "mock/launch/children.h"
#include "mock/ptx/machine/run.h"

struct mock__context;
struct mock__memory;
struct mock__work;

struct mock__running {
    struct ptx__launch launch;
    const struct mock__work *work;
    const struct mock__context *context;
    const struct mock__memory *heap;
    struct cushim__tree uses; /* the ranges that it looked for, by address */
    char fault[1024];         /* the finding that ended it */
    struct mock__children children;
    bool messages;
};

/*
 * Callback of the engine: returns the allocation at an address. Its entry is made at the kernel's
 * first access to it.
 */
struct ptx__range *mock__running_range(void *user, uint64_t address);

/* All that it did goes into the check between streams. Then it has used nothing. */
void mock__running_tell(struct mock__running *running);

#endif
