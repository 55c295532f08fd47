/* SPDX-License-Identifier: MIT */
/* The functions that a library does not have, grouped by the reason. */
#ifndef CUSHIM_TOOL_MISSING_H
#define CUSHIM_TOOL_MISSING_H

#include <stddef.h>

#include <cushim/report.h>

enum missing_reason {
    MISSING_NEWER,   /* they came with a later CUDA version than this library's */
    MISSING_REMOVED, /* CUDA has removed them in this library's version or before */
    MISSING_LACKING, /* this library's version of CUDA has them, but the library does not */
    N_MISSING_REASONS
};

/** Returns the word for a reason in JSON. */
const char *missing_reason_word(enum missing_reason reason);

enum missing_reason missing_reason_of(const struct cushim_report *report,
                                      const struct cushim_missing *missing);

struct missing_group {
    const struct cushim_missing **functions; /* sorted by the version that introduced them */
    size_t n;
};

/** Collects the functions of a report that are missing for this reason. */
void missing_group_init(struct missing_group *group, const struct cushim_report *report,
                        enum missing_reason reason);
void missing_group_finish(struct missing_group *group);

/**
 * Returns a title such as "32 functions of CUDA 12.5 and later" for a group that is not empty. The
 * caller frees it.
 */
char *missing_group_title(const struct missing_group *group, const struct cushim_report *report,
                          enum missing_reason reason);

/** Returns up to three names of the group, separated by commas. The caller frees the text. */
char *missing_group_examples(const struct missing_group *group);

#endif
