/* SPDX-License-Identifier: MIT */
/*
 * The mock's face: the exported functions jump through mock__forward. It leads straight to
 * the functions, or through hooks that the environment asks for, so that a program which knows
 * nothing of cushim can be traced, and meets faults:
 *
 *     CUSHIM_MOCK_TRACE=calls.json LD_LIBRARY_PATH=.../cushim ./program
 *     CUSHIM_MOCK_FAULTS='cuMemAlloc nth=2 result=out_of_memory' LD_LIBRARY_PATH=...
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/env.h"
#include "base/forward.h"
#include "base/status.h"
#include "interpose/fault.h"
#include "interpose/interpose.h"
#include "interpose/trace.h"
#include "mock/symbols.h"

enum { INVALID_VALUE = 1 }; /* CUDA_ERROR_INVALID_VALUE */

extern CUSHIM__HIDDEN cushim__forward mock__forward;
cushim__forward mock__forward = mock__functions;

/* Made once, when the library is loaded, and kept: calls may come until the process ends. */
static struct cushim__trace *trace;
static const char *file;
static int process;
static struct cushim__faults *faults;

static void record(struct cushim_call *call, void *user)
{
    (void) user;
    cushim__trace_record(trace, call);
}

static bool inject_before(struct cushim_call *call, void *user)
{
    (void) user;
    return cushim__faults_before(faults, call);
}

static void inject_after(struct cushim_call *call, void *user)
{
    (void) user;
    cushim__faults_after(faults, call);
}

/* Faults were asked for, and are not to be had. The program must not run as if it had met them. */
static bool refuse(struct cushim_call *call, void *user)
{
    (void) user;
    call->result = INVALID_VALUE;
    return call->row == CUSHIM_ROW_cuInit;
}

static void write_at_exit(void)
{
    /* A child of fork() would put its copy of the parent's calls in the parent's file. */
    if ((int) getpid() == process && cushim__trace_write(trace, file, "CUSHIM_MOCK_TRACE"))
        fprintf(stderr, "cushim mock: CUSHIM_MOCK_TRACE: %s\n", cushim__error()->text);
}

static struct cushim_hooks trace_hooks(const char *path)
{
    file = path;
    trace = cushim__trace_new(NULL);
    process = (int) getpid();
    if (trace)
        atexit(write_at_exit);
    return (struct cushim_hooks){.after = trace ? record : NULL};
}

static struct cushim_hooks fault_hooks(const char *rules)
{
    faults = cushim__faults_new(NULL);
    if (faults && !cushim__faults_read_variable(faults, "CUSHIM_MOCK_FAULTS", rules))
        return (struct cushim_hooks){.before = inject_before, .after = inject_after};
    fprintf(stderr, "cushim mock: %s\n",
            faults ? cushim__error()->text : "CUSHIM_MOCK_FAULTS: no memory for faults");
    return (struct cushim_hooks){.before = refuse};
}

/* The trace comes first, so that it sees what the program sees, faults included. */
__attribute__((constructor)) static void put_hooks(void)
{
    const char *path = cushim__env("CUSHIM_MOCK_TRACE"), *rules = cushim__env("CUSHIM_MOCK_FAULTS");
    struct cushim_hooks hooks[2];
    cushim__entry *const *table;
    size_t n = 0;
    int slot;

    if (path)
        hooks[n++] = trace_hooks(path);
    if (rules)
        hooks[n++] = fault_hooks(rules);
    if (!n)
        return;
    if (cushim__interpose(CUSHIM_LIBRARY_CUDA, mock__functions, hooks, n, "cushim mock", &slot,
                          &table)) {
        fprintf(stderr, "cushim mock: %s\n", cushim__error()->text);
        return;
    }
    CUSHIM__PUBLISH(mock__forward, table);
}
