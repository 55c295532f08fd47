/* SPDX-License-Identifier: MIT */
/* What the checkers of instructions share. */
#ifndef CUSHIM_MOCK_PTX_CHECK_CHECK_H
#define CUSHIM_MOCK_PTX_CHECK_CHECK_H

#include "mock/ptx/syntax/parser.h"

/* Finds the instruction's form, and checks the operands against it. */
bool ptx__check_instruction(struct ptx__parser *parser, struct ptx__instruction *instruction,
                            const uint16_t *words, unsigned n_words);

/* What is known of an instruction while it is checked. */
struct ptx__check {
    struct ptx__parser *parser;
    struct ptx__instruction *instruction;
    const uint16_t *words; /* all that followed its name, in the order written */
    unsigned n_words;
};

/* Do the words make this form, in whatever order they are? Types keep theirs. */
bool ptx__form_has_words(const struct ptx__check *check, const struct ptx__form *form);

/* Do the operands fit a form whose words fit? */
bool ptx__form_takes_operands(const struct ptx__check *check, const struct ptx__form *form);

/* Gives the operands the kinds and constants that the form wants. */
void ptx__settle_operands(const struct ptx__check *check, const struct ptx__form *form);

/* What forms cannot say: state spaces, calls. */
bool ptx__check_spaces(const struct ptx__check *check);
bool ptx__check_call(const struct ptx__check *check);
bool ptx__check_values(const struct ptx__check *check);

/* The type that a shape wants; PTX_NO_TYPE if the instruction says none. */
enum ptx__type ptx__shape_type(const struct ptx__instruction *instruction,
                               const struct ptx__shape *shape);

/* May a register of one type be used where another is wanted? */
bool ptx__type_fits(enum ptx__type has, enum ptx__type wanted, bool loose, bool any_class);

#endif
