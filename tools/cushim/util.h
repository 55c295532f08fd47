/* SPDX-License-Identifier: MIT */
/* Memory and text for the command, which ends when it is out of memory. */
#ifndef CUSHIM_TOOL_UTIL_H
#define CUSHIM_TOOL_UTIL_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cushim/version.h>

/** calloc() and realloc() that end the program when out of memory. */
void *must_calloc(size_t n, size_t size);
void *must_realloc(void *memory, size_t size);

/** Return a new string. The caller frees it with free(). */
char *format(const char *text, ...) CUSHIM_PRINTF(1, 2);
char *format_list(const char *text, va_list arguments) CUSHIM_PRINTF(1, 0);

/**
 * Reads one character of UTF-8. Returns its length in bytes, or 0 if the bytes are not a valid
 * character. The string must not be at its end.
 */
size_t utf8_decode(const char *text, uint32_t *ret_point);

/**
 * Returns a copy that is safe for a terminal: control characters, and bytes that are not UTF-8,
 * become "\x1b". Paths and names come from the environment and from libraries, so they may contain
 * anything. The caller frees it.
 */
char *printable(const char *text);

#endif
