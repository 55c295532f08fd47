/* SPDX-License-Identifier: MIT */
/* Wrong uses of tensor memory: each ends in a sentence. */
#include "tensor_core.h"

TestSuite(tensor_wrong, .timeout = 100);

/* --- what ends in a fault --- */

/* Runs a kernel with 64 columns of which warp 0 does this, which is wrong and ends in a fault. */
static void fails(CUresult expected, const char *body, const char *part)
{
    kernel("sm_100a");
    allocates(64);
    line("@!%%p1 bra X; %s\nX:", body);
    frees(64);
    cr_expect(eq(int, (int) one_block(), (int) expected), "%s", body);
    finds(1, part);
}

#define LOAD "tcgen05.ld.sync.aligned."

Test(tensor_wrong, numbers_of_columns)
{
    fails(CUDA_ERROR_ILLEGAL_INSTRUCTION,
          "mov.u32 %r6, 48; @%p1 tcgen05.alloc.cta_group::1.sync.aligned.b32 [s+4], %r6;",
          "48 columns of tensor memory; their number is a power of 2 from 32 to 512");
}

Test(tensor_wrong, one_allocation_too_many)
{
    fails(CUDA_ERROR_LAUNCH_TIMEOUT,
          "@%p1 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [s+4], 512;",
          "it waits for free columns of tensor memory, of which 64 are allocated");
}

Test(tensor_wrong, allocating_without_a_permit)
{
    fails(CUDA_ERROR_ILLEGAL_INSTRUCTION,
          "@%p1 tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned; @%p1 "
          "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [s+4], 32;",
          "after tcgen05.relinquish_alloc_permit");
}

Test(tensor_wrong, freeing_another_number)
{
    fails(CUDA_ERROR_ILLEGAL_INSTRUCTION,
          "@%p1 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r4, 32;",
          "it frees 32 columns of tensor memory from lane 0, column 0, which no tcgen05.alloc");
}

Test(tensor_wrong, freeing_twice)
{
    fails(CUDA_ERROR_ILLEGAL_INSTRUCTION,
          "@%p1 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r4, 64;",
          "it frees 64 columns of tensor memory from lane 0, column 0, which no tcgen05.alloc");
}

Test(tensor_wrong, a_leak)
{
    kernel("sm_100a");
    allocates(64);
    EXPECT(CUDA_SUCCESS, one_block());
    finds(1, "the block ends with 64 columns of tensor memory");
}

Test(tensor_wrong, columns_that_are_not_allocated)
{
    fails(CUDA_ERROR_ILLEGAL_ADDRESS,
          "add.u32 %r6, %r5, 63; " LOAD "32x32b.x2.b32 {%r7, %r8}, "
          "[%r6];",
          "it reads columns 63 to 64 of tensor memory, which are not all allocated");
}

Test(tensor_wrong, columns_behind_the_end)
{
    fails(CUDA_ERROR_ILLEGAL_ADDRESS,
          "add.u32 %r6, %r5, 511; tcgen05.st.sync.aligned.32x32b.x2.b32 [%r6], {%r7, %r8};",
          "it writes columns 511 to 512 of tensor memory, which has 512");
}

Test(tensor_wrong, lanes_of_another_warp)
{
    fails(CUDA_ERROR_ILLEGAL_ADDRESS,
          "xor.b32 %r6, %r5, 0x400000; " LOAD "32x32b.x1.b32 {%r7}, [%r6];",
          "it begins at lane 64 of tensor memory; warp 0 may use lanes 0 to 31");
}

Test(tensor_wrong, lanes_that_do_not_fit_the_shape)
{
    fails(CUDA_ERROR_MISALIGNED_ADDRESS,
          "add.u32 %r6, %r5, 0x80000; " LOAD "16x64b.x1.b32 {%r7}, [%r6];",
          "it begins at lane 8 of tensor memory; the shape needs a multiple of 16");
}

Test(tensor_wrong, addresses_that_differ)
{
    fails(CUDA_ERROR_ILLEGAL_INSTRUCTION,
          "add.u32 %r6, %r5, %r2; " LOAD "32x32b.x1.b32 {%r7}, [%r6];",
          "the address in tensor memory is 0x1 in this thread, and 0x0 in the warp's first one");
}

Test(tensor_wrong, a_part_of_a_warp)
{
    fails(CUDA_ERROR_ILLEGAL_INSTRUCTION,
          "setp.lt.u32 %p2, %r2, 16; @%p2 " LOAD "32x32b.x1.b32 {%r7}, [%r5];",
          "16 of the warp's 32 threads are here; the instruction needs all");
}

