/* SPDX-License-Identifier: MIT */
/* For lower_matrix.c and lower_wgmma.c. */
#ifndef CUSHIM_MOCK_PTX_LOWER_LOWER_MATRIX_H
#define CUSHIM_MOCK_PTX_LOWER_LOWER_MATRIX_H

#include "mock/ptx/exec/matrix.h"
#include "mock/ptx/lower/lower.h"

#define PTX__MATRIX_SLOTS                                                                          \
    288 /* the most that an operation has: D and C of wgmma are the same 128 */

/* Finds the element of a type. False if there is none. */
bool ptx__element_type(enum ptx__type type, uint8_t *ret_element);

/* Reads a shape such as ".m16n8k16". */
bool ptx__matrix_shape(const struct ptx__instruction *at, struct ptx__matrix *matrix);

/* Appends the slots of an operand's registers to a list, and returns its new length. */
unsigned ptx__add_registers(struct ptx__lowering *lower, const struct ptx__operand *operand,
                            enum ptx__type type, uint32_t *slots, unsigned n);

/* Gives an operation its description and its list of slots. */
struct ptx__op *ptx__emit_matrix(struct ptx__lowering *lower, struct ptx__op *op,
                                 const struct ptx__matrix *matrix, const uint32_t *slots,
                                 unsigned n);

#endif
