/* SPDX-License-Identifier: MIT */
/* The table of all PTX instructions. */
#ifndef CUSHIM_TOOL_PTX_COVERAGE_H
#define CUSHIM_TOOL_PTX_COVERAGE_H

#include <stdbool.h>

/**
 * Prints the table, if with_forms with all forms of each instruction. Returns an enum
 * command_status.
 */
int print_coverage(bool with_forms);

#endif
