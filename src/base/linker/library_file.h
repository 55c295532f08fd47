/* SPDX-License-Identifier: MIT */
/*
 * Looks at the file of a library before the dynamic linker does. The linker would wait for the
 * writer of a pipe, would die of SIGBUS if a file was cut short, and does not always tell what is
 * wrong.
 *
 * The libraries that a file needs (DT_NEEDED, DT_FILTER and DT_AUXILIARY) are looked at as well,
 * unless they are loaded already. The parts of the C library are not looked at: without them this
 * process would not run. Where the linker's choice cannot be known, which folders.h tells, a
 * library is taken to fit.
 */
#ifndef CUSHIM_BASE_LINKER_LIBRARY_FILE_H
#define CUSHIM_BASE_LINKER_LIBRARY_FILE_H

#include <stdbool.h>

#include "base/arena.h"

enum cushim__library_state {
    CUSHIM__LIBRARY_FITS, /* no reason against it was found */
    CUSHIM__LIBRARY_ABSENT,
    CUSHIM__LIBRARY_UNREADABLE,
    CUSHIM__LIBRARY_CIRCLE, /* of symbolic links */
    CUSHIM__LIBRARY_FOLDER,
    CUSHIM__LIBRARY_SPECIAL, /* a pipe, a device, or a file that the kernel generates */
    CUSHIM__LIBRARY_EMPTY,
    CUSHIM__LIBRARY_NO_ELF, /* not an ELF file, or not a shared library */
    CUSHIM__LIBRARY_OTHER_MACHINE,
    CUSHIM__LIBRARY_CUT_SHORT,
};

struct cushim__library_file {
    enum cushim__library_state state;
    const char *path; /* "" if no file was found */
    const char *why;  /* a sentence; "" if the file fits, or if the state is enough */
};

/*
 * Tells whether the process has a library that gives itself this name (DT_SONAME), or that was
 * loaded by this name. This looks at no file, unless the file of a loaded library has that name.
 */
bool cushim__library_is_loaded(const char *name);

/*
 * Looks at the file of a path. The strings of the result belong to the caller's arguments or to the
 * arena.
 */
struct cushim__library_file cushim__library_file_at(const char *path, struct cushim__arena *arena);

/*
 * Looks at the file that the dynamic linker would find for a name without a slash. If none is
 * found, the result fits and its path is empty, because the linker may know more folders.
 */
struct cushim__library_file cushim__library_file_named(const char *name,
                                                       struct cushim__arena *arena);

/*
 * Looks at a library's file, and opens it with dlopen(RTLD_NOW | RTLD_LOCAL). The library is given
 * by a path or a name. Returns NULL and the reason if it cannot be loaded.
 */
void *cushim__library_open(const char *path_or_name, struct cushim__arena *arena,
                           const char **ret_why);

#endif
