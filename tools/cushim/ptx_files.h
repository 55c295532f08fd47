/* SPDX-License-Identifier: MIT */
/* The PTX in files: texts, what stands in for machine code, fat binaries, objects, programs,
 * libraries. */
#ifndef CUSHIM_TOOL_PTX_FILES_H
#define CUSHIM_TOOL_PTX_FILES_H

#include <stdbool.h>
#include <stddef.h>

/* The texts that are linked into one module. */
struct ptx_unit {
    char *label; /* where they are from */
    char **texts;
    size_t n;
};

/*
 * The first unit is of texts that are linked, whatever files they are in. Each fat binary of a
 * program is a unit of its own, as it is a module of its own there.
 */
struct ptx_files {
    int capability;
    bool quiet; /* does not print what a file has */
    struct ptx_unit *units;
    size_t n;
};

/*
 * Adds what a file has, and prints what of it is PTX and what is not. Returns -1, or the exit
 * status after a message.
 */
int ptx_files_add(struct ptx_files *files, const char *path);
void ptx_files_finish(struct ptx_files *files);

#endif
