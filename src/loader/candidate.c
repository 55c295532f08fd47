/* SPDX-License-Identifier: MIT */
#include "loader/candidate.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/linker/library_file.h"
#include "base/log.h"
#include "base/str.h"
#include "base/util.h"
#include "loader/verdict.h"

enum { STUB_LIBRARY = 34 }; /* CUDA_ERROR_STUB_LIBRARY */

static void decide(struct cushim_candidate *candidate, enum cushim_verdict verdict,
                   const char *detail)
{
    candidate->verdict = verdict;
    candidate->detail = detail;
    cushim__log(CUSHIM_LOG_DEBUG, "%s (%s): %s%s%s", candidate->name,
                cushim__origin_word(candidate->origin), cushim__verdict_word(verdict),
                *detail ? ", " : "", detail);
}

static const char *path_of(void *handle)
{
    struct link_map *map = NULL;

    return dlinfo(handle, RTLD_DI_LINKMAP, &map) || !map->l_name ? "" : map->l_name;
}

/* dlopen() returns the same handle for a library, however it was named. */
static struct cushim__library *known_library(const struct cushim__attempt *attempt, void *handle,
                                             cushim_resolver resolver, void *user)
{
    for (const struct cushim__library *l = cushim__libraries(); l; l = l->next)
        if (l->kind == attempt->kind && l->handle == handle && l->resolver == resolver &&
            l->resolver_user == user)
            return (struct cushim__library *) l;
    return NULL;
}

static bool rejected_before(const struct cushim__attempt *attempt,
                            const struct cushim_candidate *candidate)
{
    const struct cushim_report *report = &attempt->search_report->report;

    for (size_t i = 0; i < report->n_candidates; i++) {
        const struct cushim_candidate *c = report->candidates[i];

        if (c != candidate && *c->path && !strcmp(c->path, candidate->path))
            return true;
    }
    return false;
}

/*
 * Returns a sentence with the required functions that the library lacks, or NULL if it has them
 * all.
 */
static const char *required_missing(struct cushim__attempt *attempt,
                                    const struct cushim__library *library)
{
    const struct cushim__kind *kind = attempt->kind;
    SCOPED_STR names = {0};
    size_t lacking = 0;

    for (size_t i = 0; i < kind->n_required; i++)
        if (!cushim__library_function(library, kind->required[i]))
            cushim__str_append(&names, "%s%s", lacking++ ? ", " : "it lacks ",
                               cushim__row_symbol(kind->rows, kind->required[i]));
    if (names.failed)
        attempt->search_report->arena.failed = true;
    return lacking
               ? cushim__arena_printf(&attempt->search_report->arena, "%s", cushim__str_get(&names))
               : NULL;
}

static enum cushim_verdict ask_version(struct cushim__attempt *attempt,
                                       struct cushim__library *library, const char **ret_detail)
{
    const struct cushim__kind *kind = attempt->kind;
    const int result = kind->version(library, &library->version);

    if (result == STUB_LIBRARY) {
        *ret_detail = "the toolkit's stub, for linking only; it is not a driver";
        return CUSHIM_VERDICT_STUB;
    }
    if (result || library->version <= 0) {
        *ret_detail = cushim__arena_printf(
            &attempt->search_report->arena, "%s answers %d, version %d",
            cushim__row_symbol(kind->rows, kind->required[0]), result, library->version);
        return CUSHIM_VERDICT_INCOMPLETE;
    }
    return CUSHIM_VERDICT_CHOSEN;
}

static enum cushim_verdict examine(struct cushim__attempt *attempt, struct cushim__library *library,
                                   const char **ret_detail)
{
    const char *lacks;

    *ret_detail = "";
    /*
     * The drop-in library exports these functions, too. cushim would then call itself through it.
     */
    if (library->handle && dlsym(library->handle, "cushim__forwards")) {
        *ret_detail = "it leads back to this library";
        return CUSHIM_VERDICT_SELF;
    }
    lacks = required_missing(attempt, library);
    if (lacks) {
        *ret_detail = lacks;
        return CUSHIM_VERDICT_INCOMPLETE;
    }
    return ask_version(attempt, library, ret_detail);
}

static void choose(struct cushim__attempt *attempt, struct cushim_candidate *candidate,
                   struct cushim__library *library)
{
    candidate->version = library->version;
    candidate->found = library->found;
    attempt->library = library;
    decide(candidate, CUSHIM_VERDICT_CHOSEN, "");
}

static void adopt(struct cushim__attempt *attempt, struct cushim_candidate *candidate,
                  struct cushim__library *library)
{
    const uint64_t start = cushim__now_ns();

    cushim__library_resolve(library);
    library->loaded_by = (int) getpid();
    if (attempt->kind->accepted)
        attempt->kind->accepted(library);
    cushim__library_publish(library);
    attempt->search_report->report.resolve_ns += cushim__now_ns() - start;
    choose(attempt, candidate, library);
}

/* Examines a library that is not known yet. Returns true if it was adopted. */
static bool consider(struct cushim__attempt *attempt, struct cushim_candidate *candidate,
                     void *handle, cushim_resolver resolver, void *user)
{
    struct cushim__library *library = calloc(1, sizeof(*library));
    enum cushim_verdict verdict;
    const char *detail;

    if (library)
        library->path = strdup(candidate->path);
    /* An adopted library stays for ever, so its path must be complete. */
    if (!library || !library->path || attempt->search_report->arena.failed) {
        cushim__library_free(library);
        attempt->search_report->arena.failed = true;
        return false;
    }
    library->kind = attempt->kind;
    library->handle = handle;
    library->resolver = resolver;
    library->resolver_user = user;
    verdict = examine(attempt, library, &detail);
    if (verdict == CUSHIM_VERDICT_CHOSEN) {
        adopt(attempt, candidate, library);
        return true;
    }
    candidate->version = library->version;
    cushim__library_free(library);
    decide(candidate, verdict, detail);
    return false;
}

