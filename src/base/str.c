/* SPDX-License-Identifier: MIT */
#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static bool reserve(struct cushim__str *str, size_t more)
{
    const size_t needed = str->length + more + 1;
    size_t capacity = str->capacity ? str->capacity : 64;
    char *text;

    while (capacity < needed)
        capacity *= 2;
    if (capacity == str->capacity)
        return true;
    text = realloc(str->text, capacity);
    if (!text)
        return false;
    str->text = text;
    str->capacity = capacity;
    return true;
}

void cushim__str_append(struct cushim__str *str, const char *format, ...)
{
    va_list list;
    int length;

    if (str->failed)
        return;
    va_start(list, format);
    length = vsnprintf(NULL, 0, format, list);
    va_end(list);
    if (length < 0 || !reserve(str, (size_t) length)) {
        str->failed = true;
        return;
    }
    va_start(list, format);
    vsnprintf(str->text + str->length, (size_t) length + 1, format, list);
    va_end(list);
    str->length += (size_t) length;
}

const char *cushim__str_get(const struct cushim__str *str)
{
    return str->text ? str->text : "";
}

void cushim__str_append_quoted(struct cushim__str *str, struct cushim__str *other)
{
    str->failed |= other->failed;
    if (!other->text)
        return;
    cushim__str_one_line(other->text);
    for (const char *c = other->text; *c; c++)
        cushim__str_append(str, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
}

void cushim__str_finish(struct cushim__str *str)
{
    free(str->text);
    *str = (struct cushim__str){0};
}

/*
 * How many bytes the character at text has in UTF-8, or 0 if it is none. What a longer encoding
 * than necessary, or a half of a pair of UTF-16, begins with is none.
 */
static size_t utf8_bytes(const unsigned char *text)
{
    const unsigned char first = text[0], second = first ? text[1] : 0;
    const size_t n = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;

    if (first > 0xf4 || (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
        (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f))
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    return n;
}

void cushim__str_one_line(char *text)
{
    while (*text) {
        const size_t n = utf8_bytes((const unsigned char *) text);

        if (!n || (unsigned char) *text < ' ' || *text == '\x7f')
            *text++ = '?';
        else
            text += n;
    }
}
