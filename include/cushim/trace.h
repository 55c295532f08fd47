/* SPDX-License-Identifier: MIT */
/*
 * Traces: ready-made hooks that count and log every call, and write the log to a file for
 * https://ui.perfetto.dev and chrome://tracing.
 *
 *     cushim_trace trace;
 *     CUSHIM_TRY(cushim_trace_create(NULL, &trace));
 *     struct cushim_hooks hooks = cushim_trace_hooks(trace);
 *     CUSHIM_TRY(cushim_interpose(driver, &hooks, 1, &traced));
 *     ...
 *     CUSHIM_TRY(cushim_trace_count(trace, "cuLaunchKernel", &n));
 *
 * With CUSHIM_TRACE=FILE in the environment, cushim traces every driver, NVRTC and nvJitLink that
 * it opens, and writes the file when the process exits.
 */
#ifndef CUSHIM_TRACE_H
#define CUSHIM_TRACE_H

#include <cushim/interpose.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A trace: counts and a log of calls. Freed by cushim_trace_free(). Its hooks may still be in place
 * then, and do nothing.
 */
CUSHIM__HANDLE(cushim_trace, cushim_trace_free)

/** Parameters of cushim_trace_create(). A field that is zero selects its default. */
struct cushim_trace_params {
    size_t size; /* sizeof the structure; the macro cushim_trace_params() sets it */

    bool count_only;  /* keep no log, only counts */
    size_t max_calls; /* the most calls in the log; others are only counted. Default 1 << 20 */
};

/** Writes parameters in place: cushim_trace_create(cushim_trace_params(.count_only = true), &t). */
#define cushim_trace_params(...) CUSHIM__IN_PLACE(cushim_trace_params, __VA_ARGS__)

/** One logged call. */
struct cushim_traced_call {
    const char *name; /* exported name, static */
    enum cushim_library library;
    unsigned row;
    int result;        /* the library's result; 0 for functions that return a string */
    bool answered;     /* a hook answered, not the library */
    uint64_t thread;   /* the thread's id in the operating system */
    uint64_t start_ns; /* since the trace was created */
    uint64_t duration_ns;
    uint64_t reserved[4]; /* 0 */
};

/**
 * Creates an empty trace. params may be NULL. The caller frees it with cushim_trace_free().
 * Thread-safe, as all functions here are.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status
cushim_trace_create(const struct cushim_trace_params *params, cushim_trace *ret_trace);

/** Returns hooks that write to the trace. If the handle is not valid, the hooks do nothing. */
CUSHIM_API struct cushim_hooks cushim_trace_hooks(cushim_trace trace);

/**
 * Returns how many calls of a function the trace has counted. name is an exported name, or NULL for
 * all functions.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_trace_count(cushim_trace trace, const char *name,
                                                           uint64_t *ret_count);

/**
 * Copies up to max logged calls to the array calls, beginning with the call at index first. The log
 * is in the order in which calls ended. *ret_available is the number of logged calls from index
 * first on, which may be more than max. calls may be NULL if max is 0. The names of calls are
 * static strings.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_trace_calls(cushim_trace trace, size_t first,
                                                           struct cushim_traced_call *calls,
                                                           size_t max, size_t *ret_available);

/** Clears the counts and the log of a trace. */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_trace_reset(cushim_trace trace);

/**
 * Writes the log to a file as JSON in the Trace Event Format: one complete event for each call,
 * with the name of the function, the thread and the result. A launch by cushim_graph_launch() also
 * has the label of the graph and its nodes in words, up to 256 of them. Either the whole file is
 * replaced or nothing is changed. Symbolic links are followed, and stay. A pipe, a terminal or
 * another character device, such as /dev/null, is not replaced but written to.
 *
 * The result is CUSHIM_ERROR_SYSTEM if the file cannot be written. This includes block devices,
 * sockets, a named pipe that nothing reads, and a symbolic link that leads to no file.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_trace_write(cushim_trace trace, const char *path);

#ifdef __cplusplus
}
#endif

#endif
