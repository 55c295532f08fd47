/* SPDX-License-Identifier: MIT */
/* A picture of a graph, in the language DOT: nodes, edges, and the reasons for these. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cu/cu_graph.h"
#include "core/graph/paths.h"
#include "core/graph/view.h"

/* The name of a node ends with its number. Those of bodies begin with the name of their node. */
enum { NAME_BYTES = 128 };

struct picture {
    const struct cushim__scope *scope;
    struct cushim__graph *graph;
    struct cushim__names *names;
    struct cushim__str *str;
};

/* What the lines of one text say. They are escaped when the text is complete. */
static void append_line(struct cushim__str *str, struct cushim__str *line)
{
    cushim__str_append_quoted(str, line);
    cushim__str_append(str, "\\l");
    cushim__str_finish(line);
}

/* --- nodes --- */

static void append_launch(struct cushim__str *str, const struct cushim__cu_kernel_node *kernel)
{
    SCOPED_STR line = {0};

    cushim__str_append(&line, "grid %u x %u x %u, block %u x %u x %u", kernel->grid[0],
                       kernel->grid[1], kernel->grid[2], kernel->block[0], kernel->block[1],
                       kernel->block[2]);
    if (kernel->shared_bytes)
        cushim__str_append(&line, ", %u bytes shared", kernel->shared_bytes);
    append_line(str, &line);
}

static void append_access(struct cushim__str *str, const struct cushim__names *names,
                          const struct cushim__access *access)
{
    SCOPED_STR line = {0};

    if (!cushim__buffer_is_memory(access->buffer))
        return;
    cushim__str_append(&line, access->write ? "writes " : "reads ");
    cushim__name_append(names, access, &line);
    cushim__str_append(&line, ": %zu bytes", access->end - access->begin);
    append_line(str, &line);
}

static void append_accesses(struct cushim__str *str, const struct cushim__names *names,
                            const struct cushim__recording *recording,
                            const struct cushim__recorded *work)
{
    SCOPED_FREE void *room = cushim__accesses_in_order(recording, work);
    const struct cushim__access *accesses = room;

    str->failed |= !accesses;
    for (size_t i = 0; accesses && i < work->n_accesses; i++)
        append_access(str, names, &accesses[i]);
}

static const char *shape_of(enum cushim_node_kind kind)
{
    switch (kind) {
    case CUSHIM_NODE_GRAPH:
        return ", shape=box3d";
    case CUSHIM_NODE_CONDITIONAL:
        return ", shape=diamond";
    default:
        return "";
    }
}

/* The memory of a conditional node is that of its bodies, which are drawn, too. */
static void append_node(const struct picture *picture, const struct cushim__recording *recording,
                        const char *prefix, unsigned number, const struct cushim__node_view *view)
{
    struct cushim__str *str = picture->str;
    SCOPED_STR line = {0};

    cushim__str_append(&line, "%u: ", number);
    cushim__node_view_words(view, &line);
    if (view->bytes)
        cushim__str_append(&line, ", %zu bytes", view->bytes);
    if (!view->enabled)
        cushim__str_append(&line, ", switched off");
    cushim__str_append(str, "    %s%u [label=\"", prefix, number);
    append_line(str, &line);
    if (view->kind == CUSHIM_NODE_LAUNCH && view->params.kernel.function)
        append_launch(str, &view->params.kernel);
    if (view->kind != CUSHIM_NODE_CONDITIONAL)
        append_accesses(str, picture->names, recording, view->work);
    cushim__str_append(str, "\"%s%s];\n", view->enabled ? "" : ", style=dashed",
                       shape_of(view->kind));
}

/* --- reasons of edges --- */

enum { REASONS = 4 };

struct reasons {
    struct cushim__str texts[REASONS];
    size_t n, more;
};

/* Takes over the text. */
static void add_reason(struct reasons *reasons, struct cushim__str *text)
{
    for (size_t i = 0; i < reasons->n; i++)
        if (!strcmp(cushim__str_get(&reasons->texts[i]), cushim__str_get(text))) {
            cushim__str_finish(text);
            return;
        }
    if (reasons->n < REASONS) {
        reasons->texts[reasons->n++] = *text;
        return;
    }
    reasons->more++;
    cushim__str_finish(text);
}

