// SPDX-License-Identifier: MIT
// build: compute_75 compute_100
// Bit intrinsics, byte permutation, dot products of bytes, and instructions without an
// operator in C++.

typedef unsigned u32;
typedef unsigned long long u64;

extern "C" __global__ void bits_intrinsics(const u32 *a, const u32 *b, const u32 *c, u32 *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const u32 x = a[i], y = b[i], z = c[i];

    out += i * 22;
    out[0] = __popc(x);
    out[1] = __clz(x);
    out[2] = __ffs(x);
    out[3] = __brev(x);
    out[4] = __byte_perm(x, y, z);
    out[5] = __funnelshift_l(x, y, z);
    out[6] = __funnelshift_r(x, y, z);
    out[7] = __funnelshift_lc(x, y, z);
    out[8] = __funnelshift_rc(x, y, z);
    out[9] = __sad((int) x, (int) y, z);
    out[10] = __usad(x, y, z);
    out[11] = __mul24((int) x, (int) y);
    out[12] = __umul24(x, y);
    out[13] = __hadd((int) x, (int) y);
    out[14] = __rhadd((int) x, (int) y);
    out[15] = __uhadd(x, y);
    out[16] = __urhadd(x, y);
    out[17] = __fns(x, y & 31, (int) (z % 9) - 4);
    out[18] = __dp4a((int) x, (int) y, (int) z);
    out[19] = __dp4a(x, y, z);
    out[20] = __dp2a_lo((int) x, (int) y, (int) z);
    out[21] = __dp2a_hi(x, y, z);
}

extern "C" __global__ void bits_64(const u64 *a, const u64 *b, u64 *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const u64 x = a[i], y = b[i];

    out += i * 8;
    out[0] = __popcll(x);
    out[1] = __clzll(x);
    out[2] = __ffsll(x);
    out[3] = __brevll(x);
    asm("bfe.u64 %0, %1, %2, %3;" : "=l"(out[4]) : "l"(x), "r"((u32) y), "r"((u32) (y >> 8)));
    asm("bfe.s64 %0, %1, %2, %3;" : "=l"(out[5]) : "l"(x), "r"((u32) y), "r"((u32) (y >> 8)));
    asm("bfi.b64 %0, %1, %2, %3, %4;"
        : "=l"(out[6])
        : "l"(x), "l"(y), "r"((u32) y), "r"((u32) (x >> 8)));
    asm("{ .reg .u32 r; bfind.s64 r, %1; cvt.u64.u32 %0, r; }" : "=l"(out[7]) : "l"(x));
}

#define ASM3(n, text) asm(text " %0, %1, %2, %3;" : "=r"(out[n]) : "r"(x), "r"(y), "r"(z))
#define ASM2(n, text) asm(text " %0, %1, %2;" : "=r"(out[n]) : "r"(x), "r"(y))
#define ASM1(n, text) asm(text " %0, %1;" : "=r"(out[n]) : "r"(x))

extern "C" __global__ void bits_instructions(const u32 *a, const u32 *b, const u32 *c, u32 *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const u32 x = a[i], y = b[i], z = c[i];

    out += i * 24;
    ASM3(0, "bfe.u32");
    ASM3(1, "bfe.s32");
    asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(out[2]) : "r"(x), "r"(y), "r"(z), "r"(x >> 16));
    ASM1(3, "bfind.u32");
    ASM1(4, "bfind.s32");
    ASM1(5, "bfind.shiftamt.u32");
    ASM3(6, "prmt.b32.f4e");
    ASM3(7, "prmt.b32.b4e");
    ASM3(8, "prmt.b32.rc8");
    ASM3(9, "prmt.b32.ecl");
    ASM3(10, "prmt.b32.ecr");
    ASM3(11, "prmt.b32.rc16");
    asm("lop3.b32 %0, %1, %2, %3, 0xca;" : "=r"(out[12]) : "r"(x), "r"(y), "r"(z));
    asm("lop3.b32 %0, %1, %2, %3, 0x17;" : "=r"(out[13]) : "r"(x), "r"(y), "r"(z));
    ASM1(14, "cnot.b32");
    ASM2(15, "bmsk.clamp.b32");
    ASM2(16, "bmsk.wrap.b32");
    ASM2(17, "szext.clamp.u32");
    ASM2(18, "szext.wrap.s32");
    ASM3(19, "mad24.lo.s32");
    ASM3(20, "mad24.hi.u32");
    asm("add.sat.s32 %0, %1, %2;" : "=r"(out[21]) : "r"(x), "r"(y));
    asm("sub.sat.s32 %0, %1, %2;" : "=r"(out[22]) : "r"(x), "r"(y));
    asm("slct.u32.s32 %0, %1, %2, %3;" : "=r"(out[23]) : "r"(x), "r"(y), "r"(z));
}

// 256-bit sums, differences and products: chains of carries.
extern "C" __global__ void bits_carry(const u32 *a, const u32 *b, u32 *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    u32 s[4], d[4], p[4];

    a += 4 * i;
    b += 4 * i;
    asm("add.cc.u32 %0, %4, %8; addc.cc.u32 %1, %5, %9; addc.cc.u32 %2, %6, %10; addc.u32 %3, %7, "
        "%11;"
        : "=&r"(s[0]), "=&r"(s[1]), "=&r"(s[2]), "=&r"(s[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]));
    asm("sub.cc.u32 %0, %4, %8; subc.cc.u32 %1, %5, %9; subc.cc.u32 %2, %6, %10; subc.u32 %3, %7, "
        "%11;"
        : "=&r"(d[0]), "=&r"(d[1]), "=&r"(d[2]), "=&r"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]));
    asm("mul.lo.u32 %0, %4, %6; mul.hi.u32 %1, %4, %6; mad.lo.cc.u32 %1, %5, %6, %1; "
        "madc.hi.u32 %2, %5, %6, 0; mad.lo.cc.u32 %1, %4, %7, %1; madc.hi.cc.u32 %2, %4, %7, %2; "
        "addc.u32 %3, 0, 0; mad.lo.cc.u32 %2, %5, %7, %2; madc.hi.u32 %3, %5, %7, %3;"
        : "=&r"(p[0]), "=&r"(p[1]), "=&r"(p[2]), "=&r"(p[3])
        : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]));
    for (int j = 0; j < 4; j++) {
        out[12 * i + j] = s[j];
        out[12 * i + 4 + j] = d[j];
        out[12 * i + 8 + j] = p[j];
    }
}