/* SPDX-License-Identifier: MIT */
/* Memory of a thread's own: what nothing has written in it, and where it ends. */
#include "all_instructions.h"

TestSuite(local, .timeout = 100);

#define ROOM ".local .align 16 .b8 room[64];\n"

Test(local, memory_that_nothing_has_written)
{
    EXPECT(CUDA_SUCCESS, run_text(ROOM "st.local.u32 [room], %t; ld.local.u32 %r1, [room+8]; "
                                       "st.global.u32 [%rd1], %r1;",
                                  32));
    found(CUSHIM_MOCK_UNINITIALISED_READ, "local memory at offset 8");
}

/* A part of what is read is enough, or what is beside it; so is a store by another way. */
Test(local, memory_that_is_written)
{
    EXPECT(CUDA_SUCCESS,
           run_text(ROOM
                    "mov.u64 %rd2, room; cvta.local.u64 %rd3, %rd2; st.u8 [%rd3+8], %t; "
                    "ld.local.v4.u32 {%r1, %r2, %r3, %r4}, [room]; ld.local.u8 %r5, [room+15];",
                    32));
    silent();
}

/* What an earlier call left behind is not there for the next one. */
Test(local, memory_of_a_second_call)
{
    static const char text[] =
        HEAD ".func (.reg .u32 r) f(.reg .u32 a) {.reg .pred %p; .local .u32 x; setp.eq.u32 %p, a, "
             "0; @%p st.local.u32 [x], a; ld.local.u32 r, [x]; ret; }\n.visible .entry k() {.reg "
             ".u32 %r<4>; mov.u32 %r1, 0; call (%r2), f, (%r1); mov.u32 %r1, 1; call (%r2), f, "
             "(%r1); ret; }";
    CUmodule module = NULL;
    CUfunction function = NULL;

    begin();
    OK(mock_cuModuleLoadData(&module, text));
    OK(mock_cuModuleGetFunction(&function, module, "k"));
    OK(mock_cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    EXPECT(CUDA_SUCCESS, mock_cuCtxSynchronize());
    cr_expect(eq(sz, cushim_mock_findings(NULL), 1));
    found(CUSHIM_MOCK_UNINITIALISED_READ, "in function 'f'");
}

Test(local, stack_memory_that_nothing_has_written)
{
    EXPECT(CUDA_SUCCESS, run_text("mov.u64 %rd2, 16; stacksave.u64 %rd4; alloca.u64 %rd3, %rd2; "
                                  "st.local.u32 [%rd3], %t; stackrestore.u64 %rd4; alloca.u64 "
                                  "%rd3, %rd2, 16; ld.local.u32 %r1, [%rd3];",
                                  1));
    found(CUSHIM_MOCK_UNINITIALISED_READ, "local memory");
}

Test(local, stack_without_end)
{
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS,
           run_text("mov.u64 %rd2, 4096; L: alloca.u64 %rd3, %rd2; bra L;", 1));
    found(CUSHIM_MOCK_KERNEL_FAULT, "no local memory left");
}
