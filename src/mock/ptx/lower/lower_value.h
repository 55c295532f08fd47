/* SPDX-License-Identifier: MIT */
/* Moving values between registers and the frame of a function. */
#ifndef CUSHIM_MOCK_PTX_LOWER_LOWER_VALUE_H
#define CUSHIM_MOCK_PTX_LOWER_LOWER_VALUE_H

#include "mock/ptx/lower/lower.h"

/*
 * Move a register of this type (a vector, if `vector` is not 0) to the frame at `at`, or from
 * there.
 */
void ptx__value_put(struct ptx__lowering *lower, uint32_t slot, enum ptx__type type,
                    unsigned vector, uint32_t at);
void ptx__value_take(struct ptx__lowering *lower, uint32_t slot, enum ptx__type type,
                     unsigned vector, uint32_t at);

/* Moves from the frame to the register, or the component of one, that an operand names. */
void ptx__value_take_register(struct ptx__lowering *lower, const struct ptx__operand *operand,
                              uint32_t at);

#endif
