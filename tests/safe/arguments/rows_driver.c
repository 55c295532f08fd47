/* SPDX-License-Identifier: MIT */
/* Libraries, devices, contexts, hooks, errors and the log. */
#define CUSHIM_NO_SOURCE_LOCATIONS /* the macros over functions */
#include "rows.h"

#define DRIVER_ROWS(X, X0)                                                                         \
    X(cushim_open, STATUS, OPEN_PARAMS, MADE)                                                      \
    X(cushim_close, FREES, TAKEN_DRIVER)                                                           \
    X(cushim_driver_functions, POINTER, DRIVER_OR_ANY, ROWS)                                       \
    X(cushim_driver_has, TRUTH, DRIVER, SYMBOL)                                                    \
    X(cushim_driver_path, POINTER, DRIVER)                                                         \
    X(cushim_driver_version, STATUS, DRIVER, OUT)                                                  \
    X(cushim_nvrtc_open, STATUS, NVRTC_PARAMS, MADE)                                               \
    X(cushim_nvrtc_close, FREES, TAKEN_NVRTC)                                                      \
    X(cushim_nvrtc_functions, POINTER, NVRTC_OR_ANY, ROWS)                                         \
    X(cushim_nvrtc_has, TRUTH, NVRTC, NVRTC_SYMBOL)                                                \
    X(cushim_nvrtc_path, POINTER, NVRTC)                                                           \
    X(cushim_nvrtc_version, STATUS, NVRTC, OUT)                                                    \
    X(cushim_nvjitlink_open, STATUS, NVJITLINK_PARAMS, MADE)                                       \
    X(cushim_nvjitlink_close, FREES, TAKEN_NVJITLINK)                                              \
    X(cushim_nvjitlink_functions, POINTER, NVJITLINK_OR_ANY, ROWS)                                 \
    X(cushim_nvjitlink_has, TRUTH, NVJITLINK, NVJITLINK_SYMBOL)                                    \
    X(cushim_nvjitlink_path, POINTER, NVJITLINK)                                                   \
    X(cushim_nvjitlink_version, STATUS, NVJITLINK, OUT)                                            \
    X(cushim_report_create, STATUS, LIBRARY, OPEN_PARAMS, OUT)                                     \
    X(cushim_report_free, NOTHING, REPORT)                                                         \
    X(cushim_verdict_word, POINTER, VERDICT)                                                       \
    X(cushim_origin_word, POINTER, ORIGIN)                                                         \
    X(cushim_interpose, STATUS, DRIVER, HOOKS, LENGTH_1, MADE)                                     \
    X(cushim_interpose_nvrtc, STATUS, NVRTC, HOOKS, LENGTH_1, MADE)                                \
    X(cushim_interpose_nvjitlink, STATUS, NVJITLINK, HOOKS, LENGTH_1, MADE)                        \
    X(cushim_trace_create, STATUS, TRACE_PARAMS, MADE)                                             \
    X(cushim_trace_free, FREES, TAKEN_TRACE)                                                       \
    X(cushim_trace_hooks, VALUE, TRACE)                                                            \
    X(cushim_trace_count, STATUS, TRACE, SYMBOL_OR_NULL, OUT)                                      \
    X(cushim_trace_calls, STATUS, TRACE, INDEX, HOST, ONE, OUT)                                    \
    X(cushim_trace_reset, STATUS, TRACE)                                                           \
    X(cushim_trace_write, STATUS, TRACE, OUTPUT_FILE)                                              \
    X(cushim_faults_create, STATUS, FAULTS_PARAMS, MADE)                                           \
    X(cushim_faults_free, FREES, TAKEN_FAULTS)                                                     \
    X(cushim_faults_add, STATUS, NEW_FAULTS, SYMBOL, FAULT)                                        \
    X(cushim_faults_read, STATUS, NEW_FAULTS, RULES)                                               \
    X(cushim_faults_read_file, STATUS, NEW_FAULTS, RULES_FILE)                                     \
    X(cushim_faults_hooks, VALUE, FAULTS)                                                          \
    X(cushim_faults_injected, STATUS, FAULTS, SYMBOL_OR_NULL, OUT)                                 \
    X(cushim_faults_reset, STATUS, FAULTS)                                                         \
    X(cushim_handle_retain, STATUS, ID, MADE)                                                      \
    X(cushim_object_label, STATUS, NEW_ID, TEXT)                                                   \
    X(cushim_source_location, NOTHING, TEXT_OR_NULL)                                               \
    X(cushim_log_set, NOTHING, LOG_LEVEL, LOG_FUNCTION, USER)                                      \
    X(cushim_status_name, POINTER, STATUS_CODE)                                                    \
    X(cushim_status_text, POINTER, STATUS_CODE)                                                    \
    X0(cushim_error_status, VALUE)                                                                 \
    X0(cushim_error_text, POINTER)                                                                 \
    X0(cushim_error_call, POINTER)                                                                 \
    X0(cushim_error_label, POINTER)                                                                \
    X0(cushim_error_log, POINTER)                                                                  \
    X0(cushim_error_clear, NOTHING)                                                                \
    X(cushim_device_count, STATUS, DRIVER, OUT)                                                    \
    X(cushim_device_name, STATUS, DRIVER, DEVICE, OUT, CAPACITY)                                   \
    X(cushim_device_uuid, STATUS, DRIVER, DEVICE, OUT)                                             \
    X(cushim_device_memory, STATUS, DRIVER, DEVICE, OUT)                                           \
    X(cushim_device_attribute, STATUS, DRIVER, DEVICE, ATTRIBUTE, OUT)                             \
    X(cushim_device_compute_capability, STATUS, DRIVER, DEVICE, OUT, OUT)                          \
    X(cushim_device_pci_id, STATUS, DRIVER, DEVICE, OUT, CAPACITY)                                 \
    X(cushim_device_by_pci_id, STATUS, DRIVER, PCI_ID, OUT)                                        \
    X(cushim_device_can_access_peer, STATUS, DRIVER, DEVICE, FREE_DEVICE, OUT)                     \
    X(cushim_context_primary, STATUS, DRIVER, DEVICE, MADE)                                        \
    X(cushim_context_primary_state, STATUS, DRIVER, DEVICE, OUT, OUT)                              \
    X(cushim_context_primary_set_flags, STATUS, DRIVER, FREE_DEVICE, CONTEXT_FLAGS)                \
    X(cushim_context_primary_reset, STATUS, DRIVER, FREE_DEVICE)                                   \
    X(cushim_context_create, STATUS, DRIVER, DEVICE, CONTEXT_FLAGS, MADE)                          \
    X(cushim_context_adopt, STATUS, DRIVER, RAW_CONTEXT, BOOL, MADE)                               \
    X(cushim_context_free, FREES, TAKEN_CONTEXT)                                                   \
    X(cushim_context_raw, STATUS, CONTEXT, OUT)                                                    \
    X(cushim_context_device, STATUS, CONTEXT, OUT)                                                 \
    X(cushim_context_is_primary, STATUS, CONTEXT, OUT)                                             \
    X(cushim_context_push, STATUS, CONTEXT)                                                        \
    X(cushim_context_pop, STATUS, DRIVER, MADE_OR_NULL)                                            \
    X(cushim_context_current, STATUS, DRIVER, MADE)                                                \
    X(cushim_context_set_current, STATUS, CONTEXT)                                                 \
    X(cushim_context_flags, STATUS, CONTEXT, OUT)                                                  \
    X(cushim_context_set_flags, STATUS, NEW_CONTEXT, CONTEXT_FLAGS)                                \
    X(cushim_context_limit, STATUS, CONTEXT, LIMIT, OUT)                                           \
    X(cushim_context_set_limit, STATUS, NEW_CONTEXT, LIMIT, SIZE)                                  \
    X(cushim_context_cache_config, STATUS, CONTEXT, OUT)                                           \
    X(cushim_context_set_cache_config, STATUS, NEW_CONTEXT, CACHE)                                 \
    X(cushim_context_shared_config, STATUS, CONTEXT, OUT)                                          \
    X(cushim_context_set_shared_config, STATUS, NEW_CONTEXT, BANKS)                                \
    X(cushim_context_priority_range, STATUS, CONTEXT, OUT, OUT)                                    \
    X(cushim_context_api_version, STATUS, CONTEXT, OUT)                                            \
    X(cushim_context_reset_persisting_l2, STATUS, CONTEXT)                                         \
    X(cushim_context_memory, STATUS, CONTEXT, OUT, OUT)                                            \
    X(cushim_context_enable_peer, STATUS, CONTEXT, PEER)                                           \
    X(cushim_context_disable_peer, STATUS, CONTEXT, PEER)                                          \
    X(cushim_context_synchronize, STATUS, CONTEXT)                                                 \
    X(cushim_context_check, STATUS, CONTEXT)

DEFINE_ROWS(driver_rows, DRIVER_ROWS)
