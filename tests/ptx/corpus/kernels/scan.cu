// SPDX-License-Identifier: MIT
// build: compute_75 compute_100
// Prefix sums, and what is built of them.

// Inclusive, with two buffers (Hillis and Steele).
extern "C" __global__ void scan_inclusive(const int *a, int *out)
{
    __shared__ int part[2][256];
    const int t = threadIdx.x;
    int from = 0;

    part[0][t] = a[blockIdx.x * blockDim.x + t];
    for (int delta = 1; delta < blockDim.x; delta *= 2) {
        __syncthreads();
        part[1 - from][t] = part[from][t] + (t >= delta ? part[from][t - delta] : 0);
        from = 1 - from;
    }
    out[blockIdx.x * blockDim.x + t] = part[from][t];
}

// Exclusive, up and down a tree (Blelloch); two elements a thread.
extern "C" __global__ void scan_exclusive(const int *a, int *out)
{
    __shared__ int part[512];
    const int t = threadIdx.x, n = 2 * blockDim.x;
    int step = 1;

    part[2 * t] = a[2 * t];
    part[2 * t + 1] = a[2 * t + 1];
    for (int pairs = n / 2; pairs > 0; pairs /= 2) {
        __syncthreads();
        if (t < pairs)
            part[step * (2 * t + 2) - 1] += part[step * (2 * t + 1) - 1];
        step *= 2;
    }
    if (t == 0)
        part[n - 1] = 0;
    for (int pairs = 1; pairs < n; pairs *= 2) {
        step /= 2;
        __syncthreads();
        if (t < pairs) {
            const int left = part[step * (2 * t + 1) - 1];

            part[step * (2 * t + 1) - 1] = part[step * (2 * t + 2) - 1];
            part[step * (2 * t + 2) - 1] += left;
        }
    }
    __syncthreads();
    out[2 * t] = part[2 * t];
    out[2 * t + 1] = part[2 * t + 1];
}

// The smallest so far, within warps by shuffles, with 64 bits.
extern "C" __global__ void scan_minimum(const long long *a, long long *out)
{
    __shared__ long long ends[8];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    long long x = a[t];

    for (int delta = 1; delta < 32; delta *= 2) {
        const long long other = __shfl_up_sync(0xffffffff, x, delta);

        if (lane >= delta && other < x)
            x = other;
    }
    if (lane == 31)
        ends[warp] = x;
    __syncthreads();
    for (int w = 0; w < warp; w++)
        x = ends[w] < x ? ends[w] : x;
    out[t] = x;
}

// One pass over all blocks: each waits for the sum of those before it.
extern "C" __global__ void scan_chained(const unsigned *a, unsigned *out, unsigned *turn,
                                        volatile unsigned *sums, unsigned *ready)
{
    __shared__ unsigned part[128], before, block;
    const int t = threadIdx.x;

    if (t == 0)
        block = atomicAdd(turn, 1);
    __syncthreads();
    part[t] = a[block * 128 + t];
    for (int delta = 1; delta < 128; delta *= 2) {
        __syncthreads();
        const unsigned left = t >= delta ? part[t - delta] : 0;
        __syncthreads();
        part[t] += left;
    }
    __syncthreads();
    if (t == 0) {
        before = 0;
        if (block > 0) {
            while (atomicAdd(&ready[block - 1], 0) == 0)
                ;
            __threadfence();
            before = sums[block - 1];
        }
        sums[block] = before + part[127];
        __threadfence();
        atomicExch(&ready[block], 1);
    }
    __syncthreads();
    out[block * 128 + t] = before + part[t];
}

// What is kept of a list, in its order.
extern "C" __global__ void scan_compact(const unsigned *a, unsigned *out, unsigned *ret_count)
{
    __shared__ unsigned counts[8];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    const bool keep = a[t] % 3 == 0;
    const unsigned kept = __ballot_sync(0xffffffff, keep);

    if (lane == 0)
        counts[warp] = __popc(kept);
    __syncthreads();
    unsigned place = __popc(kept & ((1u << lane) - 1));
    for (int w = 0; w < warp; w++)
        place += counts[w];
    if (keep)
        out[place] = a[t];
    if (t == blockDim.x - 1)
        *ret_count = place + keep;
}
