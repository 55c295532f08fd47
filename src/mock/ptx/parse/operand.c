/* SPDX-License-Identifier: MIT */
/* Reads operands such as "%r1", "{%r1, %r2}", "[%rd1+4]", "table+4", "%tid.x", "-1". */
#include <string.h>

#include "mock/ptx/parse/parse.h"

#define MOST_OPERANDS 16

static bool read_operand(struct ptx__parser *parser, struct ptx__operand *ret_operand);

/* Returns the number of ".x" to ".w", or ".r" to ".a"; -1 for other words. */
static int8_t component_of(const struct ptx__token *token)
{
    static const char names[] = "xyzwrgba";
    const char *at = token->length == 2 ? strchr(names, token->text[1]) : NULL;

    return at && *at ? (int8_t) ((at - names) % 4) : -1;
}

/* For video instructions: ".b0" to ".b3" are 1 to 4, ".h0" and ".h1" are 5 and 6. */
static uint8_t selector_of(const struct ptx__token *token)
{
    const char *text = token->text;

    if (token->length != 3)
        return 0;
    if (text[1] == 'b' && text[2] >= '0' && text[2] <= '3')
        return (uint8_t) (text[2] - '0' + 1);
    if (text[1] == 'h' && (text[2] == '0' || text[2] == '1'))
        return (uint8_t) (text[2] - '0' + 5);
    return 0;
}

/* Reads ".h10" and ".b3210" of video instructions on packed values: four bits for each digit. */
static uint64_t lanes_of(const struct ptx__token *token)
{
    uint64_t lanes = 0;

    for (size_t i = 2; i < token->length; i++)
        lanes = lanes << 4 | (uint64_t) (token->text[i] - '0');
    return lanes;
}

static bool is_lanes(const struct ptx__token *token)
{
    if (token->length < 3 || token->length > 6 || (token->text[1] != 'b' && token->text[1] != 'h'))
        return false;
    for (size_t i = 2; i < token->length; i++) {
        if (token->text[i] < '0' || token->text[i] > '7')
            return false;
    }
    return true;
}

/* Reads the word after a register's name: a component, or the selector of a video instruction. */
static bool read_suffix(struct ptx__parser *parser, struct ptx__operand *operand)
{
    const struct ptx__register *reg = &parser->function->registers[operand->reg];
    const struct ptx__token token = parser->lexer.token;

    if (token.kind != PTX_DOTTED)
        return true;
    ptx__next(&parser->lexer);
    operand->component = reg->vector ? component_of(&token) : -1;
    if (operand->component >= reg->vector)
        return ptx__error(parser, token.place, "Vector '%s' has no component '%.*s'", reg->name,
                          PTX_TEXT(token));
    if (operand->component >= 0)
        return true;
    operand->selector = selector_of(&token);
    if (operand->selector)
        return true;
    if (!is_lanes(&token))
        return ptx__error(parser, token.place, "Unknown modifier '%.*s'", PTX_TEXT(token));
    operand->selector = token.text[1] == 'b' ? PTX_BYTE_LANES : PTX_HALF_LANES;
    operand->lanes = (uint16_t) lanes_of(&token);
    return true;
}

static bool unknown(struct ptx__parser *parser, const struct ptx__token *token)
{
    return ptx__error(parser, token->place, "Unknown symbol '%.*s'", PTX_TEXT(*token));
}

/* Reads "%tid.x". */
static bool read_special(struct ptx__parser *parser, const struct ptx__token *name,
                         struct ptx__operand *operand)
{
    const enum ptx__special special =
        *name->text == '%' ? ptx__special_find(name->text + 1, name->length - 1) : PTX_NO_SPECIAL;
    const struct ptx__special_row *row = &ptx__specials[special];

    if (!special)
        return unknown(parser, name);
    operand->kind = PTX_SPECIAL;
    operand->special = (uint16_t) special;
    operand->type = row->type;
    operand->component = -1;
    if (!row->vector || parser->lexer.token.kind != PTX_DOTTED)
        return true;
    operand->component = component_of(&parser->lexer.token);
    if (operand->component < 0)
        return ptx__unexpected(parser);
    ptx__next(&parser->lexer);
    return true;
}

/* Returns the size of a variable's elements, because "table[2]" counts elements. */
static size_t element_bytes(const struct ptx__parser *parser, struct ptx__symbol symbol)
{
    const struct ptx__variable *variable =
        symbol.kind == PTX_MODULE_VARIABLE     ? &parser->module->variables[symbol.number]
        : symbol.kind == PTX_FUNCTION_VARIABLE ? &parser->function->variables[symbol.number]
                                               : NULL;

    if (!variable)
        return 1;
    return ptx__type_bytes((enum ptx__type) variable->type) *
           (variable->vector ? variable->vector : 1);
}

