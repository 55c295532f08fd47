/* SPDX-License-Identifier: MIT */
/* Shared by the checkers of instructions. They are the files check_*.c. */
#ifndef CUSHIM_MOCK_PTX_CHECK_CHECK_H
#define CUSHIM_MOCK_PTX_CHECK_CHECK_H

#include "mock/ptx/syntax/parser.h"

/* Finds the instruction's form, and checks the operands against it. */
bool ptx__check_instruction(struct ptx__parser *parser, struct ptx__instruction *instruction,
                            const uint16_t *words, unsigned n_words);

/* The state while an instruction is checked. */
struct ptx__check {
    struct ptx__parser *parser;
    struct ptx__instruction *instruction;
    const uint16_t *words; /* all words after the name, in the order of the text */
    unsigned n_words;
};

/* Tells whether the words make this form, in any order. Types keep their order. */
bool ptx__form_has_words(const struct ptx__check *check, const struct ptx__form *form);

/* Tells whether the operands fit a form whose words fit. */
bool ptx__form_takes_operands(const struct ptx__check *check, const struct ptx__form *form);

/* Tell whether an operand is a vector without a component: a register, or a special one. */
bool ptx__is_vector_register(const struct ptx__check *check, const struct ptx__operand *operand);
bool ptx__is_special_vector(const struct ptx__operand *operand);

/* Gives the operands the kinds and constants that the form wants. */
bool ptx__settle_operands(const struct ptx__check *check, const struct ptx__form *form);

/* Checks that forms cannot express: state spaces, calls, values of constants. */
bool ptx__check_spaces(const struct ptx__check *check);
bool ptx__check_call(const struct ptx__check *check);
bool ptx__check_values(const struct ptx__check *check);

/* Returns the type that a shape wants; PTX_NO_TYPE if the instruction has none. */
enum ptx__type ptx__shape_type(const struct ptx__instruction *instruction,
                               const struct ptx__shape *shape);

/* Tells whether a register of one type may be used where another one is wanted. */
bool ptx__type_fits(enum ptx__type has, enum ptx__type wanted, bool loose, bool any_class);

#endif
