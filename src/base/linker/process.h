/* SPDX-License-Identifier: MIT */
/*
 * Asks the dynamic linker of this process for its folders and libraries. Only that of glibc can be
 * asked.
 */
#ifndef CUSHIM_BASE_LINKER_PROCESS_H
#define CUSHIM_BASE_LINKER_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/*
 * The folders that the linker searches, whatever a library that is not loaded yet names. Those from
 * rpath on are named by the executable, those from path on by LD_LIBRARY_PATH or the linker's
 * command line, and those from defaults on are the default folders of the system. The cache is
 * searched before the last.
 */
struct cushim__process_folders {
    void *list; /* NULL if there are none */
    size_t rpath, path, defaults, end;
};

/* Returns the folders for what a library needs that is opened now. */
struct cushim__process_folders cushim__process_folders(void);

/*
 * Returns the folders for a library that the object with this code opens. What this object and
 * those that loaded it name is among those from path on.
 */
struct cushim__process_folders cushim__process_own_folders(void);

const char *cushim__process_folder(const struct cushim__process_folders *folders, size_t i);
void cushim__process_folders_finish(struct cushim__process_folders *folders);

/* Appends the value of the linker's token $LIB. Returns false if it is not known. */
bool cushim__process_append_lib(struct cushim__str *str);

/* Tells whether the program runs with raised rights, where the linker trusts less. */
bool cushim__process_is_secure(void);

#endif
