/* SPDX-License-Identifier: MIT */
/* Files, and what a kernel prints. */
#ifndef CUSHIM_TESTS_CORPUS_TEXT_H
#define CUSHIM_TESTS_CORPUS_TEXT_H

#include <stdbool.h>
#include <stdio.h>

/* A file's text, to be freed; NULL if it cannot be read. */
char *corpus_read_file(const char *path);

/* Standard output, led into a file for a while. */
struct corpus_caught {
    int out; /* where it led before */
    FILE *file;
};

void corpus_catch(struct corpus_caught *ret_caught);

/* Leads it back. The text, to be freed. */
char *corpus_caught(struct corpus_caught *caught);

/* Whether two texts differ as sets of lines: threads print in no order. Says so. */
bool corpus_differ(const char *expected, const char *actual);

#endif
