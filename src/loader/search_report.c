/* SPDX-License-Identifier: MIT */
#include "loader/search_report.h"

#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "base/str.h"
#include "base/util.h"

const char *cushim__verdict_word(enum cushim_verdict verdict)
{
#define WORD_CASE(name, value, word)                                                               \
    case name:                                                                                     \
        return word;
    switch (verdict) {
        CUSHIM_VERDICT_MAP(WORD_CASE)
    }
    return "unknown";
}

const char *cushim__origin_word(enum cushim_origin origin)
{
    switch (origin) {
        CUSHIM_ORIGIN_MAP(WORD_CASE)
    }
    return "unknown";
}

void cushim__search_report_init(struct cushim__search_report *search_report,
                                const struct cushim__kind *kind)
{
    *search_report = (struct cushim__search_report){
        .report = {.library = kind->id, .text = "", .rows = kind->rows->count},
    };
}

void cushim__search_report_finish(struct cushim__search_report *search_report)
{
    free(search_report->candidates);
    cushim__arena_finish(&search_report->arena);
}

struct cushim_candidate *cushim__search_report_add(struct cushim__search_report *search_report,
                                                   const char *name, enum cushim_origin origin)
{
    struct cushim_report *report = &search_report->report;
    struct cushim_candidate *candidate =
        cushim__arena_alloc(&search_report->arena, sizeof(*candidate));

    if (candidate && report->n_candidates == search_report->capacity) {
        const size_t capacity = search_report->capacity ? 2 * search_report->capacity : 16;
        struct cushim_candidate **more =
            realloc(search_report->candidates, capacity * sizeof(search_report->candidates[0]));

        if (!more) {
            search_report->arena.failed = true;
            return NULL;
        }
        search_report->candidates = more;
        search_report->capacity = capacity;
        report->candidates = (const struct cushim_candidate *const *) more;
    }
    if (!candidate)
        return NULL;
    candidate->name = cushim__arena_printf(&search_report->arena, "%s", name);
    candidate->path = candidate->detail = "";
    candidate->origin = origin;
    search_report->candidates[report->n_candidates++] = candidate;
    return candidate;
}

static void list_missing(struct cushim__search_report *search_report,
                         const struct cushim__library *library)
{
    const struct cushim__rows *rows = library->kind->rows;
    const size_t n = rows->count - library->found;
    struct cushim_missing *missing =
        cushim__arena_alloc(&search_report->arena, n * sizeof(*missing));

    if (!missing)
        return;
    search_report->report.missing = missing;
    for (size_t row = 0; row < rows->count; row++)
        if (!library->has[row])
            missing[search_report->report.n_missing++] = (struct cushim_missing){
                .symbol = cushim__row_symbol(rows, row),
                .since = rows->rows[row].since,
                .until = rows->rows[row].until,
            };
}

void cushim__search_report_chosen(struct cushim__search_report *search_report,
                                  const struct cushim__library *library)
{
    struct cushim_report *report = &search_report->report;

    /* The chosen candidate is the last one, because the search ends with it. */
    report->chosen = report->n_candidates ? report->candidates[report->n_candidates - 1] : NULL;
    report->version = library->version;
    report->found = library->found;
    report->process = atomic_load(&library->initialised_by);
    list_missing(search_report, library);
}

/* Says what a variable of the environment asked for, if it is the reason for the search. */
static void name_variable(const struct cushim_report *report, const char *variable,
                          struct cushim__str *text)
{
    const char *value = cushim__env(variable);

    for (size_t i = 0; value && i < report->n_candidates; i++) {
        const struct cushim_candidate *c = report->candidates[i];

        if (c->origin == CUSHIM_ORIGIN_ENVIRONMENT && c->verdict != CUSHIM_VERDICT_DISABLED) {
            cushim__str_append(text, " %s is '%s'.", variable, value);
            return;
        }
    }
}

/* The dynamic linker's messages begin with the name, which the clause has already. */
static const char *without_name(const char *detail, const char *name)
{
    const size_t length = strlen(name);

    return !strncmp(detail, name, length) && !strncmp(detail + length, ": ", 2)
               ? detail + length + 2
               : detail;
}

/* Makes one clause for each candidate. Places without a file are only counted. */
const char *cushim__search_report_nothing(struct cushim__search_report *search_report,
                                          const struct cushim__kind *kind)
{
    const struct cushim_report *report = &search_report->report;
    SCOPED_STR text = {0};
    size_t absent = 0;

    cushim__str_append(&text, "no %s found.", kind->noun);
    name_variable(report, kind->variable, &text);
    for (size_t i = 0; i < report->n_candidates; i++) {
        const struct cushim_candidate *c = report->candidates[i];

        if (c->origin == CUSHIM_ORIGIN_PROCESS && c->verdict == CUSHIM_VERDICT_ABSENT)
            continue;
        if (c->origin == CUSHIM_ORIGIN_PLACE && c->verdict == CUSHIM_VERDICT_ABSENT) {
            absent++;
            continue;
        }
        if (c->verdict == CUSHIM_VERDICT_DISABLED)
            cushim__str_append(&text, " disabled by %s;", c->detail);
        else if (c->verdict == CUSHIM_VERDICT_ABSENT && c->origin == CUSHIM_ORIGIN_LINKER)
            cushim__str_append(&text, " %s: not in the library path;", c->name);
        else
            cushim__str_append(&text, " %s: %s%s%s;", *c->path ? c->path : c->name,
                               cushim__verdict_word(c->verdict), *c->detail ? ", " : "",
                               without_name(c->detail, c->name));
    }
    if (absent)
        cushim__str_append(&text, " %zu usual places: absent;", absent);
    if (text.length && text.text[text.length - 1] == ';')
        text.text[text.length - 1] = '.';
    cushim__str_append(&text, " See `cushim info`.");
    if (text.failed)
        search_report->arena.failed = true;
    return cushim__arena_printf(&search_report->arena, "%s", cushim__str_get(&text));
}
