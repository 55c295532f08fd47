/* SPDX-License-Identifier: MIT */
/* What goes around the calls of some functions. */
#include <string.h>
#include <unistd.h>

#include "async.h"

static cushim_driver foreign_driver(const struct world *w)
{
    return (cushim_driver){w->foreign.id[CUSHIM__HANDLE_DRIVER]};
}

static void push(struct world *w, union value *a)
{
    (void) a;
    MUST(cushim_context_push(w->good[KIND_CONTEXT].CONTEXT));
}

static void pop(struct world *w)
{
    MUST(cushim_context_pop(w->good[KIND_DRIVER].DRIVER, NULL));
}

/* What a driver has pushed is popped with that driver, which keeps the context until then. */
static void pop_if_done(struct world *w, const union value *a, int status)
{
    if (!status && a[0].CONTEXT.id == w->foreign.id[CUSHIM__HANDLE_CONTEXT])
        MUST(cushim_context_pop(foreign_driver(w), NULL));
    else if (!status)
        pop(w);
}

/* Another driver has popped the context, so it is on the stack once more for the own one. */
static void pop_if_own_has_not(struct world *w, const union value *a, int status)
{
    const cushim_entry *table =
        cushim_driver_functions(w->good[KIND_DRIVER].DRIVER, CUSHIM_CUDA_ROWS);

    if (!status && a[0].DRIVER.id == foreign_driver(w).id)
        MUST(((int (*)(void *)) table[CUSHIM_ROW_cuCtxPushCurrent_v2])(w->cu_context));
    if (status || a[0].DRIVER.id == foreign_driver(w).id)
        pop(w);
}

/* Where a call has failed, there may be nothing to take back. */
static void disable_peer(struct world *w, const union value *a, int status)
{
    (void) w;
    if (!status)
        MUST(cushim_context_disable_peer(a[0].CONTEXT, a[1].PEER));
}

static void enable_peer(struct world *w, union value *a)
{
    (void) a;
    MUST(cushim_context_enable_peer(w->good[KIND_CONTEXT].CONTEXT, w->good[KIND_PEER].PEER));
}

static void disable_good_peer(struct world *w, const union value *a, int status)
{
    (void) a;
    if (status)
        MUST(cushim_context_disable_peer(w->good[KIND_CONTEXT].CONTEXT, w->good[KIND_PEER].PEER));
}

static void free_report(struct world *w, const union value *a, int status)
{
    (void) w;
    if (!status)
        cushim_report_free((const struct cushim_report **) a[2].OUT);
}

static void free_dot(struct world *w, const union value *a, int status)
{
    (void) w;
    if (!status)
        cushim_graph_dot_free((const char **) a[1].OUT);
}

static void log_again(struct world *w, const union value *a, int status)
{
    (void) a, (void) status;
    cushim_log_set(CUSHIM_LOG_DEBUG, world_log, w);
}

/* The place of the next object must not be the bad text, which the sweep still has. */
static void use_place(struct world *w, const union value *a, int status)
{
    uint64_t id;

    (void) a, (void) status;
    id = world_make(&w->own, CUSHIM__HANDLE_SLICE);
    cushim_slice_free((cushim_slice *) &id);
}

static void start_counting(struct world *w, union value *a)
{
    (void) a;
    w->called = w->released = 0;
}

/* release() is called exactly once in every case. */
static void check_released(struct world *w, const union value *a, int status)
{
    (void) a;
    MUST(cushim_context_synchronize(w->good[KIND_CONTEXT].CONTEXT));
    MUST(cushim_context_synchronize(w->good[KIND_PEER].PEER));
    MUST(cushim_context_synchronize((cushim_context){w->foreign.id[CUSHIM__HANDLE_CONTEXT]}));
    if (w->released != 1 || w->called != !status)
        world_fail("called %d times, and released %d times", w->called, w->released);
}

static void free_leaked(struct world *w, const union value *a, int status)
{
    const cushim_entry *table =
        cushim_driver_functions(w->good[KIND_DRIVER].DRIVER, CUSHIM_CUDA_ROWS);

    if (status)
        return;
    MUST(cushim_context_push(w->good[KIND_CONTEXT].CONTEXT));
    MUST(((int (*)(uint64_t)) table[CUSHIM_ROW_cuMemFree_v2])(*(uint64_t *) a[2].OUT));
    pop(w);
}

static void declare_use(struct world *w, const union value *a, int status)
{
    (void) w;
    if (!status)
        MUST(cushim_view_used(a[0].STREAM, a[1].VIEW, a[2].BOOL));
}

