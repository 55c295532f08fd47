/* SPDX-License-Identifier: MIT */
/*
 * The places where the dynamic linker looks for a library, in its order: that of glibc.
 *
 * What cannot be known beforehand: the value of $PLATFORM, any token in a program with raised
 * rights, and which of the folders for older hardware (such as "tls") a glibc before 2.37 uses. At
 * a folder with such a token the search ends, as if the linker found the library there; the folders
 * for older hardware are left out.
 */
#ifndef CUSHIM_BASE_LINKER_FOLDERS_H
#define CUSHIM_BASE_LINKER_FOLDERS_H

#include <stdbool.h>

#include "base/str.h"

/* What the linker does with the file at a path. */
enum cushim__visit {
    CUSHIM__VISIT_NEXT,  /* it goes on: there is no file that it can use */
    CUSHIM__VISIT_LEAVE, /* it leaves out the rest of this list of folders, and goes on */
    CUSHIM__VISIT_TAKEN, /* it loads the file */
    CUSHIM__VISIT_BAD,   /* it would try to load the file, and should not */
};

typedef enum cushim__visit cushim__visit_fn(const char *path, void *user);

/* A library that is not loaded yet, and that needs the library that is searched. */
struct cushim__searcher {
    const struct cushim__searcher *loader; /* the first that needs this one; NULL: dlopen() */
    const char *path;
    const char *rpath, *runpath; /* folders separated by colons, or NULL; not both */
    bool no_default;             /* it does not search in the default folders of the system */
};

/*
 * Visits the places where the linker would search for a name, up to the place where it would stop.
 * searcher is NULL for a library that the object with this code opens itself. Returns false if the
 * linker would find nothing at these places.
 */
bool cushim__folders_each(const char *name, const struct cushim__searcher *searcher,
                          cushim__visit_fn *visit, void *user);

/*
 * Appends a text with the linker's tokens ($ORIGIN and the like) replaced, as they are in a library
 * at this path. Returns false if only the linker knows their values.
 */
bool cushim__folders_expand(const char *text, const char *library_path, struct cushim__str *str);

#endif
