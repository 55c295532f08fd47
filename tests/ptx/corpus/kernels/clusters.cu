// SPDX-License-Identifier: MIT
// build: compute_90 compute_100 generated
// Cooperative groups of a cluster, where one was asked for, and where none was.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__device__ void look(const unsigned *a, unsigned *out)
{
    __shared__ unsigned part[32];
    const cg::cluster_group cluster = cg::this_cluster();
    const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();

    part[t] = a[i];
    cluster.sync();
    out += 8 * i;
    out[0] = *cluster.map_shared_rank(&part[31 - t], next);
    out[1] = cluster.num_blocks() | cluster.block_rank() << 8 | cluster.num_threads() << 16;
    out[2] = cluster.thread_rank() | cluster.dim_blocks().x << 8 | cluster.block_index().x << 16;
    out[3] = cluster.query_shared_rank(part);
    out[4] = cluster.query_shared_rank(cluster.map_shared_rank(part, next));
    out[5] = __clusterDimIsSpecified();
    out[6] = __clusterIdx().x | __clusterGridDimInClusters().x << 8;
    out[7] = __isClusterShared(cluster.map_shared_rank(part, next)) |
             __isShared(cluster.map_shared_rank(part, next)) << 1;
    cluster.sync();
}

extern "C" __global__ void clusters_alone(const unsigned *a, unsigned *out)
{
    look(a, out);
}

extern "C" __global__ void __cluster_dims__(4, 1, 1)
    clusters_of_four(const unsigned *a, unsigned *out)
{
    look(a, out);
}

extern "C" __global__ void __cluster_dims__(1, 1, 1)
    clusters_of_one(const unsigned *a, unsigned *out)
{
    look(a, out);
}
