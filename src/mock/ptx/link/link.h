/* SPDX-License-Identifier: MIT */
/*
 * The work once all texts of a module are read. Definitions are linked in link.c, layout.c gives
 * out places, and convention.c checks calls.
 */
#ifndef CUSHIM_MOCK_PTX_LINK_LINK_H
#define CUSHIM_MOCK_PTX_LINK_LINK_H

#include "mock/ptx/syntax/parser.h"

/* Functions of the device's runtime: without a body in any text, and callable. */
bool ptx__is_provided(const char *name);

/* Puts definitions in the place of declarations, across the texts. */
bool ptx__link(struct ptx__parser *parser);

/* Gives variables their places, and finds the functions' usage. */
bool ptx__lay_out(struct ptx__parser *parser);

/* Checks the arguments of calls, and reads of parameters that no call gives. Usage is known. */
bool ptx__check_calls(struct ptx__parser *parser);

/* Calls visit with every operand of an instruction, those in vectors and lists too. */
void ptx__each_operand(const struct ptx__instruction *instruction,
                       void (*visit)(void *context, struct ptx__operand *operand), void *context);

#endif
