/* SPDX-License-Identifier: MIT */
/*
 * What the calls of the sweep use: a good value of every kind of argument, and other handles that
 * are not good there: of freed objects, of objects of another context and of another driver.
 */
#ifndef CUSHIM_TESTS_SAFE_ARGUMENTS_WORLD_H
#define CUSHIM_TESTS_SAFE_ARGUMENTS_WORLD_H

#include "kinds.h"

enum { ELEMENTS = 64 };

/* The recorder that the body belongs to which was made last; freed by who uses the body. */
extern cushim_stream world_outer;

/* Other objects that are made for one call: a stream that records for a graph, and so on. */
enum {
    RECORDER = CUSHIM__HANDLE_KINDS,
    UPDATE_RECORDER,
    BODY_RECORDER,
    LIST_OPERATION,
    SHARED_OPERATION,
    LAUNCH_OPERATION,
    SCHEDULED_FUTURE,
    OBJECT_KINDS
};

/* One object of each kind, by the number of its handle. They belong together. */
struct objects {
    uint64_t id[OBJECT_KINDS];
};

struct world {
    struct objects own;     /* in the primary context of device 0 */
    struct objects other;   /* in a context of device 1 */
    struct objects foreign; /* in a context of an interposed driver */
    struct objects freed;   /* they were freed */
    union value good[KINDS];

    cushim_event plain_event; /* without timing */
    cushim_event shared_event;
    cushim_slice second, shared_slice, condition;
    cushim_view condition_view;
    cushim_pool shared_pool;
    int pool_fd;
    cushim_field field, other_field;
    struct cushim_shared_slice name_of_slice;
    struct cushim_shared_event name_of_event;
    cushim_node node; /* of the graph */
    cushim_view view, other_view, unified_view;
    cushim_module registered;
    void *cu_context, *cu_stream;
    uint64_t address; /* of memory that is not a slice of the world's */
    cushim_slice address_owner;
    float host[ELEMENTS];
    char pci_id[32], rules_path[64], ptx_path[64];

    struct cushim_open_params open_params, nvrtc_params, nvjitlink_params;
    struct cushim_lto_params lto_params;
    struct cushim_trace_params trace_params;
    struct cushim_faults_params faults_params;
    struct cushim_fault fault;
    struct cushim_stream_params stream_params;
    struct cushim_capture_params capture_params;
    struct cushim_compile_params compile_params;
    struct cushim_cache_counts cache_counts;
    struct cushim_cache_state cache_state;
    struct cushim_graph_counts graph_stats;
    struct cushim_node_info node_info;
    struct cushim_module_params module_params;
    struct cushim_embedded embedded;
    struct cushim_embedded_kernel embedded_kernel;
    struct cushim_block_size_params block_size_params;
    struct cushim_launch_config launch_config, cluster_config;
    struct cushim_launch_options launch_options, cluster_options;
    struct cushim_access_window access_window;
    struct cushim_launch_event launch_event;
    struct cushim_argument arguments[4];
    struct cushim_link_input link_inputs[1];
    struct cushim_hooks hooks;
    struct cushim_mock_config mock_config;
    struct cushim_pool_params pool_params;
    struct cushim_arena_params arena_params;
    struct cushim_external_memory_params memory_params;
    struct cushim_external_semaphore_params semaphore_params;

    struct cushim_policy_params policy_params;
    struct cushim_tiling tiling;
    cushim_op operations[1], parts[1];
    cushim_future futures[1], outputs; /* outputs: whose output the calls look at */

    int called, released; /* how often host functions were */
};

/* The code of the world: the kernel saxpy() and the variable table. */
extern const char world_ptx[];

void world_open(struct world *w);

/* Makes the good values that need no driver. To be called before world_open(). */
void world_begin(struct world *w);

/* Frees everything, and prints what is wrong then: open handles, and what the mock finds. */
void world_close(struct world *w);

/* Makes an object of a kind in a context. Ends the program, red, if that fails. */
uint64_t world_make(const struct objects *among, unsigned kind);

/* Frees the object of any handle, which may be zero or of a kind that is not freed. */
void world_free(uint64_t *id);

/* Whether a saxpy computes the right values. If not, *ret_why has the reason. */
bool world_works(const struct world *w, const char **ret_why);

/* How many handles are open. */
size_t world_handles(void);

/* Callbacks of calls. user is the world. world_log() fails for a message that is not one line. */
void world_called(void *user);
void world_released(void *user);
void world_log(enum cushim_log_level level, const char *message, void *user);

/* Opens the mock with hooks that import memory and semaphores: imports.c. */
cushim_driver world_open_driver(void);

/* An NVRTC that makes world_ptx of every program: nvrtc.c. */
void *world_nvrtc(const char *symbol, void *user);

/* An nvJitLink that makes world_ptx of all inputs: nvrtc.c. */
void *world_nvjitlink(const char *symbol, void *user);

/* Prints that something is wrong with the call that runs now. */
void world_fail(const char *format, ...) CUSHIM_PRINTF(1, 2);

/* Ends the program, red, if a call that must succeed does not. */
#define MUST(call) must((call), #call, __FILE__, __LINE__)
void must(cushim_status status, const char *call, const char *file, int line);

#endif
