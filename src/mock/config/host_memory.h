/* SPDX-License-Identifier: MIT */
/*
 * How much memory the host can still give to this process: what is free on the machine, or in the
 * control group that this process belongs to, such as a container's, or in one above it, if that is
 * less. Reads some small files, which takes a tenth of a millisecond.
 */
#ifndef CUSHIM_MOCK_CONFIG_HOST_MEMORY_H
#define CUSHIM_MOCK_CONFIG_HOST_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* UINT64_MAX stands for what the system does not tell. */
struct mock__host_memory {
    uint64_t memory; /* without swapping anything out */
    uint64_t swap;   /* besides, on disk; 0 if nothing tells */
    bool of_a_group; /* a control group has less than the machine */
};

struct mock__host_memory mock__host_memory(void);

/* The folder below which the system's files are: "", or a test's. */
extern const char *mock__host_root;

#endif