/* Reads "+4", "+-4", "[2]", or nothing. */
static bool read_offset(struct ptx__parser *parser, struct ptx__operand *operand)
{
    struct ptx__number number = {.real = false};

    if (ptx__accept(&parser->lexer, "[")) {
        if (!ptx__parse_number(parser, &number) || !ptx__expect(parser, "]"))
            return false;
        operand->indexed = true;
        number.integer *= element_bytes(parser, operand->symbol);
    } else if (ptx__is(&parser->lexer, "+") && !ptx__parse_number(parser, &number)) {
        return false;
    }
    if (number.real)
        return ptx__unexpected(parser);
    operand->offset = (int64_t) number.integer;
    return true;
}

/* Reads the name of a register, or of something whose address is the operand. */
static bool read_named(struct ptx__parser *parser, struct ptx__operand *operand)
{
    const struct ptx__token token = parser->lexer.token;
    const struct ptx__name *name = ptx__scope_find(&parser->scope, token.text, token.length);

    ptx__next(&parser->lexer);
    operand->place = token.place;
    if (!ptx__parse_register(parser, &token, &operand->reg))
        return false;
    if (operand->reg != PTX_NONE) {
        operand->kind = PTX_REGISTER;
        operand->type = parser->function->registers[operand->reg].type;
        operand->component = -1;
        return read_suffix(parser, operand);
    }
    if (!name)
        return read_special(parser, &token, operand);
    if (!name->symbol.kind)
        return unknown(parser, &token);
    operand->kind = PTX_ADDRESS;
    operand->symbol = name->symbol;
    return read_offset(parser, operand);
}

static bool read_constant(struct ptx__parser *parser, struct ptx__operand *operand)
{
    struct ptx__number number;

    operand->place = parser->lexer.token.place;
    if (!ptx__parse_number(parser, &number))
        return false;
    operand->kind = number.real ? PTX_REAL : PTX_INTEGER;
    operand->type = number.real ? number.type : PTX_NO_TYPE;
    operand->integer = number.integer;
    return true;
}

static bool add_element(struct ptx__parser *parser, struct ptx__operand *operand,
                        const struct ptx__operand *element)
{
    struct ptx__operand *added =
        ptx__append(parser, &operand->elements, &operand->count, sizeof(*added));

    if (!added)
        return false;
    *added = *element;
    return true;
}

/* Reads operands with commas between them, up to a closing word. */
bool ptx__parse_operand_list(struct ptx__parser *parser, struct ptx__operand *operand,
                             const char *end)
{
    struct ptx__operand element;

    if (ptx__accept(&parser->lexer, end))
        return true;
    do {
        if (!read_operand(parser, &element) || !add_element(parser, operand, &element))
            return false;
    } while (ptx__accept(&parser->lexer, ","));
    return ptx__expect(parser, end);
}

/* Reads "[tex, sampler, {x, y}]" after its first element was read as the base. */
static bool read_brackets(struct ptx__parser *parser, struct ptx__operand *operand)
{
    const struct ptx__operand base = *operand;
    struct ptx__operand first = {.place = base.place, .component = -1};

    first.symbol = base.symbol;
    first.offset = base.offset;
    first.reg = base.reg;
    first.type = base.type;
    first.kind = base.reg != PTX_NONE ? PTX_REGISTER : PTX_ADDRESS;
    *operand = (struct ptx__operand){.kind = PTX_BRACKETS, .place = base.place};
    return add_element(parser, operand, &first) && ptx__parse_operand_list(parser, operand, "]");
}

/* Reads what follows "[": a register or a variable, and an offset; or a number. */
static bool read_memory(struct ptx__parser *parser, struct ptx__operand *operand)
{
    struct ptx__lexer *lexer = &parser->lexer;
    struct ptx__operand base = {.reg = PTX_NONE};
    struct ptx__number number = {.real = false};

    if (lexer->token.kind == PTX_NAME && !ptx__is(lexer, "WARP_SZ")) {
        if (!read_named(parser, &base))
            return false;
        if (base.indexed || base.kind == PTX_SPECIAL ||
            (base.kind == PTX_REGISTER && (base.component >= 0 || base.selector)))
            return ptx__unexpected(parser);
        if (base.kind == PTX_REGISTER && ptx__is(lexer, "+") && !ptx__parse_number(parser, &number))
            return false;
        base.offset = base.kind == PTX_ADDRESS ? base.offset : (int64_t) number.integer;
        base.reg = base.kind == PTX_REGISTER ? base.reg : PTX_NONE;
    } else {
        if (!ptx__parse_number(parser, &number))
            return false;
        base.offset = (int64_t) number.integer;
    }
    if (number.real)
        return ptx__unexpected(parser);
    base.kind = PTX_MEMORY;
    base.place = operand->place;
    *operand = base;
    if (ptx__accept(lexer, ","))
        return read_brackets(parser, operand);
    if (!ptx__expect(parser, "]"))
        return false;
    operand->unified = ptx__accept(lexer, ".unified");
    return true;
}

