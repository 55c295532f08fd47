/* SPDX-License-Identifier: MIT */
/* The words of the command line of nvlink. */
#ifndef CUSHIM_STANDIN_NVLINK_OPTIONS_H
#define CUSHIM_STANDIN_NVLINK_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "standin/tool/words.h"

struct nvlink_options {
    struct tool_words words;
    const char *arch, *output; /* or NULL */
    const char *registers;     /* the file of host code that is asked for, or NULL */
    const char **libraries, **folders;
    size_t n_libraries, n_folders;
    bool relocatable, verbose, no_warnings, no_arch_warnings;
};

/* As tool_words_read() and tool_words_finish(). */
bool nvlink_options_read(int argc, char **argv, struct nvlink_options *ret_options);
void nvlink_options_finish(struct nvlink_options *options);

#endif
