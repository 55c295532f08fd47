/* SPDX-License-Identifier: MIT */
/*
 * graph_steps: what changes and pictures of graphs cost as the graphs grow. The compiler makes the
 * recordings and graphs of the library call a function at each step, and this program counts these
 * calls. Eight times as many nodes may cost little more than eight times as many steps. Exit
 * status: 0 all is right, 1 not.
 */
#include <stdlib.h>
#include <string.h>

#include <cushim/cushim.h>

#include "../../unit/plain.h"

#define CHECK(call) CHECK_EQ(call, CUSHIM_OK)

/* A list that doubles may have just done so, and sorting is a little more than linear. */
enum { FEW = 250, TIMES = 8, ALLOWED = 13 };

static uint64_t steps;

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
    steps++;
}

static cushim_context context;
static cushim_stream stream;
static cushim_slice *cells; /* twice as many as nodes, and one more */
static size_t n;

static cushim_slice cell(size_t i)
{
    return cells[i];
}

static void make_cells(void)
{
    cells = calloc(2 * n + 1, sizeof(*cells));
    for (size_t i = 0; cells && i < 2 * n + 1; i++)
        CHECK(cushim_slice_zeros(stream, CUSHIM_ELEMENT(unsigned), 1, &cells[i]));
}

static void free_cells(void)
{
    for (size_t i = 0; i < 2 * n + 1; i++)
        cushim_slice_free(&cells[i]);
    free(cells);
}

/* --- graphs: work i, on the cells from first on --- */

static void beside(cushim_stream recorder, size_t i, size_t first)
{
    CHECK(cushim_slice_fill(recorder, cell(first + i), 1u));
}

/* Each comes after the one before. */
static void in_a_row(cushim_stream recorder, size_t i, size_t first)
{
    CHECK(cushim_slice_copy(recorder, cell(first + i + 1), cell(first + i)));
}

/* Each comes after the first one, too, by way of all others. */
static void in_a_row_after_one(cushim_stream recorder, size_t i, size_t first)
{
    if (!i)
        CHECK(cushim_slice_fill(recorder, cell(2 * n), 1u));
    else
        CHECK(cushim_slice_copy(recorder, cell(first), cell(2 * n)));
}

static cushim_graph record(void (*work)(cushim_stream recorder, size_t i, size_t first))
{
    cushim_graph graph = CUSHIM_NONE;
    cushim_stream recorder;

    CHECK(cushim_capture_begin(context, &recorder));
    for (size_t i = 0; i < n; i++)
        work(recorder, i, 0);
    CHECK(cushim_capture_end(&recorder, &graph));
    return graph;
}

/* Returns the steps of an update that names all nodes, the last one first. */
static uint64_t update_by_name(cushim_graph graph,
                               void (*work)(cushim_stream recorder, size_t i, size_t first))
{
    cushim_stream recorder;
    uint64_t before = steps;
    cushim_node node;

    CHECK(cushim_graph_update_begin(graph, &recorder));
    for (size_t i = n; i-- > 0;) {
        CHECK(cushim_graph_node(graph, i, &node));
        CHECK(cushim_graph_update_node(recorder, node));
        work(recorder, i, n);
    }
    CHECK(cushim_graph_update_end(&recorder));
    return steps - before;
}

/* --- what is counted --- */

static uint64_t other_memory(void (*work)(cushim_stream recorder, size_t i, size_t first))
{
    cushim_graph graph = record(work);
    const uint64_t count = update_by_name(graph, work);

    cushim_graph_free(&graph);
    return count;
}

static uint64_t other_memory_beside(void)
{
    return other_memory(beside);
}

static uint64_t other_memory_in_a_row(void)
{
    return other_memory(in_a_row);
}

static uint64_t other_memory_after_one(void)
{
    return other_memory(in_a_row_after_one);
}

static void pairs(cushim_stream recorder, size_t i, size_t first)
{
    CHECK(cushim_slice_fill(recorder, cell(first + i % 2), 1u));
}

static void one_cell(cushim_stream recorder, size_t i, size_t first)
{
    (void) i;
    CHECK(cushim_slice_fill(recorder, cell(first), 1u));
}

/* Everything is recorded again, with other edges. */
static uint64_t other_edges(void)
{
    cushim_graph graph = record(one_cell);
    cushim_stream recorder;
    uint64_t before = steps;

    CHECK(cushim_graph_update_begin(graph, &recorder));
    for (size_t i = 0; i < n; i++)
        pairs(recorder, i, 0);
    CHECK(cushim_graph_update_end(&recorder));
    before = steps - before;
    cushim_graph_free(&graph);
    return before;
}

static uint64_t picture(void)
{
    cushim_graph graph = record(beside);
    const char *text = NULL;
    uint64_t before = steps;

    CHECK(cushim_graph_dot(graph, &text));
    before = steps - before;
    cushim_graph_dot_free(&text);
    cushim_graph_free(&graph);
    return before;
}

static uint64_t picture_with_labels(void)
{
    for (size_t i = 0; i < n; i++)
        CHECK(cushim_label(cell(i), "a label"));
    return picture();
}

static uint64_t count_of(uint64_t (*use)(void), size_t number)
{
    uint64_t count;

    n = number;
    make_cells();
    count = use();
    free_cells();
    return count;
}

static void grows_with_the_number(const char *name, uint64_t (*use)(void))
{
    const uint64_t few = count_of(use, FEW), many = count_of(use, TIMES * FEW);

    printf("%-24s %10llu %10llu\n", name, (unsigned long long) few, (unsigned long long) many);
    CHECK_EQ(few > FEW, true);
    CHECK_EQ(many <= ALLOWED * few, true);
}

int main(void)
{
    cushim_driver driver = CUSHIM_NONE;

    CHECK(cushim_open(cushim_open_params(.library = MOCK), &driver));
    CHECK(cushim_context_primary(driver, 0, &context));
    CHECK(cushim_stream_new(context, NULL, &stream));
    grows_with_the_number("other memory, beside", other_memory_beside);
    grows_with_the_number("other memory, in a row", other_memory_in_a_row);
    grows_with_the_number("other memory, after one", other_memory_after_one);
    grows_with_the_number("other edges", other_edges);
    grows_with_the_number("a picture", picture);
    grows_with_the_number("a picture with labels", picture_with_labels);
    cushim_stream_free(&stream);
    cushim_context_free(&context);
    cushim_close(&driver);
    return 0;
}