Test(tensor_wrong, two_groups)
{
    fails(CUDA_ERROR_ILLEGAL_INSTRUCTION,
          "@%p1 tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;",
          ".cta_group::2 needs a pair of blocks; the cluster has 1, and this one is number 0");
}

Test(tensor_wrong, two_groups_in_a_cluster)
{
    kernel("sm_100a");
    allocates(32);
    line("@%%p1 tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;");
    frees(32);
    EXPECT(CUDA_ERROR_ILLEGAL_INSTRUCTION,
           launch((struct tensor_launch){.blocks = 2, .threads = 128, .cluster = 2}));
    finds(1, "it uses .cta_group::2, and the block has used .cta_group::1");
}

/* Constants that ptxas refuses, too. */
Test(tensor_wrong, constants)
{
    static const char *const statements[] = {
        "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [s], 16;",
        "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [s], 48;",
        "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 1024;",
        "tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r3, %p1, 16;",
    };

    tensor_begin(0);
    for (size_t i = 0; i < sizeof(statements) / sizeof(*statements); i++) {
        CUmodule module = NULL;

        kernel("sm_100a");
        line("%s ret; }", statements[i]);
        cr_expect(eq(int, (int) mock_cuModuleLoadData(&module, tensor_text),
                     (int) CUDA_ERROR_INVALID_PTX),
                  "%s", statements[i]);
    }
}

/* --- findings that stop nothing --- */

static void suspects(const char *body, size_t n, const char *part)
{
    kernel("sm_100a");
    allocates(64);
    line("@!%%p1 bra X; %s\nX:", body);
    frees(64);
    EXPECT(CUDA_SUCCESS, one_block());
    finds(n, part);
}

Test(tensor_wrong, cells_that_nothing_has_written)
{
    suspects("add.u32 %r6, %r5, 7; " LOAD "32x32b.x1.b32 {%r7}, [%r6];", 1,
             "it reads lane 0, column 7 of tensor memory, which nothing has written");
}

Test(tensor_wrong, a_register_that_nothing_waits_for)
{
    suspects("tcgen05.st.sync.aligned.32x32b.x2.b32 [%r5], {%r0, %r0}; "
             "tcgen05.wait::st.sync.aligned; " LOAD "32x32b.x2.b32 {%r7, %r8}, [%r5]; add.u32 %r9, "
             "%r8, %r8; tcgen05.wait::ld.sync.aligned; add.u32 %r9, %r7, %r8;",
             1, "it uses %r8, which tcgen05.ld of line 14 loads, with no tcgen05.wait::ld since");
}

Test(tensor_wrong, a_store_that_nothing_waits_for)
{
    suspects("tcgen05.st.sync.aligned.32x32b.x1.b32 [%r5], {%r0}; " LOAD "32x32b.x1.b32 {%r7}, "
             "[%r5];",
             1, "column 0 of tensor memory, which warp 0 stores with no tcgen05.wait::st since");
}

/* --- products and copies that end in a fault --- */

#define GOOD "0x08100010" /* .f16, 128 x 64 */
#define MMA  "tcgen05.mma.cta_group::1.kind::f16 [%r4], %rd10, %rd11, %r40, %p6;"

/* Runs a product whose descriptors may be wrong. */
static void product_fails(const char *instruction_text, uint64_t a, const char *text,
                          CUresult expected, const char *part)
{
    const struct layout layout = {.rows = 128, .start = B_AT};
    char all[600];

    clear();
    snprintf(all, sizeof(all), "mov.u32 %%r40, %s; %s", instruction_text, text);
    cr_expect(eq(int, (int) run_core(0, 1, a, descriptor(&layout), all), (int) expected), "%s %s",
              instruction_text, text);
    finds(1, part);
}

static void refuses(const char *instruction_text, const char *text, const char *part)
{
    product_fails(instruction_text, UINT64_C(1) << 46, text, CUDA_ERROR_ILLEGAL_INSTRUCTION, part);
}

