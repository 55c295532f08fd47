/* SPDX-License-Identifier: MIT */
#include "util.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

static void *must(void *memory)
{
    if (!memory) {
        fputs("cushim: out of memory\n", stderr);
        exit(COMMAND_FAILED);
    }
    return memory;
}

void *must_calloc(size_t n, size_t size)
{
    return must(calloc(n ? n : 1, size));
}

void *must_realloc(void *memory, size_t size)
{
    return must(realloc(memory, size));
}

char *format_list(const char *text, va_list arguments)
{
    char *result = NULL;
    if (vasprintf(&result, text, arguments) < 0)
        result = NULL;
    return must(result);
}

char *format(const char *text, ...)
{
    va_list arguments;
    va_start(arguments, text);
    char *result = format_list(text, arguments);
    va_end(arguments);
    return result;
}

/*
 * Returns the length of a character from its first byte; 0 if no character begins with this byte.
 */
static size_t utf8_length(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first >= 0xc2 && first < 0xe0)
        return 2;
    if (first >= 0xe0 && first < 0xf0)
        return 3;
    return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

/*
 * Tells whether the character is valid: not longer than necessary, not half of a UTF-16 pair, and
 * part of Unicode.
 */
static bool is_character(uint32_t point, size_t length)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    return point >= least[length] && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff);
}

size_t utf8_decode(const char *text, uint32_t *ret_point)
{
    const unsigned char *bytes = (const unsigned char *) text;
    const size_t length = utf8_length(bytes[0]);
    if (length == 0)
        return 0;

    uint32_t point = length == 1 ? bytes[0] : bytes[0] & (0x7fU >> length);
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80) /* the terminating zero ends up here as well */
            return 0;
        point = point << 6 | (bytes[i] & 0x3f);
    }
    if (!is_character(point, length))
        return 0;
    *ret_point = point;
    return length;
}

static bool is_control(uint32_t point)
{
    return point < 0x20 || (point >= 0x7f && point < 0xa0);
}

char *printable(const char *text)
{
    char *result = must_calloc(strlen(text) + 1, sizeof("\\x00") - 1), *end = result;
    while (*text) {
        uint32_t point = 0;
        const size_t length = utf8_decode(text, &point);
        if (length && !is_control(point)) {
            memcpy(end, text, length);
            end += length;
            text += length;
        } else {
            end += sprintf(end, "\\x%02x", (unsigned char) *text++);
        }
    }
    return result;
}
