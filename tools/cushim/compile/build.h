/* SPDX-License-Identifier: MIT */
/* Compiling the source with NVRTC, once for each architecture. */
#ifndef CUSHIM_TOOL_COMPILE_BUILD_H
#define CUSHIM_TOOL_COMPILE_BUILD_H

#include <cushim/compile.h>

#include "request.h"

/* One compilation for one architecture. */
struct built {
    const struct arch *arch;
    cushim_image image;
    const char *bytes;
    size_t n_bytes;
};

/*
 * Compiles a text with the options of the request and these name expressions, which NULL ends.
 * The log goes to standard error: errors always, warnings if warn is true. Returns -1, or the exit
 * status. The caller frees the image.
 */
int build_text(const struct request *request, const char *text, const struct arch *arch,
               const char *const *expressions, bool warn, struct built *ret_built);

/* Checks that NVRTC has all architectures of the request. Returns -1, or the exit status. */
int check_archs(const struct request *request);

#endif
