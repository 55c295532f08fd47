/* SPDX-License-Identifier: MIT */
/* cuOccupancyMaxPotentialClusterSize, cuOccupancyMaxActiveClusters */
#include "mock/base/state.h"
#include "mock/module/module.h"
#include "mock/module/occupancy.h"

#if CUDA_VERSION >= 11080

#define PORTABLE     8 /* blocks of a cluster that all devices with clusters support */
#define NOT_PORTABLE 16

static size_t threads_of(const CUlaunchConfig *config)
{
    return (size_t) config->blockDimX * config->blockDimY * config->blockDimZ;
}

/* Finds the function. Its device must support clusters. */
static CUresult find(CUfunction func, const CUlaunchConfig *config,
                     struct mock__function **ret_function)
{
    MOCK__TRY(mock__function_find(func, ret_function));
    MOCK__REQUIRE(config && threads_of(config), CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(mock__attribute((*ret_function)->module->context->device,
                                  CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH),
                  CUDA_ERROR_NOT_SUPPORTED);
    return CUDA_SUCCESS;
}

static size_t largest_cluster(const struct mock__function *function)
{
    return function->attributes[CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED] ? NOT_PORTABLE
                                                                                     : PORTABLE;
}

CUresult mock_cuOccupancyMaxPotentialClusterSize(int *clusterSize, CUfunction func,
                                                 const CUlaunchConfig *config)
{
    struct mock__function *function = NULL;

    MOCK__ENTER();
    MOCK__REQUIRE(clusterSize, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(find(func, config, &function));
    *clusterSize = mock__occupancy(function, threads_of(config), config->sharedMemBytes)
                       ? (int) largest_cluster(function)
                       : 0;
    return CUDA_SUCCESS;
}

/* Returns the number of blocks in the launch's clusters, or 0 if it has none. */
static size_t cluster_of(const CUlaunchConfig *config)
{
    for (unsigned i = 0; config->attrs && i < config->numAttrs; i++)
        if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
            return (size_t) config->attrs[i].value.clusterDim.x *
                   config->attrs[i].value.clusterDim.y * config->attrs[i].value.clusterDim.z;
    return 0;
}

/*
 * A device's multiprocessors are in groups, so some of them cannot be used by clusters. This is not
 * documented, and is ignored here.
 */
CUresult mock_cuOccupancyMaxActiveClusters(int *numClusters, CUfunction func,
                                           const CUlaunchConfig *config)
{
    struct mock__function *function = NULL;
    size_t blocks, cluster;

    MOCK__ENTER();
    MOCK__REQUIRE(numClusters, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(find(func, config, &function));
    cluster = cluster_of(config);
    MOCK__REQUIRE(cluster && cluster <= largest_cluster(function), CUDA_ERROR_INVALID_CLUSTER_SIZE);
    blocks = (size_t) mock__occupancy(function, threads_of(config), config->sharedMemBytes) *
             (size_t) mock__attribute(function->module->context->device,
                                      CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    *numClusters = (int) (blocks / cluster);
    return CUDA_SUCCESS;
}

#endif
