/* SPDX-License-Identifier: MIT */
/*
 * graph_loop: square roots by Newton's method, in one launch of a graph. The graph has a loop,
 * which goes on as long as a kernel says that there is a root that is not good enough. The host is
 * not asked, and does not know how many steps there will be.
 *
 * Needs a driver of CUDA 12.3. Exit status: 0 the roots are right, 1 there is no usable driver or a
 * call failed.
 */
#include <math.h>
#include <stdio.h>

#include <cushim/cushim.h>

enum { N = 1000 };

/*
 * root = (root + a / root) / 2 for each element. *goes_on becomes 1 where root^2 is not a, up to a
 * part in 10^5. The first thread counts the steps.
 */
static const char newton_ptx[] =
    ".version 6.0\n.target sm_50\n.address_size 64\n"
    ".visible .entry newton(.param .u64 a, .param .u64 root, .param .u64 goes_on,\n"
    "                       .param .u64 steps, .param .u32 n)\n{\n"
    "  .reg .pred %p; .reg .u32 %i, %k, %t, %n; .reg .u64 %at; .reg .f32 %a, %r, %d, %most;\n"
    "  mov.u32 %i, %ctaid.x; mov.u32 %k, %ntid.x; mov.u32 %t, %tid.x;\n"
    "  mad.lo.u32 %i, %i, %k, %t; ld.param.u32 %n, [n]; setp.ge.u32 %p, %i, %n; @%p ret;\n"
    "  setp.ne.u32 %p, %i, 0; @%p bra COUNTED;\n"
    "  ld.param.u64 %at, [steps]; ld.global.u32 %k, [%at]; add.u32 %k, %k, 1;\n"
    "  st.global.u32 [%at], %k;\n"
    "COUNTED:\n"
    "  ld.param.u64 %at, [a]; mad.wide.u32 %at, %i, 4, %at; ld.global.f32 %a, [%at];\n"
    "  ld.param.u64 %at, [root]; mad.wide.u32 %at, %i, 4, %at; ld.global.f32 %r, [%at];\n"
    "  div.rn.f32 %d, %a, %r; add.f32 %r, %r, %d; mul.f32 %r, %r, 0f3f000000;\n"
    "  st.global.f32 [%at], %r;\n"
    "  mul.f32 %d, %r, %r; sub.f32 %d, %d, %a; abs.f32 %d, %d; mul.f32 %most, %a, 0f3727c5ac;\n"
    "  setp.le.f32 %p, %d, %most; @%p ret;\n"
    "  ld.param.u64 %at, [goes_on]; red.global.or.b32 [%at], 1;\n  ret;\n}\n";

struct memory {
    cushim_slice a, root, goes_on, steps;
};

/* The body of the loop: each step says for itself whether there is another one. */
static cushim_status record_step(cushim_stream body, cushim_function newton, const struct memory *m)
{
    const unsigned n = N;

    CUSHIM_TRY(cushim_slice_fill(body, m->goes_on, 0));
    return cushim_launch(body, newton, cushim_for_elements(N), CUSHIM_IN(m->a),
                         CUSHIM_INOUT(m->root), CUSHIM_INOUT(m->goes_on), CUSHIM_INOUT(m->steps),
                         CUSHIM_VALUE(n));
}

static cushim_status record(cushim_context context, const struct memory *m, cushim_graph *ret_graph)
{
    CUSHIM_SCOPED(cushim_module) module = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_stream) recorder = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_stream) body = CUSHIM_NONE;
    cushim_function newton;

    CUSHIM_TRY(cushim_module_load_text(context, newton_ptx, NULL, &module));
    CUSHIM_TRY(cushim_module_function(module, "newton", &newton));
    CUSHIM_TRY(cushim_capture_begin(context, &recorder));
    CUSHIM_TRY(cushim_slice_fill(recorder, m->root, 1.0f));
    CUSHIM_TRY(cushim_slice_fill(recorder, m->steps, 0));
    CUSHIM_TRY(cushim_slice_fill(recorder, m->goes_on, 1)); /* else the loop would not begin */
    CUSHIM_TRY(cushim_capture_while(recorder, m->goes_on, &body));
    CUSHIM_TRY(record_step(body, newton, m));
    CUSHIM_TRY(cushim_capture_end_body(&body));
    return cushim_capture_end(&recorder, ret_graph);
}

static cushim_status compute(cushim_context context, struct memory *m, const float *values,
                             float *roots, int *ret_steps)
{
    CUSHIM_SCOPED(cushim_graph) graph = CUSHIM_NONE;
    cushim_stream stream;

    CUSHIM_TRY(cushim_stream_default(context, &stream));
    CUSHIM_TRY(cushim_slice_from(stream, values, N, &m->a));
    CUSHIM_TRY(cushim_slice_alloc(stream, CUSHIM_ELEMENT(float), N, &m->root));
    CUSHIM_TRY(cushim_slice_alloc(stream, CUSHIM_ELEMENT(int), 1, &m->goes_on));
    CUSHIM_TRY(cushim_slice_alloc(stream, CUSHIM_ELEMENT(int), 1, &m->steps));
    CUSHIM_TRY(record(context, m, &graph));
    CUSHIM_TRY(cushim_graph_launch(graph, stream));
    CUSHIM_TRY(cushim_slice_read(stream, m->root, roots, N));
    return cushim_slice_read(stream, m->steps, ret_steps, 1);
}

static cushim_status open_and_compute(const float *values, float *roots, int *ret_steps)
{
    CUSHIM_SCOPED(cushim_driver) driver = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_context) context = CUSHIM_NONE;
    struct memory memory = {.a = CUSHIM_NONE};
    cushim_status status;

    CUSHIM_TRY(cushim_open(NULL, &driver));
    CUSHIM_TRY(cushim_context_primary(driver, 0, &context));
    status = compute(context, &memory, values, roots, ret_steps);
    cushim_slice_free(&memory.a);
    cushim_slice_free(&memory.root);
    cushim_slice_free(&memory.goes_on);
    cushim_slice_free(&memory.steps);
    return status;
}

int main(void)
{
    float values[N], roots[N];
    int steps = 0, wrong = 0;

    for (int i = 0; i < N; i++)
        values[i] = (float) (i + 1);
    if (open_and_compute(values, roots, &steps) != CUSHIM_OK) {
        fprintf(stderr, "graph_loop: %s\n", cushim_error_text());
        return 1;
    }
    for (int i = 0; i < N; i++)
        wrong += !(fabsf(roots[i] - sqrtf(values[i])) <= 1e-4f * roots[i]);
    printf("%d steps in one launch; %d of %d roots are wrong\n", steps, wrong, N);
    return wrong ? 1 : 0;
}
