/* SPDX-License-Identifier: MIT */
/* Writes JSON to a stream, indented by two spaces. The caller ends each object and array. */
#ifndef CUSHIM_TOOL_JSON_WRITER_H
#define CUSHIM_TOOL_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/** Initialised with {.out = stream}. */
struct json {
    FILE *out;
    int depth;
    bool has_sibling; /* there is a value before the next one, in the same object or array */
};

/* Inside an object, each value needs a key. Inside an array and at the top level, key is NULL. */

void json_begin_object(struct json *json, const char *key);
void json_end_object(struct json *json);
void json_begin_array(struct json *json, const char *key);
void json_end_array(struct json *json);

/**
 * Writes a text; NULL becomes null. Control characters are escaped, and each byte that is not valid
 * UTF-8 becomes U+FFFD. So the output is always valid.
 */
void json_string(struct json *json, const char *key, const char *text);
void json_number(struct json *json, const char *key, int64_t number);
void json_unsigned(struct json *json, const char *key, uint64_t number);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);

#endif
