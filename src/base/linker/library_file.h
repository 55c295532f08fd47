/* SPDX-License-Identifier: MIT */
/*
 * Looks at the file of a library before the dynamic linker does. The linker waits for the writer
 * of a pipe, dies of SIGBUS when a file was cut short, and does not always say what is wrong.
 *
 * A file is looked at together with the libraries that it needs and that are not loaded yet. The
 * parts of the C library are not looked at: without them this process would not run.
 */
#ifndef CUSHIM_BASE_LINKER_LIBRARY_FILE_H
#define CUSHIM_BASE_LINKER_LIBRARY_FILE_H

#include <stdbool.h>

#include "base/arena.h"

enum cushim__library_state {
    CUSHIM__LIBRARY_FITS, /* nothing speaks against it */
    CUSHIM__LIBRARY_ABSENT,
    CUSHIM__LIBRARY_UNREADABLE,
    CUSHIM__LIBRARY_NO_FILE, /* a folder, a pipe, a device, or a circle of symbolic links */
    CUSHIM__LIBRARY_EMPTY,
    CUSHIM__LIBRARY_NO_ELF, /* no ELF file, or no shared library */
    CUSHIM__LIBRARY_OTHER_MACHINE,
    CUSHIM__LIBRARY_CUT_SHORT,
};

struct cushim__library_file {
    enum cushim__library_state state;
    const char *path; /* "" if no file was found */
    const char *why;  /* a sentence; "" if the file fits, or if the state says it all */
};

/* Is a library of this name loaded in the process? This looks at no file. */
bool cushim__library_is_loaded(const char *name);

/* Looks at the file of that path. The strings of the answer are the caller's, or in the arena. */
struct cushim__library_file cushim__library_file_at(const char *path, struct cushim__arena *arena);

/*
 * Looks at the file that the dynamic linker would find by a name without a slash. If none is found
 * the answer fits, with an empty path: the linker may know of more folders.
 */
struct cushim__library_file cushim__library_file_named(const char *name,
                                                       struct cushim__arena *arena);

/*
 * dlopen() with RTLD_NOW | RTLD_LOCAL, of a path or of a name, once its file was looked at. NULL
 * with the reason if it cannot be loaded.
 */
void *cushim__library_open(const char *path_or_name, struct cushim__arena *arena,
                           const char **ret_why);

#endif
