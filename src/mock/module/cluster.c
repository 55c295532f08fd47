/* SPDX-License-Identifier: MIT */
#include "mock/module/cluster.h"

#include "mock/base/state.h"

static bool is_not_portable(const struct mock__function *function)
{
    return function->attributes[MOCK__NON_PORTABLE_CLUSTER];
}

size_t mock__cluster_limit(const struct mock__function *function)
{
    return is_not_portable(function) ? MOCK__LARGEST_CLUSTER : MOCK__PORTABLE_CLUSTER;
}

CUresult mock__cluster_allowed(const struct mock__function *function, const unsigned grid[3],
                               const unsigned cluster[3])
{
    const struct mock__entry *entry = function->entry;
    const size_t blocks = mock__cluster_blocks(cluster);

    for (unsigned i = 0; i < 3; i++)
        MOCK__REQUIRE(cluster[i] && grid[i] % cluster[i] == 0 &&
                          (!entry->cluster[0] || cluster[i] == entry->cluster[i]),
                      MOCK__INVALID_CLUSTER_SIZE);
    MOCK__REQUIRE((blocks <= MOCK__PORTABLE_CLUSTER || is_not_portable(function)) &&
                      (!entry->max_cluster || blocks <= entry->max_cluster),
                  MOCK__INVALID_CLUSTER_SIZE);
    return CUDA_SUCCESS;
}

CUresult mock__cluster_check(const struct mock__function *function, const unsigned grid[3],
                             const unsigned cluster[3])
{
    MOCK__TRY(mock__cluster_allowed(function, grid, cluster));
    return mock__cluster_blocks(cluster) <= mock__cluster_limit(function) ? CUDA_SUCCESS
                                                                          : MOCK__INVALID_CLUSTER_SIZE;
}
