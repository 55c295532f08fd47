/* SPDX-License-Identifier: MIT */
#include "core/object/handle.h"
#include "core/object/object.h"
#include "core/object/scope.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "support.h"

SUITE(handle);

static const enum cushim__handle_kind DRIVER = CUSHIM__HANDLE_DRIVER, NVRTC = CUSHIM__HANDLE_NVRTC,
                                      TRACE = CUSHIM__HANDLE_TRACE;

static void destroy(void *object)
{
    ++*(int *) object;
}

/* destroyed is the object: how often it was destroyed. */
static uint64_t create(enum cushim__handle_kind kind, int *destroyed)
{
    uint64_t id = 0;

    assert_ok(cushim__handle_create(kind, destroyed, destroy, "create", &id));
    cr_assert(ne(u64, id, 0));
    return id;
}

static void assert_refused(uint64_t id, enum cushim__handle_kind kind, cushim_status status)
{
    cushim_error_clear();
    cr_assert(eq(ptr, cushim__handle_pin(id, kind, "use"), NULL), "id %llx",
              (unsigned long long) id);
    cr_expect(eq(int, cushim_error_status(), status), "id %llx: %s", (unsigned long long) id,
              cushim_error_text());
    cr_expect(eq(str, S(cushim_error_call()), S("use")));
    cr_expect(eq(int, cushim__handle_close(id, kind, "close"), status));
}

Test(handle, leads_to_its_object)
{
    int first = 0, second = 0;
    const uint64_t a = create(DRIVER, &first), b = create(DRIVER, &second);

    cr_expect(eq(ptr, cushim__handle_pin(a, DRIVER, "use"), &first));
    cr_expect(eq(ptr, cushim__handle_pin(b, DRIVER, "use"), &second));
    cushim__handle_unpin(b);
    cushim__handle_unpin(a);
    assert_ok(cushim__handle_close(a, DRIVER, "close"));
    cr_expect(eq(int, first, 1));
    cr_expect(eq(int, second, 0));
    assert_ok(cushim__handle_close(b, DRIVER, "close"));
    cr_expect(eq(int, second, 1));
}

Test(handle, is_stale_once_closed)
{
    int destroyed = 0;
    const uint64_t id = create(TRACE, &destroyed);

    assert_ok(cushim__handle_close(id, TRACE, "close"));
    assert_refused(id, TRACE, CUSHIM_ERROR_STALE_HANDLE);
    assert_refused(id, TRACE, CUSHIM_ERROR_STALE_HANDLE);
    cr_expect(eq(int, destroyed, 1));
}

Test(handle, stays_stale_when_its_slot_is_used_again)
{
    int destroyed = 0;
    uint64_t ids[100];

    for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
        ids[i] = create(DRIVER, &destroyed);
        for (size_t k = 0; k < i; k++) {
            cr_assert(ne(u64, ids[i], ids[k]), "handle %zu and %zu", i, k);
            assert_refused(ids[k], DRIVER, CUSHIM_ERROR_STALE_HANDLE);
        }
        assert_ok(cushim__handle_close(ids[i], DRIVER, "close"));
    }
    cr_expect(eq(int, destroyed, (int) ARRAY_SIZE(ids)));
    /* They did use the same slot: otherwise this has tested little. */
    cr_expect(eq(u64, ids[0] & 0xfffff, ids[99] & 0xfffff));
}

Test(handle, of_another_kind_is_refused)
{
    int destroyed = 0;
    const uint64_t id = create(DRIVER, &destroyed);

    assert_refused(id, NVRTC, CUSHIM_ERROR_WRONG_HANDLE);
    assert_refused(id, TRACE, CUSHIM_ERROR_WRONG_HANDLE);
    cr_expect(eq(int, destroyed, 0));
    cushim__handle_pin(id, TRACE, "cushim_trace_write");
    assert_contains(cushim_error_text(), "driver");
    assert_contains(cushim_error_text(), "trace");
    assert_ok(cushim__handle_close(id, DRIVER, "close"));
}

