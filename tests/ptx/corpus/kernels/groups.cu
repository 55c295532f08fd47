// SPDX-License-Identifier: MIT
// build: compute_75 compute_90 compute_100 generated
// Cooperative groups: tiles, coalesced threads, the whole grid.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

extern "C" __global__ void groups_tiles(const unsigned *a, unsigned *out)
{
    const cg::thread_block block = cg::this_thread_block();
    const auto four = cg::tiled_partition<4>(block);
    const auto warp = cg::tiled_partition<32>(block);
    const auto eight = cg::tiled_partition<8>(warp);
    const unsigned i = blockIdx.x * blockDim.x + block.thread_rank(), x = a[i];

    out += 8 * i;
    out[0] = four.shfl(x, 2) + four.thread_rank();
    out[1] = four.shfl_down(x, 1);
    out[2] = eight.any(x % 5 == 0);
    out[3] = eight.ballot(x & 1);
    out[4] = eight.shfl_xor(x, 3);
    out[5] = cg::reduce(warp, x, cg::plus<unsigned>());
    out[6] = cg::reduce(four, x, cg::greater<unsigned>());
    out[7] = eight.meta_group_rank() << 8 | eight.meta_group_size();
}

// Those who came this way, and those with the same number.
extern "C" __global__ void groups_coalesced(const unsigned *a, unsigned *out)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, x = a[i];

    out += 5 * i;
    out[0] = out[1] = out[2] = 0;
    if (x % 3 == 0) {
        const auto active = cg::coalesced_threads();

        out[0] = active.size();
        out[1] = active.thread_rank();
        out[2] = active.shfl(x, 0);
    }
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const auto same = cg::labeled_partition(warp, x % 4);
    out[3] = same.size();
    const auto parity = cg::binary_partition(warp, x & 1);
    out[4] = parity.thread_rank() + parity.size() * 100;
}

extern "C" __global__ void groups_scan(const unsigned *a, unsigned *out)
{
    const unsigned i = threadIdx.x;
    const auto tile = cg::tiled_partition<16>(cg::this_thread_block());

    out[2 * i] = cg::inclusive_scan(tile, a[i]);
    out[2 * i + 1] = cg::exclusive_scan(tile, a[i], cg::bit_xor<unsigned>());
}

// All blocks take each step together.
extern "C" __global__ void groups_grid(unsigned *a, unsigned *b, int rounds)
{
    const cg::grid_group grid = cg::this_grid();
    const unsigned i = grid.thread_rank(), n = grid.size();

    for (int round = 0; round < rounds; round++) {
        b[i] = a[(i + 1) % n] * 3 + a[(i + n - 1) % n] + round;
        grid.sync();
        a[i] = b[(i + n / 2) % n] ^ i;
        grid.sync();
    }
}
