/* SPDX-License-Identifier: MIT */
/* A world (safe/support.h) with streams and kernels, for tests of operations and futures. */
#ifndef CUSHIM_TESTS_ASYNC_H
#define CUSHIM_TESTS_ASYNC_H

#include "../safe/support.h"
#include "kernels.h"

enum { N = 1000 };

static struct world w;
static cushim_stream stream, other;
static cushim_module module;
static cushim_function add, sum, fault;

static inline void begin(void)
{
    open_world(&w);
    assert_ok(cushim_stream_new(w.context, NULL, &stream));
    assert_ok(cushim_stream_new(w.context, NULL, &other));
    assert_ok(cushim_module_load_text(w.context, kernels_ptx, NULL, &module));
    assert_ok(cushim_module_function(module, "add", &add));
    assert_ok(cushim_module_function(module, "sum", &sum));
    assert_ok(cushim_module_function(module, "fault", &fault));
    forget_calls(&w);
}

static inline void finish(void)
{
    cushim_module_free(&module);
    cushim_stream_free(&stream);
    cushim_stream_free(&other);
    close_world(&w);
}

/* x[i] += 1 for all elements of an operation. */
static inline cushim_op add_one(cushim_op x)
{
    const unsigned n = N;
    const float one = 1;

    return cushim_op_launch(add, cushim_for_elements(n), CUSHIM_OP_INOUT(x), CUSHIM_VALUE(one),
                            CUSHIM_VALUE(n));
}

/* A slice of N floats. */
static inline cushim_op floats(float value)
{
    return cushim_op_fill(cushim_op_alloc(CUSHIM_ELEMENT(float), N), value);
}

/* Runs an operation that gives N floats, and checks the first and the last one. */
static inline void expect_floats(cushim_op op, float value)
{
    float host[N] = {0};

    assert_ok(cushim_op_run(cushim_op_to_host(op, host, N), stream, NULL));
    cr_assert(eq(flt, host[0], value));
    cr_assert(eq(flt, host[N - 1], value));
}

#endif
