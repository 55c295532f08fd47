/* SPDX-License-Identifier: MIT */
/*
 * Writes a trace in the Trace Event Format: one complete event ("X") for each call, with times in
 * microseconds. Names are identifiers, so they contain nothing that must be escaped; notes are
 * escaped by who has made them.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/status.h"
#include "base/str.h"
#include "base/util.h"
#include "interpose/lists.h"
#include "interpose/note.h"
#include "interpose/trace.h"

static void write_call(FILE *file, const struct cushim__traced *entry)
{
    const struct cushim_traced_call *call = &entry->call;
    const struct cushim__list *list = &cushim__lists[call->library];
    const char *result = list->result_name(call->result);

    fprintf(file,
            ",\n{\"ph\":\"X\",\"name\":\"%s\",\"cat\":\"%s\",\"pid\":%d,\"tid\":%" PRIu64
            ",\"ts\":%" PRIu64 ".%03u,\"dur\":%" PRIu64 ".%03u,"
            "\"args\":{\"result\":%d,\"name\":\"%s\",\"answered by a hook\":%s%s%s}}",
            call->name, list->word, (int) getpid(), call->thread, call->start_ns / 1000,
            (unsigned) (call->start_ns % 1000), call->duration_ns / 1000,
            (unsigned) (call->duration_ns % 1000), call->result, result ? result : "unknown",
            call->answered ? "true" : "false", entry->note ? "," : "",
            entry->note ? entry->note->text : "");
}

static void write_events(FILE *file, struct cushim__trace *trace)
{
    struct cushim__traced entries[64];
    size_t first = 0, n;

    /* A metadata event comes first, so that every other event can begin with a comma. */
    fprintf(file,
            "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
            "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"tid\":0,"
            "\"args\":{\"name\":\"CUDA calls of process %d\"}}",
            (int) getpid(), (int) getpid());
    while ((n = cushim__trace_entries(trace, first, entries, ARRAY_SIZE(entries)))) {
        for (size_t i = 0; i < n; i++) {
            write_call(file, &entries[i]);
            cushim__note_unref(entries[i].note);
        }
        first += n;
    }
    fputs("\n]}\n", file);
}

static cushim_status refuse(const char *call, const char *path, const char *why)
{
    return cushim__fail_at(CUSHIM_ERROR_SYSTEM, call, NULL, "%s: %s", path, why);
}

/* Writes all events and closes the file. Returns 0 or an error number. */
static int write_file(FILE *file, struct cushim__trace *trace)
{
    int error;

    write_events(file, trace);
    error = ferror(file) ? EIO : 0;
    if (fclose(file) && !error)
        error = errno;
    return error;
}

/*
 * Writes a new file and then renames it, so that a reader never sees a half-written one. The
 * thread's id is part of its name, so that two threads can write the same path at the same time.
 * The new file is made here: nobody else's file, and no link, is written to.
 */
static cushim_status replace_file(struct cushim__trace *trace, const char *path, const char *call)
{
    SCOPED_STR beside = {0};
    FILE *file;
    int error;

    cushim__str_append(&beside, "%s.%ld.part", path, syscall(SYS_gettid));
    if (beside.failed)
        return refuse(call, path, strerror(ENOMEM));
    unlink(beside.text); /* of a process that ended while it wrote */
    file = fopen(beside.text, "wxe");
    if (!file)
        return refuse(call, path, strerror(errno));
    error = write_file(file, trace);
    if (!error && rename(beside.text, path))
        error = errno;
    if (!error)
        return CUSHIM_OK;
    unlink(beside.text);
    return refuse(call, path, strerror(error));
}

/* Replaces the file that a path leads to, perhaps through symbolic links, which stay. */
static cushim_status replace_linked(struct cushim__trace *trace, const char *path, const char *call)
{
    char *file = realpath(path, NULL);
    const cushim_status status =
        file ? replace_file(trace, file, call) : refuse(call, path, strerror(errno));

    free(file);
    return status;
}

/*
 * Writes to a terminal, a pipe or another file that is not replaced. A pipe without a reader is
 * refused, because the program may end here and must not wait for one.
 */
static cushim_status write_through(struct cushim__trace *trace, const char *path, const char *call)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    FILE *file;
    int error;

    if (fd < 0)
        return refuse(call, path,
                      errno == ENXIO ? "it is a pipe that nothing reads" : strerror(errno));
    fcntl(fd, F_SETFL, O_WRONLY);
    file = fdopen(fd, "w");
    error = errno;
    if (file)
        error = write_file(file, trace);
    else
        close(fd);
    return error ? refuse(call, path, strerror(error)) : CUSHIM_OK;
}

cushim_status cushim__trace_write(struct cushim__trace *trace, const char *path, const char *call)
{
    struct stat info, link;

    if (!*path)
        return cushim__fail_at(CUSHIM_ERROR_SYSTEM, call, NULL, "%s: the path is empty", call);
    if (stat(path, &info)) {
        if (errno != ENOENT)
            return refuse(call, path, strerror(errno));
        if (!lstat(path, &link))
            return refuse(call, path, "it is a symbolic link that leads to no file");
        return replace_file(trace, path, call);
    }
    switch (info.st_mode & S_IFMT) {
    case S_IFREG:
        return replace_linked(trace, path, call);
    case S_IFCHR:
    case S_IFIFO:
        return write_through(trace, path, call);
    case S_IFDIR:
        return refuse(call, path, strerror(EISDIR));
    default:
        return refuse(call, path, "it is neither a regular file, a terminal nor a pipe");
    }
}
