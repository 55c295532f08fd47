/* SPDX-License-Identifier: MIT */
/*
 * Writes a trace in the Trace Event Format: one complete event ("X") for each call, with times in
 * microseconds. Names are identifiers, so they contain nothing that must be escaped.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/status.h"
#include "base/str.h"
#include "base/util.h"
#include "interpose/trace.h"

static void write_call(FILE *file, const struct cushim_traced_call *call)
{
    const bool cuda = call->library == CUSHIM_LIBRARY_CUDA;
    const char *result =
        cuda ? cushim__cuda_result_name(call->result) : cushim__nvrtc_result_name(call->result);

    fprintf(file,
            ",\n{\"ph\":\"X\",\"name\":\"%s\",\"cat\":\"%s\",\"pid\":%d,\"tid\":%" PRIu64
            ",\"ts\":%" PRIu64 ".%03u,\"dur\":%" PRIu64 ".%03u,"
            "\"args\":{\"result\":%d,\"name\":\"%s\",\"answered by a hook\":%s}}",
            call->name, cuda ? "cuda" : "nvrtc", (int) getpid(), call->thread,
            call->start_ns / 1000, (unsigned) (call->start_ns % 1000), call->duration_ns / 1000,
            (unsigned) (call->duration_ns % 1000), call->result, result ? result : "unknown",
            call->answered ? "true" : "false");
}

static void write_events(FILE *file, struct cushim__trace *trace)
{
    struct cushim_traced_call calls[64];
    size_t first = 0, available;

    /* A metadata event comes first, so that every other event can begin with a comma. */
    fprintf(file,
            "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
            "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"tid\":0,"
            "\"args\":{\"name\":\"CUDA calls of process %d\"}}",
            (int) getpid(), (int) getpid());
    while ((available = cushim__trace_calls(trace, first, calls, ARRAY_SIZE(calls)))) {
        const size_t n = available < ARRAY_SIZE(calls) ? available : ARRAY_SIZE(calls);

        for (size_t i = 0; i < n; i++)
            write_call(file, &calls[i]);
        first += n;
    }
    fputs("\n]}\n", file);
}

static cushim_status refuse(const char *call, const char *path, int error)
{
    return cushim__fail_at(CUSHIM_ERROR_SYSTEM, call, NULL, "%s: %s", path, strerror(error));
}

/*
 * Writes a new file and then renames it, so that a reader never sees a half-written one. The
 * thread's id is part of its name, so that two threads can write the same path at the same time.
 */
cushim_status cushim__trace_write(struct cushim__trace *trace, const char *path, const char *call)
{
    SCOPED_STR beside = {0};
    FILE *file;
    int error;

    cushim__str_append(&beside, "%s.%ld.part", path, syscall(SYS_gettid));
    if (beside.failed)
        return refuse(call, path, ENOMEM);
    file = fopen(beside.text, "we");
    if (!file)
        return refuse(call, path, errno);
    write_events(file, trace);
    error = ferror(file) ? EIO : 0;
    if (fclose(file) && !error)
        error = errno;
    if (!error && rename(beside.text, path))
        error = errno;
    if (!error)
        return CUSHIM_OK;
    unlink(beside.text);
    return refuse(call, path, error);
}
