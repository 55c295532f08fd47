/* SPDX-License-Identifier: MIT */
/* How many registers a function needs. */
#ifndef CUSHIM_MOCK_PTX_LINK_REGISTERS_H
#define CUSHIM_MOCK_PTX_LINK_REGISTERS_H

#include <stdbool.h>

struct ptx__function;

/* Estimates the 32-bit registers that a function needs at once. False if there is no memory. */
bool ptx__count_registers(struct ptx__function *function);

/*
 * Returns the number of registers of a kernel, if its compilation is limited to a number of
 * registers, or to those with which a block of so many threads can run. 0 stands for no limit. The
 * kernel's own directives take precedence.
 */
unsigned ptx__limit_registers(const struct ptx__function *function, unsigned registers,
                              unsigned threads);

#endif
