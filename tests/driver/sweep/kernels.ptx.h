/* SPDX-License-Identifier: MIT */
/* The module of the questions. */
#ifndef CUSHIM_TESTS_DRIVER_SWEEP_KERNELS_PTX_H
#define CUSHIM_TESTS_DRIVER_SWEEP_KERNELS_PTX_H

/* clang-format off */
#define KERNELS(version, target)                                                                   \
    ".version " version "\n.target " target "\n.address_size 64\n"                                 \
    ".visible .global .align 4 .b8 gvar[16];\n"                                                    \
    ".visible .const .align 4 .b8 cvar[8];\n"                                                      \
    ".visible .global .attribute(.managed) .align 4 .b8 mvar[16];\n"                               \
    ".visible .global .texref tex;\n"                                                              \
    ".visible .global .surfref surf;\n"                                                            \
    /* p[0] = v */                                                                                 \
    ".visible .entry store(.param .u64 p, .param .u32 v){\n"                                       \
    "  .reg .b32 %r<2>; .reg .b64 %rd<3>;\n"                                                       \
    "  ld.param.u64 %rd1,[p]; ld.param.u32 %r1,[v];\n"                                             \
    "  cvta.to.global.u64 %rd2,%rd1; st.global.u32 [%rd2],%r1; ret;\n}\n"                          \
    ".visible .entry oob(.param .u64 p){\n"                                                        \
    "  .reg .b64 %rd<3>; .reg .b32 %r<2>;\n"                                                       \
    "  ld.param.u64 %rd1,[p]; mov.u32 %r1,7; st.global.u32 [%rd1],%r1; ret;\n}\n"                  \
    ".visible .entry nop(){ ret; }\n"
/* clang-format on */

#endif
