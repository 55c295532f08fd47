/* SPDX-License-Identifier: MIT */
#include "standin/ptxas/options.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/util.h"

enum what {
    WITHOUT_EFFECT,
    ARCH,
    OUTPUT,
    REGISTERS,
    MACHINE,
    FILE_OF_OPTIONS,
    TEXTS,
    RELOCATABLE,
    VERBOSE,
    VERSION,
    HELP,
};

enum { MOST_REGISTERS = 255, MOST_OPTION_BYTES = 1 << 24, MOST_FILES = 16 };

/*
 * An option has two names, each after one "-" or two. Those without effect choose how machine code
 * is made, which is not made here.
 */
static const struct known {
    const char *name, *short_name;
    enum what what;
    bool has_value;
} known[] = {
    {"gpu-name", "arch", ARCH, true},
    {"output-file", "o", OUTPUT, true},
    {"maxrregcount", "maxrregcount", REGISTERS, true},
    {"machine", "m", MACHINE, true},
    {"options-file", "optf", FILE_OF_OPTIONS, true},
    {"input-as-string", "ias", TEXTS, false},
    {"compile-only", "c", RELOCATABLE, false},
    {"verbose", "v", VERBOSE, false},
    {"version", "V", VERSION, false},
    {"help", "h", HELP, false},
    {"Ofast-compile", "Ofc", WITHOUT_EFFECT, true},
    {"allow-expensive-optimizations", "allow-expensive-optimizations", WITHOUT_EFFECT, true},
    {"compile-as-tools-patch", "astoolspatch", WITHOUT_EFFECT, false},
    {"compiler-annotations", "annotate", WITHOUT_EFFECT, false},
    {"def-load-cache", "dlcm", WITHOUT_EFFECT, true},
    {"def-store-cache", "dscm", WITHOUT_EFFECT, true},
    {"device-debug", "g", WITHOUT_EFFECT, false},
    {"device-function-maxrregcount", "func-maxrregcount", WITHOUT_EFFECT, true},
    {"device-stack-protector", "device-stack-protector", WITHOUT_EFFECT, true},
    {"disable-optimizer-constants", "disable-optimizer-consts", WITHOUT_EFFECT, false},
    {"disable-warnings", "w", WITHOUT_EFFECT, false},
    {"dont-merge-basicblocks", "no-bb-merge", WITHOUT_EFFECT, false},
    {"entry", "e", WITHOUT_EFFECT, true},
    {"extensible-whole-program", "ewp", WITHOUT_EFFECT, false},
    {"fmad", "fmad", WITHOUT_EFFECT, true},
    {"force-load-cache", "flcm", WITHOUT_EFFECT, true},
    {"force-store-cache", "fscm", WITHOUT_EFFECT, true},
    {"g-tensor-memory-access-check", "g-tmem-access-check", WITHOUT_EFFECT, false},
    {"generate-line-info", "lineinfo", WITHOUT_EFFECT, false},
    {"gno-tensor-memory-access-check", "gno-tmem-access-check", WITHOUT_EFFECT, false},
    {"legacy-bar-warp-wide-behavior", "legacy-bar-warp-wide-behavior", WITHOUT_EFFECT, false},
    {"make-errors-visible-at-exit", "make-errors-visible-at-exit", WITHOUT_EFFECT, false},
    {"maxntid", "maxntid", WITHOUT_EFFECT, true},
    {"minnctapersm", "minnctapersm", WITHOUT_EFFECT, true},
    {"opt-level", "O", WITHOUT_EFFECT, true},
    {"optimize-float-atomics", "opt-fp-atomics", WITHOUT_EFFECT, false},
    {"override-directive-values", "override-directive-values", WITHOUT_EFFECT, false},
    {"position-independent-code", "pic", WITHOUT_EFFECT, true},
    {"preserve-relocs", "preserve-relocs", WITHOUT_EFFECT, false},
    {"regAllocOptLevel", "regAllocOptLevel", WITHOUT_EFFECT, true},
    {"register-usage-level", "regUsageLevel", WITHOUT_EFFECT, true},
    {"return-at-end", "ret-end", WITHOUT_EFFECT, false},
    {"sanitize", "sanitize", WITHOUT_EFFECT, true},
    {"sp-bounds-check", "sp-bounds-check", WITHOUT_EFFECT, false},
    {"split-compile", "split-compile", WITHOUT_EFFECT, true},
    {"suppress-async-bulk-multicast-advisory-warning",
     "suppress-async-bulk-multicast-advisory-warning", WITHOUT_EFFECT, false},
    {"suppress-debug-info", "suppress-debug-info", WITHOUT_EFFECT, false},
    {"suppress-double-demote-warning", "suppress-double-demote-warning", WITHOUT_EFFECT, false},
    {"suppress-sparse-mma-advisory-info", "suppress-sparse-mma-advisory-info", WITHOUT_EFFECT,
     false},
    {"suppress-stack-size-warning", "suppress-stack-size-warning", WITHOUT_EFFECT, false},
    {"warn-on-double-precision-use", "warn-double-usage", WITHOUT_EFFECT, false},
    {"warn-on-local-memory-usage", "warn-lmem-usage", WITHOUT_EFFECT, false},
    {"warn-on-spills", "warn-spills", WITHOUT_EFFECT, false},
    {"warning-as-error", "Werror", WITHOUT_EFFECT, false},
};

