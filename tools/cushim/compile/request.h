/* SPDX-License-Identifier: MIT */
/* What the command line of `cushim compile` asks for. */
#ifndef CUSHIM_TOOL_COMPILE_REQUEST_H
#define CUSHIM_TOOL_COMPILE_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

enum output_format { FORMAT_NONE, FORMAT_PTX, FORMAT_CUBIN, FORMAT_FAT, FORMAT_HEADER };

/* An architecture, such as "90a" or "sm_90a". */
struct arch {
    const char *text; /* "compute_90a" or "sm_90a"; NULL is NVRTC's default */
    bool machine_code;
    unsigned number; /* 90; 0 for NVRTC's default */
    char suffix;     /* 'a', 'f' or 0 */
};

/* A kernel that the command line names: "scale_float=scale<float>". */
struct wanted {
    const char *name; /* in C; NULL: not given */
    const char *expression;
};

enum { MOST_OPTIONS = 256 };

struct request {
    struct cushim__arena *arena;
    const char *source; /* the path */
    const char *output, *dependencies;
    enum output_format format;
    const char *prefix; /* of what a header declares for all of its kernels */

    /* Lists that end with NULL. */
    const char *include_paths[MOST_OPTIONS + 1], *definitions[MOST_OPTIONS + 1],
        *options[MOST_OPTIONS + 1], *headers[MOST_OPTIONS + 1];
    size_t n_include_paths, n_definitions, n_options, n_headers;
    struct arch archs[MOST_OPTIONS];
    size_t n_archs;
    struct wanted wanted[MOST_OPTIONS];
    size_t n_wanted;
    const char *std;
    bool fast_math, line_info;
};

/* Reads the command line. Returns -1 to continue, or the exit status. */
int read_request(int argc, char **argv, struct request *request);

#endif
