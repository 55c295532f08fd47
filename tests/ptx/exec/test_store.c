/* SPDX-License-Identifier: MIT */
/* What a store writes, and that it writes no more, for each width and form of the value. */
#include <stdio.h>
#include <string.h>

#include "../../mock/support.h"

enum { BYTES = 64 };

static unsigned char bytes[BYTES];

TestSuite(store, .timeout = 100);

/* Runs instructions with %p pointing to bytes of 0xee, and reads them back. */
static void run(const char *body)
{
    char text[2048];
    CUmodule module = NULL;
    CUfunction function = NULL;
    CUdeviceptr p;
    void *params[] = {&p};

    snprintf(text, sizeof(text),
             ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a) {\n"
             ".reg .u64 %%p; .reg .u32 %%r<4>; .reg .u64 %%rd<4>; .reg .u16 %%rs<4>;\n"
             ".reg .f64 %%fd; .local .align 16 .b8 own[32];\nld.param.u64 %%p, [a];\n%s\nret; }",
             body);
    start();
    p = allocate(BYTES);
    OK(mock_cuMemsetD8_v2(p, 0xee, BYTES));
    OK(mock_cuModuleLoadData(&module, text));
    OK(mock_cuModuleGetFunction(&function, module, "k"));
    OK(mock_cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    OK(mock_cuCtxSynchronize());
    OK(mock_cuMemcpyDtoH_v2(bytes, p, BYTES));
}

/* That the bytes from 0 on are those of the words, and what is behind them is as it was. */
static void expect(const char *body, const void *words, size_t size)
{
    run(body);
    for (size_t i = 0; i < BYTES; i++) {
        const unsigned char wanted = i < size ? ((const unsigned char *) words)[i] : 0xee;

        cr_expect(eq(u8, bytes[i], wanted), "%s: byte %zu", body, i);
    }
}

Test(store, numbers_of_each_width)
{
    expect("st.global.u8 [%p], 0x12;", "\x12", 1);
    expect("st.global.s8 [%p], -2;", "\xfe", 1);
    expect("st.global.b8 [%p], 0xfe;", "\xfe", 1);
    expect("st.global.u16 [%p], 0x1234;", &(uint16_t){0x1234}, 2);
    expect("st.global.s16 [%p], -3;", &(int16_t){-3}, 2);
    expect("st.global.u32 [%p], 0x12345678;", &(uint32_t){0x12345678}, 4);
    expect("st.global.s32 [%p], -4;", &(int32_t){-4}, 4);
    expect("st.global.f32 [%p], 0f40490FDB;", &(uint32_t){0x40490fdb}, 4);
    expect("st.global.u64 [%p], 0x123456789abcdef0;", &(uint64_t){0x123456789abcdef0}, 8);
    expect("st.global.s64 [%p], -5;", &(int64_t){-5}, 8);
    expect("st.global.f64 [%p], 0d400921FB54442D18;", &(uint64_t){0x400921fb54442d18}, 8);
}

Test(store, numbers_in_vectors)
{
    expect("st.global.v2.u8 [%p], {1, 2};", "\1\2", 2);
    expect("st.global.v4.u16 [%p], {1, 0x8002, 3, 4};", ((uint16_t[]){1, 0x8002, 3, 4}), 8);
    expect("st.global.v4.u32 [%p], {1, 2, 0x80000003, 4};", ((uint32_t[]){1, 2, 0x80000003, 4}),
           16);
    expect("st.global.v2.u64 [%p], {0x123456789abcdef0, 2};", ((uint64_t[]){0x123456789abcdef0, 2}),
           16);
}

/* The registers say how large a slot is, wherever among the elements they are. */
Test(store, numbers_beside_registers)
{
    expect("mov.u64 %rd1, 0x123456789abcdef0; st.global.v2.u64 [%p], {7, %rd1};",
           ((uint64_t[]){7, 0x123456789abcdef0}), 16);
    expect("mov.u64 %rd1, 0x123456789abcdef0; st.global.v2.u64 [%p], {%rd1, 7};",
           ((uint64_t[]){0x123456789abcdef0, 7}), 16);
    expect("mov.u32 %r1, 0x12345678; st.global.v4.u32 [%p], {7, %r1, 8, %r1};",
           ((uint32_t[]){7, 0x12345678, 8, 0x12345678}), 16);
    expect("mov.u16 %rs1, 0x1234; st.global.v2.u16 [%p], {7, %rs1};", ((uint16_t[]){7, 0x1234}), 4);
}

/* A register may be wider than what is stored of it. */
Test(store, parts_of_registers)
{
    expect("mov.u64 %rd1, 0x123456789abcdef0; st.global.u32 [%p], %rd1;", &(uint32_t){0x9abcdef0},
           4);
    expect("mov.u64 %rd1, 0x123456789abcdef0; st.global.u8 [%p], %rd1;", "\xf0", 1);
    expect("mov.u32 %r1, 0x12345678; st.global.u16 [%p], %r1;", &(uint16_t){0x5678}, 2);
    expect("mov.u16 %rs1, 0x1234; st.global.u8 [%p], %rs1;", "\x34", 1);
}

/* By way of other spaces: what was stored there is what is loaded. */
Test(store, numbers_in_local_memory)
{
    expect("st.local.u64 [own], 0x123456789abcdef0; st.local.u16 [own+2], 0x1111; ld.local.u64 "
           "%rd1, [own]; st.global.u64 [%p], %rd1;",
           &(uint64_t){0x123456781111def0}, 8);
    expect("st.local.v4.u32 [own+16], {1, 2, 3, 4}; ld.local.u32 %r1, [own+24]; st.global.u32 "
           "[%p], %r1;",
           &(uint32_t){3}, 4);
}

/* A load into a wider register fills it with zeros, or with the sign. */
Test(store, loads_into_wider_registers)
{
    expect("st.global.u32 [%p], 0xfedcba98; ld.global.s8 %r1, [%p]; ld.global.u8 %r2, [%p]; "
           "ld.global.s16 %rd1, [%p]; ld.global.u16 %rd2, [%p]; st.global.u32 [%p], %r1; "
           "st.global.u32 [%p+4], %r2; st.global.u64 [%p+8], %rd1; st.global.u64 [%p+16], %rd2;",
           ((uint64_t[]){0x98ffffff98, 0xffffffffffffba98, 0xba98}), 24);
    expect("st.global.u16 [%p], 0xfe98; ld.global.s8 %rs1, [%p]; ld.global.u8 %rs2, [%p]; "
           "st.global.u16 [%p], %rs1; st.global.u16 [%p+2], %rs2;",
           ((uint16_t[]){0xff98, 0x98}), 4);
    expect("st.global.u32 [%p], 0x80000001; ld.global.s32 %rd1, [%p]; ld.global.u32 %rd2, [%p]; "
           "st.global.u64 [%p], %rd1; st.global.u64 [%p+8], %rd2;",
           ((uint64_t[]){0xffffffff80000001, 0x80000001}), 16);
}
