/* SPDX-License-Identifier: MIT */
/*
 * replay: the steps of a simulation, recorded once as a graph and launched many times. Each step is
 * a copy and a kernel, and each launch of the graph is one driver call. Memory that the program
 * frees after the recording lives as long as the graph.
 *
 * Exit status: 0 the result is right, 1 there is no usable driver or a call failed.
 */
#include <stdio.h>

#include <cushim/cushim.h>

enum { N = 1000, STEPS = 100 };

/* Each element becomes the mean of its neighbours in a ring. */
static const char smooth_ptx[] =
    ".version 6.0\n.target sm_50\n.address_size 64\n"
    ".visible .entry smooth(.param .u64 out, .param .u64 in, .param .u32 n)\n{\n"
    "  .reg .pred %p; .reg .u32 %i, %k, %n, %l, %r; .reg .u64 %out, %in, %a; .reg .f32 %x, %y;\n"
    "  ld.param.u32 %n, [n]; ld.param.u64 %in, [in]; ld.param.u64 %out, [out];\n"
    "  mov.u32 %i, %ctaid.x; mov.u32 %k, %ntid.x; mov.u32 %l, %tid.x; mad.lo.u32 %i, %i, %k, %l;\n"
    "  setp.ge.u32 %p, %i, %n; @%p ret;\n"
    "  add.u32 %r, %i, 1; setp.eq.u32 %p, %r, %n; selp.u32 %r, 0, %r, %p;\n"
    "  sub.u32 %l, %n, 1; sub.u32 %k, %i, 1; setp.eq.u32 %p, %i, 0; selp.u32 %l, %l, %k, %p;\n"
    "  mad.wide.u32 %a, %l, 4, %in; ld.global.f32 %x, [%a];\n"
    "  mad.wide.u32 %a, %r, 4, %in; ld.global.f32 %y, [%a];\n"
    "  add.f32 %x, %x, %y; mul.f32 %x, %x, 0f3f000000;\n"
    "  mad.wide.u32 %a, %i, 4, %out; st.global.f32 [%a], %x;\n  ret;\n}\n";

/* Records one step, which changes x, as a graph. */
static cushim_status record(cushim_context context, cushim_slice x, cushim_graph *ret_step)
{
    CUSHIM_SCOPED(cushim_module) module = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_slice) before = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_stream) recorder = CUSHIM_NONE;
    const unsigned n = N;
    cushim_stream stream;
    cushim_function smooth;

    CUSHIM_TRY(cushim_stream_default(context, &stream));
    CUSHIM_TRY(cushim_module_load_text(context, smooth_ptx, NULL, &module));
    CUSHIM_TRY(cushim_module_function(module, "smooth", &smooth));
    CUSHIM_TRY(cushim_slice_alloc(stream, sizeof(float), N, &before));

    CUSHIM_TRY(cushim_capture_begin(context, &recorder));
    CUSHIM_TRY(cushim_slice_copy(recorder, before, x));
    CUSHIM_TRY(cushim_launch(recorder, smooth, cushim_for_elements(N), CUSHIM_OUT(x),
                             CUSHIM_IN(before), CUSHIM_VALUE(n)));
    return cushim_capture_end(&recorder, ret_step);
}

static cushim_status simulate(float *values)
{
    CUSHIM_SCOPED(cushim_driver) driver = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_context) context = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_graph) step = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_slice) x = CUSHIM_NONE;
    cushim_stream stream;

    CUSHIM_TRY(cushim_open(NULL, &driver));
    CUSHIM_TRY(cushim_context_primary(driver, 0, &context));
    CUSHIM_TRY(cushim_stream_default(context, &stream));
    CUSHIM_TRY(cushim_slice_from(stream, values, N, &x));
    CUSHIM_TRY(record(context, x, &step));
    for (int i = 0; i < STEPS; i++)
        CUSHIM_TRY(cushim_graph_launch(step, stream));
    return cushim_slice_read(stream, x, values, N);
}

static void simulate_here(float *values)
{
    float before[N];

    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < N; i++)
            before[i] = values[i];
        for (int i = 0; i < N; i++)
            values[i] = (before[(i + N - 1) % N] + before[(i + 1) % N]) * 0.5f;
    }
}

int main(void)
{
    float values[N] = {[N / 2] = 1000}, expected[N] = {[N / 2] = 1000};
    int wrong = 0;

    if (simulate(values) != CUSHIM_OK) {
        fprintf(stderr, "replay: %s\n", cushim_error_text());
        return 1;
    }
    simulate_here(expected);
    for (int i = 0; i < N; i++)
        wrong += values[i] != expected[i];
    printf("after %d steps %g in the middle; %d of %d values are wrong\n", STEPS, values[N / 2],
           wrong, N);
    return wrong ? 1 : 0;
}
