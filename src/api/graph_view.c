/* SPDX-License-Identifier: MIT */
#include <cushim/graph_view.h>

#include <stdlib.h>

#include "base/params.h"
#include "core/graph/view.h"

/* --- the picture --- */

static cushim_status write_dot(const struct cushim__scope *scope, struct cushim__graph *graph,
                               const char **ret_text)
{
    struct cushim__names names = {0};
    struct cushim__str str = {0};
    cushim_status status;

    cushim__names_collect(&names);
    cushim__mutex_lock(&graph->lock);
    status = cushim__graph_dot(scope, graph, &names, &str);
    cushim__mutex_unlock(&graph->lock);
    cushim__names_finish(&names);
    if (status)
        cushim__str_finish(&str);
    else
        *ret_text = str.text;
    return status;
}

cushim_status cushim_graph_dot(cushim_graph graph, const char **ret_text)
{
    struct cushim__graph *object;
    struct cushim__scope scope;

    CHECK_OUTPUT(ret_text);
    CUSHIM_TRY(cushim__object_enter(graph.id, CUSHIM__HANDLE_GRAPH, __func__, &scope, &object));
    return cushim__scope_leave(&scope, write_dot(&scope, object, ret_text));
}

void cushim_graph_dot_free(const char **text)
{
    if (!text)
        return;
    free((void *) *text);
    *text = NULL;
}

/* --- numbers --- */

cushim_status cushim_graph_stats(cushim_graph graph, struct cushim_graph_counts *ret_stats)
{
    struct cushim_graph_counts stats;
    struct cushim__graph *object;
    struct cushim__scope scope;
    cushim_status status;

    CHECK_OUTPUT(ret_stats);
    CUSHIM_TRY(cushim__object_enter(graph.id, CUSHIM__HANDLE_GRAPH, __func__, &scope, &object));
    cushim__mutex_lock(&object->lock);
    status = cushim__graph_stats(&scope, object, &stats);
    cushim__mutex_unlock(&object->lock);
    if (!status)
        status = PARAMS_WRITE(cushim_graph_counts, updates, &stats, ret_stats);
    return cushim__scope_leave(&scope, status);
}

/* --- one node --- */

static void copy_sizes(unsigned to[3], const unsigned from[3])
{
    for (int i = 0; i < 3; i++)
        to[i] = from[i];
}

/* Under the lock. */
static cushim_status read_info(const struct cushim__scope *scope, struct cushim__graph *graph,
                               cushim_node node, struct cushim_node_info *info)
{
    struct cushim__node_view view;

    CUSHIM_TRY(cushim__graph_check_node(scope, graph, node));
    CUSHIM_TRY(cushim__node_view(scope, graph, graph->recording, (unsigned) node.number, &view));
    *info = (struct cushim_node_info){.kind = view.kind,
                                      .enabled = view.enabled != 0,
                                      .kernel = view.work->about.name,
                                      .bytes = view.bytes,
                                      .inner_nodes = view.inner_nodes,
                                      .n_before = view.work->n_before};
    if (view.kind != CUSHIM_NODE_LAUNCH)
        return CUSHIM_OK;
    copy_sizes(info->grid, view.params.kernel.grid);
    copy_sizes(info->block, view.params.kernel.block);
    info->shared_bytes = view.params.kernel.shared_bytes;
    return CUSHIM_OK;
}

cushim_status cushim_graph_node_info(cushim_graph graph, cushim_node node,
                                     struct cushim_node_info *ret_info)
{
    struct cushim_node_info info;
    struct cushim__graph *object;
    struct cushim__scope scope;
    cushim_status status;

    CHECK_OUTPUT(ret_info);
    CUSHIM_TRY(cushim__object_enter(graph.id, CUSHIM__HANDLE_GRAPH, __func__, &scope, &object));
    cushim__mutex_lock(&object->lock);
    status = read_info(&scope, object, node, &info);
    cushim__mutex_unlock(&object->lock);
    if (!status)
        status = PARAMS_WRITE(cushim_node_info, n_before, &info, ret_info);
    return cushim__scope_leave(&scope, status);
}

static size_t copy_before(const struct cushim__recording *recording, cushim_node node,
                          cushim_node *nodes, size_t max)
{
    const struct cushim__recorded *work = &recording->works[node.number];

    for (size_t i = 0; i < work->n_before && i < max; i++)
        nodes[i] = (cushim_node){recording->id, recording->before.items[work->first_before + i]};
    return work->n_before;
}

/* The edges of a graph never change, so its lock is not needed. */
cushim_status cushim_graph_node_before(cushim_graph graph, cushim_node node, cushim_node *nodes,
                                       size_t max, size_t *ret_available)
{
    struct cushim__graph *object;
    struct cushim__scope scope;
    cushim_status status;

    CHECK_OUTPUT(ret_available);
    if (!nodes && max)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "%s: nodes is NULL", __func__);
    CUSHIM_TRY(cushim__object_enter(graph.id, CUSHIM__HANDLE_GRAPH, __func__, &scope, &object));
    status = cushim__graph_check_node(&scope, object, node);
    if (!status)
        *ret_available = copy_before(object->recording, node, nodes, max);
    return cushim__scope_leave(&scope, status);
}
