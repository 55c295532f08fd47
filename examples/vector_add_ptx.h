/* SPDX-License-Identifier: MIT */
/*
 * The kernel of the vector-add examples, as PTX: the driver compiles it for whatever GPU
 * there is. In CUDA C++ it reads
 *
 *     extern "C" __global__ void vector_add(const float *a, const float *b, float *c, unsigned n)
 *     {
 *         unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
 *         if (i < n)
 *             c[i] = a[i] + b[i];
 *     }
 */
#ifndef VECTOR_ADD_PTX_H
#define VECTOR_ADD_PTX_H

static const char vector_add_ptx[] = ".version 6.4\n"
                                     ".target sm_50\n"
                                     ".address_size 64\n"
                                     "\n"
                                     ".visible .entry vector_add(\n"
                                     "    .param .u64 a,\n"
                                     "    .param .u64 b,\n"
                                     "    .param .u64 c,\n"
                                     "    .param .u32 n\n"
                                     ")\n"
                                     "{\n"
                                     "    .reg .pred %outside;\n"
                                     "    .reg .b32 %block, %size, %thread, %i, %count;\n"
                                     "    .reg .b64 %pa, %pb, %pc, %offset;\n"
                                     "    .reg .f32 %x, %y;\n"
                                     "\n"
                                     "    ld.param.u32 %count, [n];\n"
                                     "    mov.u32 %block, %ctaid.x;\n"
                                     "    mov.u32 %size, %ntid.x;\n"
                                     "    mov.u32 %thread, %tid.x;\n"
                                     "    mad.lo.u32 %i, %block, %size, %thread;\n"
                                     "    setp.ge.u32 %outside, %i, %count;\n"
                                     "    @%outside bra DONE;\n"
                                     "\n"
                                     "    ld.param.u64 %pa, [a];\n"
                                     "    ld.param.u64 %pb, [b];\n"
                                     "    ld.param.u64 %pc, [c];\n"
                                     "    mul.wide.u32 %offset, %i, 4;\n"
                                     "    add.u64 %pa, %pa, %offset;\n"
                                     "    add.u64 %pb, %pb, %offset;\n"
                                     "    add.u64 %pc, %pc, %offset;\n"
                                     "    ld.global.f32 %x, [%pa];\n"
                                     "    ld.global.f32 %y, [%pb];\n"
                                     "    add.rn.f32 %x, %x, %y;\n"
                                     "    st.global.f32 [%pc], %x;\n"
                                     "DONE:\n"
                                     "    ret;\n"
                                     "}\n";

#endif
