/* SPDX-License-Identifier: MIT */
/* Opening a library: the search, loading, and cuInit(). Thread-safe. */
#ifndef CUSHIM_LOADER_OPEN_H
#define CUSHIM_LOADER_OPEN_H

#include "loader/search_report.h"

/*
 * Finds, loads and initialises a library, and writes the search report. The status is also in the
 * report. Several threads may call it at the same time: one of them does the work, the others wait,
 * and all get the same library. call is the public function, for error messages.
 */
cushim_status cushim__load(enum cushim_library id, const struct cushim_open_params *params,
                           const char *call, struct cushim__search_report *search_report,
                           struct cushim__library **ret_library);

#endif
