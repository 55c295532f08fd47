/* SPDX-License-Identifier: MIT */
/* The words of the command line of fatbinary. */
#ifndef CUSHIM_STANDIN_FATBINARY_OPTIONS_H
#define CUSHIM_STANDIN_FATBINARY_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "standin/tool/words.h"

/* What goes into a fat binary: a file, and what it is for. */
struct fatbinary_image {
    bool is_text; /* PTX; else machine code, or what is in its place */
    int target;   /* such as 90 */
    char variant; /* of sm_90a and sm_100f; or '\0' */
    char *path;
};

struct fatbinary_options {
    struct tool_words words;
    const char *binary, *source; /* the files to write, or NULL; the second is a part of C code */
    struct fatbinary_image *images;
    size_t n_images;
    bool relocatable, linked;
};

/* As tool_words_read() and tool_words_finish(). */
bool fatbinary_options_read(int argc, char **argv, struct fatbinary_options *ret_options);
void fatbinary_options_finish(struct fatbinary_options *options);

#endif
