/* SPDX-License-Identifier: MIT */
/* The functions that a library does not have, sorted by why. */
#ifndef CUSHIM_TOOL_MISSING_H
#define CUSHIM_TOOL_MISSING_H

#include <stddef.h>

#include <cushim/report.h>

enum missing_reason {
    MISSING_NEWER,   /* they came with a later CUDA than this library's */
    MISSING_REMOVED, /* CUDA had taken them out by this library's version */
    MISSING_LACKING, /* this library's version of CUDA has them, and it does not */
    N_MISSING_REASONS
};

/** The word for it in JSON. */
const char *missing_reason_word(enum missing_reason reason);

enum missing_reason missing_reason_of(const struct cushim_report *report,
                                      const struct cushim_missing *missing);

struct missing_group {
    const struct cushim_missing **functions; /* by the version that brought them */
    size_t n;
};

/** The functions of a report that are missing for this reason. */
void missing_group_init(struct missing_group *group, const struct cushim_report *report,
                        enum missing_reason reason);
void missing_group_finish(struct missing_group *group);

/** "32 functions of CUDA 12.5 and later", for a group that is not empty. Freed by the caller. */
char *missing_group_title(const struct missing_group *group, const struct cushim_report *report,
                          enum missing_reason reason);

/** Up to three of its names, separated by commas. Freed by the caller. */
char *missing_group_examples(const struct missing_group *group);

#endif
