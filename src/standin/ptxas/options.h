/* SPDX-License-Identifier: MIT */
/* The words of the command line of ptxas. */
#ifndef CUSHIM_STANDIN_PTXAS_OPTIONS_H
#define CUSHIM_STANDIN_PTXAS_OPTIONS_H

#include <stdbool.h>

#include "standin/tool/words.h"

struct ptxas_options {
    struct tool_words words; /* the inputs are paths, or texts */
    const char *arch, *output;
    unsigned registers; /* the most of a thread; 0: no limit */
    bool are_texts, relocatable, verbose;
};

/*
 * Reads the words. On failure prints a message as ptxas does, and returns false. The caller
 * finishes them in both cases.
 */
bool ptxas_options_read(int argc, char **argv, struct ptxas_options *ret_options);
void ptxas_options_finish(struct ptxas_options *options);

#endif
