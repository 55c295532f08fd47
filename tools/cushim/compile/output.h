/* SPDX-License-Identifier: MIT */
/* Writing files as a whole: a file that cannot be completed is as it was before. */
#ifndef CUSHIM_TOOL_COMPILE_OUTPUT_H
#define CUSHIM_TOOL_COMPILE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

/* Writes a file, through another one beside it. Prints a message on failure. */
bool write_whole(const char *path, const void *bytes, size_t n_bytes);

#endif
