// SPDX-License-Identifier: MIT
// build: compute_75 compute_90 compute_100 -fmad=true
// The layers of a network.
#include <cuda_fp16.h>
#include <math_constants.h>

__device__ float all_sum(float x)
{
    for (int mask = 16; mask > 0; mask /= 2)
        x += __shfl_xor_sync(0xffffffff, x, mask);
    return x;
}

__device__ float all_max(float x)
{
    for (int mask = 16; mask > 0; mask /= 2)
        x = fmaxf(x, __shfl_xor_sync(0xffffffff, x, mask));
    return x;
}

// A warp a row.
extern "C" __global__ void network_softmax(const float *a, float *out, int n)
{
    const int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    float most = -CUDART_INF_F, sum = 0;

    for (int i = lane; i < n; i += 32)
        most = fmaxf(most, a[row * n + i]);
    most = all_max(most);
    for (int i = lane; i < n; i += 32)
        sum += expf(a[row * n + i] - most);
    sum = all_sum(sum);
    for (int i = lane; i < n; i += 32)
        out[row * n + i] = expf(a[row * n + i] - most) / sum;
}

extern "C" __global__ void network_layer_norm(const float *a, const float *gain, const float *bias,
                                              float *out, int n)
{
    __shared__ float sums[2][4];
    const int row = blockIdx.x, t = threadIdx.x;
    float sum = 0, squares = 0;

    for (int i = t; i < n; i += blockDim.x) {
        sum += a[row * n + i];
        squares += a[row * n + i] * a[row * n + i];
    }
    sum = all_sum(sum);
    squares = all_sum(squares);
    if (t % 32 == 0) {
        sums[0][t / 32] = sum;
        sums[1][t / 32] = squares;
    }
    __syncthreads();
    sum = squares = 0;
    for (int w = 0; w < blockDim.x / 32; w++) {
        sum += sums[0][w];
        squares += sums[1][w];
    }
    const float mean = sum / n, scale = rsqrtf(squares / n - mean * mean + 1e-5f);
    for (int i = t; i < n; i += blockDim.x)
        out[row * n + i] = (a[row * n + i] - mean) * scale * gain[i] + bias[i];
}

// Attention with one pass over keys and values: the maximum and the sum are corrected on the way.
extern "C" __global__ void network_attention(const float *q, const float *k, const float *v,
                                             float *out, int n)
{
    __shared__ float keys[32][32], values[32][32];
    const int row = blockIdx.x * 4 + threadIdx.y, lane = threadIdx.x;
    const float query = q[row * 32 + lane] * rsqrtf(32.0f);
    float most = -CUDART_INF_F, sum = 0, result = 0;

    for (int tile = 0; tile < n; tile += 32) {
        __syncthreads();
        for (int i = threadIdx.y; i < 32; i += 4) {
            keys[i][lane] = k[(tile + i) * 32 + lane];
            values[i][lane] = v[(tile + i) * 32 + lane];
        }
        __syncthreads();
        for (int i = 0; i < 32; i++) {
            const float score = all_sum(query * keys[i][lane]);
            const float now = fmaxf(most, score);
            const float correction = __expf(most - now), weight = __expf(score - now);

            sum = sum * correction + weight;
            result = result * correction + weight * values[i][lane];
            most = now;
        }
    }
    out[row * 32 + lane] = result / sum;
}

// Activations; the last in half precision.
extern "C" __global__ void network_activations(const float *a, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float x = a[i];

    out += 6 * i;
    out[0] = fmaxf(x, 0);
    out[1] = 1 / (1 + expf(-x));
    out[2] = 0.5f * x * (1 + erff(x * 0.70710678f));
    out[3] = tanhf(x);
    out[4] = x > 0 ? x : expm1f(x);
    out[5] = log1pf(expf(x));
}
