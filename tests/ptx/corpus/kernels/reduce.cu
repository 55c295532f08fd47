// SPDX-License-Identifier: MIT
// build: compute_75 compute_100 -lineinfo
// Reductions of several shapes, and histograms.
#include <float.h>

// A tree in shared memory; one result a block.
extern "C" __global__ void reduce_tree(const int *a, int *out, int n)
{
    __shared__ int part[256];
    int sum = 0;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += a[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = part[0];
}

__device__ float warp_sum(float x)
{
    for (int delta = 16; delta > 0; delta /= 2)
        x += __shfl_down_sync(0xffffffff, x, delta);
    return x;
}

// Shuffles within warps, then of the warps' results; the order of additions is fixed.
extern "C" __global__ void reduce_shuffle(const float *a, float *out, int n)
{
    __shared__ float part[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float sum = 0;

    for (int i = threadIdx.x; i < n; i += blockDim.x)
        sum += a[blockIdx.x * n + i];
    sum = warp_sum(sum);
    if (lane == 0)
        part[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        sum = warp_sum(lane < blockDim.x / 32 ? part[lane] : 0);
        if (lane == 0)
            out[blockIdx.x] = sum;
    }
}

// The smallest and its place, the last block to finish combines what the blocks found.
extern "C" __global__ void reduce_least(const float *a, float *parts, int *places, unsigned *done,
                                        float *out, int n)
{
    __shared__ float value[128];
    __shared__ int place[128];
    __shared__ bool last;
    const int t = threadIdx.x;

    value[t] = FLT_MAX;
    place[t] = 0x7fffffff;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
        if (a[i] < value[t]) {
            value[t] = a[i];
            place[t] = i;
        }
    for (int round = 0;; round++) {
        for (int half = blockDim.x / 2; half > 0; half /= 2) {
            __syncthreads();
            if (t < half && (value[t + half] < value[t] ||
                             (value[t + half] == value[t] && place[t + half] < place[t]))) {
                value[t] = value[t + half];
                place[t] = place[t + half];
            }
        }
        if (round == 1)
            break;
        if (t == 0) {
            parts[blockIdx.x] = value[0];
            places[blockIdx.x] = place[0];
            __threadfence();
            last = atomicAdd(done, 1) == gridDim.x - 1;
        }
        __syncthreads();
        if (!last)
            return;
        __threadfence();
        value[t] = t < gridDim.x ? __ldcg(&parts[t]) : FLT_MAX;
        place[t] = t < gridDim.x ? __ldcg(&places[t]) : 0x7fffffff;
    }
    if (t == 0) {
        out[0] = value[0];
        out[1] = place[0];
    }
}

// A sum that keeps what rounding took away.
extern "C" __global__ void reduce_kahan(const float *a, const float *b, float *out, int n)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0, lost = 0;

    for (int i = 0; i < n; i++) {
        const float x = __fmul_rn(a[row * n + i], b[i]);
        const float y = __fsub_rn(x, lost);
        const float next = __fadd_rn(sum, y);

        lost = __fsub_rn(__fsub_rn(next, sum), y);
        sum = next;
    }
    out[row] = sum;
}

extern "C" __global__ void reduce_histogram_shared(const unsigned char *a, unsigned *out, int n)
{
    __shared__ unsigned bins[256];

    bins[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[a[i]], 1);
    __syncthreads();
    atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

// Weights in 64 bits, and bins that are found by bisection.
extern "C" __global__ void reduce_histogram_bounds(const float *a, const float *bounds,
                                                   unsigned long long *out, int n, int n_bounds)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int low = 0, high = n_bounds;

    if (i >= n)
        return;
    while (low < high) {
        const int middle = (low + high) / 2;

        if (bounds[middle] <= a[i])
            low = middle + 1;
        else
            high = middle;
    }
    atomicAdd(&out[low], 1ull << (i % 40));
}
