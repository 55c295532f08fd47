/* SPDX-License-Identifier: MIT */
/* The edges in the picture of a graph: compared with the driver and with a model. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph_view.h"

SUITE(graph_edges);

/* --- every edge, against the driver and a model --- */

enum { SLICES = 5, WORKS = 30, ROUNDS = 10 };

/* What one work reads and writes, as bits. */
struct uses {
    unsigned reads, writes;
};

static unsigned pick(unsigned *seed)
{
    *seed = *seed * 1103515245u + 12345u;
    return (*seed >> 16) % SLICES;
}

static struct uses record_one(cushim_stream recorder, const cushim_slice *slices, unsigned *seed)
{
    const unsigned a = pick(seed), b = (a + 1 + pick(seed) % (SLICES - 1)) % SLICES;
    unsigned c = pick(seed);

    switch (pick(seed)) {
    case 0:
        assert_ok(cushim_slice_fill(recorder, slices[a], 1.0f));
        return (struct uses){0, 1u << a};
    case 1:
        assert_ok(cushim_slice_copy(recorder, slices[a], slices[b]));
        return (struct uses){1u << b, 1u << a};
    case 2:
        record_add(recorder, slices[a], 1);
        return (struct uses){0, 1u << a};
    default:
        if (c == a)
            c = b;
        record_sum(recorder, slices[a], slices[b], slices[c]);
        return (struct uses){1u << b | 1u << c, 1u << a};
    }
}

/* The reasons that a model finds, sorted by slice, as set bits: 1 << (slice * 3 + which). */
static unsigned model_reasons(struct uses a, struct uses b)
{
    unsigned reasons = 0;

    for (unsigned s = 0; s < SLICES; s++) {
        reasons |= (a.writes >> s & b.reads >> s & 1) << (3 * s);
        reasons |= (a.reads >> s & b.writes >> s & 1) << (3 * s + 1);
        reasons |= (a.writes >> s & b.writes >> s & 1) << (3 * s + 2);
    }
    return reasons;
}

/* The same, from the label of an edge. */
static unsigned read_reasons(const char *label)
{
    static const char *const words[] = {"written, then read\\l", "read, then written\\l",
                                        "written, then written\\l"};
    unsigned reasons = 0;

    while (*label != '"') {
        const unsigned s = (unsigned) (label[1] - '0');
        size_t k = 0;

        cr_assert(label[0] == 's' && s < SLICES && !strncmp(&label[2], ": ", 2), "%.60s", label);
        while (k < 3 && strncmp(&label[4], words[k], strlen(words[k])))
            k++;
        cr_assert(lt(sz, k, 3), "%.60s", label);
        reasons |= 1u << (3 * s + k);
        label += 4 + strlen(words[k]);
    }
    return reasons;
}

struct edges {
    bool has[WORKS][WORKS];
    size_t n;
};

static void read_edges(const char *text, const struct uses *uses, struct edges *edges)
{
    for (const char *line = strstr(text, " -> "); line; line = strstr(line + 1, " -> ")) {
        unsigned before = 0, after = 0;
        int length = 0;

        while (line[-1] != ' ')
            line--;
        cr_assert(eq(int, sscanf(line, "n%u -> n%u [label=\"%n", &before, &after, &length), 2));
        cr_assert(before < after && after < WORKS, "%u %u", before, after);
        cr_expect(eq(uint, read_reasons(line + length), model_reasons(uses[before], uses[after])),
                  "n%u -> n%u", before, after);
        edges->has[before][after] = true;
        edges->n++;
        line = strstr(line, " -> ");
    }
}

static unsigned index_of(void **nodes, void *node)
{
    unsigned i = 0;

    while (i < WORKS && nodes[i] != node)
        i++;
    return i;
}