/* Takes over a handle of dlopen(): keeps it with a new library, or closes it. */
static void take(struct cushim__attempt *attempt, struct cushim_candidate *candidate, void *handle)
{
    struct cushim__library *known = known_library(attempt, handle, NULL, NULL);

    candidate->path = cushim__arena_printf(&attempt->search_report->arena, "%s", path_of(handle));
    if (known)
        choose(attempt, candidate, known);
    else if (rejected_before(attempt, candidate))
        decide(candidate, CUSHIM_VERDICT_REPEATED, "");
    else if (consider(attempt, candidate, handle, NULL, NULL))
        return;
    /* If a rejected library stayed open, every later search for its name would find it. */
    dlclose(handle);
}

static void *load(struct cushim__attempt *attempt, const char *name, int flags)
{
    const uint64_t start = cushim__now_ns();
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL | flags);

    attempt->search_report->report.load_ns += cushim__now_ns() - start;
    return handle;
}

/* Explains why dlopen() failed. The file often shows the reason better than dlerror() tells it. */
static void explain(struct cushim__attempt *attempt, struct cushim_candidate *candidate,
                    const char *error)
{
    struct cushim__arena *arena = &attempt->search_report->arena;
    const char *colon = strstr(error, ": ");
    const int length = colon ? (int) (colon - error) : 0;
    const char *file = cushim__arena_printf(arena, "%.*s", length, error);
    const char *text = cushim__arena_printf(arena, "%s", error);
    struct cushim__library_file library = {CUSHIM__LIBRARY_FITS, file, ""};

    if (!strcmp(file, candidate->name) && strstr(error, "No such file")) {
        decide(candidate, CUSHIM_VERDICT_ABSENT, text);
        return;
    }
    if (strchr(file, '/')) {
        candidate->path = file;
        library = cushim__library_file_at(file, arena);
    }
    if (library.state == CUSHIM__LIBRARY_FITS || library.state == CUSHIM__LIBRARY_ABSENT)
        decide(candidate, CUSHIM_VERDICT_LOAD_FAILED, text);
    else
        decide(candidate, cushim__verdict_of(library.state), library.why);
}

static void open_candidate(struct cushim__attempt *attempt, struct cushim_candidate *candidate)
{
    void *handle = load(attempt, candidate->name, 0);

    if (handle)
        take(attempt, candidate, handle);
    else
        explain(attempt, candidate, dlerror());
}

/* Opens the library unless its file is bad. */
static void open_fitting(struct cushim__attempt *attempt, struct cushim_candidate *candidate,
                         const struct cushim__library_file *file)
{
    if (file->state == CUSHIM__LIBRARY_FITS) {
        open_candidate(attempt, candidate);
        return;
    }
    candidate->path = file->path;
    decide(candidate, cushim__verdict_of(file->state), file->why);
}

void cushim__try_path(struct cushim__attempt *attempt, const char *path)
{
    struct cushim_candidate *candidate =
        cushim__search_report_add(attempt->search_report, path, attempt->origin);
    struct cushim__library_file file;

    if (!candidate)
        return;
    candidate->path = candidate->name;
    file = cushim__library_file_at(candidate->name, &attempt->search_report->arena);
    open_fitting(attempt, candidate, &file);
}

void cushim__try_name(struct cushim__attempt *attempt, const char *name)
{
    struct cushim_candidate *candidate =
        cushim__search_report_add(attempt->search_report, name, attempt->origin);
    struct cushim__library_file file = {CUSHIM__LIBRARY_FITS, "", ""};

    if (!candidate)
        return;
    if (!cushim__library_is_loaded(name))
        file = cushim__library_file_named(name, &attempt->search_report->arena);
    open_fitting(attempt, candidate, &file);
}

void cushim__try_loaded(struct cushim__attempt *attempt, const char *name)
{
    struct cushim_candidate *candidate =
        cushim__search_report_add(attempt->search_report, name, attempt->origin);
    void *handle;

    if (!candidate)
        return;
    /* RTLD_NOLOAD alone would open files to find out which library has that name. */
    handle = cushim__library_is_loaded(name) ? load(attempt, name, RTLD_NOLOAD) : NULL;
    if (handle)
        take(attempt, candidate, handle);
    else
        decide(candidate, CUSHIM_VERDICT_ABSENT, "");
}

void cushim__try_resolver(struct cushim__attempt *attempt, cushim_resolver resolver, void *user)
{
    struct cushim_candidate *candidate =
        cushim__search_report_add(attempt->search_report, "resolver", attempt->origin);
    struct cushim__library *known;

    if (!candidate)
        return;
    known = known_library(attempt, NULL, resolver, user);
    if (known)
        choose(attempt, candidate, known);
    else
        consider(attempt, candidate, NULL, resolver, user);
}

void cushim__try_nothing(struct cushim__attempt *attempt, const char *name,
                         enum cushim_verdict verdict, const char *detail)
{
    struct cushim_candidate *candidate =
        cushim__search_report_add(attempt->search_report, name, attempt->origin);

    if (candidate)
        decide(candidate, verdict, detail);
}
