/* SPDX-License-Identifier: MIT */
/*
 * User objects: something of the program that graphs keep. Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_GRAPH_USER_OBJECT_H
#define CUSHIM_MOCK_GRAPH_USER_OBJECT_H

#include "mock/base/objects.h"
#include "mock/functions.h"

struct mock__destructor_call;
struct mock__graph;

struct mock__user_object {
    struct mock__object object;
    unsigned callers, graphs; /* references of the program, and of graphs */
    struct mock__destructor_call *destructor_call;
};

/* A graph's references. */
struct mock__holding {
    struct mock__user_object *object;
    unsigned count;
    struct mock__holding *next, *previous; /* in the order in which they came */
    struct cushim__tree_node by_object;
};

/* Do the work of cuGraphRetainUserObject() and cuGraphReleaseUserObject(). */
CUresult mock__graph_retain_user_object(CUgraph graph, CUuserObject object, unsigned count,
                                        unsigned flags);
CUresult mock__graph_release_user_object(CUgraph graph, CUuserObject object, unsigned count);

void mock__holdings_free(struct mock__graph *graph);

/* Gives a copy of a graph references of its own. */
CUresult mock__holdings_copy(const struct mock__graph *graph, struct mock__graph *copy);

#endif