Test(handle, zero_is_refused)
{
    int destroyed = 0;
    const uint64_t id = create(DRIVER, &destroyed);

    for (int kind = CUSHIM__HANDLE_DRIVER; kind < CUSHIM__HANDLE_KINDS; kind++)
        assert_refused(0, (enum cushim__handle_kind) kind, CUSHIM_ERROR_STALE_HANDLE);
    assert_contains(cushim_error_text(), "zero");
    assert_ok(cushim__handle_close(id, DRIVER, "close"));
}

/* A number that differs from a good handle in one bit is none. */
Test(handle, every_bit_counts)
{
    int destroyed = 0;
    const uint64_t id = create(DRIVER, &destroyed);

    for (int bit = 0; bit < 64; bit++)
        for (int kind = CUSHIM__HANDLE_DRIVER; kind < CUSHIM__HANDLE_KINDS; kind++) {
            const uint64_t other = id ^ UINT64_C(1) << bit;

            cr_expect(
                eq(ptr, cushim__handle_pin(other, (enum cushim__handle_kind) kind, "use"), NULL),
                "bit %d, as kind %d", bit, kind);
            cr_expect(ne(int, cushim__handle_close(other, (enum cushim__handle_kind) kind, "use"),
                         CUSHIM_OK),
                      "bit %d, as kind %d", bit, kind);
        }
    cr_expect(eq(int, destroyed, 0));
    assert_ok(cushim__handle_close(id, DRIVER, "close"));
}

Test(handle, garbage_is_refused)
{
    uint64_t random = 88172645463325252u;
    int destroyed = 0;
    const uint64_t id = create(DRIVER, &destroyed);

    for (int i = 0; i < 100000; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        cr_assert(eq(ptr, cushim__handle_pin(random, DRIVER, NULL), NULL), "%llx",
                  (unsigned long long) random);
    }
    assert_refused(UINT64_MAX, DRIVER, CUSHIM_ERROR_STALE_HANDLE);
    assert_ok(cushim__handle_close(id, DRIVER, "close"));
}

Test(handle, without_a_call_no_error_is_remembered)
{
    cushim_error_clear();
    cr_expect(eq(ptr, cushim__handle_pin(0, DRIVER, NULL), NULL));
    cr_expect(eq(ptr, cushim__handle_pin(12345, TRACE, NULL), NULL));
    cr_expect(eq(int, cushim_error_status(), CUSHIM_OK));
}

Test(handle, a_pin_keeps_the_object)
{
    int destroyed = 0;
    const uint64_t id = create(DRIVER, &destroyed);

    cr_assert(ne(ptr, cushim__handle_pin(id, DRIVER, "use"), NULL));
    cr_assert(ne(ptr, cushim__handle_pin(id, DRIVER, "use"), NULL));
    assert_ok(cushim__handle_close(id, DRIVER, "close"));
    assert_refused(id, DRIVER, CUSHIM_ERROR_STALE_HANDLE);
    cr_expect(eq(int, destroyed, 0));
    cushim__handle_unpin(id);
    cr_expect(eq(int, destroyed, 0));
    cushim__handle_unpin(id);
    cr_expect(eq(int, destroyed, 1));
}

Test(handle, the_slot_of_a_pinned_object_is_not_used_again)
{
    int pinned = 0, other = 0;
    const uint64_t id = create(DRIVER, &pinned);
    uint64_t next;

    cr_assert(ne(ptr, cushim__handle_pin(id, DRIVER, "use"), NULL));
    assert_ok(cushim__handle_close(id, DRIVER, "close"));
    next = create(DRIVER, &other);
    cr_expect(ne(u64, next & 0xfffff, id & 0xfffff));
    cushim__handle_unpin(id);
    cr_expect(eq(int, pinned, 1));
    assert_ok(cushim__handle_close(next, DRIVER, "close"));
    cr_expect(eq(int, other, 1));
}

/* An interposed driver gives back the one below it in this way. */
static void destroy_and_unpin(void *object)
{
    cushim__handle_unpin(*(const uint64_t *) object);
}

