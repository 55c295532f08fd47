/* SPDX-License-Identifier: MIT */
/* What kernels get and do: arguments of all sizes, shapes of launches, conversions. */
#include <math.h>

#include "modules.h"

SUITE(kernels);

static struct world w;
static cushim_stream stream;
static cushim_module module;
static cushim_function kernel;

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"

static void begin(const char *ptx, const char *name)
{
    open_world(&w);
    assert_ok(cushim_stream_new(w.context, NULL, &stream));
    assert_ok(cushim_module_load_text(w.context, ptx, NULL, &module));
    assert_ok(cushim_module_function(module, name, &kernel));
}

static void finish(void)
{
    cushim_module_free(&module);
    cushim_stream_free(&stream);
    close_world(&w);
}

/* A kernel that stores its second parameter, which has this size, byte by byte. */
static void check_argument(size_t bytes)
{
    static char ptx[1 << 17];
    const struct cushim_launch_config one = cushim_launch_config(.grid = {1}, .block = {1});
    unsigned char values[1024], got[1024] = {0};
    cushim_slice to = CUSHIM_NONE;
    size_t n;

    n = (size_t) snprintf(ptx, sizeof(ptx),
                          HEAD ".visible .entry keep(.param .u64 to, .param .align 1 .b8 s[%zu],"
                               " .param .u8 last)\n{\n.reg .b64 %%to;\n.reg .b16 %%b;\n"
                               "ld.param.u64 %%to, [to];\n",
                          bytes);
    for (size_t i = 0; i < bytes; i++)
        n += (size_t) snprintf(ptx + n, sizeof(ptx) - n,
                               "ld.param.u8 %%b, [s+%zu]; st.global.u8 [%%to+%zu], %%b;\n", i, i);
    snprintf(ptx + n, sizeof(ptx) - n,
             "ld.param.u8 %%b, [last]; st.global.u8 [%%to+%zu], %%b;\nret;\n}\n", bytes);
    begin(ptx, "keep");
    for (size_t i = 0; i <= bytes; i++)
        values[i] = (unsigned char) (i * 7 + 1);
    assert_ok(cushim_slice_alloc(stream, 1, bytes + 1, &to));
    assert_ok(cushim_launch(stream, kernel, one, CUSHIM_OUT(to), CUSHIM_BYTES(values, bytes),
                            CUSHIM_VALUE(values[bytes])));
    assert_ok(cushim_slice_read(stream, to, got, bytes + 1));
    for (size_t i = 0; i <= bytes; i++)
        cr_assert(eq(uint, got[i], values[i]), "byte %zu", i);
    cushim_slice_free(&to);
    finish();
}

