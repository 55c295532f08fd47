/* SPDX-License-Identifier: MIT */
/* One call of a row, and what must hold after it. */
#ifndef CUSHIM_TESTS_SAFE_ARGUMENTS_CALL_H
#define CUSHIM_TESTS_SAFE_ARGUMENTS_CALL_H

#include "bad.h"
#include "rows.h"

/*
 * Calls the function of a row with good arguments, but for those whose place in bad is not NULL.
 * Prints what is wrong afterwards.
 */
void call_row(struct world *w, const struct row *row, const struct bad *const *bad);

/* How many calls there were so far, and how many things were wrong. */
extern size_t calls, wrongs;

/* Prints, at a signal that ends the process, which call it came in. */
void tell_at_signals(void);

#endif
