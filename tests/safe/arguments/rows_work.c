/* SPDX-License-Identifier: MIT */
/* Streams, events, graphs and launches. */
#define CUSHIM_NO_SOURCE_LOCATIONS /* the macros over functions */
#include "rows.h"

#define WORK_ROWS(X, X0)                                                                           \
    X(cushim_stream_new, STATUS, CONTEXT, STREAM_PARAMS, MADE)                                     \
    X(cushim_stream_free, FREES, TAKEN_STREAM)                                                     \
    X(cushim_stream_default, STATUS, CONTEXT, OUT)                                                 \
    X(cushim_stream_per_thread, STATUS, CONTEXT, MADE)                                             \
    X(cushim_stream_adopt, STATUS, CONTEXT, RAW_STREAM, MADE)                                      \
    X(cushim_stream_raw, STATUS, STREAM, OUT)                                                      \
    X(cushim_stream_fork, STATUS, STREAM, MADE)                                                    \
    X(cushim_stream_join, STATUS, STREAM, NEW_STREAM)                                              \
    X(cushim_stream_wait, STATUS, STREAM, EVENT)                                                   \
    X(cushim_stream_synchronize, STATUS, STREAM)                                                   \
    X(cushim_stream_synchronize_for, STATUS, STREAM, NANOSECONDS)                                  \
    X(cushim_stream_query, STATUS, STREAM)                                                         \
    X(cushim_stream_host_function, STATUS, STREAM, CALLBACK, USER, RELEASE)                        \
    X(cushim_stream_capture_status, STATUS, STREAM, OUT)                                           \
    X(cushim_stream_priority, STATUS, STREAM, OUT)                                                 \
    X(cushim_stream_is_blocking, STATUS, STREAM, OUT)                                              \
    X(cushim_stream_set_access_window, STATUS, NEW_STREAM, ACCESS_WINDOW)                          \
    X(cushim_stream_access_window, STATUS, STREAM, OUT_OR_NULL, OUT_OR_NULL, OUT_OR_NULL,          \
      OUT_OR_NULL, OUT_OR_NULL)                                                                    \
    X(cushim_stream_set_wait_policy, STATUS, NEW_STREAM, SET_POLICY)                               \
    X(cushim_stream_wait_policy, STATUS, STREAM, OUT)                                              \
    X(cushim_stream_set_priority, STATUS, NEW_STREAM, INT)                                         \
    X(cushim_stream_set_sync_domain, STATUS, NEW_STREAM, SET_DOMAIN)                               \
    X(cushim_stream_sync_domain, STATUS, STREAM, OUT)                                              \
    X(cushim_stream_set_sync_domain_map, STATUS, NEW_STREAM, BYTE, BYTE)                           \
    X(cushim_stream_sync_domain_map, STATUS, STREAM, OUT_OR_NULL, OUT_OR_NULL)                     \
    X(cushim_stream_copy_attributes, STATUS, NEW_STREAM, STREAM)                                   \
    X(cushim_event_new, STATUS, CONTEXT, EVENT_FLAGS, MADE)                                        \
    X(cushim_event_free, FREES, TAKEN_EVENT)                                                       \
    X(cushim_event_raw, STATUS, EVENT, OUT)                                                        \
    X(cushim_event_record, STATUS, EVENT, STREAM)                                                  \
    X(cushim_event_query, STATUS, EVENT)                                                           \
    X(cushim_event_synchronize, STATUS, EVENT)                                                     \
    X(cushim_event_synchronize_for, STATUS, EVENT, NANOSECONDS)                                    \
    X(cushim_event_elapsed, STATUS, EVENT, EVENT, OUT)                                             \
    X(cushim_capture_begin, STATUS, CONTEXT, MADE)                                                 \
    X(cushim_capture_begin_with, STATUS, CONTEXT, CAPTURE_PARAMS, MADE)                            \
    X(cushim_capture_begin_on, STATUS, STREAM, CAPTURE_PARAMS)                                     \
    X(cushim_capture_end, STATUS, TAKEN_RECORDER, MADE)                                            \
    X(cushim_capture_node, STATUS, NEW_RECORDER, OUT)                                              \
    X(cushim_capture_after, STATUS, NEW_RECORDER, NO_NODES, NONE_THERE)                            \
    X(cushim_capture_empty, STATUS, NEW_RECORDER)                                                  \
    X(cushim_capture_if_view, STATUS, NEW_RECORDER, CONDITION, MADE, MADE_OR_NULL)                 \
    X(cushim_capture_while_view, STATUS, NEW_RECORDER, CONDITION, MADE)                            \
    X(cushim_capture_switch_view, STATUS, NEW_RECORDER, CONDITION, LENGTH_1, MADE)                 \
    X(cushim_capture_end_body, STATUS, BODY)                                                       \
    X(cushim_graph_update_begin, STATUS, GRAPH, MADE)                                              \
    X(cushim_graph_update_node, STATUS, UPDATE, NODE)                                              \
    X(cushim_graph_update_end, STATUS, TAKEN_UPDATE)                                               \
    X(cushim_graph_replace, STATUS, GRAPH, SLICE, SLICE)                                           \
    X(cushim_graph_set_enabled, STATUS, GRAPH, NODE, INT)                                          \
    X(cushim_graph_enabled, STATUS, GRAPH, NODE, OUT)                                              \
    X(cushim_graph_node, STATUS, GRAPH, NODE_NUMBER, OUT)                                          \
    X(cushim_graph_dot, STATUS, GRAPH, OUT)                                                        \
    X(cushim_graph_dot_free, NOTHING, REPORT)                                                      \
    X(cushim_graph_stats, STATUS, GRAPH, GRAPH_STATS)                                              \
    X(cushim_graph_node_info, STATUS, GRAPH, NODE, NODE_INFO)                                      \
    X(cushim_graph_node_before, STATUS, GRAPH, NODE, MADE_NODES, NONE_THERE, OUT)                  \
    X(cushim_graph_free, FREES, TAKEN_GRAPH)                                                       \
    X(cushim_graph_launch, STATUS, GRAPH, STREAM)                                                  \
    X(cushim_graph_upload, STATUS, GRAPH, STREAM)                                                  \
    X(cushim_graph_raw, STATUS, GRAPH, OUT_OR_NULL, OUT_OR_NULL)                                   \
    X(cushim_launch_arguments, STATUS, STREAM, FUNCTION, LAUNCH_CONFIG, ARGUMENTS, ARGUMENT_COUNT) \
    X(cushim_launcher_create, STATUS, FUNCTION, MADE)                                              \
    X(cushim_launcher_free, FREES, TAKEN_LAUNCHER)                                                 \
    /* Before those that change launchers, also those of other contexts. */                        \
    X(cushim_launcher_launch_config, STATUS, LAUNCHER, STREAM, LAUNCH_CONFIG)                      \
    X(cushim_launcher_push_arguments, STATUS, NEW_LAUNCHER, PUSHED, LENGTH_1)                      \
    X(cushim_launcher_set, STATUS, NEW_LAUNCHER, INDEX, ARGUMENT)                                  \
    X(cushim_launcher_clear, STATUS, NEW_LAUNCHER)

DEFINE_ROWS(work_rows, WORK_ROWS)
