// SPDX-License-Identifier: MIT
// build: compute_75 compute_100
// SIMD within a word: the video instructions.
typedef unsigned u32;
typedef unsigned long long u64;

// SIMD within a word.
extern "C" __global__ void video_words(const u32 *a, const u32 *b, const u32 *c, u32 *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const u32 x = a[i], y = b[i], z = c[i];

    out += i * 24;
    out[0] = __vadd4(x, y);
    out[1] = __vsub4(x, y);
    out[2] = __vaddss4(x, y);
    out[3] = __vaddus4(x, y);
    out[4] = __vabsdiffu4(x, y);
    out[5] = __vabsdiffs4(x, y);
    out[6] = __vavgu4(x, y);
    out[7] = __vmaxs4(x, y);
    out[8] = __vminu4(x, y);
    out[9] = __vcmpeq4(x, y);
    out[10] = __vcmpgts4(x, y);
    out[11] = __vsadu4(x, y);
    out[12] = __vadd2(x, y);
    out[13] = __vsubss2(x, y);
    out[14] = __vmaxu2(x, y);
    out[15] = __vneg4(x);
    asm("vadd.u32.u32.u32 %0, %1.b1, %2.h0;" : "=r"(out[16]) : "r"(x), "r"(y));
    asm("vsub.s32.s32.s32.sat %0, %1, %2;" : "=r"(out[17]) : "r"(x), "r"(y));
    asm("vabsdiff.u32.s32.s32.add %0, %1.b2, %2.b3, %3;" : "=r"(out[18]) : "r"(x), "r"(y), "r"(z));
    asm("vmax.s32.s32.s32.min %0, %1, %2.b0, %3;" : "=r"(out[19]) : "r"(x), "r"(y), "r"(z));
    asm("vshl.u32.u32.u32.wrap %0, %1, %2;" : "=r"(out[20]) : "r"(x), "r"(y));
    asm("vshr.s32.s32.u32.clamp %0, %1, %2;" : "=r"(out[21]) : "r"(x), "r"(y));
    asm("vmad.s32.s32.s32 %0, %1.h1, %2.h0, %3;" : "=r"(out[22]) : "r"(x), "r"(y), "r"(z));
    asm("vset.u32.s32.lt %0, %1.b1, %2.b1;" : "=r"(out[23]) : "r"(x), "r"(y));
}
