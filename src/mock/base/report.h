/* SPDX-License-Identifier: MIT */
/*
 * Tells `cushim run --check` of findings as they come, so that those of a process that ends early
 * are not lost. CUSHIM_MOCK_CHECK_REPORT is its file, which is opened for each line: the program
 * may close descriptors that it does not know.
 */
#ifndef CUSHIM_MOCK_BASE_REPORT_H
#define CUSHIM_MOCK_BASE_REPORT_H

/* Adds "PID WORD: TEXT" to the file, if there is one. */
void mock__report(const char *word, const char *text);

#endif