/* The driver lists nodes in the order in which they were made. */
static void compare_with_driver(cushim_graph graph, const struct edges *edges)
{
    void *nodes[WORKS] = {0}, *from[WORKS * SLICES] = {0}, *to[WORKS * SLICES] = {0}, *cu = NULL;
    size_t n_nodes = WORKS, n_edges = WORKS * SLICES;

    assert_ok(cushim_graph_raw(graph, &cu, NULL));
    cr_assert(
        eq(int, RAW(&w, cuGraphGetNodes, (void *, void **, size_t *), cu, nodes, &n_nodes), 0));
    cr_assert(eq(
        int, RAW(&w, cuGraphGetEdges, (void *, void **, void **, size_t *), cu, from, to, &n_edges),
        0));
    cr_assert(eq(sz, n_nodes, WORKS));
    cr_expect(eq(sz, n_edges, edges->n));
    for (size_t i = 0; i < n_edges; i++)
        cr_expect(edges->has[index_of(nodes, from[i])][index_of(nodes, to[i])], "%u -> %u",
                  index_of(nodes, from[i]), index_of(nodes, to[i]));
}

/* Fills paths, and compares: what must be kept apart has a way, and the numbers are right. */
static void compare_with_model(cushim_graph graph, const struct uses *uses, struct edges *edges)
{
    const struct cushim_graph_counts s = stats(graph);
    size_t chain[WORKS], longest = 0, width[WORKS + 1] = {0}, widest = 0;
    bool path[WORKS][WORKS] = {0};

    for (unsigned b = 0; b < WORKS; b++) {
        chain[b] = 1;
        for (unsigned a = b; a-- > 0;) {
            path[a][b] |= edges->has[a][b];
            for (unsigned m = a + 1; m < b; m++)
                path[a][b] |= edges->has[m][b] && path[a][m];
            if (model_reasons(uses[a], uses[b]))
                cr_expect(path[a][b], "%u and %u use the same memory", a, b);
            if (edges->has[a][b] && chain[a] >= chain[b])
                chain[b] = chain[a] + 1;
        }
        longest = chain[b] > longest ? chain[b] : longest;
        width[chain[b]]++;
        widest = width[chain[b]] > widest ? width[chain[b]] : widest;
    }
    cr_expect(eq(sz, s.edges, edges->n));
    cr_expect(eq(sz, s.longest_chain, longest));
    cr_expect(eq(sz, s.widest_level, widest));
}

Test(graph_edges, every_edge_has_its_reasons, .init = begin)
{
    cushim_slice slices[SLICES];
    unsigned seed = 7;

    for (int i = 0; i < SLICES; i++)
        slices[i] = labelled((char[]){'s', (char) ('0' + i), '\0'});
    for (int round = 0; round < ROUNDS; round++) {
        cushim_stream recorder = begin_recording(CUSHIM_CAPTURE_ORDER_BY_MEMORY);
        struct uses uses[WORKS];
        struct edges edges = {.n = 0};
        cushim_graph graph;
        const char *text, *again;

        for (int i = 0; i < WORKS; i++)
            uses[i] = record_one(recorder, slices, &seed);
        graph = end_recording(&recorder);
        text = dot(graph);
        again = dot(graph);
        cr_expect(eq(str, (char *) text, (char *) again));
        read_edges(text, uses, &edges);
        compare_with_driver(graph, &edges);
        compare_with_model(graph, uses, &edges);
        cushim_graph_dot_free(&text);
        cushim_graph_dot_free(&again);
        cushim_graph_free(&graph);
    }
    for (int i = 0; i < SLICES; i++)
        cushim_slice_free(&slices[i]);
    finish();
}

/* --- graphviz --- */

Test(graph_edges, graphviz_accepts_it, .init = begin)
{
    cushim_slice x = labelled("x \"<\\>\\"), y = labelled("\xff{|}");
    cushim_stream recorder = begin_recording(CUSHIM_CAPTURE_ORDER_BY_MEMORY);
    cushim_graph graph;
    const char *text;
    FILE *graphviz;

    if (system("command -v dot >/dev/null 2>&1"))
        cr_skip("graphviz is not installed");
    record_add(recorder, x, 1);
    assert_ok(cushim_slice_copy(recorder, y, x));
    graph = end_recording(&recorder);
    text = dot(graph);
    graphviz = popen("dot -Tdot >/dev/null", "w");
    cr_assert(graphviz != NULL);
    fputs(text, graphviz);
    cr_expect(eq(int, pclose(graphviz), 0), "%s", text);
    cushim_graph_dot_free(&text);
    cushim_graph_free(&graph);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    finish();
}