static void add_conflict(struct reasons *reasons, const struct cushim__names *names,
                         const struct cushim__access *first, const struct cushim__access *then)
{
    struct cushim__access both = *then;
    struct cushim__str text = {0};

    if (first->begin > both.begin)
        both.begin = first->begin;
    if (first->end < both.end)
        both.end = first->end;
    if (cushim__buffer_is_memory(both.buffer))
        cushim__name_append(names, &both, &text);
    else
        cushim__str_append(&text, "variables of a module");
    cushim__str_append(&text, ": %s, then %s", first->write ? "written" : "read",
                       then->write ? "written" : "read");
    add_reason(reasons, &text);
}

/* False when out of memory. */
static bool find_reasons(struct reasons *reasons, const struct cushim__names *names,
                         const struct cushim__recording *recording, unsigned before, unsigned after)
{
    const struct cushim__recorded *a = &recording->works[before], *b = &recording->works[after];
    SCOPED_FREE void *room_a = cushim__accesses_in_order(recording, a);
    SCOPED_FREE void *room_b = cushim__accesses_in_order(recording, b);
    const struct cushim__access *of_a = room_a, *of_b = room_b;

    for (size_t i = 0; of_a && of_b && i < a->n_accesses; i++)
        for (size_t k = 0; k < b->n_accesses; k++)
            if (cushim__accesses_conflict(&of_a[i], &of_b[k]))
                add_conflict(reasons, names, &of_a[i], &of_b[k]);
    return of_a && of_b;
}

static bool is_in_order(enum cushim_node_kind kind)
{
    return kind == CUSHIM_NODE_HOST_FUNCTION ||
           (kind >= CUSHIM_NODE_EMPTY && kind <= CUSHIM_NODE_OTHER);
}

/* Why there is an edge that no memory explains. */
static const char *other_reason(const struct cushim__graph *graph, enum cushim_node_kind before,
                                enum cushim_node_kind after)
{
    if (before == CUSHIM_NODE_LAUNCH && after == CUSHIM_NODE_CONDITIONAL)
        return "sets the condition";
    if (graph->recording->order == CUSHIM__ORDER_BY_HAND)
        return "named by cushim_capture_after()";
    if (graph->recording->order == CUSHIM__ORDER_AS_RECORDED)
        return "everything in order";
    if (is_in_order(before) || is_in_order(after))
        return "order of host functions and events";
    if (graph->updates)
        return "order from before an update";
    return "named by the program";
}

static void append_edge(const struct picture *picture, const struct cushim__recording *recording,
                        const char *prefix, const enum cushim_node_kind *kinds, unsigned before,
                        unsigned after)
{
    struct cushim__str *str = picture->str;
    struct reasons reasons = {.n = 0};

    str->failed |= !find_reasons(&reasons, picture->names, recording, before, after);
    cushim__str_append(str, "    %s%u -> %s%u [label=\"", prefix, before, prefix, after);
    for (size_t i = 0; i < reasons.n; i++)
        append_line(str, &reasons.texts[i]);
    if (reasons.more)
        cushim__str_append(str, "and %zu more\\l", reasons.more);
    if (!reasons.n)
        cushim__str_append(str, "%s\\l", other_reason(picture->graph, kinds[before], kinds[after]));
    cushim__str_append(str, "\"];\n");
}

static void append_edges(const struct picture *picture, const struct cushim__recording *recording,
                         const char *prefix, const enum cushim_node_kind *kinds)
{
    for (unsigned i = 0; i < recording->n_works; i++) {
        const struct cushim__recorded *work = &recording->works[i];

        for (size_t k = 0; k < work->n_before; k++)
            append_edge(picture, recording, prefix, kinds,
                        recording->before.items[work->first_before + k], i);
    }
}

/* --- bodies of conditional nodes --- */

static void append_part(struct cushim__str *str, const struct cushim__recording *body)
{
    if (body->condition == CUSHIM__CU_CONDITION_SWITCH)
        cushim__str_append(str, "case %u", body->part);
    else if (body->condition == CUSHIM__CU_CONDITION_WHILE)
        cushim__str_append(str, "while");
    else
        cushim__str_append(str, body->part ? "else" : "if");
}

static cushim_status append_recording(const struct picture *picture,
                                      const struct cushim__recording *recording,
                                      const char *prefix);

