/* SPDX-License-Identifier: MIT */
/*
 * Hooks that are ready-made: a count and a log of every call, and the log as a
 * file that https://ui.perfetto.dev and chrome://tracing open.
 *
 *     cushim_trace trace;
 *     cushim_trace_create(NULL, &trace);
 *     struct cushim_hooks hooks = cushim_trace_hooks(trace);
 *     cushim_interpose(driver, &hooks, 1, &traced);
 *     ...
 *     cushim_trace_count(trace, "cuLaunchKernel", &n);
 *
 * With CUSHIM_TRACE=FILE in the environment, every driver and NVRTC that
 * cushim opens is traced, and the file is written when the process exits.
 */
#ifndef CUSHIM_TRACE_H
#define CUSHIM_TRACE_H

#include <cushim/interpose.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A log of calls. Freed by cushim_trace_free(); hooks that are still in place then do
 * nothing.
 */
CUSHIM__HANDLE(cushim_trace, cushim_trace_free)

/** Zero means the default everywhere. */
struct cushim_trace_params {
    size_t max_calls; /* how many the log keeps; later ones are only counted. Default 1 << 20 */
    bool count_only;  /* keep no log, only counts */
};

/** One logged call. */
struct cushim_traced_call {
    const char *name; /* exported name, static */
    enum cushim_library library;
    unsigned row;
    int result;        /* CUresult or nvrtcResult; 0 for functions that return a string */
    bool answered;     /* by a hook, not by the library */
    uint64_t thread;   /* the thread's id in the operating system */
    uint64_t start_ns; /* since the trace was created */
    uint64_t duration_ns;
};

/** Makes an empty trace. params may be NULL. Thread-safe, as are all functions here. */
CUSHIM_API cushim_status cushim_trace_create(const struct cushim_trace_params *params,
                                             cushim_trace *ret_trace);

/** The hooks that feed the trace; hooks that do nothing if the handle is not valid. */
CUSHIM_API struct cushim_hooks cushim_trace_hooks(cushim_trace trace);

/** How many calls of a function were made; of all functions if name is NULL. */
CUSHIM_API cushim_status cushim_trace_count(cushim_trace trace, const char *name,
                                            uint64_t *ret_count);

/**
 * Copies up to max logged calls, from the first-th on, in the order they ended, and tells
 * how many there are from there on in all. calls may be NULL if max is 0.
 */
CUSHIM_API cushim_status cushim_trace_calls(cushim_trace trace, size_t first,
                                            struct cushim_traced_call *calls, size_t max,
                                            size_t *ret_available);

/** Forgets what was counted and logged so far. */
CUSHIM_API cushim_status cushim_trace_reset(cushim_trace trace);

/**
 * Writes the log as JSON in the Trace Event Format: one complete event a call, named after
 * the function, in its thread, with its result. The file is replaced as a whole
 * or not at all. CUSHIM_ERROR_SYSTEM if it cannot be written.
 */
CUSHIM_API cushim_status cushim_trace_write(cushim_trace trace, const char *path);

#ifdef __cplusplus
}
#endif

#endif
