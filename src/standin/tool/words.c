/* SPDX-License-Identifier: MIT */
#include "standin/tool/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cushim/version.h>

#include "base/env.h"
#include "base/file.h"
#include "base/util.h"
#include "standin/code/code.h"

enum { MOST_OPTION_BYTES = 1 << 24, MOST_FILES = 16 };

bool tool_fail(const char *tool, const char *format, ...)
{
    va_list list;

    fprintf(stderr, "%s fatal   : ", tool);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fprintf(stderr, "\n");
    return false;
}

bool tool_write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    const bool done = file && fwrite(bytes, 1, size, file) == size;

    return file && !fclose(file) && done;
}

/*
 * Programs write PTX of the version of CUDA that ptxas says it has, so it is that of the mock's
 * driver, which refuses newer PTX. `cushim run` tells it.
 */
static void read_version(unsigned *ret_major, unsigned *ret_minor)
{
    const char *text = cushim__env("CUSHIM_TOOLKIT_VERSION");
    unsigned major, minor;
    char end;

    *ret_major = CODE_CUDA_MAJOR;
    *ret_minor = CODE_CUDA_MINOR;
    if (!text || sscanf(text, "%2u.%2u%c", &major, &minor, &end) != 2)
        return;
    *ret_major = major;
    *ret_minor = minor;
}

int tool_print_version(const char *tool)
{
    unsigned major, minor;

    read_version(&major, &minor);
    printf("%s: stand-in of cushim %d.%d.%d, which keeps the PTX for the mock\n"
           "Cuda compilation tools, release %u.%u, V%u.%u.0\n",
           tool, CUSHIM_VERSION_MAJOR, CUSHIM_VERSION_MINOR, CUSHIM_VERSION_PATCH, major, minor,
           major, minor);
    return 0;
}

static bool is_named(const char *word, size_t length, const char *name)
{
    return strlen(name) == length && !memcmp(word, name, length);
}

/* "-O3" is "-O 3", and of some options any text may follow the letter. */
static bool has_value_behind(const char *word, size_t length, const struct tool_option *option)
{
    if (strlen(option->short_name) != 1 || length < 2 || word[0] != option->short_name[0])
        return false;
    if (option->value == TOOL_GLUED)
        return true;
    return option->value == TOOL_VALUE && strspn(word + 1, "0123456789") == length - 1;
}

static const struct tool_option *find(const struct tool_words *words, const char *word,
                                      const char **ret_value)
{
    const char *name = word + (word[1] == '-' ? 2 : 1), *equals = strchr(name, '=');
    const size_t length = equals ? (size_t) (equals - name) : strlen(name);

    *ret_value = equals ? equals + 1 : NULL;
    for (size_t i = 0; i < words->n_options; i++)
        if (is_named(name, length, words->options[i].name) ||
            is_named(name, length, words->options[i].short_name))
            return &words->options[i];
    *ret_value = name + 1;
    for (size_t i = 0; i < words->n_options; i++)
        if (has_value_behind(name, length, &words->options[i]))
            return &words->options[i];
    return NULL;
}

static bool read_file(struct tool_words *words, const char *path);

static bool set(struct tool_words *words, const struct tool_option *option, const char *value)
{
    switch (option->what) {
    case TOOL_WITHOUT_EFFECT:
        return true;
    case TOOL_REFUSED:
        return tool_fail(words->tool,
                         "Option '%s' is not understood here: what stands in for %s does not do "
                         "that",
                         option->name, words->tool);
    case TOOL_MACHINE:
        return !strcmp(value, "64") ||
               tool_fail(words->tool, "Value '%s' is not defined for option '%s'", value,
                         option->name);
    case TOOL_OPTIONS_FILE:
        return read_file(words, value);
    case TOOL_VERSION:
        return words->version = true;
    case TOOL_HELP:
        return words->help = true;
    default:
        return words->set(words->user, option->what, value);
    }
}

/* Reads an option at a place, and moves the place to its last word. */
static bool read_option(struct tool_words *words, int n, char **texts, int *at)
{
    char *word = texts[*at];
    const char *value;
    const struct tool_option *option = find(words, word, &value);

    if (!option)
        return tool_fail(words->tool, "Unknown option '%s'", word + 1);
    if (option->value == TOOL_NO_VALUE && value)
        return tool_fail(words->tool, "no argument expected after '%.*s'", (int) (value - 1 - word),
                         word);
    if (value || option->value == TOOL_NO_VALUE || option->value == TOOL_MAY_HAVE_VALUE)
        return set(words, option, value);
    if (++*at == n)
        return tool_fail(words->tool, "argument expected after '%s'", word);
    return set(words, option, texts[*at]);
}

bool tool_list_add(const char *tool, const char ***list, size_t *n, const char *text)
{
    const char **larger = realloc(*list, (*n + 1) * sizeof(*larger));

    if (!larger)
        return tool_fail(tool, "there is no memory");
    *list = larger;
    larger[(*n)++] = text;
    return true;
}

static bool read_words(struct tool_words *words, int n, char **texts)
{
    for (int i = 0; i < n; i++)
        if (texts[i][0] != '-' || !texts[i][1]
                ? !tool_list_add(words->tool, &words->inputs, &words->n_inputs, texts[i])
                : !read_option(words, n, texts, &i))
            return false;
    return true;
}

/* Ends each word of a text with a 0, and returns how many there are. A word may be quoted. */
static int split(char *text, char **words)
{
    int n = 0;

    for (;;) {
        char quote, *end;

        text += strspn(text, " \t\r\n");
        if (!*text)
            return n;
        quote = *text == '"' || *text == '\'' ? *text++ : '\0';
        words[n++] = text;
        end = quote ? strchr(text, quote) : text + strcspn(text, " \t\r\n");
        if (!end || !*end)
            return n;
        *end = '\0';
        text = end + 1;
    }
}

/* The text stays until the end, because options point into it. */
static bool read_file(struct tool_words *words, const char *path)
{
    SCOPED_FILE file = {.bytes = NULL};
    SCOPED_FREE char **texts = NULL;
    char **larger;

    /* Files may name each other. */
    if (words->n_files == MOST_FILES)
        return tool_fail(words->tool, "Too many options file opened '%s'", path);
    if (!cushim__file_read(path, MOST_OPTION_BYTES, &file))
        return tool_fail(words->tool, "Could not open options file '%s'", path);
    larger = realloc(words->files, (words->n_files + 1) * sizeof(*words->files));
    texts = calloc((size_t) file.size / 2 + 1, sizeof(*texts));
    if (larger)
        words->files = larger;
    if (!larger || !texts)
        return tool_fail(words->tool, "there is no memory");
    words->files[words->n_files] = strndup(file.bytes, (size_t) file.size);
    if (!words->files[words->n_files])
        return tool_fail(words->tool, "there is no memory");
    return read_words(words, split(words->files[words->n_files++], texts), texts);
}

bool tool_words_read(struct tool_words *words, int argc, char **argv)
{
    return read_words(words, argc - 1, argv + 1);
}

void tool_words_finish(struct tool_words *words)
{
    for (size_t i = 0; i < words->n_files; i++)
        free(words->files[i]);
    free(words->files);
    free(words->inputs);
}
