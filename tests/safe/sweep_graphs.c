/* SPDX-License-Identifier: MIT */
/* Changes of graphs, and conditional nodes, with something else failing each time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep_programs.h"

static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry store(.param .u64 p, .param .u32 n) {\n.reg .u64 %p; .reg .u32 %n;\n"
    "ld.param.u64 %p, [p]; ld.param.u32 %n, [n]; st.global.u32 [%p], %n; ret; }\n"
    ".visible .entry count(.param .u64 p) {\n.reg .u64 %p; .reg .u32 %n;\n"
    "ld.param.u64 %p, [p]; ld.global.u32 %n, [%p]; sub.u32 %n, %n, 1; st.global.u32 [%p], %n;\n"
    "ret; }\n";

static const struct cushim_launch_config once = {.size = sizeof(once), .grid = {1}, .block = {1}};

/* A change that is not possible is 910, and the text has what the driver has answered. */
static cushim_status answer_of(cushim_status status)
{
    return status == 910 && strstr(cushim_error_text(), ": the driver answers 2 ") ? 2 : status;
}

/* A graph, and what it works on. */
struct world {
    cushim_context context;
    cushim_stream stream;
    cushim_module module;
    cushim_function store, count;
    cushim_slice x, y, z, other;
    cushim_graph graph;
};

static void finish(struct world *w)
{
    cushim_graph_free(&w->graph);
    cushim_slice_free(&w->x);
    cushim_slice_free(&w->y);
    cushim_slice_free(&w->z);
    cushim_slice_free(&w->other);
    cushim_module_free(&w->module);
    cushim_stream_free(&w->stream);
    cushim_context_free(&w->context);
}

static cushim_status begin(struct world *w, cushim_driver driver)
{
    STEP(cushim_context_primary(driver, 0, &w->context));
    STEP(cushim_stream_new(w->context, NULL, &w->stream));
    STEP(cushim_module_load_text(w->context, ptx, NULL, &w->module));
    STEP(cushim_module_function(w->module, "store", &w->store));
    STEP(cushim_module_function(w->module, "count", &w->count));
    STEP(cushim_slice_zeros(w->stream, 4, 1, &w->x));
    STEP(cushim_slice_zeros(w->stream, 4, 1, &w->y));
    STEP(cushim_slice_zeros(w->stream, 4, 1, &w->z));
    STEP(cushim_slice_zeros(w->stream, 4, 1, &w->other));
    return CUSHIM_OK;
}

static cushim_status read(const struct world *w, cushim_slice slice, unsigned *ret_value)
{
    STEP(cushim_slice_read(w->stream, slice, ret_value, 1));
    return CUSHIM_OK;
}

/* --- updates --- */

static unsigned n_calls;

static void call(void *user)
{
    ++*(unsigned *) user;
}

/* x and y get a value, and z that of x. */
static cushim_status record(const struct world *w, cushim_stream recorder, unsigned value)
{
    STEP(cushim_slice_fill(recorder, w->x, value));
    STEP(cushim_launch(recorder, w->store, once, CUSHIM_OUT(w->y), CUSHIM_VALUE(value)));
    STEP(cushim_slice_copy(recorder, w->z, w->x));
    STEP(cushim_stream_host_function(recorder, call, &n_calls, NULL));
    return CUSHIM_OK;
}

static cushim_status record_in_place(const struct world *w, cushim_stream recorder, unsigned value)
{
    cushim_node node;

    STEP(cushim_graph_node(w->graph, 1, &node));
    STEP(cushim_graph_update_node(recorder, node));
    STEP(cushim_launch(recorder, w->store, once, CUSHIM_OUT(w->y), CUSHIM_VALUE(value)));
    STEP(cushim_graph_node(w->graph, 0, &node));
    STEP(cushim_graph_update_node(recorder, node));
    STEP(cushim_slice_fill(recorder, w->x, value));
    return CUSHIM_OK;
}

static cushim_status update(const struct world *w, bool all, unsigned value)
{
    CUSHIM_SCOPED(cushim_stream) recorder = CUSHIM_NONE;

    STEP(cushim_graph_update_begin(w->graph, &recorder));
    CUSHIM_TRY(all ? record(w, recorder, value) : record_in_place(w, recorder, value));
    STEP(answer_of(cushim_graph_update_end(&recorder)));
    return CUSHIM_OK;
}

/* A launch has all of the last update, or nothing of it. */
static cushim_status check(const struct world *w, unsigned value)
{
    unsigned x = 0, y = 0, z = 0;

    STEP(cushim_graph_launch(w->graph, w->stream));
    CUSHIM_TRY(read(w, w->x, &x));
    CUSHIM_TRY(read(w, w->y, &y));
    CUSHIM_TRY(read(w, w->z, &z));
    if (x == value && y == value && z == value)
        return CUSHIM_OK;
    fprintf(stderr, "the graph has written %u, %u and %u, and should have %u\n", x, y, z, value);
    exit(1);
}

/* An update that fails has changed nothing. */
static cushim_status update_and_check(const struct world *w, bool all, unsigned value)
{
    const cushim_status status = update(w, all, value);
    const cushim_status checked = check(w, status ? value - 1 : value);

    return status ? status : checked;
}

