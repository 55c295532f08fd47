/* SPDX-License-Identifier: MIT */
/* What the edges of a graph keep apart, against all paths of small graphs that are drawn. */
#include "core/graph/paths.h"

#include <stdlib.h>
#include <string.h>

#include "support.h"

SUITE(paths);

enum { WORKS = 90, BEFORE = 3 };

static unsigned drawn;

static unsigned draw(unsigned n)
{
    drawn = drawn * 1103515245 + 12345;
    return (drawn >> 16) % n;
}

struct graph {
    struct cushim__recorded works[WORKS];
    unsigned before[WORKS * BEFORE];
    bool comes_after[WORKS][WORKS];
    struct cushim__recording recording;
};

static void add_edge(struct graph *g, unsigned before, unsigned after)
{
    g->before[g->recording.before.n++] = before;
    g->works[after].n_before++;
    g->comes_after[after][before] = true;
    for (unsigned i = 0; i < WORKS; i++)
        g->comes_after[after][i] |= g->comes_after[before][i];
}

/* Edges reach back at most so many works: 1 is a row, many makes works that stand alone. */
static void draw_graph(struct graph *g, unsigned n, unsigned reach)
{
    memset(g, 0, sizeof(*g));
    g->recording.works = g->works;
    g->recording.before.items = g->before;
    for (unsigned i = 0; i < n; i++) {
        g->works[i].first_before = g->recording.before.n;
        for (unsigned k = draw(BEFORE + 1); i && k > 0; k--)
            add_edge(g, i - 1 - draw(i < reach ? i : reach), i);
    }
    g->recording.n_works = n;
}

/* All pairs, so more than are looked at together. */
static void check_all(const struct graph *g)
{
    struct cushim__demands demands = {0};
    const unsigned n = (unsigned) g->recording.n_works;
    size_t unmet = 0;

    for (unsigned after = 0; after < n; after++)
        for (unsigned before = 0; before < after; before++)
            cr_assert(cushim__demands_add(&demands, before, after));
    cr_assert(cushim__demands_check(&demands, &g->recording));
    for (unsigned after = 0; after < n; after++)
        for (unsigned before = 0; before < after; before++) {
            if (g->comes_after[after][before])
                continue;
            cr_assert(lt(sz, unmet, demands.n));
            cr_assert(eq(uint, demands.items[unmet].before, before));
            cr_assert(eq(uint, demands.items[unmet].after, after));
            unmet++;
        }
    cr_assert(eq(sz, unmet, demands.n));
    free(demands.items);
}

Test(paths, all_pairs_of_drawn_graphs)
{
    struct graph *g = malloc(sizeof(*g));

    for (unsigned seed = 0; seed < 200; seed++) {
        drawn = seed;
        draw_graph(g, 1 + draw(WORKS), 1 + draw(seed % 2 ? 4 : WORKS));
        check_all(g);
    }
    free(g);
}

Test(paths, nothing_is_demanded)
{
    struct cushim__demands demands = {0};
    struct cushim__recording none = {.n_works = 0};

    cr_expect(cushim__demands_check(&demands, &none));
    cr_expect(zero(sz, demands.n));
}
