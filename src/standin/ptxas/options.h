/* SPDX-License-Identifier: MIT */
/* The words of the command line of ptxas. */
#ifndef CUSHIM_STANDIN_PTXAS_OPTIONS_H
#define CUSHIM_STANDIN_PTXAS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct ptxas_options {
    const char *arch, *output;
    const char **inputs; /* paths, or texts */
    size_t n_inputs;
    char **files; /* the texts of files of options, into which others point */
    size_t n_files;
    unsigned registers; /* the most of a thread; 0: no limit */
    bool are_texts, relocatable, verbose, version, help;
};

/*
 * Reads the words. On failure prints a message as ptxas does, and returns false. The caller
 * finishes them in both cases.
 */
bool ptxas_options_read(int argc, char **argv, struct ptxas_options *ret_options);
void ptxas_options_finish(struct ptxas_options *options);

#endif
