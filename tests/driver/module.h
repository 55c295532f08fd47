/* SPDX-License-Identifier: MIT */
/* The parts of the group "module" that are about functions and libraries. */
#ifndef CUSHIM_TESTS_DRIVER_MODULE_H
#define CUSHIM_TESTS_DRIVER_MODULE_H

#include "ask.h"

/* The keys begin with `key`. */
void ask_parameters(const char *key, CUfunction function);

void ask_attributes(CUfunction function, CUfunction with_shared_memory);

void ask_library(void);

#endif
