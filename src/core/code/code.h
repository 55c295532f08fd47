/* SPDX-License-Identifier: MIT */
/*
 * Code for a device, as somebody gave it: PTX, a cubin or a fat binary.
 *
 * The driver takes a pointer without a length, and reads as far as the headers in the
 * code tell it to, or to a NUL. So the code is copied, given its NUL, and checked to be as long
 * as it says it is.
 */
#ifndef CUSHIM_CORE_CODE_CODE_H
#define CUSHIM_CORE_CODE_CODE_H

#include <stdbool.h>
#include <stddef.h>

#include <cushim/status.h>

enum cushim__code_kind { CUSHIM__CODE_PTX, CUSHIM__CODE_CUBIN, CUSHIM__CODE_FATBINARY };

struct cushim__code {
    enum cushim__code_kind kind;
    char *bytes; /* a NUL follows */
    size_t n_bytes;
};

/* label names it in the sentence of CUDA_ERROR_INVALID_IMAGE; it may be NULL. */
cushim_status cushim__code_copy(const void *data, size_t bytes, const char *label, const char *call,
                                struct cushim__code *ret_code);

/* The same of a file. */
cushim_status cushim__code_read(const char *path, const char *call, struct cushim__code *ret_code);

void cushim__code_finish(struct cushim__code *code);

#endif
