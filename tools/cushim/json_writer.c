/* SPDX-License-Identifier: MIT */
#include "json_writer.h"

#include <inttypes.h>

#include "util.h"

static void write_character(FILE *out, const char *bytes, size_t length, uint32_t point)
{
    if (point == '"' || point == '\\')
        fprintf(out, "\\%c", (char) point);
    else if (point == '\n')
        fputs("\\n", out);
    else if (point == '\t')
        fputs("\\t", out);
    else if (point < 0x20 || (point >= 0x7f && point < 0xa0))
        fprintf(out, "\\u%04x", (unsigned) point); /* a terminal may act on these */
    else
        fwrite(bytes, 1, length, out);
}

static void write_string(FILE *out, const char *text)
{
    fputc('"', out);
    while (*text) {
        uint32_t point = 0;
        const size_t length = utf8_decode(text, &point);
        if (length)
            write_character(out, text, length, point);
        else
            fputs("\\ufffd", out);
        text += length ? length : 1;
    }
    fputc('"', out);
}

static void new_line(const struct json *json)
{
    fprintf(json->out, "\n%*s", 2 * json->depth, "");
}

/* Writes everything that comes before a value. */
static void begin_value(struct json *json, const char *key)
{
    if (json->has_sibling)
        fputc(',', json->out);
    if (json->depth > 0)
        new_line(json);
    if (key) {
        write_string(json->out, key);
        fputs(": ", json->out);
    }
    json->has_sibling = true;
}

static void begin(struct json *json, const char *key, char bracket)
{
    begin_value(json, key);
    fputc(bracket, json->out);
    json->depth++;
    json->has_sibling = false;
}

static void end(struct json *json, char bracket)
{
    json->depth--;
    if (json->has_sibling)
        new_line(json);
    fputc(bracket, json->out);
    json->has_sibling = true;
    if (json->depth == 0)
        fputc('\n', json->out);
}

void json_begin_object(struct json *json, const char *key)
{
    begin(json, key, '{');
}

void json_end_object(struct json *json)
{
    end(json, '}');
}

void json_begin_array(struct json *json, const char *key)
{
    begin(json, key, '[');
}

void json_end_array(struct json *json)
{
    end(json, ']');
}

void json_string(struct json *json, const char *key, const char *text)
{
    begin_value(json, key);
    if (text)
        write_string(json->out, text);
    else
        fputs("null", json->out);
}

void json_number(struct json *json, const char *key, int64_t number)
{
    begin_value(json, key);
    fprintf(json->out, "%" PRId64, number);
}

void json_unsigned(struct json *json, const char *key, uint64_t number)
{
    begin_value(json, key);
    fprintf(json->out, "%" PRIu64, number);
}

void json_bool(struct json *json, const char *key, bool value)
{
    begin_value(json, key);
    fputs(value ? "true" : "false", json->out);
}

void json_null(struct json *json, const char *key)
{
    json_string(json, key, NULL);
}
