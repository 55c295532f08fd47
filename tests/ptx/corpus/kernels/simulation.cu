// SPDX-License-Identifier: MIT
// build: compute_75 compute_100
// Random numbers, bodies, fractals, sparse matrices and graphs.

typedef unsigned u32;
typedef unsigned long long u64;

__device__ u32 xorshift(u32 &state)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

__device__ uint4 philox(uint4 counter, uint2 key)
{
    for (int round = 0; round < 10; round++) {
        const u64 p = (u64) 0xd2511f53u * counter.x, q = (u64) 0xcd9e8d57u * counter.z;

        counter = make_uint4((u32) (q >> 32) ^ counter.y ^ key.x, (u32) q,
                             (u32) (p >> 32) ^ counter.w ^ key.y, (u32) p);
        key.x += 0x9e3779b9u;
        key.y += 0xbb67ae85u;
    }
    return counter;
}

extern "C" __global__ void simulation_random(const u32 *seeds, u32 *out, double *uniform)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    u32 state = seeds[i] | 1;
    u64 pcg = seeds[i], weyl = 0;

    for (int k = 0; k < 10; k++)
        xorshift(state);
    out[6 * i] = state;
    const uint4 p = philox(make_uint4(i, 1, 2, 3), make_uint2(seeds[i], 77));
    out[6 * i + 1] = p.x;
    out[6 * i + 2] = p.y ^ p.z;
    out[6 * i + 3] = p.w;
    for (int k = 0; k < 5; k++)
        pcg = pcg * 6364136223846793005ull + 1442695040888963407ull;
    const u32 folded = (u32) (((pcg >> 18) ^ pcg) >> 27), turn = pcg >> 59;
    out[6 * i + 4] = __funnelshift_r(folded, folded, turn);
    for (int k = 0; k < 5; k++)
        weyl = (weyl + 0x61c8864680b583ebull) * (pcg | 1);
    out[6 * i + 5] = (u32) (weyl >> 32);
    uniform[i] = (pcg >> 11) * 0x1p-53;
}

// How many of a thread's points lie within the circle.
extern "C" __global__ void simulation_pi(u32 *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    u32 state = i * 2654435761u + 12345, hits = 0;

    for (int k = 0; k < n; k++) {
        const float x = (xorshift(state) >> 8) * 0x1p-24f, y = (xorshift(state) >> 8) * 0x1p-24f;

        hits += __fadd_rn(__fmul_rn(x, x), __fmul_rn(y, y)) < 1;
    }
    atomicAdd(out, hits);
}

// Forces among bodies, by tiles; one step.
extern "C" __global__ void simulation_bodies(const double *a, double *out, int n)
{
    __shared__ double tile[64][4];
    const int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
    const double x = a[4 * i], y = a[4 * i + 1], z = a[4 * i + 2];
    double fx = 0, fy = 0, fz = 0;

    for (int from = 0; from < n; from += 64) {
        for (int k = 0; k < 4; k++)
            tile[t][k] = a[4 * (from + t) + k];
        __syncthreads();
        for (int j = 0; j < 64; j++) {
            const double dx = tile[j][0] - x, dy = tile[j][1] - y, dz = tile[j][2] - z;
            const double squared = dx * dx + dy * dy + dz * dz + 0.01;
            const double force = tile[j][3] / (squared * sqrt(squared));

            fx += dx * force;
            fy += dy * force;
            fz += dz * force;
        }
        __syncthreads();
    }
    out[3 * i] = fx;
    out[3 * i + 1] = fy;
    out[3 * i + 2] = fz;
}

extern "C" __global__ void simulation_mandelbrot(unsigned short *out, int width, int height)
{
    const int px = blockIdx.x * blockDim.x + threadIdx.x;
    const int py = blockIdx.y * blockDim.y + threadIdx.y;

    if (px >= width || py >= height)
        return;
    const float cx = -2.2f + px * 3.0f / width, cy = -1.3f + py * 2.6f / height;
    float x = 0, y = 0;
    int n = 0;
    while (n < 200 && x * x + y * y <= 4) {
        const float next = x * x - y * y + cx;

        y = 2 * x * y + cy;
        x = next;
        n++;
    }
    out[py * width + px] = n;
}

// y = A x, a warp a row. The columns and values come from the row's number.
extern "C" __global__ void simulation_sparse(const u32 *starts, const u32 *columns,
                                             const double *values, const double *x, double *y,
                                             int rows)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;

    if (row >= rows)
        return;
    const u32 from = min(starts[row], starts[row + 1]), to = max(starts[row], starts[row + 1]);
    double sum = 0;
    for (u32 k = from + lane; k < to; k += 32)
        sum += values[k] * x[columns[k]];
    for (int mask = 16; mask > 0; mask /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, mask);
    if (lane == 0)
        y[row] = sum;
}

// Distances from node 0, level by level, within one block. Each node has four edges.
extern "C" __global__ void simulation_breadth(const u32 *edges, int *distance, int n)
{
    __shared__ int frontier[2][256], counts[2];
    const int t = threadIdx.x;

    for (int i = t; i < n; i += blockDim.x)
        distance[i] = i == 0 ? 0 : -1;
    if (t == 0) {
        frontier[0][0] = 0;
        counts[0] = 1;
    }
    for (int level = 0;; level++) {
        const int now = level & 1;

        if (t == 0)
            counts[1 - now] = 0;
        __syncthreads();
        if (counts[now] == 0)
            break;
        for (int k = t; k < counts[now] * 4; k += blockDim.x) {
            const int to = edges[frontier[now][k / 4] * 4 + k % 4];

            if (atomicCAS(&distance[to], -1, level + 1) == -1)
                frontier[1 - now][atomicAdd(&counts[1 - now], 1)] = to;
        }
        __syncthreads();
    }
}
