/* SPDX-License-Identifier: MIT */
/*
 * The mock's face: the exported functions jump through mock__forward. It leads straight to
 * the functions, or through hooks that the environment asks for, so that a program which knows
 * nothing of cushim can be traced:
 *
 *     CUSHIM_MOCK_TRACE=calls.json LD_LIBRARY_PATH=.../cushim ./program
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/env.h"
#include "base/forward.h"
#include "base/status.h"
#include "interpose/interpose.h"
#include "interpose/trace.h"
#include "mock/symbols.h"

extern CUSHIM__HIDDEN cushim__forward mock__forward;
cushim__forward mock__forward = mock__functions;

/* Made once, when the library is loaded, and kept: calls may come until the process ends. */
static struct cushim__trace *trace;
static const char *file;
static int process;

static void after(struct cushim_call *call, void *user)
{
    (void) user;
    cushim__trace_record(trace, call);
}

static void write_at_exit(void)
{
    /* A child of fork() would put its copy of the parent's calls in the parent's file. */
    if ((int) getpid() == process && cushim__trace_write(trace, file, "CUSHIM_MOCK_TRACE"))
        fprintf(stderr, "cushim mock: CUSHIM_MOCK_TRACE: %s\n", cushim__error()->text);
}

__attribute__((constructor)) static void start_trace(void)
{
    static const struct cushim_hooks hooks = {.after = after};
    cushim__entry *const *table;
    int slot;

    file = cushim__env("CUSHIM_MOCK_TRACE");
    trace = file ? cushim__trace_new(NULL) : NULL;
    if (!trace || cushim__interpose(CUSHIM_LIBRARY_CUDA, mock__functions, &hooks, 1,
                                    "CUSHIM_MOCK_TRACE", &slot, &table))
        return;
    process = (int) getpid();
    CUSHIM__PUBLISH(mock__forward, table);
    atexit(write_at_exit);
}