Test(handle, an_object_may_hold_another)
{
    int destroyed = 0;
    uint64_t below = create(DRIVER, &destroyed), above = 0;

    cr_assert(ne(ptr, cushim__handle_pin(below, DRIVER, "use"), NULL));
    assert_ok(cushim__handle_create(DRIVER, &below, destroy_and_unpin, "create", &above));
    assert_ok(cushim__handle_close(below, DRIVER, "close"));
    cr_expect(eq(int, destroyed, 0));
    assert_ok(cushim__handle_close(above, DRIVER, "close"));
    cr_expect(eq(int, destroyed, 1));
}

/* All slots, and one more. The number is in the public header. */
Test(handle, there_is_an_end_to_them)
{
    enum { SLOTS = 1 << 20 };
    uint64_t *ids = malloc(SLOTS * sizeof(*ids)), extra = 7;
    int destroyed = 0;

    cr_assert(ne(ptr, ids, NULL));
    for (size_t i = 0; i < SLOTS; i++)
        if (cushim__handle_create(TRACE, &destroyed, destroy, "create", &ids[i]))
            cr_fatal("only %zu handles: %s", i, cushim_error_text());
    assert_status(cushim__handle_create(TRACE, &destroyed, destroy, "create", &extra),
                  CUSHIM_ERROR_LIMIT);
    assert_contains(cushim_error_text(), "create: 1048576 handles are open");
    cr_expect(eq(u64, extra, 7));
    cr_expect(eq(int, destroyed, 0));
    for (size_t i = 0; i < SLOTS; i++)
        if (cushim__handle_close(ids[i], TRACE, "close"))
            cr_fatal("handle %zu: %s", i, cushim_error_text());
    cr_expect(eq(int, destroyed, SLOTS));
    assert_ok(cushim__handle_close(create(TRACE, &destroyed), TRACE, "close"));
    free(ids);
}

/* Destroying takes locks and calls the driver, which a host function must not do. */
Test(handle, loses_its_last_pin_in_a_host_function)
{
    int first = 0, second = 0;
    const uint64_t a = create(DRIVER, &first), b = create(TRACE, &second);

    cr_assert(eq(ptr, cushim__handle_pin(a, DRIVER, "use"), &first));
    cr_assert(eq(ptr, cushim__handle_pin(b, TRACE, "use"), &second));
    assert_ok(cushim__handle_close(a, DRIVER, "close"));
    assert_ok(cushim__handle_close(b, TRACE, "close"));
    cushim__host_function_begin();
    cushim__handle_unpin(a);
    cushim__handle_unpin(b);
    cushim__host_function_end();
    cr_expect(eq(int, first + second, 0));
    cr_expect(cushim__attention_needed());
    cushim__close_deferred();
    cr_expect(eq(int, first, 1));
    cr_expect(eq(int, second, 1));
    cr_expect(not(cushim__attention_needed()));
}

struct parent {
    uint64_t child;
    int *destroyed;
};

static void destroy_and_free_child(void *object)
{
    struct parent *parent = object;

    cushim__object_close(&parent->child, TRACE, "free");
    ++*parent->destroyed;
}

/* Each of them frees a handle, and a free looks for what is to be destroyed: not on the stack. */
Test(handle, many_lose_their_last_pin_in_a_host_function)
{
    enum { MANY = 100000 };
    struct parent *parents = malloc(MANY * sizeof(*parents));
    int destroyed = 0, children = 0;

    cr_assert(ne(ptr, parents, NULL));
    cushim__host_function_begin();
    for (size_t i = 0; i < MANY; i++) {
        uint64_t id = 0;

        parents[i] = (struct parent){create(TRACE, &children), &destroyed};
        assert_ok(
            cushim__handle_create(DRIVER, &parents[i], destroy_and_free_child, "create", &id));
        cr_assert(eq(ptr, cushim__handle_pin(id, DRIVER, "use"), &parents[i]));
        assert_ok(cushim__handle_close(id, DRIVER, "close"));
        cushim__handle_unpin(id);
    }
    cushim__host_function_end();
    cr_expect(eq(int, destroyed, 0));
    cushim__close_deferred();
    cr_expect(eq(int, destroyed, MANY));
    cr_expect(eq(int, children, MANY));
    cr_expect(not(cushim__attention_needed()));
    free(parents);
}
