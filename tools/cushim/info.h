/* SPDX-License-Identifier: MIT */
/* All that `cushim info` knows, gathered first (info.c), then told (text.c, json.c). */
#ifndef CUSHIM_TOOL_INFO_H
#define CUSHIM_TOOL_INFO_H

#include <stdbool.h>
#include <stdio.h>

#include <cushim/report.h>

#include "devices.h"
#include "machine.h"

struct info_options {
    bool json;
    bool missing;        /* list the missing functions */
    const char *library; /* cushim_open_params.library for the driver, NULL for the default */
    const char *nvrtc;   /* and for NVRTC */
};

/** One library, and who had a say in which. */
struct info_library {
    const struct cushim_report *report;
    const char *option;   /* "--library" */
    const char *words;    /* what it was given, NULL if it was not */
    const char *variable; /* "CUSHIM_LIBCUDA" */
    const char *setting;  /* its value, NULL if it is not set */
    char *file;           /* the chosen file with all links followed, or NULL */
};

/** Why there is nothing to use. */
struct advice {
    const char *problem; /* one word for programs, static; NULL if the driver is usable */
    char *text;          /* what is wrong, and what to do about it; NULL if it is usable */
};

struct info {
    struct info_library driver, nvrtc;
    char driver_release[RELEASE_SIZE]; /* of the chosen file, by its name, or "" */
    struct devices devices;
    struct machine machine;
    struct advice advice;
};

/** Finds out whether the driver is usable, and if not, why. Needs the rest of info. */
struct advice advice_find(const struct info *info);

void info_print_text(const struct info *info, bool list_missing, FILE *out);
void info_print_json(const struct info *info, FILE *out);

#endif
