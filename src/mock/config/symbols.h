/* SPDX-License-Identifier: MIT */
/* Where the mock's functions are, in the order of the rows of "base/rows.h". */
#ifndef CUSHIM_MOCK_CONFIG_SYMBOLS_H
#define CUSHIM_MOCK_CONFIG_SYMBOLS_H

#include "base/publish.h"
#include "base/rows.h"

/* The implementations: mock_cuX. */
extern CUSHIM__HIDDEN cushim__entry *const mock__functions[];

/* The exported functions: cuX. NULL in a build that exports nothing. */
extern CUSHIM__HIDDEN cushim__entry *const mock__exported[];

/*
 * The answer of a function that nothing implements: CUDA_ERROR_NOT_SUPPORTED, but first what
 * stands against calling any function, such as that nobody has called cuInit().
 */
CUSHIM__HIDDEN int mock__unsupported(void);

#endif
