/* SPDX-License-Identifier: MIT */
#include "loader/open.h"

#include <pthread.h>
#include <unistd.h>

#include <cushim/rows.h>

#include "base/log.h"
#include "base/status.h"
#include "base/util.h"
#include "loader/missing.h"
#include "loader/mock.h"
#include "loader/search.h"

/*
 * Only one search runs at a time: two threads that look for the same library must get the same one,
 * and cuInit() is called once. The lock is recursive, because a library's constructor or a caller's
 * resolver may open a library itself.
 */
static pthread_mutex_t lock;

static void make_lock(void)
{
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

/*
 * A fork waits until no search runs, so that the list of libraries is complete in the child. A
 * thread may be here several times.
 */
static void before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void in_parent(void)
{
    pthread_mutex_unlock(&lock);
}

/* The thread has another id in the child, so it could not release the parent's lock. */
static void in_child(void)
{
    make_lock();
}

static void hold_across_forks(void)
{
    pthread_atfork(before_fork, in_parent, in_child);
}

static void initialise(void)
{
    make_lock();
    hold_across_forks();
}

/*
 * A driver may hold a lock across forks, too, and this one is taken before it. What is registered
 * later is called earlier before a fork, so it is registered again after a driver is loaded.
 */
static void hold_before(struct cushim__library *library)
{
    if (!library->held_before)
        hold_across_forks();
    library->held_before = true;
}

static cushim_status fail(struct cushim__search_report *search_report, cushim_status status,
                          const char *call, const char *label, const char *text)
{
    search_report->report.status = status;
    search_report->report.text = text;
    return cushim__fail_at(status, call, label, "%s", text);
}

/*
 * Reports that the driver cannot be used in a child of fork(): the child has a copy of the driver's
 * memory, but not its connection to the device.
 */
static cushim_status forked(struct cushim__search_report *search_report, const char *label,
                            int parent)
{
    return fail(search_report, CUSHIM_ERROR_FORKED, "cuInit", label,
                cushim__arena_printf(
                    &search_report->arena,
                    "process %d initialised the driver and then forked this one (%d). CUDA cannot "
                    "be used in such a child: fork first and open the driver afterwards, or exec",
                    parent, (int) getpid()));
}

static cushim_status init_failed(struct cushim__search_report *search_report, const char *label,
                                 const struct cushim__library *library, int result)
{
    enum { NOT_INITIALIZED = 3 };
    const char *why = cushim__mock_explains(library);

    /* The driver answers this if the parent initialised it without cushim. */
    if (result == NOT_INITIALIZED && library->loaded_by != (int) getpid())
        return forked(search_report, label, library->loaded_by);
    return fail(search_report, result, "cuInit", label,
                cushim__arena_printf(&search_report->arena, "%s: cuInit answers %d %s: %s",
                                     *library->path ? library->path : "resolver", result,
                                     cushim__status_name(result),
                                     why ? why : cushim__status_text(result)));
}

/*
 * Calls cuInit() once in each process. It must run under the lock, because two threads would
 * otherwise both find that the library is not initialised yet.
 */
static cushim_status init(struct cushim__search_report *search_report, const char *label,
                          struct cushim__library *library)
{
    const int process = (int) getpid();
    const int by = atomic_load(&library->initialised_by);
    const uint64_t start = cushim__now_ns();
    int result;

    if (by == process)
        return CUSHIM_OK;
    if (by)
        return forked(search_report, label, by);
    result = ((int (*)(unsigned)) library->table[CUSHIM_ROW_cuInit])(0);
    search_report->report.init_ns = cushim__now_ns() - start;
    if (result)
        return init_failed(search_report, label, library, result);
    /*
     * Only a success is noted, so that a later open tries again, for example after a device has
     * appeared.
     */
    atomic_store(&library->initialised_by, process);
    search_report->report.process = process;
    cushim__log(CUSHIM_LOG_INFO, "driver %s, CUDA %d.%d, %zu of %zu functions", library->path,
                library->version / 1000, library->version % 1000 / 10, library->found,
                library->kind->rows->count);
    return CUSHIM_OK;
}

static cushim_status load_locked(const struct cushim__kind *kind,
                                 const struct cushim_open_params *params, const char *call,
                                 struct cushim__search_report *search_report,
                                 struct cushim__library **ret_library)
{
    struct cushim__library *library = cushim__search(kind, params, search_report);
    const char *text = library ? "" : cushim__search_report_nothing(search_report, kind);

    if (search_report->arena.failed)
        return fail(search_report, CUSHIM_ERROR_NO_MEMORY, call, params->label,
                    "out of memory while looking for a library");
    if (!library) {
        /* Functions of a table that is not loaded answer with this text from now on. */
        cushim__missing_explain(kind->rows, text);
        return fail(search_report, kind->absent, call, params->label, text);
    }
    hold_before(library);
    if (kind->id == CUSHIM_LIBRARY_CUDA && !params->load_only)
        CUSHIM_TRY(init(search_report, params->label, library));
    *ret_library = library;
    return CUSHIM_OK;
}

cushim_status cushim__load(enum cushim_library id, const struct cushim_open_params *params,
                           const char *call, struct cushim__search_report *search_report,
                           struct cushim__library **ret_library)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const struct cushim__kind *kind = cushim__kind(id);
    const uint64_t start = cushim__now_ns();
    cushim_status status;

    /* POSIX has no static initialiser for a recursive lock. */
    pthread_once(&once, initialise);
    cushim__note_anchor();
    cushim__search_report_init(search_report, kind);
    pthread_mutex_lock(&lock);
    status = load_locked(kind, params, call, search_report, ret_library);
    pthread_mutex_unlock(&lock);
    search_report->report.total_ns = cushim__now_ns() - start;
    return status;
}
