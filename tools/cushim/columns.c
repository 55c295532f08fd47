/* SPDX-License-Identifier: MIT */
#include "columns.h"

#include <stdlib.h>
#include <string.h>

#include "util.h"

enum { MAX_COLUMNS = 8 };

static void append(struct columns *columns, char *cell)
{
    columns->cells = must_realloc(columns->cells, (columns->n_cells + 1) * sizeof(*columns->cells));
    columns->cells[columns->n_cells++] = cell;
}

void columns_add(struct columns *columns, const char *text, ...)
{
    va_list arguments;
    va_start(arguments, text);
    char *cell = format_list(text, arguments);
    va_end(arguments);
    append(columns, printable(cell));
    free(cell);
}

void columns_end_row(struct columns *columns)
{
    append(columns, NULL);
}

/* Counts characters, not bytes. This suffices for the names that drivers and file systems use. */
static int width_of(const char *text)
{
    int width = 0;
    for (; *text; text++)
        width += ((unsigned char) *text & 0xc0) != 0x80;
    return width;
}

static void measure(const struct columns *columns, int widths[static MAX_COLUMNS])
{
    size_t column = 0;
    for (size_t i = 0; i < columns->n_cells; i++) {
        const char *cell = columns->cells[i];
        if (!cell) {
            column = 0;
        } else if (column < MAX_COLUMNS) {
            const int width = width_of(cell);
            if (width > widths[column])
                widths[column] = width;
            column++;
        }
    }
}

/*
 * Prints the row that begins at cells, without spaces at its end. Returns a pointer to the end of
 * the row.
 */
static char **print_row(char **cells, FILE *out, const int widths[static MAX_COLUMNS])
{
    int pending = 0;
    for (size_t column = 0; *cells; cells++, column++) {
        if (**cells) {
            fprintf(out, "%*s%s", pending, "", *cells);
            pending = 0;
        }
        if (column < MAX_COLUMNS)
            pending += widths[column] - width_of(*cells) + 3;
    }
    fputc('\n', out);
    return cells;
}

void columns_print(struct columns *columns, FILE *out, const char *label)
{
    int widths[MAX_COLUMNS] = {0};
    if (!columns->n_cells)
        return;
    measure(columns, widths);

    char **end = columns->cells + columns->n_cells;
    for (char **cells = columns->cells; cells < end; cells++) {
        const int first = cells == columns->cells;
        fprintf(out, "%-*s", width_of(label), first ? label : "");
        cells = print_row(cells, out, widths);
    }
    for (size_t i = 0; i < columns->n_cells; i++)
        free(columns->cells[i]);
    free(columns->cells);
    *columns = (struct columns){0};
}
