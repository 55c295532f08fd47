/* SPDX-License-Identifier: MIT */
/* The headers that a source includes, for make and ninja. NVRTC does not tell them. */
#ifndef CUSHIM_TOOL_COMPILE_INCLUDES_H
#define CUSHIM_TOOL_COMPILE_INCLUDES_H

#include "request.h"

/*
 * Writes the file of dependencies of the request. text is the source. Returns -1, or the exit
 * status.
 */
int write_dependencies(const struct request *request, const char *text);

#endif
