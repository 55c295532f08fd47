/* SPDX-License-Identifier: MIT */
/* Variables of a module and their initial values: ".global .u32 a[2] = {1, -2};" */
#include <stdlib.h>
#include <string.h>

#include "mock/ptx_parser.h"
#include "mock/state.h"

/* What the value of an array without a size may grow to. */
#define LARGEST_VALUE ((size_t) 1 << 30)

struct value {
    bool real;
    uint64_t integer;
    double number;           /* if it is real */
    struct ptx_token symbol; /* whose address is added; of length 0 if there is none */
    uint64_t mask;           /* the bits of that address that are wanted */
};

/* Where in a variable the next value goes. */
struct place {
    const struct ptx_declaration *declaration;
    struct mock__variable *variable;
};

static uint64_t read_binary(const char *digits)
{
    uint64_t number = 0;

    for (; *digits == '0' || *digits == '1'; digits++)
        number = 2 * number + (*digits == '1');
    return number;
}

/* "0f3F800000" and "0d3FF0000000000000" are the bits of a number. */
static double number_of_bits(const char *text, bool wide)
{
    const uint64_t bits = strtoull(text, NULL, 16);
    const uint32_t half = (uint32_t) bits;
    double number;
    float narrow;

    memcpy(&narrow, &half, sizeof(narrow));
    memcpy(&number, &bits, sizeof(number));
    return wide ? number : (double) narrow;
}

static bool is_decimal_real(const struct ptx_token *token)
{
    return memchr(token->text, '.', token->length) ||
           ((memchr(token->text, 'e', token->length) || memchr(token->text, 'E', token->length)) &&
            (token->length < 2 || (token->text[1] | 32) != 'x'));
}

static struct value literal(const struct ptx_token *token)
{
    const char *text = token->text;
    const char prefix = *text == '0' && token->length > 2 ? (char) (text[1] | 32) : '\0';

    if (prefix == 'f' || prefix == 'd')
        return (struct value){.real = true, .number = number_of_bits(text + 2, prefix == 'd')};
    if (prefix == 'b')
        return (struct value){.integer = read_binary(text + 2)};
    if (is_decimal_real(token))
        return (struct value){.real = true, .number = strtod(text, NULL)};
    return (struct value){.integer = strtoull(text, NULL, 0)};
}

/* The name in parentheses, after "generic" or a mask. */
static CUresult read_symbol(struct ptx_parser *parser, struct ptx_token *ret_symbol)
{
    MOCK__TRY(mock__ptx_expect(parser, "("));
    MOCK__REQUIRE(parser->lexer.token.kind == PTX_WORD, mock__ptx_unexpected(parser));
    *ret_symbol = parser->lexer.token;
    mock__ptx_next(&parser->lexer);
    return mock__ptx_expect(parser, ")");
}

static CUresult read_number_or_mask(struct ptx_parser *parser, struct value *value)
{
    *value = literal(&parser->lexer.token);
    mock__ptx_next(&parser->lexer);
    if (!mock__ptx_is(&parser->lexer, "("))
        return CUDA_SUCCESS;
    value->mask = value->integer;
    value->integer = 0;
    return read_symbol(parser, &value->symbol);
}

static CUresult read_term(struct ptx_parser *parser, struct value *value)
{
    struct ptx_lexer *lexer = &parser->lexer;

    if (lexer->token.kind == PTX_NUMBER)
        return read_number_or_mask(parser, value);
    MOCK__REQUIRE(lexer->token.kind == PTX_WORD && *lexer->token.text != '.',
                  mock__ptx_unexpected(parser));
    *value = (struct value){.symbol = lexer->token, .mask = UINT64_MAX};
    if (!mock__ptx_is(lexer, "generic")) {
        mock__ptx_next(lexer);
        return CUDA_SUCCESS;
    }
    mock__ptx_next(lexer);
    return read_symbol(parser, &value->symbol);
}

static void add(struct value *sum, const struct value *term, bool negative)
{
    sum->real = sum->real || term->real;
    sum->number += negative ? -term->number : term->number;
    sum->integer += negative ? -term->integer : term->integer;
    if (term->symbol.length) {
        sum->symbol = term->symbol;
        sum->mask = term->mask;
    }
}

/* A sum of terms, the first of which may have a sign as well. */
static CUresult read_value(struct ptx_parser *parser, struct value *ret_value)
{
    struct ptx_lexer *lexer = &parser->lexer;
    struct value sum = {.real = false}, term;
    bool more;

    do {
        bool negative = false;

        while (mock__ptx_is(lexer, "-") || mock__ptx_is(lexer, "+")) {
            negative ^= mock__ptx_is(lexer, "-");
            mock__ptx_next(lexer);
        }
        MOCK__TRY(read_term(parser, &term));
        add(&sum, &term, negative);
        more = mock__ptx_is(lexer, "-") || mock__ptx_is(lexer, "+");
    } while (more);
    *ret_value = sum;
    return CUDA_SUCCESS;
}

