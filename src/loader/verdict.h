/* SPDX-License-Identifier: MIT */
/* Verdicts on the files of libraries, for the search report. */
#ifndef CUSHIM_LOADER_VERDICT_H
#define CUSHIM_LOADER_VERDICT_H

#include <cushim/report.h>

#include "base/linker/library_file.h"

/*
 * Returns the verdict on a file that was looked at: CUSHIM_VERDICT_CHOSEN if no reason against it
 * was found.
 */
enum cushim_verdict cushim__verdict_of(enum cushim__library_state state);

#endif
