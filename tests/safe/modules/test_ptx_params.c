/* SPDX-License-Identifier: MIT */
/* Parameters read from PTX text. */
#include "support.h"

#include "core/code/ptx_params.h"

SUITE(ptx_params);

enum { MAX = 8 };

static void check(const char *ptx, const char *entry, int n, const struct cushim__param *expected)
{
    struct cushim__param params[MAX] = {{0, 0}};

    cr_assert(eq(int, cushim__ptx_params(ptx, entry, params, MAX), n), "%s", ptx);
    for (int i = 0; i < n; i++) {
        cr_assert(eq(u32, params[i].offset, expected[i].offset), "%s: offset %d", ptx, i);
        cr_assert(eq(u32, params[i].size, expected[i].size), "%s: size %d", ptx, i);
    }
}

#define CHECK(ptx, entry, n, ...) check(ptx, entry, n, (const struct cushim__param[]){__VA_ARGS__})

Test(ptx_params, types_and_alignment)
{
    CHECK(
        ".visible .entry f(\n\t.param .u8 f_0,\n\t.param .u64 f_1,\n\t.param .f16 f_2\n)\n{ ret; }",
        "f", 3, {0, 1}, {8, 8}, {16, 2});
    CHECK(".entry f(.param .b8 a, .param .s32 b, .param .b128 c) {}", "f", 3, {0, 1}, {4, 4},
          {16, 16});
}

Test(ptx_params, arrays_and_pointers)
{
    CHECK(".entry f(.param .align 4 .b8 s[12], .param .u64 .ptr .global .align 16 p) {}", "f", 2,
          {0, 12}, {16, 8});
    CHECK(".entry f(.param .b8 a, .param .align 8 .b8 s[0x10]) {}", "f", 2, {0, 1}, {8, 16});
    CHECK(".entry f(.param .u64 .ptr .align 1 p, .param .u32 n) {}", "f", 2, {0, 8}, {8, 4});
}

Test(ptx_params, none)
{
    CHECK(".visible .entry f()\n{ ret; }", "f", 0, {0, 0});
    CHECK(".visible .entry f\n{ ret; }", "f", 0, {0, 0});
}

Test(ptx_params, the_right_one_among_several)
{
    const char *ptx = "// .entry g(.param .u8 x)\n/* .entry g( */ .entry gg(.param .u16 a) {}\n"
                      ".func g(.param .u8 a) {}\n.visible .entry g(.param .f64 a) .maxntid 32 {}";

    CHECK(ptx, "g", 1, {0, 8});
    CHECK(ptx, "gg", 1, {0, 2});
    CHECK(ptx, "ggg", -1, {0, 0});
}

Test(ptx_params, what_is_not_understood)
{
    CHECK(".entry f(.param .wide x) {}", "f", -1, {0, 0});
    CHECK(".entry f(.param .u32 x", "f", -1, {0, 0});
    CHECK(".entry f(", "f", -1, {0, 0});
    CHECK(".entry f(.param .align 3 .b8 x[3]) {}", "f", -1, {0, 0});
    CHECK(".entry", "f", -1, {0, 0});
    CHECK("/* .entry f(", "f", -1, {0, 0});
}

Test(ptx_params, more_than_there_is_room_for)
{
    struct cushim__param one = {0, 0};

    cr_assert(
        eq(int, cushim__ptx_params(".entry f(.param .u8 a, .param .u8 b) {}", "f", &one, 1), 2));
    cr_assert(eq(u32, one.size, 1));
}
