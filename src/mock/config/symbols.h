/* SPDX-License-Identifier: MIT */
/* The mock's functions, in the order of the rows of "base/rows.h". */
#ifndef CUSHIM_MOCK_CONFIG_SYMBOLS_H
#define CUSHIM_MOCK_CONFIG_SYMBOLS_H

#include "base/publish.h"
#include "base/rows.h"

/* The implementations: mock_cuX. */
extern CUSHIM__HIDDEN cushim__entry *const mock__functions[];

/* The exported functions: cuX. NULL in a build that exports nothing. */
extern CUSHIM__HIDDEN cushim__entry *const mock__exported[];

#endif
