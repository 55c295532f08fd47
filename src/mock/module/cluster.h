/* SPDX-License-Identifier: MIT */
/* Clusters of blocks: which ones a kernel may be launched with. */
#ifndef MOCK_MODULE_CLUSTER_H
#define MOCK_MODULE_CLUSTER_H

#include "mock/module/module.h"

/* CUDA's headers have the name from 11.8 on. */
#define MOCK__INVALID_CLUSTER_SIZE ((CUresult) 912)

enum {
    MOCK__PORTABLE_CLUSTER = 8, /* blocks that all devices with clusters support */
    MOCK__LARGEST_CLUSTER = 16, /* with CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED */
};

/* How many blocks a cluster of the kernel may have. */
size_t mock__cluster_limit(const struct mock__function *function);

static inline size_t mock__cluster_blocks(const unsigned cluster[3])
{
    return (size_t) cluster[0] * cluster[1] * cluster[2];
}

/*
 * CUDA_ERROR_INVALID_CLUSTER_SIZE if the grid is not made of such clusters, or if the kernel does
 * not allow them. As a driver does, this leaves a cluster that no device could run to the launch,
 * if the kernel allows what is not portable.
 */
CUresult mock__cluster_allowed(const struct mock__function *function, const unsigned grid[3],
                               const unsigned cluster[3]);

/* The same for a launch, which no cluster beyond the limit of the device passes. */
CUresult mock__cluster_check(const struct mock__function *function, const unsigned grid[3],
                             const unsigned cluster[3]);

#endif