#define ARGUMENT(bytes)                                                                            \
    Test(kernels, an_argument_of_##bytes##_bytes)                                                  \
    {                                                                                              \
        check_argument(bytes);                                                                     \
    }
ARGUMENT(1)
ARGUMENT(2)
ARGUMENT(3)
ARGUMENT(4)
ARGUMENT(6)
ARGUMENT(8)
ARGUMENT(12)
ARGUMENT(16)
ARGUMENT(33)
ARGUMENT(256)
ARGUMENT(1000)

/* Adds 1 to the element of each thread that is inside of the field. */
static const char visit[] =
    HEAD ".visible .entry visit(.param .u64 counts, .param .u32 w, .param .u32 h, .param .u32 d)\n"
         "{\n"
         "  .reg .pred %p;\n"
         "  .reg .b32 %c<3>, %n<3>, %t<3>, %i<3>, %w, %h, %d, %at;\n"
         "  .reg .b64 %a<2>;\n"
         "  mov.u32 %c0, %ctaid.x; mov.u32 %n0, %ntid.x; mov.u32 %t0, %tid.x;\n"
         "  mov.u32 %c1, %ctaid.y; mov.u32 %n1, %ntid.y; mov.u32 %t1, %tid.y;\n"
         "  mov.u32 %c2, %ctaid.z; mov.u32 %n2, %ntid.z; mov.u32 %t2, %tid.z;\n"
         "  mad.lo.u32 %i0, %c0, %n0, %t0;\n"
         "  mad.lo.u32 %i1, %c1, %n1, %t1;\n"
         "  mad.lo.u32 %i2, %c2, %n2, %t2;\n"
         "  ld.param.u32 %w, [w]; ld.param.u32 %h, [h]; ld.param.u32 %d, [d];\n"
         "  setp.ge.u32 %p, %i0, %w;\n  @%p ret;\n"
         "  setp.ge.u32 %p, %i1, %h;\n  @%p ret;\n"
         "  setp.ge.u32 %p, %i2, %d;\n  @%p ret;\n"
         "  mad.lo.u32 %at, %i2, %h, %i1;\n"
         "  mad.lo.u32 %at, %at, %w, %i0;\n"
         "  ld.param.u64 %a0, [counts];\n"
         "  mad.wide.u32 %a1, %at, 4, %a0;\n"
         "  red.global.add.u32 [%a1], 1;\n"
         "  ret;\n"
         "}\n";

/* Every element is visited once, and no thread is anywhere else. */
static void check_shape(struct cushim_launch_config config, unsigned width, unsigned height,
                        unsigned depth)
{
    const size_t inside = (size_t) width * height * depth, n = inside + 64;
    unsigned *got = malloc(n * sizeof(*got));
    cushim_slice counts = CUSHIM_NONE;
    cushim_status status;

    begin(visit, "visit");
    assert_ok(cushim_slice_zeros(stream, sizeof(unsigned), n, &counts));
    /* Not in the assertion, whose text would be longer than C99's limit. */
    status = cushim_launch(stream, kernel, config, CUSHIM_INOUT(counts), CUSHIM_VALUE(width),
                           CUSHIM_VALUE(height), CUSHIM_VALUE(depth));
    assert_ok(status);
    assert_ok(cushim_slice_read(stream, counts, got, n));
    for (size_t i = 0; i < n; i++)
        cr_assert(eq(uint, got[i], i < inside), "element %zu", i);
    cushim_slice_free(&counts);
    free(got);
    finish();
}

#define ELEMENTS(n)                                                                                \
    Test(kernels, shape_of_##n)                                                                    \
    {                                                                                              \
        check_shape(cushim_for_elements(n), n, 1, 1);                                              \
    }
#define FIELD_2D(width, height)                                                                    \
    Test(kernels, shape_of_##width##_x_##height)                                                   \
    {                                                                                              \
        check_shape(cushim_for_2d(width, height), width, height, 1);                               \
    }
#define FIELD_3D(width, height, depth)                                                             \
    Test(kernels, shape_of_##width##_x_##height##_x_##depth)                                       \
    {                                                                                              \
        check_shape(cushim_for_3d(width, height, depth), width, height, depth);                    \
    }
ELEMENTS(1)
ELEMENTS(33)
ELEMENTS(256)
ELEMENTS(1000)
ELEMENTS(4097)
FIELD_2D(1, 1)
FIELD_2D(33, 7)
FIELD_2D(16, 16)
FIELD_2D(3, 100)
FIELD_3D(1, 1, 1)
FIELD_3D(5, 6, 7)
FIELD_3D(8, 8, 9)

enum { HALVES = 1 << 16 };

/* Thread i converts element i. */
#define CONVERSION(load, convert, store)                                                           \
    HEAD ".visible .entry convert(.param .u64 to, .param .u64 from)\n"                             \
         "{\n"                                                                                     \
         "  .reg .b16 %h;\n  .reg .f32 %f;\n  .reg .b32 %c, %n, %t, %i;\n  .reg .b64 %a<4>;\n"     \
         "  mov.u32 %c, %ctaid.x; mov.u32 %n, %ntid.x; mov.u32 %t, %tid.x;\n"                      \
         "  mad.lo.u32 %i, %c, %n, %t;\n"                                                          \
         "  ld.param.u64 %a0, [to]; ld.param.u64 %a1, [from];\n" load convert store "  ret;\n"     \
         "}\n"

static const char to_float[] = CONVERSION(
    "  mad.wide.u32 %a2, %i, 2, %a1;\n  ld.global.b16 %h, [%a2];\n", "  cvt.f32.f16 %f, %h;\n",
    "  mad.wide.u32 %a3, %i, 4, %a0;\n  st.global.f32 [%a3], %f;\n");
static const char from_float[] = CONVERSION(
    "  mad.wide.u32 %a2, %i, 4, %a1;\n  ld.global.f32 %f, [%a2];\n", "  cvt.rn.f16.f32 %h, %f;\n",
    "  mad.wide.u32 %a3, %i, 2, %a0;\n  st.global.b16 [%a3], %h;\n");

static void convert(cushim_slice to, cushim_slice from)
{
    assert_ok(cushim_launch(stream, kernel, cushim_for_elements(HALVES), CUSHIM_OUT(to),
                            CUSHIM_IN(from)));
}

Test(kernels, halves_become_the_same_floats)
{
    static cushim_f16 halves[HALVES];
    static float floats[HALVES];
    cushim_slice from = CUSHIM_NONE, to = CUSHIM_NONE;

    for (unsigned i = 0; i < HALVES; i++)
        halves[i].bits = (uint16_t) i;
    begin(to_float, "convert");
    assert_ok(cushim_slice_from(stream, halves, HALVES, &from));
    assert_ok(cushim_slice_alloc(stream, sizeof(float), HALVES, &to));
    convert(to, from);
    assert_ok(cushim_slice_read(stream, to, floats, HALVES));
    for (int i = 0; i < HALVES; i++) {
        const float wanted = cushim_f16_to_float(halves[i]);

        if (isnan(wanted))
            cr_assert(isnan(floats[i]), "0x%04x", i);
        else
            cr_assert(eq(flt, floats[i], wanted), "0x%04x", i);
    }
    cushim_slice_free(&from);
    cushim_slice_free(&to);
    finish();
}

/* Every half, what lies in the middle of it and the next one, and what is next to that. */
static void check_from_float(int step)
{
    static cushim_f16 halves[HALVES];
    static float floats[HALVES];
    cushim_slice from = CUSHIM_NONE, to = CUSHIM_NONE;

    for (uint32_t i = 0; i < HALVES; i++) {
        const float low = cushim_f16_to_float((cushim_f16){(uint16_t) i});
        const float high = cushim_f16_to_float((cushim_f16){(uint16_t) (i + 1)});
        const float middle = (i & 0x7fff) < 0x7bff ? low + (high - low) / 2 : low;

        floats[i] = step ? nextafterf(middle, step * INFINITY) : middle;
    }
    begin(from_float, "convert");
    assert_ok(cushim_slice_from(stream, floats, HALVES, &from));
    assert_ok(cushim_slice_alloc(stream, sizeof(*halves), HALVES, &to));
    convert(to, from);
    assert_ok(cushim_slice_read(stream, to, halves, HALVES));
    for (int i = 0; i < HALVES; i++) {
        if (isnan(floats[i]))
            cr_assert(isnan(cushim_f16_to_float(halves[i])), "0x%04x", i);
        else
            cr_assert(eq(uint, halves[i].bits, cushim_f16_from_float(floats[i]).bits), "%a",
                      (double) floats[i]);
    }
    cushim_slice_free(&from);
    cushim_slice_free(&to);
    finish();
}

Test(kernels, floats_in_the_middle_become_the_same_halves)
{
    check_from_float(0);
}

Test(kernels, floats_above_the_middle_become_the_same_halves)
{
    check_from_float(1);
}

Test(kernels, floats_below_the_middle_become_the_same_halves)
{
    check_from_float(-1);
}
