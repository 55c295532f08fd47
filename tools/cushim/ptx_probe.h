/* SPDX-License-Identifier: MIT */
/* Does the mock execute this form of an instruction? It is asked, by loading one. */
#ifndef CUSHIM_TOOL_PTX_PROBE_H
#define CUSHIM_TOOL_PTX_PROBE_H

#include <stdbool.h>

#include "mock/ptx/syntax/isa.h"

/* One statement of a form and what came of it. */
struct probe {
    const char *statement; /* "add.sat.s32 %r1, %r3, %r5;" */
    const char *why;       /* it is not executed; NULL: it is */
};

/**
 * Writes the form with the first word of each slot, and once more for every other word, and tells
 * each. Returns false out of memory.
 */
bool probe_form(const struct ptx__form *form, void (*tell)(const struct probe *probe, void *user),
                void *user);

#endif
