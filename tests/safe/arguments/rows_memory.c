/* SPDX-License-Identifier: MIT */
/* Memory, views and fields; what other processes and interfaces share. */
#define CUSHIM_NO_SOURCE_LOCATIONS /* the macros over functions */
#include "rows.h"

#define MEMORY_ROWS(X, X0)                                                                         \
    X(cushim_memory_set_limit, STATUS, CONTEXT, SIZE)                                              \
    X(cushim_memory_stats, STATUS, CONTEXT, OUT_OR_NULL, OUT_OR_NULL, OUT_OR_NULL)                 \
    X(cushim_memory_trim, STATUS, CONTEXT, SIZE)                                                   \
    X(cushim_slice_alloc, STATUS, STREAM, ELEMENT, COUNT, MADE)                                    \
    X(cushim_slice_zeros, STATUS, STREAM, ELEMENT, COUNT, MADE)                                    \
    X(cushim_slice_from_host, STATUS, STREAM, HOST, ELEMENT, COUNT, MADE)                          \
    X(cushim_slice_from_view, STATUS, STREAM, VIEW, MADE)                                          \
    X(cushim_slice_adopt, STATUS, STREAM, DEVICE_ADDRESS, ELEMENT, COUNT, ADOPTED, MADE)           \
    X(cushim_slice_leak, STATUS, STREAM, TAKEN_SLICE, OUT)                                         \
    X(cushim_slice_split, STATUS, TAKEN_SLICE, HALF, MADE, MADE)                                   \
    X(cushim_slice_reclaim_to_host, STATUS, STREAM, TAKEN_SLICE, OUT, SAME_ELEMENT, SAME_COUNT)    \
    X(cushim_slice_free, FREES, TAKEN_SLICE)                                                       \
    X(cushim_view_whole, STATUS, ID_OF_MEMORY, OUT)                                                \
    X(cushim_view_size, STATUS, VIEW, OUT_OR_NULL, OUT_OR_NULL)                                    \
    X(cushim_view_part, STATUS, VIEW, HALF, HALF, OUT)                                             \
    X(cushim_view_split, STATUS, VIEW, HALF, OUT_OR_NULL, OUT_OR_NULL)                             \
    X(cushim_view_partition, STATUS, VIEW, LENGTH_4, OUT)                                          \
    X(cushim_view_reinterpret, STATUS, VIEW, EIGHT, ALIGNMENT, OUT)                                \
    X(cushim_view_query, STATUS, VIEW, BOOL)                                                       \
    X(cushim_view_read, STATUS, STREAM, VIEW, OUT, SAME_ELEMENT, SAME_COUNT)                       \
    X(cushim_view_read_async, STATUS, STREAM, VIEW, HOST, SAME_ELEMENT, SAME_COUNT)                \
    X(cushim_view_write, STATUS, STREAM, VIEW_TO_WRITE, HOST, SAME_ELEMENT, SAME_COUNT)            \
    X(cushim_view_write_async, STATUS, STREAM, VIEW_TO_WRITE, HOST, SAME_ELEMENT, SAME_COUNT)      \
    X(cushim_view_copy, STATUS, STREAM, VIEW_TO_WRITE, OTHER_VIEW)                                 \
    X(cushim_view_fill, STATUS, STREAM, VIEW_TO_WRITE, HOST, SAME_ELEMENT)                         \
    X(cushim_view_use, STATUS, STREAM, VIEW, BOOL, OUT)                                            \
    X(cushim_view_used, STATUS, STREAM, VIEW, BOOL)                                                \
    X(cushim_view_prefetch, STATUS, STREAM, VIEW_OF_UNIFIED, PLACE)                                \
    X(cushim_view_advise, STATUS, VIEW_OF_UNIFIED, ADVICE, PLACE)                                  \
    X(cushim_pinned_alloc, STATUS, CONTEXT, ELEMENT, COUNT, PINNED_FLAGS, MADE)                    \
    X(cushim_pinned_free, FREES, TAKEN_PINNED)                                                     \
    X(cushim_pinned_read, STATUS, PINNED, OUT)                                                     \
    X(cushim_pinned_write, STATUS, PINNED, OUT)                                                    \
    X(cushim_unified_alloc, STATUS, CONTEXT, ELEMENT, COUNT, ATTACH, MADE)                         \
    X(cushim_unified_attach, STATUS, STREAM, NEW_UNIFIED, ATTACH)                                  \
    X(cushim_unified_free, FREES, TAKEN_UNIFIED)                                                   \
    X(cushim_unified_read, STATUS, UNIFIED, OUT)                                                   \
    X(cushim_unified_write, STATUS, UNIFIED, OUT)                                                  \
    X(cushim_field_alloc, STATUS, STREAM, ELEMENT, EIGHTH, EIGHTH, DEPTH, MADE, OUT)               \
    X(cushim_field_part, STATUS, FIELD_TO_READ, INDEX, INDEX, FOUR, FOUR, OUT)                     \
    X(cushim_field_view, STATUS, FIELD_TO_READ, OUT)                                               \
    X(cushim_field_layers, STATUS, FIELD_TO_READ, INDEX, DEPTH, OUT)                               \
    X(cushim_field_copy, STATUS, STREAM, FIELD_TO_WRITE, OTHER_FIELD)                              \
    X(cushim_field_to_host, STATUS, STREAM, FIELD_TO_READ, OUT, SAME_ELEMENT, HOST_PITCH, NO_GAP)  \
    X(cushim_field_to_host_async, STATUS, STREAM, FIELD_TO_READ, HOST, SAME_ELEMENT, HOST_PITCH,   \
      NO_GAP)                                                                                      \
    X(cushim_field_from_host, STATUS, STREAM, FIELD_TO_WRITE, HOST, SAME_ELEMENT, HOST_PITCH,      \
      NO_GAP)                                                                                      \
    X(cushim_field_from_host_async, STATUS, STREAM, FIELD_TO_WRITE, HOST, SAME_ELEMENT,            \
      HOST_PITCH, NO_GAP)                                                                          \
    X(cushim_field_fill_with, STATUS, STREAM, FIELD_TO_WRITE, HOST, SAME_ELEMENT)

