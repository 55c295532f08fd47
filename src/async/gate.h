/* SPDX-License-Identifier: MIT */
/*
 * Gates. A gate is passed by several nodes, and lets the operation behind it run once: for the
 * first node that comes. Threads that come meanwhile wait until it is submitted; all of them get
 * its output, or its error.
 *
 * The nodes of cushim_op_share() and cushim_op_unzip() have gates. An output of a shared gate is
 * shared. Those of an unzipped list go to one node each.
 */
#ifndef CUSHIM_ASYNC_GATE_H
#define CUSHIM_ASYNC_GATE_H

#include "async/node.h"

/*
 * Makes a gate in front of an operation, which it consumes in any case, with a reference for the
 * caller. parts is the length that the list must have, or 0 for a shared gate. NULL when out of
 * memory.
 */
struct cushim__gate *cushim__gate_new(cushim_op op, size_t parts, const char *call);

struct cushim__gate *cushim__gate_ref(struct cushim__gate *gate);
void cushim__gate_unref(struct cushim__gate *gate);

/*
 * Waits while another thread runs the operation. *ret_node is the operation if the caller must run
 * it, with a reference, and otherwise NULL: it has run. After the first case the caller calls
 * cushim__gate_open() or cushim__gate_fail(). Fails with the operation's error, each time, and
 * where waiting would never end. recorder is the stream of a run that records a graph, or 0.
 */
cushim_status cushim__gate_enter(struct cushim__gate *gate, uint64_t recorder,
                                 struct cushim__node **ret_node);

/* The operation has run, or has failed with the thread's error. open() takes over the output. */
void cushim__gate_open(struct cushim__gate *gate, struct cushim_output *output);
void cushim__gate_fail(struct cushim__gate *gate);

/* Returns the output of a shared gate that is open, with a reference. */
struct cushim_output *cushim__gate_output(struct cushim__gate *gate);

/* Takes one output out of the list of an unzipped gate that is open. */
cushim_status cushim__gate_take(struct cushim__gate *gate, size_t index,
                                struct cushim_output **ret_output);

/*
 * Takes the output out of a shared gate that is open, if only two nodes have the gate: the shared
 * one, and the one that ends the sharing; and nobody else has the output. CUSHIM_ERROR_BUSY
 * otherwise.
 */
cushim_status cushim__gate_unshare(struct cushim__gate *gate, struct cushim_output **ret_output);

/*
 * Returns the operation behind a gate that was not entered, and keeps everybody out of the gate
 * until cushim__gate_leave_alone(). NULL if it was entered, or somebody looks behind it already.
 */
const struct cushim__node *cushim__gate_look(struct cushim__gate *gate);
void cushim__gate_leave_alone(struct cushim__gate *gate);

#endif
