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

void cushim__str_finish(struct cushim__str *str)
{
    free(str->text);
    *str = (struct cushim__str){0};
}

void cushim__str_one_line(char *text)
{
    for (; *text; text++)
        if ((unsigned char) *text < ' ' || *text == '\x7f')
            *text = '?';
}
