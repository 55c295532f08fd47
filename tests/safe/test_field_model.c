/* SPDX-License-Identifier: MIT */
/* Fields: copies and fills in rows and layers, against a model of the host's. */
#include <stdio.h>

#include "two_streams.h"

SUITE(safe_field_model);

/* --- a model: bytes, and the same fields of them --- */

enum { BYTES = 4096 };

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* A field of bytes that is inside of BYTES. */
static cushim_field some_field(uint32_t *state, cushim_view view, const cushim_field *like)
{
    cushim_field field = {.view = view};

    field.width = like ? like->width : 1 + next_random(state) % 24;
    field.height = like ? like->height : 1 + next_random(state) % 6;
    field.depth = like ? like->depth : 1 + next_random(state) % 4;
    field.pitch = field.width + next_random(state) % 3 * (next_random(state) % 20);
    field.layer_rows = field.height + next_random(state) % 3;
    field.offset = next_random(state) % (BYTES - field.depth * field.layer_rows * field.pitch);
    return field;
}

static size_t place_of(const cushim_field *field, size_t x, size_t y, size_t z)
{
    return field->offset + (z * field->layer_rows + y) * field->pitch + x;
}

#define EACH(field, x, y, z)                                                                       \
    for (size_t z = 0; z < (field)->depth; z++)                                                    \
        for (size_t y = 0; y < (field)->height; y++)                                               \
            for (size_t x = 0; x < (field)->width; x++)

static void model_copy(unsigned char *to, const cushim_field *t, const unsigned char *from,
                       const cushim_field *s)
{
    EACH(t, x, y, z)
    to[place_of(t, x, y, z)] = from[place_of(s, x, y, z)];
}

/* Memory of three kinds, one of them of another device, and what the model says is in it. */
enum { MEMORIES = 4 };

struct memories {
    cushim_context far;
    cushim_stream stream;
    cushim_slice slice, far_slice;
    cushim_pinned pinned;
    cushim_unified unified;
    cushim_view views[MEMORIES];
    unsigned char model[MEMORIES][BYTES];
};

static void open_memories(struct fixture *f, struct memories *m)
{
    memset(m, 0, sizeof(*m));
    assert_ok(cushim_context_primary(f->w.driver, 1, &m->far));
    assert_ok(cushim_stream_new(m->far, NULL, &m->stream));
    assert_ok(cushim_slice_zeros(f->a, 1, BYTES, &m->slice));
    assert_ok(cushim_slice_zeros(m->stream, 1, BYTES, &m->far_slice));
    assert_ok(cushim_pinned_alloc(f->w.context, 1, BYTES, 0, &m->pinned));
    assert_ok(cushim_unified_alloc(f->w.context, 1, BYTES, CUSHIM_ATTACH_GLOBAL, &m->unified));
    m->views[0] = CUSHIM_VIEW(m->slice);
    m->views[1] = CUSHIM_VIEW(m->pinned);
    m->views[2] = CUSHIM_VIEW(m->unified);
    m->views[3] = CUSHIM_VIEW(m->far_slice);
    assert_ok(cushim_slice_fill(f->a, m->views[1], (char) 0));
    assert_ok(cushim_slice_fill(f->a, m->views[2], (char) 0));
}

static void close_memories(struct memories *m)
{
    cushim_slice_free(&m->slice);
    cushim_slice_free(&m->far_slice);
    cushim_pinned_free(&m->pinned);
    cushim_unified_free(&m->unified);
    cushim_stream_free(&m->stream);
    cushim_context_free(&m->far);
}

static void check_memories(const struct fixture *f, const struct memories *m)
{
    static unsigned char values[BYTES];

    for (int i = 0; i < MEMORIES; i++) {
        assert_ok(cushim_slice_read(i == 3 ? m->stream : f->b, m->views[i], values, BYTES));
        for (int k = 0; k < BYTES; k++)
            cr_assert(eq(int, values[k], m->model[i][k]), "byte %d of memory %d", k, i);
    }
}

