/* SPDX-License-Identifier: MIT */
/* What the mock was asked to be: by a program in C, by a file, or by the environment. */
#ifndef CUSHIM_MOCK_CONFIG_H
#define CUSHIM_MOCK_CONFIG_H

#include <stdint.h>

/* What choices that CUDA leaves open are drawn from; 0 when nothing says. */
uint64_t mock__seed(void);

#endif
