/* SPDX-License-Identifier: MIT */
/*
 * The headers that a source includes, for a file of dependencies. NVRTC does not tell them, so they
 * are found as the preprocessor finds them, but without its conditions: a header that is included
 * only under another macro is a dependency, too.
 */
#ifndef CUSHIM_TOOL_COMPILE_INCLUDES_H
#define CUSHIM_TOOL_COMPILE_INCLUDES_H

#include "request.h"

/*
 * Writes the file of dependencies of the request. text is the source. Returns -1, or the exit
 * status.
 */
int write_dependencies(const struct request *request, const char *text);

#endif
