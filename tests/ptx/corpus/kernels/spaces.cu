// SPDX-License-Identifier: MIT
// build: compute_75 compute_90
// Which space an address is in.

struct many {
    int x[8];
};

__device__ int global_variable;
__constant__ int constant_variable[4] = {1, 2, 3, 4};

__device__ __noinline__ unsigned kinds(const void *x)
{
    unsigned all = __isGlobal(x) | __isShared(x) << 1 | __isLocal(x) << 2 | __isConstant(x) << 3 |
                   __isGridConstant(x) << 4;

#if __CUDA_ARCH__ >= 900
    all |= __isCtaShared(x) << 1 | __isClusterShared(x) << 1;
#endif
    return all;
}

extern "C" __global__ void spaces_kinds(const unsigned *a, unsigned *out, const __grid_constant__ many p)
{
    __shared__ int near[64];
    extern __shared__ int more[];
    volatile int own[4];
    const int t = threadIdx.x;

    own[t & 3] = near[t] = more[t] = a[t];
    out += 12 * t;
    out[0] = kinds(a + t);
    out[1] = kinds(&global_variable);
    out[2] = kinds(&constant_variable[t & 3]);
    out[3] = kinds(&near[t]);
    out[4] = kinds(&more[t]);
    out[5] = kinds((const void *) &own[t & 3]);
    out[6] = kinds(nullptr);
    out[7] = kinds(&p.x[t & 7]);
    out[8] = kinds((const void *) 4096);
    out[9] = kinds((const void *) -1);
    out[10] = *(int *) __cvta_shared_to_generic(__cvta_generic_to_shared(&near[t])) == (int) a[t];
    out[11] = *(int *) __cvta_local_to_generic(__cvta_generic_to_local((const void *) &own[t & 3])) == (int) a[t];
}

// Loads, stores and atomics of addresses whose space differs from lane to lane.
extern "C" __global__ void spaces_mixed(const unsigned *a, unsigned *out)
{
    __shared__ unsigned near[64];
    unsigned own[4] = {1, 2, 3, 4};
    const int t = threadIdx.x;

    near[t] = a[t];
    __syncthreads();
    out += 4 * t;
    unsigned *const places[] = {out, &near[t], &own[t & 3], &own[0]};
    unsigned *const at = places[a[t] % 3];
    const unsigned *const from[] = {&a[t], &near[63 - t], &own[t & 3], (unsigned *) constant_variable};
    const unsigned *const source = from[a[t] / 3 % 4];

    const unsigned value = *source * 5 + 1;

    __syncthreads();
    *at = value;
    if (a[t] % 3 < 2)
        atomicAdd(at, 7u);
    __syncthreads();
    out[1] = *at;
    out[2] = near[t];
    out[3] = own[t & 3];
}
