/* SPDX-License-Identifier: MIT */
/* The kernels that the groups launch; plug_in.c has the same ones as functions of the host. */
#ifndef CUSHIM_TESTS_DRIVER_KERNELS_PTX_H
#define CUSHIM_TESTS_DRIVER_KERNELS_PTX_H

/* clang-format off */
static const char kernels_ptx[] =
    ".version 6.4\n"
    ".target sm_52\n"
    ".address_size 64\n"
    ".global .align 4 .b8 gvar[16];\n"
    ".const .align 4 .b8 cvar[8];\n"

    /* p[i] += v for i below n */
    ".visible .entry addk(.param .u64 p, .param .u32 v, .param .u32 n){\n"
    "  .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<4>;\n"
    "  ld.param.u64 %rd1,[p]; ld.param.u32 %r1,[v]; ld.param.u32 %r2,[n];\n"
    "  mov.u32 %r3,%ctaid.x; mov.u32 %r4,%ntid.x; mov.u32 %r5,%tid.x;\n"
    "  mad.lo.s32 %r6,%r3,%r4,%r5;\n"
    "  setp.ge.u32 %p1,%r6,%r2; @%p1 bra DONE;\n"
    "  cvta.to.global.u64 %rd1,%rd1; mul.wide.u32 %rd2,%r6,4; add.s64 %rd3,%rd1,%rd2;\n"
    "  ld.global.u32 %r7,[%rd3]; add.u32 %r7,%r7,%r1; st.global.u32 [%rd3],%r7;\n"
    "DONE: ret;\n}\n"

    /* takes so many nanoseconds */
    ".visible .entry spin(.param .u64 ns){\n"
    "  .reg .pred %p<2>; .reg .b64 %rd<5>;\n"
    "  ld.param.u64 %rd1,[ns]; mov.u64 %rd2,%globaltimer;\n"
    "L: mov.u64 %rd3,%globaltimer; sub.u64 %rd4,%rd3,%rd2;\n"
    "  setp.lt.u64 %p1,%rd4,%rd1; @%p1 bra L; ret;\n}\n"

    /* writes to p, wherever that is */
    ".visible .entry oob(.param .u64 p){\n"
    "  .reg .b64 %rd<3>; .reg .b32 %r<2>;\n"
    "  ld.param.u64 %rd1,[p]; mov.u32 %r1,7; st.global.u32 [%rd1],%r1; ret;\n}\n"

    ".visible .entry trapk(){ trap; }\n"
    ".visible .entry nop(){ ret; }\n"

    ".visible .entry smem(){\n"
    "  .shared .align 4 .b8 s[1024]; .reg .b32 %r<2>;\n"
    "  mov.u32 %r1,1; st.shared.u32 [s],%r1; ret; }\n"

    /* q[0] is the third of p, q[1] is c */
    ".visible .entry st16(.param .align 4 .b8 p[12], .param .u8 c, .param .u64 q){\n"
    "  .reg .b64 %rd<2>; .reg .b32 %r<3>; .reg .u16 %h<2>;\n"
    "  ld.param.u64 %rd1,[q]; ld.param.u32 %r1,[p+8]; st.global.u32 [%rd1],%r1;\n"
    "  ld.param.u8 %h1,[c]; cvt.u32.u16 %r2,%h1; st.global.u32 [%rd1+4],%r2; ret;\n}\n";
/* clang-format on */

#endif
