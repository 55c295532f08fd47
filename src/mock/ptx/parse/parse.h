/* SPDX-License-Identifier: MIT */
/*
 * The functions that read the parts of a PTX text. Each begins at the current word of the lexer and
 * ends behind what it has read; what they answer is said in syntax/parser.h.
 */
#ifndef CUSHIM_MOCK_PTX_PARSE_PARSE_H
#define CUSHIM_MOCK_PTX_PARSE_PARSE_H

#include "mock/ptx/syntax/parser.h"

/* ---- expression.c: constants */

/* Is the current word the begin of one? */
bool ptx__at_number(const struct ptx__parser *parser);

/* A constant expression. ptx__parse_term(): without an operator outside of parentheses. */
bool ptx__parse_number(struct ptx__parser *parser, struct ptx__number *ret_number);
bool ptx__parse_term(struct ptx__parser *parser, struct ptx__number *ret_number);

/* One that is an integer and not negative. */
bool ptx__parse_size(struct ptx__parser *parser, size_t *ret_number);

/* ---- declaration.c */

/* A declaration after the word that says where it lives. */
struct ptx__declaration {
    struct ptx__token name;
    uint8_t type, vector;
    size_t bytes, alignment;
    size_t element_bytes; /* of a scalar */
    bool array;
    bool open; /* the first dimension is for the initial value to say */
    bool managed, unified;
    bool pointer;
    uint8_t pointee;
    size_t pointee_alignment;
    uint32_t n_dimensions;
    size_t strides[PTX_MAX_DIMENSIONS]; /* from one to the next in each dimension */
};

/* ".align 16 .b8 table[4][2]" */
bool ptx__parse_declaration(struct ptx__parser *parser, struct ptx__declaration *declaration);

/* The part before the name. */
bool ptx__parse_declared_type(struct ptx__parser *parser, struct ptx__declaration *declaration);

/* Variables of the module or of the function, behind the name of their space. */
bool ptx__parse_variables(struct ptx__parser *parser, enum ptx__space space,
                          enum ptx__linkage linkage);

/* ---- initial_value.c */
bool ptx__parse_initial_value(struct ptx__parser *parser,
                              const struct ptx__declaration *declaration,
                              struct ptx__variable *variable);

/* ---- module_text.c, function_text.c, body.c */

bool ptx__read_text(struct ptx__parser *parser);

/* Behind ".entry" or ".func". */
bool ptx__read_function(struct ptx__parser *parser, bool kernel, enum ptx__linkage linkage);

/* "(.param .b32 a, .reg .u32 b)", if there is one. */
bool ptx__parse_parameters(struct ptx__parser *parser, struct ptx__parameter **ret_parameters,
                           uint32_t *ret_n);
size_t ptx__place_parameters(struct ptx__parameter *parameters, uint32_t n);

/* A body in braces, of parser->function. */
bool ptx__read_body(struct ptx__parser *parser);

/* Behind ".file", ".loc", ".section". */
bool ptx__parse_file(struct ptx__parser *parser);
bool ptx__parse_location(struct ptx__parser *parser);
bool ptx__parse_section(struct ptx__parser *parser);

/* ---- instruction.c, operand.c, call.c */
bool ptx__parse_instruction(struct ptx__parser *parser);
bool ptx__parse_operands(struct ptx__parser *parser, struct ptx__instruction *instruction);

/* Operands with commas between them, up to a closing word, as the elements of one. */
bool ptx__parse_operand_list(struct ptx__parser *parser, struct ptx__operand *operand,
                             const char *end);

/* The four operands of a call. */
bool ptx__parse_call(struct ptx__parser *parser, struct ptx__operand *operands);

#endif