/* z is written from here on. */
static cushim_status replace(struct world *w)
{
    const cushim_slice z = w->z;

    STEP(answer_of(cushim_graph_replace(w->graph, z, w->other)));
    w->z = w->other;
    w->other = z;
    return CUSHIM_OK;
}

static cushim_status replace_and_check(struct world *w, unsigned value)
{
    const cushim_status status = replace(w);
    const cushim_status checked = check(w, value);

    return status ? status : checked;
}

static cushim_status look(const struct world *w)
{
    struct cushim_graph_counts counts = {.size = sizeof(counts)};
    struct cushim_node_info info = {.size = sizeof(info)};
    const char *text = NULL;
    cushim_node node;

    STEP(cushim_graph_dot(w->graph, &text));
    cushim_graph_dot_free(&text);
    STEP(cushim_graph_stats(w->graph, &counts));
    STEP(cushim_graph_node(w->graph, 2, &node));
    STEP(cushim_graph_node_info(w->graph, node, &info));
    return CUSHIM_OK;
}

static cushim_status switch_off_and_on(const struct world *w)
{
    cushim_node node;
    int enabled;

    STEP(cushim_graph_node(w->graph, 0, &node));
    STEP(cushim_graph_set_enabled(w->graph, node, 0));
    STEP(cushim_graph_enabled(w->graph, node, &enabled));
    STEP(cushim_graph_set_enabled(w->graph, node, 1));
    return CUSHIM_OK;
}

static cushim_status run_updates(struct world *w)
{
    CUSHIM_SCOPED(cushim_stream) recorder = CUSHIM_NONE;

    STEP(cushim_capture_begin(w->context, &recorder));
    CUSHIM_TRY(record(w, recorder, 1));
    STEP(cushim_capture_end(&recorder, &w->graph));
    CUSHIM_TRY(check(w, 1));
    CUSHIM_TRY(update_and_check(w, true, 2));
    CUSHIM_TRY(update_and_check(w, false, 3));
    CUSHIM_TRY(replace_and_check(w, 3));
    CUSHIM_TRY(update_and_check(w, true, 4));
    CUSHIM_TRY(switch_off_and_on(w));
    CUSHIM_TRY(look(w));
    return check(w, 4);
}

cushim_status sweep_updates(cushim_driver driver)
{
    struct world w = {0};
    cushim_status status = begin(&w, driver);

    if (!status)
        status = run_updates(&w);
    finish(&w);
    return status;
}

/* --- conditional nodes --- */

/* As often as y says, x is filled, in one of two parts that are conditional themselves. */
static cushim_status record_body(const struct world *w, cushim_stream body)
{
    CUSHIM_SCOPED(cushim_stream) then = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_stream) otherwise = CUSHIM_NONE;

    STEP(cushim_launch(body, w->count, once, CUSHIM_INOUT(w->y)));
    STEP(cushim_capture_if(body, w->y, &then, &otherwise));
    STEP(cushim_slice_fill(then, w->x, 5));
    STEP(cushim_slice_copy(otherwise, w->x, w->other));
    STEP(cushim_capture_end_body(&otherwise));
    STEP(cushim_capture_end_body(&then));
    return CUSHIM_OK;
}

static cushim_status record_loop(const struct world *w, cushim_stream recorder)
{
    CUSHIM_SCOPED(cushim_stream) body = CUSHIM_NONE;

    STEP(cushim_slice_fill(recorder, w->y, 3));
    STEP(cushim_capture_while(recorder, w->y, &body));
    CUSHIM_TRY(record_body(w, body));
    STEP(cushim_capture_end_body(&body));
    STEP(cushim_slice_copy(recorder, w->z, w->x));
    return CUSHIM_OK;
}

static cushim_status record_switch(const struct world *w, cushim_stream recorder)
{
    cushim_stream bodies[3] = {{0}};
    cushim_status status;

    STEP(cushim_capture_switch(recorder, w->y, 3, bodies));
    status = cushim_slice_fill(bodies[0], w->other, 8);
    for (int i = 0; !status && i < 3; i++)
        status = cushim_capture_end_body(&bodies[i]);
    for (int i = 0; i < 3; i++)
        cushim_stream_free(&bodies[i]);
    return status;
}

static cushim_status run_conditions(struct world *w)
{
    CUSHIM_SCOPED(cushim_stream) recorder = CUSHIM_NONE;
    unsigned x = 0, z = 0, other = 0;

    STEP(cushim_slice_fill(w->stream, w->other, 7));
    STEP(cushim_capture_begin(w->context, &recorder));
    CUSHIM_TRY(record_loop(w, recorder));
    CUSHIM_TRY(record_switch(w, recorder));
    STEP(cushim_capture_end(&recorder, &w->graph));
    CUSHIM_TRY(look(w));
    STEP(cushim_graph_launch(w->graph, w->stream));
    CUSHIM_TRY(read(w, w->x, &x));
    CUSHIM_TRY(read(w, w->z, &z));
    CUSHIM_TRY(read(w, w->other, &other));
    if (x == 7 && z == 7 && other == 8)
        return CUSHIM_OK;
    fprintf(stderr, "the graph has written %u, %u and %u\n", x, z, other);
    exit(1);
}

cushim_status sweep_conditions(cushim_driver driver)
{
    struct world w = {0};
    cushim_status status = begin(&w, driver);

    if (!status)
        status = run_conditions(&w);
    finish(&w);
    return status;
}
