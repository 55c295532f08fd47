/* SPDX-License-Identifier: MIT */
/*
 * Generated calls of all functions, by row: argument number i is i + 1; a float
 * has a half more, and the fields of a structure go up, or to the negative, from there.
 */
#ifndef CUSHIM_TESTS_INTERPOSE_EVERY_CALL_H
#define CUSHIM_TESTS_INTERPOSE_EVERY_CALL_H

#include <stdint.h>

#include <cushim/driver.h>

typedef intptr_t every_call(const cushim_entry *table);

extern every_call *const every_cuda_call[], *const every_nvrtc_call[],
                                                *const every_nvjitlink_call[];

#endif
