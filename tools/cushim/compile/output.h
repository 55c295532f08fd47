/* SPDX-License-Identifier: MIT */
/* Writing what was compiled. */
#ifndef CUSHIM_TOOL_COMPILE_OUTPUT_H
#define CUSHIM_TOOL_COMPILE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

/* Writes a file as a whole (base/write_whole.h). Prints a message on failure. */
bool write_whole(const char *path, const void *bytes, size_t n_bytes);

#endif
