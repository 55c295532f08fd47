/* SPDX-License-Identifier: MIT */
/*
 * Looking at graphs: what a graph consists of, as a picture, as numbers, and node by node.
 *
 *     const char *text;
 *
 *     CUSHIM_TRY(cushim_graph_dot(graph, &text));
 *     fputs(text, file);                                then: dot -Tsvg FILE
 *     cushim_graph_dot_free(&text);
 *
 * A launch of a graph in a trace (trace.h) has the nodes of the graph in words, too.
 *
 * All functions are thread-safe; see object.h. They show the graph as it was recorded, with what
 * updates and cushim_graph_replace() have changed since (node.h).
 */
#ifndef CUSHIM_GRAPH_VIEW_H
#define CUSHIM_GRAPH_VIEW_H

#include <cushim/node.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a node does. */
enum cushim_node_kind {
    CUSHIM_NODE_LAUNCH = 0, /* of a kernel */
    CUSHIM_NODE_COPY = 1,
    CUSHIM_NODE_FILL = 2,
    CUSHIM_NODE_HOST_FUNCTION = 3,
    CUSHIM_NODE_GRAPH = 4,        /* a graph in the graph */
    CUSHIM_NODE_EMPTY = 5,        /* it does nothing, and keeps an order */
    CUSHIM_NODE_EVENT_WAIT = 6,   /* it waits for an event */
    CUSHIM_NODE_EVENT_RECORD = 7, /* it records an event */
    /** Work that the program submitted itself, work without a node of its own, and other kinds. */
    CUSHIM_NODE_OTHER = 8,
    CUSHIM_NODE_CONDITIONAL = 9, /* its bodies are not nodes of the graph (condition.h) */
};

/**
 * Writes a graph in the language DOT, which graphviz draws and many tools read. Each node is a box
 * with its number, kind, kernel, sizes and memory; one that is switched off is dashed. Each edge
 * has the reason for it: the memory that both use, as "x: written, then read", or who else has made
 * the order. What a kernel reads and writes (CUSHIM_INOUT) is said to be written. A conditional node
 * is a diamond, from which dotted lines lead to its bodies: "if", "else", "while", "case 0".
 *
 * Memory has the label of its slice (cushim_label()), if the slice is not freed yet, and else a
 * number: "memory 1". "[0..64)" are the bytes that are used, where it is not all of it.
 *
 * The same recording gives the same text. The caller frees it with cushim_graph_dot_free().
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_graph_dot(cushim_graph graph, const char **ret_text);

/** Frees a text of cushim_graph_dot(), and sets the pointer to NULL. NULL is accepted. */
CUSHIM_API void cushim_graph_dot_free(const char **text);

/** What a graph is, in numbers. A graph in the graph counts as one node, without its memory. */
struct cushim_graph_counts {
    size_t size; /* of this structure: the caller sets it */

    size_t nodes;
    size_t edges;         /* only the direct ones: none that others make unnecessary */
    size_t first_nodes;   /* nodes that come after no other */
    size_t longest_chain; /* the most nodes that run one after another */
    /**
     * The most nodes that have chains of the same length before them. They may run side by side, if
     * the device has room; it may be that still more nodes could.
     */
    size_t widest_level;
    size_t of_kind[16];    /* nodes of each kind, by enum cushim_node_kind; the rest is 0 */
    uint64_t copied_bytes; /* that one launch copies, by nodes that are switched on */
    uint64_t filled_bytes; /* that one launch fills, in the same way */
    uint64_t memory_bytes; /* of memory that the graph uses and keeps; each byte counts once */
    uint64_t launches;     /* that were submitted; not those as a part of another graph */
    uint64_t updates;      /* that cushim_graph_update_end() made */
};

/** Returns a graph in numbers. The caller sets the structure's size before the call. */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_graph_stats(cushim_graph graph,
                                                           struct cushim_graph_counts *ret_stats);

/** One node. What a kind does not have is 0. */
struct cushim_node_info {
    size_t size; /* of this structure: the caller sets it */

    enum cushim_node_kind kind;
    int enabled; /* 0: cushim_graph_set_enabled() has switched it off */
    /** The kernel's name, until the next update of the graph, or NULL. */
    const char *kernel;
    unsigned grid[3], block[3]; /* 0 for a launch that is timed: it takes several of the driver's */
    size_t shared_bytes;        /* dynamic shared memory */
    size_t bytes;               /* that it copies or fills */
    size_t inner_nodes;         /* of the graph in the graph */
    size_t n_before;            /* how many nodes it comes directly after */
};

/**
 * Returns what a node is. The caller sets the structure's size before the call. The result is
 * CUSHIM_ERROR_INVALID_ARGUMENT if the node is not one of the graph.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_graph_node_info(cushim_graph graph, cushim_node node,
                                                               struct cushim_node_info *ret_info);

/**
 * Copies up to max of the nodes that a node comes directly after to the array nodes. *ret_available
 * is their number, which may be more than max. nodes may be NULL if max is 0. The result is
 * CUSHIM_ERROR_INVALID_ARGUMENT if the node is not one of the graph.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_graph_node_before(cushim_graph graph,
                                                                 cushim_node node,
                                                                 cushim_node *nodes, size_t max,
                                                                 size_t *ret_available);

#ifdef __cplusplus
}
#endif

#endif
