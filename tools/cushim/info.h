/* SPDX-License-Identifier: MIT */
/* The information of `cushim info`. info.c collects it; text.c and json.c print it. */
#ifndef CUSHIM_TOOL_INFO_H
#define CUSHIM_TOOL_INFO_H

#include <stdbool.h>
#include <stdio.h>

#include <cushim/compile.h>
#include <cushim/report.h>

#include "devices.h"
#include "machine.h"

struct info_options {
    bool json;
    bool missing;          /* list the missing functions */
    const char *library;   /* cushim_open_params.library for the driver, NULL for the default */
    const char *nvrtc;     /* the same for NVRTC, */
    const char *nvjitlink; /* and for nvJitLink */
};

/** One library, and what decides which file is opened. */
struct info_library {
    const struct cushim_report *report;
    const char *option;   /* "--library" */
    const char *words;    /* its argument, NULL if the option is not given */
    const char *variable; /* "CUSHIM_LIBCUDA" */
    const char *setting;  /* its value, NULL if the variable is not set */
    char *file;           /* the chosen file with all links followed, or NULL */
};

/** The cache of compilations. */
struct info_cache {
    const char *folder, *bytes; /* the variables CUSHIM_CACHE and CUSHIM_CACHE_BYTES, or NULL */
    cushim_status status;
    char *text;                      /* the sentence that goes with status; NULL if it is 0 */
    struct cushim_cache_state state; /* all 0 if the status is not */
};

/** Why there is no usable driver. */
struct advice {
    const char *problem; /* a word for programs, in static memory; NULL if the driver is usable */
    char *text;          /* the cause and the remedy; NULL if the driver is usable */
};

struct info {
    struct info_library driver, nvrtc, nvjitlink;
    struct info_cache cache;
    char driver_release[RELEASE_SIZE]; /* from the name of the chosen file, or "" */
    struct devices devices;
    struct machine machine;
    const char *kernels; /* how the mock runs them; NULL if the driver is none */
    struct advice advice;
};

/** Finds out why the driver is not usable, if it is not. The other fields of info must be set. */
struct advice advice_find(const struct info *info);

/** Returns a function of the chosen driver that only the mock has, or NULL. */
void *mock_function(const struct cushim_candidate *chosen, const char *name);

/** Looks at the folder of the cache. The variables must be set. */
void cache_look(struct info_cache *cache);

void info_print_text(const struct info *info, bool list_missing, FILE *out);
void info_print_json(const struct info *info, FILE *out);

#endif
