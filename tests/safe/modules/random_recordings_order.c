/* SPDX-License-Identifier: MIT */
/* random_recordings: the order of the graph, which the driver tells, against that of the steps. */
#include "random_recordings.h"

/* Calls a function of the driver that cushim does not wrap. */
#define RAW(name, types, ...)                                                                      \
    ((int(*) types) cushim_driver_functions(driver, CUSHIM_CUDA_ROWS)[CUSHIM_ROW_##name])(         \
        __VA_ARGS__)

static struct {
    void *nodes[NODES], *from[NODES * NODES], *to[NODES * NODES];
    size_t n_nodes, n_edges;
    int step[NODES]; /* -1: a node without work */
    steps after[NODES];
} got;

static int index_of(const void *node)
{
    for (size_t i = 0; i < got.n_nodes; i++)
        if (got.nodes[i] == node)
            return (int) i;
    return -1;
}

/* Both drivers list nodes in the order in which they were added. */
static void read_graph(void)
{
    enum { EMPTY = 5 };
    void *raw = NULL;
    int n = 0;

    CHECK(cushim_graph_raw(program.graph, &raw, NULL));
    got.n_nodes = NODES;
    got.n_edges = NODES * NODES;
    CHECK_EQ(RAW(cuGraphGetNodes, (void *, void **, size_t *), raw, got.nodes, &got.n_nodes), 0);
    CHECK_EQ(RAW(cuGraphGetEdges, (void *, void **, void **, size_t *), raw, got.from, got.to,
                 &got.n_edges),
             0);
    for (size_t i = 0; i < got.n_nodes; i++) {
        int type = 0;

        CHECK_EQ(RAW(cuGraphNodeGetType, (void *, int *), got.nodes[i], &type), 0);
        got.step[i] = type == EMPTY ? -1 : n++;
        got.after[i] = 0;
    }
    CHECK_EQ(n, STEPS);
}

/* Edges lead from nodes to later ones. */
static void follow_edges(void)
{
    for (size_t i = 0; i < got.n_nodes; i++)
        for (size_t k = 0; k < got.n_edges; k++) {
            const int from = index_of(got.from[k]);

            if (got.to[k] != got.nodes[i])
                continue;
            got.after[i] |= got.after[from];
            if (got.step[from] >= 0)
                got.after[i] |= (steps) 1 << got.step[from];
        }
}

/* Tells whether another edge leads to the same order. */
static bool is_needed(size_t edge)
{
    const int from = index_of(got.from[edge]);

    for (size_t k = 0; k < got.n_edges; k++) {
        const int other = index_of(got.from[k]);

        if (k != edge && got.to[k] == got.to[edge] && got.step[from] >= 0 &&
            got.after[other] >> got.step[from] & 1)
            return false;
    }
    return true;
}

void check_order(void)
{
    read_graph();
    follow_edges();
    for (size_t i = 0; i < got.n_nodes; i++)
        if (got.step[i] >= 0)
            CHECK_EQ(got.after[i], program.steps[got.step[i]].after);
    for (size_t k = 0; k < got.n_edges; k++)
        CHECK_EQ(is_needed(k), true);
}
