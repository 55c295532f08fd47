/* SPDX-License-Identifier: MIT */
/* Registers that are vectors, functions with several results, operands that are sums, carries. */
#include <criterion/redirect.h>
#include <stdio.h>
#include <string.h>

#include "../../mock/support.h"

#define HEAD ".version 8.8\n.target sm_90\n.address_size 64\n"
#define BEGIN                                                                                      \
    ".visible .entry k(.param .u64 p) {\n.reg .b32 %t, %r<20>; .reg .b64 %d<12>; .reg .b16 "       \
    "%h<9>; "                                                                                      \
    ".reg .pred %p<4>;\nmov.u32 %t, %tid.x; ld.param.u64 %d0, [p]; mul.wide.u32 %d1, %t, 4;\n"     \
    "add.u64 %d1, %d0, %d1; mov.u32 %r1, 0x11223344; mov.u32 %r2, 0x55667788;\n"                   \
    "mov.u32 %r3, 0x99aabbcc; mov.u32 %r4, 7; mov.u64 %d2, 0x0123456789abcdef;\n"

static unsigned words[64];

TestSuite(registers, .timeout = 100);

static CUresult load(const char *before, const char *body, CUmodule *ret_module)
{
    char text[8192];

    start();
    snprintf(text, sizeof(text), "%s%s%s%s\nst.global.u32 [%%d1], %%r9; ret; }", HEAD, before,
             BEGIN, body);
    return mock_cuModuleLoadData(ret_module, text);
}

/* %r9 is what a thread is to answer. */
static CUresult run(const char *before, const char *body, unsigned block)
{
    CUdeviceptr p;
    void *params[] = {&p};
    CUmodule module = NULL;
    CUfunction function = NULL;
    CUresult result;

    OK(load(before, body, &module));
    p = allocate(sizeof(words));
    OK(mock_cuModuleGetFunction(&function, module, "k"));
    OK(mock_cuLaunchKernel(function, 1, 1, 1, block, 1, 1, 0, NULL, params, NULL));
    result = mock_cuCtxSynchronize();
    if (result == CUDA_SUCCESS)
        OK(mock_cuMemcpyDtoH_v2(words, p, sizeof(words)));
    return result;
}

static void answers(const char *before, const char *body, unsigned expected)
{
    EXPECT(CUDA_SUCCESS, run(before, body, 1));
    cr_expect(eq(u32, words[0], expected), "%s", body);
}

static void refused(const char *before, const char *body)
{
    CUmodule module = NULL;

    cr_expect(eq(int, (int) load(before, body, &module), CUDA_ERROR_INVALID_PTX), "%s %s", before,
              body);
}

/* A borrow is the absence of a carry. */
Test(registers, sums_and_differences_share_the_carry)
{
    answers("", "add.cc.u32 %r5, %r4, %r4; subc.u32 %r9, %r1, %r4;", 0x11223344 - 8);
    answers("", "sub.cc.u32 %r5, %r4, %r4; addc.u32 %r9, %r1, 0;", 0x11223345);
    answers("", "sub.cc.u32 %r5, %r4, %r1; addc.u32 %r9, %r1, 0;", 0x11223344);
    answers("", "sub.cc.u64 %d5, %d2, %d2; addc.u64 %d6, 5, 0; cvt.u32.u64 %r9, %d6;", 6);
    answers("", "mad.lo.cc.u32 %r5, %r4, 1, -1; subc.u32 %r9, 100, 1;", 99);
}

Test(registers, quarters_of_a_large_one)
{
#define Q ".reg .b128 q; mov.b128 q, {%r1, %r2, %r3, %r4}; "
    answers("", Q "mov.b128 {%r9, _, _, _}, q;", 0x11223344);
    answers("", Q "mov.b128 {_, %r9, _, _}, q;", 0x55667788);
    answers("", Q "mov.b128 {_, _, %r9, _}, q;", 0x99aabbcc);
    answers("", Q "mov.b128 {%d5, %d6}, q; shr.u64 %d6, %d6, 32; cvt.u32.u64 %r9, %d6;", 7);
    answers("", ".reg .b128 q; mov.b128 q, %ntid; mov.b128 {_, %r9, _, %r5}, q;", 1);
#undef Q
}

