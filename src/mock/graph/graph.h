/* SPDX-License-Identifier: MIT */
/*
 * Graphs: nodes, and edges between them.
 *
 * A node has work (queue/work.h) that is never submitted itself: a launch submits copies of it. So
 * a call submits the same work to a stream that it adds to a graph, checked by the same code. A
 * child graph and an instantiated graph are graphs as well, with nodes of their own. Edges are in
 * graph_edges.c, the dependencies of captures in dependencies.c, the originals of copied nodes in
 * graph_origin.c, and the handles of conditional nodes in condition.h. Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_GRAPH_GRAPH_H
#define CUSHIM_MOCK_GRAPH_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/tree.h"
#include "mock/base/objects.h"
#include "mock/functions.h"

struct mock__condition;
struct mock__graph;
struct mock__holding;
struct mock__node;
struct mock__work;

/* CUDA_ERROR_LOSSY_QUERY: the caller has no place for data of edges that are not ordinary. */
#define MOCK__LOSSY_QUERY ((CUresult) 402)

/* The types of nodes that the headers of older toolkits lack. */
enum {
    MOCK__NODE_MEM_ALLOC = 10,
    MOCK__NODE_MEM_FREE = 11,
    MOCK__NODE_BATCH_MEM_OP = 12,
    MOCK__NODE_CONDITIONAL = 13,
};

/* CUgraphEdgeData, which the headers of older toolkits lack. All zero is an ordinary edge. */
struct mock__edge_data {
    unsigned char from_port, to_port, type, reserved[5];
};

struct mock__edge {
    struct mock__node *from, *to;
    struct mock__edge_data data;
    struct mock__edge *next_after, *previous_after;   /* of those that begin in `from` */
    struct mock__edge *next_before, *previous_before; /* of those that end in `to` */
    struct cushim__tree_node by_from;                 /* of the latter, by `from` */
};

/* In the order in which they were added. */
struct mock__edges {
    struct mock__edge *first, *last;
    size_t n;
};

struct mock__node {
    struct mock__object object;
    struct mock__graph *graph;
    unsigned id; /* in its graph */
    struct mock__work *work;
    struct mock__graph *
        *within; /* of a node that is a graph: this one; of a conditional one: bodies */
    size_t n_within;
    uintptr_t origin; /* the handle of the node that this is a copy of, 0 if it is none */
    bool disabled;    /* where it is instantiated */
    struct mock__edges before, after;
    struct cushim__tree before_by_from;
    struct mock__node *next, *previous; /* in the graph's list */
    struct cushim__tree_node by_freed;  /* of a node that frees: by the address */
    size_t unmet, place;                /* for walks through the graph */
    struct mock__node *twin;            /* for walks through two graphs: its like in the other */
};

struct mock__graph {
    struct mock__object object;
    unsigned id;                     /* no other graph ever has it */
    unsigned next_id;                /* of a node */
    struct mock__node *first, *last; /* of its nodes, in the order in which they were added */
    size_t n;
    size_t n_memory;             /* how many nodes allocate or free, in graphs within as well */
    size_t n_conditional;        /* how many are conditional, likewise */
    struct cushim__tree freeing; /* its nodes that free memory */
    /* Where each node was copied from; made by graph_origin.c when first needed, NULL before. */
    struct mock__origin *origins;
    size_t n_origins;
    struct mock__node *parent; /* the node whose graph this is, or NULL */
    bool instantiated;         /* belongs to an executable graph */
    bool moved;                /* became the graph of a node, which did not copy it */
    unsigned captures;         /* how many captures add to it */
    unsigned n_execs;          /* how many executable graphs were made from it */
    struct mock__condition *conditions, *last_condition; /* in the order in which they were made */
    struct mock__holding *holdings, *last_holding;
    struct cushim__tree holdings_by_object;
};

/* --- graphs --- */

/* Returns an empty graph, or NULL when out of memory. */
struct mock__graph *mock__graph_new(void);
void mock__graph_free(struct mock__graph *graph);

/* Copies a graph with all that it has. Its nodes know their originals. */
CUresult mock__graph_copy(const struct mock__graph *graph, struct mock__graph **ret_copy);

