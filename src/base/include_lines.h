/* SPDX-License-Identifier: MIT */
/* Which headers a text may include, without a preprocessor: include_lines.c. */
#ifndef CUSHIM_BASE_INCLUDE_LINES_H
#define CUSHIM_BASE_INCLUDE_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* Gets the name of a header, as it stands between the quotes or the angle brackets. */
typedef void cushim__include_fn(const char *name, size_t length, bool quotes, void *user);

/*
 * Calls found() with each header that a compiler may look for when it reads this text: also those
 * of lines that a condition leaves out, and those that only __has_include() asks for. A name may
 * come several times. text ends with a NUL.
 *
 * Returns NULL, or a sentence that says why the text does not tell all that a result depends on: a
 * header whose name a macro makes, or the date. All other headers are found nevertheless.
 */
const char *cushim__include_lines(const char *text, size_t bytes, cushim__include_fn *found,
                                  void *user);

/* Returns the folder of a text, "folder/", or "" for a name without a folder. */
const char *cushim__include_folder(struct cushim__arena *arena, const char *path);

#endif