Test(registers, components_of_a_vector)
{
#define V ".reg .v4 .b32 v; mov.v4.b32 v, {%r1, %r2, %r3, %r4}; "
    answers("", V "mov.b32 %r9, v.w;", 7);
    answers("", V "mov.b32 %r9, v.b;", 0x99aabbcc);
    answers("", V ".reg .v4 .b32 w; mov.v4.b32 w, v; mov.b32 %r9, w.z;", 0x99aabbcc);
    answers("", V "mov.v4.b32 v, {v.w, v.z, v.y, v.x}; sub.u32 v.x, v.y, v.x; mov.b32 %r9, v.x;",
            0x99aabbcc - 7);
    answers("", V "st.global.v4.b32 [%d0+16], v; ld.global.u32 %r9, [%d0+28];", 7);
    answers("",
            V "st.global.v4.b32 [%d0+16], v; .reg .v4 .b32 w; ld.global.v4.b32 w, [%d0+16];\n"
              "mov.b32 %r9, w.y;",
            0x55667788);
    answers("", ".reg .v4 .u32 v; mov.v4.u32 v, %ntid; add.u32 %r9, v.x, v.z;", 2);
#undef V
}

Test(registers, vectors_are_packed_and_unpacked)
{
    answers("", ".reg .v2 .b16 v; mov.b32 v, %r1; mov.b16 %h1, v.y; cvt.u32.u16 %r9, %h1;", 0x1122);
    answers("",
            ".reg .v2 .b16 v; mov.b32 {%h1, %h2}, %r1; mov.v2.b16 v, {%h2, %h1};\n"
            "mov.b32 %r9, v;",
            0x33441122);
    answers("", ".reg .v4 .b8 v; mov.b32 v, %r1; mov.b32 %r9, v;", 0x11223344);
    answers("", ".reg .v2 .b32 v; mov.b64 v, %d2; mov.b32 %r9, v.y;", 0x01234567);
    answers("",
            ".reg .v4 .b16 v; mov.b64 v, %d2; mov.b16 v.w, v.x; mov.b64 %d3, v;\n"
            "shr.u64 %d3, %d3, 32; cvt.u32.u64 %r9, %d3;",
            0xcdef4567);
    answers("",
            ".reg .v2 .b64 v; .reg .b128 w; mov.v2.b64 v, {%d2, %d0}; mov.b128 w, v;\n"
            "mov.b128 v, w; cvt.u32.u64 %r9, v.x;",
            0x89abcdef);
    refused("", ".reg .v2 .b16 v, w; mov.b32 v, %r1; mov.b32 w, v;");
    refused("", ".reg .v2 .b16 v; and.b32 %r9, v, %r1;");
    refused("", ".reg .v4 .b32 v; mov.b64 v, %d2;");
    refused("", ".reg .v2 .pred v;");
    refused("", ".reg .v2 .b64 v; mov.v2.b64 v, {%d0, %d1}; ld.global.u32 %r9, [v.x];");
}

Test(registers, functions_take_and_return_vectors)
{
    answers(".func (.reg .v4 .u32 r) f(.reg .v4 .u32 x, .reg .u32 s) {\nmul.lo.u32 r.x, x.w, s; "
            "mov.u32 r.y, x.z; mov.u32 r.z, x.y; mov.u32 r.w, x.x; ret; }\n",
            ".reg .v4 .u32 v, w; mov.v4.u32 v, {%r1, %r2, %r3, %r4}; call (w), f, (v, %r4);\n"
            "sub.u32 %r9, w.w, w.x;",
            0x11223344 - 49);
    answers(
        ".func (.reg .b128 r) f(.reg .b128 x) { .reg .b64 l, h; mov.b128 {l, h}, x; mov.b128 r, "
        "{h, l}; ret; }\n",
        ".reg .b128 z; mov.b128 z, {%d0, %d2}; call (z), f, (z); mov.b128 {%d3, %d4}, z;\n"
        "cvt.u32.u64 %r9, %d3;",
        0x89abcdef);
}

