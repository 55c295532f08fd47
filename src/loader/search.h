/* SPDX-License-Identifier: MIT */
/* The search: which candidates are tried, and in which order. */
#ifndef CUSHIM_LOADER_SEARCH_H
#define CUSHIM_LOADER_SEARCH_H

#include "loader/search_report.h"

/*
 * Searches for a library and writes each attempt into the report. Returns the library, which is
 * published, or NULL. The caller holds the loader's lock.
 */
struct cushim__library *cushim__search(const struct cushim__kind *kind,
                                       const struct cushim_open_params *params,
                                       struct cushim__search_report *search_report);

#endif
