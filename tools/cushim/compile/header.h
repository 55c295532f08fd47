/* SPDX-License-Identifier: MIT */
/* The header that `cushim compile` writes. */
#ifndef CUSHIM_TOOL_COMPILE_HEADER_H
#define CUSHIM_TOOL_COMPILE_HEADER_H

#include "base/str.h"
#include "kernels.h"

/* Appends the header for code and its kernels. str->failed tells whether memory was there. */
void append_header(struct cushim__str *str, const struct request *request, const char *code,
                   size_t n_code, const struct kernel *kernels, size_t n);

#endif