#define TWO                                                                                        \
    ".func (.reg .u32 s, .reg .pred c, .reg .u64 w) f(.reg .u32 x, .reg .u32 y) {\nadd.u32 s, x, " \
    "y; "                                                                                          \
    "setp.lt.u32 c, s, x; mul.wide.u32 w, x, y; ret; }\n"

/* An H200's compiler breaks on the predicate; the other results are its own. */
Test(registers, functions_return_several_values)
{
    answers(TWO, "call (%r5, %p1, %d3), f, (%r3, %r2); selp.u32 %r9, 1, 2, %p1;", 2);
    answers(TWO, "call (%r5, %p1, %d3), f, (%r3, -7); selp.u32 %r9, 1, 2, %p1;", 1);
    answers(TWO, "call (%r5, %p1, %d3), f, (-7, %r4); selp.u32 %r9, 1, 2, %p1;", 1);
    answers(TWO, "call (%r5, %p1, %d3), f, (-6, %r4); selp.u32 %r9, 1, 2, %p1;", 1);
    answers(TWO, "call (%r9, %p1, %d3), f, (%r3, %r2);", 0x99aabbcc + 0x55667788);
    answers(TWO, "call (_, _, %d3), f, (%r4, %r1); cvt.u32.u64 %r9, %d3;", 7 * 0x11223344);
}

Test(registers, calls_that_a_device_cannot_make)
{
    refused(".func (.reg .u32 r) f(.reg .pred x) { selp.u32 r, 1, 2, x; ret; }\n",
            "call (%r9), f, (%p1);");
    refused(".func (.reg .u16 r) f(.reg .u32 x) { cvt.u16.u32 r, x; ret; }\n",
            "call (%h1), f, (%r1);");
    refused(TWO, "mov.u64 %d3, f; P: .callprototype (.reg .u32 _, .reg .pred _, .reg .u64 _) _ "
                 "(.reg .u32 _, .reg .u32 _);\ncall (%r9, %p1, %d4), %d3, (%r1, %r2), P;");
    refused("", ".param .b32 x; st.param.b32 [x], %r1; ld.param.b32 %r9, [x];");
    refused(".func (.reg .u32 r) f .noreturn { exit; }\n", "call (%r9), f;");
    answers(".func f .noreturn { exit; }\n",
            "mov.u32 %r9, 3; setp.eq.u32 %p1, %r9, 4; @%p1 call f;", 3);
}

Test(registers, operands_may_be_sums)
{
    answers("", "add.u32 %r9, %r4+4, 1;", 12);
    answers("", "mul.lo.u32 %r9, %r4, %r4+-3;", 28);
    answers("", "st.global.u64 [%d0+16], %d2+1; ld.global.u32 %r9, [%d0+16];", 0x89abcdf0);
    answers("", "mov.b16 %h1, 0xffff; st.global.u16 [%d0+16], %h1+2; ld.global.u16 %r9, [%d0+16];",
            1);
    answers("", ".local .b64 x; st.u64 [x], %d2+1; ld.u64 %d3, [x]; cvt.u32.u64 %r9, %d3;",
            0x89abcdf0);
    refused("", "st.global.v2.u32 [%d0+16], {%r1+1, %r2};");
    refused("", "add.u32 %r9+1, %r1, %r2;");
    refused("", "mov.u32 %r9, %tid.x+1;");
}

