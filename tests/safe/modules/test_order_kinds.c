/* SPDX-License-Identifier: MIT */
/*
 * Streams of all kinds, two at a time, on the same memory. One writes it by a kernel that takes
 * long; the other copies it after work that takes long, too; then the first one writes it again.
 * Without a wait at either place, the copy has the wrong elements.
 */
#include "modules.h"

SUITE(order_kinds);

enum { N = 32, ROUNDS = 5 };

/* late(to, from, loops): to = from, after so many steps that depend on each other. */
static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry late(.param .u64 to, .param .u64 from, .param .u32 loops)\n"
    "{\n"
    "  .reg .pred %p;\n"
    "  .reg .b32 %i, %n, %x, %v;\n"
    "  .reg .b64 %a<4>;\n"
    "  mov.u32 %x, 7;\n"
    "  mov.u32 %i, 0;\n"
    "  ld.param.u32 %n, [loops];\n"
    "next:\n"
    "  mad.lo.u32 %x, %x, 1664525, 1013904223;\n"
    "  add.u32 %i, %i, 1;\n"
    "  setp.lt.u32 %p, %i, %n;\n"
    "  @%p bra next;\n"
    "  mov.u32 %v, %tid.x;\n"
    "  ld.param.u64 %a0, [to]; ld.param.u64 %a1, [from];\n"
    "  mad.wide.u32 %a2, %v, 4, %a0; mad.wide.u32 %a3, %v, 4, %a1;\n"
    "  ld.global.u32 %v, [%a3];\n"
    "  setp.eq.u32 %p, %x, 7;\n" /* never, but the compiler does not know */
    "  @%p add.u32 %v, %v, 1;\n"
    "  st.global.u32 [%a2], %v;\n"
    "  ret;\n"
    "}\n";

enum kind { DEFAULT, PER_THREAD, PLAIN, BLOCKING, FORKED, URGENT, FAR };

/* A stream, and what it needs in its context. */
struct side {
    cushim_context context; /* a handle of its own */
    cushim_stream base, stream;
    cushim_module module;
    cushim_function late;
    cushim_slice from, to;
};

static void open_stream(struct side *s, enum kind kind)
{
    int least = 0, greatest = 0;

    switch (kind) {
    case DEFAULT:
        assert_ok(cushim_stream_default(s->context, &s->stream));
        break;
    case PER_THREAD:
        assert_ok(cushim_stream_per_thread(s->context, &s->stream));
        break;
    case BLOCKING:
        assert_ok(
            cushim_stream_new(s->context, cushim_stream_params(.blocking = true), &s->stream));
        break;
    case FORKED:
        assert_ok(cushim_stream_new(s->context, NULL, &s->base));
        assert_ok(cushim_stream_fork(s->base, &s->stream));
        break;
    case URGENT:
        assert_ok(cushim_context_priority_range(s->context, &least, &greatest));
        assert_ok(
            cushim_stream_new(s->context, cushim_stream_params(.priority = greatest), &s->stream));
        break;
    default:
        assert_ok(cushim_stream_new(s->context, NULL, &s->stream));
    }
}

static void open_side(const struct world *w, struct side *s, enum kind kind)
{
    if (kind == FAR)
        open_other_context(w, &s->context);
    else
        assert_ok(cushim_context_primary(w->driver, 0, &s->context));
    open_stream(s, kind);
    assert_ok(cushim_module_load_text(s->context, ptx, NULL, &s->module));
    assert_ok(cushim_module_function(s->module, "late", &s->late));
    assert_ok(cushim_slice_zeros(s->stream, sizeof(unsigned), N, &s->from));
    assert_ok(cushim_slice_zeros(s->stream, sizeof(unsigned), N, &s->to));
}

static void close_side(struct side *s)
{
    cushim_slice_free(&s->from);
    cushim_slice_free(&s->to);
    cushim_module_free(&s->module);
    cushim_stream_free(&s->stream);
    cushim_stream_free(&s->base);
    cushim_context_free(&s->context);
}

/* Copies from one slice of the side to the other, late. */
static void copy_late(struct side *s)
{
    const unsigned loops = on_the_mock() ? 100 : 40000;
    const struct cushim_launch_config config = cushim_launch_config(.grid = {1}, .block = {N});

    assert_ok(cushim_launch(s->stream, s->late, config, CUSHIM_OUT(s->to), CUSHIM_IN(s->from),
                            CUSHIM_VALUE(loops)));
}

static void check_order(enum kind writer_kind, enum kind reader_kind)
{
    struct side writer = {.late = CUSHIM_NONE}, reader = {.late = CUSHIM_NONE};
    cushim_slice copy = CUSHIM_NONE;
    unsigned values[N] = {0};
    struct world w;

    open_world(&w);
    open_side(&w, &writer, writer_kind);
    open_side(&w, &reader, reader_kind);
    assert_ok(cushim_slice_alloc(reader.stream, sizeof(unsigned), N, &copy));
    for (unsigned round = 1; round <= ROUNDS; round++) {
        assert_ok(cushim_slice_fill(writer.stream, writer.from, round));
        copy_late(&writer);
        copy_late(&reader);
        assert_ok(cushim_slice_copy(reader.stream, copy, writer.to));
        assert_ok(cushim_slice_fill(writer.stream, writer.to, 0u));
        assert_ok(cushim_slice_read(reader.stream, copy, values, N));
        for (int i = 0; i < N; i++)
            cr_assert(eq(uint, values[i], round), "element %d", i);
        assert_ok(cushim_slice_read(writer.stream, writer.to, values, N));
        for (int i = 0; i < N; i++)
            cr_assert(eq(uint, values[i], 0), "element %d", i);
    }
    cushim_slice_free(&copy);
    close_side(&writer);
    close_side(&reader);
    close_world(&w);
}

#define ORDER(writer, reader)                                                                      \
    Test(order_kinds, writer##_and_##reader)                                                       \
    {                                                                                              \
        check_order(writer, reader);                                                               \
    }
#define ORDER_OF(writer)                                                                           \
    ORDER(writer, DEFAULT)                                                                         \
    ORDER(writer, PER_THREAD)                                                                      \
    ORDER(writer, PLAIN)                                                                           \
    ORDER(writer, BLOCKING)                                                                        \
    ORDER(writer, FORKED)                                                                          \
    ORDER(writer, URGENT)                                                                          \
    ORDER(writer, FAR)

ORDER_OF(DEFAULT)
ORDER_OF(PER_THREAD)
ORDER_OF(PLAIN)
ORDER_OF(BLOCKING)
ORDER_OF(FORKED)
ORDER_OF(URGENT)
ORDER_OF(FAR)
