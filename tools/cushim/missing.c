/* SPDX-License-Identifier: MIT */
#include "missing.h"

#include <stdlib.h>
#include <string.h>

#include "util.h"

enum { N_EXAMPLES = 3 };

const char *missing_reason_word(enum missing_reason reason)
{
    static const char *const words[N_MISSING_REASONS] = {
        [MISSING_NEWER] = "newer",
        [MISSING_REMOVED] = "removed",
        [MISSING_LACKING] = "lacking",
    };
    return words[reason];
}

enum missing_reason missing_reason_of(const struct cushim_report *report,
                                      const struct cushim_missing *missing)
{
    if (missing->until && report->version >= missing->until)
        return MISSING_REMOVED;
    return missing->since > report->version ? MISSING_NEWER : MISSING_LACKING;
}

/*
 * Compares by version. The functions are elements of one array, so those of the same version keep
 * their order.
 */
static int compare(const void *left, const void *right)
{
    const struct cushim_missing *a = *(const struct cushim_missing *const *) left;
    const struct cushim_missing *b = *(const struct cushim_missing *const *) right;
    if (a->since != b->since)
        return a->since < b->since ? -1 : 1;
    return a < b ? -1 : a > b;
}

void missing_group_init(struct missing_group *group, const struct cushim_report *report,
                        enum missing_reason reason)
{
    group->functions = must_calloc(report->n_missing, sizeof(*group->functions));
    group->n = 0;
    for (size_t i = 0; i < report->n_missing; i++)
        if (missing_reason_of(report, &report->missing[i]) == reason)
            group->functions[group->n++] = &report->missing[i];
    qsort(group->functions, group->n, sizeof(*group->functions), compare);
}

void missing_group_finish(struct missing_group *group)
{
    free(group->functions);
    *group = (struct missing_group){0};
}

char *missing_group_title(const struct missing_group *group, const struct cushim_report *report,
                          enum missing_reason reason)
{
    const char *noun = group->n == 1 ? "function" : "functions";
    const int first = group->functions[0]->since;
    const int last = group->functions[group->n - 1]->since;

    switch (reason) {
    case MISSING_NEWER:
        return format("%zu %s of CUDA %d.%d%s", group->n, noun, first / 1000, first % 1000 / 10,
                      first == last ? "" : " and later");
    case MISSING_REMOVED:
        return format("%zu %s that CUDA has taken out again", group->n, noun);
    default:
        return format("%zu %s that other libraries of CUDA %d.%d have", group->n, noun,
                      report->version / 1000, report->version % 1000 / 10);
    }
}

/*
 * Tells whether this is a variant for per-thread default streams. Such variants are not listed,
 * because the function itself is.
 */
static int is_variant(const char *symbol)
{
    const size_t length = strlen(symbol);
    return length > 5 &&
           (strcmp(symbol + length - 5, "_ptds") == 0 || strcmp(symbol + length - 5, "_ptsz") == 0);
}

char *missing_group_examples(const struct missing_group *group)
{
    char *examples = format("%s", "");
    int found = 0;
    for (size_t i = 0; i < group->n && found < N_EXAMPLES; i++) {
        const char *symbol = group->functions[i]->symbol;
        if (is_variant(symbol) && group->n > N_EXAMPLES)
            continue;
        char *longer = format("%s%s%s", examples, found++ ? ", " : "", symbol);
        free(examples);
        examples = longer;
    }
    return examples;
}