Test(registers, an_access_without_a_space_names_shared_memory)
{
    answers(".shared .b32 x, y;\n", "st.shared.u32 [y], %r1; ld.u32 %r9, [y];", 0x11223344);
    answers(".shared .b32 x, y;\n",
            "st.u32 [y], %r1; atom.add.u32 %r5, [y], 1; ld.shared.u32 %r9, [y];", 0x11223345);
    refused(".const .b32 x = 5;\n", "ld.u32 %r9, [x];");
}

Test(registers, spaces_of_addresses)
{
#define IS(space, of) "isspacep." space " %p1, " of "; selp.u32 %r9, 1, 0, %p1;"
    answers("", IS("global", "%d0"), 1);
    answers("", "mov.u64 %d3, 0; " IS("global", "%d3"), 1);
    answers("", IS("const", "%d0"), 0);
    answers(".const .b32 x = 5;\n", "cvta.const.u64 %d3, x; " IS("const", "%d3"), 1);
    answers(".const .b32 x = 5;\n", "cvta.const.u64 %d3, x; " IS("global", "%d3"), 0);
    answers(".shared .b32 x;\n", "cvta.shared.u64 %d3, x; " IS("global", "%d3"), 0);
    answers(".shared .b32 x;\n", "cvta.shared.u64 %d3, x; " IS("shared", "%d3"), 1);
    answers("", "cvta.param.u64 %d3, p; " IS("param", "%d3"), 1);
#undef IS
}

Test(registers, conversions_to_8_bits_came_with_hopper)
{
    char text[1024];
    CUmodule module = NULL;
    const char *const good[] = {"7.8\n.target sm_90", "8.1\n.target sm_89"};
    const char *const bad[] = {"7.8\n.target sm_89", "7.7\n.target sm_90", "8.1\n.target sm_80"};
    const char *body = "\n.address_size 64\n.visible .entry k() { .reg .f32 %f; .reg .b16 %h; "
                       "cvt.rn.satfinite.e4m3x2.f32 %h, %f, %f; ret; }";

    start();
    for (size_t i = 0; i < 2; i++) {
        snprintf(text, sizeof(text), ".version %s%s", good[i], body);
        EXPECT(CUDA_SUCCESS, mock_cuModuleLoadData(&module, text));
    }
    for (size_t i = 0; i < 3; i++) {
        snprintf(text, sizeof(text), ".version %s%s", bad[i], body);
        EXPECT(CUDA_ERROR_INVALID_PTX, mock_cuModuleLoadData(&module, text));
    }
}

/* --- assertions --- */

#define FAIL                                                                                       \
    ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, "      \
    ".param "                                                                                      \
    ".b64 e);\n.global .b8 what[2] = {120, 0};\n"
#define CALL_FAIL                                                                                  \
    "{ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;\n"               \
    "mov.u64 %d3, what; cvta.global.u64 %d3, %d3; mov.u64 %d4, 1; st.param.b64 [a], %d3; "         \
    "st.param.b64 [b], %d3; st.param.b32 [c], %r4; st.param.b64 [d], %d3; st.param.b64 [e], "      \
    "%d4;\n"                                                                                       \
    "call __assertfail, (a, b, c, d, e); }\n"

Test(registers, every_thread_that_fails_says_so, .init = cr_redirect_stderr)
{
    EXPECT(CUDA_ERROR_ASSERT,
           run(FAIL,
               "and.b32 %r5, %t, 7; setp.ne.u32 %p1, %r5, 3; @%p1 bra GOOD;\n" CALL_FAIL "GOOD:\n",
               32));
    fflush(stderr);
    cr_assert_stderr_eq_str("x:7: x: block: [0,0,0], thread: [3,0,0] Assertion `x` failed.\n"
                            "x:7: x: block: [0,0,0], thread: [11,0,0] Assertion `x` failed.\n"
                            "x:7: x: block: [0,0,0], thread: [19,0,0] Assertion `x` failed.\n"
                            "x:7: x: block: [0,0,0], thread: [27,0,0] Assertion `x` failed.\n");
}
