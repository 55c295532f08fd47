/* SPDX-License-Identifier: MIT */
/* Finds out whether the mock executes a form of an instruction, by loading a module with it. */
#ifndef CUSHIM_TOOL_PTX_PROBE_H
#define CUSHIM_TOOL_PTX_PROBE_H

#include <stdbool.h>

#include "mock/ptx/syntax/isa.h"

/* A statement of a form, and its result. */
struct probe {
    const char *statement; /* "add.sat.s32 %r1, %r3, %r5;" */
    const char *why;       /* why it is not executed; NULL: it is executed */
};

/**
 * Probes the form with the first word of each slot, and once more for each other word, and calls
 * tell() for each statement. Returns false when out of memory.
 */
bool probe_form(const struct ptx__form *form, void (*tell)(const struct probe *probe, void *user),
                void *user);

#endif