/* An edge leads to the first node of each body that has nodes. */
static cushim_status append_body(const struct picture *picture,
                                 const struct cushim__recording *body, const char *name)
{
    struct cushim__str *str = picture->str;
    char prefix[NAME_BYTES];

    if ((size_t) snprintf(prefix, sizeof(prefix), "%s_%u_", name, body->part) >= sizeof(prefix))
        return CUSHIM_OK;
    cushim__str_append(str, "    subgraph \"cluster_%s%u\" {\n    style=rounded;\n    label=\"",
                       prefix, body->part);
    append_part(str, body);
    cushim__str_append(str, "\";\n");
    if (!body->n_works)
        cushim__str_append(str, "    %s0 [label=\"nothing\", shape=plaintext];\n", prefix);
    CUSHIM_TRY(append_recording(picture, body, prefix));
    cushim__str_append(str, "    }\n    %s -> %s0 [style=dotted];\n", name, prefix);
    return CUSHIM_OK;
}

/* Bodies are listed with the last one first. */
static const struct cushim__recording *body_of(const struct cushim__recording *recording,
                                               CUgraphNode node, unsigned part)
{
    for (const struct cushim__recording *body = recording->bodies; body; body = body->next_body)
        if (body->conditional == node && body->part == part)
            return body;
    return NULL;
}

static cushim_status append_bodies(const struct picture *picture,
                                   const struct cushim__recording *recording, const char *prefix,
                                   unsigned number)
{
    const CUgraphNode node = recording->nodes[recording->works[number].first_node];
    const struct cushim__recording *body;
    char name[NAME_BYTES];

    if ((size_t) snprintf(name, sizeof(name), "%s%u", prefix, number) >= sizeof(name))
        return CUSHIM_OK;
    for (unsigned part = 0; (body = body_of(recording, node, part)); part++)
        CUSHIM_TRY(append_body(picture, body, name));
    return CUSHIM_OK;
}

/* --- all of it --- */

static cushim_status append_nodes(const struct picture *picture,
                                  const struct cushim__recording *recording, const char *prefix,
                                  enum cushim_node_kind *kinds)
{
    struct cushim__node_view view;

    for (unsigned i = 0; i < recording->n_works; i++) {
        CUSHIM_TRY(cushim__node_view(picture->scope, picture->graph, recording, i, &view));
        kinds[i] = view.kind;
        append_node(picture, recording, prefix, i, &view);
        if (view.kind == CUSHIM_NODE_CONDITIONAL)
            CUSHIM_TRY(append_bodies(picture, recording, prefix, i));
    }
    return CUSHIM_OK;
}

static cushim_status fail_memory(const struct cushim__scope *scope)
{
    return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, scope->call, scope->label,
                           "%s: no memory to look at the graph", scope->call);
}

static cushim_status append_recording(const struct picture *picture,
                                      const struct cushim__recording *recording, const char *prefix)
{
    SCOPED_FREE void *room = calloc(recording->n_works + 1, sizeof(enum cushim_node_kind));
    enum cushim_node_kind *kinds = room;

    if (!kinds)
        return fail_memory(picture->scope);
    cushim__names_number(picture->names, recording);
    CUSHIM_TRY(append_nodes(picture, recording, prefix, kinds));
    append_edges(picture, recording, prefix, kinds);
    return CUSHIM_OK;
}

static void append_title(struct cushim__graph *graph, struct cushim__str *str)
{
    const char *label = cushim__object_label(&graph->object);
    SCOPED_STR title = {0};

    cushim__str_append(&title, "%s", *label ? label : "graph");
    cushim__str_append(str, "digraph \"");
    cushim__str_append_quoted(str, &title);
    cushim__str_append(str, "\" {\n    node [shape=box, fontname=\"sans-serif\"];\n"
                            "    edge [fontname=\"sans-serif\"];\n");
}

cushim_status cushim__graph_dot(const struct cushim__scope *scope, struct cushim__graph *graph,
                                struct cushim__names *names, struct cushim__str *str)
{
    const struct picture picture = {scope, graph, names, str};

    append_title(graph, str);
    CUSHIM_TRY(append_recording(&picture, graph->recording, "n"));
    cushim__str_append(str, "}\n");
    return names->failed || str->failed ? fail_memory(scope) : CUSHIM_OK;
}
