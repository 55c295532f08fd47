/* SPDX-License-Identifier: MIT */
/* What loads and stores have in common, wherever the bytes are. */
#ifndef CUSHIM_MOCK_PTX_LOWER_LOWER_MEMORY_H
#define CUSHIM_MOCK_PTX_LOWER_LOWER_MEMORY_H

#include "mock/ptx/lower/lower.h"

/* "s8", "u32": the type in memory, as far as it makes a difference for what is loaded. */
void ptx__loaded_type(enum ptx__type type, unsigned declared, char text[8]);

/* How many bits the register is declared with; 32 for what is none. */
unsigned ptx__declared_bits(const struct ptx__lowering *lower, const struct ptx__operand *operand);

/* The registers that are loaded or stored: one, or those of a vector. */
const struct ptx__operand *ptx__elements_of(const struct ptx__operand *operand, unsigned *ret_n);

/* The first that is no "_": it says how large the registers are. */
const struct ptx__operand *ptx__first_register(const struct ptx__operand *elements, unsigned n);

/* "32": the slot; "16" where a signed byte goes into 16 bits, which are kept without a sign. */
unsigned ptx__slot_word(const struct ptx__lowering *lower, const struct ptx__operand *operand,
                        const char *type);

/* The slot's size of what is stored, and all of its elements. */
unsigned ptx__stored(struct ptx__lowering *lower, const struct ptx__operand *elements, unsigned n,
                     uint32_t *slots);

/*
 * lower_frame.c: ld and st of what is named, in the function's own frame or a kernel's
 * parameters. Where that is, and how much there is, is known by now, so nothing has to be looked
 * at later: what is not all of it inside becomes a fault. False: the bytes are elsewhere.
 */
bool ptx__lower_frame_load(struct ptx__lowering *lower);
bool ptx__lower_frame_store(struct ptx__lowering *lower);

#endif
