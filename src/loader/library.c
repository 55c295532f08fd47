/* SPDX-License-Identifier: MIT */
#include "loader/library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/attention.h"
#include "base/status.h"
#include "base/util.h"
#include "loader/kind.h"
#include "loader/missing.h"

static _Atomic(struct cushim__library *) libraries;
static cushim__entry *closed_tables[CUSHIM__KINDS][CUSHIM__TABLE_ROWS];

const struct cushim__library *cushim__libraries(void)
{
    return atomic_load_explicit(&libraries, memory_order_acquire);
}

static void fill_closed_tables(void)
{
    for (size_t id = 0; id < ARRAY_SIZE(closed_tables); id++)
        for (size_t row = 0; row < CUSHIM__TABLE_ROWS; row++)
            closed_tables[id][row] = cushim__closed_entry(cushim__kind(id)->rows, row);
}

cushim__entry *const *cushim__closed_table(const struct cushim__kind *kind)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, fill_closed_tables);
    return closed_tables[kind->id];
}

cushim__entry *cushim__library_named(const struct cushim__library *library, const char *symbol)
{
    /* POSIX guarantees that a function's address can be converted to void * and back. */
    if (library->resolver)
        return (cushim__entry *) (intptr_t) library->resolver(symbol, library->resolver_user);
    return (cushim__entry *) (intptr_t) dlsym(library->handle, symbol);
}

cushim__entry *cushim__library_symbol(const struct cushim__library *library, size_t row)
{
    return cushim__library_named(library, cushim__row_symbol(library->kind->rows, row));
}

cushim__entry *cushim__library_function(const struct cushim__library *library, size_t row)
{
    cushim__entry *entry = cushim__library_symbol(library, row);

    return entry || !library->kind->look_up ? entry : library->kind->look_up(library, row);
}

/* --- fork() --- */

atomic_uint cushim__forked;

/* The list may be read: libraries are added to its front, and never removed. */
static void note_fork(void)
{
    bool used = false;

    for (const struct cushim__library *library = cushim__libraries(); library;
         library = library->next)
        used |= atomic_load(&library->initialised_by) != 0;
    if (used) {
        atomic_fetch_add(&cushim__forked, 1);
        atomic_fetch_add(&cushim__attention, 1);
    }
}

bool cushim__library_is_parents(const struct cushim__library *library)
{
    const int by = atomic_load(&library->initialised_by);

    return atomic_load_explicit(&cushim__forked, memory_order_relaxed) && by &&
           by != (int) getpid();
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, note_fork);
}

cushim_status cushim__fail_forked(const char *call)
{
    return cushim__fail_at(
        CUSHIM_ERROR_FORKED, call, NULL,
        "%s: this process was forked by one that had initialised the driver, and "
        "cannot use its objects: fork first and open the driver afterwards, or "
        "exec",
        call);
}

/* --- symbols --- */

void cushim__library_resolve(struct cushim__library *library)
{
    const struct cushim__kind *kind = library->kind;

    library->found = 0;
    for (size_t row = 0; row < CUSHIM__TABLE_ROWS; row++) {
        cushim__entry *entry = NULL;

        if (row < kind->rows->count)
            entry = cushim__library_function(library, row);
        library->has[row] = entry != NULL;
        library->found += entry != NULL;
        library->table[row] = entry ? entry : cushim__missing_entry(kind->rows, row);
    }
}

/*
 * Publishes a library. The caller holds the loader's lock, so there is only one writer of the list.
 */
void cushim__library_publish(struct cushim__library *library)
{
    library->next = atomic_load_explicit(&libraries, memory_order_relaxed);
    atomic_store_explicit(&libraries, library, memory_order_release);
}

void cushim__library_free(struct cushim__library *library)
{
    if (!library)
        return;
    free(library->path);
    free(library);
}

void *cushim__library_own_symbol(const struct cushim__library *library, const char *name)
{
    return library->handle ? dlsym(library->handle, name) : NULL;
}
