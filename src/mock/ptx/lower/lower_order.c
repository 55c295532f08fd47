/* SPDX-License-Identifier: MIT */
/*
 * The order of blocks: each block comes after the blocks that lead to it, and the blocks of a loop
 * are consecutive. The strongly connected components of the graph are put in order. In each
 * component that is a loop, the entry comes first. The rest of it is ordered in the same way,
 * without the edges back to the entry.
 *
 * Jumps can nest loops as deeply as there are blocks, so the components are not computed again for
 * each depth. One depth-first search finds the blocks and its tree. The loop of an entry consists
 * of the blocks below it in the tree that lead back to it without leaving the blocks below it.
 * Entries are examined from the last one found to the first, so inner loops come before outer ones.
 * A known loop then counts as one block. An edge between two branches of the tree counts from the
 * block where the branches meet on upwards; below that block it comes from outside.
 */
#include <stdlib.h>
#include <string.h>

#include "mock/ptx/lower/lower.h"

struct node {
    bool finished;       /* the search has left it */
    uint32_t next;       /* the next successor to examine */
    uint32_t parent;     /* in the tree of the search */
    uint32_t open;       /* leads, in steps, to the lowest block above it that is not finished */
    uint32_t whole;      /* leads, in steps, to the entry of the outermost loop known so far */
    uint32_t loop;       /* the entry of the innermost loop that contains it, other than its own
                            loop */
    uint32_t back, meet; /* lists of edges: back to it, and between two of its branches */
    uint32_t into;       /* the edges from another branch into its loop, among those that count */
    uint32_t first_inside, next_inside; /* of a loop: its first block in the order; and the next
                                           block of the same loop */
};

struct edge {
    uint32_t from, to, next;
};

struct order {
    const struct ptx__flow *flow;
    struct node *nodes;
    struct edge *edges;
    uint32_t n_edges;
    uint32_t *found, *finished; /* blocks in the order in which the search enters and leaves them */
    uint32_t *path;             /* of the search; later the blocks whose edges must be followed */
    uint32_t n_found, n_finished, n_path;
};

/* --- the search --- */

static void come(struct order *order, uint32_t block, uint32_t parent)
{
    struct node *node = &order->nodes[block];

    node->parent = parent;
    node->open = node->whole = block;
    order->found[order->n_found++] = block;
    order->path[order->n_path++] = block;
}

static void leave(struct order *order, uint32_t block)
{
    struct node *node = &order->nodes[block];

    node->finished = true;
    node->open = node->parent;
    order->finished[order->n_finished++] = block;
    order->n_path--;
}

/* Follows `open` to its end, and shortens the way for later calls. */
static uint32_t open_above(struct order *order, uint32_t block)
{
    struct node *nodes = order->nodes;

    while (nodes[block].finished) {
        if (nodes[nodes[block].open].finished)
            nodes[block].open = nodes[nodes[block].open].open;
        block = nodes[block].open;
    }
    return block;
}

static void add_edge(struct order *order, uint32_t *list, uint32_t from, uint32_t to)
{
    order->edges[order->n_edges] = (struct edge){from, to, *list};
    *list = order->n_edges++;
}

/* Notes an edge to a block that was found before. An edge down the same branch is not needed. */
static void note_edge(struct order *order, uint32_t from, uint32_t to)
{
    const uint32_t above = open_above(order, to);

    if (above == to)
        add_edge(order, &order->nodes[to].back, from, to);
    else if (above != from)
        add_edge(order, &order->nodes[above].meet, from, to);
}

static void search(struct order *order)
{
    come(order, 0, PTX_NONE);
    while (order->n_path) {
        const uint32_t at = order->path[order->n_path - 1];
        const struct ptx__block_of_code *block = &order->flow->blocks[at];
        struct node *node = &order->nodes[at];
        uint32_t to;

        if (node->next == block->n_successors) {
            leave(order, at);
            continue;
        }
        to = block->successors[node->next++];
        if (order->nodes[to].whole == PTX_NONE)
            come(order, to, at);
        else
            note_edge(order, at, to);
    }
}

/* --- loops --- */

