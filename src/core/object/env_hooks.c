/* SPDX-License-Identifier: MIT */
/*
 * Hooks that the environment asks for. The trace comes before the faults, so that it sees what the
 * program sees.
 */
#include "core/object/env_hooks.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "base/fork.h"
#include "base/log.h"
#include "base/status.h"
#include "interpose/fault.h"
#include "interpose/interpose.h"
#include "interpose/lists.h"
#include "interpose/trace.h"
#include "loader/open.h"

/* All of this is made once and never freed, because calls may come until the process ends. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct cushim__trace *trace;
static char *file;
static int process;
static struct cushim__faults *faults;
static struct cushim__error refusal; /* why there are no faults, although the environment asks
                                        for them */

/* Each library has one interposed table, however often it is opened. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct {
    const struct cushim__library *library;
    cushim__entry *const *table;
} hooked[CUSHIM__LISTS * CUSHIM_INTERPOSE_MAX];

CUSHIM__OPEN_IN_CHILD(mutex);

static void write_at_exit(void)
{
    /*
     * A child of fork() has a copy of the parent's calls, and must not write them to the parent's
     * file.
     */
    if ((int) getpid() != process)
        return;
    if (cushim__trace_write(trace, file, "CUSHIM_TRACE"))
        cushim__log(CUSHIM_LOG_ERROR, "CUSHIM_TRACE: %s", cushim__error()->text);
}

static void start_trace(const char *path)
{
    file = strdup(path);
    trace = file ? cushim__trace_new(NULL) : NULL;
    process = (int) getpid();
    if (trace)
        atexit(write_at_exit);
}

/*
 * A mistake in the rules is reported by the call that opens a driver. Until then the thread's last
 * error must not change.
 */
static void start_faults(const char *rules)
{
    const struct cushim__error before = *cushim__error();

    faults = cushim__faults_new(NULL);
    if (!faults)
        cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, "CUSHIM_FAULTS", NULL, "no memory for faults");
    else if (!cushim__faults_read_variable(faults, "CUSHIM_FAULTS", rules))
        return;
    refusal = *cushim__error();
    *cushim__error() = before;
}

static void start(void)
{
    const char *path = cushim__env("CUSHIM_TRACE"), *rules = cushim__env("CUSHIM_FAULTS");

    if (path)
        start_trace(path);
    if (rules)
        start_faults(rules);
}

static cushim_status put_hooks(const struct cushim__library *library, const char *call,
                               cushim__entry *const **ret_table)
{
    struct cushim_hooks hooks[2];
    size_t n = 0;
    int slot;

    if (trace)
        hooks[n++] = cushim__trace_hooks(trace);
    if (faults)
        hooks[n++] = cushim__faults_hooks(faults);
    return cushim__interpose(
        &(struct cushim__interposition){library->kind->id, library->table, hooks, n}, call, &slot,
        ret_table);
}

/*
 * Under the mutex. A trace that cannot be made is only logged. Faults that cannot be made are an
 * error, because a test would otherwise pass without them.
 */
static cushim_status interpose(const struct cushim__library *library, const char *call,
                               cushim__entry *const **ret_table)
{
    cushim__entry *const *table = NULL;
    cushim_status status;
    size_t i = 0;

    for (; i < sizeof(hooked) / sizeof(hooked[0]) && hooked[i].library; i++)
        if (hooked[i].library == library) {
            *ret_table = hooked[i].table;
            return CUSHIM_OK;
        }
    status = put_hooks(library, call, &table);
    if (status && faults)
        return status;
    if (status) {
        cushim__log(CUSHIM_LOG_WARNING, "CUSHIM_TRACE: %s is not traced: %s", library->path,
                    cushim__error()->text);
        return CUSHIM_OK;
    }
    hooked[i].library = library;
    hooked[i].table = table;
    *ret_table = table;
    return CUSHIM_OK;
}

cushim_status cushim__env_hooks_create(const struct cushim__library *library, const char *label,
                                       const char *call, uint64_t *ret_id)
{
    cushim__entry *const *table = library->table;
    cushim_status status = CUSHIM_OK;

    pthread_once(&once, start);
    if (refusal.status)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, label, "%s", refusal.text);
    if (trace || faults) {
        pthread_mutex_lock(&mutex);
        status = interpose(library, call, &table);
        pthread_mutex_unlock(&mutex);
    }
    return status ? status : cushim__driver_create(library, table, label, call, ret_id);
}

cushim_status cushim__driver_open(enum cushim_library id, const struct cushim_open_params *params,
                                  const char *call, uint64_t *ret_id)
{
    struct cushim__library *library = NULL;
    struct cushim__search_report search_report;
    cushim_status status;

    status = cushim__load(id, params, call, &search_report, &library);
    cushim__search_report_finish(&search_report);
    if (status)
        return status;
    return cushim__env_hooks_create(library, params->label, call, ret_id);
}
