/* SPDX-License-Identifier: MIT */
/*
 * graph_update: one graph is recorded, and then changed in five ways between its launches, without
 * being made anew: all of it is recorded again, one node gets another value, one slice takes the
 * place of another, and a node is switched off. The last change is not possible, and the error says
 * why; the graph stays as it was.
 *
 * Exit status: 0 all results are right, 1 there is no usable driver or a call failed.
 */
#include <stdio.h>

#include <cushim/cushim.h>

enum { N = 1000 };

/* y += a x */
static const char axpy_ptx[] =
    ".version 6.0\n.target sm_50\n.address_size 64\n"
    ".visible .entry axpy(.param .f32 a, .param .u64 x, .param .u64 y, .param .u32 n)\n{\n"
    "  .reg .pred %p; .reg .u32 %i, %k, %t, %n; .reg .u64 %x, %y; .reg .f32 %a, %u, %v;\n"
    "  mov.u32 %i, %ctaid.x; mov.u32 %k, %ntid.x; mov.u32 %t, %tid.x;\n"
    "  mad.lo.u32 %i, %i, %k, %t; ld.param.u32 %n, [n]; setp.ge.u32 %p, %i, %n; @%p ret;\n"
    "  ld.param.f32 %a, [a]; ld.param.u64 %x, [x]; ld.param.u64 %y, [y];\n"
    "  mad.wide.u32 %x, %i, 4, %x; mad.wide.u32 %y, %i, 4, %y;\n"
    "  ld.global.f32 %u, [%x]; ld.global.f32 %v, [%y];\n"
    "  fma.rn.f32 %v, %a, %u, %v; st.global.f32 [%y], %v;\n  ret;\n}\n";

struct work {
    cushim_stream stream;
    cushim_function axpy;
    cushim_slice x, other, y;
    cushim_graph graph;
    cushim_node launch;
    int wrong;
};

static cushim_status record_axpy(const struct work *w, cushim_stream recorder, float a)
{
    const unsigned n = N;

    return cushim_launch(recorder, w->axpy, cushim_for_elements(N), CUSHIM_VALUE(a),
                         CUSHIM_IN(w->x), CUSHIM_INOUT(w->y), CUSHIM_VALUE(n));
}

/* y = 1 + a x. Such a function records a graph, and updates it. */
static cushim_status record(const struct work *w, cushim_stream recorder, float a)
{
    CUSHIM_TRY(cushim_slice_fill(recorder, w->y, 1.0f));
    return record_axpy(w, recorder, a);
}

static cushim_status make(struct work *w, cushim_context context)
{
    CUSHIM_SCOPED(cushim_stream) recorder = CUSHIM_NONE;

    CUSHIM_TRY(cushim_capture_begin(context, &recorder));
    CUSHIM_TRY(record(w, recorder, 2));
    CUSHIM_TRY(cushim_capture_node(recorder, &w->launch)); /* of the last work */
    return cushim_capture_end(&recorder, &w->graph);
}

/* Launches the graph, after which all of y has to be one number. */
static cushim_status run(struct work *w, const char *what, float expected)
{
    float y[N];

    CUSHIM_TRY(cushim_graph_launch(w->graph, w->stream));
    CUSHIM_TRY(cushim_slice_read(w->stream, w->y, y, N));
    printf("%s: %g\n", what, y[0]);
    for (int i = 0; i < N; i++)
        w->wrong += y[i] != expected;
    return CUSHIM_OK;
}

static cushim_status record_again(struct work *w)
{
    CUSHIM_SCOPED(cushim_stream) recorder = CUSHIM_NONE;

    CUSHIM_TRY(cushim_graph_update_begin(w->graph, &recorder));
    CUSHIM_TRY(record(w, recorder, 3));
    return cushim_graph_update_end(&recorder);
}

