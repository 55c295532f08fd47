/* SPDX-License-Identifier: MIT */
/* A list of functions, generated from a .symbols file. tools/symbols.py describes the columns. */
#ifndef CUSHIM_BASE_ROWS_H
#define CUSHIM_BASE_ROWS_H

#include <stddef.h>
#include <stdint.h>

enum {
    CUSHIM__ROW_PTDS = 1,   /* per-thread variant of a call that waits */
    CUSHIM__ROW_PTSZ = 2,   /* per-thread variant of a call that takes a stream */
    CUSHIM__ROW_STRING = 4, /* returns const char *, not a result */
    /* How fault injection treats the function. */
    CUSHIM__ROW_LAUNCH = 8,   /* launches kernels */
    CUSHIM__ROW_RELEASE = 16, /* releases something, or waits */
    CUSHIM__ROW_BASIC = 32,   /* returns information about errors */
    CUSHIM__ROW_LOST = 64,    /* works also on a lost device */
};

/*
 * Texts are offsets into the list's strings, so that the table needs no relocation when it is
 * loaded.
 */
struct cushim__row {
    uint16_t symbol, base, signature;
    uint16_t flags;
    uint16_t since, until; /* CUDA versions; until is 0 for a function that is still there */
};

struct cushim__rows {
    const struct cushim__row *rows;
    const uint16_t *by_name; /* row numbers in the order of strcmp() */
    const char *strings;
    size_t count;
};

extern const struct cushim__rows cushim__cuda_rows, cushim__nvrtc_rows, cushim__nvjitlink_rows;

static inline const char *cushim__row_symbol(const struct cushim__rows *list, size_t row)
{
    return list->strings + list->rows[row].symbol;
}

static inline const char *cushim__row_base(const struct cushim__rows *list, size_t row)
{
    return list->strings + list->rows[row].base;
}

/* Returns the signature: one letter for each argument, "" for a function without arguments. */
static inline const char *cushim__row_signature(const struct cushim__rows *list, size_t row)
{
    return list->strings + list->rows[row].signature;
}

/* Returns the row of an exported name, or list->count if there is none. */
size_t cushim__row_find(const struct cushim__rows *list, const char *symbol);

/* A function of unknown type. Tables consist of such functions. */
typedef void cushim__entry(void);

#endif
