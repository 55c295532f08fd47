/* SPDX-License-Identifier: MIT */
/*
 * The graphs of a question. All its nodes are of one graph, which has one of each type but those of
 * memory, and its executable graph is of that one, so that arguments which must belong together do.
 */
#ifndef CUSHIM_TESTS_DRIVER_SWEEP_GRAPHS_H
#define CUSHIM_TESTS_DRIVER_SWEEP_GRAPHS_H

#include "objects.h"

maker make_graph, make_other_graph, make_exec, make_other_exec, make_clone, make_empty_graph,
    make_memory_graph;
maker make_kernel_node, make_copy_node, make_set_node, make_host_node, make_empty_node,
    make_second_empty_node, make_child_node, make_record_node, make_wait_node, make_batch_node,
    make_alloc_node, make_free_node, make_condition_node, make_node_of_other_graph,
    make_child_graph, make_condition, make_alloc_graph, make_alloc_address, make_unfreed_node,
    make_owned_object;

/* The question is over. */
void forget_graphs(void);

/* What is made in between is of other graphs. */
void other_graphs_begin(void);
void other_graphs_end(void);

#endif