/* Memory of the host that a copy still uses. */
static void wait_for_stream(struct world *w, const union value *a, int status)
{
    (void) w;
    if (!status)
        MUST(cushim_stream_synchronize(a[0].STREAM));
}

static void close_descriptor(struct world *w, const union value *a, int status)
{
    (void) w;
    if (!status)
        close(*(const int *) a[1].OUT);
}

static void end_recording(struct world *w, const union value *a, int status)
{
    cushim_stream stream = a[0].STREAM;
    cushim_graph graph;

    (void) w;
    if (status)
        return;
    MUST(cushim_capture_end(&stream, &graph));
    cushim_graph_free(&graph);
}

static void free_outer(struct world *w, const union value *a, int status)
{
    (void) w, (void) a, (void) status;
    cushim_stream_free(&world_outer);
}

static void unregister(cushim_context context, const struct cushim_module_params *params)
{
    if (params && params->name)
        MUST(cushim_module_unregister(context, params->name));
}

static void unregister_third(struct world *w, const union value *a, int status)
{
    (void) w;
    if (!status)
        unregister(a[0].CONTEXT, a[2].MODULE_PARAMS);
}

static void unregister_fourth(struct world *w, const union value *a, int status)
{
    (void) w;
    if (!status)
        unregister(a[0].CONTEXT, a[3].MODULE_PARAMS);
}

/* Code stays loaded until the program unloads it. */
static void unload(struct world *w, const union value *a, int status)
{
    (void) w;
    if (!status)
        MUST(cushim_embedded_unload(a[0].CONTEXT, a[1].EMBEDDED));
}

static void unload_of_kernel(struct world *w, const union value *a, int status)
{
    (void) w;
    if (!status)
        MUST(cushim_embedded_unload(a[0].CONTEXT, a[1].EMBEDDED_KERNEL->code));
}

/* A launch that is refused may have loaded the code, too. */
static void unload_of_launch(struct world *w, const union value *a, int status)
{
    const uint64_t contexts[] = {w->own.id[CUSHIM__HANDLE_CONTEXT],
                                 w->other.id[CUSHIM__HANDLE_CONTEXT],
                                 w->foreign.id[CUSHIM__HANDLE_CONTEXT]};
    const struct cushim_embedded_kernel *kernel = a[1].EMBEDDED_KERNEL;

    (void) status;
    if (!kernel || !kernel->code)
        return;
    for (size_t i = 0; i < sizeof(contexts) / sizeof(contexts[0]); i++)
        CUSHIM_IGNORE(cushim_embedded_unload((cushim_context){contexts[i]}, kernel->code));
}

static void register_again(struct world *w, const union value *a, int status)
{
    cushim_function function;

    if (status || a[0].CONTEXT.id != w->good[KIND_CONTEXT].CONTEXT.id)
        return;
    cushim_module_free(&w->registered);
    MUST(cushim_module_load_text(w->good[KIND_CONTEXT].CONTEXT, world_ptx,
                                 cushim_module_params(.name = "registered"), &w->registered));
    MUST(cushim_function_find(w->good[KIND_CONTEXT].CONTEXT, "registered", "saxpy", &function));
}

static void forget_faults(struct world *w, const union value *a, int status)
{
    (void) w, (void) a, (void) status;
    cushim_mock_faults_clear();
}

static void forget_kernel(struct world *w, const union value *a, int status)
{
    (void) w;
    if (!status)
        MUST(cushim_mock_register_kernel(a[0].ANY_NAME, NULL, NULL));
}

