/* SPDX-License-Identifier: MIT */
/* A world (support.h) whose context is current, with two streams. */
#ifndef CUSHIM_TESTS_SAFE_TWO_STREAMS_H
#define CUSHIM_TESTS_SAFE_TWO_STREAMS_H

#include "support.h"

struct fixture {
    struct world w;
    cushim_stream a, b;
};

static inline void open_fixture(struct fixture *f)
{
    open_world(&f->w);
    assert_ok(cushim_context_set_current(f->w.context));
    assert_ok(cushim_stream_new(f->w.context, NULL, &f->a));
    assert_ok(cushim_stream_new(f->w.context, NULL, &f->b));
}

static inline void close_fixture(struct fixture *f)
{
    cushim_stream_free(&f->a);
    cushim_stream_free(&f->b);
    close_world(&f->w);
}

#endif
