/* SPDX-License-Identifier: MIT */
/*
 * Shared by loads and stores of all state spaces. lower_frame.c has what lies in frames,
 * lower_async.c where operands of copies are, and lower_bulk.c their reductions.
 */
#ifndef CUSHIM_MOCK_PTX_LOWER_LOWER_MEMORY_H
#define CUSHIM_MOCK_PTX_LOWER_LOWER_MEMORY_H

#include "mock/ptx/exec/async.h"
#include "mock/ptx/lower/lower.h"
#include "mock/ptx/machine/reduction.h"

/* Writes the type in memory, such as "s8" or "u32", as far as it matters for the loaded value. */
void ptx__loaded_type(enum ptx__type type, unsigned declared, char text[8]);

/* Returns the declared bits of a register, or 32 if the operand is no register. */
unsigned ptx__declared_bits(const struct ptx__lowering *lower, const struct ptx__operand *operand);

/* Returns the registers that are loaded or stored: one, or those of a vector. */
const struct ptx__operand *ptx__elements_of(const struct ptx__operand *operand, unsigned *ret_n);

/* Returns the first element that is not "_", which determines the size of the registers. */
const struct ptx__operand *ptx__first_register(const struct ptx__operand *elements, unsigned n);

/*
 * Returns the size in the key: that of the slot, but 16 if a signed byte goes to 16 bits, which
 * slots hold without a sign.
 */
unsigned ptx__slot_word(const struct ptx__lowering *lower, const struct ptx__operand *operand,
                        const char *type);

/* Writes the slot of each stored element to slots, and returns the size of one element. */
unsigned ptx__stored(struct ptx__lowering *lower, const struct ptx__operand *elements, unsigned n,
                     uint32_t *slots);

/* Returns the place of an address operand in a state space. */
struct ptx__place_in ptx__place_of(struct ptx__lowering *lower, const struct ptx__operand *memory,
                                   enum ptx__space space);

/* In lower_bulk.c: the reduction that an instruction names. */
enum ptx__reduction ptx__reduction_of(const struct ptx__instruction *at);

/*
 * In lower_frame.c: ld and st of named things in the function's frame, or of a kernel's parameters.
 * Their place and size are known now, so nothing is checked at run time: an access that is not
 * inside becomes a fault. False if the bytes are elsewhere.
 */
bool ptx__lower_frame_load(struct ptx__lowering *lower);
bool ptx__lower_frame_store(struct ptx__lowering *lower);

#endif
