/* SPDX-License-Identifier: MIT */
/* Operations, policies and futures. */
#define CUSHIM_NO_SOURCE_LOCATIONS /* the macros over functions */
#include "async.h"

#define ASYNC_ROWS(X, X0)                                                                          \
    X(cushim_op_free, FREES, TAKEN_OPERATION)                                                      \
    X(cushim_op_at, RUNS, OPERATION, TEXT_OR_NULL)                                                 \
    X(cushim_op_value, RUNS, USER, RELEASE)                                                        \
    X(cushim_op_failed, RUNS, STATUS_CODE, TEXT_OR_NULL)                                           \
    X(cushim_op_take, RUNS, TAKEN_SLICE)                                                           \
    X(cushim_op_borrow_view, RUNS, VIEW)                                                           \
    X(cushim_op_alloc, RUNS, ELEMENT, COUNT)                                                       \
    X(cushim_op_zeros, RUNS, ELEMENT, COUNT)                                                       \
    X(cushim_op_from_host, RUNS, VALUE, ELEMENT, COUNT)                                            \
    X(cushim_op_copy_of_view, RUNS, VIEW)                                                          \
    X(cushim_op_from_output, RUNS, MADE_OUTPUT)                                                    \
    X(cushim_op_graph, RUNS, GRAPH)                                                                \
    X(cushim_op_call, RUNS, MAKE_OPERATION, USER)                                                  \
    X(cushim_op_fill_elements, RUNS, OPERATION, VALUE, SAME_ELEMENT)                               \
    X(cushim_op_copy, RUNS, OPERATION, OPERATION)                                                  \
    X(cushim_op_clone, RUNS, OPERATION)                                                            \
    X(cushim_op_to_host_elements, RUNS, OPERATION, HOST, SAME_ELEMENT, SAME_COUNT)                 \
    X(cushim_op_then, RUNS, OPERATION, NEXT_OPERATION, USER)                                       \
    X(cushim_op_then_all, RUNS, OPERATIONS, LENGTH_1, NEXT_OPERATION, USER)                        \
    X(cushim_op_map, RUNS, OPERATION, MAP, USER, RELEASE)                                          \
    X(cushim_op_inspect, RUNS, OPERATION, INSPECT, USER)                                           \
    X(cushim_op_host_function, RUNS, OPERATION, CALLBACK, USER)                                    \
    X(cushim_op_hold, RUNS, OPERATION, USER, CALLBACK)                                             \
    X(cushim_op_on, RUNS, OPERATION, STREAM)                                                       \
    X(cushim_op_all, RUNS, OPERATIONS, LENGTH_1)                                                   \
    X(cushim_op_unzip, SPLITS, LIST_OPERATION, LENGTH_1, PARTS)                                    \
    X(cushim_op_output, RUNS, LIST_OPERATION, INDEX)                                               \
    X(cushim_op_first, RUNS, LIST_OPERATION)                                                       \
    X(cushim_op_last, RUNS, LIST_OPERATION)                                                        \
    X(cushim_op_share, RUNS, OPERATION)                                                            \
    X(cushim_op_unshare, RUNS, SHARED_OPERATION)                                                   \
    X(cushim_op_partition, RUNS, OPERATION, TILING)                                                \
    X(cushim_op_unpartition, RUNS, OPERATION)                                                      \
    X(cushim_op_launch_arguments, RUNS, FUNCTION, LAUNCH_CONFIG, OP_ARGUMENTS, ARGUMENT_COUNT)     \
    X(cushim_op_record, STATUS, LAUNCH_OPERATION, CONTEXT, MADE)                                   \
    X(cushim_op_schedule, STATUS, OPERATION, POLICY_OR_NONE, MADE)                                 \
    X(cushim_op_submit, STATUS, OPERATION, POLICY_OR_NONE, MADE)                                   \
    X(cushim_op_submit_on, STATUS, OPERATION, STREAM, MADE)                                        \
    X(cushim_op_run, STATUS, OPERATION, STREAM_OR_NONE, MADE_OR_NULL)                              \
    X(cushim_policy_round_robin, STATUS, CONTEXT, POLICY_PARAMS, MADE)                             \
    X(cushim_policy_single, STATUS, STREAM, POLICY_PARAMS, MADE)                                   \
    X(cushim_policy_custom, STATUS, NEXT_STREAM, USER, RELEASE, POLICY_PARAMS, MADE)               \
    X(cushim_policy_free, FREES, TAKEN_POLICY)                                                     \
    X(cushim_policy_next, STATUS, POLICY, OUT)                                                     \
    X(cushim_policy_default, STATUS, MADE)                                                         \
    X(cushim_policy_set_default, STATUS, POLICY_OR_NONE)                                           \
    X(cushim_policy_set_thread_default, STATUS, POLICY_OR_NONE)                                    \
    X(cushim_future_submit, STATUS, SCHEDULED_FUTURE)                                              \
    X(cushim_future_cancel, STATUS, SCHEDULED_FUTURE)                                              \
    X(cushim_future_poll, STATUS, FUTURE)                                                          \
    X(cushim_future_wait, STATUS, FUTURE, NANOSECONDS)                                             \
    X(cushim_future_wait_all, STATUS, FUTURES, LENGTH_1, NANOSECONDS)                              \
    X(cushim_future_wait_any, STATUS, FUTURES, LENGTH_1, NANOSECONDS, OUT)                         \
    X(cushim_future_fd, DESCRIPTOR, NEW_FUTURE)                                                    \
    X(cushim_future_notify, STATUS, NEW_FUTURE, RELEASE, USER)                                     \
    X(cushim_future_output, STATUS, FUTURE, OUT)                                                   \
    X(cushim_future_take_slice, STATUS, NEW_FUTURE, MADE)                                          \
    X(cushim_future_free, FREES, TAKEN_FUTURE)                                                     \
    X(cushim_output_kind, VALUE, ANY_OUTPUT)                                                       \
    X(cushim_output_length, VALUE, ANY_OUTPUT)                                                     \
    X(cushim_output_item, POINTER, LIST_OUTPUT, INDEX)                                             \
    X(cushim_output_view, STATUS, SLICE_OUTPUT, OUT)                                               \
    X(cushim_output_data, POINTER, DATA_OUTPUT)                                                    \
    X(cushim_output_take_slice, STATUS, SLICE_OUTPUT, MADE)                                        \
    X(cushim_output_take_data, STATUS, DATA_OUTPUT, OUT)

#define RESULT_RUNS(call)       async_run(call)
#define RESULT_SPLITS(call)     async_run_part(a[2].PARTS, a[1].LENGTH_1, ((call), 0))
#define RESULT_DESCRIPTOR(call) ((call) < 0 ? NO_RESULT : CUSHIM_OK)

DEFINE_ROWS(async_rows, ASYNC_ROWS)
