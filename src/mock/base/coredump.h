/* SPDX-License-Identifier: MIT */
/*
 * The settings of cores of a device: those of the process, which come from variables first, and
 * those of each context, which begin as the process's. Nothing here writes such a core. Callers hold
 * the lock.
 */
#ifndef CUSHIM_MOCK_BASE_COREDUMP_H
#define CUSHIM_MOCK_BASE_COREDUMP_H

#include <stdbool.h>

#define MOCK__COREDUMP_NAME 1024

struct mock__coredump {
    bool enabled, by_user;
    unsigned flags;
    char file[MOCK__COREDUMP_NAME], pipe[MOCK__COREDUMP_NAME];
};

/* Those of the process. The first call reads the variables. */
struct mock__coredump *mock__coredump_global(void);

/* Writes a name with the host's for %h and the process's number for %p. */
void mock__coredump_expand(const char *name, char ret_name[MOCK__COREDUMP_NAME]);

/* Those of a new context, which has these flags. */
struct mock__coredump mock__coredump_of(unsigned context_flags);

#endif
