/* SPDX-License-Identifier: MIT */
/*
 * Findings that the user does not want to be told of, such as what a library that is not theirs
 * never frees. CUSHIM_MOCK_SUPPRESS has patterns as the shell's, separated by ";" or lines, or
 * "@FILE". A pattern stands for a whole finding, "leak: event*". Under the driver's lock, but for
 * the check.
 */
#ifndef CUSHIM_MOCK_CONFIG_SUPPRESS_H
#define CUSHIM_MOCK_CONFIG_SUPPRESS_H

#include <stdbool.h>

#include <cushim/mock.h>

struct cushim__str;

/* Returns the words for a kind of finding, such as "data race". */
const char *mock__finding_word(enum cushim_mock_finding_kind kind);

/* Tells whether the variable can be read. If not, error gets a sentence. Takes no lock. */
bool mock__suppress_check(struct cushim__str *error);

/* Reads the variable again, for cuInit(). */
void mock__suppress_start(void);

bool mock__suppressed(enum cushim_mock_finding_kind kind, const char *text);

#endif
