// SPDX-License-Identifier: MIT
// build: compute_80 compute_100
// Asynchronous copies: tiles of a matrix product, and copies that a barrier object waits for.
#define TILE 16

__device__ void copy_async(void *to, const void *from)
{
    asm volatile(
        "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned) __cvta_generic_to_shared(to)),
        "l"(from)
        : "memory");
}

// Tiles arrive while the ones before are multiplied.
extern "C" __global__ void pipeline_product(const float *a, const float *b, float *c, int n)
{
    __shared__ __align__(16) float left[2][TILE][TILE], right[2][TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y, t = y * TILE + x;
    const int row = blockIdx.y * TILE, column = blockIdx.x * TILE, tiles = n / TILE;
    float sum = 0;

    for (int tile = -1; tile < tiles; tile++) {
        if (tile + 1 < tiles && t < 128) {
            const int at = (t % 64) / 4, part = t % 4 * 4, k = (tile + 1) * TILE;

            if (t < 64)
                copy_async(&left[(tile + 1) & 1][at][part], &a[(row + at) * n + k + part]);
            else
                copy_async(&right[(tile + 1) & 1][at][part], &b[(k + at) * n + column + part]);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        if (tile >= 0)
            for (int k = 0; k < TILE; k++)
                sum = fmaf(left[tile & 1][y][k], right[tile & 1][k][x], sum);
        __syncthreads();
    }
    c[(row + y) * n + column + x] = sum;
}

// Copies of 4 and 8 bytes, a part of which is filled with zeros; waiting by a barrier object.
extern "C" __global__ void pipeline_copies(const unsigned *a, unsigned *out, int n)
{
    __shared__ __align__(16) unsigned part[4 * 64];
    __shared__ unsigned long long barrier;
    const int t = threadIdx.x;
    const unsigned bar = (unsigned) __cvta_generic_to_shared(&barrier);
    const unsigned to = (unsigned) __cvta_generic_to_shared(part);

    if (t == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(bar), "r"(64) : "memory");
    __syncthreads();
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to + 4 * t), "l"(a + t)
                 : "memory");
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to + 256 + 8 * t),
                 "l"(a + 64 + 2 * t), "r"(t % 3 == 0 ? 4 : 8)
                 : "memory");
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to + 768 + 4 * t), "l"(a + 63 - t)
                 : "memory");
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(bar) : "memory");
    unsigned done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; "
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(bar), "r"(0)
                     : "memory");
    for (int i = t; i < n; i += 64)
        out[i] = part[n - 1 - i];
}