/* Reads "!%p1" and "-%r1". Elements of vectors and lists cannot be negated. */
static bool read_negated(struct ptx__parser *parser, struct ptx__operand *operand)
{
    ptx__next(&parser->lexer);
    if (parser->lexer.token.kind != PTX_NAME || parser->depth > 1)
        return ptx__unexpected(parser);
    if (!read_named(parser, operand))
        return false;
    operand->negative = true;
    return true;
}

static bool name_follows(struct ptx__lexer lexer)
{
    ptx__next(&lexer);
    return lexer.token.kind == PTX_NAME && !ptx__is(&lexer, "WARP_SZ");
}

/* Reads "%r1+4", a sum outside of brackets. Inside of brackets it is part of an address. */
static bool read_sum(struct ptx__parser *parser, struct ptx__operand *operand)
{
    struct ptx__number number = {.real = false};

    if (!read_named(parser, operand))
        return false;
    if (operand->kind != PTX_REGISTER || parser->depth > 1 || !ptx__is(&parser->lexer, "+"))
        return true;
    if (!ptx__parse_number(parser, &number))
        return false;
    if (number.real)
        return ptx__unexpected(parser);
    operand->sum = true;
    operand->integer = number.integer;
    return true;
}

static bool read_single(struct ptx__parser *parser, struct ptx__operand *operand)
{
    struct ptx__lexer *lexer = &parser->lexer;

    if (ptx__accept(lexer, "_")) {
        operand->kind = PTX_SINK;
        return true;
    }
    if (ptx__accept(lexer, "{")) {
        operand->kind = PTX_VECTOR;
        return ptx__parse_operand_list(parser, operand, "}");
    }
    if (ptx__accept(lexer, "["))
        return read_memory(parser, operand);
    if ((ptx__is(lexer, "!") || ptx__is(lexer, "-")) && name_follows(*lexer))
        return read_negated(parser, operand);
    if (lexer->token.kind == PTX_NAME && !ptx__is(lexer, "WARP_SZ"))
        return read_sum(parser, operand);
    if (ptx__at_number(parser) || ptx__is(lexer, "!"))
        return read_constant(parser, operand);
    return ptx__unexpected(parser);
}

/* Reads "p|q". */
static bool read_pair(struct ptx__parser *parser, struct ptx__operand *operand)
{
    struct ptx__operand pair = {.kind = PTX_PAIR, .place = operand->place};
    struct ptx__operand second = {.place = parser->lexer.token.place};

    if (parser->lexer.token.kind != PTX_NAME)
        return ptx__unexpected(parser);
    if (!read_single(parser, &second) || !add_element(parser, &pair, operand) ||
        !add_element(parser, &pair, &second))
        return false;
    *operand = pair;
    return true;
}

static bool read_operand(struct ptx__parser *parser, struct ptx__operand *ret_operand)
{
    bool read;

    if (parser->depth >= PTX_MAX_DEPTH)
        return ptx__fatal(parser, parser->lexer.token.place, "Nested too deeply");
    parser->depth++;
    *ret_operand = (struct ptx__operand){.place = parser->lexer.token.place};
    read = read_single(parser, ret_operand);
    parser->depth--;
    if (!read || !ptx__accept(&parser->lexer, "|"))
        return read;
    return read_pair(parser, ret_operand);
}

bool ptx__parse_operands(struct ptx__parser *parser, struct ptx__instruction *instruction)
{
    struct ptx__operand operand;
    struct ptx__operand *added;

    if (ptx__is(&parser->lexer, ";"))
        return true;
    do {
        if (instruction->n_operands == MOST_OPERANDS)
            return ptx__fatal(parser, parser->lexer.token.place, "Too many operands");
        if (!read_operand(parser, &operand))
            return false;
        added =
            ptx__append(parser, &instruction->operands, &instruction->n_operands, sizeof(*added));
        if (!added)
            return false;
        *added = operand;
    } while (ptx__accept(&parser->lexer, ","));
    return true;
}
