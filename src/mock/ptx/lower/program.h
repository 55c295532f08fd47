/* SPDX-License-Identifier: MIT */
/* Lowering a module to a program, which runs: lower.c. */
#ifndef CUSHIM_MOCK_PTX_LOWER_PROGRAM_H
#define CUSHIM_MOCK_PTX_LOWER_PROGRAM_H

#include "mock/ptx/machine/code.h"
#include "mock/ptx/syntax/ast.h"
#include "mock/ptx/syntax/log.h"

/*
 * Lowers a module whose variables have addresses. If the engine cannot execute something, the log
 * names it, and the result is PTX_REFUSED. The program does not refer to the module afterwards.
 */
enum ptx__status ptx__lower(const struct ptx__module *module, struct ptx__log *log,
                            struct ptx__program **ret_program);

void ptx__program_free(struct ptx__program *program);

/* Returns NULL if there is none. */
const struct ptx__code *ptx__program_find(const struct ptx__program *program, const char *name);

#endif
