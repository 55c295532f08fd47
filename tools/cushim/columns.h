/* SPDX-License-Identifier: MIT */
/* Lines of text whose cells are aligned in columns. */
#ifndef CUSHIM_TOOL_COLUMNS_H
#define CUSHIM_TOOL_COLUMNS_H

#include <stddef.h>
#include <stdio.h>

#include <cushim/version.h>

/** The cells of all rows, one after another; NULL ends a row. Initialised with {0}. */
struct columns {
    char **cells;
    size_t n_cells;
};

/** Adds a cell to the last row. Characters that are not printable are replaced. */
void columns_add(struct columns *columns, const char *text, ...) CUSHIM_PRINTF(2, 3);

/** Ends the last row. */
void columns_end_row(struct columns *columns);

/**
 * Prints the rows with three spaces between columns, and frees everything. The first row is behind
 * label, and the others are below it.
 */
void columns_print(struct columns *columns, FILE *out, const char *label);

#endif
