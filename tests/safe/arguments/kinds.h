/* SPDX-License-Identifier: MIT */
/*
 * The kinds of arguments of public functions. A kind has a C type, a class, which says what bad
 * values there are (bad.c), and a good value (world.c has the objects).
 *
 * A new public function is one line in a rows_*.c, made of these kinds. If it takes something new,
 * that is one line more here; for a new structure of parameters also its fields, in fields.c.
 */
#ifndef CUSHIM_TESTS_SAFE_ARGUMENTS_KINDS_H
#define CUSHIM_TESTS_SAFE_ARGUMENTS_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cushim/cushim.h>
#include <cushim/mock.h>

#include "core/object/handle.h"

enum class {
    PLAIN,             /* every value is good */
    HANDLE,            /* a handle, by value: zero, stale, of other kinds and made up are refused */
    HANDLE_OR_NONE,    /* the same, and zero is allowed */
    HANDLE_OR_ANY,     /* the same, and no number is refused */
    ANY_ID,            /* the number of a handle of any kind */
    MEMORY_ID,         /* the number of a handle of memory */
    FRESH,             /* a handle, by value, of an object that is made for one call */
    TAKEN,             /* the address of a handle, of an object that is made for one call */
    VIEW_OF,           /* a view, for reading */
    WRITABLE,          /* a view that must be writable */
    OUTPUT,            /* the address of a result */
    OUTPUT_OR_NULL,    /* the same, and NULL is allowed */
    HANDLES,           /* the address of a new handle */
    HANDLES_OR_NULL,   /* the same, and NULL is allowed */
    NAME,              /* the name of something: every other one is refused */
    STRING,            /* a text: NULL is refused */
    STRING_OR_NULL,    /* the same, and NULL is allowed */
    ADDRESS,           /* a pointer: NULL is refused */
    LENGTH,            /* a size, or the length of an array */
    ARRAY,             /* the length of an array: what no array can have is refused */
    EXACT,             /* a size or a length, and no other number is right */
    CHOICE,            /* of an enumeration, or flags, up to a number: those above are refused */
    HINT,              /* the same, and those above may be accepted */
    ORDINAL,           /* the number of a device: wrong ones are refused */
    NUMBER,            /* any number of 32 bits */
    BLOCKS,            /* of a grid, up to a number: those above are refused */
    PARAMS,            /* a structure that begins with its size: NULL is refused */
    PARAMS_OR_NULL,    /* the same, and NULL is allowed */
    STRUCTS,           /* an array of structures without a size: NULL is refused */
    STRUCTS_OR_NULL,   /* the same, and NULL is allowed */
    STRUCTS_FOR_LATER, /* an array of structures whose fields are checked in a later call */
    BY_VALUE,          /* a structure */
    NOT_ALONE,         /* a pointer that is refused unless another one is given as well */
    LISTED,            /* bad.c lists the bad values of the kind itself */
};

typedef void (*host_function)(void *user);
typedef cushim_op (*make_operation)(const struct cushim_exec *exec, void *user);
typedef cushim_op (*next_operation)(const struct cushim_exec *exec, cushim_output *output,
                                    void *user);
typedef cushim_status (*map_function)(cushim_output *output, void *user, void **ret_data);
typedef void (*inspect_function)(const cushim_output *output, void *user);
typedef cushim_status (*next_stream)(void *user, cushim_stream *ret_stream);
typedef size_t (*shared_of_block)(int block_threads);

