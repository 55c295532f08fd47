/* SPDX-License-Identifier: MIT */
#include "assertions.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The values of the assertion that failed last, as a text: it is made before the message is. */
static _Thread_local char values[8192];

static const char *const opposite[] = {
    [CHECK_EQ] = "is not",       [CHECK_NE] = "is also",          [CHECK_LT] = "is not less than",
    [CHECK_LE] = "is more than", [CHECK_GT] = "is not more than", [CHECK_GE] = "is less than",
};

#define HOLDS(relation, got, wanted)                                                               \
    ((relation) == CHECK_EQ   ? (got) == (wanted)                                                  \
     : (relation) == CHECK_NE ? (got) != (wanted)                                                  \
     : (relation) == CHECK_LT ? (got) < (wanted)                                                   \
     : (relation) == CHECK_LE ? (got) <= (wanted)                                                  \
     : (relation) == CHECK_GT ? (got) > (wanted)                                                   \
                              : (got) >= (wanted))

#define CHECK_DEFINE(tag, type, format)                                                            \
    bool check_##tag(enum check_relation relation, type got, type wanted)                          \
    {                                                                                              \
        if (HOLDS(relation, got, wanted))                                                          \
            return true;                                                                           \
        snprintf(values, sizeof(values), format " %s " format, got, opposite[relation], wanted);   \
        return false;                                                                              \
    }
CHECK_TYPES(CHECK_DEFINE)

bool check_chr(enum check_relation relation, char got, char wanted)
{
    if (HOLDS(relation, got, wanted))
        return true;
    snprintf(values, sizeof(values), "'%c' (%d) %s '%c' (%d)", got, got, opposite[relation], wanted,
             wanted);
    return false;
}

/* As a literal of C, so that a difference in white space is seen. Long ones are cut. */
static const char *quoted(const char *text, char *room, size_t size)
{
    size_t at = 0;

    if (!text)
        return "NULL";
    room[at++] = '"';
    for (; *text && at < size - 8; text++) {
        if (*text == '\n')
            at += (size_t) sprintf(room + at, "\\n");
        else if (*text == '"' || *text == '\\')
            at += (size_t) sprintf(room + at, "\\%c", *text);
        else if ((unsigned char) *text < ' ')
            at += (size_t) sprintf(room + at, "\\%03o", (unsigned char) *text);
        else
            room[at++] = *text;
    }
    strcpy(room + at, *text ? "...\"" : "\"");
    return room;
}

/* Two that are not there are equal, and one that is not there comes before any text. */
bool check_str(enum check_relation relation, const char *got, const char *wanted)
{
    static _Thread_local char rooms[2][4000];
    const int order = got && wanted ? strcmp(got, wanted) : (got != NULL) - (wanted != NULL);

    if (HOLDS(relation, order, 0))
        return true;
    snprintf(values, sizeof(values), "%s %s %s", quoted(got, rooms[0], sizeof(rooms[0])),
             opposite[relation], quoted(wanted, rooms[1], sizeof(rooms[1])));
    return false;
}

static bool keep(const char *value)
{
    snprintf(values, sizeof(values), "%s", value);
    return false;
}

bool check_true(bool value)
{
    return value || keep("is false");
}

bool check_false(bool value)
{
    return !value || keep("is true");
}

/* The format begins with a space, because it may be empty otherwise. */
void check_failed(const char *file, unsigned line, const char *condition, const char *format, ...)
{
    static _Thread_local char message[4096], text[sizeof(message) + sizeof(values) + 1024];
    struct criterion_assert_stats failure = {.message = text, .line = line, .file = file};
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    if (condition)
        snprintf(text, sizeof(text), "%s: %s%s%s", condition, values, message[1] ? ":" : "",
                 message[1] ? message : "");
    else
        snprintf(text, sizeof(text), "%s", message + 1);
    if (!run_note_failure(&failure))
        criterion_send_assert(&failure);
}
