// SPDX-License-Identifier: MIT
// build: compute_80 compute_100 -lineinfo
// What the lanes of a warp do together.

typedef unsigned u32;
#define ALL 0xffffffffu

extern "C" __global__ void warp_shuffle(const u32 *a, const float *b, const double *c, u32 *out,
                                        double *wide)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    const u32 x = a[i];

    out += 12 * i;
    out[0] = __shfl_sync(ALL, x, 5);
    out[1] = __shfl_sync(ALL, x, (lane * 7) % 32);
    out[2] = __shfl_sync(ALL, x, lane + 3, 8);
    out[3] = __shfl_up_sync(ALL, x, 1);
    out[4] = __shfl_up_sync(ALL, x, 3, 16);
    out[5] = __shfl_down_sync(ALL, x, 2);
    out[6] = __shfl_down_sync(ALL, x, 5, 8);
    out[7] = __shfl_xor_sync(ALL, x, 9);
    out[8] = __shfl_xor_sync(ALL, x, 17, 16);
    out[9] = __float_as_uint(__shfl_xor_sync(ALL, b[i], 1));
    out[10] =
        lane < 16 ? __shfl_sync(0x0000ffff, x, 15 - lane) : __shfl_sync(0xffff0000, x, 47 - lane);
    out[11] = 0;
    if (lane % 3 == 0) // 11 lanes, that read one of them
        out[11] = __shfl_sync(0x49249249, x, 9);
    wide[2 * i] = __shfl_down_sync(ALL, c[i], 4);
    wide[2 * i + 1] = (double) __shfl_up_sync(ALL, (long long) a[i] << 20, 7);
}

extern "C" __global__ void warp_vote(const u32 *a, u32 *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    const u32 x = a[i];

    out += 12 * i;
    out[0] = __all_sync(ALL, x > 2);
    out[1] = __any_sync(ALL, x > 0xf0000000);
    out[2] = __ballot_sync(ALL, x & 1);
    out[3] = __match_any_sync(ALL, x & 3);
    int uniform;
    out[4] = __match_all_sync(ALL, x >> 31, &uniform);
    out[5] = uniform;
    out[6] = 0;
    if (x & 1)
        out[6] = __popc(__activemask()) <= 32;
    else if (lane % 2)
        out[6] = 2;
    __syncwarp();
    out[7] = lane < 20 ? __ballot_sync(0xfffff, x & 2) : 7;
    __syncwarp();
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(out[8]));
    asm("mov.u32 %0, %%lanemask_ge;" : "=r"(out[9]));
    asm("{ .reg .pred p, q; setp.gt.u32 p, %1, 100; vote.sync.uni.pred q, p, -1; "
        "selp.u32 %0, 1, 0, q; }"
        : "=r"(out[10])
        : "r"(x));
    out[11] = (u32) __match_any_sync(ALL, (unsigned long long) (x & 1) << 40);
}

extern "C" __global__ void warp_reduce(const u32 *a, u32 *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    const u32 x = a[i];

    out += 10 * i;
    out[0] = __reduce_add_sync(ALL, x);
    out[1] = __reduce_min_sync(ALL, x);
    out[2] = __reduce_max_sync(ALL, x);
    out[3] = __reduce_and_sync(ALL, x | 0xff);
    out[4] = __reduce_or_sync(ALL, x & 0xff00);
    out[5] = __reduce_xor_sync(ALL, x);
    out[6] = __reduce_min_sync(ALL, (int) x);
    out[7] = __reduce_max_sync(ALL, (int) x);
    out[8] = lane & 1 ? __reduce_add_sync(0xaaaaaaaa, x) : __reduce_max_sync(0x55555555, x);
    out[9] = lane < 4 ? __reduce_add_sync(0xf, 1u) : 0;
}

// The quarters of a warp, each by itself, in the same instructions.
extern "C" __global__ void warp_quarters(const u32 *a, u32 *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    const u32 x = a[i], quarter = 0xffu << (lane & 24);

    out += 7 * i;
    out[0] = __ballot_sync(quarter, x & 1);
    out[1] = __any_sync(quarter, x % 3 == 0);
    out[2] = __all_sync(quarter, x > 1);
    out[3] = __match_any_sync(quarter, x & 1);
    out[4] = __reduce_add_sync(quarter, x);
    out[5] = __reduce_max_sync(quarter, x);
    out[6] = __shfl_sync(quarter, x, 3, 8);
}
