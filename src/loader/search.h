/* SPDX-License-Identifier: MIT */
#ifndef CUSHIM_LOADER_SEARCH_H
#define CUSHIM_LOADER_SEARCH_H

#include "loader/search_report.h"

/*
 * Looks for a library as the parameters say, and writes down what was tried. NULL
 * if none was found. What it returns is published. The caller holds the loader's
 * lock.
 */
struct cushim__library *cushim__search(const struct cushim__kind *kind,
                                       const struct cushim_open_params *params,
                                       struct cushim__search_report *search_report);

#endif