static const struct around all[] = {
    {.name = "cushim_context_push", .after = pop_if_done},
    {.name = "cushim_context_pop", .before = push, .after = pop_if_own_has_not},
    {.name = "cushim_context_set_current", .after = pop_if_done},
    {.name = "cushim_context_enable_peer", .after = disable_peer},
    {.name = "cushim_context_disable_peer", .before = enable_peer, .after = disable_good_peer},
    {.name = "cushim_report_create", .after = free_report},
    {.name = "cushim_log_set", .after = log_again},
    {.name = "cushim_source_location", .after = use_place},
    {.name = "cushim_stream_host_function", .before = start_counting, .after = check_released},
    {.name = "cushim_object_label", .alias = "cushim_label"},
    {.name = "cushim_field_copy", .mixes = true},
    {.name = "cushim_stream_join", .mixes = true},
    {.name = "cushim_capture_begin_on", .after = end_recording},
    {.name = "cushim_capture_if_view", .alias = "cushim_capture_if"},
    {.name = "cushim_capture_while_view", .alias = "cushim_capture_while"},
    {.name = "cushim_capture_switch_view", .alias = "cushim_capture_switch"},
    {.name = "cushim_capture_end_body", .after = free_outer},
    {.name = "cushim_graph_update_end", .good = 910},
    {.name = "cushim_graph_replace", .mixes = true},
    {.name = "cushim_graph_dot", .after = free_dot},
    {.name = "cushim_stream_wait", .mixes = true},
    {.name = "cushim_stream_synchronize_for", .good = NOT_READY},
    {.name = "cushim_stream_query", .good = NOT_READY},
    {.name = "cushim_event_synchronize_for", .good = NOT_READY},
    {.name = "cushim_event_query", .good = NOT_READY},
    {.name = "cushim_event_elapsed", .good = NOT_READY, .mixes = true},
    {.name = "cushim_slice_from_host", .alias = "cushim_slice_from"},
    {.name = "cushim_slice_from_view", .alias = "cushim_slice_clone", .mixes = true},
    {.name = "cushim_slice_open", .good = 201, .mixes = true},
    {.name = "cushim_pool_share", .after = close_descriptor},
    {.name = "cushim_field_to_host", .alias = "cushim_field_read"},
    {.name = "cushim_field_from_host", .alias = "cushim_field_write"},
    {.name = "cushim_field_to_host_async",
     .alias = "cushim_field_read_async",
     .after = wait_for_stream},
    {.name = "cushim_field_from_host_async",
     .alias = "cushim_field_write_async",
     .after = wait_for_stream},
    {.name = "cushim_field_fill_with", .alias = "cushim_field_fill"},
    {.name = "cushim_slice_leak", .after = free_leaked},
    {.name = "cushim_view_query", .alias = "cushim_slice_query", .good = NOT_READY},
    {.name = "cushim_view_read", .alias = "cushim_slice_read"},
    {.name = "cushim_view_read_async",
     .alias = "cushim_slice_read_async",
     .after = wait_for_stream},
    {.name = "cushim_view_write", .alias = "cushim_slice_write"},
    {.name = "cushim_view_write_async",
     .alias = "cushim_slice_write_async",
     .after = wait_for_stream},
    {.name = "cushim_view_copy", .alias = "cushim_slice_copy", .mixes = true},
    {.name = "cushim_view_fill", .alias = "cushim_slice_fill"},
    {.name = "cushim_view_use", .alias = "cushim_slice_use", .after = declare_use},
    {.name = "cushim_view_used", .alias = "cushim_slice_used"},
    {.name = "cushim_view_prefetch", .alias = "cushim_unified_prefetch"},
    {.name = "cushim_view_advise", .alias = "cushim_unified_advise"},
    {.name = "cushim_slice_reclaim_to_host", .alias = "cushim_slice_reclaim"},
    {.name = "cushim_module_load", .after = unregister_fourth},
    {.name = "cushim_module_load_text", .after = unregister_third},
    {.name = "cushim_module_load_file", .after = unregister_third},
    {.name = "cushim_module_load_image", .after = unregister_third},
    {.name = "cushim_module_unregister", .after = register_again},
    {.name = "cushim_embedded_load", .after = unload},
    {.name = "cushim_embedded_function", .after = unload_of_kernel},
    {.name = "cushim_embedded_launch", .alias = "cushim_launch", .after = unload_of_launch},
    {.name = "cushim_launch_arguments", .alias = "cushim_launch"},
    {.name = "cushim_launcher_push_arguments", .alias = "cushim_launcher_push"},
    {.name = "cushim_launcher_launch_config", .alias = "cushim_launcher_launch"},
    {.name = "cushim_op_failed", .good = 2},
    {.name = "cushim_op_record", .alias = "step "},
    {.name = "cushim_op_all", .before = async_fill_operations, .after = async_drop_operations},
    {.name = "cushim_op_then_all", .before = async_fill_operations, .after = async_drop_operations},
    {.name = "cushim_op_unzip", .before = async_clear_parts},
    {.name = "cushim_policy_set_default", .after = async_reset_default},
    {.name = "cushim_policy_set_thread_default", .after = async_reset_thread},
    {.name = "cushim_op_from_output", .before = async_give_output, .after = async_renew_outputs},
    {.name = "cushim_output_take_slice", .after = async_renew_outputs},
    {.name = "cushim_output_take_data", .after = async_renew_outputs},
    {.name = "cushim_mock_fail", .after = forget_faults},
    {.name = "cushim_mock_register_kernel", .after = forget_kernel},
};

const struct around *around(const char *name)
{
    static const struct around nothing;

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (!strcmp(all[i].name, name))
            return &all[i];
    return &nothing;
}
