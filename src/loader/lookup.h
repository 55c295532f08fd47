/* SPDX-License-Identifier: MIT */
/*
 * What the dynamic linker would find by a name, found before it does: it opens what is there, waits
 * for a pipe's writer, and dies of a library that was cut short.
 */
#ifndef CUSHIM_LOADER_LOOKUP_H
#define CUSHIM_LOADER_LOOKUP_H

#include <stdbool.h>

#include <cushim/report.h>

#include "base/arena.h"

/* Is a library of this name in the process? Asked without looking at any file. */
bool cushim__is_loaded(const char *name);

/*
 * The first file of this name in the folders that the linker would search. CUSHIM_VERDICT_CHOSEN if
 * nothing speaks against it, or if none is found, for the linker may know of others; else its
 * path, and why the linker should not see it.
 */
enum cushim_verdict cushim__lookup(const char *name, struct cushim__arena *arena,
                                   const char **ret_path, const char **ret_detail);

#endif
