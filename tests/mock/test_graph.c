/* SPDX-License-Identifier: MIT */
/* Graphs as they are built and changed: nodes, edges, copies. */
#include <stdio.h>
#include <unistd.h>

#include "graphs.h"
#include "mock/base/newer.h"

TestSuite(graph, .init = begin);

Test(graph, handles_are_checked)
{
    CUgraph graph = new_graph(), containing = NULL;
    CUgraphNode node;
    CUgraphNodeType type;

    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphCreate(NULL, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphCreate(&graph, 1));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphDestroy(GARBAGE));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphAddEmptyNode(NULL, graph, NULL, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphAddEmptyNode(&node, GARBAGE, NULL, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphAddEmptyNode(&node, graph, NULL, 1));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphNodeGetType(GARBAGE, &type));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphDestroyNode(GARBAGE));
    node = add_empty(graph, NULL);
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphNodeGetType(node, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphNodeGetContainingGraph(node, NULL));
    OK(mock_cuGraphNodeGetContainingGraph(node, &containing));
    cr_expect(eq(ptr, containing, graph));
    OK(mock_cuGraphDestroy(graph));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphDestroy(graph));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphNodeGetType(node, &type));
}

Test(graph, a_node_that_is_not_added_leaves_nothing)
{
    CUgraph graph = new_graph(), other = new_graph();
    CUgraphNode foreign = add_empty(other, NULL), mine = add_empty(graph, NULL), node = NULL;
    CUgraphNode twice[] = {mine, mine}, mixed[] = {mine, foreign};

    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphAddEmptyNode(&node, graph, twice, 2));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphAddEmptyNode(&node, graph, mixed, 2));
    cr_expect(eq(ptr, node, NULL));
    cr_expect(eq(sz, count_nodes(graph), 1));
    cr_expect(eq(sz, count_edges(graph), 0));
}

/* A diamond: a before b and c, both before d. */
static void make_diamond(CUgraph graph, CUgraphNode *nodes)
{
    nodes[0] = add_empty(graph, NULL);
    nodes[1] = add_empty(graph, nodes[0]);
    nodes[2] = add_empty(graph, nodes[0]);
    OK(mock_cuGraphAddEmptyNode(&nodes[3], graph, &nodes[1], 2));
}

Test(graph, nodes_are_listed)
{
    CUgraph graph = new_graph();
    CUgraphNode nodes[4], list[6];
    size_t n = 6;

    make_diamond(graph, nodes);
    memset(list, 0xff, sizeof(list));
    OK(mock_cuGraphGetNodes(graph, list, &n));
    cr_expect(eq(sz, n, 4));
    for (int i = 0; i < 6; i++)
        cr_expect(eq(ptr, list[i], i < 4 ? nodes[i] : NULL), "%d", i);
    n = 2;
    OK(mock_cuGraphGetNodes(graph, list, &n));
    cr_expect(eq(sz, n, 2));
    n = 4;
    OK(mock_cuGraphGetRootNodes(graph, list, &n));
    cr_expect(eq(sz, n, 1));
    cr_expect(eq(ptr, list[0], nodes[0]));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphGetNodes(graph, list, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphGetRootNodes(GARBAGE, NULL, &n));
}

