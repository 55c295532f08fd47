/* SPDX-License-Identifier: MIT */
/*
 * The kernels of the examples of operations, as PTX. In CUDA C++ they read
 *
 *     saxpy(float a, const float *x, float *y, size_t n)      y[i] = a * x[i] + y[i]
 *     gate(const float *h, float *x, size_t n)                x[i] = h[i] > 0 ? x[i] : 0
 *     product(const float *a, const float *b, float *c, struct shape s)
 *         c[row * s.columns + column] = the sum of a[row * s.a_row + k * s.a_column] *
 *         b[k * s.b_row + column * s.b_column] over all k < s.inner
 *
 * Each thread computes one element: threads of product() are in x and y.
 */
#ifndef OP_KERNELS_H
#define OP_KERNELS_H

/* c has so many rows and columns. The others are distances of elements: transposing swaps two. */
struct shape {
    unsigned rows, columns, inner, a_row, a_column, b_row, b_column;
};

/* The thread's number in %i, and the end of threads that are too many. */
#define OP_KERNELS_INDEX                                                                           \
    "  .reg .pred %p; .reg .u32 %b, %s, %t; .reg .u64 %i, %n, %x, %y; .reg .f32 %a, %u, %v;\n"     \
    "  ld.param.u64 %n, [n]; mov.u32 %b, %ctaid.x; mov.u32 %s, %ntid.x; mov.u32 %t, %tid.x;\n"     \
    "  mul.wide.u32 %i, %b, %s; cvt.u64.u32 %x, %t; add.u64 %i, %i, %x;\n"                         \
    "  setp.ge.u64 %p, %i, %n; @%p ret;\n"                                                         \
    "  shl.b64 %i, %i, 2;\n"

static const char op_kernels_ptx[] =
    ".version 6.4\n.target sm_50\n.address_size 64\n"
    ".visible .entry saxpy(.param .f32 a, .param .u64 x, .param .u64 y, .param .u64 n)\n"
    "{\n" OP_KERNELS_INDEX "  ld.param.f32 %a, [a]; ld.param.u64 %x, [x]; ld.param.u64 %y, [y];\n"
    "  add.u64 %x, %x, %i; add.u64 %y, %y, %i;\n"
    "  ld.global.f32 %u, [%x]; ld.global.f32 %v, [%y];\n"
    "  fma.rn.f32 %v, %a, %u, %v; st.global.f32 [%y], %v;\n  ret;\n}\n"

    ".visible .entry gate(.param .u64 h, .param .u64 x, .param .u64 n)\n"
    "{\n" OP_KERNELS_INDEX "  ld.param.u64 %x, [h]; ld.param.u64 %y, [x];\n"
    "  add.u64 %x, %x, %i; add.u64 %y, %y, %i;\n"
    "  ld.global.f32 %u, [%x]; ld.global.f32 %v, [%y];\n"
    "  setp.gt.f32 %p, %u, 0f00000000; selp.f32 %v, %v, 0f00000000, %p;\n"
    "  st.global.f32 [%y], %v;\n  ret;\n}\n"

    ".visible .entry product(.param .u64 a, .param .u64 b, .param .u64 c,\n"
    "                        .param .align 4 .b8 s[28])\n{\n"
    "  .reg .pred %p; .reg .u32 %i, %j, %k, %t, %u, %rows, %columns, %inner;\n"
    "  .reg .u32 %arow, %acolumn, %brow, %bcolumn; .reg .u64 %a, %b, %c, %d;\n"
    "  .reg .f32 %x, %y, %sum;\n"
    "  mov.u32 %t, %ctaid.x; mov.u32 %u, %ntid.x; mov.u32 %j, %tid.x; mad.lo.u32 %j, %t, %u, %j;\n"
    "  mov.u32 %t, %ctaid.y; mov.u32 %u, %ntid.y; mov.u32 %i, %tid.y; mad.lo.u32 %i, %t, %u, %i;\n"
    "  ld.param.u32 %rows, [s]; ld.param.u32 %columns, [s+4]; ld.param.u32 %inner, [s+8];\n"
    "  ld.param.u32 %arow, [s+12]; ld.param.u32 %acolumn, [s+16];\n"
    "  ld.param.u32 %brow, [s+20]; ld.param.u32 %bcolumn, [s+24];\n"
    "  setp.ge.u32 %p, %i, %rows; @%p ret;\n"
    "  setp.ge.u32 %p, %j, %columns; @%p ret;\n"
    "  ld.param.u64 %a, [a]; ld.param.u64 %b, [b]; ld.param.u64 %c, [c];\n"
    "  mov.f32 %sum, 0f00000000; mov.u32 %k, 0;\n"
    "NEXT:\n"
    "  setp.ge.u32 %p, %k, %inner; @%p bra DONE;\n"
    "  mul.lo.u32 %t, %i, %arow; mad.lo.u32 %t, %k, %acolumn, %t; mad.wide.u32 %d, %t, 4, %a;\n"
    "  ld.global.f32 %x, [%d];\n"
    "  mul.lo.u32 %t, %k, %brow; mad.lo.u32 %t, %j, %bcolumn, %t; mad.wide.u32 %d, %t, 4, %b;\n"
    "  ld.global.f32 %y, [%d];\n"
    "  fma.rn.f32 %sum, %x, %y, %sum; add.u32 %k, %k, 1; bra NEXT;\n"
    "DONE:\n"
    "  mad.lo.u32 %t, %i, %columns, %j; mad.wide.u32 %d, %t, 4, %c; st.global.f32 [%d], %sum;\n"
    "  ret;\n}\n";

#endif
