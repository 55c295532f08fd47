/* SPDX-License-Identifier: MIT */
#include "async/run_error.h"

#include <stdio.h>
#include <stdlib.h>

#include "async/gate.h"

/* A list instead of a recursion: operations may be deep. */
struct list {
    const void **items;
    size_t n, max;
};

/*
 * Nodes that are still to be counted, and the gates that are kept closed meanwhile: what is behind
 * them is counted once, and no other thread runs it.
 */
struct nodes {
    struct list open, gates;
};

/* Without memory some nodes are not counted, and only a message has a smaller number. */
static bool add(struct list *list, const void *item)
{
    const size_t max = list->max ? list->max * 2 : 16;
    const void **items;

    if (list->n == list->max) {
        items = realloc(list->items, max * sizeof(*items));
        if (!items)
            return false;
        list->items = items;
        list->max = max;
    }
    list->items[list->n++] = item;
    return true;
}

static void add_behind(struct nodes *nodes, struct cushim__gate *gate)
{
    const struct cushim__node *op = cushim__gate_look(gate);

    if (op && add(&nodes->gates, gate))
        add(&nodes->open, op);
    else if (op)
        cushim__gate_leave_alone(gate);
}

/* Adds the nodes that a node still needs: those that run have left it. */
static void add_operands(struct nodes *nodes, const struct cushim__node *node)
{
    for (size_t i = 0; i < node->n; i++)
        if (node->operands[i])
            add(&nodes->open, node->operands[i]);
    if (node->gate)
        add_behind(nodes, node->gate);
}

static void finish(struct nodes *nodes)
{
    while (nodes->gates.n)
        cushim__gate_leave_alone((void *) (uintptr_t) nodes->gates.items[--nodes->gates.n]);
    free(nodes->gates.items);
    free(nodes->open.items);
}

/* Counts the steps that have not run: those of the frames below the top one, and of what they need.
 */
static size_t count_left(const struct cushim__run *run)
{
    struct nodes nodes = {{NULL, 0, 0}, {NULL, 0, 0}};
    size_t left = 0;

    for (size_t i = 0; i < run->n; i++) {
        left += i + 1 < run->n && run->frames[i].node->type->noun;
        add_operands(&nodes, run->frames[i].node);
    }
    while (nodes.open.n) {
        const struct cushim__node *node = nodes.open.items[--nodes.open.n];

        left += node->type->noun != NULL;
        add_operands(&nodes, node);
    }
    finish(&nodes);
    return left;
}

void cushim__run_name_step(const struct cushim__run *run)
{
    const struct cushim__node *node = run->n ? run->frames[run->n - 1].node : NULL;
    const size_t step = run->done + 1, left = count_left(run), all = step + left;
    char what[256] = "", end[64] = "";
    struct cushim__error error;

    if (node)
        cushim__node_describe(node, what, sizeof(what));
    if (node && node->type->call)
        cushim__error_as(node->type->call);
    error = *cushim__error();
    if (left == 1)
        snprintf(end, sizeof(end), "; step %zu did not run", all);
    else if (left)
        snprintf(end, sizeof(end), "; steps %zu to %zu did not run", step + 1, all);
    cushim__fail_at(error.status, error.call, error.label, "step %zu of %zu%s: %.600s%s", step, all,
                    what, error.text, end);
    cushim__error()->log = error.log;
}