static cushim_status change_node(struct work *w)
{
    CUSHIM_SCOPED(cushim_stream) recorder = CUSHIM_NONE;

    CUSHIM_TRY(cushim_graph_update_begin(w->graph, &recorder));
    CUSHIM_TRY(cushim_graph_update_node(recorder, w->launch));
    CUSHIM_TRY(record_axpy(w, recorder, 4));
    return cushim_graph_update_end(&recorder);
}

/* A fill cannot take the place of a launch. */
static cushim_status change_kind(struct work *w)
{
    CUSHIM_SCOPED(cushim_stream) recorder = CUSHIM_NONE;

    CUSHIM_TRY(cushim_graph_update_begin(w->graph, &recorder));
    CUSHIM_TRY(cushim_graph_update_node(recorder, w->launch));
    CUSHIM_TRY(cushim_slice_fill(recorder, w->y, 0.0f));
    return cushim_graph_update_end(&recorder);
}

static cushim_status change(struct work *w)
{
    cushim_node fill;

    CUSHIM_TRY(run(w, "as it was recorded", 1 + 2 * 1));
    CUSHIM_TRY(record_again(w));
    CUSHIM_TRY(run(w, "recorded again", 1 + 3 * 1));
    CUSHIM_TRY(change_node(w));
    CUSHIM_TRY(run(w, "one node changed", 1 + 4 * 1));
    CUSHIM_TRY(cushim_graph_replace(w->graph, w->x, w->other));
    CUSHIM_TRY(run(w, "a slice replaced", 1 + 4 * 10));
    CUSHIM_TRY(cushim_graph_node(w->graph, 0, &fill));
    CUSHIM_TRY(cushim_graph_set_enabled(w->graph, fill, 0));
    CUSHIM_TRY(run(w, "without the fill", 1 + 4 * 10 + 4 * 10));
    if (change_kind(w) != CUSHIM_OK)
        printf("refused: %s\n", cushim_error_text());
    return run(w, "so it is unchanged", 1 + 4 * 10 + 4 * 10 + 4 * 10);
}

static cushim_status use(cushim_context context, struct work *w)
{
    CUSHIM_SCOPED(cushim_module) module = CUSHIM_NONE;

    CUSHIM_TRY(cushim_stream_default(context, &w->stream));
    CUSHIM_TRY(cushim_module_load_text(context, axpy_ptx, NULL, &module));
    CUSHIM_TRY(cushim_module_function(module, "axpy", &w->axpy));
    CUSHIM_TRY(cushim_slice_alloc(w->stream, CUSHIM_ELEMENT(float), N, &w->x));
    CUSHIM_TRY(cushim_slice_alloc(w->stream, CUSHIM_ELEMENT(float), N, &w->other));
    CUSHIM_TRY(cushim_slice_alloc(w->stream, CUSHIM_ELEMENT(float), N, &w->y));
    CUSHIM_TRY(cushim_slice_fill(w->stream, w->x, 1.0f));
    CUSHIM_TRY(cushim_slice_fill(w->stream, w->other, 10.0f));
    CUSHIM_TRY(make(w, context));
    return change(w);
}

static cushim_status open_and_use(struct work *w)
{
    CUSHIM_SCOPED(cushim_driver) driver = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_context) context = CUSHIM_NONE;
    cushim_status status;

    CUSHIM_TRY(cushim_open(NULL, &driver));
    CUSHIM_TRY(cushim_context_primary(driver, 0, &context));
    status = use(context, w);
    cushim_graph_free(&w->graph);
    cushim_slice_free(&w->x);
    cushim_slice_free(&w->other);
    cushim_slice_free(&w->y);
    return status;
}

int main(void)
{
    struct work work = {.wrong = 0};

    if (open_and_use(&work) != CUSHIM_OK) {
        fprintf(stderr, "graph_update: %s\n", cushim_error_text());
        return 1;
    }
    printf("%d values are wrong\n", work.wrong);
    return work.wrong ? 1 : 0;
}
