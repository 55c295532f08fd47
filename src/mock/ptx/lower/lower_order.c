/* SPDX-License-Identifier: MIT */
/*
 * The order of blocks: everything comes after what leads to it, and a loop is in one piece. The
 * strongly connected parts of the graph are put in order; in each that is a loop, its entry
 * comes first, and the rest is ordered in the same way without the edges back to the entry.
 */
#include <stdlib.h>
#include <string.h>

#include "mock/ptx/lower/lower.h"

struct node {
    uint32_t number, low; /* of the search; 0: not found yet */
    uint32_t part;        /* which part of the graph is being ordered */
    uint32_t next;        /* successor to look at */
    bool on_stack;
};

struct order {
    struct ptx__flow *flow;
    struct node *nodes;
    uint32_t *stack, *path; /* of the search */
    uint32_t n_stack, n_path, n_found, parts;
};

static void visit(struct order *order, uint32_t block)
{
    struct node *node = &order->nodes[block];

    node->number = node->low = ++order->n_found;
    node->next = 0;
    node->on_stack = true;
    order->stack[order->n_stack++] = block;
    order->path[order->n_path++] = block;
}

/* All strongly connected parts that can be reached from a block in a part, last first. */
static uint32_t search(struct order *order, uint32_t from, uint32_t part, uint32_t *blocks,
                       uint32_t *n_blocks, uint32_t *ends, uint32_t n_ends)
{
    const uint32_t bottom = order->n_path;

    visit(order, from);
    while (order->n_path > bottom) {
        const uint32_t at = order->path[order->n_path - 1];
        const struct ptx__block_of_code *block = &order->flow->blocks[at];
        struct node *node = &order->nodes[at];

        if (node->next < block->n_successors) {
            const uint32_t to = block->successors[node->next++];
            struct node *other = &order->nodes[to];

            if (other->part != part)
                continue;
            if (!other->number)
                visit(order, to);
            else if (other->on_stack && other->number < node->low)
                node->low = other->number;
            continue;
        }
        order->n_path--;
        if (order->n_path > bottom) {
            struct node *parent = &order->nodes[order->path[order->n_path - 1]];

            parent->low = node->low < parent->low ? node->low : parent->low;
        }
        if (node->low == node->number) {
            uint32_t top;

            /* The entry is the last of a part. */
            do {
                top = order->stack[--order->n_stack];
                order->nodes[top].on_stack = false;
                blocks[(*n_blocks)++] = top;
            } while (top != at);
            ends[n_ends++] = *n_blocks;
        }
    }
    return n_ends;
}

static void order_part(struct ptx__lowering *lower, struct order *order, const uint32_t *members,
                       uint32_t n, uint32_t entry, bool skip_entry);

static void append(struct order *order, uint32_t block)
{
    order->flow->order[order->flow->n_order++] = block;
    order->nodes[block].part = 0; /* of no part any more */
}

/* The parts in the opposite order of their finding. */
static void order_found(struct ptx__lowering *lower, struct order *order, const uint32_t *blocks,
                        const uint32_t *ends, uint32_t n_ends)
{
    for (uint32_t i = n_ends; i-- > 0;) {
        const uint32_t begin = i ? ends[i - 1] : 0, n = ends[i] - begin;
        const uint32_t entry = blocks[ends[i] - 1];

        append(order, entry);
        if (n > 1)
            order_part(lower, order, blocks + begin, n - 1, entry, true);
    }
}

static void order_part(struct ptx__lowering *lower, struct order *order, const uint32_t *members,
                       uint32_t n, uint32_t entry, bool skip_entry)
{
    const struct ptx__block_of_code *block = &order->flow->blocks[entry];
    const uint32_t part = ++order->parts;
    uint32_t *blocks = malloc((n + 1) * sizeof(*blocks)), *ends = malloc((n + 1) * sizeof(*ends));
    uint32_t n_blocks = 0, n_ends = 0;

    if (!blocks || !ends) {
        free(blocks);
        free(ends);
        longjmp(lower->failed, 1);
    }
    for (uint32_t i = 0; i < n; i++) {
        order->nodes[members[i]].part = part;
        order->nodes[members[i]].number = 0;
    }
    if (!skip_entry)
        n_ends = search(order, entry, part, blocks, &n_blocks, ends, n_ends);
    for (uint32_t i = 0; skip_entry && i < block->n_successors; i++) {
        const uint32_t to = block->successors[i];

        if (order->nodes[to].part == part && !order->nodes[to].number)
            n_ends = search(order, to, part, blocks, &n_blocks, ends, n_ends);
    }
    order_found(lower, order, blocks, ends, n_ends);
    free(blocks);
    free(ends);
}

void ptx__flow_order(struct ptx__lowering *lower)
{
    struct ptx__flow *flow = lower->flow;
    const uint32_t n = flow->n_blocks;
    struct order order = {.flow = flow};
    uint32_t *all = malloc((n + 1) * sizeof(*all));

    order.nodes = ptx__keep(lower, n * sizeof(*order.nodes));
    order.stack = ptx__keep(lower, n * sizeof(*order.stack));
    order.path = ptx__keep(lower, n * sizeof(*order.path));
    flow->order = malloc((n + 1) * sizeof(*flow->order));
    if (!all || !flow->order) {
        free(all);
        longjmp(lower->failed, 1);
    }
    for (uint32_t i = 0; i < n; i++)
        all[i] = i;
    if (n)
        order_part(lower, &order, all, n, 0, false);
    free(all);
}
