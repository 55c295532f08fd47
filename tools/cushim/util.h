/* SPDX-License-Identifier: MIT */
/* Memory and text for a command that has nothing better to do than to end when memory does. */
#ifndef CUSHIM_TOOL_UTIL_H
#define CUSHIM_TOOL_UTIL_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cushim/version.h>

/** calloc() and realloc() that end the program where there is no memory. */
void *must_calloc(size_t n, size_t size);
void *must_realloc(void *memory, size_t size);

/** A new string, freed by the caller with free(). */
char *format(const char *text, ...) CUSHIM_PRINTF(1, 2);
char *format_list(const char *text, va_list arguments) CUSHIM_PRINTF(1, 0);

/**
 * Reads one character of UTF-8. Returns its length in bytes, or 0 if the bytes there are no
 * character. The string must not be at its end.
 */
size_t utf8_decode(const char *text, uint32_t *ret_point);

/**
 * A copy that is safe on a terminal: control characters and bytes that are not UTF-8 become
 * "\x1b". Paths and names come from the environment and from libraries, which may put
 * anything into them. Freed by the caller.
 */
char *printable(const char *text);

#endif
