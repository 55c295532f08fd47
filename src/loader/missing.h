/* SPDX-License-Identifier: MIT */
/*
 * What a function answers that is not there. The generated stand-ins call these.
 */
#ifndef CUSHIM_LOADER_MISSING_H
#define CUSHIM_LOADER_MISSING_H

#include <cushim/status.h>

#include "base/rows.h"

enum {
    CUSHIM__SYMBOL_NOT_FOUND = 302, /* CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND */
    CUSHIM__INIT_FAILED = 303,      /* CUDA_ERROR_SHARED_OBJECT_INIT_FAILED */
};

/* The library does not have the function: 302, and a text that says what has it. */
int cushim__answer_missing(const struct cushim__rows *rows, unsigned row);

struct cushim__library;

/* CUSHIM_ERROR_MISSING_SYMBOL, for one library that is known to lack the row. */
cushim_status cushim__fail_missing(const struct cushim__library *library, size_t row,
                                   const char *call);

/* There is no library: 303, and a text that says why. */
int cushim__answer_closed(const struct cushim__rows *rows, unsigned row);

/* The same two for a function that returns a text. */
const char *cushim__answer_string(void);

/* Remembers why the last search for a library found none. */
void cushim__missing_explain(const struct cushim__rows *rows, const char *why);

/* The stand-ins of a row in a table of a library that lacks it, or of no library. */
cushim__entry *cushim__missing_entry(const struct cushim__rows *rows, size_t row);
cushim__entry *cushim__closed_entry(const struct cushim__rows *rows, size_t row);

extern cushim__entry *const cushim__cuda_missing[], *const cushim__cuda_closed[];
extern cushim__entry *const cushim__nvrtc_missing[], *const cushim__nvrtc_closed[];

#endif
