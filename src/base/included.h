/* SPDX-License-Identifier: MIT */
/*
 * The files that a C++ source includes, by include_lines.h. They are found where a preprocessor
 * finds them, but without its conditions and macros: a file that is included only under another
 * macro is found, and one whose name is a macro is not.
 */
#ifndef CUSHIM_BASE_INCLUDED_H
#define CUSHIM_BASE_INCLUDED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* A file that was found. */
struct cushim__included {
    const char *name; /* as it is spelled in the source */
    const char *path;
    const char *bytes;
    size_t n_bytes;
};

struct cushim__included_search {
    struct cushim__arena *arena;
    const char *source;         /* the path of the source; "" if it has none */
    const char *const *folders; /* that are searched, ended by NULL; or NULL */
    /* Is called once for each file, before the files that it includes. */
    void (*see)(const struct cushim__included *file, void *user);
    void *user;
    /* The rest belongs to included.c. */
    const char **paths;
    size_t n_paths, capacity;
};

/* Searches what a text includes. path is that of the text, beside which quotes are looked up. */
void cushim__included_scan(struct cushim__included_search *search, const char *path,
                           const char *text);

#endif
