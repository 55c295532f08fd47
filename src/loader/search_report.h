/* SPDX-License-Identifier: MIT */
/*
 * The report of one search while it is being written: a cushim_report, and the memory of its parts.
 */
#ifndef CUSHIM_LOADER_SEARCH_REPORT_H
#define CUSHIM_LOADER_SEARCH_REPORT_H

#include <cushim/report.h>

#include "base/arena.h"
#include "loader/library.h"

struct cushim__search_report {
    struct cushim_report report; /* first, so that both have the same address */
    struct cushim__arena arena;
    struct cushim_candidate **candidates;
    size_t capacity;
};

void cushim__search_report_init(struct cushim__search_report *search_report,
                                const struct cushim__kind *kind);
void cushim__search_report_finish(struct cushim__search_report *search_report);

/* Adds a candidate, which the caller fills in. NULL when out of memory. */
struct cushim_candidate *cushim__search_report_add(struct cushim__search_report *search_report,
                                                   const char *name, enum cushim_origin origin);

/* Writes the properties of the chosen library. */
void cushim__search_report_chosen(struct cushim__search_report *search_report,
                                  const struct cushim__library *library);

/* Returns the sentence for a search that found no library. */
const char *cushim__search_report_nothing(struct cushim__search_report *search_report,
                                          const struct cushim__kind *kind);

const char *cushim__verdict_word(enum cushim_verdict verdict);
const char *cushim__origin_word(enum cushim_origin origin);

#endif