Test(graph, edges_are_listed)
{
    CUgraph graph = new_graph();
    CUgraphNode nodes[4], from[8], to[8];
    size_t n = 8;

    make_diamond(graph, nodes);
    cr_expect(eq(sz, count_edges(graph), 4));
    OK(mock_cuGraphGetEdges(graph, from, to, &n));
    cr_assert(eq(sz, n, 4));
    cr_expect(eq(ptr, from[0], nodes[0]));
    cr_expect(eq(ptr, to[0], nodes[1]));
    cr_expect(eq(ptr, from[3], nodes[2]));
    cr_expect(eq(ptr, to[3], nodes[3]));
    cr_expect(eq(ptr, from[7], NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphGetEdges(graph, from, NULL, &n));
}

Test(graph, neighbours_are_listed)
{
    CUgraph graph = new_graph();
    CUgraphNode nodes[4], list[4];
    size_t n = 4;

    make_diamond(graph, nodes);
    OK(mock_cuGraphNodeGetDependencies(nodes[3], list, &n));
    cr_assert(eq(sz, n, 2));
    cr_expect(eq(ptr, list[0], nodes[1]));
    cr_expect(eq(ptr, list[1], nodes[2]));
    OK(mock_cuGraphNodeGetDependentNodes(nodes[0], NULL, &n));
    cr_expect(eq(sz, n, 2));
    OK(mock_cuGraphNodeGetDependencies(nodes[0], NULL, &n));
    cr_expect(eq(sz, n, 0));
}

Test(graph, edges_are_added_and_removed_as_a_whole)
{
    CUgraph graph = new_graph();
    CUgraphNode a = add_empty(graph, NULL), b = add_empty(graph, NULL), c = add_empty(graph, NULL);
    const CUgraphNode from[] = {a, b, a}, to[] = {b, c, b}, self[] = {a};

    /* The third is there twice. */
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphAddDependencies(graph, from, to, 3));
    cr_expect(eq(sz, count_edges(graph), 0));
    OK(mock_cuGraphAddDependencies(graph, from, to, 2));
    cr_expect(eq(sz, count_edges(graph), 2));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphAddDependencies(graph, self, self, 1));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphAddDependencies(graph, NULL, to, 1));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphRemoveDependencies(graph, from, to, 3));
    cr_expect(eq(sz, count_edges(graph), 2));
    OK(mock_cuGraphRemoveDependencies(graph, from, to, 2));
    cr_expect(eq(sz, count_edges(graph), 0));
    OK(mock_cuGraphAddDependencies(graph, NULL, NULL, 0));
}

Test(graph, a_node_takes_its_edges_along)
{
    CUgraph graph = new_graph();
    CUgraphNode nodes[4];

    make_diamond(graph, nodes);
    OK(mock_cuGraphDestroyNode(nodes[1]));
    cr_expect(eq(sz, count_nodes(graph), 3));
    cr_expect(eq(sz, count_edges(graph), 2));
    OK(mock_cuGraphDestroyNode(nodes[3]));
    cr_expect(eq(sz, count_edges(graph), 1));
}

Test(graph, a_cycle_is_found_and_named)
{
    CUgraph graph = new_graph();
    CUgraphNode a = add_empty(graph, NULL), b = add_empty(graph, a), c = add_empty(graph, b);
    CUgraphNode culprit = NULL;
    CUgraphExec exec = NULL;
    char log[64] = "?";

    OK(mock_cuGraphAddDependencies(graph, &c, &b, 1));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuGraphInstantiate_v2(&exec, graph, &culprit, log, sizeof(log)));
    cr_expect(eq(ptr, exec, NULL));
    cr_expect(eq(ptr, culprit, b));
    cr_expect(ne(ptr, (void *) strstr(log, "cycle"), NULL), "%s", log);
    OK(mock_cuGraphRemoveDependencies(graph, &c, &b, 1));
    OK(mock_cuGraphInstantiate(&exec, graph, &culprit, log, sizeof(log)));
    cr_expect(eq(ptr, culprit, NULL));
    cr_expect(eq(str, log, (char *) ""));
}

#if CUDA_VERSION >= 12030
Test(graph, edges_have_data)
{
    CUgraph graph = new_graph();
    CUgraphNode a = add_affine(graph, NULL, 1, 1), b = add_affine(graph, NULL, 1, 1);
    CUgraphNode empty = add_empty(graph, NULL), from, to;
    const CUgraphEdgeData programmatic = {.from_port = 1, .type = 1};
    const CUgraphEdgeData bad[] = {
        {.from_port = 9}, {.to_port = 1}, {.type = 1}, {.reserved = {1}}};
    CUgraphEdgeData data;
    size_t n = 1;

    for (size_t i = 0; i < 4; i++)
        EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphAddDependencies_v2(graph, &a, &b, &bad[i], 1));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuGraphAddDependencies_v2(graph, &a, &empty, &programmatic, 1));
    OK(mock_cuGraphAddDependencies_v2(graph, &a, &b, &programmatic, 1));
    OK(mock_cuGraphGetEdges_v2(graph, &from, &to, &data, &n));
    cr_expect(eq(sz, n, 1));
    cr_expect(eq(int, memcmp(&data, &programmatic, sizeof(data)), 0));
    /* Without a place for it, data that matter are not passed over in silence. */
    EXPECT(CUDA_ERROR_LOSSY_QUERY, mock_cuGraphGetEdges(graph, &from, &to, &n));
    n = 1;
    EXPECT(CUDA_ERROR_LOSSY_QUERY, mock_cuGraphNodeGetDependencies(b, &from, &n));
    n = 1;
    OK(mock_cuGraphNodeGetDependencies_v2(b, &from, &data, &n));
    cr_expect(eq(int, data.from_port, 1));
    OK(mock_cuGraphNodeGetDependentNodes_v2(a, &to, &data, &n));
    cr_expect(eq(ptr, to, b));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphRemoveDependencies(graph, &a, &b, 1));
    OK(mock_cuGraphRemoveDependencies_v2(graph, &a, &b, &programmatic, 1));
}
#endif

