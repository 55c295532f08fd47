/* SPDX-License-Identifier: MIT */
/* Lines of text whose cells stand below each other. */
#ifndef CUSHIM_TOOL_COLUMNS_H
#define CUSHIM_TOOL_COLUMNS_H

#include <stddef.h>
#include <stdio.h>

#include <cushim/version.h>

/** The cells of all rows, one after the other; NULL ends a row. Starts as {0}. */
struct columns {
    char **cells;
    size_t n_cells;
};

/** Adds a cell to the last row. What it says is made printable. */
void columns_add(struct columns *columns, const char *text, ...) CUSHIM_PRINTF(2, 3);

/** Ends the last row. */
void columns_end_row(struct columns *columns);

/**
 * Prints the rows, three spaces between columns, the first one behind label and the others
 * below it, and frees everything.
 */
void columns_print(struct columns *columns, FILE *out, const char *label);

#endif
