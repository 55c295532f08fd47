/* SPDX-License-Identifier: MIT */
/* The initial values of a module's variables. */
#include <stdio.h>
#include <string.h>

#include "support.h"

#define HEADER ".version 7.0\n.target sm_70\n.address_size 64\n"

TestSuite(values);

static CUmodule load(const char *declaration)
{
    char text[1024];
    CUmodule module = NULL;

    snprintf(text, sizeof(text), "%s%s\n", HEADER, declaration);
    cr_assert(eq(int, (int) mock_cuModuleLoadData(&module, text), CUDA_SUCCESS), "%s", declaration);
    return module;
}

/* The variable "x" of a module that has it. */
static size_t read_x(CUmodule module, void *bytes, size_t size)
{
    CUdeviceptr p = 0;
    size_t actual = 0;

    OK(mock_cuModuleGetGlobal_v2(&p, &actual, module, "x"));
    OK(mock_cuMemcpyDtoH_v2(bytes, p, actual < size ? actual : size));
    return actual;
}

/* The first bytes of "x", and how many it has. */
static const struct {
    const char *declaration;
    size_t size;
    unsigned char bytes[16];
} cases[] = {
    {".global .u32 x;", 4, {0}},
    {".global .u32 x = 5;", 4, {5}},
    {".global .u16 x = 0x1234;", 2, {0x34, 0x12}},
    {".global .u8 x = 0b101;", 1, {5}},
    {".global .u8 x = 017;", 1, {15}},
    {".global .u32 x = 12U;", 4, {12}},
    {".global .s32 x = -2;", 4, {0xfe, 0xff, 0xff, 0xff}},
    {".global .s16 x = 7 - 3 + 1;", 2, {5}},
    {".global .u64 x = 0xFFFFFFFFFFFFFFFF;", 8, {255, 255, 255, 255, 255, 255, 255, 255}},
    {".global .f32 x = 0f3F800000;", 4, {0, 0, 0x80, 0x3f}},
    {".global .f32 x = 1.0;", 4, {0, 0, 0x80, 0x3f}},
    {".global .f32 x = -1.0;", 4, {0, 0, 0x80, 0xbf}},
    {".global .f32 x = 0d3FF0000000000000;", 4, {0, 0, 0x80, 0x3f}},
    {".global .f64 x = 5.0e-1;", 8, {0, 0, 0, 0, 0, 0, 0xe0, 0x3f}},
    {".global .b32 x = 0x1e;", 4, {0x1e}},
    {".const .align 4 .b8 x[6] = {1, 2, 0x33};", 6, {1, 2, 0x33}},
    {".global .u16 x[2][3] = {{1}, {2, 3}};", 12, {1, 0, 0, 0, 0, 0, 2, 0, 3, 0}},
    {".global .u8 x[] = {9, 8, 7};", 3, {9, 8, 7}},
    {".global .u8 x[][2] = {{9}, {8}};", 4, {9, 0, 8, 0}},
    {".global .v2 .u8 x = {3, 4};", 2, {3, 4}},
    {".global .v2 .u8 x[2] = {{3, 4}, {5, 6}};", 4, {3, 4, 5, 6}},
    {".global .u32 x[4] = {};", 16, {0}},
};

Test(values, bytes)
{
    start();
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        unsigned char bytes[16] = {0};
        const size_t size = read_x(load(cases[i].declaration), bytes, sizeof(bytes));

        cr_expect(eq(sz, size, cases[i].size), "%s", cases[i].declaration);
        for (size_t j = 0; j < size; j++)
            cr_expect(eq(u8, bytes[j], cases[i].bytes[j]), "%s, byte %zu", cases[i].declaration, j);
    }
}

static const char *const wrong[] = {
    ".global .u32 x = ;",
    ".global .u32 x = 1 2;",
    ".global .u32 x = {1, 2};",
    ".global .u32 x[2] = {1, 2, 3};",
    ".global .u32 x[2] = {1, ",
    ".global .u32 x[2] = {{{1}}};",
    ".global .u32 x = .u32;",
    ".global .u32 x = generic(1);",
    ".global .f32 x = 1;",
    ".global .u32 x = 1.0;",
    ".global .f16 x = 1.0;",
    ".global .u16 x[2][3] = {1, 2, 3, 4};",
    ".global .u16 x[2][3] = {{1, 2, 3, 4}};",
    ".global .v2 .u8 x[2] = {{3, 4}, {5}};",
    ".global .u64 x = nothing;",
    ".global .u8 x[2][2][2][2][2][2][2][2][2] = {1};",
};

Test(values, mistakes)
{
    char text[1024];
    CUmodule module;

    start();
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        snprintf(text, sizeof(text), "%s%s\n", HEADER, wrong[i]);
        cr_expect(eq(int, (int) mock_cuModuleLoadData(&module, text), CUDA_ERROR_INVALID_PTX), "%s",
                  wrong[i]);
    }
}

Test(values, addresses)
{
    uint64_t x[4] = {0};
    unsigned char bytes[2];
    CUdeviceptr y = 0;
    CUmodule module;

    start();
    module = load(".global .u32 y[4];\n.global .u64 x[4] = {y, generic(y), y + 8};");
    OK(mock_cuModuleGetGlobal_v2(&y, NULL, module, "y"));
    cr_expect(eq(sz, read_x(module, x, sizeof(x)), 32));
    cr_expect(eq(u64, x[0], y));
    cr_expect(eq(u64, x[1], y));
    cr_expect(eq(u64, x[2], y + 8));
    cr_expect(eq(u64, x[3], 0));
    module = load(".global .u32 y;\n.global .u8 x[2] = {0xFF(y), 0xFF00(y)};");
    OK(mock_cuModuleGetGlobal_v2(&y, NULL, module, "y"));
    read_x(module, bytes, sizeof(bytes));
    cr_expect(eq(u8, bytes[0], (unsigned char) y));
    cr_expect(eq(u8, bytes[1], (unsigned char) (y >> 8)));
}
