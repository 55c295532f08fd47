/* SPDX-License-Identifier: MIT */
#include "mock/config/suppress.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "base/file.h"
#include "base/str.h"
#include "base/util.h"

#define VARIABLE "CUSHIM_MOCK_SUPPRESS"
#define BLANKS   " \t\r"

/* A sensible file is much smaller. */
#define LARGEST_FILE ((size_t) 1 << 20)

static const char *const words[] = {
    "data race",    "out of bounds", "use after free", "double free", "uninitialised read",
    "leak",         "stuck",         "host access",    "barrier",     "misaligned access",
    "endless loop", "kernel fault",  "attachment",     "host memory"};
_Static_assert(ARRAY_SIZE(words) == CUSHIM_MOCK_HOST_MEMORY + 1, "each kind has its words");

/* The patterns: strings one after another, and an empty one at the end. NULL: none. */
static char *patterns;

const char *mock__finding_word(enum cushim_mock_finding_kind kind)
{
    return words[kind];
}

static char *read_file(const char *path, struct cushim__str *error)
{
    SCOPED_FILE file;

    if (cushim__file_read_text(path, LARGEST_FILE, &file))
        return strdup(file.bytes);
    cushim__str_append(error, VARIABLE ": %s: %s", path, file.why);
    return NULL;
}

/* Returns a copy of what the variable or its file has, or NULL; then there may be an error. */
static char *read_variable(struct cushim__str *error)
{
    const char *value = cushim__env(VARIABLE);

    if (!value)
        return NULL;
    return *value == '@' ? read_file(value + 1, error) : strdup(value);
}

/* Takes the next pattern out of a text; NULL at the end. Comments and empty lines are none. */
static char *next_pattern(char **rest)
{
    char *line;

    while ((line = strsep(rest, ";\n"))) {
        size_t length;

        line += strspn(line, BLANKS);
        for (length = strlen(line); length && strchr(BLANKS, line[length - 1]);)
            length--;
        line[length] = '\0';
        if (*line && *line != '#')
            return line;
    }
    return NULL;
}

/* A pattern that begins with no kind would never fit: then the user has mistyped one. */
static bool begins_with_kind(const char *pattern)
{
    for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
        const size_t length = strlen(words[i]);

        if (!strncmp(pattern, words[i], length) && !strncmp(pattern + length, ": ", 2))
            return true;
    }
    return strchr("*?[", *pattern) != NULL;
}

bool mock__suppress_check(struct cushim__str *error)
{
    SCOPED_FREE char *text = read_variable(error);
    char *rest = text, *pattern;

    while ((pattern = next_pattern(&rest))) {
        if (begins_with_kind(pattern))
            continue;
        cushim__str_append(
            error, VARIABLE ": '%.60s' is not a kind of finding, ': ' and its text:", pattern);
        for (size_t i = 0; i < ARRAY_SIZE(words); i++)
            cushim__str_append(error, "%s %s", i ? "," : "", words[i]);
        return false;
    }
    return !error->length;
}

void mock__suppress_start(void)
{
    SCOPED_STR error = {0};
    SCOPED_FREE char *text = read_variable(&error);
    char *rest = text, *pattern, *end;

    free(patterns);
    patterns = text ? calloc(strlen(text) + 2, 1) : NULL;
    end = patterns;
    while (end && (pattern = next_pattern(&rest)))
        end = stpcpy(end, pattern) + 1;
}

bool mock__suppressed(enum cushim_mock_finding_kind kind, const char *text)
{
    SCOPED_STR whole = {0};

    if (!patterns || !*patterns)
        return false;
    cushim__str_append(&whole, "%s: %s", words[kind], text);
    for (const char *pattern = patterns; *pattern; pattern += strlen(pattern) + 1)
        if (!fnmatch(pattern, cushim__str_get(&whole), 0))
            return true;
    return false;
}
