/* SPDX-License-Identifier: MIT */
/* The results of functions that a library does not have. The generated stand-ins call these. */
#ifndef CUSHIM_LOADER_MISSING_H
#define CUSHIM_LOADER_MISSING_H

#include <cushim/status.h>

#include "base/rows.h"

enum {
    CUSHIM__SYMBOL_NOT_FOUND = 302, /* CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND */
    CUSHIM__INIT_FAILED = 303,      /* CUDA_ERROR_SHARED_OBJECT_INIT_FAILED */
};

/* Returns 302. The error text says which CUDA version has the function. */
int cushim__answer_missing(const struct cushim__rows *rows, unsigned row);

struct cushim__library;

/* Fails with CUSHIM_ERROR_MISSING_SYMBOL for a library that lacks the row. */
cushim_status cushim__fail_missing(const struct cushim__library *library, size_t row,
                                   const char *call);

/* Returns 303, because no library is open. The error text says why not. */
int cushim__answer_closed(const struct cushim__rows *rows, unsigned row);

/* Returns the text of functions that return a text instead of a result, in both cases. */
const char *cushim__answer_string(void);

/* Stores why the last search found no library. */
void cushim__missing_explain(const struct cushim__rows *rows, const char *why);

/*
 * Return the stand-in for a row: in the table of a library that lacks it, and in the table without
 * a library.
 */
cushim__entry *cushim__missing_entry(const struct cushim__rows *rows, size_t row);
cushim__entry *cushim__closed_entry(const struct cushim__rows *rows, size_t row);

extern cushim__entry *const cushim__cuda_missing[], *const cushim__cuda_closed[];
extern cushim__entry *const cushim__nvrtc_missing[], *const cushim__nvrtc_closed[];
extern cushim__entry *const cushim__nvjitlink_missing[], *const cushim__nvjitlink_closed[];

#endif
