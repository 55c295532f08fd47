/* SPDX-License-Identifier: MIT */
/* The kernels of the tests of operations. */
#ifndef CUSHIM_TESTS_ASYNC_KERNELS_H
#define CUSHIM_TESTS_ASYNC_KERNELS_H

/*
 * add(x, value, n): x[i] += value. sum(to, a, b, n): to[i] = a[i] + b[i]. fault(x, n): traps.
 * tile(x, n): each block writes its number to the 64 elements of its tile.
 */
#define INDEX                                                                                      \
    "  .reg .pred %end;\n"                                                                         \
    "  .reg .b32 %r<5>;\n"                                                                         \
    "  .reg .b64 %d<7>;\n"                                                                         \
    "  .reg .f32 %f<4>;\n"                                                                         \
    "  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x;\n"                        \
    "  mad.lo.u32 %r3, %r0, %r1, %r2;\n"                                                           \
    "  ld.param.u32 %r4, [n];\n"                                                                   \
    "  setp.ge.u32 %end, %r3, %r4;\n"                                                              \
    "  @%end ret;\n"

static const char kernels_ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry add(.param .u64 x, .param .f32 value, .param .u32 n)\n{\n" INDEX
    "  ld.param.u64 %d0, [x];\n"
    "  mad.wide.u32 %d1, %r3, 4, %d0;\n"
    "  ld.param.f32 %f0, [value];\n"
    "  ld.global.f32 %f1, [%d1];\n"
    "  add.f32 %f1, %f1, %f0;\n"
    "  st.global.f32 [%d1], %f1;\n"
    "  ret;\n}\n"
    ".visible .entry sum(.param .u64 to, .param .u64 a, .param .u64 b, .param .u32 n)\n{\n" INDEX
    "  ld.param.u64 %d0, [a]; ld.param.u64 %d1, [b]; ld.param.u64 %d2, [to];\n"
    "  mad.wide.u32 %d3, %r3, 4, %d0;\n"
    "  mad.wide.u32 %d4, %r3, 4, %d1;\n"
    "  mad.wide.u32 %d5, %r3, 4, %d2;\n"
    "  ld.global.f32 %f0, [%d3]; ld.global.f32 %f1, [%d4];\n"
    "  add.f32 %f2, %f0, %f1;\n"
    "  st.global.f32 [%d5], %f2;\n"
    "  ret;\n}\n"
    ".visible .entry tile(.param .u64 x, .param .u32 n)\n{\n" INDEX "  ld.param.u64 %d0, [x];\n"
    "  mad.wide.u32 %d1, %r3, 4, %d0;\n"
    "  cvt.rn.f32.u32 %f0, %r0;\n"
    "  st.global.f32 [%d1], %f0;\n"
    "  ret;\n}\n"
    ".visible .entry fault(.param .u64 x, .param .u32 n) { trap; ret; }\n";

#endif
