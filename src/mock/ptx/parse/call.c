/* SPDX-License-Identifier: MIT */
/* Reads "call (result), f, (argument, argument), prototype;". */
#include "mock/ptx/parse/parse.h"

/* Reads "(a, b)". */
static bool read_list(struct ptx__parser *parser, struct ptx__operand *operand)
{
    operand->kind = PTX_LIST;
    operand->place = parser->lexer.token.place;
    if (!ptx__expect(parser, "(") || !ptx__parse_operand_list(parser, operand, ")"))
        return false;
    for (uint32_t i = 0; i < operand->count; i++)
        if (operand->elements[i].kind == PTX_VECTOR || operand->elements[i].sum)
            return ptx__fatal(parser, operand->elements[i].place,
                              "Parsing error near '%s': syntax error",
                              operand->elements[i].sum ? "+" : "{");
    return true;
}

/* Reads a function, or a register with the address of one. */
static bool read_target(struct ptx__parser *parser, struct ptx__operand *operand)
{
    const struct ptx__name *name;
    struct ptx__token token;

    if (!ptx__expect_name(parser, &token))
        return false;
    operand->place = token.place;
    operand->component = -1;
    if (!ptx__parse_register(parser, &token, &operand->reg))
        return false;
    if (operand->reg != PTX_NONE) {
        operand->kind = PTX_REGISTER;
        operand->type = parser->function->registers[operand->reg].type;
        return true;
    }
    name = ptx__scope_find(&parser->scope, token.text, token.length);
    operand->kind = PTX_ADDRESS;
    if (!name || name->symbol.kind != PTX_FUNCTION)
        return ptx__error(parser, token.place, "Unknown symbol '%.*s'", PTX_TEXT(token));
    operand->symbol = name->symbol;
    return true;
}

/* Reads the name of a prototype or of a list of functions. */
static bool read_kind(struct ptx__parser *parser, struct ptx__operand *operand)
{
    const struct ptx__name *name;
    struct ptx__token token;

    if (!ptx__expect_name(parser, &token))
        return false;
    operand->place = token.place;
    name = ptx__scope_find(&parser->scope, token.text, token.length);
    if (!name || (name->kind != PTX_NAME_PROTOTYPE && name->kind != PTX_NAME_TABLE))
        return ptx__error(parser, token.place, "Unknown symbol '%.*s'", PTX_TEXT(token));
    operand->kind = name->kind == PTX_NAME_TABLE ? PTX_TABLE : PTX_PROTOTYPE;
    operand->target = name->number;
    return true;
}

bool ptx__parse_call(struct ptx__parser *parser, struct ptx__operand *operands)
{
    struct ptx__lexer *lexer = &parser->lexer;

    if (ptx__is(lexer, "(") && (!read_list(parser, &operands[0]) || !ptx__expect(parser, ",")))
        return false;
    if (!read_target(parser, &operands[1]))
        return false;
    if (!ptx__accept(lexer, ","))
        return true;
    if (!ptx__is(lexer, "("))
        return read_kind(parser, &operands[3]);
    if (!read_list(parser, &operands[2]))
        return false;
    return !ptx__accept(lexer, ",") || read_kind(parser, &operands[3]);
}
