/* SPDX-License-Identifier: MIT */
/* Reads constants such as "-1", "0f3F800000" and "(1 << 4) | 3", with C's operators. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mock/ptx/parse/parse.h"

#define WARP_SIZE 32

static struct ptx__number integer(uint64_t value)
{
    return (struct ptx__number){.integer = value};
}

static struct ptx__number real(double value)
{
    struct ptx__number number = {.real = true, .type = PTX_F64};

    memcpy(&number.integer, &value, sizeof(value));
    return number;
}

bool ptx__at_number(const struct ptx__parser *parser)
{
    const struct ptx__lexer *lexer = &parser->lexer;

    return lexer->token.kind == PTX_NUMBER || ptx__is(lexer, "-") || ptx__is(lexer, "+") ||
           ptx__is(lexer, "~") || ptx__is(lexer, "(") || ptx__is(lexer, "WARP_SZ");
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : 99;
}

/* Reads the digits from a position on. False if there are none, wrong ones, or too many. */
static bool read_digits(const struct ptx__token *token, size_t from, unsigned base, size_t most,
                        uint64_t *ret_value)
{
    uint64_t value = 0;

    if (from >= token->length || token->length - from > most)
        return false;
    for (size_t i = from; i < token->length; i++) {
        const int digit = digit_of(token->text[i]);

        if (digit >= (int) base || __builtin_mul_overflow(value, (uint64_t) base, &value) ||
            __builtin_add_overflow(value, (uint64_t) digit, &value))
            return false;
    }
    *ret_value = value;
    return true;
}

static bool read_integer(struct ptx__token token, struct ptx__number *number)
{
    const char prefix = token.length > 1 && *token.text == '0' ? (char) (token.text[1] | 32) : '\0';

    if ((token.text[token.length - 1] | 32) == 'u') {
        number->is_unsigned = true;
        token.length--;
    }
    if (prefix == 'x')
        return read_digits(&token, 2, 16, 1000, &number->integer);
    if (prefix == 'b')
        return read_digits(&token, 2, 2, 1000, &number->integer);
    if (prefix && prefix != ('u' | 32))
        return read_digits(&token, 1, 8, 1000, &number->integer);
    return read_digits(&token, 0, 10, 1000, &number->integer);
}

static bool read_decimal_real(const struct ptx__token *token, struct ptx__number *number)
{
    char text[128], *end;

    if (token->length >= sizeof(text))
        return false;
    memcpy(text, token->text, token->length);
    text[token->length] = '\0';
    *number = real(strtod(text, &end));
    return end == text + token->length;
}

static bool read_literal(const struct ptx__token *token, struct ptx__number *number)
{
    const char prefix =
        token->length > 1 && *token->text == '0' ? (char) (token->text[1] | 32) : '\0';

    *number = integer(0);
    if (prefix == 'f' || prefix == 'd') {
        const size_t digits = prefix == 'f' ? 8 : 16;

        number->real = true;
        number->type = prefix == 'f' ? PTX_F32 : PTX_F64;
        return token->length == 2 + digits && read_digits(token, 2, 16, digits, &number->integer);
    }
    if (prefix != 'x' &&
        (memchr(token->text, '.', token->length) || memchr(token->text, 'e', token->length) ||
         memchr(token->text, 'E', token->length)))
        return read_decimal_real(token, number);
    return read_integer(*token, number);
}

static bool literal(struct ptx__parser *parser, struct ptx__number *ret_number)
{
    const struct ptx__token token = parser->lexer.token;

    if (ptx__accept(&parser->lexer, "WARP_SZ")) {
        *ret_number = integer(WARP_SIZE);
        return true;
    }
    if (token.kind != PTX_NUMBER)
        return ptx__unexpected(parser);
    if (!read_literal(&token, ret_number))
        return ptx__fatal(parser, token.place, "Invalid constant '%.*s'", PTX_TEXT(token));
    ptx__next(&parser->lexer);
    return true;
}

