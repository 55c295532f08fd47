/* SPDX-License-Identifier: MIT */
/*
 * Code for a device, as the program provides it: PTX, a cubin or a fat binary.
 *
 * The driver gets a pointer without a length. It reads as far as the headers of the code say, or up
 * to a NUL. So cushim copies the code, puts a NUL behind it, and checks that the code is as long as
 * its headers say.
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

/*
 * Copies and checks code. label is its name in the error text of CUDA_ERROR_INVALID_IMAGE; it may
 * be NULL.
 */
cushim_status cushim__code_copy(const void *data, size_t bytes, const char *label, const char *call,
                                struct cushim__code *ret_code);

/* Reads and checks the code of a file. */
cushim_status cushim__code_read(const char *path, const char *call, struct cushim__code *ret_code);

void cushim__code_finish(struct cushim__code *code);

#endif