static bool is_named(const char *word, size_t length, const char *name)
{
    return strlen(name) == length && !memcmp(word, name, length);
}

/* A name of one letter may have its value behind it: "-O3" is "-O 3". */
static bool is_followed_by_number(const char *word, size_t length, const char *name)
{
    return strlen(name) == 1 && length > 1 && word[0] == name[0] &&
           strspn(word + 1, "0123456789") == length - 1;
}

static const struct known *find(const char *word, const char **ret_value)
{
    const char *name = word + (word[1] == '-' ? 2 : 1), *equals = strchr(name, '=');
    const size_t length = equals ? (size_t) (equals - name) : strlen(name);

    *ret_value = equals ? equals + 1 : NULL;
    for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
        if (is_named(name, length, known[i].name) || is_named(name, length, known[i].short_name))
            return &known[i];
        if (known[i].has_value && is_followed_by_number(name, length, known[i].short_name)) {
            *ret_value = name + 1;
            return &known[i];
        }
    }
    return NULL;
}

__attribute__((format(printf, 1, 2))) static bool fail(const char *format, ...)
{
    va_list list;

    fprintf(stderr, "ptxas fatal   : ");
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fprintf(stderr, "\n");
    return false;
}

/* "archmax" and "archmin" are words for it, too. What is too many is ignored, as ptxas does. */
static bool set_registers(struct ptxas_options *options, const char *value)
{
    char *end;
    const long number = strtol(value, &end, 10);

    if (!strcmp(value, "archmax") || !strcmp(value, "archmin"))
        return true;
    if (!*value || *end)
        return fail("Invalid value '%s' for option 'maxrregcount'", value);
    if (number < 0 || number > MOST_REGISTERS)
        fprintf(stderr,
                "ptxas warning : Too big maxrregcount value specified %s, will be ignored\n",
                value);
    else
        options->registers = (unsigned) number;
    return true;
}

static bool read_file(struct ptxas_options *options, const char *path);

static bool set(struct ptxas_options *options, const struct known *option, const char *value)
{
    switch (option->what) {
    case ARCH:
        options->arch = value;
        return true;
    case OUTPUT:
        options->output = value;
        return true;
    case REGISTERS:
        return set_registers(options, value);
    case MACHINE:
        return !strcmp(value, "64") ||
               fail("Value '%s' is not defined for option 'machine'", value);
    case FILE_OF_OPTIONS:
        return read_file(options, value);
    case TEXTS:
        return options->are_texts = true;
    case RELOCATABLE:
        return options->relocatable = true;
    case VERBOSE:
        return options->verbose = true;
    case VERSION:
        return options->version = true;
    case HELP:
        return options->help = true;
    default:
        return true;
    }
}

/* Reads an option at a place, and moves the place to its last word. */
static bool read_option(struct ptxas_options *options, int n, char **words, int *at)
{
    char *word = words[*at];
    const char *value;
    const struct known *option = find(word, &value);

    if (!option)
        return fail("Unknown option '%s'", word + 1);
    if (!option->has_value && value)
        return fail("no argument expected after '%.*s'", (int) (value - 1 - word), word);
    if (option->has_value && !value && ++*at == n)
        return fail("argument expected after '%s'", word);
    return set(options, option, option->has_value && !value ? words[*at] : value);
}

static bool add_input(struct ptxas_options *options, const char *input)
{
    const char **larger =
        realloc(options->inputs, (options->n_inputs + 1) * sizeof(*options->inputs));

    if (!larger)
        return fail("there is no memory");
    options->inputs = larger;
    options->inputs[options->n_inputs++] = input;
    return true;
}

static bool read_words(struct ptxas_options *options, int n, char **words)
{
    for (int i = 0; i < n; i++)
        if (words[i][0] != '-' || !words[i][1] ? !add_input(options, words[i])
                                               : !read_option(options, n, words, &i))
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
static bool read_file(struct ptxas_options *options, const char *path)
{
    SCOPED_FILE file = {.bytes = NULL};
    SCOPED_FREE char **words = NULL;
    char **larger;

    /* Files may name each other. */
    if (options->n_files == MOST_FILES)
        return fail("Too many options file opened '%s'", path);
    if (!cushim__file_read(path, MOST_OPTION_BYTES, &file))
        return fail("Could not open options file '%s'", path);
    larger = realloc(options->files, (options->n_files + 1) * sizeof(*options->files));
    words = calloc((size_t) file.size / 2 + 1, sizeof(*words));
    if (larger)
        options->files = larger;
    if (!larger || !words)
        return fail("there is no memory");
    options->files[options->n_files] = strndup(file.bytes, (size_t) file.size);
    if (!options->files[options->n_files])
        return fail("there is no memory");
    return read_words(options, split(options->files[options->n_files++], words), words);
}

bool ptxas_options_read(int argc, char **argv, struct ptxas_options *ret_options)
{
    *ret_options = (struct ptxas_options){.arch = "sm_75", .output = "elf.o"};
    return read_words(ret_options, argc - 1, argv + 1);
}

void ptxas_options_finish(struct ptxas_options *options)
{
    for (size_t i = 0; i < options->n_files; i++)
        free(options->files[i]);
    free(options->files);
    free(options->inputs);
}