static void step(struct fixture *f, struct memories *m, uint32_t *state)
{
    static unsigned char host[BYTES];
    const unsigned to = next_random(state) % MEMORIES, from = next_random(state) % MEMORIES;
    const cushim_stream stream = to == 3 ? m->stream : next_random(state) % 2 ? f->a : f->b;
    const cushim_field field = some_field(state, m->views[to], NULL);
    const cushim_field other = some_field(state, m->views[from], &field);
    const unsigned char value = (unsigned char) next_random(state);
    cushim_field on_host = other;

    on_host.view = field.view;
    switch (next_random(state) % 4) {
    case 0:
        EACH(&field, x, y, z)
        m->model[to][place_of(&field, x, y, z)] = value;
        assert_ok(cushim_field_fill(stream, field, value));
        break;
    case 1:
        for (int i = 0; i < BYTES; i++)
            host[i] = (unsigned char) next_random(state);
        model_copy(m->model[to], &field, host, &on_host);
        assert_ok(
            cushim_field_write(stream, field, host + other.offset, other.pitch, other.layer_rows));
        break;
    case 2:
        memset(host, value, BYTES);
        assert_ok(
            cushim_field_read(stream, field, host + other.offset, other.pitch, other.layer_rows));
        EACH(&field, x, y, z)
        cr_assert(
            eq(int, host[place_of(&on_host, x, y, z)], m->model[to][place_of(&field, x, y, z)]));
        cr_assert(eq(int, host[BYTES - 1], value));
        break;
    default:
        if (to == from)
            break;
        model_copy(m->model[to], &field, m->model[from], &other);
        assert_ok(cushim_field_copy(from == 3 ? m->stream : stream, field, other));
    }
}

/* The order of work that nothing orders is drawn from the mock's seed. */
static void compare_with_model(uint32_t seed)
{
    static struct memories m;
    uint32_t state = seed;
    struct fixture f;
    char text[16];

    snprintf(text, sizeof(text), "%u", (unsigned) seed);
    run_alone();
    setenv("CUSHIM_MOCK_SEED", text, 1);
    open_fixture(&f);
    open_memories(&f, &m);
    for (int i = 0; i < 300; i++)
        step(&f, &m, &state);
    check_memories(&f, &m);
    close_memories(&m);
    close_fixture(&f);
}

Test(safe_field_model, does_what_a_model_does)
{
    compare_with_model(7);
}

Test(safe_field_model, does_it_with_another_seed)
{
    compare_with_model(8);
}

Test(safe_field_model, does_it_with_a_third_seed)
{
    compare_with_model(9);
}

static bool have_common_bytes(const cushim_field *a, const cushim_field *b)
{
    static unsigned char used[BYTES];

    memset(used, 0, sizeof(used));
    EACH(a, x, y, z)
    used[place_of(a, x, y, z)] = 1;
    EACH(b, x, y, z)
    if (used[place_of(b, x, y, z)])
        return true;
    return false;
}

/* Fields of one memory with the same pitch overlap exactly where they have bytes in common. */
Test(safe_field_model, overlaps_are_found_by_the_byte)
{
    int overlapping = 0, apart = 0;
    struct memories m;
    struct fixture f;
    uint32_t state = 11;

    open_fixture(&f);
    open_memories(&f, &m);
    for (int i = 0; i < 2000; i++) {
        const cushim_field a = some_field(&state, m.views[0], NULL);
        cushim_field b = a;

        b.offset = (a.offset + next_random(&state) % (4 * a.pitch + 8)) %
                   (BYTES - a.depth * a.layer_rows * a.pitch);
        if (have_common_bytes(&a, &b)) {
            overlapping++;
            assert_refused(cushim_field_copy(f.a, a, b), CUSHIM_ERROR_OVERLAP, "overlap");
            assert_refused(cushim_field_copy(f.a, b, a), CUSHIM_ERROR_OVERLAP, "overlap");
        } else {
            apart++;
            model_copy(m.model[0], &a, m.model[0], &b);
            assert_ok(cushim_field_copy(f.a, a, b));
        }
    }
    cr_assert(gt(int, overlapping, 100));
    cr_assert(gt(int, apart, 100));
    check_memories(&f, &m);
    close_memories(&m);
    close_fixture(&f);
}
