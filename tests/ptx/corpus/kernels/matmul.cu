// SPDX-License-Identifier: MIT
// build: compute_80 compute_100 -fmad=true -lineinfo
// Matrix products, as one writes them and by tiles, and transposes.

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
