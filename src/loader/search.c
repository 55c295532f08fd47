/* SPDX-License-Identifier: MIT */
#include "loader/search.h"

#include <string.h>

#include "base/env.h"
#include "base/log.h"
#include "base/util.h"
#include "loader/candidate.h"
#include "loader/mock.h"

static void try_path(const char *path, void *user)
{
    struct cushim__attempt *attempt = user;

    if (!attempt->library)
        cushim__try_path(attempt, path);
}

/*
 * Tries the usual places. A library that is already in the process comes first, because a second
 * copy of a driver would have a second state.
 */
static void try_usual(struct cushim__attempt *attempt)
{
    const struct cushim__kind *kind = attempt->kind;

    attempt->origin = CUSHIM_ORIGIN_PROCESS;
    for (size_t i = 0; kind->names[i] && !attempt->library; i++)
        cushim__try_loaded(attempt, kind->names[i]);
    attempt->origin = CUSHIM_ORIGIN_LINKER;
    for (size_t i = 0; kind->names[i] && !attempt->library; i++)
        cushim__try_name(attempt, kind->names[i]);
    attempt->origin = CUSHIM_ORIGIN_PLACE;
    kind->places(try_path, attempt);
}

/* The mock next to this library comes first, because it has the same version. */
static void try_mock(struct cushim__attempt *attempt)
{
    if (attempt->kind->id != CUSHIM_LIBRARY_CUDA) {
        cushim__try_nothing(attempt, "mock", CUSHIM_VERDICT_ABSENT,
                            cushim__arena_printf(&attempt->search_report->arena,
                                                 "there is no mock of %s", attempt->kind->noun));
        return;
    }
    cushim__mock_places(try_path, attempt);
    if (!attempt->library)
        cushim__try_name(attempt, CUSHIM__MOCK_NAME);
}

/* Tries one word of the list. Returns true if it ends the list: nothing after "none" is tried. */
static bool try_word(struct cushim__attempt *attempt, const char *word)
{
    const enum cushim_origin origin = attempt->origin;

    if (!strcmp(word, "none"))
        cushim__try_nothing(attempt, word, CUSHIM_VERDICT_DISABLED,
                            origin == CUSHIM_ORIGIN_ENVIRONMENT ? attempt->kind->variable
                                                                : "the program");
    else if (!strcmp(word, "auto"))
        try_usual(attempt);
    else if (!strcmp(word, "mock"))
        try_mock(attempt);
    else if (strchr(word, '/'))
        cushim__try_path(attempt, word);
    else
        cushim__try_name(attempt, word);
    attempt->origin = origin;
    return !strcmp(word, "none");
}

/* The list is copied, because strsep() changes it. Empty words are left out. */
static void try_words(struct cushim__attempt *attempt, const char *words)
{
    SCOPED_FREE char *copy = strdup(words);
    char *rest = copy, *word;

    if (!copy) {
        attempt->search_report->arena.failed = true;
        return;
    }
    while (!attempt->library && (word = strsep(&rest, ":")))
        if (*word && try_word(attempt, word))
            return;
}

struct cushim__library *cushim__search(const struct cushim__kind *kind,
                                       const struct cushim_open_params *params,
                                       struct cushim__search_report *search_report)
{
    struct cushim__attempt attempt = {.kind = kind, .search_report = search_report};
    const char *environment = cushim__env(kind->variable);

    /*
     * Only one source is used: what the program asks for replaces the environment, which replaces
     * the default.
     */
    if (params->resolver) {
        attempt.origin = CUSHIM_ORIGIN_RESOLVER;
        cushim__try_resolver(&attempt, params->resolver, params->resolver_user);
    } else if (params->library && *params->library) {
        attempt.origin = CUSHIM_ORIGIN_PARAMETER;
        try_words(&attempt, params->library);
    } else if (environment) {
        attempt.origin = CUSHIM_ORIGIN_ENVIRONMENT;
        try_words(&attempt, environment);
    } else {
        try_usual(&attempt);
    }
    if (attempt.library)
        cushim__search_report_chosen(search_report, attempt.library);
    return attempt.library;
}
