// SPDX-License-Identifier: MIT
// build: compute_75 compute_100
// Neighbourhoods in one, two and three dimensions; the game of life.

#define RADIUS 3

extern "C" __global__ void stencil_1d(const float *a, const float *weights, float *out, int n)
{
    __shared__ float near[128 + 2 * RADIUS];
    const int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x + RADIUS;
    float sum = 0;

    near[t] = i < n ? a[i] : 0;
    if (threadIdx.x < RADIUS) {
        near[t - RADIUS] = i >= RADIUS ? a[i - RADIUS] : 0;
        near[t + 128] = i + 128 < n ? a[i + 128] : 0;
    }
    __syncthreads();
    for (int k = -RADIUS; k <= RADIUS; k++)
        sum += near[t + k] * weights[k + RADIUS];
    if (i < n)
        out[i] = sum;
}

extern "C" __global__ void stencil_2d(const double *a, double *out, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x >= width || y >= height)
        return;
    const double *p = a + y * width + x;
    if (x == 0 || y == 0 || x == width - 1 || y == height - 1)
        out[y * width + x] = *p;
    else
        out[y * width + x] = 0.25 * (p[-1] + p[1] + p[-width] + p[width]) - *p;
}

extern "C" __global__ void stencil_3d(const float *a, float *out, int width, int height, int depth)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z * blockDim.z + threadIdx.z;

    if (x >= width || y >= height || z >= depth)
        return;
    float sum = 0;
    int n = 0;
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                const int u = x + dx, v = y + dy, w = z + dz;

                if (u < 0 || v < 0 || w < 0 || u >= width || v >= height || w >= depth)
                    continue;
                sum += a[(w * height + v) * width + u];
                n++;
            }
    out[(z * height + y) * width + x] = sum / n;
}

// Several generations in one block, on a torus.
extern "C" __global__ void stencil_life(const unsigned char *a, unsigned char *out, int rounds)
{
    __shared__ unsigned char world[2][32][32];
    const int x = threadIdx.x, y = threadIdx.y;

    world[0][y][x] = a[y * 32 + x] & 1;
    for (int round = 0; round < rounds; round++) {
        const int from = round & 1;
        int n = 0;

        __syncthreads();
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++)
                n += world[from][(y + dy) & 31][(x + dx) & 31];
        n -= world[from][y][x];
        world[1 - from][y][x] = n == 3 || (n == 2 && world[from][y][x]);
    }
    __syncthreads();
    out[y * 32 + x] = world[rounds & 1][y][x];
}
