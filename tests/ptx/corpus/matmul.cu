// SPDX-License-Identifier: MIT
// build: compute_80 compute_100 -fmad=true -lineinfo
// Matrix products: as one writes them, by tiles, through a pipeline of asynchronous copies; and
// transposes.

template <typename T, typename S> __device__ void naive(const T *a, const T *b, S *c, int n)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    S sum = 0;

    if (row >= n || column >= n)
        return;
    for (int k = 0; k < n; k++)
        sum += (S) a[row * n + k] * (S) b[k * n + column];
    c[row * n + column] = sum;
}

extern "C" __global__ void matmul_naive_f32(const float *a, const float *b, float *c, int n)
{
    naive(a, b, c, n);
}

extern "C" __global__ void matmul_naive_f64(const double *a, const double *b, double *c, int n)
{
    naive(a, b, c, n);
}

extern "C" __global__ void matmul_naive_s8(const signed char *a, const signed char *b, int *c,
                                           int n)
{
    naive(a, b, c, n);
}

#define TILE 16

extern "C" __global__ void matmul_tiled(const float *a, const float *b, float *c, int n)
{
    __shared__ float left[TILE][TILE], right[TILE][TILE + 1];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0;

    for (int tile = 0; tile < n; tile += TILE) {
        left[y][x] = row < n && tile + x < n ? a[row * n + tile + x] : 0;
        right[y][x] = column < n && tile + y < n ? b[(tile + y) * n + column] : 0;
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += left[y][k] * right[k][x];
        __syncthreads();
    }
    if (row < n && column < n)
        c[row * n + column] = sum;
}

// Four results a thread, in registers, from loads of four floats.
extern "C" __global__ void matmul_register(const float *a, const float *b, float *c, int n)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int column = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    float sum[4] = {0, 0, 0, 0};

    for (int k = 0; k < n; k++) {
        const float x = a[row * n + k];
        const float4 y = *reinterpret_cast<const float4 *>(b + k * n + column);

        sum[0] = fmaf(x, y.x, sum[0]);
        sum[1] = fmaf(x, y.y, sum[1]);
        sum[2] = fmaf(x, y.z, sum[2]);
        sum[3] = fmaf(x, y.w, sum[3]);
    }
    *reinterpret_cast<float4 *>(c + row * n + column) = make_float4(sum[0], sum[1], sum[2], sum[3]);
}

__device__ void copy_async(void *to, const void *from)
{
    asm volatile(
        "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned) __cvta_generic_to_shared(to)),
        "l"(from)
        : "memory");
}

// Tiles arrive while the ones before are multiplied.
extern "C" __global__ void matmul_pipeline(const float *a, const float *b, float *c, int n)
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
extern "C" __global__ void matmul_copies(const unsigned *a, unsigned *out, int n)
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

extern "C" __global__ void matmul_transpose(const unsigned *a, unsigned *out, int width, int height)
{
    __shared__ unsigned tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;

    for (int j = 0; j < 32; j += 8)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = a[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < height && y + j < width)
            out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}
