// SPDX-License-Identifier: MIT
// The kernels of the benchmark, in what CUDA C++ and OpenCL C have in common. Each takes memory a, b
// and c, and a size; problems.c says which grid it has. The macros on top are for the one or the other.
#ifdef __OPENCL_VERSION__
#define KERNEL(name) __kernel void name(GLOBAL float *a, GLOBAL float *b, GLOBAL float *c, int n)
#define GLOBAL       __global
#define SHARED       __local
#define MEET()       barrier(CLK_LOCAL_MEM_FENCE)
#define THREAD(axis) ((int) get_local_id(axis))
#define BLOCK(axis)  ((int) get_group_id(axis))
#define THREADS(axis) ((int) get_local_size(axis))
#define BLOCKS(axis) ((int) get_num_groups(axis))
#define ADD(p, x)    atomic_add(p, x)
#define OR(p, x)     atomic_or(p, x)
#define BITS(x)      popcount(x)
#define EXP2(x)      exp2(x)
#define SCRATCH(rows) __local float scratch[rows][32]
// A warp is a row of the block here, and it meets with the others.
#define OTHER(ret, x, apart)                                    \
    do {                                                        \
        MEET();                                                 \
        scratch[THREAD(1)][THREAD(0)] = x;                      \
        MEET();                                                 \
        ret = scratch[THREAD(1)][THREAD(0) ^ apart];            \
    } while (0)
typedef uint word;
#else
#define KERNEL(name) extern "C" __global__ void name(float *a, float *b, float *c, int n)
#define GLOBAL
#define SHARED       __shared__
#define MEET()       __syncthreads()
#define AXIS(v, axis) ((int) ((axis) == 0 ? v.x : (axis) == 1 ? v.y : v.z))
#define THREAD(axis) AXIS(threadIdx, axis)
#define BLOCK(axis)  AXIS(blockIdx, axis)
#define THREADS(axis) AXIS(blockDim, axis)
#define BLOCKS(axis) AXIS(gridDim, axis)
#define ADD(p, x)    atomicAdd(p, x)
#define OR(p, x)     atomicOr(p, x)
#define BITS(x)      __popc(x)
#define EXP2(x)      exp2f(x)
#define SCRATCH(rows)
#define OTHER(ret, x, apart) (ret = __shfl_xor_sync(0xffffffff, x, apart))
typedef unsigned word;
#endif

#define INDEX (BLOCK(0) * THREADS(0) + THREAD(0))
#define TILE  16

KERNEL(saxpy)
{
    const int i = INDEX;

    if (i < n)
        b[i] = 2 * a[i] + b[i];
}

