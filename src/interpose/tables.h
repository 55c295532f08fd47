/* SPDX-License-Identifier: MIT */
/* The generated tables of all slots. */
#ifndef CUSHIM_INTERPOSE_TABLES_H
#define CUSHIM_INTERPOSE_TABLES_H

#include "interpose/slot.h"

extern cushim__entry *const *const cushim__interposed[CUSHIM__LISTS][CUSHIM__SLOTS];

#endif