Test(tensor_wrong, wrong_instruction_descriptors)
{
    static const char f8[] =
        "tcgen05.mma.cta_group::1.kind::f8f6f4 [%r4], %rd10, %rd11, %r40, %p6;";
    static const char scaled_text[] = "tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale [%r4], "
                                      "%rd10, %rd11, %r40, [%r12], [%r13], %p6;";
    static const char sparse_text[] = "tcgen05.mma.sp.cta_group::1.kind::f16 [%r4], %rd10, %rd11, "
                                      "[%r14], %r40, %p6;";

    refuses("0x08100014", MMA, "the instruction descriptor is 0x08100014: bit 2 is to be 0");
    refuses(GOOD, sparse_text, "bit 2 is to be 1, with .sp");
    refuses("0x08100050", MMA, "bits 6, 23 and 29 are to be 0");
    refuses("0x08100018", MMA, "bit 3 is for integers");
    refuses("0x08100020", MMA, "bits 4 and 5 are no type of D");
    refuses("0x08100110", MMA, "bits 7 to 9 are no type of A");
    refuses("0x08100810", MMA, "bits 10 to 12 are no type of B");
    refuses("0x08100080", MMA, "D is .f16, and A or B is .bf16");
    refuses("0x10100010", MMA, "bits 24 to 28 are no M");
    refuses("0x08000010", MMA, "bits 17 to 22 are no N");
    refuses("0x48100010", MMA, "bits 30 and 31 are for .ws");
    refuses("0x08100011", MMA, "bits 0 and 1 are for .sp");
    refuses("0x04100014", sparse_text, "where the metadata of less than 128 rows lies");
    refuses("0x08109690", f8, "elements of 4 and 6 bits cannot be transposed");
    refuses("0x08100000", scaled_text, "bit 23 is to be 1: the scale factors are .ue8m0");
    refuses("0x88900000", scaled_text, "bit 31 is to be 0");
}

/* Pairs of blocks with 64 rows each, of a product with scale factors. */
Test(tensor_wrong, scale_factors_of_few_rows)
{
    clear();
    EXPECT(CUDA_ERROR_ILLEGAL_INSTRUCTION,
           run_core(0, 2, UINT64_C(1) << 46, UINT64_C(1) << 46,
                    "mov.u32 %r40, 0x08900000; tcgen05.mma.cta_group::2.kind::mxf8f6f4.block_scale "
                    "[%r4], %rd10, %rd11, %r40, [%r12], [%r13], %p6;"));
    finds(1, "where the scale factors of less than 128 rows lie is not known to this device");
}

Test(tensor_wrong, wrong_descriptors_of_shared_memory)
{
    product_fails(GOOD, 0, MMA, CUDA_ERROR_ILLEGAL_INSTRUCTION, "bits 46 to 48 are to be 0b001");
    product_fails(GOOD, UINT64_C(1) << 46 | UINT64_C(3) << 61, MMA, CUDA_ERROR_ILLEGAL_INSTRUCTION,
                  "there is no swizzle mode 3, 5 or 7");
    product_fails(GOOD, UINT64_C(1) << 46 | UINT64_C(1) << 61, MMA, CUDA_ERROR_ILLEGAL_INSTRUCTION,
                  "swizzle mode 1 is for matrices with M or N as the leading dimension");
    product_fails(GOOD, UINT64_C(1) << 46 | UINT64_C(1) << 52, MMA, CUDA_ERROR_ILLEGAL_INSTRUCTION,
                  "absolute strides");
    product_fails(GOOD, UINT64_C(1) << 46 | UINT64_C(1) << 53, MMA, CUDA_ERROR_ILLEGAL_INSTRUCTION,
                  "bits 53 to 60 are to be 0");
    product_fails("0x08108010", UINT64_C(1) << 46 | UINT64_C(1) << 61, MMA,
                  CUDA_ERROR_ILLEGAL_INSTRUCTION,
                  "swizzle mode 1 is for transposed matrices of 32-bit elements");
    product_fails(GOOD, UINT64_C(1) << 46 | 0x3000, MMA, CUDA_ERROR_ILLEGAL_ADDRESS,
                  "of shared memory, which has");
}

