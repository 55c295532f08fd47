/* SPDX-License-Identifier: MIT */
/* Hooks that count and log calls, and the log as a file. */
#ifndef CUSHIM_INTERPOSE_TRACE_H
#define CUSHIM_INTERPOSE_TRACE_H

#include <cushim/trace.h>

struct cushim__trace;

/* NULL when out of memory. params may be NULL. */
struct cushim__trace *cushim__trace_new(const struct cushim_trace_params *params);
void cushim__trace_free(struct cushim__trace *trace);

/* What a hook after a call does, and hooks that do it for as long as the trace is there. */
void cushim__trace_record(struct cushim__trace *trace, const struct cushim_call *call);
struct cushim_hooks cushim__trace_hooks(struct cushim__trace *trace);

/* row == count of the list: all functions of that library. */
uint64_t cushim__trace_count(struct cushim__trace *trace, enum cushim_library library, size_t row);
size_t cushim__trace_calls(struct cushim__trace *trace, size_t first,
                           struct cushim_traced_call *calls, size_t max);
void cushim__trace_reset(struct cushim__trace *trace);

cushim_status cushim__trace_write(struct cushim__trace *trace, const char *path, const char *call);

#endif
