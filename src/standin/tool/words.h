/* SPDX-License-Identifier: MIT */
/* The command line of a tool of the toolkit, as the tool that stands in for it reads it. */
#ifndef CUSHIM_STANDIN_TOOL_WORDS_H
#define CUSHIM_STANDIN_TOOL_WORDS_H

#include <stdbool.h>
#include <stddef.h>

enum tool_value {
    TOOL_NO_VALUE,
    TOOL_MAY_HAVE_VALUE, /* behind a "=" */
    TOOL_VALUE, /* behind a "=" or as the next word; a number also behind a name of one letter */
    TOOL_GLUED, /* or any text behind a name of one letter: "-Lfolder" */
};

/* What an option means. A tool's own begin with TOOL_OWN. */
enum tool_what {
    TOOL_WITHOUT_EFFECT, /* it chooses how machine code is made, which is not made here */
    TOOL_REFUSED,        /* it asks for something that is not done here */
    TOOL_MACHINE,        /* 64 bits, and no other number */
    TOOL_OPTIONS_FILE,
    TOOL_VERSION,
    TOOL_HELP,
    TOOL_OWN,
};

/* An option has two names, each after one "-" or two. */
struct tool_option {
    const char *name, *short_name;
    int what;
    enum tool_value value;
};

struct tool_words {
    const char *tool; /* its name, for messages */
    const struct tool_option *options;
    size_t n_options;
    /* Called for an option of the tool's own. On failure it has printed a message. */
    bool (*set)(void *user, int what, const char *value);
    void *user;

    const char **inputs; /* the words that are no options */
    size_t n_inputs;
    char **files; /* the texts of files of options, into which others point */
    size_t n_files;
    bool version, help;
};

/*
 * Reads the words behind the name of the program. On failure prints a message as the tool does, and
 * returns false. The caller finishes them in both cases.
 */
bool tool_words_read(struct tool_words *words, int argc, char **argv);
void tool_words_finish(struct tool_words *words);

/* Adds a text to a list of a tool, whose texts are not copied. On failure it has printed a message. */
bool tool_list_add(const char *tool, const char ***list, size_t *n, const char *text);

/* Writes a file, or none. */
bool tool_write_file(const char *path, const void *bytes, size_t size);

/* Prints a fatal error of a tool, and returns false. */
bool tool_fail(const char *tool, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints the version of a tool, as NVIDIA's tools print theirs. Returns the exit status. */
int tool_print_version(const char *tool);

#endif