#define OWN(kind)                                                                                  \
    {                                                                                              \
        w->own.id[CUSHIM__HANDLE_##kind]                                                           \
    }

/* X(name, type, class, number, initialiser of the good value). The number is what the class needs.
 */
#define ARGUMENT_KINDS(X)                                                                          \
    HANDLE_ARGUMENTS(X)                                                                            \
    ASYNC_ARGUMENTS(X)                                                                             \
    MEMORY_ARGUMENTS(X)                                                                            \
    TEXT_ARGUMENTS(X)                                                                              \
    NUMBER_ARGUMENTS(X)                                                                            \
    STRUCT_ARGUMENTS(X)

/* Operations, policies and futures. The number is the kind of the handle. */
#define ASYNC_ARGUMENTS(X)                                                                         \
    X(OPERATION, cushim_op, FRESH, CUSHIM__HANDLE_OP, {0})                                         \
    X(LIST_OPERATION, cushim_op, FRESH, LIST_OPERATION, {0})                                       \
    X(SHARED_OPERATION, cushim_op, FRESH, SHARED_OPERATION, {0})                                   \
    X(LAUNCH_OPERATION, cushim_op, FRESH, LAUNCH_OPERATION, {0})                                   \
    X(OPERATIONS, const cushim_op *, ADDRESS, 0, w->operations)                                    \
    X(PARTS, cushim_op *, ADDRESS, 0, w->parts)                                                    \
    X(POLICY, cushim_policy, HANDLE, CUSHIM__HANDLE_POLICY, OWN(POLICY))                           \
    X(POLICY_OR_NONE, cushim_policy, HANDLE_OR_NONE, CUSHIM__HANDLE_POLICY, OWN(POLICY))           \
    X(STREAM_OR_NONE, cushim_stream, HANDLE_OR_NONE, CUSHIM__HANDLE_STREAM, OWN(STREAM))           \
    X(FUTURE, cushim_future, HANDLE, CUSHIM__HANDLE_FUTURE, OWN(FUTURE))                           \
    X(NEW_FUTURE, cushim_future, FRESH, CUSHIM__HANDLE_FUTURE, {0})                                \
    X(SCHEDULED_FUTURE, cushim_future, FRESH, SCHEDULED_FUTURE, {0})                               \
    X(FUTURES, const cushim_future *, ADDRESS, 0, w->futures)                                      \
    X(ANY_OUTPUT, const cushim_output *, PLAIN, 0, NULL)                                           \
    X(MADE_OUTPUT, cushim_output *, PLAIN, 0, NULL)                                                \
    X(LIST_OUTPUT, const cushim_output *, ADDRESS, 0, NULL)                                        \
    X(SLICE_OUTPUT, cushim_output *, ADDRESS, 0, NULL)                                             \
    X(DATA_OUTPUT, cushim_output *, ADDRESS, 0, NULL)                                              \
    X(MAKE_OPERATION, make_operation, ADDRESS, 0, async_make_operation)                            \
    X(NEXT_OPERATION, next_operation, ADDRESS, 0, async_next_operation)                            \
    X(MAP, map_function, ADDRESS, 0, async_map)                                                    \
    X(INSPECT, inspect_function, ADDRESS, 0, async_inspect)                                        \
    X(NEXT_STREAM, next_stream, ADDRESS, 0, async_next_stream)                                     \
    X(OP_VIEW, cushim_view, VIEW_OF, CUSHIM__HANDLE_SLICE, w->view)                                \
    X(OP_VIEW_TO_WRITE, cushim_view, WRITABLE, CUSHIM__HANDLE_SLICE, w->view)                      \
    X(OP_ARGUMENTS, const struct cushim_argument *, STRUCTS, 0, w->arguments)                      \
    X(POLICY_PARAMS, const struct cushim_policy_params *, PARAMS_OR_NULL, 0, &w->policy_params)    \
    X(TILING, const struct cushim_tiling *, PARAMS, 0, &w->tiling)                                 \
    X(TAKEN_OPERATION, void *, TAKEN, CUSHIM__HANDLE_OP, NULL)                                     \
    X(TAKEN_POLICY, void *, TAKEN, CUSHIM__HANDLE_POLICY, NULL)                                    \
    X(TAKEN_FUTURE, void *, TAKEN, CUSHIM__HANDLE_FUTURE, NULL)

/* The number is the kind of the handle. */
#define HANDLE_ARGUMENTS(X)                                                                        \
    X(DRIVER, cushim_driver, HANDLE, CUSHIM__HANDLE_DRIVER, OWN(DRIVER))                           \
    X(NVRTC, cushim_nvrtc, HANDLE, CUSHIM__HANDLE_NVRTC, OWN(NVRTC))                               \
    X(DRIVER_OR_ANY, cushim_driver, HANDLE_OR_ANY, CUSHIM__HANDLE_DRIVER, OWN(DRIVER))             \
    X(NVJITLINK, cushim_nvjitlink, HANDLE, CUSHIM__HANDLE_NVJITLINK, OWN(NVJITLINK))               \
    X(NVJITLINK_OR_ANY, cushim_nvjitlink, HANDLE_OR_ANY, CUSHIM__HANDLE_NVJITLINK, OWN(NVJITLINK)) \
    X(NVJITLINK_OR_NONE, cushim_nvjitlink, HANDLE_OR_NONE, CUSHIM__HANDLE_NVJITLINK,               \
      OWN(NVJITLINK))                                                                              \
    X(NVRTC_OR_ANY, cushim_nvrtc, HANDLE_OR_ANY, CUSHIM__HANDLE_NVRTC, OWN(NVRTC))                 \
    X(NVRTC_OR_NONE, cushim_nvrtc, HANDLE_OR_NONE, CUSHIM__HANDLE_NVRTC, OWN(NVRTC))               \
    X(TRACE, cushim_trace, HANDLE, CUSHIM__HANDLE_TRACE, OWN(TRACE))                               \
    X(FAULTS, cushim_faults, HANDLE, CUSHIM__HANDLE_FAULTS, OWN(FAULTS))                           \
    X(NEW_FAULTS, cushim_faults, FRESH, CUSHIM__HANDLE_FAULTS, {0})                                \
    X(IMAGE, cushim_image, HANDLE, CUSHIM__HANDLE_IMAGE, OWN(IMAGE))                               \
    X(IMAGE_OR_NONE, cushim_image, HANDLE_OR_NONE, CUSHIM__HANDLE_IMAGE, OWN(IMAGE))               \
    X(CONTEXT, cushim_context, HANDLE, CUSHIM__HANDLE_CONTEXT, OWN(CONTEXT))                       \
    X(PEER, cushim_context, HANDLE, CUSHIM__HANDLE_CONTEXT, {w->other.id[CUSHIM__HANDLE_CONTEXT]}) \
    X(NEW_CONTEXT, cushim_context, FRESH, CUSHIM__HANDLE_CONTEXT, {0})                             \
    X(STREAM, cushim_stream, HANDLE, CUSHIM__HANDLE_STREAM, OWN(STREAM))                           \
    X(NEW_STREAM, cushim_stream, FRESH, CUSHIM__HANDLE_STREAM, {0})                                \
    X(NEW_RECORDER, cushim_stream, FRESH, RECORDER, {0})                                           \
    X(NODE, cushim_node, BY_VALUE, 0, w->node)                                                     \
    X(UPDATE, cushim_stream, FRESH, UPDATE_RECORDER, {0})                                          \
    X(TAKEN_UPDATE, void *, TAKEN, UPDATE_RECORDER, NULL)                                          \
    X(BODY, void *, TAKEN, BODY_RECORDER, NULL)                                                    \
    X(CONDITION, cushim_view, VIEW_OF, CUSHIM__HANDLE_SLICE, w->condition_view)                    \
    X(NO_NODES, const cushim_node *, PLAIN, 0, NULL)                                               \
    X(MADE_NODES, cushim_node *, PLAIN, 0, NULL)                                                   \
    X(EVENT, cushim_event, HANDLE, CUSHIM__HANDLE_EVENT, OWN(EVENT))                               \
    X(PLAIN_EVENT, cushim_event, HANDLE, CUSHIM__HANDLE_EVENT, {w->plain_event.id})                \
    X(PINNED, cushim_pinned, HANDLE, CUSHIM__HANDLE_PINNED, OWN(PINNED))                           \
    X(UNIFIED, cushim_unified, HANDLE, CUSHIM__HANDLE_UNIFIED, OWN(UNIFIED))                       \
    X(NEW_UNIFIED, cushim_unified, FRESH, CUSHIM__HANDLE_UNIFIED, {0})                             \
    X(MODULE, cushim_module, HANDLE, CUSHIM__HANDLE_MODULE, OWN(MODULE))                           \
    X(FUNCTION, cushim_function, HANDLE, CUSHIM__HANDLE_FUNCTION, OWN(FUNCTION))                   \
    X(CODE_LIBRARY, cushim_code_library, HANDLE, CUSHIM__HANDLE_CODE_LIBRARY, OWN(CODE_LIBRARY))   \
    X(KERNEL, cushim_kernel, HANDLE, CUSHIM__HANDLE_KERNEL, OWN(KERNEL))                           \
    X(LAUNCHER, cushim_launcher, HANDLE, CUSHIM__HANDLE_LAUNCHER, OWN(LAUNCHER))                   \
    X(NEW_LAUNCHER, cushim_launcher, FRESH, CUSHIM__HANDLE_LAUNCHER, {0})                          \
    X(GRAPH, cushim_graph, HANDLE, CUSHIM__HANDLE_GRAPH, OWN(GRAPH))                               \
    X(POOL, cushim_pool, HANDLE, CUSHIM__HANDLE_POOL, OWN(POOL))                                   \
    X(POOL_OR_NONE, cushim_pool, HANDLE_OR_NONE, CUSHIM__HANDLE_POOL, {0})                         \
    X(ARENA, cushim_arena, HANDLE, CUSHIM__HANDLE_ARENA, OWN(ARENA))                               \
    X(ARENA_OR_NONE, cushim_arena, HANDLE_OR_NONE, CUSHIM__HANDLE_ARENA, {0})                      \
    X(SHARED_POOL, cushim_pool, HANDLE, CUSHIM__HANDLE_POOL, {w->shared_pool.id})                  \
    X(NEW_POOL, cushim_pool, FRESH, CUSHIM__HANDLE_POOL, {0})                                      \
    X(EXTERNAL_MEMORY, cushim_external_memory, HANDLE, CUSHIM__HANDLE_EXTERNAL_MEMORY,             \
      OWN(EXTERNAL_MEMORY))                                                                        \
    X(EXTERNAL_SEMAPHORE, cushim_external_semaphore, HANDLE, CUSHIM__HANDLE_EXTERNAL_SEMAPHORE,    \
      OWN(EXTERNAL_SEMAPHORE))                                                                     \
    X(SHARED_EVENT, cushim_event, HANDLE, CUSHIM__HANDLE_EVENT, {w->shared_event.id})              \
    X(SLICE, cushim_slice, HANDLE, CUSHIM__HANDLE_SLICE, OWN(SLICE))                               \
    X(SHARED_SLICE, cushim_slice, HANDLE, CUSHIM__HANDLE_SLICE, {w->shared_slice.id})              \
    X(ID, uint64_t, ANY_ID, CUSHIM__HANDLE_SLICE, w->own.id[CUSHIM__HANDLE_SLICE])                 \
    X(NEW_ID, uint64_t, FRESH, CUSHIM__HANDLE_SLICE, 0)                                            \
    X(ID_OF_MEMORY, uint64_t, MEMORY_ID, CUSHIM__HANDLE_SLICE, w->own.id[CUSHIM__HANDLE_SLICE])    \
    X(TAKEN_DRIVER, void *, TAKEN, CUSHIM__HANDLE_DRIVER, NULL)                                    \
    X(TAKEN_NVJITLINK, void *, TAKEN, CUSHIM__HANDLE_NVJITLINK, NULL)                              \
    X(TAKEN_NVRTC, void *, TAKEN, CUSHIM__HANDLE_NVRTC, NULL)                                      \
    X(TAKEN_TRACE, void *, TAKEN, CUSHIM__HANDLE_TRACE, NULL)                                      \
    X(TAKEN_FAULTS, void *, TAKEN, CUSHIM__HANDLE_FAULTS, NULL)                                    \
    X(TAKEN_IMAGE, void *, TAKEN, CUSHIM__HANDLE_IMAGE, NULL)                                      \
    X(TAKEN_CONTEXT, void *, TAKEN, CUSHIM__HANDLE_CONTEXT, NULL)                                  \
    X(TAKEN_STREAM, void *, TAKEN, CUSHIM__HANDLE_STREAM, NULL)                                    \
    X(TAKEN_EVENT, void *, TAKEN, CUSHIM__HANDLE_EVENT, NULL)                                      \
    X(TAKEN_SLICE, void *, TAKEN, CUSHIM__HANDLE_SLICE, NULL)                                      \
    X(TAKEN_PINNED, void *, TAKEN, CUSHIM__HANDLE_PINNED, NULL)                                    \
    X(TAKEN_UNIFIED, void *, TAKEN, CUSHIM__HANDLE_UNIFIED, NULL)                                  \
    X(TAKEN_MODULE, void *, TAKEN, CUSHIM__HANDLE_MODULE, NULL)                                    \
    X(TAKEN_CODE_LIBRARY, void *, TAKEN, CUSHIM__HANDLE_CODE_LIBRARY, NULL)                        \
    X(TAKEN_LAUNCHER, void *, TAKEN, CUSHIM__HANDLE_LAUNCHER, NULL)                                \
    X(TAKEN_GRAPH, void *, TAKEN, CUSHIM__HANDLE_GRAPH, NULL)                                      \
    X(TAKEN_POOL, void *, TAKEN, CUSHIM__HANDLE_POOL, NULL)                                        \
    X(TAKEN_ARENA, void *, TAKEN, CUSHIM__HANDLE_ARENA, NULL)                                      \
    X(TAKEN_EXTERNAL_MEMORY, void *, TAKEN, CUSHIM__HANDLE_EXTERNAL_MEMORY, NULL)                  \
    X(TAKEN_EXTERNAL_SEMAPHORE, void *, TAKEN, CUSHIM__HANDLE_EXTERNAL_SEMAPHORE, NULL)            \
    X(TAKEN_RECORDER, void *, TAKEN, RECORDER, NULL)

/* The number is the kind of the memory. */
#define MEMORY_ARGUMENTS(X)                                                                        \
    X(VIEW, cushim_view, VIEW_OF, CUSHIM__HANDLE_SLICE, w->view)                                   \
    X(OTHER_VIEW, cushim_view, VIEW_OF, CUSHIM__HANDLE_SLICE, w->other_view)                       \
    X(VIEW_TO_WRITE, cushim_view, WRITABLE, CUSHIM__HANDLE_SLICE, w->view)                         \
    X(VIEW_OF_UNIFIED, cushim_view, VIEW_OF, CUSHIM__HANDLE_UNIFIED, w->unified_view)              \
    X(OUT, void *, OUTPUT, 0, NULL)                                                                \
    X(OUT_OR_NULL, void *, OUTPUT_OR_NULL, 0, NULL)                                                \
    X(MADE, void *, HANDLES, 0, NULL)                                                              \
    X(MADE_OR_NULL, void *, HANDLES_OR_NULL, 0, NULL)                                              \
    X(VALUE, const void *, ADDRESS, 0, w->host)                                                    \
    X(HOST, void *, ADDRESS, 0, w->host)                                                           \
    X(RAW_CONTEXT, void *, ADDRESS, 0, w->cu_context)                                              \
    X(RAW_STREAM, void *, PLAIN, 0, w->cu_stream)                                                  \
    X(DEVICE_ADDRESS, uint64_t, LENGTH, 0, w->address)                                             \
    X(REPORT, void *, PLAIN, 0, NULL)                                                              \
    X(USER, void *, PLAIN, 0, w)                                                                   \
    X(CALLBACK, host_function, ADDRESS, 0, world_called)                                           \
    X(RELEASE, host_function, PLAIN, 0, world_released)                                            \
    X(LOG_FUNCTION, cushim_log_fn, PLAIN, 0, world_log)                                            \
    X(MOCK_KERNEL, cushim_mock_kernel_fn, PLAIN, 0, NULL)                                          \
    X(SHARED_OF_BLOCK, shared_of_block, PLAIN, 0, NULL)                                            \
    X(TWO_EVENTS, cushim_event *, NOT_ALONE, 0, NULL)

#define TEXT_ARGUMENTS(X)                                                                          \
    X(TEXT, const char *, STRING, 0, "text")                                                       \
    X(TEXT_OR_NULL, const char *, STRING_OR_NULL, 0, NULL)                                         \
    X(SYMBOL, const char *, NAME, 0, "cuMemAlloc_v2")                                              \
    X(NVJITLINK_SYMBOL, const char *, NAME, 0, "nvJitLinkCreate")                                  \
    X(NVRTC_SYMBOL, const char *, NAME, 0, "nvrtcVersion")                                         \
    X(SYMBOL_OR_NULL, const char *, STRING_OR_NULL, 0, "cuMemAlloc_v2")                            \
    X(PCI_ID, const char *, NAME, 0, w->pci_id)                                                    \
    X(RULES, const char *, STRING, 0, "cuMemAlloc nth=1 result=2")                                 \
    X(RULES_FILE, const char *, NAME, 0, w->rules_path)                                            \
    X(PTX, const char *, NAME, 0, world_ptx)                                                       \
    X(PTX_BYTES, const void *, ADDRESS, 0, world_ptx)                                              \
    X(PTX_FILE, const char *, NAME, 0, w->ptx_path)                                                \
    X(OUTPUT_FILE, const char *, NAME, 0, "/dev/null")                                             \
    X(SOURCE, const char *, STRING, 0, "extern \"C\" __global__ void f() {}")                      \
    X(KERNEL_NAME, const char *, NAME, 0, "saxpy")                                                 \
    X(VARIABLE_NAME, const char *, NAME, 0, "table")                                               \
    X(MODULE_NAME, const char *, NAME, 0, "registered")                                            \
    X(ANY_NAME, const char *, STRING, 0, "kernel")                                                 \
    X(EXPRESSION, const char *, NAME, 0, "scale<float>")

/* The number is the last good value. */
#define NUMBER_ARGUMENTS(X)                                                                        \
    X(BOOL, bool, PLAIN, 0, false)                                                                 \
    X(STATUS_CODE, int, NUMBER, 0, 2)                                                              \
    X(DEVICE, int, ORDINAL, 0, 0)                                                                  \
    X(FREE_DEVICE, int, ORDINAL, 0, 2)                                                             \
    X(PLACE, int, NUMBER, 0, CUSHIM_DEVICE_HOST)                                                   \
    X(INT, int, NUMBER, 0, 0)                                                                      \
    X(UNSIGNED, unsigned, NUMBER, 0, 1)                                                            \
    X(SIZE, size_t, LENGTH, 0, 1)                                                                  \
    X(ROWS, size_t, LENGTH, 0, CUSHIM_CUDA_ROWS)                                                   \
    X(INDEX, size_t, LENGTH, 0, 0)                                                                 \
    X(ONE, size_t, LENGTH, 0, 1)                                                                   \
    X(LENGTH_1, size_t, ARRAY, 0, 1)                                                               \
    X(LENGTH_4, size_t, ARRAY, 0, 4)                                                               \
    X(EIGHT, size_t, LENGTH, 0, 8)                                                                 \
    X(FOUR, size_t, LENGTH, 0, 4)                                                                  \
    X(EIGHTH, size_t, LENGTH, 0, ELEMENTS / 8)                                                     \
    X(NO_GAP, size_t, LENGTH, 0, 0)                                                                \
    X(HOST_PITCH, size_t, LENGTH, 0, 0)                                                            \
    X(DEPTH, size_t, LENGTH, 0, 1)                                                                 \
    X(OF_POOL, uint64_t, LENGTH, 0, 0)                                                             \
    X(DESCRIPTOR, int, NUMBER, 0, w->pool_fd)                                                      \
    X(BYTE, unsigned char, PLAIN, 0, 0)                                                            \
    X(POOL_ACCESS, enum cushim_pool_access, HINT, CUSHIM_POOL_ACCESS_READ_WRITE,                   \
      CUSHIM_POOL_ACCESS_READ_WRITE)                                                               \
    X(SET_POLICY, enum cushim_wait_policy, CHOICE, CUSHIM_WAIT_BLOCKING, CUSHIM_WAIT_AUTO)         \
    X(SET_DOMAIN, enum cushim_sync_domain, CHOICE, CUSHIM_SYNC_DOMAIN_REMOTE,                      \
      CUSHIM_SYNC_DOMAIN_DEFAULT)                                                                  \
    X(HALF, size_t, LENGTH, 0, ELEMENTS / 2)                                                       \
    X(ALIGNMENT, size_t, LENGTH, 0, 4)                                                             \
    X(CAPACITY, size_t, LENGTH, 0, 64)                                                             \
    X(ELEMENT, size_t, LENGTH, 0, CUSHIM_ELEMENT(float))                                           \
    X(SAME_ELEMENT, size_t, EXACT, 0, CUSHIM_ELEMENT(float))                                       \
    X(COUNT, size_t, LENGTH, 0, ELEMENTS)                                                          \
    X(SAME_COUNT, size_t, EXACT, 0, ELEMENTS)                                                      \
    X(PTX_LENGTH, size_t, LENGTH, 0, strlen(world_ptx))                                            \
    X(NANOSECONDS, uint64_t, LENGTH, 0, 1000)                                                      \
    X(SEED, uint64_t, LENGTH, 0, 0)                                                                \
    X(ARGUMENT_COUNT, size_t, EXACT, 0, ARRAY_SIZE(w->arguments))                                  \
    X(CONTEXT_FLAGS, unsigned, CHOICE, 0xff, 0)                                                    \
    X(EVENT_FLAGS, unsigned, CHOICE, 0x1ff, CUSHIM_EVENT_TIMING)                                   \
    X(PINNED_FLAGS, unsigned, CHOICE, 7, 0)                                                        \
    X(LIMIT, enum cushim_limit, CHOICE, 20, CUSHIM_LIMIT_STACK_SIZE)                               \
    X(CACHE, enum cushim_cache_config, CHOICE, CUSHIM_CACHE_PREFER_EQUAL, 0)                       \
    X(BANKS, enum cushim_shared_config, CHOICE, CUSHIM_SHARED_EIGHT_BYTES, 0)                      \
    X(ADOPTED, enum cushim_adopted, CHOICE, CUSHIM_ADOPTED_PLAIN, 0)                               \
    X(ATTACH, enum cushim_attach, CHOICE, CUSHIM_ATTACH_SINGLE, CUSHIM_ATTACH_GLOBAL)              \
    X(ADVICE, enum cushim_advice, CHOICE, CUSHIM_ADVICE_UNSET_ACCESSED_BY, 1)                      \
    X(LIBRARY, enum cushim_library, CHOICE, CUSHIM_LIBRARY_NVJITLINK, 0)                           \
    X(LOG_LEVEL, enum cushim_log_level, HINT, CUSHIM_LOG_DEBUG, CUSHIM_LOG_DEBUG)                  \
    X(VERDICT, enum cushim_verdict, HINT, CUSHIM_VERDICT_REPEATED, 0)                              \
    X(ORIGIN, enum cushim_origin, HINT, CUSHIM_ORIGIN_RESOLVER, 0)                                 \
    X(ATTRIBUTE, int, NUMBER, 0, 10)                                                               \
    X(FUNCTION_ATTRIBUTE, int, NUMBER, 0, CUSHIM_FUNCTION_MAX_DYNAMIC_SHARED_BYTES)                \
    X(IMAGE_KIND, enum cushim_image_kind, CHOICE, CUSHIM_IMAGE_OPTIXIR, 0)                         \
    X(ON_OR_OFF, enum cushim_choice, CHOICE, CUSHIM_OFF, 0)                                        \
    X(WAIT_POLICY, enum cushim_wait_policy, CHOICE, CUSHIM_WAIT_BLOCKING, 0)                       \
    X(CAPTURE_MODE, enum cushim_capture_mode, CHOICE, CUSHIM_CAPTURE_MODE_GLOBAL, 0)               \
    X(CAPTURE_ORDER, enum cushim_capture_order, CHOICE, CUSHIM_CAPTURE_ORDER_BY_HAND, 0)           \
    X(LINK_KIND, enum cushim_link_kind, CHOICE, CUSHIM_LINK_LIBRARY, CUSHIM_LINK_PTX)              \
    X(JIT_CACHE, enum cushim_jit_cache, CHOICE, CUSHIM_JIT_CACHE_ALL, 0)                           \
    X(INTENT, enum cushim_intent, CHOICE, CUSHIM_INTENT_SAME, CUSHIM_INTENT_INOUT)                 \
    X(SCHEDULING, enum cushim_cluster_scheduling, CHOICE, CUSHIM_CLUSTER_LOAD_BALANCING, 0)        \
    X(DOMAIN, enum cushim_sync_domain, CHOICE, CUSHIM_SYNC_DOMAIN_REMOTE, 0)                       \
    X(GRID_X, unsigned, BLOCKS, 0x7fffffff, 1)                                                     \
    X(GRID_YZ, unsigned, BLOCKS, 0xffff, 1)                                                        \
    X(BLOCK, unsigned, BLOCKS, 1024, 1)                                                            \
    X(CLUSTER, unsigned, BLOCKS, 16, 0)                                                            \
    X(PREFERRED_CLUSTER, unsigned, NUMBER, 0, 0)                                                   \
    X(WRONG_RESULT, int, LISTED, 0, 2)                                                             \
    X(PROBABILITY, double, LISTED, 0, 0)                                                           \
    X(RATIO, float, LISTED, 0, 1)                                                                  \
    X(ACCESS, int, CHOICE, CUSHIM_ACCESS_PERSISTING, 0)                                            \
    X(ZERO, int, CHOICE, 0, 0)                                                                     \
    X(NODE_RECORDING, uint64_t, EXACT, 0, w->node.recording)                                       \
    X(NODE_NUMBER, uint64_t, EXACT, 0, w->node.number)                                             \
    X(VALUE_BYTES, size_t, EXACT, 0, sizeof(float))                                                \
    X(NONE_THERE, size_t, EXACT, 0, 0)                                                             \
    X(INTS, const int *, LISTED, 0, NULL)                                                          \
    X(TEXTS, const char *const *, LISTED, 0, NULL)                                                 \
    X(HEADERS, const struct cushim_header *, LISTED, 0, NULL)                                      \
    X(LTO_KIND, enum cushim_image_kind, CHOICE, CUSHIM_IMAGE_CUBIN, CUSHIM_IMAGE_PTX)              \
    X(ARCH, const char *, NAME, 0, "90")                                                           \
    X(CACHE_FOLDER, const char *, LISTED, 0, NULL)                                                 \
    X(CACHE_COUNTS, struct cushim_cache_counts *, LISTED, 0, &w->cache_counts)                     \
    X(CACHE_STATE, struct cushim_cache_state *, LISTED, 0, &w->cache_state)                        \
    X(GRAPH_STATS, struct cushim_graph_counts *, LISTED, 0, &w->graph_stats)                       \
    X(NODE_INFO, struct cushim_node_info *, LISTED, 0, &w->node_info)

/* fields.c has the fields of these structures. */
#define STRUCT_ARGUMENTS(X)                                                                        \
    X(OPEN_PARAMS, const struct cushim_open_params *, PARAMS_OR_NULL, 0, &w->open_params)          \
    X(NVJITLINK_PARAMS, const struct cushim_open_params *, PARAMS_OR_NULL, 0,                      \
      &w->nvjitlink_params)                                                                        \
    X(LTO_PARAMS, const struct cushim_lto_params *, PARAMS, 0, &w->lto_params)                     \
    X(LTO_INPUTS, const struct cushim_link_input *, STRUCTS, 0, w->link_inputs)                    \
    X(NVRTC_PARAMS, const struct cushim_open_params *, PARAMS_OR_NULL, 0, &w->nvrtc_params)        \
    X(TRACE_PARAMS, const struct cushim_trace_params *, PARAMS_OR_NULL, 0, &w->trace_params)       \
    X(FAULTS_PARAMS, const struct cushim_faults_params *, PARAMS_OR_NULL, 0, &w->faults_params)    \
    X(FAULT, const struct cushim_fault *, PARAMS, 0, &w->fault)                                    \
    X(STREAM_PARAMS, const struct cushim_stream_params *, PARAMS_OR_NULL, 0, &w->stream_params)    \
    X(CAPTURE_PARAMS, const struct cushim_capture_params *, PARAMS_OR_NULL, 0, &w->capture_params) \
    X(COMPILE_PARAMS, const struct cushim_compile_params *, PARAMS_OR_NULL, 0, &w->compile_params) \
    X(MODULE_PARAMS, const struct cushim_module_params *, PARAMS_OR_NULL, 0, &w->module_params)    \
    X(EMBEDDED, const struct cushim_embedded *, PARAMS, 0, &w->embedded)                           \
    X(EMBEDDED_KERNEL, const struct cushim_embedded_kernel *, PARAMS, 0, &w->embedded_kernel)      \
    X(BLOCK_SIZE_PARAMS, const struct cushim_block_size_params *, PARAMS_OR_NULL, 0,               \
      &w->block_size_params)                                                                       \
    X(LAUNCH_CONFIG, const struct cushim_launch_config *, PARAMS, 0, &w->launch_config)            \
    X(CLUSTER_CONFIG, const struct cushim_launch_config *, PARAMS, 0, &w->cluster_config)          \
    X(LAUNCH_OPTIONS, const struct cushim_launch_options *, PARAMS_OR_NULL, 0, &w->launch_options) \
    X(ACCESS_WINDOW, const struct cushim_access_window *, STRUCTS_OR_NULL, 0, &w->access_window)   \
    X(LAUNCH_EVENT, const struct cushim_launch_event *, STRUCTS_OR_NULL, 0, &w->launch_event)      \
    X(ARGUMENTS, const struct cushim_argument *, STRUCTS, 0, w->arguments)                         \
    X(ARGUMENT, struct cushim_argument, BY_VALUE, 0, w->arguments[1])                              \
    X(LINK_INPUTS, const struct cushim_link_input *, STRUCTS, 0, w->link_inputs)                   \
    X(HOOKS, const struct cushim_hooks *, STRUCTS, 0, &w->hooks)                                   \
    X(ARENA_PARAMS, const struct cushim_arena_params *, PARAMS_OR_NULL, 0, &w->arena_params)       \
    X(POOL_PARAMS, const struct cushim_pool_params *, PARAMS_OR_NULL, 0, &w->pool_params)          \
    X(MEMORY_PARAMS, const struct cushim_external_memory_params *, PARAMS, 0, &w->memory_params)   \
    X(SEMAPHORE_PARAMS, const struct cushim_external_semaphore_params *, PARAMS, 0,                \
      &w->semaphore_params)                                                                        \
    X(NAME_OF_SLICE, const struct cushim_shared_slice *, STRUCTS, 0, &w->name_of_slice)            \
    X(NAME_OF_EVENT, const struct cushim_shared_event *, STRUCTS, 0, &w->name_of_event)            \
    X(PUSHED, const struct cushim_argument *, STRUCTS_FOR_LATER, 0, w->arguments)                  \
    X(FIELD_TO_READ, cushim_field, BY_VALUE, 0, w->field)                                          \
    X(FIELD_TO_WRITE, cushim_field, BY_VALUE, 0, w->field)                                         \
    X(OTHER_FIELD, cushim_field, BY_VALUE, 0, w->other_field)                                      \
    X(MOCK_CONFIG, const struct cushim_mock_config *, PARAMS_OR_NULL, 0, &w->mock_config)

#define UNION_MEMBER(name, type, class, number, good) type name;
#define KIND_NUMBER(name, type, class, number, good)  KIND_##name,

/* An argument, as the member with the name of its kind. */
union value {
    ARGUMENT_KINDS(UNION_MEMBER)
    uint64_t bits;
    void *pointer;
};

enum kind { ARGUMENT_KINDS(KIND_NUMBER) KINDS };

struct kind_info {
    const char *name;
    enum class class;
    uint64_t number;
    size_t bytes; /* of the type */
};

extern const struct kind_info kind_info[KINDS];

#endif