Test(graph, a_clone_is_a_graph_of_its_own)
{
    CUgraph graph = new_graph(), clone = NULL;
    CUgraphNode first = add_affine(graph, NULL, 1, 3);
    CUgraphNode second = add_affine(graph, first, 10, 0), found_node = NULL, before = NULL;
    size_t n = 1;

    OK(mock_cuGraphClone(&clone, graph));
    cr_expect(eq(sz, count_nodes(clone), 2));
    cr_expect(eq(sz, count_edges(clone), 1));
    OK(mock_cuGraphNodeFindInClone(&found_node, second, clone));
    cr_expect(ne(ptr, found_node, second));
    OK(mock_cuGraphNodeGetDependencies(found_node, &before, &n));
    OK(mock_cuGraphNodeFindInClone(&found_node, first, clone));
    cr_expect(eq(ptr, before, found_node));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphNodeFindInClone(&found_node, before, clone));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphNodeFindInClone(&found_node, first, graph));
    OK(mock_cuGraphDestroy(graph));
    OK(mock_cuGraphLaunch(instantiate(clone), one));
    cr_expect(eq(uint, value(), 30));
}

Test(graph, a_graph_within_is_a_copy)
{
    CUgraph graph = new_graph(), inner = new_graph(), embedded = NULL;
    CUgraphNode first = add_affine(inner, NULL, 0, 5), child = NULL, last, again = NULL;
    CUgraphNodeType type;

    OK(mock_cuGraphAddChildGraphNode(&child, graph, NULL, 0, inner));
    last = add_affine(graph, child, 2, 1);
    OK(mock_cuGraphChildGraphNodeGetGraph(child, &embedded));
    cr_expect(ne(ptr, embedded, inner));
    OK(mock_cuGraphNodeFindInClone(&again, first, embedded));
    OK(mock_cuGraphNodeGetType(child, &type));
    cr_expect(eq(int, type, CU_GRAPH_NODE_TYPE_GRAPH));
    /* It belongs to its node, and what is added to it is part of that. */
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphDestroy(embedded));
    add_affine(embedded, again, 1, 2);
    OK(mock_cuGraphDestroy(inner));
    OK(mock_cuGraphLaunch(instantiate(graph), one));
    cr_expect(eq(uint, value(), 15));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphChildGraphNodeGetGraph(last, &embedded));
    OK(mock_cuGraphDestroy(graph));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphGetNodes(embedded, NULL, &(size_t){0}));
}

Test(graph, a_graph_is_written_for_graphviz)
{
    char path[] = "/tmp/cushim-graph-XXXXXX", text[4096] = "", name[64], *line;
    CUgraph graph = new_graph(), inner = new_graph();
    CUgraphNode node = add_affine(graph, NULL, 1, 1), child;
    unsigned id = 0, local = 0;
    const int fd = mkstemp(path);
    FILE *file = fdopen(fd, "r");

    cr_assert(ne(int, fd, -1));
    add_empty(graph, node);
    add_empty(inner, NULL);
    OK(mock_cuGraphAddChildGraphNode(&child, graph, &node, 1, inner));
    OK(mock_cuGraphDebugDotPrint(graph, path, 1));
    text[fread(text, 1, sizeof(text) - 1, file)] = 0;
    fclose(file);
    remove(path);
    cr_expect(eq(int, strncmp(text, "digraph", 7), 0), "%s", text);
    cr_expect(ne(ptr, (void *) strstr(text, "affine"), NULL), "%s", text);
    cr_expect(ne(ptr, (void *) strstr(text, "subgraph"), NULL), "%s", text);
    OK(mock_cuGraphGetId(graph, &id));
    OK(mock_cuGraphNodeGetLocalId(child, &local));
    snprintf(name, sizeof(name), "\"graph_%u_node_%u\" [label", id, local);
    cr_expect(ne(ptr, (void *) strstr(text, name), NULL), "%s: %s", name, text);
    line = strstr(text, "->");
    cr_assert(ne(ptr, (void *) line, NULL), "%s", text);
    cr_expect(ne(ptr, (void *) strstr(line + 2, "->"), NULL), "%s", text);
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphDebugDotPrint(graph, NULL, 0));
    EXPECT(CUDA_ERROR_OPERATING_SYSTEM, mock_cuGraphDebugDotPrint(graph, "/nowhere/at/all", 0));
}

