/* SPDX-License-Identifier: MIT */
/* Memory and semaphores of other interfaces. */
#ifndef CUSHIM_CORE_MEMORY_EXTERNAL_H
#define CUSHIM_CORE_MEMORY_EXTERNAL_H

#include "core/cu/cu_memory.h"
#include "core/order/stream.h"

/* The object of a handle of memory. Buffers keep it while they map a part of it. */
struct cushim__external_memory {
    struct cushim__object object; /* holds a reference on its context */
    CUexternalMemory cu;
    uint64_t bytes;
};

struct cushim__external_semaphore {
    struct cushim__object object; /* holds a reference on its context */
    CUexternalSemaphore cu;
    /* Of one byte: every signal and every wait reads it, so that its end can wait for them. */
    struct cushim__buffer *uses;
};

/*
 * Import what a description stands for, and make an object of it, with a label or NULL, and a
 * handle.
 */
cushim_status cushim__external_memory_new(const struct cushim__scope *scope,
                                          const struct cushim__cu_external_memory *description,
                                          const char *label, uint64_t *ret_id);
cushim_status
cushim__external_semaphore_new(const struct cushim__scope *scope,
                               const struct cushim__cu_external_semaphore *description,
                               const char *label, uint64_t *ret_id);

#endif
