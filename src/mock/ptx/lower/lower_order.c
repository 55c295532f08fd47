/* SPDX-License-Identifier: MIT */
/*
 * The order of blocks: everything comes after what leads to it, and a loop is in one piece. The
 * strongly connected parts of the graph are put in order; in each that is a loop, its entry
 * comes first, and the rest is ordered in the same way without the edges back to the entry.
 *
 * Jumps can nest loops as deeply as there are blocks, so the parts are not looked for anew at each
 * depth. One search finds the blocks, and what lies below which in its tree. The loop of an entry
 * is what lies below it and leads back to it without leaving what lies below it. Entries are
 * looked at from the last that was found to the first, inner loops before outer ones, and a
 * loop that is known counts as one block from then on. An edge from one branch of the tree to
 * another one counts where the two branches meet, and above: below, it comes from outside.
 */
#include <stdlib.h>
#include <string.h>

#include "mock/ptx/lower/lower.h"

struct node {
    bool finished;       /* the search has left it */
    uint32_t next;       /* successor to look at */
    uint32_t parent;     /* in the tree of the search */
    uint32_t open;       /* on the way to the lowest block above it that is not finished */
    uint32_t whole;      /* on the way to the entry of the outermost loop that is known so far */
    uint32_t loop;       /* the entry of the innermost loop that it is in, and is not itself of */
    uint32_t back, meet; /* edges: back to it, and between two of its branches */
    uint32_t into;       /* of those that count, the ones into its loop from another branch */
    uint32_t first_inside, next_inside; /* of a loop: what is ordered in it, and of the same loop */
};

struct edge {
    uint32_t from, to, next;
};

struct order {
    const struct ptx__flow *flow;
    struct node *nodes;
    struct edge *edges;
    uint32_t n_edges;
    uint32_t *found, *finished; /* blocks in the order of the search's coming and leaving */
    uint32_t *path;             /* of the search; later the blocks whose edges are to be followed */
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

/* The end of a way, which becomes shorter for those who go it again. */
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

/* An edge to a block that was found before. One down the same branch says nothing new. */
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

/* The block is in the entry's loop, with the loop that it is the entry of. */
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

/* What the search left first comes last. */
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