Test(tensor_wrong, wrong_places)
{
    static const char in_tensor[] = "tcgen05.mma.cta_group::1.kind::f16 [%r4], [%r6], %rd11, %r40, "
                                    "%p6;";
    char text[300];

    product_fails(GOOD, UINT64_C(1) << 46, "add.u32 %r4, %r4, 0x200000; " MMA,
                  CUDA_ERROR_MISALIGNED_ADDRESS,
                  "D begins at lane 32 of tensor memory, and not at 0");
    product_fails(GOOD, UINT64_C(1) << 46, "add.u32 %r4, %r4, 449; " MMA,
                  CUDA_ERROR_ILLEGAL_ADDRESS,
                  "it writes columns 449 to 512 of tensor memory, which has 512");
    snprintf(text, sizeof(text), "add.u32 %%r6, %%r11, 0x100000; %s", in_tensor);
    product_fails(GOOD, 0, text, CUDA_ERROR_MISALIGNED_ADDRESS,
                  "A begins at lane 16 of tensor memory, and D at lane 0");
    product_fails(GOOD, UINT64_C(1) << 46,
                  "add.u32 %r6, %r4, 0x100000; tcgen05.cp.cta_group::1.128x256b "
                  "[%r6], %rd10;",
                  CUDA_ERROR_MISALIGNED_ADDRESS, "it copies to lane 16 of tensor memory");
    product_fails(GOOD, UINT64_C(1) << 46,
                  "add.u32 %r6, %r4, 0x100000; tcgen05.shift.cta_group::1.down "
                  "[%r6];",
                  CUDA_ERROR_MISALIGNED_ADDRESS, "it shifts from lane 16 of tensor memory");
}

/* --- products that are findings --- */

static void product_suspects(const char *text, const char *part)
{
    const struct layout layout = {.rows = 128};
    char all[600];

    clear();
    snprintf(all, sizeof(all), "mov.u32 %%r40, " GOOD "; %s", text);
    EXPECT(CUDA_SUCCESS, run_core(0, 1, descriptor(&layout), descriptor(&layout), all));
    finds(1, part);
}

Test(tensor_wrong, d_that_nothing_has_written)
{
    product_suspects(
        "add.u32 %r15, %r4, 400; tcgen05.mma.cta_group::1.kind::f16 [%r15], %rd10, %rd11, "
        "%r40, %p6;",
        "it reads lane 0, column 400 of tensor memory, which nothing has written");
}

Test(tensor_wrong, factors_that_are_not_in_all_parts)
{
    product_suspects(
        "mov.u32 %r40, 0x28900010; tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale [%r4], "
        "%rd10, %rd11, %r40, [%r12], [%r13], !%p6;",
        "the scale factors in column 280 of tensor memory differ in lanes 0 and 32");
}

Test(tensor_wrong, metadata_that_is_not_defined)
{
    product_suspects(
        "mov.u32 %r40, 0x08100014; tcgen05.mma.sp.cta_group::1.kind::f16 [%r4], %rd10, %rd11, "
        "[%r14], %r40, !%p6;",
        "row 0 of a sparse A has metadata 0x");
}

/* The commit that follows is that of thread 0; nobody has waited for it when the warp loads. */
Test(tensor_wrong, a_result_that_nothing_waits_for)
{
    kernel("sm_100a");
    line("@%%p1 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [s], 512; bar.sync 0;");
    line("ld.shared.b32 %%r4, [s]; add.u32 %%r5, %%r4, %%r3;");
    fill();
    line("cvt.u64.u32 %%rd9, %%r9; shr.u64 %%rd9, %%rd9, 4; add.u64 %%rd10, %%rd9, "
         "0x400000000000; mov.u32 %%r40, " GOOD "; setp.ne.u32 %%p6, %%r0, %%r0;");
    line("@%%p0 tcgen05.mma.cta_group::1.kind::f16 [%%r4], %%rd10, %%rd10, %%r40, %%p6;");
    line("@!%%p1 bra Y; tcgen05.ld.sync.aligned.32x32b.x1.b32 {%%r21}, [%%r5];");
    line("@%%p0 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [b];");
    line("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%%r22}, [%%r5];\nY:");
    read_back(1);
    give();
    EXPECT(CUDA_SUCCESS, launch((struct tensor_launch){0, 1, 128, 1, SHARED}));
    finds(2, "column 0 of tensor memory, which an asynchronous operation of thread 0 writes, with "
             "no tcgen05.commit of that thread since");
}