static bool binary(struct ptx__parser *parser, int lowest, struct ptx__number *ret_number);
static bool conditional(struct ptx__parser *parser, struct ptx__number *ret_number);

/* "(.s64) x" only changes the type of x. */
static bool parenthesis(struct ptx__parser *parser, struct ptx__number *ret_number)
{
    const bool is_unsigned = ptx__is(&parser->lexer, ".u64");

    if (is_unsigned || ptx__is(&parser->lexer, ".s64")) {
        ptx__next(&parser->lexer);
        if (!ptx__expect(parser, ")") || !ptx__parse_term(parser, ret_number))
            return false;
        ret_number->is_unsigned = is_unsigned;
        return true;
    }
    return conditional(parser, ret_number) && ptx__expect(parser, ")");
}

static struct ptx__number negated(const struct ptx__number *number)
{
    struct ptx__number result = *number;

    if (!number->real)
        result.integer = -number->integer;
    else
        result.integer ^= number->type == PTX_F32 ? (uint64_t) 1 << 31 : (uint64_t) 1 << 63;
    return result;
}

static bool unary(struct ptx__parser *parser, struct ptx__number *ret_number)
{
    struct ptx__lexer *lexer = &parser->lexer;

    if (ptx__accept(lexer, "("))
        return parenthesis(parser, ret_number);
    if (ptx__accept(lexer, "+"))
        return ptx__parse_term(parser, ret_number);
    if (ptx__accept(lexer, "-")) {
        if (!ptx__parse_term(parser, ret_number))
            return false;
        *ret_number = negated(ret_number);
        return true;
    }
    if (ptx__is(lexer, "~") || ptx__is(lexer, "!")) {
        const bool bitwise = ptx__is(lexer, "~");

        ptx__next(lexer);
        if (!ptx__parse_term(parser, ret_number))
            return false;
        *ret_number = integer(bitwise ? ~ret_number->integer : !ret_number->integer);
        return true;
    }
    return literal(parser, ret_number);
}

bool ptx__parse_term(struct ptx__parser *parser, struct ptx__number *ret_number)
{
    bool read;

    if (parser->depth >= PTX_MAX_DEPTH)
        return ptx__fatal(parser, parser->lexer.token.place, "Nested too deeply");
    parser->depth++;
    read = unary(parser, ret_number);
    parser->depth--;
    return read;
}

static const struct {
    const char *text;
    int precedence;
} operators[] = {{"||", 1}, {"&&", 2}, {"|", 3}, {"^", 4},  {"&", 5},  {"==", 6},
                 {"!=", 6}, {"<", 7},  {">", 7}, {"<=", 7}, {">=", 7}, {"<<", 8},
                 {">>", 8}, {"+", 9},  {"-", 9}, {"*", 10}, {"/", 10}, {"%", 10}};

static int operator_at(const struct ptx__parser *parser)
{
    for (int i = 0; i < (int) (sizeof(operators) / sizeof(*operators)); i++) {
        if (ptx__is(&parser->lexer, operators[i].text))
            return i;
    }
    return -1;
}

static struct ptx__number combine_real(double a, double b, const char *operator)
{
    switch (*operator) {
    case '+':
        return real(a + b);
    case '-':
        return real(a - b);
    case '*':
        return real(a * b);
    case '/':
        return real(a / b);
    case '<':
        return integer(operator[1] ? a <= b : a<b);
    case '>':
        return integer(operator[1] ? a >= b : a> b);
    case '!':
        return integer(a != b);
    default:
        return integer(a == b);
    }
}

static uint64_t divided(uint64_t a, uint64_t b, bool is_unsigned, bool remainder)
{
    const int64_t x = (int64_t) a, y = (int64_t) b;

    if (!b)
        return UINT64_MAX;
    if (is_unsigned)
        return remainder ? a % b : a / b;
    if (y == -1)
        return remainder ? 0 : -a;
    return (uint64_t) (remainder ? x % y : x / y);
}

