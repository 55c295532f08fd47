/* SPDX-License-Identifier: MIT */
/* Writes JSON to a stream, indented by two spaces. The caller ends what it begins. */
#ifndef CUSHIM_TOOL_JSON_WRITER_H
#define CUSHIM_TOOL_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/** Starts as {.out = stream}. */
struct json {
    FILE *out;
    int depth;
    bool has_sibling; /* something stands before the next value, in the same object or array */
};

/*
 * Every value has a key inside an object, and NULL for it inside an array or at the top.
 */

void json_begin_object(struct json *json, const char *key);
void json_end_object(struct json *json);
void json_begin_array(struct json *json, const char *key);
void json_end_array(struct json *json);

/**
 * NULL is written as null. Control characters are escaped, and each byte that is not part of
 * UTF-8 becomes U+FFFD, so that the output is valid whatever the text holds.
 */
void json_string(struct json *json, const char *key, const char *text);
void json_number(struct json *json, const char *key, int64_t number);
void json_unsigned(struct json *json, const char *key, uint64_t number);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);

#endif
