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
    unsigned registers; /* the most of a thread; 0: no limit */
    bool are_texts, relocatable, verbose, version, help;
};

/*
 * Reads the words. The caller frees inputs. On failure prints a message as ptxas does, and returns
 * false.
 */
bool ptxas_options_read(int argc, char **argv, struct ptxas_options *ret_options);

#endif
