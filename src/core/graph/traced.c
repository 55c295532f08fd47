/* SPDX-License-Identifier: MIT */
#include "core/graph/traced.h"

#include "core/graph/view.h"

/* More would make the file of a trace large, and nobody reads them. */
enum { MOST_NODES = 256 };

/* The driver's answers are not checked: a node that it does not know is other work. */
static void append_node(const struct cushim__scope *scope, const struct cushim__graph *graph,
                        unsigned number, struct cushim__str *str)
{
    struct cushim__node_view view;
    SCOPED_STR words = {0};

    if (cushim__node_view(scope, graph, graph->recording, number, &view))
        view.kind = CUSHIM_NODE_OTHER;
    cushim__node_view_words(&view, &words);
    if (!view.enabled)
        cushim__str_append(&words, ", switched off");
    cushim__str_append(str, number ? ",\"" : "\"");
    cushim__str_append_quoted(str, &words);
    cushim__str_append(str, "\"");
}

static char *write_words(const struct cushim__scope *scope, struct cushim__graph *graph)
{
    const char *label = cushim__object_label(&graph->object);
    const size_t n = graph->recording->n_works;
    struct cushim__str str = {0};
    SCOPED_STR name = {0};

    cushim__str_append(&name, "%s", label);
    cushim__str_append(&str, "\"graph\":\"");
    cushim__str_append_quoted(&str, &name);
    cushim__str_append(&str, "\",\"number of nodes\":%zu,\"nodes\":[", n);
    for (unsigned i = 0; i < n && i < MOST_NODES; i++)
        append_node(scope, graph, i, &str);
    cushim__str_append(&str, "%s]", n > MOST_NODES ? ",\"...\"" : "");
    if (str.failed)
        cushim__str_finish(&str);
    return str.text;
}

/* In the hook of a trace, during a launch: under the lock of the graph. */
static struct cushim__note *make(void *user)
{
    const struct cushim__graph_launch *launch = user;
    struct cushim__graph *graph = launch->graph;
    struct cushim__error before;

    if (!graph->note) {
        cushim__error_keep(&before);
        graph->note = cushim__note_new(write_words(launch->scope, graph));
        cushim__error_restore(&before);
    }
    return cushim__note_ref(graph->note);
}

void cushim__graph_note_begin(struct cushim__graph_launch *launch)
{
    cushim__note_set(make, launch);
}

void cushim__graph_note_end(void)
{
    cushim__note_set(NULL, NULL);
}

void cushim__graph_note_forget(struct cushim__graph *graph)
{
    cushim__note_unref(TAKE_PTR(graph->note));
}
