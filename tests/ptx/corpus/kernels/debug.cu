// SPDX-License-Identifier: MIT
// build: compute_75 compute_100 -G
// Compiled for a debugger: nothing is optimised, all variables lie in memory, and sections say
// where.

struct pair {
    long long first;
    double second;
};

__device__ pair sum_of(const pair &a, const pair &b)
{
    pair result;

    result.first = a.first + b.first;
    result.second = a.second + b.second;
    return result;
}

__device__ int parity(unsigned x)
{
    int odd = 0;

    while (x) {
        const unsigned low = x & -x;

        odd ^= 1;
        x ^= low;
    }
    return odd;
}

extern "C" __global__ void debug_scopes(const unsigned *a, double *out)
{
    __shared__ pair pairs[64];
    const int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;

    pairs[t].first = parity(a[i]);
    pairs[t].second = a[i] * 0.5;
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        if (t < half) {
            const pair other = pairs[t + half];

            pairs[t] = sum_of(pairs[t], other);
        }
        __syncthreads();
    }
    if (t == 0) {
        out[2 * blockIdx.x] = pairs[0].first;
        out[2 * blockIdx.x + 1] = pairs[0].second;
    }
}
