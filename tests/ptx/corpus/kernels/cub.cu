// SPDX-License-Identifier: MIT
// build: compute_75 compute_100 generated
// Algorithms of CUB for a warp and for a block.
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

extern "C" __global__ void cub_warp(const unsigned *a, unsigned *out)
{
    __shared__ cub::WarpReduce<unsigned>::TempStorage reduce[4];
    __shared__ cub::WarpScan<unsigned>::TempStorage scan[4];
    const int i = threadIdx.x, warp = i / 32;
    unsigned inclusive, exclusive;

    const unsigned sum = cub::WarpReduce<unsigned>(reduce[warp]).Sum(a[i]);
    cub::WarpScan<unsigned>(scan[warp]).Scan(a[i], inclusive, exclusive, 0u, ::cuda::std::plus<>{});
    if (i % 32 == 0)
        out[256 + warp] = sum;
    out[i] = inclusive;
    out[128 + i] = exclusive;
}

extern "C" __global__ void cub_block(const int *a, int *out)
{
    typedef cub::BlockReduce<int, 128> reduce;
    typedef cub::BlockScan<int, 128, cub::BLOCK_SCAN_RAKING> scan;
    __shared__ union {
        typename reduce::TempStorage reduce;
        typename scan::TempStorage scan;
    } storage;
    int items[4];

    for (int k = 0; k < 4; k++)
        items[k] = a[threadIdx.x * 4 + k];
    const int most = reduce(storage.reduce).Reduce(items, ::cuda::maximum<>{});
    __syncthreads();
    scan(storage.scan).ExclusiveSum(items, items);
    for (int k = 0; k < 4; k++)
        out[threadIdx.x * 4 + k] = items[k];
    if (threadIdx.x == 0)
        out[512] = most;
}

extern "C" __global__ void cub_sort(const unsigned *a, unsigned *keys, unsigned *places)
{
    typedef cub::BlockRadixSort<unsigned, 128, 4, unsigned> sort;
    __shared__ typename sort::TempStorage storage;
    unsigned key[4], place[4];

    for (int k = 0; k < 4; k++) {
        key[k] = a[threadIdx.x * 4 + k];
        place[k] = threadIdx.x * 4 + k;
    }
    sort(storage).Sort(key, place);
    for (int k = 0; k < 4; k++) {
        keys[threadIdx.x * 4 + k] = key[k];
        places[threadIdx.x * 4 + k] = place[k];
    }
}

extern "C" __global__ void cub_histogram(const unsigned char *a, unsigned *out)
{
    typedef cub::BlockHistogram<unsigned char, 128, 4, 256> histogram;
    __shared__ typename histogram::TempStorage storage;
    __shared__ unsigned bins[256];
    unsigned char items[4];

    for (int k = 0; k < 4; k++)
        items[k] = a[threadIdx.x * 4 + k];
    histogram(storage).Histogram(items, bins);
    __syncthreads();
    out[threadIdx.x] = bins[threadIdx.x];
    out[threadIdx.x + 128] = bins[threadIdx.x + 128];
}
