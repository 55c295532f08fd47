/* SPDX-License-Identifier: MIT */
/* The kernels of a source: their names in the code and in C, and their parameters. */
#ifndef CUSHIM_TOOL_COMPILE_KERNELS_H
#define CUSHIM_TOOL_COMPILE_KERNELS_H

#include "build.h"
#include "types.h"

struct kernel {
    const char *entry; /* the name in the code */
    const char *c;     /* the name in C */
    const struct type *types;
    const char **parameters; /* their names, each another one */
    size_t *bytes;           /* their sizes, as the code has them */
    size_t n;
};

/* Returns the name expressions of the request, ended by NULL; NULL if there are none. */
const char *const *wanted_expressions(const struct request *request);

/*
 * Finds the kernels in PTX of the source text. `built` is that PTX; the text is compiled once more,
 * for the types of the parameters. Returns -1, or the exit status after a message. What is found
 * belongs to the request's arena.
 */
int find_kernels(const struct request *request, const char *text, const struct built *built,
                 struct kernel **ret_kernels, size_t *ret_n);

#endif
