/* SPDX-License-Identifier: MIT */
/*
 * Modules of a code library. The driver has one module of a library in each context, so all handles
 * of it must keep one order, and the handle that is freed first must not end the others.
 */
#include "modules.h"

SUITE(code_library);

/* late(to, loops): *to = variable, after so many steps that depend on each other. */
static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .global .align 4 .u32 variable;\n"
                          ".visible .entry late(.param .u64 to, .param .u32 loops)\n"
                          "{\n"
                          "  .reg .pred %p;\n"
                          "  .reg .b32 %i, %n, %x, %v;\n"
                          "  .reg .b64 %a;\n"
                          "  mov.u32 %x, 7;\n"
                          "  mov.u32 %i, 0;\n"
                          "  ld.param.u32 %n, [loops];\n"
                          "next:\n"
                          "  mad.lo.u32 %x, %x, 1664525, 1013904223;\n"
                          "  add.u32 %i, %i, 1;\n"
                          "  setp.lt.u32 %p, %i, %n;\n"
                          "  @%p bra next;\n"
                          "  ld.global.u32 %v, [variable];\n"
                          "  setp.eq.u32 %p, %x, 7;\n" /* never, but the compiler does not know */
                          "  @%p add.u32 %v, %v, 1;\n"
                          "  ld.param.u64 %a, [to];\n"
                          "  st.global.u32 [%a], %v;\n"
                          "  ret;\n"
                          "}\n";

enum { LOOPS = 10000 };

struct fixture {
    struct world w;
    cushim_stream a, b;
    cushim_code_library library;
    cushim_module first, second;
    cushim_slice to;
};

static void open_fixture(struct fixture *f)
{
    *f = (struct fixture){.library = CUSHIM_NONE};
    open_world(&f->w);
    assert_ok(cushim_stream_new(f->w.context, NULL, &f->a));
    assert_ok(cushim_stream_new(f->w.context, NULL, &f->b));
    assert_ok(cushim_slice_zeros(f->a, sizeof(int), 1, &f->to));
    assert_ok(cushim_code_library_load(f->w.context, ptx, strlen(ptx), NULL, &f->library));
    assert_ok(cushim_code_library_module(f->library, f->w.context, &f->first));
}

static void close_fixture(struct fixture *f)
{
    cushim_module_free(&f->first);
    cushim_module_free(&f->second);
    cushim_code_library_free(&f->library);
    cushim_slice_free(&f->to);
    cushim_stream_free(&f->a);
    cushim_stream_free(&f->b);
    close_world(&f->w);
}

static void set_variable(cushim_stream stream, cushim_module module, int value)
{
    cushim_slice variable = CUSHIM_NONE;

    assert_ok(cushim_module_global(module, "variable", &variable));
    assert_ok(cushim_slice_write(stream, variable, (const char *) &value, sizeof(value)));
}

static void launch(struct fixture *f, cushim_module module)
{
    cushim_function late;
    const int loops = LOOPS;

    assert_ok(cushim_module_function(module, "late", &late));
    assert_ok(
        cushim_launch(f->a, late, cushim_for_elements(1), CUSHIM_OUT(f->to), CUSHIM_VALUE(loops)));
}

static void expect(struct fixture *f, int wanted)
{
    int value = 0;

    assert_ok(cushim_slice_read(f->a, f->to, &value, 1));
    cr_assert(eq(int, value, wanted));
}

Test(code_library, two_handles_of_a_module_have_one_order)
{
    struct fixture f;

    open_fixture(&f);
    assert_ok(cushim_code_library_module(f.library, f.w.context, &f.second));
    set_variable(f.a, f.first, 1);
    launch(&f, f.first);
    forget_calls(&f.w);
    set_variable(f.b, f.second, 2);
    cr_expect(eq(u64, count(&f.w, "cuStreamWaitEvent"), 1), "b waits for the launch");
    expect(&f, 1);
    launch(&f, f.second);
    expect(&f, 2);
    close_fixture(&f);
}

Test(code_library, a_handle_that_is_freed_leaves_the_others)
{
    cushim_function one, other;
    struct fixture f;

    open_fixture(&f);
    assert_ok(cushim_code_library_module(f.library, f.w.context, &f.second));
    assert_ok(cushim_module_function(f.first, "late", &one));
    assert_ok(cushim_module_function(f.second, "late", &other));
    cr_assert(eq(u64, one.id, other.id));
    cushim_module_free(&f.first);
    set_variable(f.a, f.second, 3);
    launch(&f, f.second);
    expect(&f, 3);
    close_fixture(&f);
}

Test(code_library, a_graph_and_a_new_handle_have_one_order)
{
    cushim_stream recorder = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;
    const int loops = LOOPS;
    cushim_function late;
    struct fixture f;

    open_fixture(&f);
    set_variable(f.a, f.first, 1);
    assert_ok(cushim_module_function(f.first, "late", &late));
    assert_ok(cushim_capture_begin(f.w.context, &recorder));
    assert_ok(cushim_launch(recorder, late, cushim_for_elements(1), CUSHIM_OUT(f.to),
                            CUSHIM_VALUE(loops)));
    assert_ok(cushim_capture_end(&recorder, &graph));
    cushim_module_free(&f.first);
    assert_ok(cushim_graph_launch(graph, f.a));
    assert_ok(cushim_code_library_module(f.library, f.w.context, &f.second));
    forget_calls(&f.w);
    set_variable(f.b, f.second, 2);
    cr_expect(eq(u64, count(&f.w, "cuStreamWaitEvent"), 1), "b waits for the graph");
    expect(&f, 1);
    assert_ok(cushim_graph_launch(graph, f.a));
    expect(&f, 2);
    cushim_graph_free(&graph);
    close_fixture(&f);
}

Test(code_library, a_handle_after_the_last_one_is_a_new_module)
{
    struct fixture f;

    open_fixture(&f);
    set_variable(f.a, f.first, 1);
    launch(&f, f.first);
    cushim_module_free(&f.first);
    assert_ok(cushim_code_library_module(f.library, f.w.context, &f.first));
    set_variable(f.b, f.first, 2);
    expect(&f, 1);
    launch(&f, f.first);
    expect(&f, 2);
    close_fixture(&f);
}
