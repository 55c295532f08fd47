/* SPDX-License-Identifier: MIT */
/* cuOccupancyMaxPotentialClusterSize, cuOccupancyMaxActiveClusters */
#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "mock/base/gpc.h"
#include "mock/base/green.h"
#include "mock/base/state.h"
#include "mock/module/cluster.h"
#include "mock/module/occupancy.h"
#include "mock/stream/event.h"
#include "mock/stream/stream.h"

#if CUDA_VERSION >= 11080

/* Blocks of clusters that are on a multiprocessor at a time, as an H200 has it. */
#define MOST_BLOCKS 8

static size_t threads_of(const CUlaunchConfig *config)
{
    return (size_t) config->blockDimX * config->blockDimY * config->blockDimZ;
}

static bool within(unsigned extent, unsigned most)
{
    return extent && extent <= most;
}

static bool is_valid(const CUlaunchConfig *config)
{
    return config && within(config->gridDimX, INT_MAX) && within(config->gridDimY, UINT16_MAX) &&
           within(config->gridDimZ, UINT16_MAX) && within(config->blockDimX, INT_MAX) &&
           within(config->blockDimY, INT_MAX) && within(config->blockDimZ, INT_MAX) &&
           (config->attrs || !config->numAttrs);
}

/* As a launch would check it; the numbers are those of launch/launch_attribute.c. */
static CUresult check_attribute(const CUlaunchAttribute *attribute)
{
    struct mock__event *event = NULL;
    CUevent handle;

    switch ((int) attribute->id) {
    case 7: /* events */
    case 12:
        memcpy(&handle, &attribute->value, sizeof(handle));
        return mock__event_find(handle, &event);
    case 13: /* of nodes that the device changes */
        return CUDA_ERROR_NOT_SUPPORTED;
    case 3: /* of streams alone */
    case 15:
        return CUDA_ERROR_INVALID_VALUE;
    default:
        return (unsigned) attribute->id <= 16 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    }
}

static CUresult check_place(const struct mock__function *function, CUstream handle)
{
    struct mock__stream *stream = NULL;

    MOCK__TRY(mock__stream_find(handle, &stream));
    return stream->context == function->module->context ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

/* Finds the function. Its device must support clusters. */
static CUresult find(CUfunction func, const CUlaunchConfig *config,
                     struct mock__function **ret_function)
{
    MOCK__REQUIRE(func && is_valid(config), CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__function_find(func, ret_function));
    for (unsigned i = 0; i < config->numAttrs; i++)
        MOCK__TRY(check_attribute(&config->attrs[i]));
    MOCK__TRY(check_place(*ret_function, config->hStream));
    MOCK__REQUIRE(mock__attribute((*ret_function)->module->context->device,
                                  CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH),
                  CUDA_ERROR_NOT_SUPPORTED);
    return CUDA_SUCCESS;
}

static bool is_none(const unsigned cluster[3])
{
    return !cluster[0] && !cluster[1] && !cluster[2];
}

/*
 * The clusters that the launch asks for, or that the kernel was compiled for. *ret_cluster is
 * zeros if there are none.
 */
static CUresult cluster_of(const struct mock__function *function, const CUlaunchConfig *config,
                           unsigned ret_cluster[3])
{
    const unsigned grid[] = {config->gridDimX, config->gridDimY, config->gridDimZ};

    memset(ret_cluster, 0, 3 * sizeof(*ret_cluster));
    for (unsigned i = 0; config->attrs && i < config->numAttrs; i++)
        if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
            memcpy(ret_cluster, &config->attrs[i].value.clusterDim, 3 * sizeof(*ret_cluster));
    if (is_none(ret_cluster))
        for (unsigned i = 0; i < 3; i++)
            ret_cluster[i] = (unsigned) function->attributes[MOCK__CLUSTER_WIDTH + i];
    if (is_none(ret_cluster))
        return function->entry->must_cluster ? MOCK__INVALID_CLUSTER_SIZE : CUDA_SUCCESS;
    return mock__cluster_allowed(function, grid, ret_cluster);
}

CUresult mock_cuOccupancyMaxPotentialClusterSize(int *clusterSize, CUfunction func,
                                                 const CUlaunchConfig *config)
{
    struct mock__function *function = NULL;
    unsigned cluster[3];

    MOCK__ENTER_EARLY();
    MOCK__REQUIRE(clusterSize, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(find(func, config, &function));
    MOCK__TRY(cluster_of(function, config, cluster));
    *clusterSize = mock__occupancy_of_device(function, threads_of(config), config->sharedMemBytes)
                       ? (int) mock__cluster_limit(function)
                       : 0;
    return CUDA_SUCCESS;
}

/*
 * How many clusters are in all groups of multiprocessors together. A group of fewer multiprocessors
 * than a cluster has blocks takes none, even if one takes several blocks.
 */
static size_t resident(const struct mock__function *function, const struct mock__share *share,
                       size_t blocks_of_one, size_t cluster)
{
    const size_t blocks = blocks_of_one < MOST_BLOCKS ? blocks_of_one : MOST_BLOCKS;
    size_t n = 0, group;

    for (unsigned i = 0; (group = mock__gpc(share, function->module->context->device, i)); i++)
        n += group < cluster ? 0 : group * blocks / cluster;
    return n;
}

CUresult mock_cuOccupancyMaxActiveClusters(int *numClusters, CUfunction func,
                                           const CUlaunchConfig *config)
{
    struct mock__function *function = NULL;
    unsigned cluster[3];
    size_t blocks, fit;

    MOCK__ENTER_EARLY();
    MOCK__REQUIRE(numClusters, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(find(func, config, &function));
    MOCK__TRY(cluster_of(function, config, cluster));
    blocks = mock__cluster_blocks(cluster);
    fit = (size_t) mock__occupancy_of_device(function, threads_of(config), config->sharedMemBytes);
    *numClusters =
        blocks && blocks <= mock__cluster_limit(function)
            ? (int) resident(function, mock__green_share(mock__stream_green(config->hStream)), fit,
                             blocks)
            : 0;
    return CUDA_SUCCESS;
}

#endif
