/* SPDX-License-Identifier: MIT */
/* The places where the dynamic linker looks for a library, in its order. */
#ifndef CUSHIM_BASE_LINKER_FOLDERS_H
#define CUSHIM_BASE_LINKER_FOLDERS_H

#include <stdbool.h>

/* What the linker does with the file at a path. */
enum cushim__visit {
    CUSHIM__VISIT_NEXT,  /* it goes on: there is no file that it can use */
    CUSHIM__VISIT_TAKEN, /* it loads the file */
    CUSHIM__VISIT_BAD,   /* it would try to load the file, and should not */
};

typedef enum cushim__visit cushim__visit_fn(const char *path, void *user);

/* The library that needs the library that is searched. */
struct cushim__searcher {
    const char *path;
    const char *rpath, *runpath; /* folders separated by colons, or "" */
};

/*
 * Visits the places where the linker would search for a name, up to the place where it would stop.
 * searcher is NULL for a library that the object with this code opens itself.
 */
void cushim__folders_each(const char *name, const struct cushim__searcher *searcher,
                          cushim__visit_fn *visit, void *user);

#endif
