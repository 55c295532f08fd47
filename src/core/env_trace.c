/* SPDX-License-Identifier: MIT */
#include "core/env_trace.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "base/fork.h"
#include "base/log.h"
#include "base/status.h"
#include "interpose/interpose.h"
#include "interpose/trace.h"

/* Everything here is made once and kept: calls may come until the process is gone. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct cushim__trace *trace;
static char *file;
static int process;

/* One interposed table a library, however often it is opened. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct {
    const struct cushim__library *library;
    cushim__entry *const *table;
} traced[2 * CUSHIM_INTERPOSE_MAX];

CUSHIM__OPEN_IN_CHILD(mutex);

static void write_at_exit(void)
{
    /* A child of fork() has the parent's calls and would put them in the parent's file. */
    if ((int) getpid() != process)
        return;
    if (cushim__trace_write(trace, file, "CUSHIM_TRACE"))
        cushim__log(CUSHIM_LOG_ERROR, "CUSHIM_TRACE: %s", cushim__error()->text);
}

static void start(void)
{
    const char *path = cushim__env("CUSHIM_TRACE");

    file = path ? strdup(path) : NULL;
    trace = file ? cushim__trace_new(NULL) : NULL;
    process = (int) getpid();
    if (trace)
        atexit(write_at_exit);
}

static void after(struct cushim_call *call, void *user)
{
    (void) user;
    cushim__trace_record(trace, call);
}

/* Under the mutex. NULL, and a word in the log, if there is no room for another table. */
static cushim__entry *const *interpose(const struct cushim__library *library)
{
    static const struct cushim_hooks hooks = {.after = after};
    cushim__entry *const *table = NULL;
    size_t i = 0;
    int slot;

    for (; i < sizeof(traced) / sizeof(traced[0]) && traced[i].library; i++)
        if (traced[i].library == library)
            return traced[i].table;
    if (cushim__interpose(library->kind->id, library->table, &hooks, 1, "CUSHIM_TRACE", &slot,
                          &table)) {
        cushim__log(CUSHIM_LOG_WARNING, "CUSHIM_TRACE: %s is not traced: %s", library->path,
                    cushim__error()->text);
        return NULL;
    }
    traced[i].library = library;
    traced[i].table = table;
    return table;
}

cushim_status cushim__env_trace_create(const struct cushim__library *library, const char *label,
                                       const char *call, uint64_t *ret_id)
{
    cushim__entry *const *table = NULL;

    pthread_once(&once, start);
    if (trace) {
        pthread_mutex_lock(&mutex);
        table = interpose(library);
        pthread_mutex_unlock(&mutex);
    }
    return cushim__driver_create(library, table ? table : library->table, label, call, ret_id);
}
