/* SPDX-License-Identifier: MIT */
/* Products that only sm_120 has: blocks with scale factors, narrow elements, a sparse A of them. */
#include "all_instructions.h"

TestSuite(scaled, .timeout = 60);

/* Registers of A are %r1 to %r4, of B %r11 to %r14; the scales are %r21 and %r22; D is %f1. */
#define ZEROS                                                                                      \
    "mov.b32 %f1, 0f00000000; mov.b32 %f2, 0f00000000; mov.b32 %f3, 0f00000000;\n"                 \
    "mov.b32 %f4, 0f00000000; and.b32 %r0, %t, 3;\n"
#define A(bits)                                                                                    \
    "mov.b32 %r1, " bits "; mov.b32 %r2, " bits "; mov.b32 %r3, " bits "; mov.b32 %r4, " bits ";"  \
                                                                                              "\n"
#define B(bits)                                                                                    \
    "mov.b32 %r11, " bits "; mov.b32 %r12, " bits "; mov.b32 %r13, " bits "; mov.b32 %r14, " bits  \
    ";\n"
/* A register that lanes of one place in their quad have; the others' is NaN everywhere. */
#define ONLY_LANE(r, lane, bits)                                                                   \
    "setp.eq.u32 %p1, %r0, " lane "; selp.b32 " r ", " bits ", " r ", %p1;\n"
#define NO_NUMBERS "mov.b32 %r21, -1; mov.b32 %r22, -1;\n"
#define SUMS       "{%f1, %f2, %f3, %f4}"
#define DENSE      SUMS ", {%r1, %r2, %r3, %r4}, {%r11, %r12}, " SUMS
#define SPARSE     SUMS ", {%r1, %r2, %r3, %r4}, {%r11, %r12, %r13, %r14}, " SUMS ", %r15, 0"
#define MMA        "mma.sync.aligned."
#define MMA_SPARSE "mma.sp::ordered_metadata.sync.aligned."

/* The sums of all lanes, of the row of their group and of that 8 below. */
static void sums(const char *body, float row, float below)
{
    char text[2048];

    snprintf(text, sizeof(text), "%s%s\nmov.b32 %%r9, %%f1;", ZEROS, body);
    run(text, 32);
    for (unsigned i = 0; i < 32; i++)
        cr_expect(eq(flt, ((const float *) (const void *) words)[i], row), "lane %u", i);
    snprintf(text, sizeof(text), "%s%s\nmov.b32 %%r9, %%f3;", ZEROS, body);
    run(text, 32);
    for (unsigned i = 0; i < 32; i++)
        cr_expect(eq(flt, ((const float *) (const void *) words)[i], below), "lane %u", i);
    silent();
}

/* 32 products of 1 and 1. Byte 2 of lane 0 is 2 and of lane 1 is 8; byte 1 of lane 3 is 1/2. */
Test(scaled, one_scale)
{
    sums(A("0x38383838") B("0x38383838") NO_NUMBERS ONLY_LANE("%r21", "0", "0xff80ffff")
             ONLY_LANE("%r21", "1", "0xff82ffff") ONLY_LANE("%r22", "3", "0xffff7eff") MMA
         "m16n8k32.row.col.kind::mxf8f6f4.block_scale.f32.e4m3.e4m3.f32.ue8m0 " DENSE
         ", %r21, {2, 0}, %r22, {1, 3};",
         32, 128);
}

/* 64 products, half of them with the scales 1 and 2, the other half with 4 and 1. */
Test(scaled, two_scales)
{
    sums(A("0x22222222") B("0x22222222") NO_NUMBERS ONLY_LANE("%r21", "2", "0x817fffff")
             ONLY_LANE("%r21", "3", "0x7f7fffff") ONLY_LANE("%r22", "0", "0xffff7f80") MMA
         "m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32."
         "ue8m0 " DENSE ", %r21, {2, 1}, %r22, {0, 0};",
         64 + 128, 64 + 32);
}

/* e4m3 without a sign: 1, 1.5, 2 and 3 of A; of B 0.5, 1, 2 and 4. */
Test(scaled, four_scales)
{
    sums(A("0x22222222") B("0x22222222") NO_NUMBERS ONLY_LANE("%r21", "2", "0x44403c38")
             ONLY_LANE("%r21", "3", "0x38383838") ONLY_LANE("%r22", "3", "0x48403830") MMA
         "m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32."
         "ue4m3 " DENSE ", %r21, {0, 1}, %r22, {0, 3};",
         16 * (0.5f + 1.5f + 4 + 12), 16 * 7.5f);
}

Test(scaled, a_scale_that_is_no_number)
{
    run(ZEROS A("0x38383838") B("0x38383838") NO_NUMBERS MMA
        "m16n8k32.row.col.kind::mxf8f6f4.block_scale.f32.e4m3.e4m3.f32.ue8m0 " DENSE
        ", %r21, {0, 0}, %r22, {0, 0};\nmov.b32 %r9, %f1;",
        32);
    cr_expect(eq(u32, words[5], 0x7fffffff));
}

/* Of four elements of B the last two are 1, the first two 0; A is 1 in the middle of its bytes. */
Test(scaled, a_sparse_a_of_four_bits)
{
    sums(A("0x08080808") B("0x0c0c0000") "mov.b32 %r15, 0xeeeeeeee;\n" MMA_SPARSE
                                         "m16n8k64.row.col.kind::f8f6f4.f32.e2m1.e3m2.f32 " SPARSE
                                         ";",
         32, 32);
    sums(A("0x08080808") B("0x0c0c0000") "mov.b32 %r15, 0xcccccccc;\n" MMA_SPARSE
                                         "m16n8k64.row.col.kind::f8f6f4.f32.e2m1.e3m2.f32 " SPARSE
                                         ";",
         16, 16);
    sums(A("0x08080808") B("0x0c0c0000") "mov.b32 %r15, 0x44444444;\n" MMA_SPARSE
                                         "m16n8k64.row.col.kind::f8f6f4.f32.e2m1.e3m2.f32 " SPARSE
                                         ";",
         0, 0);
}

/* Pairs of 4 bits: of four pairs the second and the third are 1. */
Test(scaled, a_sparse_a_with_scales)
{
    sums(A("0x22222222") B("0x00222200") "mov.b32 %r15, 0x99999999;\n" NO_NUMBERS ONLY_LANE(
             "%r21", "0", "0xffff807f") ONLY_LANE("%r21", "1", "0xffff7f7f")
             ONLY_LANE("%r22", "0", "0xffff7f7f") MMA_SPARSE
         "m16n8k128.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0 " SPARSE
         ", %r21, {0, 0}, %r22, {0, 0};",
         32 + 64, 64);
}
