/* SPDX-License-Identifier: MIT */
/* Copies between memory of every two kinds, and fills of each kind and of elements of each size. */
#include "support.h"

SUITE(memory_kinds);

enum { N = 500 };

enum kind { SLICE, FAR_SLICE, PINNED, UNIFIED };

struct memory {
    cushim_view view;
    cushim_stream stream; /* of its context */
    cushim_slice slice;
    cushim_pinned pinned;
    cushim_unified unified;
};

struct fixture {
    struct world w;
    cushim_context other; /* of device 1 where there are two */
    cushim_stream a, b, far;
};

static void open_fixture(struct fixture *f)
{
    open_world(&f->w);
    open_other_context(&f->w, &f->other);
    assert_ok(cushim_stream_new(f->w.context, NULL, &f->a));
    assert_ok(cushim_stream_new(f->w.context, NULL, &f->b));
    assert_ok(cushim_stream_new(f->other, NULL, &f->far));
}

static void close_fixture(struct fixture *f)
{
    cushim_stream_free(&f->a);
    cushim_stream_free(&f->b);
    cushim_stream_free(&f->far);
    cushim_context_free(&f->other);
    close_world(&f->w);
}

static struct memory open_memory(const struct fixture *f, enum kind kind, size_t element)
{
    struct memory m = {.stream = kind == FAR_SLICE ? f->far : f->a};

    switch (kind) {
    case PINNED:
        assert_ok(cushim_pinned_alloc(f->w.context, element, N, CUSHIM_PINNED_PORTABLE, &m.pinned));
        m.view = CUSHIM_VIEW(m.pinned);
        break;
    case UNIFIED:
        assert_ok(cushim_unified_alloc(f->w.context, element, N, CUSHIM_ATTACH_GLOBAL, &m.unified));
        m.view = CUSHIM_VIEW(m.unified);
        break;
    default:
        assert_ok(cushim_slice_alloc(m.stream, element, N, &m.slice));
        m.view = CUSHIM_VIEW(m.slice);
    }
    return m;
}

static void close_memory(struct memory *m)
{
    cushim_slice_free(&m->slice);
    cushim_pinned_free(&m->pinned);
    cushim_unified_free(&m->unified);
}

/* The copy is made in one stream, and the source is overwritten in another one. */
static void check_copy(enum kind from_kind, enum kind to_kind)
{
    unsigned values[N], zeros[N] = {0}, got[N];
    struct memory from, to;
    struct fixture f;
    cushim_stream overwriting;

    open_fixture(&f);
    from = open_memory(&f, from_kind, sizeof(unsigned));
    to = open_memory(&f, to_kind, sizeof(unsigned));
    overwriting = from_kind == FAR_SLICE ? f.far : f.b;
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < N; i++)
            values[i] = (i + round) * 2654435761u;
        assert_ok(cushim_slice_write(from.stream, from.view, values, N));
        assert_ok(cushim_slice_copy(to.stream, to.view, from.view));
        assert_ok(cushim_slice_write(overwriting, from.view, zeros, N));
        assert_ok(cushim_slice_read(to.stream, to.view, got, N));
        for (int i = 0; i < N; i++)
            cr_assert(eq(uint, got[i], values[i]), "element %d", i);
    }
    close_memory(&from);
    close_memory(&to);
    close_fixture(&f);
}

/* All elements but the first and the last one are filled. */
static void check_fill(enum kind kind, size_t element)
{
    unsigned char value[16], got[N * 16];
    struct memory m;
    struct fixture f;
    cushim_view part;

    for (size_t i = 0; i < sizeof(value); i++)
        value[i] = (unsigned char) (17 * i + 3);
    memset(got, 0xee, sizeof(got));
    open_fixture(&f);
    m = open_memory(&f, kind, element);
    assert_ok(cushim_view_write(m.stream, m.view, got, element, N));
    assert_ok(cushim_view_part(m.view, 1, N - 2, &part));
    assert_ok(cushim_view_fill(m.stream, part, value, element));
    assert_ok(cushim_view_read(m.stream, m.view, got, element, N));
    for (size_t i = 0; i < N * element; i++) {
        const bool is_outside = i < element || i >= (N - 1) * element;

        cr_assert(eq(uint, got[i], is_outside ? 0xee : value[i % element]), "byte %zu", i);
    }
    close_memory(&m);
    close_fixture(&f);
}

#define COPY(from, to)                                                                             \
    Test(memory_kinds, copy_of_##from##_to_##to)                                                   \
    {                                                                                              \
        check_copy(from, to);                                                                      \
    }
#define FILL(kind, element)                                                                        \
    Test(memory_kinds, fill_of_##kind##_by_##element##_bytes)                                      \
    {                                                                                              \
        check_fill(kind, element);                                                                 \
    }
#define KIND(kind)                                                                                 \
    COPY(kind, SLICE)                                                                              \
    COPY(kind, FAR_SLICE)                                                                          \
    COPY(kind, PINNED)                                                                             \
    COPY(kind, UNIFIED)                                                                            \
    FILL(kind, 1)                                                                                  \
    FILL(kind, 2)                                                                                  \
    FILL(kind, 3)                                                                                  \
    FILL(kind, 4)                                                                                  \
    FILL(kind, 8)                                                                                  \
    FILL(kind, 16)

KIND(SLICE)
KIND(FAR_SLICE)
KIND(PINNED)
KIND(UNIFIED)

/* The host copies pinned memory itself, which is not defined where both sides overlap. */
Test(memory_kinds, host_memory_that_overlaps_the_view)
{
    struct fixture f;
    struct memory m;
    cushim_view part;
    const void *p;
    const int *host;

    open_fixture(&f);
    for (enum kind kind = PINNED; kind <= UNIFIED; kind++) {
        m = open_memory(&f, kind, 4);
        assert_ok(cushim_view_fill(f.a, m.view, &(int){1}, 4));
        if (kind == PINNED)
            assert_ok(cushim_pinned_read(m.pinned, &p));
        else
            assert_ok(cushim_unified_read(m.unified, &p));
        host = p;
        assert_ok(cushim_view_part(m.view, 0, 100, &part));
        assert_refused(cushim_view_write(f.a, part, host + 99, 4, 100), CUSHIM_ERROR_OVERLAP,
                       "the host's memory and the view overlap");
        assert_refused(cushim_view_write_async(f.a, part, host + 99, 4, 100), CUSHIM_ERROR_OVERLAP,
                       "overlap");
        assert_refused(cushim_view_read(f.a, part, (int *) host + 99, 4, 100), CUSHIM_ERROR_OVERLAP,
                       "overlap");
        assert_ok(cushim_view_write(f.a, part, host + 100, 4, 100));
        assert_ok(cushim_view_write_async(f.a, part, host + 100, 4, 100));
        /* Rows that take turns do not overlap. */
        assert_ok(
            cushim_field_from_host(f.a, cushim_field_2d(part, 40, 5, 10), host + 5, 4, 40, 0));
        assert_refused(
            cushim_field_from_host(f.a, cushim_field_2d(part, 40, 5, 10), host + 4, 4, 40, 0),
            CUSHIM_ERROR_OVERLAP, "overlap");
        assert_ok(cushim_stream_synchronize(f.a));
        cushim_pinned_free(&m.pinned);
        cushim_unified_free(&m.unified);
    }
    close_fixture(&f);
}
