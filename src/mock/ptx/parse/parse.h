/* SPDX-License-Identifier: MIT */
/*
 * The functions that read the parts of a PTX text. Each begins at the current word of the lexer and
 * ends behind the text that it has read. syntax/parser.h describes their results. Each part has a
 * file: module_text.c, function_text.c, body.c, declaration.c, initial_value.c, instruction.c,
 * operand.c, call.c, expression.c and source_text.c.
 */
#ifndef CUSHIM_MOCK_PTX_PARSE_PARSE_H
#define CUSHIM_MOCK_PTX_PARSE_PARSE_H

#include "mock/ptx/syntax/parser.h"

/* ---- expression.c: constants */

/* Tells whether a constant begins at the current word. */
bool ptx__at_number(const struct ptx__parser *parser);

/* Reads a constant expression. ptx__parse_term() reads no operators outside of parentheses. */
bool ptx__parse_number(struct ptx__parser *parser, struct ptx__number *ret_number);
bool ptx__parse_term(struct ptx__parser *parser, struct ptx__number *ret_number);

/* Reads an integer that is not negative. */
bool ptx__parse_size(struct ptx__parser *parser, size_t *ret_number);

/* ---- declaration.c */

/* A declaration, after the word for its state space. */
struct ptx__declaration {
    struct ptx__token name;
    uint8_t type, vector;
    size_t bytes, alignment;
    size_t element_bytes; /* of one scalar */
    bool array;
    bool open; /* the initial value decides the first dimension */
    bool managed, unified;
    bool pointer;
    uint8_t pointee;
    size_t pointee_alignment;
    uint32_t n_dimensions;
    size_t strides[PTX_MAX_DIMENSIONS]; /* from one element to the next, for each dimension */
};

/* Reads such as ".align 16 .b8 table[4][2]". */
bool ptx__parse_declaration(struct ptx__parser *parser, struct ptx__declaration *declaration);

/* Reads the part before the name. */
bool ptx__parse_declared_type(struct ptx__parser *parser, struct ptx__declaration *declaration);

/* Reads variables of the module or of the function, after the name of their state space. */
bool ptx__parse_variables(struct ptx__parser *parser, enum ptx__space space,
                          enum ptx__linkage linkage);

/* ---- initial_value.c */
bool ptx__parse_initial_value(struct ptx__parser *parser,
                              const struct ptx__declaration *declaration,
                              struct ptx__variable *variable);

/* ---- module_text.c, function_text.c, body.c */

bool ptx__read_text(struct ptx__parser *parser);

/* Reads the rest of a function, after ".entry" or ".func". */
bool ptx__read_function(struct ptx__parser *parser, bool kernel, enum ptx__linkage linkage);

/* Reads "(.param .b32 a, .reg .u32 b)", if it is there. */
bool ptx__parse_parameters(struct ptx__parser *parser, struct ptx__parameter **ret_parameters,
                           uint32_t *ret_n);
size_t ptx__place_parameters(struct ptx__parameter *parameters, uint32_t n);

/* Reads the body of parser->function, in braces. */
bool ptx__read_body(struct ptx__parser *parser);

/* Read the rest of a directive, after ".file", ".loc" or ".section". */
bool ptx__parse_file(struct ptx__parser *parser);
bool ptx__parse_location(struct ptx__parser *parser);
bool ptx__parse_section(struct ptx__parser *parser);

/* ---- instruction.c, operand.c, call.c */
bool ptx__parse_instruction(struct ptx__parser *parser);
bool ptx__parse_operands(struct ptx__parser *parser, struct ptx__instruction *instruction);

/*
 * Reads operands with commas between them, up to a closing word. They become the elements of one
 * operand.
 */
bool ptx__parse_operand_list(struct ptx__parser *parser, struct ptx__operand *operand,
                             const char *end);

/* Reads the four operands of a call. */
bool ptx__parse_call(struct ptx__parser *parser, struct ptx__operand *operands);

#endif