DEFINE_ROWS(memory_rows, MEMORY_ROWS)

#define SHARED_ROWS(X, X0)                                                                         \
    X(cushim_arena_new, STATUS, CONTEXT, ARENA_PARAMS, MADE)                                       \
    X(cushim_arena_free, FREES, TAKEN_ARENA)                                                       \
    X(cushim_arena_stats, STATUS, ARENA, OUT_OR_NULL, OUT_OR_NULL, OUT_OR_NULL, OUT_OR_NULL)       \
    X(cushim_pool_new, STATUS, CONTEXT, POOL_PARAMS, MADE)                                         \
    X(cushim_pool_default, STATUS, CONTEXT, MADE)                                                  \
    X(cushim_pool_free, FREES, TAKEN_POOL)                                                         \
    X(cushim_pool_raw, STATUS, POOL, OUT)                                                          \
    X(cushim_pool_release_threshold, STATUS, POOL, OUT)                                            \
    X(cushim_pool_set_release_threshold, STATUS, NEW_POOL, SEED)                                   \
    X(cushim_pool_trim, STATUS, POOL, SIZE)                                                        \
    X(cushim_pool_reserved, STATUS, POOL, OUT_OR_NULL, OUT_OR_NULL)                                \
    X(cushim_pool_used, STATUS, POOL, OUT_OR_NULL, OUT_OR_NULL)                                    \
    X(cushim_pool_reset_high, STATUS, POOL)                                                        \
    X(cushim_pool_allow, STATUS, NEW_POOL, PEER, POOL_ACCESS)                                      \
    X(cushim_pool_access, STATUS, POOL, PEER, OUT)                                                 \
    X(cushim_pool_share, STATUS, SHARED_POOL, OUT)                                                 \
    X(cushim_pool_open, STATUS, CONTEXT, DESCRIPTOR, MADE)                                         \
    X(cushim_slice_alloc_from, STATUS, STREAM, POOL, ELEMENT, COUNT, MADE)                         \
    X(cushim_slice_alloc_shared, STATUS, STREAM, ELEMENT, COUNT, MADE)                             \
    X(cushim_slice_share, STATUS, SHARED_SLICE, OUT)                                               \
    X(cushim_slice_open, STATUS, STREAM, POOL_OR_NONE, NAME_OF_SLICE, MADE)                        \
    X(cushim_event_share, STATUS, SHARED_EVENT, OUT)                                               \
    X(cushim_event_open, STATUS, CONTEXT, NAME_OF_EVENT, MADE)                                     \
    X(cushim_external_memory_import, STATUS, CONTEXT, MEMORY_PARAMS, MADE)                         \
    X(cushim_external_memory_slice, STATUS, STREAM, EXTERNAL_MEMORY, NO_GAP, ELEMENT, COUNT, MADE) \
    X(cushim_external_memory_free, FREES, TAKEN_EXTERNAL_MEMORY)                                   \
    X(cushim_external_semaphore_import, STATUS, CONTEXT, SEMAPHORE_PARAMS, MADE)                   \
    X(cushim_external_semaphore_free, FREES, TAKEN_EXTERNAL_SEMAPHORE)                             \
    X(cushim_stream_signal_external, STATUS, STREAM, EXTERNAL_SEMAPHORE, SEED)                     \
    X(cushim_stream_wait_external, STATUS, STREAM, EXTERNAL_SEMAPHORE, SEED)

DEFINE_ROWS(shared_rows, SHARED_ROWS)