KERNEL(naive)
{
    const int column = INDEX, row = BLOCK(1) * THREADS(1) + THREAD(1);
    float sum = 0;

    if (row >= n || column >= n)
        return;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

KERNEL(tiled)
{
    SHARED float left[TILE][TILE], right[TILE][TILE];
    const int x = THREAD(0), y = THREAD(1);
    const int column = BLOCK(0) * TILE + x, row = BLOCK(1) * TILE + y;
    float sum = 0;

    for (int tile = 0; tile < n; tile += TILE) {
        left[y][x] = a[row * n + tile + x];
        right[y][x] = b[(tile + y) * n + column];
        MEET();
        for (int k = 0; k < TILE; k++)
            sum += left[y][k] * right[k][x];
        MEET();
    }
    c[row * n + column] = sum;
}

// Four elements a thread, and a tree in shared memory. What the blocks found is added up by one more.
#define SUM(from, to)                                                       \
    SHARED float part[256];                                                 \
    const int t = THREAD(0), first = BLOCK(0) * 1024 + t;                   \
    part[t] = from[first] + from[first + 256] + from[first + 512] + from[first + 768]; \
    MEET();                                                                 \
    for (int apart = 128; apart > 0; apart /= 2) {                          \
        if (t < apart)                                                      \
            part[t] += part[t + apart];                                     \
        MEET();                                                             \
    }                                                                       \
    if (t == 0)                                                             \
        to[BLOCK(0)] = part[0];

KERNEL(sum)
{
    SUM(a, b)
}

KERNEL(sum_end)
{
    SUM(b, c)
}

KERNEL(histogram)
{
    const int i = INDEX;

    if (i < n)
        ADD((GLOBAL word *) c + (((GLOBAL word *) a)[i] >> 16 & 255), 1u);
}

KERNEL(collatz)
{
    const int i = INDEX;
    word x = (i & 1023) + 1, steps = 0;

    for (; x != 1; steps++)
        x = x % 2 ? 3 * x + 1 : x / 2;
    ((GLOBAL word *) b)[i] = steps;
}

// A warp has a row of 256.
KERNEL(softmax)
{
    SCRATCH(8);
    const int lane = THREAD(0);
    const int row = (BLOCK(0) * THREADS(1) + THREAD(1)) * 256;
    float x[8], other, most, sum = 0;

    for (int i = 0; i < 8; i++)
        x[i] = a[row + i * 32 + lane];
    most = x[0];
    for (int i = 1; i < 8; i++)
        most = x[i] > most ? x[i] : most;
    for (int apart = 16; apart > 0; apart /= 2) {
        OTHER(other, most, apart);
        most = other > most ? other : most;
    }
    for (int i = 0; i < 8; i++)
        sum += x[i] = EXP2(x[i] - most);
    for (int apart = 16; apart > 0; apart /= 2) {
        OTHER(other, sum, apart);
        sum += other;
    }
    for (int i = 0; i < 8; i++)
        b[row + i * 32 + lane] = x[i] / sum;
}

// Seven points of a cube with sides of n.
KERNEL(stencil)
{
    const int x = INDEX, y = BLOCK(1) * THREADS(1) + THREAD(1), z = BLOCK(2);
    const int i = (z * n + y) * n + x;

    if (x == 0 || y == 0 || z == 0 || x >= n - 1 || y >= n - 1 || z >= n - 1)
        return;
    b[i] = a[i - 1] + a[i + 1] + a[i - n] + a[i + n] + a[i - n * n] + a[i + n * n] - 6 * a[i];
}

// A pass of a radix sort, by four bits: how many keys of each digit a block has; where each block's
// keys of each digit go; and there they go, in their order.
#define DIGIT(key) ((key) >> 12 & 15)

KERNEL(radix_count)
{
    SHARED word counts[16];
    const int t = THREAD(0);

    if (t < 16)
        counts[t] = 0;
    MEET();
    ADD(&counts[DIGIT(((GLOBAL word *) a)[INDEX])], 1u);
    MEET();
    if (t < 16)
        ((GLOBAL word *) c)[t * BLOCKS(0) + BLOCK(0)] = counts[t];
}

// One block; each thread has a row of n counts.
KERNEL(radix_scan)
{
    SHARED word sums[1024];
    const int t = THREAD(0);
    GLOBAL word *row = (GLOBAL word *) c + t * n;
    word sum = 0;

    for (int i = 0; i < n; i++)
        sum += row[i];
    sums[t] = sum;
    MEET();
    for (int apart = 1; apart < THREADS(0); apart *= 2) {
        const word before = t >= apart ? sums[t - apart] : 0;

        MEET();
        sums[t] += before;
        MEET();
    }
    sum = sums[t] - sum;
    for (int i = 0; i < n; i++) {
        const word count = row[i];

        row[i] = sum;
        sum += count;
    }
}

KERNEL(radix_scatter)
{
    SHARED word masks[16][8];
    const int t = THREAD(0), warp = t / 32;
    const word key = ((GLOBAL word *) a)[INDEX], digit = DIGIT(key), bit = (word) 1 << t % 32;
    word to = ((GLOBAL word *) c)[digit * BLOCKS(0) + BLOCK(0)];

    if (t < 128)
        masks[t / 8][t % 8] = 0;
    MEET();
    OR(&masks[digit][warp], bit);
    MEET();
    for (int i = 0; i < warp; i++)
        to += BITS(masks[digit][i]);
    to += BITS(masks[digit][warp] & (bit - 1));
    ((GLOBAL word *) b)[to] = key;
}

// A product of bfloat16, sums of float: a by rows, b by columns. A warp has 16 by 8 elements.
KERNEL(tensor)
{
    const int lane = THREAD(0), group = lane / 4, pair = lane % 4;
    const int row = (BLOCK(1) * THREADS(1) + THREAD(1)) * 16 + group, column = BLOCK(0) * 8;
    float sum[4] = {0, 0, 0, 0};
#ifdef __OPENCL_VERSION__
    GLOBAL const ushort *left = (GLOBAL const ushort *) a, *right = (GLOBAL const ushort *) b;

    for (int k = 0; k < n; k++)
        for (int i = 0; i < 4; i++)
            sum[i] += as_float((uint) left[(row + i / 2 * 8) * n + k] << 16) *
                      as_float((uint) right[(column + pair * 2 + i % 2) * n + k] << 16);
#else
    const unsigned *left = (const unsigned *) a + row * n / 2 + pair;
    const unsigned *right = (const unsigned *) b + (column + group) * n / 2 + pair;

    for (int k = 0; k < n / 2; k += 8)
        asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
            "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
            : "r"(left[k]), "r"(left[k + 4 * n]), "r"(left[k + 4]), "r"(left[k + 4 * n + 4]),
              "r"(right[k]), "r"(right[k + 4]));
#endif
    for (int i = 0; i < 4; i++)
        c[(row + i / 2 * 8) * n + column + pair * 2 + i % 2] = sum[i];
}

// The lanes of a warp take eight ways, each with a loop of a length of its own.
KERNEL(paths)
{
    const int i = INDEX;
    word x = ((GLOBAL word *) a)[i], y = i;

    for (int step = 0; step < 16; step++) {
        const word turns = x >> 8 & 7;

        switch (x >> 29) {
        case 0:
            for (word j = 0; j < turns; j++)
                y = y * 5 + j;
            break;
        case 1:
            for (word j = 0; j < turns; j++)
                y ^= y << 3 ^ j;
            break;
        case 2:
            for (word j = 0; j < turns; j++)
                y += y >> 5 | j;
            break;
        case 3:
            y = y % 1000003;
            break;
        case 4:
            for (word j = turns; j > 0; j--)
                y = (y >> 1) + (y & j);
            break;
        case 5:
            y = ~y;
            break;
        case 6:
            for (word j = 0; j < 2 * turns; j++)
                y -= y << 7;
            break;
        default:
            if (y & 1)
                y = y * 3 + 1;
        }
        x = x * 1664525 + 1013904223;
    }
    ((GLOBAL word *) b)[i] = y;
}
