/* SPDX-License-Identifier: MIT */
/* A launch of a graph in a trace: the event has the graph's nodes in words. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recording.h"

SUITE(graph_traced);

/* Writes the world's trace, and returns its text, which the caller frees. */
static char *written(void)
{
    char path[] = "/tmp/cushim-traced-XXXXXX";
    const int fd = mkstemp(path);
    char *text = calloc(1, 1 << 20);
    FILE *file;

    cr_assert(fd >= 0 && text);
    close(fd);
    assert_ok(cushim_trace_write(w.trace, path));
    file = fopen(path, "r");
    cr_assert(file != NULL);
    cr_assert(fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    unlink(path);
    return text;
}

static size_t count_of(const char *text, const char *part)
{
    size_t found = 0;

    while ((text = strstr(text, part))) {
        found++;
        text++;
    }
    return found;
}

static void expect_launches(const char *nodes, size_t launches)
{
    char *text = written();

    cr_expect(eq(sz, count_of(text, "\"name\":\"cuGraphLaunch\""), launches));
    cr_expect(eq(sz, count_of(text, nodes), launches), "%s\n%s", nodes, text);
    cr_expect(eq(sz, count_of(text, "\"nodes\":"), launches), "only launches have nodes");
    free(text);
}

Test(graph_traced, a_launch_has_the_nodes, .init = begin)
{
    cushim_slice x = zeros();
    cushim_stream recorder = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;
    cushim_node fill;

    assert_ok(cushim_capture_begin(w.context, &recorder));
    record_add(recorder, x, 1);
    assert_ok(cushim_slice_fill(recorder, x, 0.0f));
    assert_ok(cushim_capture_end(&recorder, &graph));
    assert_ok(cushim_label(graph, "\"step\"\n"));
    forget_calls(&w);
    run(graph);
    run(graph);
    expect_launches(",\"graph\":\"\\\"step\\\"?\",\"number of nodes\":2,\"nodes\":[\"launch of "
                    "add\",\"fill\"]}}",
                    2);
    assert_ok(cushim_graph_node(graph, 1, &fill));
    assert_ok(cushim_graph_set_enabled(graph, fill, 0));
    forget_calls(&w);
    run(graph);
    cushim_graph_free(&graph); /* the trace keeps the words */
    expect_launches("\"nodes\":[\"launch of add\",\"fill, switched off\"]}}", 1);
    cushim_slice_free(&x);
    finish();
}

Test(graph_traced, an_update_changes_the_words, .init = begin)
{
    cushim_slice x = zeros(), y = zeros();
    cushim_stream recorder = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;

    assert_ok(cushim_capture_begin(w.context, &recorder));
    record_add(recorder, x, 1);
    assert_ok(cushim_capture_end(&recorder, &graph));
    run(graph);
    assert_ok(cushim_graph_update_begin(graph, &recorder));
    record_sum(recorder, x, y, y);
    assert_ok(cushim_graph_update_end(&recorder));
    forget_calls(&w);
    run(graph);
    expect_launches("\"nodes\":[\"launch of sum\"]", 1);
    cushim_graph_free(&graph);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    finish();
}

Test(graph_traced, many_nodes_are_cut_off, .init = begin)
{
    cushim_slice x = zeros();
    cushim_stream recorder = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;
    char *text;

    assert_ok(cushim_capture_begin(w.context, &recorder));
    for (int i = 0; i < 300; i++)
        record_add(recorder, x, 1);
    assert_ok(cushim_capture_end(&recorder, &graph));
    forget_calls(&w);
    run(graph);
    text = written();
    cr_expect(eq(sz, count_of(text, "\"launch of add\""), 256));
    assert_contains(text, "\"number of nodes\":300,");
    assert_contains(text, ",\"...\"]}}");
    free(text);
    cushim_graph_free(&graph);
    cushim_slice_free(&x);
    finish();
}
