/* SPDX-License-Identifier: MIT */
/* A module of small kernels, which note their last launch: for tests of launches. */
#ifndef CUSHIM_TESTS_LAUNCH_KERNELS_H
#define CUSHIM_TESTS_LAUNCH_KERNELS_H

#include "../support.h"

#include <stdio.h>

enum { N = 1000 };

static struct world w;
static cushim_stream stream;
static cushim_module module;
static cushim_function saxpy, nothing, pair, three;

#define PTX_HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"

/* note(): the first thread of a launch writes what a struct noted has. */
static const char ptx[] = PTX_HEAD
    ".visible .global .align 8 .b8 noted[48];\n"
    ".func note()\n"
    "{\n"
    "  .reg .pred %first;\n"
    "  .reg .b32 %n<6>, %or, %b<3>, %g<3>, %one;\n"
    "  .reg .b64 %to;\n"
    "  mov.u32 %n0, %tid.x; mov.u32 %n1, %tid.y; mov.u32 %n2, %tid.z;\n"
    "  mov.u32 %n3, %ctaid.x; mov.u32 %n4, %ctaid.y; mov.u32 %n5, %ctaid.z;\n"
    "  or.b32 %or, %n0, %n1; or.b32 %or, %or, %n2; or.b32 %or, %or, %n3;\n"
    "  or.b32 %or, %or, %n4; or.b32 %or, %or, %n5;\n"
    "  setp.ne.u32 %first, %or, 0;\n"
    "  @%first ret;\n"
    "  mov.u32 %g0, %nctaid.x; mov.u32 %g1, %nctaid.y; mov.u32 %g2, %nctaid.z;\n"
    "  mov.u32 %b0, %ntid.x; mov.u32 %b1, %ntid.y; mov.u32 %b2, %ntid.z;\n"
    "  mov.u64 %to, noted;\n"
    "  ld.global.u32 %one, [%to];\n"
    "  add.u32 %one, %one, 1;\n"
    "  st.global.u32 [%to], %one;\n"
    "  st.global.u32 [%to+4], %g0; st.global.u32 [%to+8], %g1; st.global.u32 [%to+12], %g2;\n"
    "  st.global.u32 [%to+16], %b0; st.global.u32 [%to+20], %b1; st.global.u32 [%to+24], %b2;\n"
    "  ret;\n"
    "}\n"
    ".visible .entry saxpy(.param .f32 a, .param .u64 x, .param .u64 y, .param .u64 n)\n"
    "{\n"
    "  .reg .pred %end;\n"
    "  .reg .b32 %r<4>;\n"
    "  .reg .b64 %d<6>;\n"
    "  .reg .f32 %f<4>;\n"
    "  call note;\n"
    "  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x;\n"
    "  mad.lo.u32 %r3, %r0, %r1, %r2;\n"
    "  cvt.u64.u32 %d0, %r3;\n"
    "  ld.param.u64 %d1, [n];\n"
    "  setp.ge.u64 %end, %d0, %d1;\n"
    "  @%end ret;\n"
    "  ld.param.u64 %d2, [x]; ld.param.u64 %d3, [y];\n"
    "  mad.wide.u32 %d4, %r3, 4, %d2;\n"
    "  mad.wide.u32 %d5, %r3, 4, %d3;\n"
    "  ld.param.f32 %f0, [a];\n"
    "  ld.global.f32 %f1, [%d4]; ld.global.f32 %f2, [%d5];\n"
    "  fma.rn.f32 %f3, %f0, %f1, %f2;\n"
    "  st.global.f32 [%d5], %f3;\n"
    "  ret;\n"
    "}\n"
    ".visible .entry nothing() { call note; ret; }\n"
    ".visible .entry three(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)\n"
    "{ call note; ret; }\n"
    ".visible .entry pair(.param .align 8 .b8 s[16], .param .u8 c)\n"
    "{\n"
    "  .reg .b64 %s<2>, %to;\n"
    "  .reg .b16 %c;\n"
    "  call note;\n"
    "  mov.u64 %to, noted;\n"
    "  ld.param.u64 %s0, [s]; ld.param.u64 %s1, [s+8]; ld.param.u8 %c, [c];\n"
    "  st.global.u64 [%to+32], %s0; st.global.u64 [%to+40], %s1; st.global.u8 [%to+28], %c;\n"
    "  ret;\n"
    "}\n";

struct two {
    double d[2];
};

/* The kernels' variable of this name. */
struct noted {
    unsigned launches, grid[3], block[3];
    char c; /* what pair() got */
    uint64_t s[2];
};

/* Reads a variable below the hooks, after all work of the context. */
static inline void read_variable(cushim_module of, const char *name, void *ret_value, size_t bytes)
{
    uint64_t address = 0;
    size_t has = 0;
    void *cu = NULL;

    assert_ok(cushim_module_raw(of, &cu));
    assert_ok(cushim_context_synchronize(w.context));
    assert_ok(cushim_context_push(w.context));
    cr_assert(eq(int,
                 RAW(&w, cuModuleGetGlobal_v2, (uint64_t *, size_t *, void *, const char *),
                     &address, &has, cu, name),
                 0));
    cr_assert(eq(sz, has, bytes));
    cr_assert(eq(
        int, RAW(&w, cuMemcpyDtoH_v2, (void *, uint64_t, size_t), ret_value, address, bytes), 0));
    assert_ok(cushim_context_pop(w.driver, NULL));
}

static inline struct noted last_launch(void)
{
    struct noted noted;

    read_variable(module, "noted", &noted, sizeof(noted));
    return noted;
}

static void begin(void)
{
    open_world(&w);
    assert_ok(cushim_stream_new(w.context, NULL, &stream));
    assert_ok(cushim_module_load_text(w.context, ptx, NULL, &module));
    assert_ok(cushim_module_function(module, "saxpy", &saxpy));
    assert_ok(cushim_module_function(module, "nothing", &nothing));
    assert_ok(cushim_module_function(module, "pair", &pair));
    assert_ok(cushim_module_function(module, "three", &three));
}

static void finish(void)
{
    cushim_stream_free(&stream);
    cushim_module_free(&module);
    close_world(&w);
}

static cushim_slice ones(size_t n)
{
    cushim_slice slice = CUSHIM_NONE;

    assert_ok(cushim_slice_alloc(stream, sizeof(float), n, &slice));
    assert_ok(cushim_slice_fill(stream, slice, 1.0f));
    return slice;
}

#endif
