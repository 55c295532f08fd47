/* SPDX-License-Identifier: MIT */
/*
 * A string that grows. After an allocation has failed, `failed` is true and appending does nothing.
 * So a caller needs only one check, at the end.
 */
#ifndef CUSHIM_BASE_STR_H
#define CUSHIM_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>

#include <cushim/version.h>

struct cushim__str {
    char *text; /* NULL until something is appended */
    size_t length, capacity;
    bool failed;
};

void cushim__str_append(struct cushim__str *str, const char *format, ...) CUSHIM_PRINTF(2, 3);

/*
 * Appends another string as it stands between double quotes in JSON and in DOT: of one line, and
 * with quotes and backslashes escaped.
 */
void cushim__str_append_quoted(struct cushim__str *str, struct cushim__str *other);

/* Returns the text so far. It is never NULL, and belongs to str. */
const char *cushim__str_get(const struct cushim__str *str);

void cushim__str_finish(struct cushim__str *str);

/*
 * Replaces control characters, and bytes that are not UTF-8, by '?'. Words of the program, such as
 * a name that was not found, may contain any bytes, and may be cut within a character; a message
 * that quotes them must stay one line, and must not steer a terminal.
 */
void cushim__str_one_line(char *text);

#define SCOPED_STR __attribute__((cleanup(cushim__str_finish))) struct cushim__str

#endif
