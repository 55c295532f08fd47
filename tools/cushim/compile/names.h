/* SPDX-License-Identifier: MIT */
/*
 * The names of a kernel's parameters, for people who read the written header and its messages. They
 * are read from the source as text, so they may be absent; types never come from here.
 */
#ifndef CUSHIM_TOOL_COMPILE_NAMES_H
#define CUSHIM_TOOL_COMPILE_NAMES_H

#include "kernels.h"

/*
 * Sets kernel->parameters. name is the kernel's name in the source, without namespaces and
 * arguments of templates. A parameter whose name is not found is called "argument_0" by its place.
 */
void name_parameters(struct cushim__arena *arena, const char *text, const char *name,
                     struct kernel *kernel);

#endif
