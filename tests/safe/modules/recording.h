/* SPDX-License-Identifier: MIT */
/* What the tests of recordings share: kernels, slices, and the size of a graph. */
#ifndef CUSHIM_TESTS_RECORDING_H
#define CUSHIM_TESTS_RECORDING_H

#include "../../async/kernels.h"
#include "../support.h"

enum { N = 64 };

static const unsigned n = N;

static struct world w;
static cushim_stream stream;
static cushim_module module;
static cushim_function add, sum;

static inline void begin(void)
{
    open_world(&w);
    assert_ok(cushim_stream_new(w.context, NULL, &stream));
    assert_ok(cushim_module_load_text(w.context, kernels_ptx, NULL, &module));
    assert_ok(cushim_module_function(module, "add", &add));
    assert_ok(cushim_module_function(module, "sum", &sum));
}

static inline void finish(void)
{
    cushim_stream_free(&stream);
    cushim_module_free(&module);
    close_world(&w);
}

static inline cushim_slice zeros(void)
{
    cushim_slice slice = CUSHIM_NONE;

    assert_ok(cushim_slice_zeros(stream, CUSHIM_ELEMENT(float), N, &slice));
    return slice;
}

static inline void expect(cushim_slice slice, float wanted)
{
    float values[N] = {0};

    assert_ok(cushim_slice_read(stream, slice, values, N));
    for (int i = 0; i < N; i++)
        cr_assert(eq(flt, values[i], wanted), "element %d", i);
}

/* x += value */
static inline void record_add(cushim_stream recorder, cushim_slice x, float value)
{
    assert_ok(cushim_launch(recorder, add, cushim_for_elements(N), CUSHIM_INOUT(x),
                            CUSHIM_VALUE(value), CUSHIM_VALUE(n)));
}

/* to = a + b */
static inline void record_sum(cushim_stream recorder, cushim_slice to, cushim_slice a,
                              cushim_slice b)
{
    assert_ok(cushim_launch(recorder, sum, cushim_for_elements(N), CUSHIM_OUT(to), CUSHIM_IN(a),
                            CUSHIM_IN(b), CUSHIM_VALUE(n)));
}

/* The numbers of nodes and edges of a graph. */
static inline void assert_size(cushim_graph graph, size_t nodes, size_t edges)
{
    size_t n_nodes = 0, n_edges = 0;
    void *cu = NULL;

    assert_ok(cushim_graph_raw(graph, &cu, NULL));
    cr_assert(
        eq(int, RAW(&w, cuGraphGetNodes, (void *, void **, size_t *), cu, NULL, &n_nodes), 0));
    cr_assert(
        eq(int,
           RAW(&w, cuGraphGetEdges, (void *, void **, void **, size_t *), cu, NULL, NULL, &n_edges),
           0));
    cr_expect(eq(sz, n_nodes, nodes));
    cr_expect(eq(sz, n_edges, edges));
}

static inline void run(cushim_graph graph)
{
    assert_ok(cushim_graph_launch(graph, stream));
}

#endif
