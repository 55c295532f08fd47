/* SPDX-License-Identifier: MIT */
/* The table of all instructions of PTX. */
#ifndef CUSHIM_TOOL_PTX_COVERAGE_H
#define CUSHIM_TOOL_PTX_COVERAGE_H

#include <stdbool.h>

/** Prints it, with all forms of each instruction or without. Returns an enum command_status. */
int print_coverage(bool with_forms);

#endif
