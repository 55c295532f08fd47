// SPDX-License-Identifier: MIT
// build: compute_75 compute_100 -lineinfo
// Memory of every kind: vectors, structs by value, constants, module variables, dynamic shared
// memory, local arrays.

struct big {
    int count;
    char name[12];
    double weights[100];
    unsigned short table[616];
};
static_assert(sizeof(big) == 2048, "two KiB");

extern "C" __global__ void memory_by_value(big b, const unsigned *index, double *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = b.weights[index[i] % 100] + b.table[index[i] % 616] + b.name[i % 12] + b.count;
}

// A copy that is written to cannot stay in the parameters.
extern "C" __global__ void memory_by_value_written(big b, const unsigned *index, double *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    for (int k = 0; k < 8; k++)
        b.weights[(index[i] + 7 * k) % 100] += b.table[(index[i] >> 8) % 616] + k;
    double sum = 0;
    for (int k = 0; k < 100; k++)
        sum += b.weights[k] * (k + 1);
    out[i] = sum;
}

__constant__ float coefficients[64];
__constant__ int shifts[5] = {1, 3, 5, 7, 11};

extern "C" __global__ void memory_constant(const unsigned *a, float *out, unsigned *shifted)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = coefficients[i % 64] + coefficients[a[i] % 64];
    shifted[i] = a[i] >> shifts[a[i] % 5];
}

__device__ int counters[3] = {10, 20, 30};
__device__ const char text[] = "initialised";
__device__ double zeroed[4];
__device__ float pi = 3.14159265f;
__device__ int *chosen = &counters[1];
__device__ unsigned long long mask = 0x0123456789abcdefull;
struct node {
    int value;
    const node *next;
};
__device__ node third = {3, nullptr}, second = {2, &third}, first = {1, &second};

extern "C" __global__ void memory_variables(int *out, double *wide, unsigned long long *ret_mask)
{
    int n = 0;

    for (const node *p = &first; p; p = p->next)
        out[n++] = p->value;
    out[n++] = *chosen;
    out[n++] = counters[0] + counters[2];
    for (int k = 0; k < 12; k++)
        out[n++] = text[k];
    counters[1] += 5;
    out[n++] = *chosen;
    wide[0] = zeroed[0] + zeroed[3];
    wide[1] = pi;
    *ret_mask = mask;
}

// Every width of load and store, whole and by parts.
template <typename V> __device__ void move(const void *from, void *to, int n, int i)
{
    if (i < n)
        static_cast<V *>(to)[n - 1 - i] = static_cast<const V *>(from)[i];
}

extern "C" __global__ void memory_vectors(const unsigned char *a, unsigned char *out)
{
    const int i = threadIdx.x;

    move<uchar1>(a, out, 512, i);
    move<uchar2>(a, out + 512, 256, i);
    move<uchar4>(a, out + 1024, 128, i);
    move<ushort2>(a, out + 1536, 128, i);
    move<ushort4>(a, out + 2048, 64, i);
    move<int2>(a, out + 2560, 64, i);
    move<float4>(a, out + 3072, 32, i);
    move<double2>(a, out + 3584, 32, i);
    move<ulonglong4>(a, out + 4096, 16, i);
}

extern "C" __global__ void memory_cached(const unsigned *a, unsigned *out)
{
    const int i = threadIdx.x;

    __stcg(&out[i], __ldg(&a[i]));
    __stcs(&out[128 + i], __ldcg(&a[128 + i]));
    __stwt(&out[256 + i], __ldcs(&a[256 + i]));
    *(volatile unsigned *) &out[384 + i] = *(const volatile unsigned *) &a[384 + i];
}

extern __shared__ unsigned char arena[];

// Three arrays in one piece of dynamic shared memory, whose size the launch says.
extern "C" __global__ void memory_dynamic_shared(const float *a, float *out, int n)
{
    double *wide = (double *) arena;
    float *narrow = (float *) (arena + n * sizeof(double));
    unsigned char *flags = arena + n * (sizeof(double) + sizeof(float));
    const int i = threadIdx.x;

    wide[n - 1 - i] = a[i] * 2.0;
    narrow[(i * 7) % n] = a[i];
    flags[i] = a[i] > 0;
    __syncthreads();
    out[i] = (float) wide[i] + narrow[i] + flags[(i + 1) % n];
}

// An array that a thread indexes as it likes lies in local memory.
extern "C" __global__ void memory_local(const unsigned *a, unsigned *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned place[16];

    for (int k = 0; k < 16; k++)
        place[k] = k * 0x01010101u;
    for (int k = 0; k < 64; k++) {
        const unsigned from = (a[i] >> (k % 28)) & 15, to = (a[i] >> ((k * 5) % 28)) & 15;
        const unsigned kept = place[to];

        place[to] = place[from] + k;
        place[from] = kept;
    }
    unsigned hash = 0;
    for (int k = 0; k < 16; k++)
        hash = hash * 31 + place[k];
    out[i] = hash;
}

// A generic pointer that is shared memory for some threads and global for others.
extern "C" __global__ void memory_generic(const int *a, int *out)
{
    __shared__ int near[128];
    const int i = threadIdx.x;

    near[i] = a[i] * 3;
    __syncthreads();
    const int *p = a[i] & 1 ? &near[127 - i] : &a[127 - i];
    out[i] = *p + (__isShared(p) ? 1000000 : 0) + (__isGlobal(p) ? 2000000 : 0);
}