/* The graph or node of a handle; CUDA_ERROR_INVALID_VALUE if there is none. */
CUresult mock__graph_find(CUgraph handle, struct mock__graph **ret_graph);
CUresult mock__node_find(CUgraphNode handle, struct mock__node **ret_node);

/* Tells whether nodes allocate or free, in the graph or in graphs within. */
bool mock__graph_has_memory(const struct mock__graph *graph);

/* Tells whether this is a body of a conditional node. */
bool mock__graph_is_body(const struct mock__graph *graph);

/* Tells whether a stream captures to the graph, or to one within; or to one within a node. */
bool mock__graph_is_captured(const struct mock__graph *graph);
bool mock__node_is_captured(const struct mock__node *node);

/*
 * Tells whether there may be no second graph like it: it is a body, or nodes allocate, free or are
 * conditional, in the graph or in graphs within.
 */
bool mock__graph_is_single(const struct mock__graph *graph);

/* --- nodes --- */

CUgraphNodeType mock__node_type(const struct mock__node *node);

/* The nodes that a new node comes after. data may be NULL: then all edges are ordinary ones. */
struct mock__predecessors {
    const CUgraphNode *nodes;
    const struct mock__edge_data *data;
    size_t n;
};

/* Adds a node behind others. Takes over the work, whatever it answers. */
CUresult mock__node_add(struct mock__graph *graph, const struct mock__predecessors *after,
                        struct mock__work *work, struct mock__node **ret_node);
void mock__node_free(struct mock__node *node);

/* The same for a node that is a graph. Takes over the child, if it succeeds. */
CUresult mock__node_add_child(struct mock__graph *graph, const struct mock__predecessors *after,
                              struct mock__graph *child, struct mock__node **ret_node);

/* A graph takes the place of the one that a node is, which is freed. */
void mock__node_replace_child(struct mock__node *node, struct mock__graph *child);

/* The graph of a node that is one, else NULL. */
struct mock__graph *mock__child_of(const struct mock__node *node);

/*
 * Adds a node of this work with n empty graphs within: a conditional node. Takes over the work,
 * whatever it answers.
 */
CUresult mock__node_add_bodies(struct mock__graph *graph, const struct mock__predecessors *after,
                               struct mock__work *work, size_t n, struct mock__node **ret_node);

/*
 * The node of a copy that is a copy of this one, in the graphs within as well; NULL if none is. The
 * first call sorts the copies. mock__origins_forget() is called when a child graph is added to the
 * graph, or to one within it.
 */
struct mock__node *mock__node_in_copy(struct mock__graph *copy, uintptr_t original);
void mock__origins_forget(struct mock__graph *graph);

/* --- edges --- */

/*
 * CUDA_ERROR_INVALID_VALUE if there is such an edge already, or may be none; circles are found
 * when the graph is instantiated.
 */
CUresult mock__edge_add(struct mock__node *from, struct mock__node *to,
                        const struct mock__edge_data *data);
bool mock__edge_remove(struct mock__node *from, struct mock__node *to);
struct mock__edge *mock__edge_find(const struct mock__node *from, const struct mock__node *to);

/* --- the dependencies of the next node of a capture --- */

/* They are handles, because the program may destroy the nodes meanwhile. */
struct mock__capture_dependencies {
    CUgraphNode *nodes;
    struct mock__edge_data *data;
    size_t n, capacity;
    size_t *places, n_places; /* of many: where each is in the lists, by a hash of it; 0: nowhere */
};

void mock__capture_dependencies_clear(struct mock__capture_dependencies *dependencies);
void mock__capture_dependencies_empty(struct mock__capture_dependencies *dependencies);
bool mock__capture_dependencies_has_data(const struct mock__capture_dependencies *dependencies);

/* Adds the nodes that are not in it yet. False if there is no memory. */
bool mock__capture_dependencies_add(struct mock__capture_dependencies *dependencies,
                                    const CUgraphNode *nodes, const struct mock__edge_data *data,
                                    size_t n);

/* Marks the nodes in the list and all that they depend on, and nothing else in the graph. */
CUresult
mock__capture_dependencies_mark_behind(const struct mock__graph *graph,
                                       const struct mock__capture_dependencies *dependencies);

/* Tells whether all of its nodes are marked. */
bool mock__capture_dependencies_is_marked(const struct mock__capture_dependencies *dependencies);

#endif
