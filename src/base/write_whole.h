/* SPDX-License-Identifier: MIT */
/* Writing files as a whole: a file that cannot be completed is as it was before. */
#ifndef CUSHIM_BASE_WRITE_WHOLE_H
#define CUSHIM_BASE_WRITE_WHOLE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Writes a file, through another one beside it that then takes its name. Returns 0, or the number
 * of the system's error.
 */
int cushim__write_whole(const char *path, const void *bytes, size_t n);

/* Writes all bytes to an open file. Returns false with the reason in errno. */
bool cushim__write_all(int file, const void *bytes, size_t n);

#endif
