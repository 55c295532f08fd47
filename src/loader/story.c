/* SPDX-License-Identifier: MIT */
#include "loader/story.h"

#include <stdlib.h>
#include <string.h>

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

void cushim__story_init(struct cushim__story *story, const struct cushim__kind *kind)
{
    *story = (struct cushim__story){
        .report = {.library = kind->id, .text = "", .rows = kind->rows->count},
    };
}

void cushim__story_finish(struct cushim__story *story)
{
    free(story->candidates);
    cushim__arena_finish(&story->arena);
}

struct cushim_candidate *cushim__story_add(struct cushim__story *story, const char *name,
                                           enum cushim_origin origin)
{
    struct cushim_report *report = &story->report;
    struct cushim_candidate *candidate = cushim__arena_alloc(&story->arena, sizeof(*candidate));

    if (candidate && report->n_candidates == story->capacity) {
        const size_t capacity = story->capacity ? 2 * story->capacity : 16;
        struct cushim_candidate **more =
            realloc(story->candidates, capacity * sizeof(story->candidates[0]));

        if (!more) {
            story->arena.failed = true;
            return NULL;
        }
        story->candidates = more;
        story->capacity = capacity;
        report->candidates = (const struct cushim_candidate *const *) more;
    }
    if (!candidate)
        return NULL;
    candidate->name = cushim__arena_printf(&story->arena, "%s", name);
    candidate->path = candidate->detail = "";
    candidate->origin = origin;
    story->candidates[report->n_candidates++] = candidate;
    return candidate;
}

static void list_missing(struct cushim__story *story, const struct cushim__library *library)
{
    const struct cushim__rows *rows = library->kind->rows;
    const size_t n = rows->count - library->found;
    struct cushim_missing *missing = cushim__arena_alloc(&story->arena, n * sizeof(*missing));

    if (!missing)
        return;
    story->report.missing = missing;
    for (size_t row = 0; row < rows->count; row++)
        if (!library->has[row])
            missing[story->report.n_missing++] = (struct cushim_missing){
                .symbol = cushim__row_symbol(rows, row),
                .since = rows->rows[row].since,
                .until = rows->rows[row].until,
            };
}

void cushim__story_chosen(struct cushim__story *story, const struct cushim__library *library)
{
    struct cushim_report *report = &story->report;

    /* The search ends with the candidate that it chooses. */
    report->chosen = report->n_candidates ? report->candidates[report->n_candidates - 1] : NULL;
    report->version = library->version;
    report->found = library->found;
    report->process = atomic_load(&library->initialised_by);
    list_missing(story, library);
}

/* One clause a candidate; places where there is nothing are only counted. */
const char *cushim__story_nothing(struct cushim__story *story, const struct cushim__kind *kind)
{
    const struct cushim_report *report = &story->report;
    SCOPED_STR text = {0};
    size_t absent = 0;

    cushim__str_append(&text, "no %s found.", kind->noun);
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
                               cushim__verdict_word(c->verdict), *c->detail ? ", " : "", c->detail);
    }
    if (absent)
        cushim__str_append(&text, " %zu usual places: absent;", absent);
    if (text.length && text.text[text.length - 1] == ';')
        text.text[text.length - 1] = '.';
    cushim__str_append(&text, " See `cushim info`.");
    if (text.failed)
        story->arena.failed = true;
    return cushim__arena_printf(&story->arena, "%s", cushim__str_get(&text));
}