static bool less(uint64_t a, uint64_t b, bool is_unsigned)
{
    return is_unsigned ? a < b : (int64_t) a < (int64_t) b;
}

static uint64_t shifted(uint64_t a, uint64_t b, bool left, bool is_unsigned)
{
    if (left)
        return b < 64 ? a << b : 0;
    if (!is_unsigned && (int64_t) a < 0)
        return ~(b < 64 ? ~a >> b : 0);
    return b < 64 ? a >> b : 0;
}

/* "<", "<=", "<<" and the same with ">". */
static uint64_t combine_angle(uint64_t a, uint64_t b, const char *operator, bool is_unsigned)
{
    const bool left = *operator== '<';

    if (operator[1] == * operator)
        return shifted(a, b, left, is_unsigned);
    if (operator[1] == '=')
        return !less(left ? b : a, left ? a : b, is_unsigned);
    return less(left ? a : b, left ? b : a, is_unsigned);
}

static uint64_t combine_integer(uint64_t a, uint64_t b, const char *operator, bool is_unsigned)
{
    switch (*operator) {
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    case '/':
    case '%':
        return divided(a, b, is_unsigned, *operator== '%');
    case '|':
        return operator[1] ? a || b : a | b;
    case '&':
        return operator[1] ? a && b : (a &b);
    case '^':
        return a ^ b;
    case '=':
        return a == b;
    case '!':
        return a != b;
    default:
        return combine_angle(a, b, operator, is_unsigned);
    }
}

static struct ptx__number combine(const struct ptx__number *a, const struct ptx__number *b,
                                  const char *operator)
{
    const bool is_unsigned = a->is_unsigned || b->is_unsigned;
    struct ptx__number result;

    if (a->real || b->real)
        return combine_real(ptx__number_value(a), ptx__number_value(b), operator);
    result = integer(combine_integer(a->integer, b->integer, operator, is_unsigned));
    result.is_unsigned = is_unsigned;
    return result;
}

/* Reads operators with at least this precedence; equal ones are left-associative. */
static bool binary(struct ptx__parser *parser, int lowest, struct ptx__number *ret_number)
{
    struct ptx__number right;
    int i;

    if (!ptx__parse_term(parser, ret_number))
        return false;
    while ((i = operator_at(parser)) >= 0 && operators[i].precedence >= lowest) {
        ptx__next(&parser->lexer);
        if (!binary(parser, operators[i].precedence + 1, &right))
            return false;
        *ret_number = combine(ret_number, &right, operators[i].text);
    }
    return true;
}

static bool conditional(struct ptx__parser *parser, struct ptx__number *ret_number)
{
    struct ptx__number yes, no;
    bool read;

    if (!binary(parser, 1, ret_number))
        return false;
    if (!ptx__accept(&parser->lexer, "?"))
        return true;
    if (parser->depth >= PTX_MAX_DEPTH)
        return ptx__fatal(parser, parser->lexer.token.place, "Nested too deeply");
    parser->depth++;
    read = conditional(parser, &yes) && ptx__expect(parser, ":") && conditional(parser, &no);
    parser->depth--;
    if (read)
        *ret_number = ptx__number_value(ret_number) != 0 ? yes : no;
    return read;
}

bool ptx__parse_number(struct ptx__parser *parser, struct ptx__number *ret_number)
{
    return conditional(parser, ret_number);
}

bool ptx__parse_size(struct ptx__parser *parser, size_t *ret_number)
{
    const struct ptx__place place = parser->lexer.token.place;
    struct ptx__number number;

    if (!ptx__parse_number(parser, &number))
        return false;
    if (number.real || (!number.is_unsigned && (int64_t) number.integer < 0))
        return ptx__fatal(parser, place, "A size must be an integer that is not negative");
    *ret_number = (size_t) number.integer;
    return true;
}