/* --- user objects --- */

static void CUDA_CB mark(void *flag)
{
    __atomic_store_n((int *) flag, 1, __ATOMIC_RELEASE);
}

/* The destructor is called by another thread, some time. */
static int is_marked_in_time(const int *flag)
{
    for (int i = 0; i < 5000 && !__atomic_load_n(flag, __ATOMIC_ACQUIRE); i++)
        usleep(1000);
    return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

static CUuserObject new_object(int *flag, unsigned references)
{
    CUuserObject object = NULL;

    OK(mock_cuUserObjectCreate(&object, flag, mark, references, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    return object;
}

Test(graph, a_user_object_lives_as_long_as_it_is_referred_to)
{
    static int gone;
    CUuserObject object = new_object(&gone, 2);

    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuUserObjectCreate(&object, NULL, mark, 1, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuUserObjectCreate(&object, NULL, NULL, 1, 1));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuUserObjectCreate(&object, NULL, mark, 0, 1));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuUserObjectRelease(object, 3));
    OK(mock_cuUserObjectRetain(object, 1));
    OK(mock_cuUserObjectRelease(object, 2));
    cr_expect(eq(int, gone, 0));
    OK(mock_cuUserObjectRelease(object, 1));
    cr_expect(ne(int, is_marked_in_time(&gone), 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuUserObjectRetain(object, 1));
}

Test(graph, graphs_keep_user_objects)
{
    static int gone;
    CUgraph graph = new_graph(), clone = NULL;
    CUuserObject object = new_object(&gone, 1);
    CUgraphExec exec;

    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuGraphRetainUserObject(graph, object, 2, CU_GRAPH_USER_OBJECT_MOVE));
    OK(mock_cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuUserObjectRelease(object, 1));
    OK(mock_cuGraphClone(&clone, graph));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphReleaseUserObject(clone, object, 2));
    OK(mock_cuGraphReleaseUserObject(clone, object, 1));
    add_affine(graph, NULL, 1, 1);
    exec = instantiate(graph);
    OK(mock_cuGraphDestroy(graph));
    OK(mock_cuGraphLaunch(exec, one));
    OK(mock_cuGraphExecDestroy(exec));
    /* The launch that is not done yet is the last to need it. */
    cr_expect(eq(int, __atomic_load_n(&gone, __ATOMIC_ACQUIRE), 0));
    OK(mock_cuStreamSynchronize(one));
    cr_expect(ne(int, is_marked_in_time(&gone), 0));
}

Test(graph, leaks_are_found)
{
    static int gone;
    const size_t before = cushim_mock_leaks();
    CUgraph graph = new_graph();
    CUgraphExec exec = instantiate(graph);
    CUuserObject object = new_object(&gone, 1);
    const struct cushim_mock_finding *findings = NULL;
    size_t n;

    /* What was there before is said again, and counted as one with what was said. */
    cr_expect(eq(sz, cushim_mock_leaks(), 3), "before: %zu", before);
    n = cushim_mock_findings(&findings);
    cr_expect(ne(ptr, (void *) strstr(findings[n - 3].text, "graph 0x"), NULL));
    cr_expect(ne(ptr, (void *) strstr(findings[n - 2].text, "executable graph"), NULL));
    cr_expect(ne(ptr, (void *) strstr(findings[n - 1].text, "user object"), NULL));
    OK(mock_cuGraphExecDestroy(exec));
    OK(mock_cuGraphDestroy(graph));
    OK(mock_cuUserObjectRelease(object, 1));
    cushim_mock_findings_clear();
    cr_expect(eq(sz, cushim_mock_leaks(), before));
}
