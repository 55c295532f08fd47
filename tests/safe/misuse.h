/* SPDX-License-Identifier: MIT */
/* A world (support.h) with an object of each kind of memory, and another context. */
#ifndef CUSHIM_TESTS_SAFE_MISUSE_H
#define CUSHIM_TESTS_SAFE_MISUSE_H

#include "support.h"

enum { N = 64 };

struct fixture {
    struct world w;
    cushim_context other; /* of device 1 where there are two */
    cushim_stream stream, far;
    cushim_event event;
    cushim_slice slice, far_slice;
    cushim_pinned pinned;
    cushim_unified unified;
};

static inline cushim_slice filled(cushim_stream stream)
{
    cushim_slice slice = CUSHIM_NONE;

    assert_ok(cushim_slice_zeros(stream, sizeof(int), N, &slice));
    return slice;
}

static inline void open_fixture(struct fixture *f)
{
    open_world(&f->w);
    open_other_context(&f->w, &f->other);
    assert_ok(cushim_stream_new(f->w.context, NULL, &f->stream));
    assert_ok(cushim_stream_new(f->other, NULL, &f->far));
    assert_ok(cushim_event_new(f->w.context, 0, &f->event));
    assert_ok(cushim_pinned_alloc(f->w.context, sizeof(int), N, 0, &f->pinned));
    assert_ok(
        cushim_unified_alloc(f->w.context, sizeof(int), N, CUSHIM_ATTACH_GLOBAL, &f->unified));
    f->slice = filled(f->stream);
    f->far_slice = filled(f->far);
}

static inline void close_fixture(struct fixture *f)
{
    cushim_slice_free(&f->slice);
    cushim_slice_free(&f->far_slice);
    cushim_pinned_free(&f->pinned);
    cushim_unified_free(&f->unified);
    cushim_event_free(&f->event);
    cushim_stream_free(&f->stream);
    cushim_stream_free(&f->far);
    cushim_context_free(&f->other);
    close_world(&f->w);
}

#endif
