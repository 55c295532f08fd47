/* SPDX-License-Identifier: MIT */
/* Reads settings from files and texts. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/util.h"
#include "mock/config/config_settings.h"

#define BLANKS " \t\r\n"

/* A sensible file is much smaller. */
#define LARGEST_FILE ((size_t) 1 << 20)

void mock__settings_finish(struct mock__settings *settings)
{
    for (size_t i = 0; i < settings->count; i++) {
        free(settings->list[i].where);
        free(settings->list[i].key);
        free(settings->list[i].value);
    }
    free(settings->list);
    cushim__str_finish(&settings->error);
    *settings = (struct mock__settings){0};
}

bool mock__settings_fail(struct mock__settings *settings, const char *where, const char *format,
                         ...)
{
    char text[256];
    va_list list;

    if (settings->error.length)
        return false;
    va_start(list, format);
    vsnprintf(text, sizeof(text), format, list);
    va_end(list);
    cushim__str_append(&settings->error, "%s: %s", where, text);
    return false;
}

bool mock__settings_add(struct mock__settings *settings, const char *where, const char *key,
                        const char *value)
{
    struct mock__setting *larger = realloc(settings->list, (settings->count + 1) * sizeof(*larger));
    struct mock__setting *setting;

    if (!larger)
        return mock__settings_fail(settings, where, "the host is out of memory");
    settings->list = larger;
    setting = &larger[settings->count++];
    *setting = (struct mock__setting){strdup(where), strdup(key), strdup(value)};
    if (!setting->where || !setting->key || !setting->value)
        return mock__settings_fail(settings, where, "the host is out of memory");
    return true;
}

/* Removes blanks at both ends of a text, which is changed. */
static char *trim(char *text)
{
    size_t length;

    text += strspn(text, BLANKS);
    for (length = strlen(text); length && strchr(BLANKS, text[length - 1]);)
        length--;
    text[length] = '\0';
    return text;
}

/* Replaces each sequence of blanks by one space, so that "peer 0  1" becomes "peer 0 1". */
static void squeeze(char *text)
{
    char *to = text;

    for (const char *from = text; *from; from++) {
        if (*from != '\t' && *from != ' ')
            *to++ = *from;
        else if (to[-1] != ' ')
            *to++ = ' ';
    }
    *to = '\0';
}

/* Reads a line. A comment must be a whole line, because the name of a device may contain '#'. */
static bool add_line(struct mock__settings *settings, const char *where, char *line)
{
    char *key = trim(line), *equals;

    if (!*key || *key == '#' || *key == ';')
        return true;
    equals = strchr(key, '=');
    if (!equals)
        return mock__settings_fail(settings, where, "'%s' is not 'key = value'", key);
    *equals = '\0';
    key = trim(key);
    squeeze(key);
    return mock__settings_add(settings, where, key, trim(equals + 1));
}

bool mock__settings_text(struct mock__settings *settings, const char *where, const char *text)
{
    SCOPED_FREE char *copy = strdup(text);
    char *next = copy;

    if (!copy)
        return mock__settings_fail(settings, where, "the host is out of memory");
    for (unsigned number = 1; next; number++) {
        SCOPED_STR place = {0};
        char *line = next, *end = strchr(line, '\n');

        next = end ? end + 1 : NULL;
        if (end)
            *end = '\0';
        cushim__str_append(&place, "%s:%u", where, number);
        if (!add_line(settings, cushim__str_get(&place), line))
            return false;
    }
    return true;
}

bool mock__settings_file(struct mock__settings *settings, const char *where, const char *path)
{
    SCOPED_FILE file;

    if (!cushim__file_read_text(path, LARGEST_FILE, &file))
        return mock__settings_fail(settings, where, "%s: %s", path, file.why);
    return mock__settings_text(settings, path, file.bytes);
}
