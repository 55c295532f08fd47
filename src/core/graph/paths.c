/* SPDX-License-Identifier: MIT */
/*
 * Works come after works with smaller numbers only, so one way through the numbers answers what
 * comes after what. Most demands are met by a tree in which each work has only one of those that it
 * comes after as its parent. The rest is answered for 64 of them at a time.
 */
#include "core/graph/paths.h"

#include <stdlib.h>
#include <string.h>

#include "core/order/recording_works.h"

enum { AT_ONCE = 64 };

bool cushim__demands_add(struct cushim__demands *demands, unsigned before, unsigned after)
{
    if (!cushim__grow(&demands->items, &demands->max, demands->n + 1, sizeof(*demands->items)))
        return false;
    demands->items[demands->n++] = (struct cushim__demand){before, after};
    return true;
}

static const unsigned *before_of(const struct cushim__recording *recording, unsigned number)
{
    return &recording->before.items[recording->works[number].first_before];
}

/* --- the tree --- */

/* A work has a place in the tree, behind its parent, and before all works of other parents. */
struct branch {
    unsigned place, n; /* of how many works it consists, itself included */
    unsigned next;     /* the place of the next child */
};

/* The parent is the last work that it comes after. False for a work that comes after none. */
static bool find_parent(const struct cushim__recording *recording, unsigned number,
                        unsigned *ret_parent)
{
    const struct cushim__recorded *work = &recording->works[number];
    unsigned last = 0;

    for (size_t i = 0; i < work->n_before; i++)
        if (before_of(recording, number)[i] > last)
            last = before_of(recording, number)[i];
    *ret_parent = last;
    return work->n_before != 0;
}

/* NULL when out of memory. */
static struct branch *make_tree(const struct cushim__recording *recording)
{
    const unsigned n = (unsigned) recording->n_works;
    struct branch *tree = calloc((size_t) n + 1, sizeof(*tree));
    unsigned parent, next = 0;

    for (unsigned i = n; tree && i-- > 0;) {
        tree[i].n++;
        if (find_parent(recording, i, &parent))
            tree[parent].n += tree[i].n;
    }
    for (unsigned i = 0; tree && i < n; i++) {
        unsigned *place = find_parent(recording, i, &parent) ? &tree[parent].next : &next;

        tree[i].place = *place;
        tree[i].next = *place + 1;
        *place += tree[i].n;
    }
    return tree;
}

static bool is_below(const struct branch *tree, const struct cushim__demand *demand)
{
    const struct branch *before = &tree[demand->before];

    return tree[demand->after].place - before->place < before->n;
}

/* --- what the tree does not answer --- */

static bool is_direct(const struct cushim__recording *recording,
                      const struct cushim__demand *demand)
{
    const struct cushim__recorded *work = &recording->works[demand->after];

    for (size_t i = 0; i < work->n_before; i++)
        if (before_of(recording, demand->after)[i] == demand->before)
            return true;
    return false;
}

/* Bit k of a work says that it comes after what demand k has before, or is this. */
static void reach(const struct cushim__recording *recording, uint64_t *bits, unsigned first,
                  unsigned last)
{
    for (unsigned i = first; i <= last; i++) {
        const struct cushim__recorded *work = &recording->works[i];

        for (size_t k = 0; k < work->n_before; k++)
            if (before_of(recording, i)[k] >= first)
                bits[i] |= bits[before_of(recording, i)[k]];
    }
}

/* Returns the bits of the demands that are met. */
static uint64_t answer(const struct cushim__recording *recording, uint64_t *bits,
                       const struct cushim__demand *demands, size_t n)
{
    unsigned first = demands[0].before, last = demands[0].after;
    uint64_t met = 0;

    for (size_t k = 1; k < n; k++) {
        first = demands[k].before < first ? demands[k].before : first;
        last = demands[k].after > last ? demands[k].after : last;
    }
    memset(&bits[first], 0, (last - first + 1) * sizeof(*bits));
    for (size_t k = 0; k < n; k++)
        bits[demands[k].before] |= UINT64_C(1) << k;
    reach(recording, bits, first, last);
    for (size_t k = 0; k < n; k++)
        met |= bits[demands[k].after] & UINT64_C(1) << k;
    return met;
}

static void leave_unmet(struct cushim__demands *demands, const struct cushim__recording *recording,
                        uint64_t *bits)
{
    const size_t n = demands->n;

    demands->n = 0;
    for (size_t i = 0; i < n; i += AT_ONCE) {
        const size_t part = n - i < AT_ONCE ? n - i : AT_ONCE;
        const uint64_t met = answer(recording, bits, &demands->items[i], part);

        for (size_t k = 0; k < part; k++)
            if (!(met >> k & 1))
                demands->items[demands->n++] = demands->items[i + k];
    }
}

/* --- all of it --- */

bool cushim__demands_check(struct cushim__demands *demands,
                           const struct cushim__recording *recording)
{
    SCOPED_FREE void *tree = make_tree(recording);
    SCOPED_FREE void *bits = malloc((recording->n_works + 1) * sizeof(uint64_t));
    const size_t n = demands->n;

    if (!tree || !bits)
        return false;
    demands->n = 0;
    for (size_t i = 0; i < n; i++)
        if (!is_below(tree, &demands->items[i]) && !is_direct(recording, &demands->items[i]))
            demands->items[demands->n++] = demands->items[i];
    leave_unmet(demands, recording, bits);
    return true;
}

bool cushim__accesses_conflict(const struct cushim__access *a, const struct cushim__access *b)
{
    return a->buffer == b->buffer && a->begin < b->end && b->begin < a->end &&
           (a->write || b->write);
}