/* Makes sure that the bytes up to here are there. */
static CUresult reach(struct ptx_parser *parser, const struct place *place, size_t end)
{
    struct mock__variable *variable = place->variable;
    unsigned char *larger;

    MOCK__REQUIRE(end <= (place->declaration->open ? LARGEST_VALUE : variable->bytes),
                  mock__ptx_fail(parser, "Too many initial values for '%s'", variable->name));
    if (end <= variable->n_values)
        return CUDA_SUCCESS;
    larger = realloc(variable->values, end);
    MOCK__REQUIRE(larger, CUDA_ERROR_OUT_OF_MEMORY);
    memset(larger + variable->n_values, 0, end - variable->n_values);
    variable->values = larger;
    variable->n_values = end;
    return CUDA_SUCCESS;
}

/* The value as it lies in memory. */
static uint64_t bits_of(const struct value *value, const struct ptx_declaration *declaration)
{
    const double number = value->real ? value->number : (double) (int64_t) value->integer;
    const float narrow = (float) number;
    uint64_t wide;
    uint32_t half;

    if (!declaration->real)
        return value->real ? (uint64_t) (int64_t) number : value->integer;
    memcpy(&half, &narrow, sizeof(half));
    memcpy(&wide, &number, sizeof(wide));
    return declaration->element_bytes == sizeof(half) ? half : wide;
}

static CUresult note_address(const struct place *place, const struct value *value, size_t offset)
{
    struct mock__variable *variable = place->variable;
    struct mock__ptx_address *address =
        mock__ptx_append(&variable->addresses, &variable->n_addresses, sizeof(*address));

    MOCK__REQUIRE(address, CUDA_ERROR_OUT_OF_MEMORY);
    address->symbol = mock__ptx_copy(&value->symbol);
    address->offset = offset;
    address->bytes = place->declaration->element_bytes;
    address->addend = value->integer;
    address->mask = value->mask;
    return address->symbol ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult read_element(struct ptx_parser *parser, const struct place *place, size_t offset)
{
    const size_t bytes = place->declaration->element_bytes;
    struct value value;
    uint64_t bits;

    MOCK__TRY(read_value(parser, &value));
    MOCK__TRY(reach(parser, place, offset + bytes));
    if (value.symbol.length)
        return note_address(place, &value, offset);
    bits = bits_of(&value, place->declaration);
    for (size_t i = 0; i < bytes && i < sizeof(bits); i++)
        place->variable->values[offset + i] = (unsigned char) (bits >> 8 * i);
    return CUDA_SUCCESS;
}

/* A list in braces; a list inside of it is one element of this dimension. */
static CUresult read_list(struct ptx_parser *parser, const struct place *place, size_t depth,
                          size_t offset)
{
    const struct ptx_declaration *declaration = place->declaration;
    struct ptx_lexer *lexer = &parser->lexer;

    MOCK__TRY(mock__ptx_expect(parser, "{"));
    if (mock__ptx_accept(lexer, "}"))
        return CUDA_SUCCESS;
    do {
        if (!mock__ptx_is(lexer, "{")) {
            MOCK__TRY(read_element(parser, place, offset));
            offset += declaration->element_bytes;
            continue;
        }
        MOCK__REQUIRE(depth < declaration->n_dimensions, mock__ptx_unexpected(parser));
        MOCK__TRY(read_list(parser, place, depth + 1, offset));
        offset += declaration->strides[depth];
    } while (mock__ptx_accept(lexer, ","));
    return mock__ptx_expect(parser, "}");
}

static CUresult read_initial_value(struct ptx_parser *parser,
                                   const struct ptx_declaration *declaration,
                                   struct mock__variable *variable)
{
    const struct place place = {declaration, variable};

    if (mock__ptx_is(&parser->lexer, "{"))
        MOCK__TRY(read_list(parser, &place, 0, 0));
    else
        MOCK__TRY(read_element(parser, &place, 0));
    if (declaration->open)
        variable->bytes = variable->n_values;
    return CUDA_SUCCESS;
}

CUresult mock__ptx_variable(struct ptx_parser *parser, bool constant)
{
    struct mock__ptx *ptx = parser->ptx;
    struct ptx_declaration declaration;
    struct mock__variable *variable;

    MOCK__TRY(mock__ptx_declaration(parser, &declaration));
    variable = mock__ptx_append(&ptx->variables, &ptx->n_variables, sizeof(*variable));
    MOCK__REQUIRE(variable, CUDA_ERROR_OUT_OF_MEMORY);
    variable->name = mock__ptx_copy(&declaration.name);
    variable->bytes = declaration.bytes;
    variable->alignment = declaration.alignment;
    variable->constant = constant;
    variable->managed = declaration.managed;
    MOCK__REQUIRE(variable->name, CUDA_ERROR_OUT_OF_MEMORY);
    if (mock__ptx_accept(&parser->lexer, "="))
        MOCK__TRY(read_initial_value(parser, &declaration, variable));
    if (constant)
        ptx->constant_bytes = mock__ptx_place(ptx->constant_bytes, &declaration) + variable->bytes;
    return mock__ptx_expect(parser, ";");
}

void mock__ptx_variable_finish(struct mock__variable *variable)
{
    for (size_t i = 0; i < variable->n_addresses; i++)
        free(variable->addresses[i].symbol);
    free(variable->addresses);
    free(variable->values);
    free(variable->name);
}