static uint32_t whole_of(struct order *order, uint32_t block)
{
    struct node *nodes = order->nodes;

    while (nodes[block].whole != block) {
        nodes[block].whole = nodes[nodes[block].whole].whole;
        block = nodes[block].whole;
    }
    return block;
}

/* Adds a block to the entry's loop, together with its own loop if it is an entry. */
static void join(struct order *order, uint32_t block, uint32_t entry)
{
    const uint32_t whole = whole_of(order, block);

    if (whole == entry)
        return;
    order->nodes[whole].whole = order->nodes[whole].loop = entry;
    order->path[order->n_path++] = whole;
}

static void meet(struct order *order, uint32_t block)
{
    uint32_t next;

    for (uint32_t i = order->nodes[block].meet; i != PTX_NONE; i = next) {
        struct edge *edge = &order->edges[i];
        struct node *to = &order->nodes[whole_of(order, edge->to)];

        next = edge->next;
        edge->next = to->into;
        to->into = i;
    }
}

static void find_loop(struct order *order, uint32_t entry)
{
    meet(order, entry);
    for (uint32_t i = order->nodes[entry].back; i != PTX_NONE; i = order->edges[i].next)
        join(order, order->edges[i].from, entry);
    while (order->n_path) {
        const struct node *node = &order->nodes[order->path[--order->n_path]];

        join(order, node->parent, entry);
        for (uint32_t i = node->into; i != PTX_NONE; i = order->edges[i].next)
            join(order, order->edges[i].from, entry);
    }
}

/* --- the order --- */

/* Links the blocks of each loop in the reverse order in which the search left them. */
static uint32_t link_insides(struct order *order)
{
    uint32_t first = PTX_NONE;

    for (uint32_t i = 0; i < order->n_finished; i++) {
        const uint32_t block = order->finished[i];
        struct node *node = &order->nodes[block];
        uint32_t *list = node->loop == PTX_NONE ? &first : &order->nodes[node->loop].first_inside;

        node->next_inside = *list;
        *list = block;
    }
    return first;
}

static void write_order(const struct order *order, struct ptx__flow *flow, uint32_t block)
{
    while (block != PTX_NONE) {
        flow->order[flow->n_order++] = block;
        if (order->nodes[block].first_inside != PTX_NONE) {
            block = order->nodes[block].first_inside;
            continue;
        }
        while (block != PTX_NONE && order->nodes[block].next_inside == PTX_NONE)
            block = order->nodes[block].loop;
        if (block != PTX_NONE)
            block = order->nodes[block].next_inside;
    }
}

static void release(struct order *order)
{
    free(order->nodes);
    free(order->edges);
    free(order->found);
    free(order->finished);
    free(order->path);
}

static bool begin(struct order *order, uint32_t n)
{
    size_t n_edges = 0;

    for (uint32_t i = 0; i < n; i++)
        n_edges += order->flow->blocks[i].n_successors;
    order->nodes = malloc((n + 1) * sizeof(*order->nodes));
    order->edges = malloc((n_edges + 1) * sizeof(*order->edges));
    order->found = malloc((n + 1) * sizeof(*order->found));
    order->finished = malloc((n + 1) * sizeof(*order->finished));
    order->path = malloc((n + 1) * sizeof(*order->path));
    for (uint32_t i = 0; order->nodes && i < n; i++)
        order->nodes[i] = (struct node){.whole = PTX_NONE,
                                        .loop = PTX_NONE,
                                        .back = PTX_NONE,
                                        .meet = PTX_NONE,
                                        .into = PTX_NONE,
                                        .first_inside = PTX_NONE,
                                        .next_inside = PTX_NONE};
    return order->nodes && order->edges && order->found && order->finished && order->path &&
           n_edges < PTX_NONE;
}

void ptx__flow_order(struct ptx__lowering *lower)
{
    struct ptx__flow *flow = lower->flow;
    struct order order = {.flow = flow};

    flow->order = malloc((flow->n_blocks + 1) * sizeof(*flow->order));
    if (!flow->order || !begin(&order, flow->n_blocks)) {
        release(&order);
        ptx__out_of_memory(lower);
    }
    search(&order);
    for (uint32_t i = order.n_found; i-- > 0;)
        find_loop(&order, order.found[i]);
    write_order(&order, flow, link_insides(&order));
    release(&order);
}