/* Stores of a warp that the product does not wait for. */
Test(tensor_wrong, a_store_before_a_product)
{
    kernel("sm_100a");
    line("@%%p1 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [s], 512; bar.sync 0;");
    line("ld.shared.b32 %%r4, [s]; add.u32 %%r5, %%r4, %%r3;");
    fill();
    line("cvt.u64.u32 %%rd9, %%r9; shr.u64 %%rd9, %%rd9, 4; add.u64 %%rd10, %%rd9, "
         "0x400000000000; mov.u32 %%r40, " GOOD "; setp.ne.u32 %%p6, %%r0, %%r0;");
    line("tcgen05.st.sync.aligned.32x32b.x1.b32 [%%r5], {%%r0}; bar.sync 0;");
    line("@%%p0 tcgen05.mma.cta_group::1.kind::f16 [%%r4], %%rd10, %%rd10, %%r40, %%p6;");
    line("@%%p0 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [b];");
    read_back(1);
    give();
    EXPECT(CUDA_SUCCESS, launch((struct tensor_launch){0, 1, 128, 1, SHARED}));
    finds(1, "with no tcgen05.wait::st since");
}

/* --- whatever a register may hold --- */

static unsigned long long wide(void)
{
    return (unsigned long long) draw(65536) << 48 | (unsigned long long) draw(65536) << 32 |
           draw(65536) << 16 | draw(65536);
}

/* A descriptor of which some bits are right. */
static unsigned long long some_descriptor(void)
{
    const unsigned long long right = UINT64_C(1) << 46 | (unsigned long long) (draw(4) * 2) << 61;

    return (wide() & UINT64_C(0x00003fff3fff3fff) & ~(unsigned long long) (draw(2) ? 0x3000 : 0)) |
           right | (draw(8) ? 0 : wide());
}

/* Each ends with a result or an error, and nothing else is touched. */
Test(tensor_wrong, whatever_a_register_may_hold)
{
    static const char *const forms[] = {
        "mma.cta_group::1.kind::f16 [%r15], %rd10, %rd11, %r40, %p6",
        "mma.cta_group::1.kind::f8f6f4 [%r15], [%r16], %rd11, %r40, %p6",
        "mma.cta_group::1.kind::tf32.ashift [%r15], [%r16], %rd11, %r40, %p6",
        "mma.sp.cta_group::1.kind::i8 [%r15], %rd10, %rd11, [%r17], %r40, %p6",
        "mma.cta_group::1.kind::mxf8f6f4.block_scale [%r15], %rd10, %rd11, %r40, [%r16], [%r17], "
        "%p6",
        "mma.sp.cta_group::1.kind::mxf4.block_scale.scale_vec::2X [%r15], %rd10, %rd11, [%r18], "
        "%r40, [%r16], [%r17], %p6",
        "mma.ws.cta_group::1.kind::f16 [%r15], %rd10, %rd11, %r40, %p6, %rd12",
        "mma.ws.sp.cta_group::1.kind::tf32 [%r15], %rd10, %rd11, [%r17], %r40, %p6, %rd12",
        "cp.cta_group::1.128x256b [%r15], %rd10",
        "cp.cta_group::1.4x256b.b8x16.b6x16_p32 [%r15], %rd10",
        "shift.cta_group::1.down [%r15]",
    };
    static const unsigned instructions[] = {0x08100010, 0x08100014, 0x08100490, 0x08900000,
                                            0x08100024, 0x04200010, 0x02200010, 0x08900484};
    static const int results[] = {CUDA_SUCCESS, CUDA_ERROR_ILLEGAL_ADDRESS,
                                  CUDA_ERROR_ILLEGAL_INSTRUCTION, CUDA_ERROR_MISALIGNED_ADDRESS};
    enum { FORMS = sizeof(forms) / sizeof(*forms) };

    for (unsigned i = 0; i < 12 * FORMS; i++) {
        char text[600];
        bool known = false;
        CUresult result;

        snprintf(text, sizeof(text),
                 "mov.u32 %%r40, 0x%x; mov.u32 %%r15, 0x%x; mov.u32 %%r16, 0x%x; mov.u32 %%r17, "
                 "0x%x; mov.u32 %%r18, 0x%x; mov.u64 %%rd12, 0x%llx; tcgen05.%s;",
                 instructions[draw(8)] ^ (draw(3) ? 0 : 1u << draw(32)),
                 draw(3) ? draw(512) : draw(65536) << 16 | draw(600),
                 draw(3) ? draw(512) : draw(65536) << 16 | draw(600), draw(520), draw(520),
                 wide() & (draw(2) ? ~0ull : ~(0x3full << 56)), forms[i % FORMS]);
        clear();
        result = run_core(0, 1, some_descriptor(), some_descriptor(), text);
        for (unsigned j = 0; j < 4; j++)
            known |= (int) result == results[j];
        cr_assert(known, "%d of %s", (int) result, text);
    }
}
