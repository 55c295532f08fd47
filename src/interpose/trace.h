/* SPDX-License-Identifier: MIT */
/* Hooks that count and log calls, and writing the log to a file. trace_write.c writes it. */
#ifndef CUSHIM_INTERPOSE_TRACE_H
#define CUSHIM_INTERPOSE_TRACE_H

#include <cushim/trace.h>

struct cushim__trace;
struct cushim__note;

/* A call in the log. */
struct cushim__traced {
    struct cushim_traced_call call;
    struct cushim__note *note; /* what it was about (note.h), with a reference; or NULL */
};

/* Makes a trace. NULL when out of memory. params may be NULL. */
struct cushim__trace *cushim__trace_new(const struct cushim_trace_params *params);
void cushim__trace_free(struct cushim__trace *trace);

/* The action of a hook after a call, and hooks with this action. The trace must outlive them. */
void cushim__trace_record(struct cushim__trace *trace, const struct cushim_call *call);
struct cushim_hooks cushim__trace_hooks(struct cushim__trace *trace);

/*
 * Returns how often a function was called. If row is the count of the list, it counts all functions
 * of the library.
 */
uint64_t cushim__trace_count(struct cushim__trace *trace, enum cushim_library library, size_t row);
size_t cushim__trace_calls(struct cushim__trace *trace, size_t first,
                           struct cushim_traced_call *calls, size_t max);

/*
 * Copies calls with their notes, each with a reference for the caller. Returns how many: 0 if there
 * are no more.
 */
size_t cushim__trace_entries(struct cushim__trace *trace, size_t first,
                             struct cushim__traced *entries, size_t max);
void cushim__trace_reset(struct cushim__trace *trace);

cushim_status cushim__trace_write(struct cushim__trace *trace, const char *path, const char *call);

#endif
