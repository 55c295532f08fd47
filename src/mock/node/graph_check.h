/* SPDX-License-Identifier: MIT */
/* What a graph must be to be instantiated. Callers hold the lock. */
#ifndef CUSHIM_MOCK_NODE_GRAPH_CHECK_H
#define CUSHIM_MOCK_NODE_GRAPH_CHECK_H

#include <stdbool.h>

#include "mock/functions.h"

struct mock__graph;

/* CUgraphInstantiateResult, by number: older headers lack some. */
enum {
    MOCK__INSTANTIATE_ERROR = 1,
    MOCK__INVALID_STRUCTURE = 2,
    MOCK__OPERATION_NOT_SUPPORTED = 3,
    MOCK__MULTIPLE_CONTEXTS = 4,
    MOCK__HANDLE_UNUSED = 5,
};

/* Why a graph is not instantiated, and the node that is to blame, or NULL. */
struct mock__refusal {
    CUgraphNode node;
    int reason;
};

/*
 * Checks the nodes of a graph: those of conditional bodies, and all if it is for launches by the
 * device. *ret_refusal is set if it answers an error that has a reason of its own.
 */
CUresult mock__graph_check(const struct mock__graph *graph, bool for_device,
                           struct mock__refusal *ret_refusal);

#endif
